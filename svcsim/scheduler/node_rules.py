"""Filters and scores that ask what a Node says of itself: its mark and taints, its labels and name, its ports, its images."""

from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Taint, tolerance, untolerated
from svcsim.scheduler.changes import Change, Kind, NodeFacts
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import MAX_SCORE, Check, Filter, Kinds, Rejection, Score, Scorer
from svcsim.scheduler.turns import Steps

_KEEPING_AWAY = (NO_SCHEDULE, NO_EXECUTE)
_MEGABYTE = 1024 * 1024
_IMAGE_MIN_BYTES = 23 * _MEGABYTE
_IMAGE_MAX_BYTES = 1000 * _MEGABYTE
UNSCHEDULABLE = Rejection(("node(s) were unschedulable",), preemption_may_help=False)
NODE_AFFINITY = Rejection(("node(s) didn't match Pod's node affinity/selector",), preemption_may_help=False)
NO_FREE_PORTS = Rejection(("node(s) didn't have free ports for the requested pod ports",), preemption_may_help=True)


def _node_unschedulable(_pod: PodInfo, cycle: Cycle) -> Check:
    """A cordoned node takes only pods that tolerate its being so."""
    tolerated = cycle.tolerates(Taint(cycle.known.keys.unschedulable_taint, "", NO_SCHEDULE))
    return lambda node: UNSCHEDULABLE if node.facts.unschedulable and not tolerated else None


def _taint_toleration(_pod: PodInfo, cycle: Cycle) -> Check:
    """Every taint that keeps pods away has to be tolerated; a node that isn't ready has one too."""

    def check(node: NodeInfo) -> Rejection | None:
        taint = untolerated(node.facts.taints, cycle.tolerates, _KEEPING_AWAY) if node.facts.taints else None
        if taint is None:
            return None
        return Rejection((f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",), preemption_may_help=False)

    return check


def _node_affinity(pod: PodInfo, _cycle: Cycle) -> Check | None:
    """The node's labels are as the node selector and the required node affinity say."""
    if not pod.needs.node_selector and pod.needs.node_terms is None:
        return None
    return lambda node: None if allows(pod, node.facts.labels, node.name) else NODE_AFFINITY


def _node_ports(pod: PodInfo, _cycle: Cycle) -> Check | None:
    """Nobody on the node has a host port that the pod wants."""
    ports = pod.needs.ports
    return (lambda node: NO_FREE_PORTS if any(map(node.takes, ports)) else None) if ports else None


def allows(pod: PodInfo, labels: dict[str, str], name: str) -> bool:
    """Whether the pod's node selector and required node affinity allow the node."""
    for key, value in pod.needs.node_selector:
        if labels.get(key) != value:
            return False
    if pod.needs.node_terms is None:
        return True
    return any(term.fits(labels, name) for term in pod.needs.node_terms)


def _opened(pod: PodInfo, change: Change, known: Known) -> bool:
    """A node lets the pod in that didn't."""
    if change.node is None or not _is_open(pod, change.node, known):
        return False
    return change.node_before is None or not _is_open(pod, change.node_before, known)


def _is_open(pod: PodInfo, facts: NodeFacts, known: Known) -> bool:
    tolerates = tolerance(pod.needs.tolerations)
    if facts.unschedulable and not tolerates(Taint(known.keys.unschedulable_taint, "", NO_SCHEDULE)):
        return False
    return untolerated(facts.taints, tolerates, _KEEPING_AWAY) is None


def _affinity_hint(pod: PodInfo, change: Change, _known: Known) -> bool:
    """A node has the labels that are wanted and hadn't, or is one that is asked for by name."""
    if change.node is None or not allows(pod, change.node.labels, change.node.name):
        return False
    return change.node_before is None or not allows(pod, change.node_before.labels, change.node_before.name)


def _ports_hint(pod: PodInfo, change: Change, _known: Known) -> bool:
    """A node came, or a pod went that had one of the ports."""
    if change.pod_before is None:
        return change.kind is Kind.NODE_ADDED
    freed = change.pod_before.needs.ports
    return any(one.excludes(other) for one in pod.needs.ports for other in freed)


NODE_UNSCHEDULABLE = Filter("NodeUnschedulable", _node_unschedulable, (Kind.NODE_ADDED, Kind.NODE_TAINTS), _opened)
TAINT_TOLERATION = Filter("TaintToleration", _taint_toleration, (Kind.NODE_ADDED, Kind.NODE_TAINTS), _opened)
NODE_AFFINITY_FILTER = Filter("NodeAffinity", _node_affinity, (Kind.NODE_ADDED, Kind.NODE_LABELS), _affinity_hint)
NODE_PORTS = Filter("NodePorts", _node_ports, (Kind.NODE_ADDED, Kind.POD_GONE), _ports_hint)


def _soft_taints(_pod: PodInfo, cycle: Cycle) -> Scorer:
    """Taints that only ask to be avoided are."""
    tolerates = cycle.tolerates

    def avoided(node: NodeInfo) -> int:
        taints = node.facts.taints
        return sum(taint.effect == PREFER_NO_SCHEDULE and not tolerates(taint) for taint in taints) if taints else 0

    return Scorer.of_number(avoided, ())


def _preferred_nodes(pod: PodInfo, _cycle: Cycle) -> Scorer | None:
    """The terms of the preferred node affinity that fit, by their weights."""
    terms = pod.needs.preferred_node_terms
    if not terms:
        return None

    def fitting(node: NodeInfo) -> int:
        return sum(term.weight for term in terms if term.fits(node.facts.labels, node.name))

    return Scorer.of_number(fitting, ())


def _image_locality(pod: PodInfo, cycle: Cycle) -> Scorer | None:
    """Large images that need not be pulled; what few nodes have counts for less, so that they don't get all pods."""
    having, count = cycle.snapshot.images, len(cycle.snapshot.nodes)
    shares = [having[image] / count if image in having else 0.0 for image in pod.needs.images]
    if not any(shares):
        return None
    most = _IMAGE_MAX_BYTES * len(pod.needs.images)

    def sizes(node: NodeInfo) -> tuple[int, ...]:
        return tuple([node.facts.images.get(image, 0) for image in pod.needs.images])

    def worth(kinds: Kinds[tuple[int, ...]]) -> Steps[list[int]]:
        yield from ()
        totals = [sum([int(size * share) for size, share in zip(look, shares, strict=True)]) for look in kinds.looks]
        return [MAX_SCORE * (min(max(total, _IMAGE_MIN_BYTES), most) - _IMAGE_MIN_BYTES) // (most - _IMAGE_MIN_BYTES) for total in totals]

    return Scorer.of(sizes, worth, ())


def most_best(raw: list[int]) -> list[int]:
    """The highest has 100, the others their part of it."""
    highest = max(raw)
    return [value * MAX_SCORE // highest for value in raw] if highest else raw


def fewest_best(raw: list[int]) -> list[int]:
    """What has none has 100, the highest nothing."""
    return [MAX_SCORE - value for value in most_best(raw)] if max(raw) else [MAX_SCORE] * len(raw)


TAINT_SCORE = Score("TaintToleration", 3, _soft_taints, fewest_best)
NODE_AFFINITY_SCORE = Score("NodeAffinity", 2, _preferred_nodes, most_best)
IMAGE_LOCALITY = Score("ImageLocality", 1, _image_locality)
