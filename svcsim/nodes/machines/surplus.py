"""Simulated nodes that there are to be no more: a cluster that is started with fewer than it had takes them out.

That is what a cloud's controller does about a Node whose machine is gone. What becomes of the pods on it is decided where that is decided
for every node that is deleted. Nodes that others made are left alone.
"""

from collections.abc import Container, Iterable

from svcsim.client.api import Client
from svcsim.client.controller import Controller, Source
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.types import Object
from svcsim.nodes.machines.node import is_simulated

COMPONENT = "cloud-node-lifecycle-controller"


class Surplus(Controller):
    """Deletes the Node objects of simulated nodes that have no machine."""

    def __init__(self, client: Client, informers: Informers, clock: Clock, events: EventRecorder, machines: Container[str]) -> None:
        self._machines = machines
        self._events = events
        self._client = client.resource("v1", "nodes")
        self._nodes = informers.cache("v1", "nodes")
        super().__init__("surplus nodes", clock, (Source(self._nodes, self._surplus),))

    def look(self, names: Iterable[str]) -> None:
        """Look at nodes whose machines have gone."""
        for name in names:
            self.queue.add(ObjectKey("", name))

    def _surplus(self, _change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return (object_key(node),) if self._is_surplus(node) else ()

    def _is_surplus(self, node: Object) -> bool:
        return node["metadata"]["name"] not in self._machines and is_simulated(node)

    async def reconcile(self, key: ObjectKey) -> None:
        node = self._nodes.get(key.name)
        if node is None or not self._is_surplus(node):
            return
        about = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": key.name, "uid": node["metadata"]["uid"]}}
        self._events.normal(about, "DeletingNode", f"Deleting node {key.name} because it is none of the cluster's simulated nodes any more")
        await self._client.delete(key.name, uid=node["metadata"]["uid"])
