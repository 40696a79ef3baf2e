"""Listers: objects of other resources for the parts of the server that decide about a request.

An admission plugin, an authorizer or the scheme often depends on objects of another resource: namespaces, services, roles. A lister holds
all objects of such a resource, decoded and indexed, and answers at once. It is updated in the turn of the event loop in which a commit
becomes visible, before the write is answered: a client that has its answer finds the object in the lister. It shows committed objects, as
Kubernetes' own plugins see the cluster through their informers, only without a lag.

A lister costs memory for every object of its resource, so there are only those that were requested (`Listers.of`), one a resource, when the
cluster is put together; `Listers.start` fills them. An object whose record is damaged isn't in it, and everything else goes on;
`Lister.damaged` has such objects. ``managedFields`` are left out, as no decision depends on them.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from svcsim.meta.codec import decode_json
from svcsim.meta.indexed import Indexed, Indexer, ObjectKey, object_key
from svcsim.meta.types import Object
from svcsim.storage.contract import CompactedError, Damage, Envelope, Event, EventType, Key, Store

logger = logging.getLogger(__name__)

Objects: TypeAlias = list[Object]


class Lister:
    """The objects of one resource. They are shared by all callers: copy before changing."""

    def __init__(self, store: Store, resource: str) -> None:
        """``resource`` is its name in the store."""
        self._store = store
        self._resource = resource
        self._objects = Indexed()
        self._indexers: dict[str, Indexer] = {}
        self._filled = False
        self._changed: dict[ObjectKey, None] = {}
        """While it is being filled: what has changed since, and so stays as it is whatever the older list says."""
        self._damaged: dict[ObjectKey, Envelope | None] = {}
        self._listeners: list[Callable[[Iterable[ObjectKey]], None]] = []
        store.on_commit(resource, self._follow)

    def get(self, namespace: str, name: str) -> Object | None:
        """One object; ``namespace`` is empty for a cluster-wide one."""
        return self._known().get(ObjectKey(namespace, name))

    def list(self, namespace: str = "") -> Objects:
        """All objects, or those of one namespace."""
        return self._known().list(namespace)

    def by(self, index: str, value: str) -> Objects:
        """What an index finds under a value."""
        return self._known().by(self._indexers[index], value)

    @property
    def damaged(self) -> Mapping[ObjectKey, Envelope | None]:
        """The objects that are there and can't be read, with what the store knows of each all the same, if anything.

        They stay until they are deleted: any other write needs what it replaces, so it is refused.
        """
        return self._damaged

    def latest(self, namespace: str, name: str) -> Object | None:
        """One object with what has been written to it and isn't committed yet: for a write that is to come after that.

        No basis for a refusal before `settled`: what stands in the way may yet fail.
        """
        if not self.pending(namespace, name):
            return self.get(namespace, name)
        record = self._store.latest(Key(self._resource, namespace, name))
        return None if record is None else _decoded(record.body)

    def pending(self, namespace: str, name: str) -> bool:
        """Whether a write of the object is on its way."""
        return self._store.pending(Key(self._resource, namespace, name))

    async def settled(self) -> None:
        """Wait until what has been written so far, to whatever object, is committed or has failed."""
        await self._store.settled()

    def add_index(self, name: str, indexer: Indexer) -> None:
        """Keep one more index; raises `ValueError` if there is another one of that name.

        An indexer is called in the middle of a commit: it must be quick, and take any valid object.
        """
        if self._indexers.setdefault(name, indexer) is not indexer:
            raise ValueError(f"there is an index {name} already, and it is another one")
        self._objects.add_index(indexer)

    def on_change(self, listener: Callable[[Iterable[ObjectKey]], None]) -> None:
        """Have a function called once the lister is filled, and after every change then, with the names of the objects it is about.

        It must be quick, and not raise.
        """
        self._listeners.append(listener)

    async def fill(self) -> None:
        """Take in what the store holds, a slice at a time. What is damaged is left out, and named in the log."""
        while not self._filled:
            damage: list[Damage] = []
            try:
                async for _, bodies in self._store.bodies(self._resource, on_damage=damage.append):
                    self._take(bodies)
            except CompactedError:
                continue  # The history is shorter than this took: once more, from a newer state.
            for key, envelope, error in damage:
                logger.error("a damaged object can't be taken into account: %s", error)
                self._damaged[ObjectKey(key.namespace, key.name)] = envelope
            self._filled = True
            self._changed.clear()
            self._tell(map(object_key, self._objects.list()))

    def _take(self, bodies: Sequence[bytes]) -> None:
        for body in bodies:
            obj = _decoded(body)
            key = object_key(obj)
            if key not in self._changed:
                self._objects.put(key, obj)

    def _follow(self, event: Event) -> None:
        key = ObjectKey(event.record.key.namespace, event.record.key.name)
        if not self._filled:
            self._changed[key] = None
        self._damaged.pop(key, None)
        if event.type is EventType.DELETED:
            self._objects.remove(key)
        else:
            self._objects.put(key, _decoded(event.record.body))
        if self._filled:
            self._tell((key,))

    def _tell(self, keys: Iterable[ObjectKey]) -> None:
        changed = tuple(keys)
        for listener in self._listeners:
            listener(changed)

    def _known(self) -> Indexed:
        assert self._filled, f"the lister of {self._resource} was asked before it was filled: Listers.start comes first"
        return self._objects


class Listers:
    """The listers of one store, by resource."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._listers: dict[str, Lister] = {}

    def of(self, resource: str, indexers: Mapping[str, Indexer] | None = None) -> Lister:
        """The one lister of a resource (as the store names it), with these indexes besides those it has; `start` fills a new one."""
        lister = self._listers.get(resource)
        if lister is None:
            lister = self._listers[resource] = Lister(self._store, resource)
        for name, indexer in (indexers or {}).items():
            lister.add_index(name, indexer)
        return lister

    async def start(self) -> None:
        """Fill what isn't filled yet. Others get their turns meanwhile."""
        for lister in tuple(self._listers.values()):
            await lister.fill()


def _decoded(body: bytes) -> Object:
    obj: Object = decode_json(body)
    obj["metadata"].pop("managedFields", None)
    return obj
