"""Words to describe a file format in: what a value may be, and what each field is for.

The format itself is written down once, in `svcsim.scenario.format`, in these words. From that one description follow the check of a file
(`svcsim.scenario.shape_check`) and the JSON Schema for editors (`svcsim.scenario.schema`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.cluster.settings import Setting


@dataclass(frozen=True, slots=True)
class Text:
    """A string; one of ``choices``, if there are any. Empty only where that says something."""

    choices: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    """Choices the format knows and this version doesn't take yet."""
    empty: bool = False
    hints: tuple[tuple[str, str], ...] = ()
    """What is said of some words that are none of the choices, but are tried."""


@dataclass(frozen=True, slots=True)
class KindName(Text):
    """The kind of objects: one that the cluster has."""


@dataclass(frozen=True, slots=True)
class Name(Text):
    """The name of one object or namespace, no pattern."""


@dataclass(frozen=True, slots=True)
class PluginName(Text):
    """The name of an admission plugin that there is."""


@dataclass(frozen=True, slots=True)
class SettingsFile(Text):
    """A file that a setting names, relative to the scenario's."""


@dataclass(frozen=True, slots=True)
class Selector(Text):
    """A label selector that asks for something."""


@dataclass(frozen=True, slots=True)
class UrlPath(Text):
    """A path on the server, with its query."""


@dataclass(frozen=True, slots=True)
class WaitFor(Text):
    """What `wait` waits for."""


@dataclass(frozen=True, slots=True)
class KindAndName(Text):
    """The kind and the name of an object: ``pod/web-1``."""


@dataclass(frozen=True, slots=True)
class LabelValue(Text):
    """The value to give a label; null takes the label off."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number, or any with ``fraction``. With ``above``, more than the minimum."""

    minimum: float | None = None
    fraction: bool = False
    maximum: float | None = None
    above: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false; with ``only_true``, said by being there."""

    only_true: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time: ``90s``, ``1h30m``. With ``above``, longer than nothing; with ``whole``, in whole seconds."""

    above: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment: ``2026-01-01T00:00:00Z``."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many in a span of time: ``50/s``, ``10/m``."""


@dataclass(frozen=True, slots=True)
class Cel:
    """An expression; with ``condition``, one that is true or false."""

    condition: bool = False


@dataclass(frozen=True, slots=True)
class ManifestPath:
    """A YAML file of objects, relative to the scenario's; with ``single``, of one object. Each has one of ``names``, if there are any."""

    names: tuple[str, ...] = ()
    single: bool = False


@dataclass(frozen=True, slots=True)
class SettingOf:
    """A setting of the cluster, written as it is anywhere else."""

    setting: Setting


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class ApiObject:
    """An object as the API takes it, with one of ``names`` in its metadata."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListOf:
    item: "Shape"
    empty: bool = False
    """Whether it may be: a list that lists nothing is a mistake anywhere else."""


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map with keys of the author's choice."""

    value: "Shape"
    empty: bool = False


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

    def shape_of(self, name: str) -> "Shape":
        """The shape of one field's value."""
        return next(known.shape for known in self.fields if known.name == name)


Shape: TypeAlias = (
    Text | Number | Flag | Span | Moment | Rate | Cel | ManifestPath | SettingOf | Anything | ApiObject | ListOf | MapOf | Either | Struct
)
