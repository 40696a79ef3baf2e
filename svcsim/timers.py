"""What is due when: the timers of one clock, in the order of their time, and of being set where that is the same.

A timer may be given *slack*: so much later than due it may go off where time moves from moment to moment, as it does while a clock is
stepped or sped up. Such timers wait for each other there, so that what they set off is done, and committed, together.
"""

import heapq
import math
from collections.abc import Callable
from typing import Any


class Timer:
    """A callback that will be called once, unless cancelled first."""

    __slots__ = ("args", "callback", "cancelled", "due", "slack")

    def __init__(self, due: float, slack: float, callback: Callable[..., object], args: tuple[Any, ...]) -> None:
        self.due = due
        self.slack = slack
        self.callback = callback
        self.args = args
        self.cancelled = False

    def cancel(self) -> None:
        """Never call the callback. Calling this twice, or late, does nothing."""
        self.cancelled = True

    def go_off(self) -> None:
        """Call the callback, unless cancelled."""
        if not self.cancelled:
            self.callback(*self.args)


class Timers:
    """The timers that were set and haven't gone off."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._made = 0
        self._waiting: list[tuple[float, int, Timer]] = []
        """Taken from the heap because they can wait for the next moment, and maybe longer."""
        self._latest = math.inf
        """When the first of those can't wait any longer."""

    def add(self, timer: Timer) -> None:
        self._made += 1
        heapq.heappush(self._heap, (timer.due, self._made, timer))

    def next_due(self) -> float:
        """When the first one is due; infinite where there is none."""
        while self._heap and self._heap[0][2].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else math.inf

    def take_due(self, now: float) -> Timer | None:
        """The first one that is due by now, whatever slack it has."""
        return heapq.heappop(self._heap)[2] if self.next_due() <= now else None

    def next_moment(self) -> float:
        """When the first one can't wait any longer; infinite where there is none."""
        self._set_patient_aside()
        return min(self.next_due(), self._latest)

    def take_moment(self, moment: float, *, all_due: bool = False) -> list[Timer]:
        """Take the timers that go off at a moment: all due ones if ``all_due`` or one can't wait any longer; else those without slack."""
        self._set_patient_aside()
        patient = not all_due and self._latest > moment
        if not patient:
            self.wait_no_more()
        going = []
        while self.next_due() <= moment:
            going.append(heapq.heappop(self._heap)[2])
            if patient:
                self._set_patient_aside()
        return going

    def _set_patient_aside(self) -> None:
        while self.next_due() <= self._latest and self._heap and self._heap[0][2].slack:
            due, _, timer = entry = heapq.heappop(self._heap)
            self._waiting.append(entry)
            self._latest = min(self._latest, due + timer.slack)

    def wait_no_more(self) -> None:
        """Let those that wait for each other be due as all others are."""
        for entry in self._waiting:
            heapq.heappush(self._heap, entry)
        self._waiting, self._latest = [], math.inf
