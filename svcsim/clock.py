"""Time and chance: the only place that asks the machine for either.

A cluster's time can run at the machine's pace, faster, slower, stand still and be stepped, or be *virtual*: then the event loop itself
jumps to the next timer as soon as nothing is left to do. Whoever needs time is given a `Clock`, whoever needs chance a `Chance`; nothing
above this module imports ``time`` or ``random``, and a lint rule keeps it so. That is why a seeded run on virtual time is the same run,
byte for byte, on every machine.
"""

import asyncio
import heapq
import random
import selectors
import time
import types
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

T = TypeVar("T")

NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and no look-alikes, so that generated names spell nothing."""

_SETTLE_S = 0.002
"""Real seconds a stepped clock leaves between two timers, so that what the first set off is done before the second goes off."""


def stopwatch() -> float:
    """Real seconds since some fixed moment: for measuring how long work takes, never for the cluster's time."""
    return time.perf_counter()


def wall_time() -> float:
    """The machine's own time, in seconds since the epoch: for files and certificates outside a cluster, and to start a clock from."""
    return time.time()


def wall_sleep(seconds: float) -> None:
    """Block this thread for real seconds: for commands that wait for another process, never on an event loop."""
    time.sleep(seconds)


@types.coroutine
def turn() -> Generator[None, None, None]:
    """Let every other task that is ready go first: for long work that has no clock at hand."""
    yield


def format_time(seconds: float) -> str:
    """RFC 3339 in UTC with whole seconds, as object metadata has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def format_micro_time(seconds: float) -> str:
    """RFC 3339 in UTC with six decimals, as Leases and Events have it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Timer:
    """A callback that will be called once, unless cancelled first."""

    __slots__ = ("args", "callback", "cancelled", "due")

    def __init__(self, due: float, callback: Callable[..., object], args: tuple[Any, ...]) -> None:
        self.due = due
        self.callback = callback
        self.args = args
        self.cancelled = False

    def cancel(self) -> None:
        """Never call the callback. Calling this twice, or late, does nothing."""
        self.cancelled = True


class Clock:
    """A cluster's time: seconds since the epoch, running at ``speed`` times the event loop's pace; 0 stands still.

    On a `VirtualLoop` the loop's time is the virtual one, and the same class serves: the speed is 1 and ``start`` is where it begins.
    """

    def __init__(self, start: float | None = None, speed: float = 1.0) -> None:
        self._base_s = wall_time() if start is None else start
        self._speed = speed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._anchor_s = 0.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._made = 0
        self._armed: asyncio.TimerHandle | None = None
        self._armed_due = 0.0
        self._stamp_second = -1
        self._stamp = ""

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._anchor_s = self._loop.time()
        return self._loop

    @property
    def speed(self) -> float:
        """Cluster seconds that pass in one real second; 0 while paused."""
        return self._speed

    def now(self) -> float:
        """The cluster's time in seconds since the epoch."""
        if self._loop is None:
            return self._base_s
        return self._base_s + (self._loop.time() - self._anchor_s) * self._speed

    def timestamp(self) -> str:
        """Now, as object metadata has it: RFC 3339 with whole seconds."""
        now = int(self.now())
        if now != self._stamp_second:
            self._stamp_second, self._stamp = now, format_time(now)
        return self._stamp

    def micro_timestamp(self) -> str:
        """Now, as Leases and Events have it: RFC 3339 with six decimals."""
        return format_micro_time(self.now())

    def set_speed(self, speed: float) -> None:
        """Run at another pace from now on; 0 pauses."""
        self._base_s = self.now()
        self._anchor_s = self._running_loop().time()
        self._speed = speed
        self._arm(again=True)

    async def step(self, seconds: float) -> None:
        """Move a paused clock on, timer by timer, giving what each one sets off time to happen."""
        target = self.now() + seconds
        while (due := self._next_due()) is not None and due <= target:
            self._base_s = max(self._base_s, due)
            self._fire()
            await asyncio.sleep(_SETTLE_S)
        self._base_s = max(self._base_s, target)

    def call_later(self, seconds: float, callback: Callable[..., object], *args: Any) -> Timer:
        """Call ``callback(*args)`` once, after so many cluster seconds."""
        self._running_loop()
        timer = Timer(self.now() + max(seconds, 0.0), callback, args)
        self._made += 1
        heapq.heappush(self._timers, (timer.due, self._made, timer))
        self._arm()
        return timer

    async def sleep(self, seconds: float) -> None:
        """Let so many cluster seconds pass."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = self._running_loop().create_future()
        timer = self.call_later(seconds, _wake, woken)
        try:
            await woken
        finally:
            timer.cancel()

    async def turn(self) -> None:
        """Let every other task that is ready go first."""
        await asyncio.sleep(0)

    def timeout(self, seconds: float) -> "_Timeout":
        """``async with clock.timeout(5):`` raises `TimeoutError` after so many cluster seconds."""
        return _Timeout(self, seconds)

    def _next_due(self) -> float | None:
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def _arm(self, *, again: bool = False) -> None:
        due = self._next_due()
        if self._armed is not None and (again or due is None or due != self._armed_due):
            self._armed.cancel()
            self._armed = None
        if due is None or self._speed == 0 or self._armed is not None:
            return
        loop = self._running_loop()
        self._armed_due = due
        self._armed = loop.call_at(self._anchor_s + (due - self._base_s) / self._speed, self._fire)

    def _fire(self) -> None:
        self._armed = None
        # A loop may wake a hair early; a timer armed for this moment is due whatever the rounding says.
        now = max(self.now(), self._armed_due) if self._speed else self.now()
        while (due := self._next_due()) is not None and due <= now:
            timer = heapq.heappop(self._timers)[2]
            timer.callback(*timer.args)
        self._arm()


class _Timeout:
    """`asyncio.timeout`, in cluster time."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._scope = asyncio.timeout(None)
        self._timer: Timer | None = None

    async def __aenter__(self) -> Self:
        await self._scope.__aenter__()
        self._timer = self._clock.call_later(self._seconds, self._expire)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._scope.__aexit__(kind, error, trace)

    def _expire(self) -> None:
        self._scope.reschedule(asyncio.get_running_loop().time())


def _wake(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


class WallTimeoutError(RuntimeError):
    """A run on virtual time took longer than its guard in real seconds allows."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer as soon as nothing is left to do.

    ``wall_s`` bounds the whole run in real seconds, so that work that never comes to rest fails instead of hanging.
    """

    def __init__(self, wall_s: float | None = None) -> None:
        self.virtual_s = 0.0
        self._wall_end_s = None if wall_s is None else stopwatch() + wall_s
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self.virtual_s

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
        if timeout is None:
            return super().select(None)
        # While callbacks are ready (timeout 0) the world is only looked at now and then: nothing in a virtual run waits for it.
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0) if timeout > 0 or self._passes % 16 == 0 else []
        if not ready and timeout > 0:
            self._loop_.virtual_s += timeout
        return ready


class Chance:
    """Everything random in a cluster: seeded, it gives the same again.

    Components take a `fork` each, so that one that draws more doesn't change what another draws.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self.seed = random.SystemRandom().getrandbits(48) if seed is None else seed
        self._random = random.Random(f"svcsim/{self.seed}")  # noqa: S311 - nothing secret comes from here

    def fork(self, name: str) -> "Chance":
        """A stream of its own that follows from this seed and the name alone."""
        return Chance(f"{self.seed}/{name}")

    def uid(self) -> str:
        bits = self._random.getrandbits(128)
        text = f"{(bits & ~(0xF000 << 64) & ~(0xC000 << 48)) | (0x4000 << 64) | (0x8000 << 48):032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def suffix(self, length: int = 5) -> str:
        """What ``generateName`` and controllers append to a name."""
        return "".join(self._random.choices(NAME_ALPHABET, k=length))

    def uniform(self, low: float, high: float) -> float:
        """A number between the two, all alike likely."""
        return self._random.uniform(low, high)

    def integer(self, low: int, high: int) -> int:
        """A whole number between the two, both included."""
        return self._random.randint(low, high)

    def exponential(self, mean: float) -> float:
        """The gap to the next of events that come independently, ``mean`` apart on average."""
        return self._random.expovariate(1.0 / mean) if mean > 0 else 0.0

    def choice(self, options: Sequence[T]) -> T:
        return self._random.choice(options)
