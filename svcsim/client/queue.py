"""The work queue of a controller: keys of objects to look at, each at most once, never by two workers at a time.

A key that is added while it is being worked on comes up again afterwards. Failures come back later and later. The order is that of
arrival, so that a run on virtual time is the same every time. It is bounded by the number of objects, since a key stands in it once.
"""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from svcsim import limits
from svcsim.client.backoff import backoff_s
from svcsim.clock import Clock

if TYPE_CHECKING:
    from svcsim.timers import Timer

K = TypeVar("K", bound=Hashable)


class WorkQueue(Generic[K]):
    def __init__(self, clock: Clock, first_s: float = limits.REQUEUE_FIRST_S, longest_s: float = limits.REQUEUE_LONGEST_S) -> None:
        self._clock = clock
        self._first_s = first_s
        self._longest_s = longest_s
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        self._waiting: set[K] = set()
        self._working: set[K] = set()
        self._timers: dict[K, Timer] = {}
        self._failures: dict[K, int] = {}
        self._told: Callable[[], None] | None = None

    def __len__(self) -> int:
        """How many keys are ready to be worked on."""
        return self._ready.qsize()

    def add(self, key: K) -> None:
        """Have a key worked on as soon as its turn comes."""
        if key in self._waiting:
            return
        self._waiting.add(key)
        if key not in self._working:
            self._put(key)

    def add_after(self, key: K, seconds: float, *, slack_s: float = 0.0) -> None:
        """Add a key once so many cluster seconds have passed; the earliest such moment counts. ``slack_s`` as in `Clock.call_later`."""
        if seconds <= 0:
            self.add(key)
            return
        timer = self._timers.get(key)
        if timer is not None:
            if timer.due <= self._clock.now() + seconds:
                return
            timer.cancel()
        self._timers[key] = self._clock.call_later(seconds, self._due, key, slack_s=slack_s)

    def retry(self, key: K) -> None:
        """Add a key that failed, later each time."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        self.add_after(key, backoff_s(failures, self._first_s, self._longest_s))

    def failures(self, key: K) -> int:
        """How many times in a row a key has failed."""
        return self._failures.get(key, 0)

    def forget(self, key: K) -> None:
        """A key went well: its next failure is its first."""
        self._failures.pop(key, None)

    async def get(self) -> K:
        """The next key. Say `done` when finished with it."""
        key = await self._ready.get()
        self._waiting.discard(key)
        self._working.add(key)
        return key

    def done(self, key: K) -> None:
        """Finished with a key that `get` gave; if it was added meanwhile, it comes up again."""
        self._working.discard(key)
        if key in self._waiting:
            self._put(key)

    @contextmanager
    def telling(self, listener: Callable[[], None]) -> Iterator[None]:
        """Have a function called while this lasts, whenever one more key is ready to be worked on."""
        self._told = listener
        try:
            yield
        finally:
            self._told = None

    def _put(self, key: K) -> None:
        self._ready.put_nowait(key)
        if self._told is not None:
            self._told()

    def _due(self, key: K) -> None:
        self._timers.pop(key, None)
        self.add(key)
