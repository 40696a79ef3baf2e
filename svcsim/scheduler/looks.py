"""How nodes look to what scores them, remembered until they change.

Ten thousand replicas are placed one after the other, each among hundreds of nodes, and placing one changes a single node. Most nodes are
alike to all scores, too. So what scores see of each node is kept as a number, the same for nodes that look alike, and only the few looks
there are have to be weighed for a pod.
"""

from collections.abc import Sequence
from typing import TypeAlias

from svcsim import limits
from svcsim.meta.kept import Kept
from svcsim.scheduler.by_node import ByNode
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import Needs, Spread
from svcsim.scheduler.rules import Candidates, Look, Scorer
from svcsim.scheduler.turns import Steps

Looked: TypeAlias = tuple[Look, ...]
"""How a node looks to several scores."""


class Looks(ByNode):
    """How every node looks to some scores, by its position."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []
        """Nodes that look alike have the same."""
        self.of_number: list[Looked] = []
        self._number_of: dict[Looked, int] = {}

    def of(self, candidates: Candidates, scorers: Sequence[Scorer]) -> list[int]:
        """The numbers of the looks of some nodes."""
        if candidates.layout != self.layout:  # some went meanwhile, and others have their positions now
            return [self._look(scorers, node) for node in candidates.nodes]
        numbers = self.numbers
        return [numbers[at] for at in candidates.positions]

    def refresh(self, scorers: Sequence[Scorer], cycle: Cycle, steps: int) -> Steps[None]:
        """Look at what has changed, in so many steps for each node. Any pod's scorers will do that see the same of nodes."""

        def look(node: NodeInfo) -> int:
            if 0 <= node.position < len(self.numbers):  # else it came or went meanwhile, and there is another round
                self.numbers[node.position] = self._look(scorers, node)
            return steps

        if len(self.of_number) > limits.SCHEDULER_LOOKS:
            self._begin_anew()
            self.version = 0
        yield from self._follow(cycle.snapshot, cycle.turn, look)

    def _begin_anew(self) -> None:
        self.numbers, self.of_number, self._number_of = [], [], {}

    def _grow(self, nodes: int) -> None:
        self.numbers += [0] * (nodes - len(self.numbers))

    def _look(self, scorers: Sequence[Scorer], node: NodeInfo) -> int:
        looked = tuple([scorer.look(node) for scorer in scorers])
        number = self._number_of.setdefault(looked, len(self.of_number))
        if number == len(self.of_number):
            self.of_number.append(looked)
        return number


class _KeptAlive:
    """Looks, and what their key names by identity."""

    def __init__(self, needs: Needs, spreads: tuple[Spread, ...]) -> None:
        self.looks = Looks()
        self._named = needs, spreads


class KnownLooks:
    """How nodes look to the pods that were tried lately."""

    def __init__(self) -> None:
        self._kept: Kept[Looked, _KeptAlive] = Kept(limits.SCHEDULER_KNOWN_LOOKS)

    def refreshed(self, cycle: Cycle, scorers: Sequence[Scorer], steps: int) -> Steps[Looks]:
        """How they look to the scorers of a pod, which say what their looks follow from; in so many steps for each node."""
        pod = cycle.pod
        key = (id(pod.needs), id(pod.spreads), *[scorer.lasting for scorer in scorers])
        looks = self._kept.of(key, lambda: _KeptAlive(pod.needs, pod.spreads)).looks
        yield from looks.refresh(scorers, cycle, steps)
        return looks
