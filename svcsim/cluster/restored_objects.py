"""Objects of the cluster's own that are there again when somebody has deleted them, and soon as they were when somebody has changed them.

Without them a cluster doesn't work: nodes say in one of its namespaces that they are there, pods find the API server by its Service, and
requests get their shares of it. The others of `first_objects` are made at a start, and whoever deletes them means it. A flow schema or
priority level that is none of the cluster's, and says that it is kept as the cluster made it, was made by another release: it goes.
"""

from typing import Final

from svcsim.client.api import Client
from svcsim.client.controller import Controller
from svcsim.clock import Clock
from svcsim.cluster.first_objects import FirstObjects, make_or_put_right
from svcsim.cluster.flow_control import upkeep_note
from svcsim.cluster.put_right import put_right
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.core import read
from svcsim.registry.scheme import Scheme
from svcsim.storage.contract import Event, EventType, Store

_RESTORED: Final = (
    "namespaces",
    "servicecidrs",
    "services",
    "endpoints",
    "endpointslices",
    "prioritylevelconfigurations",
    "flowschemas",
    "configmaps",
)


_SHARES: Final = ("prioritylevelconfigurations", "flowschemas")
_CHANGED_S: Final = 10.0
"""How long a change stays: somebody else who puts things right in another way meanwhile isn't answered at once, and so on for ever."""


class RestoredObjects(Controller):
    """Hears of every write as it is committed, and has there what is to be there. It belongs to the server, and can't be left out."""

    def __init__(self, client: Client, clock: Clock, store: Store, scheme: Scheme, objects: FirstObjects) -> None:
        super().__init__("objects of the cluster's own", clock, workers=1)
        self._client = client
        self._note = upkeep_note(scheme.dialect)
        self._objects: dict[ObjectKey, tuple[str, Object]] = {}
        """By the resource they are kept under and their names: no two of one resource have the same."""
        self._shares: dict[str, tuple[str, str]] = {}
        """The version and the plural of each resource that shares are kept under."""
        for plural, obj in objects:
            resource = scheme.find(GroupVersion.parse(obj["apiVersion"]), plural)
            if resource is not None and plural in _RESTORED:
                self._objects[ObjectKey(resource.store_name, obj["metadata"]["name"])] = plural, obj
                if plural in _SHARES:
                    self._shares[resource.store_name] = obj["apiVersion"], plural
        for resource_name in dict.fromkeys(key.namespace for key in self._objects):
            store.on_commit(resource_name, self._follow)

    def _follow(self, event: Event) -> None:
        record = event.record
        key = ObjectKey(record.key.resource, record.key.name)
        known = self._objects.get(key)
        if known is None:
            if key.namespace in self._shares and event.type != EventType.DELETED and self._is_left_over(read(record)):
                self.queue.add_after(key, _CHANGED_S)
        elif known[1]["metadata"].get("namespace", "") != record.key.namespace:
            return
        elif event.type == EventType.DELETED:
            self.queue.add(key)
        elif put_right(known[0], read(record), known[1]) is not None:
            self.queue.add_after(key, _CHANGED_S)

    def _is_left_over(self, obj: Object) -> bool:
        return (obj["metadata"].get("annotations") or {}).get(self._note) == "true" and not is_terminating(obj)

    async def reconcile(self, key: ObjectKey) -> None:
        if key in self._objects:
            await make_or_put_right(self._client, *self._objects[key])
            return
        shares = self._client.resource(*self._shares[key.namespace])
        share = await shares.find(key.name)
        if share is not None and self._is_left_over(share):
            await shares.delete(key.name, uid=uid_of(share))
