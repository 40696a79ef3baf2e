"""What a controller has done and not yet seen in its cache, so that it does nothing twice because the cache is behind.

Before it creates or deletes, a controller writes down what it expects to see; until all of that has been seen it leaves the object alone.
A sight that never comes (the watch lost it) is given up after a while.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey


@dataclass(slots=True)
class _Expected:
    since: float
    creations: int = 0
    deletions: dict[str, None] = field(default_factory=dict)


class Expectations:
    """Expected sights, by the key of the object that caused them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[ObjectKey, _Expected] = {}

    def met(self, key: ObjectKey) -> bool:
        """Whether everything expected has been seen, or given up."""
        expected = self._expected.get(key)
        if expected is None:
            return True
        if (expected.creations <= 0 and not expected.deletions) or self._clock.now() - expected.since > limits.EXPECTATIONS_S:
            del self._expected[key]
            return True
        return False

    def expect_creations(self, key: ObjectKey, count: int) -> None:
        """So many new objects are about to be created."""
        self._of(key).creations += count

    def expect_deletion(self, key: ObjectKey, uid: str) -> None:
        """An object is about to be deleted."""
        self._of(key).deletions[uid] = None

    def deletions(self, key: ObjectKey) -> Mapping[str, None]:
        """The UIDs of what has been deleted, and is not seen to be gone or going yet."""
        expected = self._expected.get(key)
        return {} if expected is None else expected.deletions

    def creation_seen(self, key: ObjectKey, count: int = 1) -> None:
        """New objects have appeared, or will never."""
        expected = self._expected.get(key)
        if expected is not None:
            expected.creations -= count

    def deletion_seen(self, key: ObjectKey, uid: str) -> None:
        """An object is gone or going, or won't be deleted after all."""
        expected = self._expected.get(key)
        if expected is not None:
            expected.deletions.pop(uid, None)

    def forget(self, key: ObjectKey) -> None:
        """The object that caused all this is gone itself."""
        self._expected.pop(key, None)

    def _of(self, key: ObjectKey) -> _Expected:
        expected = self._expected.setdefault(key, _Expected(self._clock.now()))
        expected.since = self._clock.now()
        return expected
