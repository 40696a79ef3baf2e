"""The scheduler: takes pods from the queue, decides, and has the decision written.

Deciding is one thing after the other, so that each decision sees the ones before it; writing is many things at a time, since it waits for
the API server. Between the two stands the assumption: a pod counts as placed as soon as that is decided.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.client.controller import ControllerContext
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import labels_of
from svcsim.scheduler.binding import bind, reference, report_unschedulable
from svcsim.scheduler.changes import Change
from svcsim.scheduler.feed import NodeFeed, PodFeed
from svcsim.scheduler.placement import Placement, Placer
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.queue import SchedulingQueue, Waiting
from svcsim.scheduler.relations import WellKnownKeys
from svcsim.scheduler.snapshot import Snapshot

if TYPE_CHECKING:
    from svcsim.timers import Timer

logger = logging.getLogger(__name__)

FLUSH_S = 30.0


class _Bound(NamedTuple):
    waiting: Waiting
    node: str


class _Refused(NamedTuple):
    waiting: Waiting
    message: str


class Scheduler:
    """Places the pods that name this scheduler, until cancelled."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._clock = context.clock
        self._events = context.events
        keys = WellKnownKeys.of(context.dialect)
        self.snapshot = Snapshot(keys.unschedulable_taint)
        self.queue = SchedulingQueue()
        self._stirred = asyncio.Event()
        self._alarm: Timer | None = None
        self._bindings: asyncio.Queue[_Bound] = asyncio.Queue(limits.BINDINGS_WAITING)
        self._refusals: asyncio.Queue[_Refused] = asyncio.Queue(limits.BINDINGS_WAITING)
        self._namespaces = context.informers.cache("v1", "namespaces")
        nodes = NodeFeed(self.snapshot, self.queue, context.clock, self._stirred.set)
        pods = PodFeed(self.snapshot, self.queue, context.clock, self._stirred.set)
        self._synced = (
            self._namespaces.synced,
            context.informers.of("v1", "nodes").follow(nodes),
            context.informers.of("v1", "pods").follow(pods),
        )
        self._placer = Placer(self.snapshot, keys, self._namespace_labels, context.chance.fork("ties"))

    async def run(self) -> None:
        """Schedule until cancelled. It may be run again: what was under way is then decided anew."""
        self._bindings = asyncio.Queue(limits.BINDINGS_WAITING)
        self._refusals = asyncio.Queue(limits.BINDINGS_WAITING)
        for key in self.queue.reclaim():
            self.snapshot.forget(key)
        for synced in self._synced:
            await synced.wait()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._decide(), name="scheduler decides")
            tasks.create_task(self._flush(), name="scheduler flushes")
            tasks.create_task(self._report(), name="scheduler reports")
            for number in range(limits.BINDERS):
                tasks.create_task(self._bind(), name=f"scheduler binds {number}")

    async def _decide(self) -> None:
        while True:
            self._stirred.clear()
            decided = 0
            while (waiting := self.queue.pop(self._clock.now())) is not None:
                await self._take_up(waiting)
                decided += 1
                if decided % limits.DECISIONS_A_TURN == 0:
                    await self._clock.turn()
            self._set_alarm()
            await self._stirred.wait()

    async def _take_up(self, waiting: Waiting) -> None:
        placement = await self._decide_one(waiting.pod)
        if not self.queue.is_trying(waiting):
            return  # it went, or was given a node, while that was decided
        if placement.node and (waiting.outdated or self.snapshot.node(placement.node) is None):
            self.queue.retry(waiting, self._clock.now())  # it has changed, or the node has gone
        elif placement.node:
            self.snapshot.assume(waiting.pod, placement.node)
            await self._bindings.put(_Bound(waiting, placement.node))
        else:
            self.queue.park(waiting, placement.helped_by, self._clock.now())
            await self._refusals.put(_Refused(waiting, placement.message))

    async def _decide_one(self, pod: PodInfo) -> Placement:
        decision = self._placer.place(pod)
        while True:
            try:
                next(decision)
            except StopIteration as decided:
                placement: Placement = decided.value
                return placement
            await self._clock.turn()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        due = self.queue.next_due()
        if due is not None:
            self._alarm = self._clock.call_later(due - self._clock.now(), self._stirred.set)

    async def _bind(self) -> None:
        while True:
            waiting, node = await self._bindings.get()
            pod = waiting.pod
            try:
                await bind(self._client, pod, node)
            except (StatusError, ConnectionError) as error:
                self._unbind(waiting, error)
            else:
                self._events.normal(reference(pod), "Scheduled", f"Successfully assigned {pod.key} to {node}", action="Binding")

    def _unbind(self, waiting: Waiting, error: Exception) -> None:
        """The binding wasn't taken: the place is free again. A pod that is gone, or has a node by now, comes by the watch."""
        now = self._clock.now()
        self.snapshot.forget(waiting.pod.key)
        self.queue.wake(Change.POD_GONE, now)
        if not isinstance(error, StatusError) or error.code not in {404, 409}:
            logger.info("scheduler: %s could not be bound: %s", waiting.pod.key, error)
        self.queue.retry(waiting, now)
        self._stirred.set()

    async def _report(self) -> None:
        while True:
            waiting, message = await self._refusals.get()
            pod = waiting.pod
            if pod.key not in self.queue:
                continue
            self._events.warning(reference(pod), "FailedScheduling", message, action="Scheduling")
            try:
                await report_unschedulable(self._client, self._clock, pod, message)
            except (StatusError, ConnectionError) as error:
                logger.info("scheduler: could not say why %s can't be placed: %s", pod.key, error)

    async def _flush(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_S)
            self.queue.flush(self._clock.now())
            self._stirred.set()

    def _namespace_labels(self, name: str) -> dict[str, str]:
        namespace = self._namespaces.get(name)
        return labels_of(namespace) if namespace is not None else {}
