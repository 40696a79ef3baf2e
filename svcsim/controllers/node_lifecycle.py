"""Watches over nodes: one that has gone silent is declared unknown, tainted, and its pods not ready.

A node is alive as long as its Lease or its status changes; what counts is when we see the change, so clocks that differ don't matter. The
controller itself removes no pod: it puts taints on nodes, and others act on them.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client.controller import Controller, ControllerContext, Periodic, Source
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition, copy_json, name_of, revision_of, set_condition, uid_of
from svcsim.meta.pods import set_pod_condition
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, Taint
from svcsim.meta.types import Object

MONITOR_S = 5.0
GRACE_S = 40.0
"""How long a node may be silent."""
SILENT_MESSAGE = "Kubelet stopped posting node status."
NEVER_HEARD_MESSAGE = "Kubelet never posted node status."
_OBSERVED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
_PRESSURES = (
    ("MemoryPressure", "memory-pressure"),
    ("DiskPressure", "disk-pressure"),
    ("PIDPressure", "pid-pressure"),
    ("NetworkUnavailable", "network-unavailable"),
)


class NodeHealth(NamedTuple):
    """The last sign of life: what it was, and when we saw it."""

    sign: tuple[str, str]
    at: float


class NodeLifecycle(Controller):
    """Marks and taints silent nodes."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._dialect = context.dialect
        self._events = context.events
        self._nodes = context.informers.cache("v1", "nodes")
        self._leases = context.informers.cache(f"{context.dialect.group('coordination')}/v1", "leases")
        self._health: dict[str, NodeHealth] = {}
        self._was_ready: dict[str, bool] = {}
        self._well_tainted: dict[str, Object] = {}
        """Nodes as they were when they were found to have the taints they should have."""
        self._checked: dict[str, tuple[Object, Object | None]] = {}
        """Nodes and their Leases as they were when there was nothing to do about them but wait."""
        self._due = 0.0
        sources = (Source(self._nodes, self._wrongly_tainted), Source(self._leases))
        super().__init__("node lifecycle", context.clock, sources, periodic=(Periodic(self._monitor),), workers=1)

    async def prepare(self) -> None:
        """What happened before isn't lateness."""
        self._due = self.clock.now()

    def _wrongly_tainted(self, change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Taints follow a node's conditions, and whether it may be scheduled on, at once; only silence has to be waited for."""
        wrong = change != "DELETED" and wanted_taints(node, self._dialect, "") is not None
        return (object_key(node),) if wrong else ()

    async def reconcile(self, key: ObjectKey) -> None:
        node = self._nodes.get(key.name)
        if node is not None:
            await self._taint(node)

    async def _monitor(self) -> float:
        now = self.clock.now()
        self._add_own_delay(now - self._due)
        # By the round's beginning: where time leaps within a round, as after a laptop's sleep, the next one counts that as its own delay.
        self._due = now + MONITOR_S
        nodes = self._nodes.all()
        for node in nodes:
            lease = self._leases.get(name_of(node), self._dialect.node_lease_namespace)
            if self._is_as_before(node, lease, now):
                continue
            try:
                await self._check_node(node, lease, now)
            except StatusError as error:
                if error.code not in {404, 409}:
                    raise
                # The cache was behind; the next round sees the node as it is.
        self._forget_all_but(nodes)
        return MONITOR_S

    def _add_own_delay(self, late_s: float) -> None:
        """While we ourselves were held up, nobody could be heard: that time isn't the nodes' silence."""
        if late_s > 0:
            self._health = {name: health._replace(at=health.at + late_s) for name, health in self._health.items()}

    def _is_as_before(self, node: Object, lease: Object | None, now: float) -> bool:
        """Whether nothing has changed since a node was checked, and it isn't silent for too long yet, as it is with most."""
        node_before, lease_before = self._checked.get(name_of(node), (None, None))
        return node is node_before and lease is lease_before and now - self._health[name_of(node)].at <= GRACE_S

    async def _check_node(self, node: Object, lease: Object | None, now: float) -> None:
        name = name_of(node)
        if name not in self._health:
            self._events.normal(_about(node), "RegisteredNode", f"Node {name} event: Registered Node {name} in Controller")
        health = self._health[name] = update_health(self._health.get(name), node, lease, now)
        if now - health.at > GRACE_S:
            node = await self._declare_unknown(node)
        await self._taint(node)
        ready = (condition(node, "Ready") or {}).get("status") == "True"
        if self._was_ready.get(name, True) and not ready:
            self._events.normal(_about(node), "NodeNotReady", f"Node {name} status is now: NodeNotReady")
            await self._mark_pods_not_ready(name)
        self._was_ready[name] = ready
        if self._well_tainted.get(name) is node:
            self._checked[name] = (node, lease)

    async def _declare_unknown(self, node: Object) -> Object:
        conditions = unknown_conditions((node.get("status") or {}).get("conditions") or [], self.clock.timestamp())
        if conditions is None:
            return node
        patch = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "status": {"conditions": conditions}}
        return await self._client.resource("v1", "nodes").patch(name_of(node), patch, subresource="status")

    async def _taint(self, node: Object) -> None:
        if self._well_tainted.get(name_of(node)) is node:
            return
        taints = wanted_taints(node, self._dialect, self.clock.timestamp())
        if taints is None:
            self._well_tainted[name_of(node)] = node
        else:
            patch = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "spec": {"taints": taints or None}}
            await self._client.resource("v1", "nodes").patch(name_of(node), patch)

    async def _mark_pods_not_ready(self, node_name: str) -> None:
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
            self._was_ready.pop(name, None)
            self._well_tainted.pop(name, None)
            self._checked.pop(name, None)


def update_health(before: NodeHealth | None, node: Object, lease: Object | None, now: float) -> NodeHealth:
    """What we know of a node's health now: a new sign of life counts from now, the same as before from then."""
    ready = condition(node, "Ready") or {}
    renewed = (lease.get("spec") or {}).get("renewTime") or "" if lease is not None else ""
    sign = (renewed, ready.get("lastHeartbeatTime") or "")
    return before if before is not None and before.sign == sign else NodeHealth(sign, now)


def unknown_conditions(current: list[Object], now: str) -> list[Object] | None:
    """The conditions of a node that has gone silent; None if they say so already."""
    conditions: list[Object] = copy_json(current)
    changed = False
    for kind in _OBSERVED:
        before = next((item for item in current if item.get("type") == kind), None)
        if before is not None and before.get("status") == "Unknown":
            continue
        reason, message = ("NodeStatusUnknown", SILENT_MESSAGE) if before is not None else ("NodeStatusNeverUpdated", NEVER_HEARD_MESSAGE)
        changed |= set_condition(conditions, {"type": kind, "status": "Unknown", "reason": reason, "message": message}, now)
    return conditions if changed else None


def wanted_taints(node: Object, dialect: Dialect, now: str) -> list[Object] | None:
    """The taints a node should have: others' as they are, ours as its conditions say. None if it has just these."""
    current: list[Object] = (node.get("spec") or {}).get("taints") or []
    ours = _ours(dialect)
    wanted = _follow_from(node, dialect)
    kept = [taint for taint in current if taint["key"] not in ours or _taint_of(taint) in wanted]
    have = [_taint_of(taint) for taint in kept]
    added = [_written(taint, now) for taint in wanted if taint not in have]
    return [*kept, *added] if added or len(kept) != len(current) else None


def _follow_from(node: Object, dialect: Dialect) -> list[Taint]:
    taints: list[Taint] = []
    if (node.get("spec") or {}).get("unschedulable"):
        taints.append(Taint(dialect.key("unschedulable", "node"), "", NO_SCHEDULE))
    # A node that is just being made has no conditions yet; one that never gets any is declared unknown after a while.
    ready = (condition(node, "Ready") or {}).get("status", "True")
    if ready != "True":
        key = dialect.key("not-ready" if ready == "False" else "unreachable", "node")
        taints += [Taint(key, "", NO_SCHEDULE), Taint(key, "", NO_EXECUTE)]
    for kind, name in _PRESSURES:
        if (condition(node, kind) or {}).get("status") == "True":
            taints.append(Taint(dialect.key(name, "node"), "", NO_SCHEDULE))
    return taints


def _written(taint: Taint, now: str) -> Object:
    return {"key": taint.key, "effect": taint.effect, **({"timeAdded": now} if taint.effect == NO_EXECUTE else {})}


def _ours(dialect: Dialect) -> tuple[str, ...]:
    names = ("not-ready", "unreachable", "unschedulable", *(name for _, name in _PRESSURES))
    return tuple(dialect.key(name, "node") for name in names)


def _taint_of(taint: Object) -> Taint:
    return Taint(taint["key"], taint.get("value") or "", taint["effect"])


def _about(node: Object) -> Object:
    meta = {"name": name_of(node), "uid": uid_of(node), "resourceVersion": str(revision_of(node))}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta}
