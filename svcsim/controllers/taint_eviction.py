"""Takes pods off nodes with taints they don't tolerate, or not for ever.

A ``NoExecute`` taint drives pods away: at once, or after the seconds that their tolerations grant. If the taint goes before that, they
stay. Only pods of tainted nodes are held in memory, each with its timer.
"""

import asyncio
from dataclasses import dataclass

from svcsim.client.api import Client
from svcsim.client.cache import ObjectKey, key_of
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.client.reflector import Reflector
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import copy_json, is_terminating, name_of, set_condition, uid_of
from svcsim.meta.taints import NO_EXECUTE, Taint, taints_of, tolerated_s, tolerations_of
from svcsim.meta.types import Object

COMPONENT = "taint-eviction-controller"


@dataclass(slots=True)
class _Leaving:
    """A pod that has to go at a moment, in seconds since the epoch."""

    uid: str
    node: str
    since: float
    at: float
    sent: bool = False
    """Whether its deletion has been asked for."""


class TaintEviction:
    """Evicts pods from tainted nodes, until cancelled."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every component is made alike
        self._client = client
        self._clock = clock
        self._events = events
        self._taints: dict[str, tuple[Taint, ...]] = {}
        self._leaving: dict[ObjectKey, _Leaving] = {}
        chance = chance.fork("taint eviction")
        self._nodes = Reflector(client.resource("v1", "nodes"), clock, chance.fork("nodes"), _NodeSink(self))
        self._pods = Reflector(client.resource("v1", "pods"), clock, chance.fork("pods"), _PodSink(self))
        self._node_loop = ControlLoop("taint eviction of nodes", clock, self._look_at_node, (), 1)
        self._loop = ControlLoop("taint eviction", clock, self._evict, ())

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._nodes.run(), name="taint eviction follows nodes")
            tasks.create_task(self._pods.run(), name="taint eviction follows pods")
            tasks.create_task(self._node_loop.run(), name="taint eviction looks at nodes")
            tasks.create_task(self._loop.run(), name="taint eviction evicts")

    def set_node(self, node: Object) -> None:
        """Take in a node's taints; where they changed, all its pods are looked at."""
        name = name_of(node)
        taints = tuple(taint for taint in taints_of(node) if taint.effect == NO_EXECUTE)
        if taints != self._taints.get(name, ()):
            if taints:
                self._taints[name] = taints
            else:
                del self._taints[name]
            self._node_loop.queue.add(ObjectKey("", name))

    def remove_node(self, name: str) -> None:
        """The node is gone; its pods are another's business."""
        self._taints.pop(name, None)
        for key in [key for key, leaving in self._leaving.items() if leaving.node == name]:
            del self._leaving[key]

    def tainted_nodes(self) -> list[str]:
        """Nodes that drive pods away."""
        return list(self._taints)

    def set_pod(self, pod: Object) -> None:
        """Work out whether and when a pod has to go."""
        key = key_of(pod)
        spec = pod.get("spec") or {}
        taints = self._taints.get(spec.get("nodeName") or "")
        if taints is None or is_terminating(pod):
            if key in self._leaving:
                self._stay(key, pod, told=not is_terminating(pod))
            return
        seconds = tolerated_s(taints, tolerations_of(spec))
        if seconds is None:
            self._stay(key, pod, told=key in self._leaving)
            return
        known = self._leaving.get(key)
        if known is not None and known.uid != uid_of(pod):
            known = None
        if known is not None and known.sent:
            return
        now = self._clock.now()
        since = known.since if known is not None else now
        self._leaving[key] = _Leaving(uid_of(pod), spec["nodeName"], since, since + seconds)
        self._loop.queue.add_after(key, since + seconds - now)

    def remove_pod(self, key: ObjectKey) -> None:
        """The pod is gone."""
        self._leaving.pop(key, None)

    def _stay(self, key: ObjectKey, pod: Object, *, told: bool) -> None:
        if self._leaving.pop(key, None) is not None and told:
            self._events.normal(_about(key, uid_of(pod)), "TaintManagerEviction", f"Cancelling deletion of Pod {key.namespace}/{key.name}")

    async def _look_at_node(self, key: ObjectKey) -> None:
        for pod in await self._client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={key.name}"):
            self.set_pod(pod)

    async def _evict(self, key: ObjectKey) -> None:
        leaving = self._leaving.get(key)
        if leaving is None or leaving.sent:
            return
        wait_s = leaving.at - self._clock.now()
        if wait_s > 0:
            self._loop.queue.add_after(key, wait_s)
            return
        self._events.normal(_about(key, leaving.uid), "TaintManagerEviction", f"Marking for deletion Pod {key.namespace}/{key.name}")
        try:
            await self._mark_disrupted(key, leaving)
            await self._client.resource("v1", "pods", key.namespace).delete(key.name, uid=leaving.uid)
        except StatusError as error:
            if error.code != 404:
                raise
        leaving.sent = True

    async def _mark_disrupted(self, key: ObjectKey, leaving: _Leaving) -> None:
        pods = self._client.resource("v1", "pods", key.namespace)
        pod = await pods.get(key.name)
        if uid_of(pod) != leaving.uid:
            return
        conditions = copy_json((pod.get("status") or {}).get("conditions") or [])
        wanted = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
        }
        if set_condition(conditions, wanted, self._clock.timestamp()):
            patch = {"metadata": {"resourceVersion": pod["metadata"]["resourceVersion"]}, "status": {"conditions": conditions}}
            await pods.patch(key.name, patch, subresource="status")


class _NodeSink:
    """Hands followed nodes on."""

    def __init__(self, eviction: TaintEviction) -> None:
        self._eviction = eviction

    def replace(self, items: list[Object]) -> None:
        present = dict.fromkeys(map(name_of, items))
        for name in self._eviction.tainted_nodes():
            if name not in present:
                self._eviction.remove_node(name)
        for node in items:
            self._eviction.set_node(node)

    def apply(self, change: str, obj: Object) -> None:
        if change == "DELETED":
            self._eviction.remove_node(name_of(obj))
        else:
            self._eviction.set_node(obj)


class _PodSink:
    """Hands followed pods on."""

    def __init__(self, eviction: TaintEviction) -> None:
        self._eviction = eviction

    def replace(self, items: list[Object]) -> None:
        for pod in items:
            self._eviction.set_pod(pod)

    def apply(self, change: str, obj: Object) -> None:
        if change == "DELETED":
            self._eviction.remove_pod(key_of(obj))
        else:
            self._eviction.set_pod(obj)


def _about(key: ObjectKey, uid: str) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": key.namespace, "name": key.name, "uid": uid}}
