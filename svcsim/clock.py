"""A cluster's time: with `wall`, the only place that asks the machine for it.

It can run at the machine's pace, faster, slower, stand still and be stepped, or be *virtual*: then the event loop itself jumps to the next
timer as soon as nothing is left to do (`svcsim.virtual_loop`). Whoever needs time is given a `Clock`, whoever needs chance a
`svcsim.chance.Chance`; nothing above these modules imports ``time`` or ``random``, and a lint rule keeps it so. That is why a seeded run on
virtual time is the same run, byte for byte, on every machine.
"""

import asyncio
import math
import time
import types
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from typing import Any, Self

from svcsim.pace import Pace
from svcsim.rest import Rest, Work
from svcsim.timers import Timer, Timers
from svcsim.virtual_loop import VirtualLoop
from svcsim.wall import LATEST_S, wall_time

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


def _wake(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
