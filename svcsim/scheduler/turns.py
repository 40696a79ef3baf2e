"""A turn of the event loop, shared with everybody else: what decisions may do before others go on.

How much work a decision is depends on what is asked for (terms, constraints, tolerations) as much as on how many nodes there are, so it is
counted in steps, each about as long as one look at one thing. A decision is a generator that gives way when its share is used up; while it
does, nodes and pods may change, as they may during a scheduling cycle anywhere. It therefore goes through copies of what may grow.
"""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

from svcsim import limits
from svcsim.clock import Clock

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""Work that gives way now and then, and comes to a result."""


class Turn:
    """Counts the steps of decisions, one after the other."""

    def __init__(self) -> None:
        self._done = 0

    def is_over(self, steps: int) -> bool:
        """So many steps more were done: whether others have to be let in now, with which a new turn begins."""
        self._done += steps
        if self._done < limits.DECIDING_STEPS_A_TURN:
            return False
        self._done = 0
        return True

    def at_once(self, steps: int) -> int:
        """How many items that are so many steps each go into a turn."""
        return max(limits.DECIDING_STEPS_A_TURN // max(steps, 1), 1)


def at_once(steps: Steps[T]) -> T:
    """What work comes to, without giving way: for work that has been done before, and is remembered."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


async def in_turns(steps: Steps[T], clock: Clock) -> T:
    """What work comes to, with others let in whenever it gives way."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        await clock.turn()
