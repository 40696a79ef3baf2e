"""Bytes that many hold at once, bounded together.

What one request may hold is bounded by itself; what all of them hold at a time is bounded here. Whoever is over the bound is refused and
comes again. A portion is given back when it is let go of, whichever way its holder ends.
"""


class OverBudgetError(Exception):
    """As much is held as may be, by others."""


class Budget:
    """What may be held in all. One holder alone is never refused: what it may hold has a limit of its own."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.held_bytes = 0

    def portion(self) -> "Portion":
        """For one holder, nothing yet."""
        return Portion(self)


class Portion:
    """What one holder has of a budget, for as long as this is kept."""

    __slots__ = ("_budget", "_bytes")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._bytes = 0

    def grow(self, size: int) -> None:
        """Hold so much more. Raises `OverBudgetError`."""
        budget = self._budget
        if budget.held_bytes > self._bytes and budget.held_bytes + size > budget.limit_bytes:
            raise OverBudgetError
        self._bytes += size
        budget.held_bytes += size

    def __del__(self) -> None:
        self._budget.held_bytes -= self._bytes
