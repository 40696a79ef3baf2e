"""What objects of the cluster come to for those that follow them: read when an object changes, and not whenever any does."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.registry.lister import Lister

T = TypeVar("T")


class ReadOnce(Generic[T]):
    """The parsed form of each object of a cluster-wide kind."""

    def __init__(self, lister: Lister, read: Callable[[Object], T]) -> None:
        self._lister = lister
        self._read = read
        self._found: dict[str, T] = {}

    def changed(self, keys: Iterable[ObjectKey]) -> None:
        """These are others now, or gone."""
        for key in keys:
            self._found.pop(key.name, None)

    def in_order(self) -> list[tuple[str, T]]:
        """All, by their names and in the order of those."""
        found = self._found
        for obj in self._lister.list():
            name = name_of(obj)
            if name not in found:
                found[name] = self._read(obj)
        return sorted(found.items(), key=_name)


def _name(item: tuple[str, T]) -> str:
    return item[0]
