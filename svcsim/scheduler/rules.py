"""What a filter and a score are: each one point of view on a pod and a node.

Either is a small thing in a tuple (`filters.FILTERS`, `scores.SCORES`). Asked about a pod, it answers with a question to be put to each
node, or with None where the pod gives it nothing to ask. What depends on pods elsewhere is counted beside it (`cycle.Cycle.tally`): the
question may be put only once that has been counted.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import compress
from typing import Generic, NamedTuple, TypeAlias, TypeVar, cast

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.turns import Steps

MAX_SCORE = 100


class Rejection(NamedTuple):
    """Why not on this node."""

    reasons: tuple[str, ...]
    preemption_may_help: bool


_NO_LAYOUT = -1


class Candidates:
    """The nodes that a pod is to choose from: those at these positions among all there were when they were found."""

    __slots__ = ("_everywhere", "layout", "positions")

    def __init__(self, everywhere: Sequence[NodeInfo], positions: Sequence[int], layout: int) -> None:
        """``layout`` is the layout of the snapshot whose positions these are. ``everywhere`` may grow, but nothing in it moves."""
        self._everywhere = everywhere
        self.positions = positions
        self.layout = layout

    @classmethod
    def of(cls, nodes: Sequence[NodeInfo]) -> "Candidates":
        """Some nodes, wherever they stand."""
        return cls(nodes, range(len(nodes)), _NO_LAYOUT)

    def __len__(self) -> int:
        return len(self.positions)

    def picked(self, which: Iterable[bool]) -> list[NodeInfo]:
        """Those for which it says so, one after the other."""
        everywhere = self._everywhere
        return [everywhere[at] for at in compress(self.positions, which)]

    @property
    def nodes(self) -> list[NodeInfo]:
        """All of them: there may be thousands, so that it is better to know which are wanted."""
        return [self._everywhere[at] for at in self.positions]


Check: TypeAlias = Callable[[NodeInfo], Rejection | None]
Hint: TypeAlias = Callable[[PodInfo, Change, Known], bool]
L = TypeVar("L", bound=Hashable)

Look: TypeAlias = Hashable
"""What a score sees of a node: nodes that look alike are alike to it."""
Normalise: TypeAlias = Callable[[list[int]], list[int]]


class Kinds(NamedTuple, Generic[L]):
    """The nodes that a pod is to choose from, as they look to one score."""

    looks: Sequence[L]
    """All looks there are; some may stand here more than once."""
    total: int
    """How many nodes there are."""
    number: Callable[[int], int]
    """How many of them look like the first, the second and so on."""


class Scorer(NamedTuple):
    """What one score has to ask about a pod."""

    look: Callable[[NodeInfo], Look]
    worth: Callable[[Kinds[Look]], Steps[list[int]]]
    """What it says of each look."""
    lasting: Hashable | None = None
    """Where a look follows from this, the pod's needs and constraints and the node: then it is remembered until the node changes."""

    @classmethod
    def of(cls, look: Callable[[NodeInfo], L], worth: Callable[[Kinds[L]], Steps[list[int]]], lasting: Hashable | None = None) -> "Scorer":
        """Made of functions that know what a look is. The looks that a scorer is asked about are its own."""
        return cls(look, cast(Callable[[Kinds[Look]], Steps[list[int]]], worth), lasting)

    @classmethod
    def of_number(cls, number: Callable[[NodeInfo], int], lasting: Hashable | None = None) -> "Scorer":
        """Of a score that sees no more of a node than what it says of it."""
        return cls.of(number, _themselves, lasting)


def _themselves(kinds: Kinds[int]) -> Steps[list[int]]:
    yield from ()
    return list(kinds.looks)


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
    prepare: Callable[[PodInfo, Cycle], Scorer | None]
    normalise: Normalise | None = None
    """Brings what it says of all those nodes to 0 to 100, where it isn't already. How often a value is there makes no difference to it."""


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
