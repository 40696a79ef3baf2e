"""The leases by which API servers identify themselves: those of servers that are gone are deleted once they have expired.

Leases of nodes are deleted with their nodes, by their owner references, and those of other components stay: their successors take them
over.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import labels_of, revision_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


class ApiServerLeases(Controller):
    """Looks at each such lease when it expires, unless it is renewed."""

    def __init__(self, context: ControllerContext) -> None:
        dialect = context.dialect
        self._namespace = dialect.system_namespace
        self._label = (dialect.key("identity", "apiserver"), dialect.api_server)
        version = f"{dialect.group('coordination')}/v1"
        self._api = context.client.resource(version, "leases", self._namespace)
        self._leases = context.informers.cache(version, "leases")
        super().__init__("API server leases", context.clock, (Source(self._leases, self._seen),), workers=1)

    def _seen(self, change: str, lease: Object, before: Object | None) -> Iterable[ObjectKey]:
        """A lease that is renewed is looked at when it would have expired before."""
        is_news = change == "ADDED" or before is None or not self._is_identity(before)
        return (object_key(lease),) if change != "DELETED" and self._is_identity(lease) and (is_news or expires_at(lease) is None) else ()

    def _is_identity(self, lease: Object) -> bool:
        key, value = self._label
        return lease["metadata"]["namespace"] == self._namespace and labels_of(lease).get(key) == value

    async def reconcile(self, key: ObjectKey) -> None:
        lease = self._leases.get(key.name, key.namespace)
        if lease is None or not self._is_identity(lease):
            return
        expires = expires_at(lease)
        now = self.clock.now()
        if expires is not None and expires >= now:
            self.queue.add_after(key, expires - now + 0.001)
            return
        current = await self._api.get(key.name)
        if self._is_identity(current) and ((expires := expires_at(current)) is None or expires < now):
            await self._api.delete(key.name, uid=uid_of(current), resource_version=str(revision_of(current)))


def expires_at(lease: Object) -> float | None:
    """When it expires, unless it is renewed; None for one that isn't what an API server writes, and counts as expired."""
    spec = lease.get("spec") or {}
    if not spec.get("renewTime") or spec.get("leaseDurationSeconds") is None:
        return None
    return parse_time(spec["renewTime"]) + float(spec["leaseDurationSeconds"])
