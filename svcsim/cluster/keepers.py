"""What keeps a cluster running beside its components: its time, its memory, and whoever starts a component again that failed."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable

from svcsim import limits
from svcsim.clock import Clock, loop_sleep
from svcsim.cluster.process import give_back_memory, resident_bytes
from svcsim.storage.contract import Store, StoreError
from svcsim.wall import wall_time

logger = logging.getLogger(__name__)

Run = Callable[[], Awaitable[None]]

_TIME = "time"
"""Under this name the store keeps where cluster time stood."""
TIME_NOTED_EVERY_S = 10.0
"""How often cluster time is noted while nothing else is written."""
TIME_LOOKED_AT_EVERY_S = 1.0
"""How often it is looked whether time is to be noted, while others look on: they may step the clock, and their machine may have slept."""
TIME_LOOKED_AT_ALONE_EVERY_S = 600.0
"""The same where nobody does: hours may pass in a moment there, and nobody goes on with the store."""
_MACHINE_SPEED = 1.0
_KEPT_UP_S = 60.0
"""Who is no further behind the machine's time goes by it: a busy machine may have kept it up."""
_RESTART_AFTER_S = 1.0
"""Cluster seconds before a component that failed is started again."""


class Supervisor:
    """Runs components, and starts again what fails."""

    def __init__(self, clock: Clock) -> None:
        self.failures: list[BaseException] = []
        """What made components fail; the newest last."""
        self._down: dict[str, BaseException] = {}
        """Those that have failed and aren't started again yet, and what made them fail."""
        self._clock = clock
        self._tasks: list[asyncio.Task[None]] = []

    def trouble(self, names: Iterable[str]) -> str:
        """Which of these components has failed, and why; empty where all of them run."""
        return "; ".join(f"{name} failed and is started again: {self._down[name]!r}" for name in names if name in self._down)

    def start(self, components: Iterable[tuple[str, Run]]) -> None:
        """Bring components to life, in their order."""
        self._tasks = [asyncio.create_task(self.supervise(name, run), name=name) for name, run in components]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def supervise(self, name: str, run: Run) -> None:
        """Run a component; one that fails is logged, and started again."""
        while True:
            task = asyncio.ensure_future(run())
            try:
                await asyncio.wait((task,))
            finally:
                task.cancel()
                # Whoever stops a component goes on with what it was using. One that waits for others may take too long for that.
                await asyncio.wait((task,), timeout=limits.COMPONENT_END_S)
            failure = None if task.cancelled() else task.exception()
            if failure is None:
                return
            self.failures.append(failure)
            del self.failures[: -limits.KEPT_FAILURES]
            logger.error("%s failed and is started again", name, exc_info=failure)
            self._down[name] = failure
            await self._clock.sleep(_RESTART_AFTER_S)
            del self._down[name]


async def _nobody(_pace: float) -> None:
    """Nobody keeps it."""


class TimeKeeper:
    """Keeps the cluster's time up with the machine's, and notes it, so that it doesn't go back at the next start; tells of its pace.

    It is noted with whatever is written, so that nothing stored lies behind the time of the next start however this one ends; when
    somebody is told that the clock has been moved; and now and then while nothing happens.
    """

    def __init__(self, store: Store, clock: Clock, every_s: float) -> None:
        """``every_s``: how often to look."""
        self._every_s = every_s
        self._store = store
        self._clock = clock
        self._noted = clock.now()
        self._told_pace = clock.given_speed
        self.on_pace: Callable[[float], Awaitable[None]] = _nobody
        """Keeps, for the next start, the pace that was last asked for."""
        store.keep_along(_TIME, self._now)

    async def run(self) -> None:
        """Note it every few seconds, while it moves; and at once where it has been set back."""
        if _noted_in(self._store)[0] > self._clock.now():
            await self.note()
        while True:
            await loop_sleep(self._every_s)
            self._clock.catch_up()
            if abs(self._clock.now() - self._noted) >= TIME_NOTED_EVERY_S or self._clock.given_speed != self._told_pace:
                await self.note()

    async def note(self) -> None:
        """Write down where cluster time stands, and at which pace; the next note will do if the store can't write, which it has told."""
        with contextlib.suppress(StoreError):
            await self._store.put_meta(_TIME, self._now())
        pace = self._clock.given_speed
        if pace != self._told_pace:
            self._told_pace = pace
            await self.on_pace(pace)

    def _now(self) -> bytes:
        self._noted = self._clock.now()
        return f"{self._noted!r} {wall_time()!r}".encode()


def start_time(store: Store, start_s: float | None, speed: float) -> float:
    """When cluster time goes on: when it is told to, else by how it went.

    Time that goes by the machine's has gone on meanwhile, and is as far behind it as it was; it never goes back before where it stood.
    Time of any other pace goes on where it stood.
    """
    if start_s is not None:
        return start_s
    stood_s, machine_s = _noted_in(store)
    if speed != _MACHINE_SPEED and stood_s:
        return stood_s
    behind_s = machine_s - stood_s
    return max(wall_time() - (behind_s if behind_s > _KEPT_UP_S else 0.0), stood_s)


def _noted_in(store: Store) -> tuple[float, float]:
    """Where cluster time stood, and the machine's then; nought in a new store, and behind what was noted without the machine's."""
    stood, _, machine = (store.get_meta(_TIME) or b"0").partition(b" ")
    return float(stood), float(machine or stood)


class MemoryKeeper:
    """Looks after the process's size, by the machine's time."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def run(self) -> None:
        """Give back what the store has mapped, as soon as that is much, and now and then what has been freed."""
        while True:
            for _ in range(limits.KEPT_MEMORY_CHECKS):
                self._store.release_memory(limits.MAPPED_BYTES)
                await loop_sleep(limits.MAPPED_CHECK_S)
            if resident_bytes() > limits.KEPT_MEMORY_BYTES:
                await give_back_memory()
