"""Objects of one type by their names, and by whatever else they are looked up: what every copy of a collection in memory is made of.

Objects in it are shared by all who look and belong to none of them: copy before changing. Answers come in the order in which the objects
came in, so that runs can be replayed.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from svcsim.meta.types import Object


class ObjectKey(NamedTuple):
    """An object of a known type by its names; ``namespace`` is empty for cluster-wide ones."""

    namespace: str
    name: str


Indexer: TypeAlias = Callable[[Object], Iterable[str]]
"""The values under which an index finds an object."""

Objects: TypeAlias = list[Object]
"""By another name, since `Indexed` has a method `list`."""


def object_key(obj: Object) -> ObjectKey:
    """The names of an object."""
    metadata = obj["metadata"]
    return ObjectKey(metadata.get("namespace") or "", metadata["name"])


def by_namespace(obj: Object) -> Iterable[str]:
    """The namespace of an object."""
    return (obj["metadata"].get("namespace") or "",)


class Indexed:
    """Objects, indexed by namespace and by what was asked for."""

    def __init__(self) -> None:
        self._objects: dict[ObjectKey, Object] = {}
        self._indexers: dict[str, Indexer] = {"namespace": by_namespace}
        self._indexes: dict[str, dict[str, dict[ObjectKey, Object]]] = {"namespace": {}}

    def __len__(self) -> int:
        return len(self._objects)

    def add_index(self, name: str, indexer: Indexer) -> None:
        """Keep one more index; raises `ValueError` if there is another one of that name."""
        if self._indexers.setdefault(name, indexer) is not indexer:
            raise ValueError(f"there is an index {name} already, and it is another one")
        if name not in self._indexes:
            self._indexes[name] = {}
            for key, obj in self._objects.items():
                self._enter(name, key, obj)

    def get(self, namespace: str, name: str) -> Object | None:
        """One object."""
        return self._objects.get(ObjectKey(namespace, name))

    def list(self, namespace: str = "") -> Objects:
        """All objects, or those of one namespace."""
        return self.by("namespace", namespace) if namespace else list(self._objects.values())

    def by(self, index: str, value: str) -> Objects:
        """What an index finds under a value."""
        return list(self._indexes[index].get(value, {}).values())

    def put(self, obj: Object) -> None:
        """Take an object in, or its new state."""
        key = object_key(obj)
        before = self._objects.get(key)
        if before is not None:
            self._leave(key, before)
        self._objects[key] = obj
        for index in self._indexers:
            self._enter(index, key, obj)

    def remove(self, namespace: str, name: str) -> None:
        """Let an object go, if it is there."""
        key = ObjectKey(namespace, name)
        before = self._objects.pop(key, None)
        if before is not None:
            self._leave(key, before)

    def _enter(self, index: str, key: ObjectKey, obj: Object) -> None:
        found = self._indexes[index]
        for value in self._indexers[index](obj):
            found.setdefault(value, {})[key] = obj

    def _leave(self, key: ObjectKey, obj: Object) -> None:
        for index, indexer in self._indexers.items():
            found = self._indexes[index]
            for value in indexer(obj):
                entries = found.get(value)
                if entries is not None and entries.pop(key, None) is not None and not entries:
                    del found[value]
