"""What is known of all nodes for pods of one template: pods that are alike in what they need.

Ten thousand replicas ask the same questions of the same nodes, and placing one changes a single node. So what filters and scores say that
look at nothing but the pod's needs and the node is kept, node by node, and asked anew of those that have changed since the last try.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice

from svcsim import limits
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import Needs
from svcsim.scheduler.questions import checks_of, refusal
from svcsim.scheduler.rules import Candidates, Check, Filter, Refusal, Score, Scorer
from svcsim.scheduler.scores import SCORES
from svcsim.scheduler.turns import Steps


class Template:
    """What was said of each node, by its position."""

    def __init__(self) -> None:
        self.refusals: list[Refusal | None] = []
        self.fits = bytearray()
        self.columns: dict[Score, list[int]] = {}
        """What each score that is normalised says before it is; of nodes that were refused, nothing that counts."""
        self.points: list[int] = []
        """The sum of what the other scores give, weighted."""
        self._version = 0
        self._layout = -1

    def refresh(self, cycle: Cycle) -> Steps[None]:
        """Ask of what has changed. The pod in the cycle stands for all that have its needs."""
        snapshot = cycle.snapshot
        while self._version != snapshot.version or self._layout != snapshot.layout:
            checks, nobody = checks_of(cycle, of_node_alone=True), Candidates((), (), snapshot.layout)
            scorers = [(score, score.prepare(cycle.pod, cycle, nobody)) for score in SCORES if score.of_node_alone]
            asking = [(score, scorer) for score, scorer in scorers if scorer is not None]
            if self._layout != snapshot.layout:
                self.refusals, self.fits, self.points = [], bytearray(), []
                self.columns = {score: [] for score, _ in asking if score.normalise is not None}
                changed, self._layout = list(snapshot.nodes), snapshot.layout
            else:
                changed = snapshot.changed_since(self._version)
            self._version = snapshot.version
            self._grow(len(snapshot.nodes))
            steps = limits.STEPS_A_NODE + len(cycle.pod.needs.requests) + len(cycle.pod.needs.node_terms or ())
            steps += len(cycle.pod.needs.preferred_node_terms)
            for node in changed:
                if node.known:
                    self._ask(node, checks, asking)
                if cycle.turn.is_over(steps):
                    yield

    def first(self, start: int, count: int) -> list[int]:
        """The positions of so many nodes that fit, beginning somewhere and going round."""
        return list(islice(self.in_order(start), count))

    def in_order(self, start: int) -> Iterator[int]:
        """The positions of all nodes that fit, beginning somewhere and going round."""
        fits = self.fits
        return chain(compress(range(start, len(fits)), fits[start:]), compress(range(start), fits[:start]))

    def _grow(self, nodes: int) -> None:
        new = nodes - len(self.refusals)
        if new > 0:
            self.refusals += [None] * new
            self.fits += bytes(new)
            for column in (self.points, *self.columns.values()):
                column.extend([0] * new)

    def _ask(self, node: NodeInfo, checks: Sequence[tuple[Filter, Check]], scorers: Sequence[tuple[Score, Scorer]]) -> None:
        if not 0 <= node.position < len(self.refusals):
            return  # it came meanwhile, and is asked in the next round
        refused = self.refusals[node.position] = refusal(checks, node)
        self.fits[node.position] = refused is None
        if refused is None:
            points, candidate = 0, Candidates((node,), (node.position,), self._layout)
            for score, scorer in scorers:
                (given,) = scorer(candidate)
                if score.normalise is None:
                    points += given * score.weight
                else:
                    self.columns[score][node.position] = given
            self.points[node.position] = points


class Templates:
    """The templates of the pods that were tried lately."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[Needs, Template]] = OrderedDict()
        """By identity: equal needs are one object, and may be long."""

    def of(self, needs: Needs) -> Template:
        """The one for pods that need this."""
        found = self._kept.get(id(needs))
        if found is None:
            found = self._kept[id(needs)] = needs, Template()
            while len(self._kept) > limits.SCHEDULER_TEMPLATES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(id(needs))
        return found[1]
