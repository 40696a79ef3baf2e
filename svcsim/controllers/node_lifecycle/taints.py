"""The taints that follow from how a node is: which keep new pods away, and which drive pods out.

The former follow a node's conditions at once. The latter are put on a node only when its turn has come, and are exchanged or taken off at
once.
"""

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, Taint
from svcsim.meta.types import Object

_PRESSURES = (
    ("MemoryPressure", "memory-pressure"),
    ("DiskPressure", "disk-pressure"),
    ("PIDPressure", "pid-pressure"),
    ("NetworkUnavailable", "network-unavailable"),
)


def wanted_taints(node: Object, dialect: Dialect, now: str, *, evict: bool) -> list[Object] | None:
    """The taints a node should have: others' as they are, ours as its conditions say. None if it has just these.

    ``evict``: pods are driven away from it if it isn't ready, which else only goes on where it has begun.
    """
    current: list[Object] = (node.get("spec") or {}).get("taints") or []
    ours = _ours(dialect)
    wanted = _follow_from(node, dialect, evict=evict or drives_away(node, dialect))
    kept = [taint for taint in current if taint["key"] not in ours or _taint_of(taint) in wanted]
    have = [_taint_of(taint) for taint in kept]
    added = [_written(taint, now) for taint in wanted if taint not in have]
    return [*kept, *added] if added or len(kept) != len(current) else None


def drives_away(node: Object, dialect: Dialect) -> bool:
    """Whether pods are being driven away from a node because it isn't ready."""
    keys = (dialect.key("not-ready", "node"), dialect.key("unreachable", "node"))
    return any(taint["key"] in keys and taint["effect"] == NO_EXECUTE for taint in (node.get("spec") or {}).get("taints") or ())


def without_eviction(node: Object, dialect: Dialect) -> list[Object] | None:
    """The taints of a node from which no pod is to be driven away although it isn't ready; None if it has no others."""
    keys = (dialect.key("not-ready", "node"), dialect.key("unreachable", "node"))
    current: list[Object] = (node.get("spec") or {}).get("taints") or []
    kept = [taint for taint in current if taint["key"] not in keys or taint["effect"] != NO_EXECUTE]
    return kept if len(kept) != len(current) else None


def _follow_from(node: Object, dialect: Dialect, *, evict: bool) -> list[Taint]:
    taints: list[Taint] = []
    if (node.get("spec") or {}).get("unschedulable"):
        taints.append(Taint(dialect.key("unschedulable", "node"), "", NO_SCHEDULE))
    # A node that is just being made has no conditions yet; one that never gets any is declared unknown after a while.
    ready = (condition(node, "Ready") or {}).get("status", "True")
    if ready != "True":
        key = dialect.key("not-ready" if ready == "False" else "unreachable", "node")
        taints.append(Taint(key, "", NO_SCHEDULE))
        if evict:
            taints.append(Taint(key, "", NO_EXECUTE))
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
