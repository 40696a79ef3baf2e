"""A local copy of a collection that follows the server's, with indexes, for those who look things up more often than they change.

Objects in a cache are shared with everybody who looks: copy before changing. The cache lags behind the server by as long as an event
takes; whoever acts on it must stand a conflict, and must not do a thing twice because its first result hasn't arrived yet.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from svcsim.client.api import Collection
from svcsim.client.reflector import Reflector
from svcsim.clock import Chance, Clock
from svcsim.meta.types import Object


class ObjectKey(NamedTuple):
    """An object of a known type by its names; ``namespace`` is empty for cluster-wide ones."""

    namespace: str
    name: str


Indexer: TypeAlias = Callable[[Object], Iterable[str]]
"""The values under which an index finds an object."""

Handler: TypeAlias = Callable[[str, Object, Object | None], None]
"""Called with ADDED, MODIFIED or DELETED, the object, and what the cache held before (for MODIFIED)."""


def key_of(obj: Object) -> ObjectKey:
    """The names of an object."""
    meta = obj["metadata"]
    return ObjectKey(meta.get("namespace", ""), meta["name"])


def by_owner(obj: Object) -> Iterable[str]:
    """An indexer: the UIDs of all owners."""
    return [reference["uid"] for reference in obj["metadata"].get("ownerReferences", ())]


def by_controller(obj: Object) -> Iterable[str]:
    """An indexer: the UID of the owner that controls the object."""
    return [reference["uid"] for reference in obj["metadata"].get("ownerReferences", ()) if reference.get("controller")]


def orphans_by_namespace(obj: Object) -> Iterable[str]:
    """An indexer: the namespace of an object that no owner controls, for those who may adopt it."""
    return () if any(by_controller(obj)) else (obj["metadata"].get("namespace", ""),)


def differs(one: Object, other: Object) -> bool:
    """Whether two states of an object differ in more than their revision; most changes of trimmed objects don't."""
    return {**one, "metadata": {**one["metadata"], "resourceVersion": ""}} != {
        **other,
        "metadata": {**other["metadata"], "resourceVersion": ""},
    }


class Cache:
    """The objects of one collection. `run` follows it; ``synced`` is set once the collection has been read whole.

    ``trim`` cuts objects down to what is needed before they are kept, since a cache holds them all in memory.
    """

    def __init__(
        self,
        collection: Collection,
        clock: Clock,
        chance: Chance,
        *,
        indexers: Mapping[str, Indexer] | None = None,
        label_selector: str = "",
        field_selector: str = "",
        trim: Callable[[Object], Object] | None = None,
    ) -> None:
        self.synced = asyncio.Event()
        self.reflector = Reflector(collection, clock, chance, self, label_selector=label_selector, field_selector=field_selector, trim=trim)
        self._objects: dict[ObjectKey, Object] = {}
        self._indexers: dict[str, Indexer] = {"namespace": _by_namespace, **(indexers or {})}
        self._indexes: dict[str, dict[str, dict[ObjectKey, Object]]] = {name: {} for name in self._indexers}
        self._handlers: list[Handler] = []

    async def run(self) -> None:
        """Follow the collection until cancelled."""
        await self.reflector.run()

    def add_handler(self, handler: Handler) -> None:
        """Call ``handler`` for every change from now on, and at once with what is already here. Handlers must be quick."""
        self._handlers.append(handler)
        for obj in list(self._objects.values()):
            handler("ADDED", obj, None)

    def __len__(self) -> int:
        """How many objects there are."""
        return len(self._objects)

    def get(self, name: str, namespace: str = "") -> Object | None:
        """One object by its names."""
        return self._objects.get(ObjectKey(namespace, name))

    def all(self, namespace: str = "") -> list[Object]:
        """All objects, or those of one namespace, in the order in which they came."""
        return self.find("namespace", namespace) if namespace else list(self._objects.values())

    def find(self, index: str, value: str) -> list[Object]:
        """What an index finds under a value."""
        return list(self._indexes[index].get(value, {}).values())

    def index_values(self, index: str) -> list[str]:
        """The values that an index knows."""
        return list(self._indexes[index])

    def replace(self, items: list[Object]) -> None:
        """Take in the whole collection anew; handlers see what differs."""
        gone = dict(self._objects)
        for obj in items:
            before = gone.pop(key_of(obj), None)
            if before is None:
                self._put("ADDED", obj, None)
            elif before["metadata"].get("uid") != obj["metadata"].get("uid"):
                self._remove(before)
                self._put("ADDED", obj, None)
            elif before["metadata"].get("resourceVersion") != obj["metadata"].get("resourceVersion"):
                self._put("MODIFIED", obj, before)
        for obj in gone.values():
            self._remove(obj)
        self.synced.set()

    def apply(self, change: str, obj: Object) -> None:
        """Take in one change."""
        before = self._objects.get(key_of(obj))
        if change != "DELETED":
            self._put("MODIFIED" if before is not None else "ADDED", obj, before)
        elif before is not None:
            self._unindex(before)
            del self._objects[key_of(before)]
            self._tell("DELETED", obj, before)

    def _put(self, change: str, obj: Object, before: Object | None) -> None:
        key = key_of(obj)
        if before is not None:
            self._unindex(before)
        self._objects[key] = obj
        for name, indexer in self._indexers.items():
            index = self._indexes[name]
            for value in indexer(obj):
                index.setdefault(value, {})[key] = obj
        self._tell(change, obj, before)

    def _remove(self, obj: Object) -> None:
        self._unindex(obj)
        del self._objects[key_of(obj)]
        self._tell("DELETED", obj, obj)

    def _unindex(self, obj: Object) -> None:
        key = key_of(obj)
        for name, indexer in self._indexers.items():
            index = self._indexes[name]
            for value in indexer(obj):
                entries = index.get(value)
                if entries is not None and entries.pop(key, None) is not None and not entries:
                    del index[value]

    def _tell(self, change: str, obj: Object, before: Object | None) -> None:
        for handler in self._handlers:
            handler(change, obj, before)


def _by_namespace(obj: Object) -> Iterable[str]:
    return (obj["metadata"].get("namespace", ""),)
