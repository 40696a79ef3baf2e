"""Bytes that many hold at once, bounded together.

The memory of one request is bounded separately; the memory of all of them together is bounded here. A request over the bound is refused and
has to be retried. A portion is returned when it is released, however its holder ends.
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
