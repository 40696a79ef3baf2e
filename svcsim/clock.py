"""Time and chance: with `wall`, the only place that asks the machine for either.

A cluster's time can run at the machine's pace, faster, slower, stand still and be stepped, or be *virtual*: then the event loop itself
jumps to the next timer as soon as nothing is left to do. Whoever needs time is given a `Clock`, whoever needs chance a `Chance`; nothing
above this module imports ``time`` or ``random``, and a lint rule keeps it so. That is why a seeded run on virtual time is the same run,
byte for byte, on every machine.
"""

import asyncio
import math
import random
import selectors
import time
import types
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self, TypeVar

from svcsim.pace import Pace
from svcsim.rest import Rest, Work
from svcsim.timers import Timer, Timers
from svcsim.wall import LATEST_S, stopwatch, wall_time

T = TypeVar("T")

NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and no look-alikes, so that generated names spell nothing."""

_CAUGHT_UP_S = 1.0
"""How far the cluster's time may lag behind the machine's without being set forward."""


@types.coroutine
def turn() -> Generator[None, None, None]:
    """Let every other task that is ready go first: for long work that has no clock at hand."""
    yield


def format_time(seconds: float) -> str:
    """RFC 3339 in UTC with whole seconds, as object metadata has it; what lies beyond the years that can be written is their end."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(seconds, LATEST_S)))


def format_micro_time(seconds: float) -> str:
    """The same with six decimals, as Leases and Events have it."""
    return datetime.fromtimestamp(min(seconds, LATEST_S), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def loop_sleep(seconds: float) -> None:
    """Let seconds of the event loop's own time pass, whatever a cluster's clock does: for what keeps a process in order."""
    await asyncio.sleep(seconds)


class ClockError(Exception):
    """A clock can't be moved on like that; the message says why, and what to do."""


class Clock:
    """A cluster's time: seconds since the epoch, running at ``speed`` times the event loop's pace; 0 stands still.

    On a `VirtualLoop` the loop's time is the virtual one, and the same class serves: the speed is 1 and ``start`` is where it begins.
    """

    def __init__(
        self, start: float | None = None, speed: float = 1.0, work: Work | None = None, machine: Callable[[], float] = wall_time
    ) -> None:
        """``work`` is what others count there too; ``machine`` tells the machine's time."""
        self._machine = machine
        self.work = Work() if work is None else work
        self._rest = Rest(self.work)
        self._target: float | None = None
        """Where a step that is under way is to end."""
        self._interrupted = False
        began = machine() if start is None else start
        self._meant_ahead_s = began - machine()
        """What the cluster's time is meant to be ahead of the machine's while it goes at the machine's pace."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self.given_speed = speed
        """The pace that was last asked for: also while time stands because it is being moved on."""
        self._pace = Pace(began, 0.0, speed)
        self._timers = Timers()
        self._at_work = False
        """Whether time is held, until what comes of the moment where it stands is done."""
        self._armed: asyncio.TimerHandle | None = None
        self._armed_for = 0.0
        self._stamp_second = -1
        self._stamp = ""

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            began = self.now()
            self._loop = asyncio.get_running_loop()
            self._go_on_from(began, self.speed)
        return self._loop

    def _go_on_from(self, seconds: float, speed: float) -> None:
        """Let time be that, and go on at a pace. A virtual loop doesn't get ahead of the work by itself."""
        loop = self._running_loop()
        self._pace = Pace(seconds, loop.time(), speed, held=speed > 1 and not isinstance(loop, VirtualLoop))

    @property
    def speed(self) -> float:
        """Cluster seconds that are to pass in one real second; 0 while paused."""
        return self._pace.speed

    @property
    def reached_speed(self) -> float:
        """Cluster seconds that really passed in one real second of late: less where there is too much to do."""
        return self._pace.reached(self._running_loop().time())

    @property
    def waits_for_work(self) -> bool:
        """Whether time is held until what there is to do is done: where it is virtual, stepped, or to go faster than the machine's."""
        return isinstance(self._running_loop(), VirtualLoop) or self._pace.held or self._target is not None

    def now(self) -> float:
        """The cluster's time in seconds since the epoch."""
        return self._pace.at(0.0 if self._loop is None else self._loop.time())

    def timestamp(self) -> str:
        """Now, as object metadata has it: RFC 3339 with whole seconds."""
        return self.timestamp_of(self.now())

    def timestamp_of(self, now: float) -> str:
        """The same for whoever has asked for the time already: of one moment many stamps are made."""
        second = int(now)
        if second != self._stamp_second:
            self._stamp_second, self._stamp = second, format_time(second)
        return self._stamp

    def micro_timestamp(self) -> str:
        """Now, as Leases and Events have it: RFC 3339 with six decimals."""
        return format_micro_time(self.now())

    @property
    def target(self) -> float | None:
        """Where the step ends that is under way; None while there is none."""
        return self._target

    def set_speed(self, speed: float) -> None:
        """Run at another pace from now on; 0 pauses. A step under way ends where it is."""
        self.given_speed = speed
        self._change_speed(speed)

    def _change_speed(self, speed: float) -> None:
        self._interrupted = True
        self._meant_ahead_s = self.ahead_s
        self._rest.forget(self._let_go)
        self._at_work = False
        self._timers.wait_no_more()
        self._go_on_from(self.now(), speed)
        self._arm(again=True)

    @property
    def ahead_s(self) -> float:
        """How far the cluster's time is ahead of the machine's."""
        return self.now() - self._machine()

    def catch_up(self) -> None:
        """At the machine's pace, follow the machine's time where it went on without the event loop, as it does while a laptop sleeps.

        Never back: what has happened would lie in the future.
        """
        if self.speed != 1 or isinstance(self._running_loop(), VirtualLoop):
            return
        behind_s = self._meant_ahead_s - self.ahead_s
        if behind_s > _CAUGHT_UP_S:
            self._go_on_from(self.now() + behind_s, self.speed)
            self._arm(again=True)

    # --- stepping: from moment to moment, as fast as it goes ---

    def check_step(self, seconds: float) -> None:
        """Raises `ClockError` where the clock runs, is being stepped already, or would get beyond the last time that can be written."""
        if self.speed:
            raise ClockError("only a clock that stands still can be stepped: svcsim clock pause; one that runs: svcsim clock advance")
        self.check_advance(seconds)

    def check_advance(self, seconds: float) -> None:
        """Raises `ClockError` where the clock is being stepped already, or would get beyond the last time that can be written."""
        if self._target is not None:
            raise ClockError(f"the clock is being stepped already, to {format_time(self._target)}; to end that: svcsim clock pause")
        if self.now() + seconds > LATEST_S:
            raise ClockError("the clock can't go beyond the year 9999")

    async def step(self, seconds: float) -> bool:
        """Move a paused clock on, from one moment at which something is due to the next, once all that came of that is done.

        Cancelled, or when the speed is set meanwhile, it ends between two such moments, and time stands there; False tells of the latter.
        Raises `ClockError` where `check_step` does.
        """
        self.check_step(seconds)
        return await self._step_to(self.now() + seconds)

    async def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Pause any clock, and move it on as `step` does, no further than to the moment at which something ``holds``.

        That is asked between two moments, once all that came of the first is done. False where somebody set the speed meanwhile.
        """
        self.check_advance(seconds)
        self.set_speed(0)
        return await self._step_to(self.now() + seconds, holds)

    async def until_time(self, moment: float) -> bool:
        """Pause any clock, and move it on as `step` does, to that very moment. False where somebody set the speed meanwhile."""
        self.check_advance(moment - self.now())
        self.set_speed(0)
        return await self._step_to(max(moment, self.now()))

    async def _step_to(self, target: float, stops: Callable[[], bool] = bool) -> bool:
        self._target, self._interrupted = target, False
        try:
            await self._rest.come()
            while not self._interrupted and not stops() and self._step_once(target):
                await self._rest.come()
            return not self._interrupted
        finally:
            self._target = None
            self._timers.wait_no_more()

    async def advance(self, seconds: float) -> bool:
        """Move any clock on as `step` does, and let it go on then at the pace it had, unless somebody has set another meanwhile."""
        self.check_advance(seconds)
        speed = self.speed
        if not speed:
            return await self.step(seconds)
        self._change_speed(0)
        try:
            return await self.step(seconds)
        finally:
            if not self._interrupted:
                self._change_speed(speed)

    def _step_once(self, target: float) -> bool:
        """Go to the next moment up to ``target``, where nothing that is due waits any longer; False if nothing is left to do."""
        moment = max(self.now(), min(self._timers.next_moment(), target))
        going = self._timers.take_moment(moment, all_due=moment >= target)
        self._go_on_from(moment, 0)
        for timer in going:
            timer.go_off()
        return bool(going) or moment < target

    # --- timers ---

    def call_later(self, seconds: float, callback: Callable[..., object], *args: Any, slack_s: float = 0.0) -> Timer:
        """Call ``callback(*args)`` once, after so many cluster seconds.

        While the clock is stepped or sped up it may be up to ``slack_s`` more, to do together what would be due at different moments.
        """
        self._running_loop()
        timer = Timer(self.now() + max(seconds, 0.0), slack_s, callback, args)
        self._timers.add(timer)
        self._arm()
        return timer

    async def sleep(self, seconds: float, *, slack_s: float = 0.0) -> None:
        """Let so many cluster seconds pass; ``slack_s`` as in `call_later`."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = self._running_loop().create_future()
        timer = self.call_later(seconds, _wake, woken, slack_s=slack_s)
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

    def _arm(self, *, again: bool = False) -> None:
        """Have the event loop wake this clock at the next moment at which something is due."""
        pace = self._pace
        if not pace.speed and not again:
            return
        moment = self._timers.next_moment() if pace.held else self._timers.next_due()
        if pace.held and not self._at_work:
            pace.bound_s = moment
        if self._armed is not None and (again or moment != self._armed_for):
            self._armed.cancel()
            self._armed = None
        if moment == math.inf or not pace.speed or self._armed is not None:
            return
        self._armed_for = moment
        comes = pace.when_by_machine(moment) if self._at_work else pace.when(moment)
        self._armed = self._running_loop().call_at(comes, self._fire_and_hold if pace.held else self._fire)

    def _fire(self) -> None:
        self._armed = None
        # A loop may wake a hair early; a timer armed for this moment is due whatever the rounding says.
        now = max(self.now(), self._armed_for)
        while (timer := self._timers.take_due(now)) is not None:
            timer.go_off()
        self._arm()

    def _fire_and_hold(self) -> None:
        """Let what is due go off, and hold time until all that comes of it is done."""
        moment = max(self.now(), self._armed_for)
        self._at_work = True
        self._pace.hold(moment, self._running_loop().time())
        for timer in self._timers.take_moment(moment):
            timer.go_off()
        self._rest.ask(self._let_go)
        self._arm(again=True)

    def _let_go(self) -> None:
        self._at_work = False
        self._pace.let_go(self._running_loop().time())
        self._arm(again=True)


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


_UID_FREE = ~(0xF000 << 64) & ~(0xC000 << 48)
"""The bits of a UID that chance gives."""
_UID_VERSION = (0x4000 << 64) | (0x8000 << 48)
"""The others: they say that it is one of that kind."""


class Chance:
    """Everything random in a cluster: seeded, it gives the same again.

    Components take a `fork` each, so that one that draws more doesn't change what another draws.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self.seed = random.SystemRandom().getrandbits(48) if seed is None else seed

    @cached_property
    def _random(self) -> random.Random:
        """Made when something is drawn: there are many forks from which nothing ever is."""
        return random.Random(f"svcsim/{self.seed}")  # noqa: S311 - nothing secret comes from here

    def fork(self, name: str) -> "Chance":
        """A stream of its own that follows from this seed and the name alone."""
        return Chance(f"{self.seed}/{name}")

    def uid(self) -> str:
        text = f"{self._random.getrandbits(128) & _UID_FREE | _UID_VERSION:032x}"
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
