"""Waiting longer and longer for something that keeps failing, so that trouble isn't made worse by asking."""

from svcsim.chance import Chance

_MOST_DOUBLINGS = 64


def backoff_s(failures: int, first_s: float, longest_s: float) -> float:
    """How long to wait after so many failures in a row: ``first_s`` after one, and twice as long after each more, up to ``longest_s``."""
    return min(first_s * 2.0 ** min(max(failures - 1, 0), _MOST_DOUBLINGS), longest_s)


class Backoff:
    """Counts failures in a row and says how long to wait; up to half as long again with ``chance``, so that many don't come at once."""

    def __init__(self, first_s: float, longest_s: float, chance: Chance | None = None) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._chance = chance
        self._failures = 0

    def next(self) -> float:
        """How long to wait this time."""
        self._failures += 1
        delay_s = backoff_s(self._failures, self._first_s, self._longest_s)
        return delay_s * self._chance.uniform(1.0, 1.5) if self._chance is not None else delay_s

    def reset(self) -> None:
        """It went well: begin anew."""
        self._failures = 0
