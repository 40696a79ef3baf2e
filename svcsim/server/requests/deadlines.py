"""An end to waiting that costs next to nothing: what all requests may take at the longest is the same, so one timer serves them all."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from svcsim import limits
from svcsim.meta.errors import bad_request
from svcsim.meta.times import parse_duration
from svcsim.server.requests.query import Query, text

T = TypeVar("T")


def longest_s(query: Query) -> float:
    """How long a client waits for what it asks for: its ``timeout``, or what any request may take. Raises 400."""
    if not (given := text(query, "timeout")):
        return limits.REQUEST_S
    try:
        seconds = parse_duration(given)
    except ValueError as error:
        raise bad_request(f"invalid timeout specified in the request URL - {error}") from error
    return min(seconds or limits.REQUEST_S, limits.REQUEST_S)


class _Waiting:
    """Somebody who waits."""

    __slots__ = ("cancelled_before", "ended", "task", "until_s")

    def __init__(self, task: "asyncio.Task[object]", until_s: float) -> None:
        self.task = task
        self.cancelled_before = task.cancelling()
        """How often somebody has wanted the task to end already."""
        self.until_s = until_s
        """In the loop's time."""
        self.ended = False


class Deadlines:
    """Lets nobody wait longer than so many seconds."""

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._waiting: dict[_Waiting, None] = {}
        """Who began first is first; one task may wait within its own waiting."""
        self._timer: asyncio.TimerHandle | None = None

    async def within(self, answer: Awaitable[T]) -> T:
        """What comes of waiting. Raises `TimeoutError`, after the waiting was cancelled."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None, "requests are answered in tasks"
        waiting = _Waiting(task, loop.time() + self._longest_s)
        self._waiting[waiting] = None
        if self._timer is None:
            self._timer = loop.call_at(waiting.until_s, self._end)
        try:
            return await answer
        except asyncio.CancelledError:
            if waiting.ended and task.uncancel() <= waiting.cancelled_before:  # else somebody besides wants the task to end
                raise TimeoutError from None
            raise
        finally:
            self._waiting.pop(waiting, None)
            if not self._waiting and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _end(self) -> None:
        """Cancel those whose time is over, and come back for the next."""
        loop = asyncio.get_running_loop()
        self._timer = None
        for waiting in tuple(self._waiting):
            if waiting.until_s > loop.time():
                self._timer = loop.call_at(waiting.until_s, self._end)
                return
            del self._waiting[waiting]
            waiting.ended = True
            waiting.task.cancel()
