"""Which nodes a pod can go to at all, and why not to the others.

A filter is asked of one pod and one node. All that apply stand in one tuple, in the order they are asked; the first that says no gives
the reason that people read in the pod's condition. What depends on more than one node (pods elsewhere, counts by zone) is worked out once
a try, in `relations.py`.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, Taint, untolerated
from svcsim.scheduler.changes import Change, Changes
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.relations import AFFINITY, ANTI_AFFINITY, REPELLED, Relations, allows
from svcsim.scheduler.snapshot import NodeInfo


class Rejection(NamedTuple):
    """Why not on this node."""

    reasons: tuple[str, ...]
    preemption_may_help: bool


class Filter(NamedTuple):
    """One rule. ``applies(pod, relations)`` tells whether the pod needs to be asked about at all."""

    name: str
    check: Callable[[PodInfo, NodeInfo, Relations], Rejection | None]
    helped_by: Changes
    applies: Callable[[PodInfo, Relations], bool] = lambda _pod, _relations: True


UNSCHEDULABLE = Rejection(("node(s) were unschedulable",), preemption_may_help=False)
NODE_AFFINITY = Rejection(("node(s) didn't match Pod's node affinity/selector",), preemption_may_help=False)
NO_FREE_PORTS = Rejection(("node(s) didn't have free ports for the requested pod ports",), preemption_may_help=True)
SPREAD = Rejection(("node(s) didn't match pod topology spread constraints",), preemption_may_help=True)
SPREAD_NO_LABEL = Rejection(("node(s) didn't match pod topology spread constraints (missing required label)",), preemption_may_help=False)
POD_RULES = {
    AFFINITY: Rejection(("node(s) didn't match pod affinity rules",), preemption_may_help=False),
    ANTI_AFFINITY: Rejection(("node(s) didn't match pod anti-affinity rules",), preemption_may_help=True),
    REPELLED: Rejection(("node(s) didn't satisfy existing pods anti-affinity rules",), preemption_may_help=True),
}


def node_unschedulable(_pod: PodInfo, node: NodeInfo, relations: Relations) -> Rejection | None:
    """A cordoned node takes only pods that tolerate its being so."""
    if not node.unschedulable:
        return None
    cordon = Taint(relations.words.unschedulable_taint, "", NO_SCHEDULE)
    return None if relations.tolerates(cordon) else UNSCHEDULABLE


def taint_toleration(_pod: PodInfo, node: NodeInfo, relations: Relations) -> Rejection | None:
    """Every taint that keeps pods away has to be tolerated; a node that isn't ready has one too."""
    if not node.taints:
        return None
    taint = untolerated(node.taints, relations.tolerates, (NO_SCHEDULE, NO_EXECUTE))
    if taint is None:
        return None
    return Rejection((f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",), preemption_may_help=False)


def node_affinity(pod: PodInfo, node: NodeInfo, _relations: Relations) -> Rejection | None:
    """The node's labels are as the node selector and the required node affinity say."""
    return None if allows(pod, node) else NODE_AFFINITY


def node_ports(pod: PodInfo, node: NodeInfo, _relations: Relations) -> Rejection | None:
    """Nobody on the node has a host port that the pod wants."""
    return NO_FREE_PORTS if any(map(node.takes, pod.needs.ports)) else None


def node_resources_fit(pod: PodInfo, node: NodeInfo, _relations: Relations) -> Rejection | None:
    """The node has room for one pod more, and for what it asks for."""
    reasons: list[str] = []
    hopeless = False
    allowed = node.allocatable.get("pods", 0)
    if len(node.pods) + 1 > allowed:
        reasons.append("Too many pods")
    for name, wanted in pod.needs.requests:
        has = node.allocatable.get(name, 0)
        if wanted > has - node.requested.get(name, 0):
            reasons.append(f"Insufficient {name}")
            hopeless = hopeless or wanted > has
    return Rejection(tuple(reasons), preemption_may_help=not hopeless) if reasons else None


def topology_spread(_pod: PodInfo, node: NodeInfo, relations: Relations) -> Rejection | None:
    """With the pod here, no zone (or whatever the constraint names) has too many more of its like than the emptiest."""
    for spread in relations.spreads:
        domain = node.labels.get(spread.topology_key)
        if domain is None:
            return SPREAD_NO_LABEL
        if spread.skew_with(domain) > spread.max_skew:
            return SPREAD
    return None


def inter_pod_affinity(_pod: PodInfo, node: NodeInfo, relations: Relations) -> Rejection | None:
    """The pod is near those it wants, and away from those it doesn't want or that don't want it."""
    rule = relations.broken_by(node)
    return None if rule is None else POD_RULES[rule]


FILTERS = (
    Filter("NodeUnschedulable", node_unschedulable, (Change.NODE_ADDED, Change.NODE_TAINTS)),
    Filter("TaintToleration", taint_toleration, (Change.NODE_ADDED, Change.NODE_TAINTS)),
    Filter(
        "NodeAffinity",
        node_affinity,
        (Change.NODE_ADDED, Change.NODE_LABELS),
        lambda pod, _relations: bool(pod.needs.node_selector) or pod.needs.node_terms is not None,
    ),
    Filter("NodePorts", node_ports, (Change.NODE_ADDED, Change.POD_GONE), lambda pod, _relations: bool(pod.needs.ports)),
    Filter("NodeResourcesFit", node_resources_fit, (Change.NODE_ADDED, Change.NODE_CAPACITY, Change.POD_GONE)),
    Filter(
        "PodTopologySpread",
        topology_spread,
        (Change.NODE_ADDED, Change.NODE_LABELS, Change.NODE_TAINTS, Change.POD_GONE, Change.POD_PLACED),
        lambda _pod, relations: bool(relations.spreads),
    ),
    Filter(
        "InterPodAffinity",
        inter_pod_affinity,
        (Change.NODE_ADDED, Change.NODE_LABELS, Change.POD_GONE, Change.POD_PLACED),
        lambda _pod, relations: relations.has_pod_rules,
    ),
)
"""In the order they are asked. A pod that names its node never comes here, so none asks for the name."""
