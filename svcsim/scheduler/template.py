"""What is known of all nodes for pods of one template: pods that are alike in what they need.

Ten thousand replicas ask the same questions of the same nodes, and placing one changes a single node. So what filters say that look at
nothing but the pod's needs and the node is kept, node by node, and asked anew of those that have changed since the last try.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice

from svcsim import limits
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.kept import Kept
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import Needs
from svcsim.scheduler.questions import checks_of, refusal
from svcsim.scheduler.rules import Check, Filter, Refusal
from svcsim.scheduler.turns import Steps


class Template:
    """What was said of each node, by its position."""

    def __init__(self) -> None:
        self.refusals: list[Refusal | None] = []
        self.fits = bytearray()
        self._version = 0
        self._layout = -1

    def refresh(self, cycle: Cycle) -> Steps[None]:
        """Ask of what has changed. The pod in the cycle stands for all that have its needs."""
        snapshot = cycle.snapshot
        while self._version != snapshot.version or self._layout != snapshot.layout:
            checks = checks_of(cycle, of_node_alone=True)
            if self._layout != snapshot.layout:
                self.refusals, self.fits = [], bytearray()
                self._layout, self._version = snapshot.layout, 0
            version, changed = snapshot.version, snapshot.changed_since(self._version)
            self._grow(len(snapshot.nodes))
            steps = limits.STEPS_A_NODE + len(cycle.pod.needs.requests) + len(cycle.pod.needs.node_terms or ())
            for node in changed:
                if node.known:
                    self._ask(node, checks)
                if cycle.turn.is_over(steps):
                    yield
            self._version = version  # now and no sooner: a decision may be given up midway

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

    def _ask(self, node: NodeInfo, checks: Sequence[tuple[Filter, Check]]) -> None:
        if not 0 <= node.position < len(self.refusals):
            return  # it came meanwhile, and is asked in the next round
        refused = self.refusals[node.position] = refusal(checks, node)
        self.fits[node.position] = refused is None


class Templates:
    """The templates of the pods that were tried lately."""

    def __init__(self) -> None:
        self._kept: Kept[int, tuple[Needs, Template]] = Kept(limits.SCHEDULER_TEMPLATES)
        """By identity: equal needs are one object, and may be long."""

    def of(self, needs: Needs) -> Template:
        """The one for pods that need this."""
        return self._kept.of(id(needs), lambda: (needs, Template()))[1]
