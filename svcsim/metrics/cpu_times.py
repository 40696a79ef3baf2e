"""How much processor time has been used, for those who count it: a number that only grows, while something is the same.

What something uses is a function of the time, its sum isn't. So it is summed up from one time that somebody asks to the next; of what
nobody has asked about it is taken that it used as much all along.
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
