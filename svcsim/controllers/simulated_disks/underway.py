"""When an operation that takes a while will be done: until then, a caller that asks again gets the remaining time."""

from svcsim.chance import Chance
from svcsim.client.backoff import backoff_s
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.simulated_disks import Pace

RETRY_FIRST_S = 1.0
RETRY_LONGEST_S = 300.0
"""How long it is until something is tried again that failed, at first and at most."""


class Underway:
    """By key, and by what is done for it: another life of the object, or another wish, begins anew."""

    def __init__(self, clock: Clock, chance: Chance) -> None:
        self._clock = clock
        self._chance = chance
        self._at: dict[ObjectKey, tuple[str, float]] = {}
        self._failures: dict[ObjectKey, int] = {}

    def wait_s(self, key: ObjectKey, what: str, pace: Pace) -> tuple[float, bool]:
        """How long it still takes, and whether it has just begun."""
        now = self._clock.now()
        known, at = self._at.get(key, ("", 0.0))
        is_new = known != what
        if is_new:
            at = now + self._chance.uniform(*pace)
            self._at[key] = (what, at)
        return at - now, is_new

    def failed(self, key: ObjectKey) -> float:
        """It failed: it is to be tried again, each time after a longer while; gives how long."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        wait_s = backoff_s(failures, RETRY_FIRST_S, RETRY_LONGEST_S)
        self._at[key] = (self._at.get(key, ("", 0.0))[0], self._clock.now() + wait_s)
        return wait_s

    def forget(self, key: ObjectKey) -> None:
        """It is done, or no longer wanted."""
        self._at.pop(key, None)
        self._failures.pop(key, None)
