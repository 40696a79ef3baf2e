"""What is known of all nodes for pods of one template: pods that are alike in what they need.

Ten thousand replicas ask the same questions of the same nodes, and placing one changes a single node. So what filters say that look at
nothing but the pod's needs and the node is kept, node by node, and asked anew of those that have changed since the last try.
"""

from collections.abc import Iterator
from itertools import chain, compress, islice
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.meta.kept import Kept
from svcsim.scheduler.by_node import ByNode
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import Needs
from svcsim.scheduler.questions import checks_of, refusal
from svcsim.scheduler.turns import Steps

if TYPE_CHECKING:
    from svcsim.scheduler.rules import Refusal


class Template(ByNode):
    """What was said of each node, by its position."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[Refusal | None] = []
        self.fits = bytearray()

    def refresh(self, cycle: Cycle) -> Steps[None]:
        """Ask of what has changed. The pod in the cycle stands for all that have its needs."""
        checks = checks_of(cycle, of_node_alone=True)
        steps = limits.STEPS_A_NODE + len(cycle.pod.needs.requests) + len(cycle.pod.needs.node_terms or ())

        def ask(node: NodeInfo) -> int:
            if 0 <= node.position < len(self.refusals):  # else it came or went meanwhile, and there is another round
                refused = self.refusals[node.position] = refusal(checks, node)
                self.fits[node.position] = refused is None
            return steps

        yield from self._follow(cycle.snapshot, cycle.turn, ask)

    def first(self, start: int, count: int) -> list[int]:
        """The positions of so many nodes that fit, beginning somewhere and going round."""
        return list(islice(self.in_order(start), count))

    def in_order(self, start: int) -> Iterator[int]:
        """The positions of all nodes that fit, beginning somewhere and going round."""
        fits = self.fits
        return chain(compress(range(start, len(fits)), fits[start:]), compress(range(start), fits[:start]))

    def _begin_anew(self) -> None:
        self.refusals, self.fits = [], bytearray()

    def _grow(self, nodes: int) -> None:
        new = nodes - len(self.refusals)
        if new > 0:
            self.refusals += [None] * new
            self.fits += bytes(new)


class Templates:
    """The templates of the pods that were tried lately."""

    def __init__(self) -> None:
        self._kept: Kept[int, tuple[Needs, Template]] = Kept(limits.SCHEDULER_TEMPLATES)
        """By identity: equal needs are one object, and may be long."""

    def of(self, needs: Needs) -> Template:
        """The one for pods that need this."""
        return self._kept.of(id(needs), lambda: (needs, Template()))[1]
