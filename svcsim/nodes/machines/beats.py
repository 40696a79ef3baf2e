"""The moments at which a node says something again and again, from one moment on: that it is there, or how it is.

What of it is written is another matter: hardly ever does anybody read it.
"""

import math

_ROUNDING = 1e-6
"""Of a period: a timer that is set to a moment may find that it isn't quite there."""


class Beats:
    """Moments that are one period apart. Times are seconds since the epoch."""

    __slots__ = ("_ends_at", "_period_s", "_starts_at", "_written_at")

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._starts_at = math.inf
        self._ends_at = math.inf
        self._written_at = -math.inf

    def begin(self, at: float) -> None:
        """The first moment; it is written. What was before is over."""
        self._starts_at = self._written_at = at
        self._ends_at = math.inf

    def end(self, at: float) -> None:
        """No more from this moment on."""
        self._ends_at = min(at, self._ends_at)

    def last(self, now: float) -> float | None:
        """The last of them that isn't after ``now``."""
        until = min(now, self._ends_at)
        if until < self._starts_at:
            return None
        periods = math.floor((until - self._starts_at) / self._period_s + _ROUNDING)
        return min(self._starts_at + periods * self._period_s, until)

    def next(self, now: float) -> float | None:
        """The first of them after ``now``."""
        last = self.last(now)
        after = None if last is None else last + self._period_s
        return None if after is None or after > self._ends_at else after

    def unwritten(self, now: float) -> float | None:
        """The last of them, if it is still to be written."""
        last = self.last(now)
        return last if last is not None and last > self._written_at else None

    def all_unwritten(self, now: float, since: float, most: int) -> list[float]:
        """Those that are still to be written, oldest first: of many the last, and of those before a moment none but the very last."""
        last = self.unwritten(now)
        if last is None:
            return []
        missed = math.floor((last - self._starts_at) / self._period_s + _ROUNDING)
        earlier = [self._starts_at + number * self._period_s for number in range(max(missed - most + 1, 0), missed)]
        return [*(at for at in earlier if at > max(self._written_at, since)), last]

    @property
    def written(self) -> float | None:
        """The last of them that is written."""
        return self._written_at if self._written_at > -math.inf else None

    def wrote(self, at: float) -> None:
        """All up to this one are written."""
        self._written_at = max(at, self._written_at)
