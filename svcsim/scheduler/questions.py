"""All that is asked about one pod: put to a node, with those in mind for whom places are kept there."""

from collections.abc import Sequence

from svcsim import limits
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.filters import FILTERS
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.rules import Check, Filter, Refusal


def refusal(checks: Sequence[tuple[Filter, Check]], node: NodeInfo) -> Refusal | None:
    """The first filter that turns the pod away from a node."""
    for rule, check in checks:
        rejection = check(node)
        if rejection is not None:
            return Refusal(rule, rejection)
    return None


def checks_of(cycle: Cycle, *, of_node_alone: bool) -> list[tuple[Filter, Check]]:
    """The questions that filters have about a pod, in their order."""
    asked = ((rule, rule.prepare(cycle.pod, cycle)) for rule in FILTERS if rule.of_node_alone is of_node_alone)
    return [(rule, check) for rule, check in asked if check is not None]


class Questions:
    """What one try asks. Filters that look at the node alone are asked first; the others only once all is counted (`Cycle.count`)."""

    def __init__(self, cycle: Cycle) -> None:
        self.cycle = cycle
        self.shared = checks_of(cycle, of_node_alone=False)
        pod = cycle.pod
        self.steps = limits.STEPS_A_NODE + len(pod.spreads) + len(pod.terms.affinity) + len(pod.terms.anti_affinity)
        """How much it is to put them all to one node."""
        if cycle.devices is not None:
            self.steps = limits.DECIDING_STEPS_A_TURN  # the search for devices on one node may be as much
        self._all: list[tuple[Filter, Check]] = []

    def refusal(self, node: NodeInfo) -> Refusal | None:
        """Who turns the pod away from a node, as it is or with those on it that are nominated for it and no less important."""
        if not self._all:
            self._all = [*checks_of(self.cycle, of_node_alone=True), *self.shared]
        pod = self.cycle.pod
        nominated = self.cycle.snapshot.nominated.get(node.name)
        others = [one for one in nominated.values() if one.needs.priority >= pod.needs.priority and one.key != pod.key] if nominated else ()
        if others:
            trial = node.imagine()
            for other in others:
                trial.add(other)
            refused = refusal(self._all, trial)
            if refused is not None:
                return refused
        return refusal(self._all, node)
