"""A controller beside a cluster that has none of its kind: with caches of its own, which may be behind, and killed at any request."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import pytest

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import Controller, ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.cluster import parts
from svcsim.controllers.job.controller import JobController
from svcsim.controllers.trims import trims
from svcsim.meta.http import LineBatches, LineStream, Request, Response, Told
from svcsim.meta.types import User
from tests.controllers.running import Running

Maker: TypeAlias = Callable[[ControllerContext], Controller]
_CHANGES = ("POST", "PUT", "PATCH", "DELETE")


def without_controller(monkeypatch: pytest.MonkeyPatch, maker: Maker) -> None:
    """Clusters from now on have no such controller."""
    monkeypatch.setattr(parts, "CONTROLLERS", tuple(entry for entry in parts.CONTROLLERS if entry[1] is not maker))


def without_job_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    without_controller(monkeypatch, JobController)


class Beside:
    """One life of a controller."""

    def __init__(
        self,
        running: Running,
        *,
        maker: Maker = JobController,
        behind_s: dict[str, float] | None = None,
        dies_after: int | None = None,
        before: Callable[[Request], Awaitable[None]] | None = None,
    ) -> None:
        """``behind_s``: how far caches are behind, by resource. ``dies_after``: its last change, whose answer it never sees.

        ``before`` is what happens before any of its requests is taken.
        """
        self._running = running
        self._maker = maker
        self._behind_s = behind_s or {}
        self._dies_after = dies_after
        self._before = before
        self._tasks: list[asyncio.Task[None]] = []
        self.changes = 0
        self.dead = asyncio.Event()

    def start(self) -> None:
        r = self._running
        client = Client(InProcessTransport(self._handle, User("system:controller", ("system:masters",))), r.dialect)
        informers = Informers(client, r.clock, Chance(3), trims(r.dialect))
        events = EventRecorder(client, r.clock, "controller-beside")
        context = ControllerContext(client, informers, r.cluster.served_types, r.clock, Chance(2), r.dialect, events)
        controller = self._maker(context)
        self._tasks = [asyncio.create_task(run) for run in (informers.run(), controller.run(), events.run())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _handle(self, request: Request) -> Response:
        if self.dead.is_set():
            raise ConnectionError("it is dead")
        if self._before is not None:
            await self._before(request)
        response = await self._running.cluster.pipeline.handle(request)
        if isinstance(response.stream, LineStream):
            delay_s = self._behind_s.get(request.path.rpartition("/")[2], 0.0)
            if delay_s:
                response.stream = LineStream(_Late(response.stream.batches, self._running.clock, delay_s))
        if request.method in _CHANGES and not request.path.endswith("/events"):
            self.changes += 1
            if self.changes == self._dies_after:
                self.dead.set()
                raise ConnectionError("it is dead")
        return response


class _Late(LineBatches):
    """Lines that come later than they are told."""

    def __init__(self, batches: LineBatches, clock: Clock, delay_s: float) -> None:
        self._batches = batches
        self._clock = clock
        self._delay_s = delay_s

    async def __anext__(self) -> list[bytes]:
        lines = await anext(self._batches)
        await self._clock.sleep(self._delay_s)
        return lines

    async def told(self) -> list[Told]:
        told = await self._batches.told()
        await self._clock.sleep(self._delay_s)
        return told

    async def aclose(self) -> None:
        await self._batches.aclose()


@asynccontextmanager
async def beside(running: Running, **how: object) -> AsyncIterator[Beside]:
    found = Beside(running, **how)  # type: ignore[arg-type]
    found.start()
    try:
        yield found
    finally:
        await found.stop()
