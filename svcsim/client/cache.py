"""A local copy of a collection that follows the server's, with indexes, for components that look things up more often than they change.

It is filled by an informer (`svcsim.client.informers`). Objects in a cache are shared by all readers and never changed: copy before
changing. The cache lags behind the server by as long as an event takes; a component that acts on it must handle conflicts, and must not do
a thing twice because its first result hasn't arrived yet.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from svcsim.meta.indexed import Indexed, Indexer, ObjectKey, by_namespace, object_key
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.objects import labels_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


Handler: TypeAlias = Callable[[str, Object, Object | None], None]
"""Called with ADDED, MODIFIED or DELETED, the object as the cache keeps it, and what it kept before.

It isn't called for changes that leave the cached fields as they are, except for the revision.
The latter is given for MODIFIED alone. A DELETED object is the one the cache kept last, however the end became known.
"""

Trim: TypeAlias = Callable[[Object], Object | None]
"""What a cache keeps of an object; None keeps nothing of it."""


def by_controller(obj: Object) -> Iterable[str]:
    """An indexer: the UID of the owner that controls the object."""
    return [reference["uid"] for reference in obj["metadata"].get("ownerReferences", ()) if reference.get("controller")]


def orphans_by_namespace(obj: Object) -> Iterable[str]:
    """An indexer: the namespace of an object that no owner controls, for those who may adopt it."""
    return () if any(by_controller(obj)) else by_namespace(obj)


def by_label(obj: Object) -> Iterable[str]:
    """An indexer: each label of an object, in its namespace."""
    # Asked of every state of every pod: in one go.
    metadata = obj["metadata"]
    namespace = metadata.get("namespace") or ""
    return _labels_in(namespace, metadata.get("labels") or {})


def by_node(pod: Object) -> Iterable[str]:
    """An indexer: the node of a pod."""
    node = node_of(pod)
    return (node,) if node else ()


def _labels_in(namespace: str, labels: Mapping[str, str]) -> list[str]:
    return [f"{namespace}/{key}={value}" for key, value in labels.items()]


def whole(obj: Object) -> Object:
    """A trim: the object as it is."""
    return obj


def _differs(one: Object, other: Object) -> bool:
    """Whether two states of an object differ in more than their revision; many changes of trimmed objects don't."""
    return {**one, "metadata": {**one["metadata"], "resourceVersion": ""}} != {
        **other,
        "metadata": {**other["metadata"], "resourceVersion": ""},
    }


class Cache:
    """The objects of one collection. ``synced`` is set once the collection has been read whole.

    ``trim`` cuts objects down to what those who look need, since a cache holds them all in memory.
    """

    def __init__(self, trim: Trim = whole) -> None:
        self.synced = asyncio.Event()
        self._trim = trim
        self._objects = Indexed()
        self._handlers: list[Handler] = []

    def add_index(self, indexer: Indexer) -> None:
        """Have `find` find objects by an indexer. One that is there already is shared."""
        self._objects.add_index(indexer)

    def add_handler(self, handler: Handler) -> None:
        """Call ``handler`` for every change from now on, and at once with what is already here. Handlers must be quick."""
        self._handlers.append(handler)
        for obj in self._objects.list():
            handler("ADDED", obj, None)

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, name: str, namespace: str = "") -> Object | None:
        """One object by its names."""
        return self._objects.get(ObjectKey(namespace, name))

    def all(self, namespace: str = "") -> list[Object]:
        """All objects, or those of one namespace, in the order in which they came."""
        return self._objects.list(namespace)

    def find(self, indexer: Indexer, value: str) -> list[Object]:
        """What an index finds under a value."""
        return self._objects.by(indexer, value)

    def selected(self, selector: LabelSelector, namespace: str) -> list[Object]:
        """The objects of a namespace that a selector matches; there has to be an index `by_label`."""
        labels = _labels_in(namespace, selector.exact)
        candidates = self._objects.by_all(by_label, labels) if labels else self.all(namespace)
        return [obj for obj in candidates if selector.matches(labels_of(obj))]

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """An object is there as given; one that is kept as it is already is no news."""
        before = self._objects.get(key)
        if before is not None:
            known, given = before["metadata"], obj["metadata"]
            if known.get("uid") != given.get("uid"):
                self._remove(key, before)
                before = None
            elif known.get("resourceVersion") == given.get("resourceVersion"):
                return
        kept = self._trim(obj)
        if kept is None:
            if before is not None:
                self._remove(key, before)
            return
        self._objects.put(key, kept)
        if before is None:
            self._notify("ADDED", kept, None)
        elif _differs(before, kept):
            self._notify("MODIFIED", kept, before)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """An object was deleted."""
        before = self._objects.get(key)
        if before is not None:
            self._remove(key, before)

    def _remove(self, key: ObjectKey, before: Object) -> None:
        self._objects.remove(key)
        self._notify("DELETED", before, None)

    def _notify(self, change: str, obj: Object, before: Object | None) -> None:
        for handler in self._handlers:
            try:
                handler(change, obj, before)
            except Exception:  # one that can't digest an object must not keep it from the others
                logger.exception("%s of %s could not be handled", change, object_key(obj))
