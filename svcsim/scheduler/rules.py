"""What a filter and a score are: each one point of view on a pod and a node.

Either is a small thing in a tuple (`filters.FILTERS`, `scores.SCORES`). Asked about a pod, it answers with a question to be put to each
node, or with None where the pod gives it nothing to ask. What depends on pods elsewhere is counted beside it (`cycle.Cycle.tally`): the
question may be put only once that has been counted.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.snapshot import Snapshot

MAX_SCORE = 100


class Rejection(NamedTuple):
    """Why not on this node."""

    reasons: tuple[str, ...]
    preemption_may_help: bool


class Candidates(NamedTuple):
    """The nodes that a pod is to choose from."""

    nodes: Sequence[NodeInfo]
    positions: Sequence[int]
    """Where they stand in the snapshot. What is kept by position is found by these, without a look at hundreds of nodes."""
    layout: int
    """The layout of the snapshot whose positions these are."""

    @classmethod
    def of(cls, nodes: Sequence[NodeInfo], snapshot: Snapshot) -> "Candidates":
        """Nodes as they stand now."""
        return cls(nodes, [node.position for node in nodes], snapshot.layout)

    def parts(self, at_once: int) -> Iterator["Candidates"]:
        """So many of them at a time."""
        for start in range(0, len(self.nodes), at_once):
            part = slice(start, start + at_once)
            yield Candidates(self.nodes[part], self.positions[part], self.layout)


Check: TypeAlias = Callable[[NodeInfo], Rejection | None]
Hint: TypeAlias = Callable[[PodInfo, Change, Known], bool]
Scorer: TypeAlias = Callable[[Candidates], list[int]]
Normalise: TypeAlias = Callable[[list[int]], list[int]]


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
    """Brings what it says of all those nodes to 0 to 100, where it isn't already."""
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
