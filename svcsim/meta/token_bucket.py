"""So many in a second in the long run, and so many at once after a quiet time."""

from typing import NamedTuple


class Allowance(NamedTuple):
    """How often something may be."""

    per_s: float
    burst: int


class TokenBucket:
    """What is left of an allowance, by whatever clock its user goes by. It begins full."""

    __slots__ = ("_allowed", "_refilled_s", "_tokens")

    def __init__(self, allowed: Allowance, now_s: float) -> None:
        self._allowed = allowed
        self._tokens = float(allowed.burst)
        self._refilled_s = now_s

    def take(self, now_s: float) -> bool:
        """Take one, if there is one."""
        self._refill(now_s)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def wait_s(self, now_s: float) -> float:
        """How long it is until there is one."""
        self._refill(now_s)
        return max(0.0, (1 - self._tokens) / self._allowed.per_s)

    def _refill(self, now_s: float) -> None:
        """A clock that was set back fills nothing, and takes nothing away."""
        passed_s = now_s - self._refilled_s
        if passed_s > 0:
            self._tokens = min(float(self._allowed.burst), self._tokens + passed_s * self._allowed.per_s)
        self._refilled_s = now_s
