"""Objects of the cluster's own that are there again whenever somebody has deleted them.

Without them a cluster doesn't work: nodes say in one of its namespaces that they are there, pods find the API server by its Service, and
requests get their shares of it. The others of `first_objects` are made at a start, and whoever deletes them means it.
"""

from typing import Final

from svcsim.client.api import Client
from svcsim.client.controller import Controller
from svcsim.clock import Clock
from svcsim.cluster.first_objects import FirstObjects, make
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Scheme
from svcsim.storage.contract import Event, EventType, Key, Store

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


class RestoredObjects(Controller):
    """Hears of every deletion as it is committed, and makes again what is to be there. It belongs to the server, and can't be left out."""

    def __init__(self, client: Client, clock: Clock, store: Store, scheme: Scheme, objects: FirstObjects) -> None:
        super().__init__("objects of the cluster's own", clock, workers=1)
        self._client = client
        self._objects: dict[ObjectKey, tuple[str, Object]] = {}
        """By the resource they are kept under and their names: no two of one resource have the same."""
        for plural, obj in objects:
            resource = scheme.find(GroupVersion.parse(obj["apiVersion"]), plural)
            if resource is not None and plural in _RESTORED:
                self._objects[ObjectKey(resource.store_name, obj["metadata"]["name"])] = plural, obj
        for resource_name in dict.fromkeys(key.namespace for key in self._objects):
            store.on_commit(resource_name, self._follow)

    def _follow(self, event: Event) -> None:
        if event.type == EventType.DELETED and (key := self._known(event.record.key)) is not None:
            self.queue.add(key)

    def _known(self, deleted: Key) -> ObjectKey | None:
        key = ObjectKey(deleted.resource, deleted.name)
        known = self._objects.get(key)
        return key if known is not None and known[1]["metadata"].get("namespace", "") == deleted.namespace else None

    async def reconcile(self, key: ObjectKey) -> None:
        await make(self._client, *self._objects[key])
