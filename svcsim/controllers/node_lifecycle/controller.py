"""Watches over nodes: one that has gone silent is declared unknown, tainted, and its pods not ready.

A node is alive as long as its Lease or its status changes; what counts is when we see the change, so clocks that differ don't matter. Of
the simulated ones it is known when they last said that they are there (`Heard`), whether that has been written or not. The controller
itself removes no pod: it puts taints on nodes, and others act on them.

It looks at all nodes every few seconds, but for times at which no node has changed and none can be late yet; at changes of the same
moment, as when many nodes come, only at those that have changed.
"""

import itertools
import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.client.cache import by_node
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.node_lifecycle.health import NodeHealth, unknown_conditions, update_health
from svcsim.controllers.node_lifecycle.taints import drives_away, wanted_taints, without_eviction
from svcsim.controllers.node_lifecycle.zones import ZoneCounts, Zones, zone_of
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition, condition_is, copy_json, name_of, revision_of, uid_of
from svcsim.meta.pods import set_pod_condition
from svcsim.meta.types import Object

MONITOR_S = 5.0
GRACE_S = 50.0
"""How long a node may be silent."""
STARTUP_GRACE_S = 60.0
"""How long one may be that has never said how it is."""
_EVICTING = ObjectKey("", "")
"""Stands for the line of nodes from which pods are to be driven away."""
_ROUND = ObjectKey("", "every node")
"""Stands for a look at all nodes."""
Heard: TypeAlias = Callable[[str], float | None]
"""When a node last said that it is there, where that is known otherwise than by what is written."""


class NodeLifecycle(Controller):
    """Marks and taints silent nodes."""

    def __init__(self, context: ControllerContext, heard: Heard) -> None:
        self._heard = heard
        self._client = context.client
        self._dialect = context.dialect
        self._events = context.events
        self._nodes = context.informers.cache("v1", "nodes")
        self._pods = context.informers.cache("v1", "pods", by_node)
        self._leases = context.informers.cache(f"{context.dialect.group('coordination')}/v1", "leases")
        self._health: dict[str, NodeHealth] = {}
        self._was_ready: dict[str, bool] = {}
        self._well_tainted: dict[str, Object] = {}
        """Nodes as they were when they were found to have the taints they should have, or were given them."""
        self._grace_s: dict[str, float] = {}
        """How long each node may be silent, as it was when it was looked at last."""
        self._changed: dict[str, None] = {}
        """Nodes to be looked at. About all others there was nothing to do but wait, and neither they nor their Leases have changed."""
        self._numbers = itertools.count()
        self._came: dict[str, int] = {}
        """The number of each node, in the order in which they came."""
        self._looked_at = -math.inf
        """When all nodes were looked at last."""
        self._uids: dict[str, str] = {}
        self._zones = Zones()
        self._counts = ZoneCounts()
        self._to_spare: dict[str, None] = {}
        """Nodes from which pods are no longer to be evicted."""
        self._counts_changed = False
        """Whether zones have other nodes, or others are ready, than when zones were looked at last."""
        self._began = self._due = context.clock.now()
        sources = (Source(self._nodes, self._node_changed), Source(self._leases, self._lease_changed), Source(self._pods))
        super().__init__("node lifecycle", context.clock, sources, workers=1)

    async def prepare(self) -> None:
        """What happened before isn't lateness."""
        self._began = self._due = self.clock.now()
        self.queue.add(_ROUND)

    def _lease_changed(self, _change: str, lease: Object, _before: Object | None) -> Iterable[ObjectKey]:
        self._look_in(0.0)
        key = object_key(lease)
        if key.namespace == self._dialect.node_lease_namespace and self._nodes.get(key.name) is not None:
            self._changed[key.name] = None
        return ()

    def _look_in(self, seconds: float) -> None:
        """Look at all nodes at the first round that isn't before then."""
        since_s = self.clock.now() - self._began
        self.queue.add_after(_ROUND, max(math.ceil((since_s + seconds) / MONITOR_S) * MONITOR_S - since_s, 0.0))

    def _node_changed(self, change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Taints follow a node's conditions, and whether it may be scheduled on, at once; only silence has to be waited for."""
        self._look_in(0.0)
        name = name_of(node)
        if change == "DELETED":
            self._changed.pop(name, None)
            self._came.pop(name, None)
            self._well_tainted.pop(name, None)
            return ()
        if change == "ADDED":
            self._came[name] = next(self._numbers)
        self._changed[name] = None
        if wanted_taints(node, self._dialect, "", evict=False) is not None:
            return (object_key(node),)
        self._well_tainted[name] = node
        return ()

    async def reconcile(self, key: ObjectKey) -> None:
        if key == _EVICTING:
            await self._evict()
            return
        if key == _ROUND:
            await self._look_at_all()
            return
        node = self._nodes.get(key.name)
        if node is not None:
            await self._taint(node)

    async def _look_at_all(self) -> None:
        now = self.clock.now()
        self._add_own_delay(now - self._due)
        nodes = self._nodes.all()
        # By the round's beginning: where time leaps within a round, as after a laptop's sleep, the next one counts that as its own delay.
        wait_s = self._quiet_s(nodes, now)
        self._due = now + wait_s
        if wait_s > MONITOR_S:
            if nodes:
                self._look_in(wait_s)
            return
        for node in nodes if now != self._looked_at else self._nodes_changed():
            if self._silent_at(name_of(node)) >= now and self._is_well_tainted(node):
                continue
            try:
                await self._check_node(node, now)
            except StatusError as error:
                if error.code not in {404, 409}:
                    raise
                # The cache was behind; the next round sees the node as it is.
        self._looked_at = now
        if len(self._health) != len(nodes):
            self._forget_all_but(nodes)
        if self._counts_changed:
            self._look_at_zones()
        await self._spare()
        self._evict_when_due()
        self._look_in(wait_s)

    def _quiet_s(self, nodes: list[Object], now: float) -> float:
        """For how long only reported changes matter: until the first node can be late. Infinite without nodes."""
        if self._to_spare or self._counts_changed or self._changed or len(nodes) != len(self._health):
            return MONITOR_S
        if not all(map(self._is_well_tainted, nodes)):
            return MONITOR_S
        return max(min(map(self._silent_at, self._health), default=math.inf) - now, MONITOR_S)

    def _nodes_changed(self) -> list[Object]:
        """Those to look at where all have been at this very moment: no other can have become late since."""
        names = sorted(self._changed, key=self._came.__getitem__)
        return [node for name in names if (node := self._nodes.get(name)) is not None]

    def _lease_of(self, name: str) -> Object | None:
        return self._leases.get(name, self._dialect.node_lease_namespace)

    def _last_sign_at(self, name: str) -> float:
        heard_at = self._heard(name)
        at = self._health[name].at
        return at if heard_at is None else max(at, heard_at)

    def _add_own_delay(self, late_s: float) -> None:
        """While we ourselves were held up, nobody could be heard: that time isn't the nodes' silence."""
        if late_s > 0:
            self._health = {name: health._replace(at=health.at + late_s) for name, health in self._health.items()}

    def _silent_at(self, name: str) -> float:
        """Until when a node may be silent; long ago where something has changed since it was looked at, which it hasn't with most."""
        grace_s = self._grace_s.get(name)
        return -math.inf if grace_s is None or name in self._changed else self._last_sign_at(name) + grace_s

    async def _check_node(self, node: Object, now: float) -> None:
        name = name_of(node)
        lease = self._lease_of(name)
        if name not in self._health:
            self._events.normal(_about(node), "RegisteredNode", f"Node {name} event: Registered Node {name} in Controller")
        is_heard = self._heard(name) is not None
        self._health[name] = update_health(self._health.get(name), node, lease, now, is_heard=is_heard)
        self._uids[name] = uid_of(node)
        before = self._was_ready.get(name, _is_ready(node))
        if now - self._last_sign_at(name) > _grace_s(node):
            node = await self._declare_unknown(node)
        await self._taint(node)
        told, ready, zone = condition(node, "Ready"), _is_ready(node), zone_of(node, self._dialect)
        self._counts_changed |= self._counts.put(name, zone, ready=ready)
        if ready or told is None or drives_away(node, self._dialect):
            self._zones.leave(name)
        elif not self._zones.waits(name, zone):
            self._zones.wait(name, zone)
        if before and not ready:
            self._events.normal(_about(node), "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        if told is not None and not ready and self._was_ready.get(name, True):  # or whoever was to do it before us didn't come to it
            await self._mark_pods_not_ready(name)
        self._was_ready[name] = ready
        if self._is_well_tainted(node) and self._nodes.get(name) is node and self._lease_of(name) is lease:
            self._grace_s[name] = _grace_s(node)
            self._changed.pop(name, None)

    async def _declare_unknown(self, node: Object) -> Object:
        conditions = unknown_conditions((node.get("status") or {}).get("conditions") or [], self.clock.timestamp())
        if conditions is None:
            return node
        patch = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "status": {"conditions": conditions}}
        return await self._client.resource("v1", "nodes").patch(name_of(node), patch, subresource="status")

    async def _taint(self, node: Object) -> None:
        if self._is_well_tainted(node):
            return
        taints = wanted_taints(node, self._dialect, self.clock.timestamp(), evict=False)
        if taints is not None:
            await self._put_on(node, taints)  # which is seen later; until then it isn't to be done once more
        if name_of(node) in self._came:
            self._well_tainted[name_of(node)] = node

    def _is_well_tainted(self, node: Object) -> bool:
        """Whether its taints have been seen to, as it is."""
        return self._well_tainted.get(name_of(node)) is node

    async def _put_on(self, node: Object, taints: list[Object]) -> None:
        patch = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "spec": {"taints": taints or None}}
        await self._client.resource("v1", "nodes").change(name_of(node), patch)

    async def _evict(self) -> None:
        """Have pods driven away from the nodes whose turn it is."""
        for name in self._zones.due(self.clock.now()):
            node = self._nodes.get(name)
            if node is None:
                continue
            taints = wanted_taints(node, self._dialect, self.clock.timestamp(), evict=True)
            if taints is None:
                continue
            self._changed[name] = None
            self._look_in(0.0)  # where it isn't tainted now, whatever keeps us from it, it waits again from the next round on
            try:
                await self._put_on(node, taints)
            except StatusError as error:
                if error.code not in {404, 409}:
                    raise
        self._evict_when_due()

    def _evict_when_due(self) -> None:
        due = self._zones.next_at()
        if due is not None:
            self.queue.add_after(_EVICTING, due - self.clock.now())

    def _look_at_zones(self) -> None:
        """See how zones fare. Where all are disrupted, it is rather we who hear nobody: no pod is driven away then."""
        turned = self._zones.take_in(self._counts.by_zone, self.clock.now())
        self._counts_changed = False
        if turned:
            self._changed = dict.fromkeys(map(name_of, self._nodes.all()))
        if turned == "left":
            now = self.clock.now()
            self._health = {name: health._replace(at=now) for name, health in self._health.items()}
            self._to_spare.clear()
        elif turned == "entered":
            self._zones.leave_all()
            self._to_spare = dict(self._changed)

    async def _spare(self) -> None:
        """End evictions that have begun, where all of the cluster is disrupted now."""
        for name in list(self._to_spare):
            try:
                node = await self._client.resource("v1", "nodes").get(name)
                taints = without_eviction(node, self._dialect)
                if taints is not None:
                    await self._put_on(node, taints)
            except StatusError as error:
                if error.code != 404:
                    return  # the next round goes on
            del self._to_spare[name]

    async def _mark_pods_not_ready(self, node_name: str) -> None:
        if not self._pods.find(by_node, node_name):
            return  # as most nodes are when they come
        for pod in await self._client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={node_name}"):
            ready = condition(pod, "Ready")
            if ready is None or ready.get("status") != "True":
                continue
            conditions = copy_json(pod["status"]["conditions"])
            set_pod_condition(pod, conditions, {"type": "Ready", "status": "False"}, self.clock.timestamp())
            meta = pod["metadata"]
            patch = {"metadata": {"resourceVersion": meta["resourceVersion"]}, "status": {"conditions": conditions}}
            try:
                await self._client.resource("v1", "pods", meta["namespace"]).patch(meta["name"], patch, subresource="status")
            except StatusError as error:
                if error.code not in {404, 409}:
                    raise
            self._events.warning(pod, "NodeNotReady", "Node is not ready")

    def _forget_all_but(self, nodes: list[Object]) -> None:
        present = dict.fromkeys(map(name_of, nodes))
        for name in [name for name in self._health if name not in present]:
            del self._health[name]
            gone: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": self._uids.pop(name, "")}}
            self._events.normal(gone, "RemovingNode", f"Node {name} event: Removing Node {name} from Controller")
            self._zones.leave(name)
            self._counts.drop(name)
            self._counts_changed = True
            self._was_ready.pop(name, None)
            self._well_tainted.pop(name, None)
            self._grace_s.pop(name, None)


def _about(node: Object) -> Object:
    meta = {"name": name_of(node), "uid": uid_of(node), "resourceVersion": str(revision_of(node))}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta}


def _is_ready(node: Object) -> bool:
    """Whether it says that it is; not as long as it hasn't said anything."""
    return condition_is(node, "Ready")


def _grace_s(node: Object) -> float:
    return GRACE_S if condition(node, "Ready") is not None else STARTUP_GRACE_S
