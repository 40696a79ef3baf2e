"""Why pods stay on a node that isn't ready: where many nodes of a zone fail at once, they are evicted slowly, or not at all."""

from svcsim.controllers.node_lifecycle.taints import drives_away
from svcsim.controllers.node_lifecycle.zones import LARGE_ZONE_NODES, UNHEALTHY_SHARE, rate_of, state_of, zone_of
from svcsim.dialect import Dialect
from svcsim.meta.objects import condition_is, labels_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Facts, Wanted, counted, do

_NODES = "nodes"
"""Under this name the facts have all nodes of the cluster."""


def wanted_of_zones(node: Object, dialect: Dialect) -> list[Wanted]:
    """All nodes, where it matters how its zone fares."""
    return [Wanted(_NODES, "/api/v1/nodes")] if not condition_is(node, "Ready") and not drives_away(node, dialect) else []


def leaving(node: Object, facts: Facts) -> str:
    """Whether the pods of a node that isn't ready are evicted, in a sentence; empty where that isn't known."""
    if drives_away(node, facts.dialect):
        return "Pods that don't tolerate that, or have for as long as they do, are evicted."
    nodes = facts.all(_NODES)
    if not nodes:
        return ""
    if not any(condition_is(one, "Ready") for one in nodes):
        return "No pods are evicted from it: no node of the cluster is ready, and where all fall silent it may be the network that failed."
    zone = [one for one in nodes if zone_of(one, facts.dialect) == zone_of(node, facts.dialect)]
    failed = [one for one in zone if not condition_is(one, "Ready")]
    state = state_of(len(zone) - len(failed), len(failed))
    rate, others = rate_of(state, len(zone)), sum(not drives_away(one, facts.dialect) for one in failed) - 1
    place = "of its zone" if labels_of(node).get(facts.dialect.key("zone", "topology")) else "that name no zone"
    many = f"{len(failed)} of the {counted(len(zone), 'node')} {place} {do(len(failed), 'is', 'are')}n't ready"
    if not rate:
        small = f"{UNHEALTHY_SHARE:.0%} or more of a zone of no more than {LARGE_ZONE_NODES} nodes"
        return f"No pods are evicted from it: {many}, and where {small} fail, pods stay where they are."
    why = f"{many}, and where {UNHEALTHY_SHARE:.0%} or more fail," if state == "PartialDisruption" else "Where nodes fail,"
    turn = f"Its turn hasn't come yet, nor has that of {counted(others, 'other')}." if others > 0 else "Its turn hasn't come yet."
    return f"{why} pods are evicted from one node of a zone after the other, one each {1 / rate:.0f}s. {turn}"
