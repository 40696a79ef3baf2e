"""What a filter and a score are: each one point of view on a pod and a node.

Either is a small thing in a tuple (`filters.FILTERS`, `scores.SCORES`). Asked about a pod, it answers with a question to be put to each
node, or with None where the pod gives it nothing to ask. What depends on pods elsewhere is counted beside it (`cycle.Cycle.tally`): the
question may be put only once that has been counted.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.snapshot import Snapshot

T = TypeVar("T")

MAX_SCORE = 100


class Rejection(NamedTuple):
    """Why not on this node."""

    reasons: tuple[str, ...]
    preemption_may_help: bool


class Candidates:
    """The nodes that a pod is to choose from.

    ``positions`` are where they stand in the snapshot: what is kept by position is found by these, without a look at hundreds of nodes.
    ``layout`` is the layout of the snapshot whose positions these are.
    """

    __slots__ = ("_pick", "layout", "nodes", "positions")

    def __init__(self, nodes: Sequence[NodeInfo], positions: Sequence[int], layout: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self.layout = layout
        self._pick = itemgetter(*positions) if len(positions) > 1 else None

    @classmethod
    def of(cls, nodes: Sequence[NodeInfo], snapshot: Snapshot) -> "Candidates":
        """Nodes as they stand now."""
        return cls(nodes, [node.position for node in nodes], snapshot.layout)

    def of_each(self, column: Sequence[T]) -> tuple[T, ...]:
        """What is kept by position of each of them."""
        if self._pick is None:
            return tuple([column[at] for at in self.positions])
        picked: tuple[T, ...] = self._pick(column)
        return picked

    def parts(self, at_once: int) -> Iterator["Candidates"]:
        """So many of them at a time."""
        if len(self.nodes) <= at_once:
            yield self
            return
        for start in range(0, len(self.nodes), at_once):
            part = slice(start, start + at_once)
            yield Candidates(self.nodes[part], self.positions[part], self.layout)


Check: TypeAlias = Callable[[NodeInfo], Rejection | None]
Hint: TypeAlias = Callable[[PodInfo, Change, Known], bool]
Scorer: TypeAlias = Callable[[Candidates], list[int]]
Normalise: TypeAlias = Callable[[Sequence[int]], list[int]]


class Filter(NamedTuple):
    """One rule about which nodes a pod can go to."""

    name: str
    prepare: Callable[[PodInfo, Cycle], Check | None]
    kinds: tuple[Kind, ...]
    """The sorts of changes that could help a pod it turned away."""
    hint: Hint
    """Whether one change of those could."""
    of_node_alone: bool = True
    """Whether the answer follows from the pod's `Needs` and the node: then it is remembered until the node changes."""


class Score(NamedTuple):
    """One point of view on which node is better, and how much it counts."""

    name: str
    weight: int
    prepare: Callable[[PodInfo, Cycle, Candidates], Scorer | None]
    normalise: Normalise | None = None
    """Brings what it says of all those nodes to 0 to 100, where it isn't already. How often a value is there makes no difference to it."""
    of_node_alone: bool = True


class Refusal(NamedTuple):
    """Which filter turned a pod away, and why."""

    filter: Filter
    rejection: Rejection


def any_change(_pod: PodInfo, _change: Change, _known: Known) -> bool:
    """A hint: any change of the sorts that count could help."""
    return True


def refused_everywhere(why: str) -> Check:
    """A check that no node passes, for a reason that making room doesn't change."""
    everywhere = Rejection((why,), preemption_may_help=False)
    return lambda _node: everywhere


def refused_where(reasons: Callable[[NodeInfo], tuple[str, ...]]) -> Check:
    """A check that nodes without reasons pass; making room doesn't change those there are."""

    def check(node: NodeInfo) -> Rejection | None:
        found = reasons(node)
        return Rejection(found, preemption_may_help=False) if found else None

    return check
