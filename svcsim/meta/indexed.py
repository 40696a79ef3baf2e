"""Objects of one type by their names, and by whatever else they are looked up: what every copy of a collection in memory is made of.

Objects in it are shared by all who look and belong to none of them: copy before changing. Answers come in the order in which the objects
came in, so that runs can be replayed.
"""

import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from svcsim.meta.types import Object


class ObjectKey(NamedTuple):
    """An object of a known type by its names; ``namespace`` is empty for cluster-wide ones."""

    namespace: str
    name: str


Indexer: TypeAlias = Callable[[Object], Iterable[str]]
"""The values under which an index finds an object. It stands for the index, too."""

Index: TypeAlias = dict[str, dict[ObjectKey, None]]
"""What is under each value. It isn't the objects themselves: most new states of an object leave it where it is."""

Objects: TypeAlias = list[Object]
"""By another name, since `Indexed` has a method `list`."""


def object_key(obj: Object) -> ObjectKey:
    """The names of an object."""
    metadata = obj["metadata"]
    # Thousands of keys share a few namespaces.
    return ObjectKey(sys.intern(metadata.get("namespace") or ""), metadata["name"])


def by_namespace(obj: Object) -> Iterable[str]:
    """The namespace of an object."""
    return (obj["metadata"].get("namespace") or "",)


class Indexed:
    """Objects, indexed by namespace and by what was asked for."""

    def __init__(self) -> None:
        self._objects: dict[ObjectKey, Object] = {}
        self._indexes: dict[Indexer, Index] = {by_namespace: {}}

    def __len__(self) -> int:
        return len(self._objects)

    def add_index(self, indexer: Indexer) -> None:
        """Keep one more index; one that is there already is shared."""
        if indexer not in self._indexes:
            index = self._indexes[indexer] = {}
            for key, obj in self._objects.items():
                _enter(index, indexer(obj), key)

    def get(self, key: ObjectKey) -> Object | None:
        return self._objects.get(key)

    def list(self, namespace: str = "") -> Objects:
        """All objects, or those of one namespace."""
        return self.by(by_namespace, namespace) if namespace else list(self._objects.values())

    def by(self, indexer: Indexer, value: str) -> Objects:
        """What an index finds under a value."""
        return [self._objects[key] for key in self._indexes[indexer].get(value, ())]

    def by_all(self, indexer: Indexer, values: Iterable[str]) -> Objects:
        """What an index finds under each of these values, of which there is at least one."""
        index = self._indexes[indexer]
        fewest, *others = sorted((index.get(value, {}) for value in values), key=len)
        return [self._objects[key] for key in fewest if all(key in other for other in others)]

    def put(self, key: ObjectKey, obj: Object) -> None:
        """Take an object in under its key, or its new state in the place of the one before."""
        before = self._objects.get(key)
        self._objects[key] = obj
        for indexer, index in self._indexes.items():
            values = indexer(obj)
            if before is not None:
                former = indexer(before)
                if former == values:
                    continue
                _leave(index, former, key)
            _enter(index, values, key)

    def remove(self, key: ObjectKey) -> None:
        """Let an object go, if it is there."""
        before = self._objects.pop(key, None)
        if before is not None:
            for indexer, index in self._indexes.items():
                _leave(index, indexer(before), key)


def _enter(index: Index, values: Iterable[str], key: ObjectKey) -> None:
    for value in values:
        index.setdefault(value, {})[key] = None


def _leave(index: Index, values: Iterable[str], key: ObjectKey) -> None:
    for value in values:
        entries = index.get(value)
        if entries is not None and key in entries:
            del entries[key]
            if not entries:
                del index[value]
