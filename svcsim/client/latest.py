"""A component's own writes that its cache hasn't seen yet, laid over the cache, for components whose decisions depend on earlier ones.

A cache lags behind. For most components that only means a conflict. But one that hands out the last free volume must not hand it out
again because its own write hasn't come back yet.
"""

from svcsim.client.cache import Cache
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import revision_of, uid_of
from svcsim.meta.types import Object


class Latest:
    """The newest that is known of each object of a collection."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._written: dict[ObjectKey, Object] = {}
        cache.add_handler(self._seen)

    def get(self, name: str, namespace: str = "") -> Object | None:
        written = self._written.get(ObjectKey(namespace, name)) if self._written else None
        return written if written is not None else self._cache.get(name, namespace)

    def newest(self, obj: Object) -> Object:
        """An object of the cache, as it is by now."""
        return self._written.get(object_key(obj), obj) if self._written else obj

    def wrote(self, obj: Object) -> Object:
        """An object as the server gave it back; gives it."""
        key = object_key(obj)
        seen = self._cache.get(key.name, key.namespace)
        if seen is not None and uid_of(seen) == uid_of(obj) and revision_of(seen) < revision_of(obj):
            self._written[key] = obj
        return obj

    def _seen(self, change: str, obj: Object, _before: Object | None) -> None:
        key = object_key(obj)
        written = self._written.get(key)
        if written is not None and (change == "DELETED" or uid_of(written) != uid_of(obj) or revision_of(obj) >= revision_of(written)):
            del self._written[key]
