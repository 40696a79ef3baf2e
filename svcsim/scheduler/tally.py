"""How many pods something means, by the value of a node label: so many in each zone, so many on each host.

Rules between pods are about whole zones, not one node. Counting all pods at every try would take most of the time of a large cluster; so
each count is kept for as long as pods ask for it, and brought up to date by the nodes that have changed since.
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.scheduler.by_node import ByNode
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Steps, Turn

Domain: TypeAlias = tuple[str, str]
"""A node label and one of its values."""
Share: TypeAlias = tuple[tuple[Domain, int], ...]
"""What one node contributes."""
Contribute: TypeAlias = Callable[[NodeInfo], Share]


class Tally(ByNode):
    """One such count. A domain that a node contributes nothing to but names (with 0) is one of its domains too."""

    def __init__(self, contribute: Contribute) -> None:
        super().__init__()
        self._contribute = contribute
        self._shares: dict[str, Share] = {}
        self._holders: dict[Domain, int] = {}
        self._least: tuple[int, int] = (-1, 0)
        self.totals: dict[Domain, int] = {}

    def refresh(self, snapshot: Snapshot, turn: Turn, steps: int) -> Steps[None]:
        """Count what has changed, in so many steps for each node and each group of pods on it."""

        def count(node: NodeInfo) -> int:
            self._count(node)
            return steps * (1 + len(node.groups)) + len(node.repelling) + len(node.drawn)

        yield from self._follow(snapshot, turn, count)

    def at(self, node: NodeInfo, domain: Domain) -> int:
        """How many there are in a domain of a node; as it would be, if that node is imagined."""
        total = self.totals.get(domain, 0)
        if not node.imagined:
            return total
        return total + sum(value for where, value in self._moved(node) if where == domain)

    def is_empty(self, node: NodeInfo) -> bool:
        """Whether nothing would be counted anywhere, if an imagined node were so."""
        return not any(self._sums(node).values())

    def least(self, node: NodeInfo) -> int:
        """The count of the emptiest domain; as it would be, if the node is imagined."""
        if node.imagined:
            return min(self._sums(node).values(), default=0)
        if self._least[0] != self.version:
            self._least = self.version, min(self.totals.values(), default=0)
        return self._least[1]

    def _begin_anew(self) -> None:
        self._shares, self._holders, self.totals = {}, {}, {}

    def _grow(self, nodes: int) -> None:
        """It is kept by name."""

    def _sums(self, node: NodeInfo) -> dict[Domain, int]:
        """All counts as they would be with an imagined node."""
        sums = dict(self.totals)
        for where, value in self._moved(node):
            sums[where] = sums.get(where, 0) + value
        return sums

    def _moved(self, node: NodeInfo) -> Share:
        return (*((where, -value) for where, value in self._shares.get(node.name, ())), *self._contribute(node))

    def _count(self, node: NodeInfo) -> None:
        share = self._contribute(node) if node.known else ()
        before = self._shares.get(node.name, ())
        if share == before:
            return
        for domain, value in before:
            held = self._holders[domain] - 1
            if held:
                self._holders[domain] = held
                self.totals[domain] -= value
            else:
                del self._holders[domain], self.totals[domain]
        for domain, value in share:
            self._holders[domain] = self._holders.get(domain, 0) + 1
            self.totals[domain] = self.totals.get(domain, 0) + value
        self._shares[node.name] = share
