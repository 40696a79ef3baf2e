"""Waiting longer and longer for something that keeps failing, so that trouble isn't made worse by asking."""

from svcsim.clock import Chance


class Backoff:
    """Delays in seconds that double from ``first_s`` to ``longest_s``, each up to half as long again so that many don't come at once."""

    def __init__(self, first_s: float, longest_s: float, chance: Chance | None = None) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._chance = chance
        self._next_s = first_s

    def next(self) -> float:
        """How long to wait this time."""
        delay_s = self._next_s
        self._next_s = min(self._next_s * 2, self._longest_s)
        return delay_s * self._chance.uniform(1.0, 1.5) if self._chance is not None else delay_s

    def reset(self) -> None:
        """It went well: begin anew."""
        self._next_s = self._first_s
