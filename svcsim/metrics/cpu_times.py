"""Counters of used processor time: they only grow, as long as their object is the same.

The usage at a time is a function of the time, the total isn't. So usage is summed up from one request to the next; before the first request
it is assumed to have been constant.
"""

from typing import NamedTuple

from svcsim import limits


class _Known(NamedTuple):
    at: float
    cores: float
    used_s: float


class CpuTimes:
    """What was told last, of those who were asked about last."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def used(self, whose: str, since: float, now: float, cores: float) -> float:
        """Seconds of one core, of something that is there since then and uses so many cores now."""
        last = self._known.pop(whose, None)
        if last is None or last.at > now:
            used_s = max(now - since, 0.0) * cores
        else:
            used_s = last.used_s + (now - last.at) * (last.cores + cores) / 2
        if len(self._known) >= limits.CPU_TIMES:
            del self._known[next(iter(self._known))]
        self._known[whose] = _Known(now, cores, used_s)
        return used_s
