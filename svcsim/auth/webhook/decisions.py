"""What others have decided, remembered for a while.

A question is known by a digest, so that no token is kept. Concurrent requests with the same question wait for one answer, and failures are
forgotten at once. Answers are valid for a given time of the cluster; their number is limited, and the oldest are dropped.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from svcsim import limits
from svcsim.auth.webhook.reviewer import WebhookError
from svcsim.clock import Clock

T = TypeVar("T")


class Kept(NamedTuple, Generic[T]):
    """A decision, for how long it may be remembered (0: not at all), and how much that takes."""

    value: T
    ttl_s: float
    size_bytes: int


class _Entry(NamedTuple, Generic[T]):
    value: T
    until: float
    size_bytes: int


class Decisions(Generic[T]):
    """The decisions of one server."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[bytes, _Entry[T]] = {}
        self._size_bytes = 0
        self._asked: dict[bytes, asyncio.Task[T]] = {}

    async def decided(self, question: bytes, ask: Callable[[], Awaitable[Kept[T]]]) -> T:
        """The decision on a question; ``ask`` gets it where it isn't known. Raises what that raises, and `WebhookError`."""
        entry = self._entries.get(question)
        if entry is not None and self._clock.now() < entry.until:
            return entry.value
        asked = self._asked.get(question)
        if asked is None:
            if len(self._asked) >= limits.WEBHOOK_REVIEWS_UNDER_WAY:
                raise WebhookError("too many questions wait for the webhook already")
            asked = self._asked[question] = asyncio.create_task(self._ask(question, ask), name="asking a webhook")
            asked.add_done_callback(lambda task: self._over(question, task))
        # A client that hangs up takes the answer from nobody else who waits for it.
        return await asyncio.shield(asked)

    async def _ask(self, question: bytes, ask: Callable[[], Awaitable[Kept[T]]]) -> T:
        kept = await ask()
        self._forget(question)
        if kept.ttl_s > 0:
            self._entries[question] = _Entry(kept.value, self._clock.now() + kept.ttl_s, kept.size_bytes)
            self._size_bytes += kept.size_bytes
            while len(self._entries) > limits.WEBHOOK_DECISIONS or self._size_bytes > limits.WEBHOOK_DECISIONS_BYTES:
                self._forget(next(iter(self._entries)))
        return kept.value

    def _forget(self, question: bytes) -> None:
        entry = self._entries.pop(question, None)
        if entry is not None:
            self._size_bytes -= entry.size_bytes

    def _over(self, question: bytes, task: "asyncio.Task[T]") -> None:
        del self._asked[question]
        if not task.cancelled():
            task.exception()  # looked at, also where everybody who waited has gone
