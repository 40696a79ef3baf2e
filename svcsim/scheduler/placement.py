"""One decision: where a pod goes, or why it can't go anywhere. It reads the snapshot and changes nothing."""

from typing import NamedTuple

from svcsim import limits
from svcsim.clock import Chance
from svcsim.scheduler.changes import Change, Changes
from svcsim.scheduler.explain import explain
from svcsim.scheduler.filters import FILTERS, Filter, Rejection
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.relations import NamespaceLabels, Relations, WellKnownKeys
from svcsim.scheduler.scores import best
from svcsim.scheduler.snapshot import NodeInfo, Snapshot
from svcsim.scheduler.turns import Steps, Turn

NODES_ENOUGH = 100
"""In a large cluster the search ends when this many nodes, or a share of all, could take the pod: good is good enough."""


class Placement(NamedTuple):
    """What came of a try: a node's name, or a message and what could help."""

    node: str = ""
    message: str = ""
    helped_by: Changes = ()


class Placer:
    """Decides one pod after the other. Where it begins to look moves on, so that in a large cluster every node gets its turn."""

    def __init__(self, snapshot: Snapshot, keys: WellKnownKeys, namespace_labels: NamespaceLabels, chance: Chance) -> None:
        self._snapshot = snapshot
        self._keys = keys
        self._namespace_labels = namespace_labels
        self._chance = chance
        self._turn = Turn()
        self._start = 0

    def place(self, pod: PodInfo) -> Steps[Placement]:
        """Find the best node for a pod. It gives way now and then where there is much to look at."""
        relations = Relations(pod, self._snapshot, self._keys, self._namespace_labels, self._turn)
        nodes = relations.nodes
        if not nodes:
            return Placement("", explain(pod, ()), (Change.NODE_ADDED,))
        yield from relations.count()
        asked = [rule for rule in FILTERS if rule.applies(pod, relations)]
        enough = nodes_enough(len(nodes))
        fitting: list[NodeInfo] = []
        rejections: list[Rejection] = []
        helped_by: dict[Change, None] = {}
        steps, seen = relations.steps_a_node, 0
        at_once = max(limits.DECIDING_STEPS_A_TURN // steps, 1)
        for seen in range(1, len(nodes) + 1):
            node = nodes[(self._start + seen - 1) % len(nodes)]
            refused = _refusal(pod, node, relations, asked)
            if refused is None:
                fitting.append(node)
                if len(fitting) >= enough:
                    break
            else:
                rule, rejection = refused
                rejections.append(rejection)
                helped_by.update(dict.fromkeys(rule.helped_by))
            if not seen % at_once and self._turn.is_over(at_once * steps):
                yield
        if self._turn.is_over(seen % at_once * steps):
            yield
        if fitting:
            self._start = (self._start + seen) % len(nodes) if enough < len(nodes) else 0
            chosen = yield from best(pod, fitting, relations, self._chance)
            return Placement(chosen.name)
        return Placement("", explain(pod, rejections), tuple(change for change in Change if change in helped_by))


def nodes_enough(count: int) -> int:
    """How many nodes that could take a pod are enough to choose from."""
    if count <= NODES_ENOUGH:
        return count
    percent = max(50 - count // 125, 5)
    return max(count * percent // 100, NODES_ENOUGH)


def _refusal(pod: PodInfo, node: NodeInfo, relations: Relations, asked: list[Filter]) -> tuple[Filter, Rejection] | None:
    for rule in asked:
        rejection = rule.check(pod, node, relations)
        if rejection is not None:
            return rule, rejection
    return None
