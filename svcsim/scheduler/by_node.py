"""What is worked out node by node, and brought up to date by the nodes that have changed since.

Of thousands of nodes placing a pod changes one. A decision that does such work gives way now and then, and may be given up at any of these
moments: nothing counts as done before it is, and what has changed meanwhile is done in another round.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Steps, Turn


class ByNode(ABC):
    """Something that follows from each node of a snapshot."""

    def __init__(self) -> None:
        self.version = 0
        """The version of the snapshot that it is of."""
        self.layout = -1
        """The layout of the snapshot that it is of: where nodes have gone since, all is done anew."""

    @abstractmethod
    def _begin_anew(self) -> None:
        """Forget all nodes."""

    @abstractmethod
    def _grow(self, nodes: int) -> None:
        """Have room for so many."""

    def _follow(self, snapshot: Snapshot, turn: Turn, work_on: Callable[[NodeInfo], int]) -> Steps[None]:
        """Work on each node that has changed; ``work_on`` gives how many steps that was. Nodes that came meanwhile come once more."""
        while self.version != snapshot.version or self.layout != snapshot.layout:
            if self.layout != snapshot.layout:
                self._begin_anew()
                self.layout, self.version = snapshot.layout, 0
            version, changed = snapshot.version, snapshot.changed_since(self.version)
            self._grow(len(snapshot.nodes))
            for node in changed:
                if turn.is_over(work_on(node)):
                    yield
            self.version = version
