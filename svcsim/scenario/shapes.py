"""Words to describe a file format in: what a value may be, and what each field is for.

The format itself is written down once, in `svcsim.scenario.format`, in these words. From that one description follow the check of a file
(`svcsim.scenario.check`) and the JSON Schema for editors (`svcsim.scenario.schema`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.cluster.settings import Setting


@dataclass(frozen=True, slots=True)
class Text:
    """A string; one of ``choices``, if there are any."""

    choices: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    """Choices the format knows and this version doesn't take yet."""


@dataclass(frozen=True, slots=True)
class KindName(Text):
    """The kind of objects: one that the cluster has."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number, or any with ``fraction``."""

    minimum: float | None = None
    fraction: bool = False
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time: ``90s``, ``1h30m``."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment: ``2026-01-01T00:00:00Z``."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many in a span of time: ``50/s``, ``10/m``."""


@dataclass(frozen=True, slots=True)
class Cel:
    """An expression."""


@dataclass(frozen=True, slots=True)
class ManifestPath:
    """A YAML file of objects, relative to the scenario's."""


@dataclass(frozen=True, slots=True)
class SettingOf:
    """A setting of the cluster, written as it is anywhere else."""

    setting: Setting


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class ListOf:
    item: "Shape"


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map with keys of the author's choice."""

    value: "Shape"


@dataclass(frozen=True, slots=True)
class Either:
    """A scalar of one shape, or a map or list of another."""

    scalar: "Shape"
    other: "Shape"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a map."""

    name: str
    shape: "Shape"
    doc: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Struct:
    """A map with known fields."""

    what: str
    """What such a map is called in messages: ``an action``."""
    fields: tuple[Field, ...]
    exactly_one: tuple[str, ...] = ()
    at_least_one: tuple[str, ...] = ()
    later: Mapping[str, str] = field(default_factory=dict)
    """Fields the format knows and this version doesn't take yet, with what to do instead, or ``""``."""


Shape: TypeAlias = (
    Text | Number | Flag | Span | Moment | Rate | Cel | ManifestPath | SettingOf | Anything | ListOf | MapOf | Either | Struct
)
