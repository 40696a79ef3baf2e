"""Whether a node is alive: its last heartbeat, and the status of one that has gone silent."""

from typing import NamedTuple

from svcsim.meta.objects import condition, copy_json, set_condition
from svcsim.meta.types import Object

SILENT_MESSAGE = "Kubelet stopped posting node status."
NEVER_HEARD_MESSAGE = "Kubelet never posted node status."
_OBSERVED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


class NodeHealth(NamedTuple):
    """The last sign of life: what it was, and when we saw it."""

    sign: tuple[str, str]
    at: float


def update_health(before: NodeHealth | None, node: Object, lease: Object | None, now: float, *, is_heard: bool) -> NodeHealth:
    """What we know of a node's health now: a new sign of life counts from now, the same as before from then.

    Of a node that is heard by other ways no sign counts: it may be written much later than it was given.
    """
    ready = condition(node, "Ready") or {}
    renewed = (lease.get("spec") or {}).get("renewTime") or "" if lease is not None else ""
    sign = (renewed, ready.get("lastHeartbeatTime") or "")
    if before is None or (before.sign != sign and not is_heard):
        return NodeHealth(sign, now)
    return before if before.sign == sign else before._replace(sign=sign)


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
