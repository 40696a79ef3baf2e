"""A cluster's time as its clients see it: told by the server when it is asked, and counted on in between.

A simulated cluster's clock may run fast, stand still or be stepped; ages must be counted by it. A server that has no such clock to ask
goes by the machine's time.
"""

from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.wall import stopwatch, wall_time


class CountedTime:
    """A cluster's clock, seen from outside; the machine's until the server has told."""

    def __init__(self) -> None:
        self.speed = 1.0
        """The speed that is asked for."""
        self._reached = 1.0
        self._told_s = wall_time()
        self._told_at = stopwatch()

    def now(self) -> float:
        """The cluster's time in seconds since the epoch."""
        return self._told_s + (stopwatch() - self._told_at) * self._reached

    def take(self, answer: Object) -> None:
        """Count on from what the server tells."""
        self._told_s, self._told_at = parse_time(answer["now"]), stopwatch()
        self.speed = float(answer["speed"])
        self._reached = float(answer.get("reachedSpeed", self.speed))
