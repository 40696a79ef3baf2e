"""An event loop on virtual time, and what waits in the machine's time whatever loop it is on."""

import asyncio
import selectors
import types
from collections.abc import Callable
from typing import Self

from svcsim.wall import stopwatch


class WallTimeoutError(RuntimeError):
    """A run on virtual time took longer than its guard in real seconds allows."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer as soon as nothing is left to do.

    ``wall_s`` bounds the whole run in real seconds, so that work that never comes to rest fails instead of hanging.
    """

    def __init__(self, wall_s: float | None = None) -> None:
        self.virtual_s = 0.0
        self.waiting: dict[RealTimeout, float] = {}
        """Who waits for the world outside, and until when by the stopwatch; time stands still meanwhile."""
        self._wall_end_s = None if wall_s is None else stopwatch() + wall_s
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self.virtual_s

    def wall_left_s(self) -> float | None:
        """How much of the real time is left; None where nothing bounds it."""
        return None if self._wall_end_s is None else max(self._wall_end_s - stopwatch(), 0)

    def check_wall(self) -> None:
        """Raise `WallTimeoutError` once the real time is used up."""
        if self._wall_end_s is not None and stopwatch() > self._wall_end_s:
            self._wall_end_s = None
            raise WallTimeoutError("the run did not come to an end within its real-time guard")


class _JumpingSelector(selectors.DefaultSelector):
    """Where the loop would sleep, it lets virtual time jump instead; with no timer at all it waits for the world."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop_ = loop
        self._passes = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._passes += 1
        if self._passes % 256 == 0:
            self._loop_.check_wall()
        if self._loop_.waiting:
            return self._wait_for_the_world(timeout)
        if timeout is None:
            return self._wait_for_anything()
        # While callbacks are ready (timeout 0) the world is only looked at now and then: nothing in a virtual run waits for it.
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0) if timeout > 0 or self._passes % 16 == 0 else []
        if not ready and timeout > 0:
            self._loop_.virtual_s += timeout
        return ready

    def _wait_for_anything(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Nothing is due any more: what goes on from here comes from outside, or never."""
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(self._loop_.wall_left_s())
        if not ready:
            self._loop_.check_wall()
        return ready

    def _wait_for_the_world(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Whatever timers there are, nothing goes on before somebody outside has answered, or has had his time."""
        waiting = self._loop_.waiting
        left_s = min(waiting.values()) - stopwatch()
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0 if timeout == 0 else max(left_s, 0))
        if not ready and left_s <= 0:
            for one in [one for one, end_s in waiting.items() if end_s <= stopwatch()]:
                del waiting[one]
                one.expire_soon(self._loop_)
        return ready


class RealTimeout:
    """`asyncio.timeout` in the machine's time, for what waits for the world outside: ``async with RealTimeout(10):``.

    A virtual loop's time stands still for as long: whoever is waited for there has no part in it.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._scope = asyncio.timeout(None)

    async def __aenter__(self) -> Self:
        await self._scope.__aenter__()
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            loop.waiting[self] = stopwatch() + self._seconds
        else:
            self._scope.reschedule(loop.time() + self._seconds)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            loop.waiting.pop(self, None)
        await self._scope.__aexit__(kind, error, trace)

    def expire_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        """The time is over."""
        loop.call_soon(self._scope.reschedule, loop.time())


class RealAlarm:
    """Calls back once after so many of the machine's seconds, unless it is called off before.

    On a virtual loop nobody is called: its time is another, and doesn't move on for the machine's.
    """

    def __init__(self, seconds: float, callback: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None if isinstance(loop, VirtualLoop) else loop.call_later(seconds, callback)

    def call_off(self) -> None:
        """There is no need any more."""
        if self._timer is not None:
            self._timer.cancel()
