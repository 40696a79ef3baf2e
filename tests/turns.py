"""How long the turns of an event loop are.

What is measured is the processor time that the loop's own thread spends between two looks at what else is to be done, beside a piece of
work of known size done on the same thread: neither a busy machine nor a slow one changes the proportion much.
"""

import asyncio
import gc
import math
import sys
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from types import coroutine
from typing import Any, TypeVar, cast

from svcsim.cluster.process import settle_process, tune_process

T = TypeVar("T")

MOST_UNITS = 10.0
"""A unit takes some five milliseconds, so these are fifty; the attacks below once took hundreds to tens of thousands of units."""


_TRIES = 12


def spent_s() -> float:
    """Processor time of this thread."""
    return time.thread_time()


def unit_s() -> float:
    """Processor time that a fixed piece of work takes here."""
    times = []
    for _ in range(5):
        started = spent_s()
        sum([len({number: str(number)}) for number in range(20_000)])
        times.append(spent_s() - started)
    return min(times)


def units(longest_turn_s: Callable[[], float], most: float) -> float:
    """How many units the longest turn takes.

    What takes too many is done again: others on the machine add to a turn now and then, and what is the turn's own is in it each time.
    """
    found = math.inf
    for _ in range(_TRIES):
        found = min(found, longest_turn_s() / unit_s())
        if found < most:
            break
    return found


class MeasuredLoop(asyncio.SelectorEventLoop):
    """A loop that knows its longest turn."""

    longest_s = 0.0
    _uncounted_s = 0.0

    def _run_once(self) -> None:
        started, self._uncounted_s = spent_s(), 0.0
        super()._run_once()
        self.longest_s = max(self.longest_s, spent_s() - started - self._uncounted_s)

    @coroutine
    def uncounted(self, work: Coroutine[Any, Any, T]) -> Generator[Any, None, T]:
        """Do what belongs to the test alone, such as reading what it waits for: of no turn is it a part."""
        while True:
            started = spent_s()
            try:
                waits_for = work.send(None)
            except StopIteration as done:
                return cast(T, done.value)
            finally:
                self._uncounted_s += spent_s() - started
            yield waits_for


@contextmanager
def tuned() -> Iterator[None]:
    """Threads take turns, and garbage is looked for, as in a server's process: not among all that the tests have left."""
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    tune_process()
    gc.collect()
    settle_process()  # for good: to unfreeze it would be to look again at all that was made while the tests were collected
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(before)
