"""The version in which a resource type is taken by those who take it in one: its group's preferred version, or the first that has it."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from svcsim.meta.types import Object


class _Type(Protocol):
    """A resource type in one version."""

    @property
    def group(self) -> str: ...

    @property
    def plural(self) -> str: ...


T = TypeVar("T", bound=_Type)


def versions(group: Object) -> list[str]:
    """The versions of an ``APIGroup``, the preferred one first."""
    preferred = (group.get("preferredVersion") or {}).get("version")
    return sorted((version["version"] for version in group.get("versions") or []), key=lambda version: version != preferred)


def first_of_each(types: Iterable[T]) -> dict[tuple[str, str], T]:
    """Each type in one version, by group and plural; ``types`` come in the order of preference."""
    found: dict[tuple[str, str], T] = {}
    for one in types:
        found.setdefault((one.group, one.plural), one)
    return found
