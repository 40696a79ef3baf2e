"""How fast a cluster's time goes: from the event loop's seconds to the cluster's, and back.

Time that is to go faster than the machine's is held at each moment at which something is due, until all that comes of it is done. So it
goes as fast as asked where the machine keeps up, as fast as the work allows where it doesn't, and never slower than the machine's own time,
with which any cluster has to keep up.
"""

import math

_CATCH_UP_S = 0.005
"""Real seconds by which a moment may be late and be made up for afterwards: timers of event loops aren't more exact."""
_MEASURED_S = 5.0
"""Real seconds over which the speed that was reached is measured, at the least once so many have passed."""


class Pace:
    """Where time is at a moment of the event loop's, and when it gets where."""

    def __init__(self, cluster_s: float, loop_s: float, speed: float, *, held: bool = False) -> None:
        """Time stands at ``cluster_s`` when the event loop's is ``loop_s``. ``held`` is for time that work can hold."""
        self.speed = speed
        self.held = held
        self.bound_s = math.inf
        """Time that can be held gets here as fast as asked, and beyond no faster than the machine's."""
        self._from_s, self._from_loop_s = cluster_s, loop_s
        self._stood_s, self._stood_loop_s = cluster_s, loop_s
        self._measured_from = self._measured_next = (cluster_s, loop_s)

    def at(self, loop_s: float) -> float:
        """The cluster's time."""
        asked = self._from_s + (loop_s - self._from_loop_s) * self.speed
        if not self.held:
            return asked
        return max(min(asked, self.bound_s), self._stood_s + loop_s - self._stood_loop_s)

    def when(self, moment_s: float) -> float:
        """The event loop's time at which the cluster's gets to a moment if nothing holds it."""
        return self._from_loop_s + (moment_s - self._from_s) / self.speed

    def when_by_machine(self, moment_s: float) -> float:
        """The event loop's time at which the cluster's gets there, whatever holds it."""
        return self._stood_loop_s + moment_s - self._stood_s

    def hold(self, moment_s: float, loop_s: float) -> None:
        """Be held at this moment, which is now."""
        self.bound_s = self._stood_s = max(moment_s, self.at(loop_s))
        self._stood_loop_s = loop_s
        if loop_s - self._measured_next[1] >= _MEASURED_S:
            self._measured_from, self._measured_next = self._measured_next, (self._stood_s, loop_s)

    def let_go(self, loop_s: float) -> None:
        """End the hold: the time lost isn't made up for, except for next to nothing."""
        now = self.at(loop_s)
        self._from_s, self._from_loop_s = now, min(max(self.when(now), loop_s - _CATCH_UP_S), loop_s)

    def reached(self, loop_s: float) -> float:
        """The speed that time really had of late."""
        since_s, since_loop_s = self._measured_from
        if not self.held or loop_s <= since_loop_s:
            return self.speed
        return (self.at(loop_s) - since_s) / (loop_s - since_loop_s)
