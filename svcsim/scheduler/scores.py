"""Which of the nodes a pod can go to is the best.

Each score gives every such node a number; the numbers are brought to 0..100, weighted and added. All scores stand in one tuple. Where
nodes end up equal, chance decides, seeded, so that the same run decides the same again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from svcsim.clock import Chance
from svcsim.meta.taints import PREFER_NO_SCHEDULE
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.relations import Relations
from svcsim.scheduler.snapshot import NodeInfo
from svcsim.scheduler.turns import Steps

MAX_SCORE = 100
_IMAGE_MIN_BYTES = 23 * 1024 * 1024
_IMAGE_MAX_BYTES = 1000 * 1024 * 1024

Scorer = Callable[[PodInfo, Sequence[NodeInfo], Relations], Steps[list[float]]]
"""A score for each node, 0 to 100."""


class Score(NamedTuple):
    """One point of view, and how much it counts. ``applies`` tells whether it can make a difference."""

    name: str
    weight: int
    scorer: Scorer
    applies: Callable[[PodInfo, Relations], bool] = lambda _pod, _relations: True


def least_allocated(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """The more CPU and memory would be left, the better."""
    return relations.turn.sliced(nodes, 1, lambda part: [_mean_free(node, pod) for node in part])


def _mean_free(node: NodeInfo, pod: PodInfo) -> float:
    cpu, memory = used_shares(node, pod)
    return (max(1.0 - cpu, 0.0) + max(1.0 - memory, 0.0)) * MAX_SCORE / 2


def used_shares(node: NodeInfo, pod: PodInfo) -> tuple[float, float]:
    """What part of the node's CPU and memory would be taken with the pod on it."""
    cpu, memory = node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0)
    return (
        (node.scored_cpu + pod.needs.scoring[0]) / cpu if cpu else 1.0,
        (node.scored_memory + pod.needs.scoring[1]) / memory if memory else 1.0,
    )


def balanced_allocation(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """CPU and memory should run out together, so that neither is left over."""

    def balance(part: Sequence[NodeInfo]) -> list[float]:
        shares = [used_shares(node, pod) for node in part]
        return [(1.0 - abs(min(cpu, 1.0) - min(memory, 1.0)) / 2) * MAX_SCORE for cpu, memory in shares]

    return relations.turn.sliced(nodes, 1, balance)


def replica_spread(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """Replicas of one owner are better on different nodes, and in different zones."""
    here = yield from relations.turn.sliced(nodes, 1, lambda part: [node.owners.get(pod.owner_uid, 0) for node in part])
    by_zone = relations.owned_by_zone(pod.owner_uid)
    zones = [by_zone.get(node.labels.get(relations.words.zone_label, ""), 0) for node in nodes]
    apart, zones_apart = _fewest_best(here), _fewest_best(zones)
    return [(node + zone) / 2 for node, zone in zip(apart, zones_apart, strict=True)]


def topology_spread(_pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """Topology spread constraints that are only preferred."""
    counted = relations.preferred_spreads

    def alike(part: Sequence[NodeInfo]) -> list[int]:
        return [sum(spread.counts.get(node.labels.get(spread.topology_key, ""), 0) for spread in counted) for node in part]

    return _fewest_best((yield from relations.turn.sliced(nodes, len(counted), alike)))


def node_affinity(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """The terms of the preferred node affinity that fit, by their weights."""
    terms = pod.needs.preferred_node_terms

    def fitting(part: Sequence[NodeInfo]) -> list[int]:
        return [sum(term.weight for term in terms if term.fits(node.labels, node.name)) for node in part]

    return _most_best((yield from relations.turn.sliced(nodes, len(terms), fitting)))


def inter_pod_affinity(_pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """Preferred pod affinity and anti-affinity."""
    counted = relations.preferred_affinity

    def liked(part: Sequence[NodeInfo]) -> list[int]:
        return [sum(weight * counts.get(node.labels.get(key, ""), 0) for key, weight, counts in counted) for node in part]

    return _most_best((yield from relations.turn.sliced(nodes, len(counted), liked)))


def taint_toleration(_pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """Taints that only ask to be avoided are."""

    def disliked(part: Sequence[NodeInfo]) -> list[int]:
        soft = [[taint for taint in node.taints if taint.effect == PREFER_NO_SCHEDULE] for node in part]
        return [sum(not relations.tolerates(taint) for taint in taints) for taints in soft]

    return _fewest_best((yield from relations.turn.sliced(nodes, 1, disliked)))


def image_locality(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations) -> Steps[list[float]]:
    """Large images that need not be pulled; what every node has makes no difference between them."""
    spread = [(image, relations.image_spread(image)) for image in pod.needs.images]
    most = _IMAGE_MAX_BYTES * max(len(spread), 1)

    def present(part: Sequence[NodeInfo]) -> list[float]:
        return [sum(node.images.get(image, 0) * share for image, share in spread) for node in part]

    sizes = yield from relations.turn.sliced(nodes, len(spread), present)
    return [(min(max(size, _IMAGE_MIN_BYTES), most) - _IMAGE_MIN_BYTES) * MAX_SCORE / (most - _IMAGE_MIN_BYTES) for size in sizes]


SCORES = (
    Score("TaintToleration", 3, taint_toleration, lambda _pod, relations: relations.soft_taints),
    Score("NodeAffinity", 2, node_affinity, lambda pod, _relations: bool(pod.needs.preferred_node_terms)),
    Score("NodeResourcesFit", 1, least_allocated),
    Score("NodeResourcesBalancedAllocation", 1, balanced_allocation),
    Score("PodTopologySpread", 2, topology_spread, lambda pod, _relations: bool(pod.spreads)),
    Score("PodTopologySpread (of replicas)", 2, replica_spread, lambda pod, _relations: bool(pod.owner_uid) and not pod.spreads),
    Score("InterPodAffinity", 2, inter_pod_affinity, lambda pod, _relations: bool(pod.preferred_affinity)),
    Score("ImageLocality", 1, image_locality, lambda pod, relations: any(map(relations.image_spread, pod.needs.images))),
)


def best(pod: PodInfo, nodes: Sequence[NodeInfo], relations: Relations, chance: Chance) -> Steps[NodeInfo]:
    """The best of at least one node."""
    if len(nodes) == 1:
        return nodes[0]
    yield from relations.count_preferences()
    totals = [0.0] * len(nodes)
    for score in SCORES:
        if score.applies(pod, relations):
            for index, value in enumerate((yield from score.scorer(pod, nodes, relations))):
                totals[index] += int(value) * score.weight
    highest = max(totals)
    winners = [node for node, total in zip(nodes, totals, strict=True) if total == highest]
    return winners[0] if len(winners) == 1 else chance.choice(winners)


def _fewest_best(counts: Sequence[int]) -> list[float]:
    return _most_best([-count for count in counts])


def _most_best(raw: Sequence[int]) -> list[float]:
    low, high = min(raw), max(raw)
    if low == high:
        return [float(MAX_SCORE)] * len(raw)
    return [(value - low) * MAX_SCORE / (high - low) for value in raw]
