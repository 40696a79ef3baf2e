"""NodeResourcesFit: whether a node has room for a pod, and which of those that have it is left in better shape."""

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import MAX_SCORE, Check, Filter, Rejection, Score, Scorer

_PODS = "pods"


def _fits(pod: PodInfo, _cycle: Cycle) -> Check:
    """The node has room for one pod more, and for what it asks for."""
    requests = pod.needs.requests

    def check(node: NodeInfo) -> Rejection | None:
        allocatable, requested = node.facts.allocatable, node.requested
        reasons: list[str] = []
        hopeless = False
        if len(node.pods) + 1 > allocatable.get(_PODS, 0):
            reasons.append("Too many pods")
        for name, wanted in requests:
            has = allocatable.get(name, 0)
            if wanted > has - requested.get(name, 0):
                reasons.append(f"Insufficient {name}")
                hopeless = hopeless or wanted > has
        return Rejection(tuple(reasons), preemption_may_help=not hopeless) if reasons else None

    return check


def _room_made(pod: PodInfo, change: Change, _known: Known) -> bool:
    """A pod went, or takes less of what this one asks for; or a node has more of it, and enough for the pod if it were empty."""
    if change.kind is Kind.POD_GONE:
        return True
    if change.pod is not None and change.pod_before is not None:
        now, before = dict(change.pod.needs.requests), dict(change.pod_before.needs.requests)
        return any(now.get(name, 0) < before.get(name, 0) for name, _ in pod.needs.requests)
    if change.node is None:
        return False
    has, had = change.node.allocatable, change.node_before.allocatable if change.node_before is not None else {}
    if has.get(_PODS, 0) < 1 or any(wanted > has.get(name, 0) for name, wanted in pod.needs.requests):
        return False
    return any(has.get(name, 0) > had.get(name, 0) for name in (_PODS, *(name for name, _ in pod.needs.requests)))


NODE_RESOURCES_FIT = Filter("NodeResourcesFit", _fits, (Kind.NODE_ADDED, Kind.NODE_CAPACITY, Kind.POD_GONE, Kind.POD_SHRUNK), _room_made)


def _least_allocated(pod: PodInfo, _cycle: Cycle) -> Scorer:
    """The more CPU and memory would be left, the better."""
    cpu, memory = pod.needs.scoring

    def score(node: NodeInfo) -> int:
        allocatable = node.facts.allocatable
        free = [
            (max(has - taken, 0) * MAX_SCORE) // has
            for has, taken in (
                (allocatable.get("cpu", 0), node.scored_cpu + cpu),
                (allocatable.get("memory", 0), node.scored_memory + memory),
            )
            if has
        ]
        return sum(free) // len(free) if free else 0

    return Scorer.of_number(score, ())


def _balanced(pod: PodInfo, _cycle: Cycle) -> Scorer | None:
    """CPU and memory should run out together, so that neither is left over. What asks for neither says nothing about that."""
    asked = dict(pod.needs.requests)
    cpu, memory = asked.get("cpu", 0), asked.get("memory", 0)
    if not cpu and not memory:
        return None

    def score(node: NodeInfo) -> int:
        allocatable, requested = node.facts.allocatable, node.requested
        shares = [
            min(taken / has, 1.0)
            for has, taken in (
                (allocatable.get("cpu", 0), requested.get("cpu", 0) + cpu),
                (allocatable.get("memory", 0), requested.get("memory", 0) + memory),
            )
            if has
        ]
        apart = abs(shares[0] - shares[1]) / 2 if len(shares) == 2 else 0.0
        return int((1.0 - apart) * MAX_SCORE)

    return Scorer.of_number(score, ())


LEAST_ALLOCATED = Score("NodeResourcesFit", 1, _least_allocated)
BALANCED_ALLOCATION = Score("NodeResourcesBalancedAllocation", 1, _balanced)
