"""The scheduler's writers: decisions stand in a queue until a few workers have told the API server of them.

Deciding is one thing after the other and waits for nobody; writing waits for the API server, so there are many at a time.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.events import EventRecorder
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.scheduler.binding import SCHEDULER_ERROR, UNSCHEDULABLE, bind, reference, report_unplaced, take_away, withdraw_nomination
from svcsim.scheduler.devices.binding import DeviceBinding, DevicesError
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.preemption import Victims
from svcsim.scheduler.queue import Waiting
from svcsim.scheduler.volumes.binding import VolumeBinding, VolumesError

logger = logging.getLogger(__name__)
_CUT_OFF = " ..."


class Bound(NamedTuple):
    """A pod that is to go to a node."""

    waiting: Waiting
    node: str


class Unplaced(NamedTuple):
    """A pod that can't be placed; the node that is being cleared for it, and pods whose nomination ends."""

    pod: PodInfo
    message: str
    reason: str = UNSCHEDULABLE
    nominated: str = ""
    victims: Victims | None = None
    give_back: Object | None = None
    """A claim whose devices keep the pod from nodes, and are to be free again."""
    withdrawn: tuple[PodInfo, ...] = ()


class Writers:
    """Writes decisions. ``unbound`` is called with a binding that the server refused."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        events: Mapping[str, EventRecorder],
        waits: Callable[[PodInfo], bool],
        unbound: Callable[[Waiting, Exception], Awaitable[None]],
        volumes: VolumeBinding,
        devices: DeviceBinding,
    ) -> None:
        """``events`` are by the scheduler's names: each reports in its own. ``waits`` tells whether a pod is still to be placed.

        ``volumes`` has those of a pod bound before the pod is, ``devices`` those of its claims given.
        """
        self._client = client
        self._clock = clock
        self._events = events
        self._waits = waits
        self._unbound = unbound
        self._volumes = volumes
        self._devices = devices
        self._bindings: asyncio.Queue[Bound] = asyncio.Queue(limits.BINDINGS_WAITING)
        self._unplaced: asyncio.Queue[Unplaced] = asyncio.Queue(limits.BINDINGS_WAITING)

    async def bind(self, bound: Bound) -> None:
        """Have a pod bound; waits while there is no room for more."""
        await self._bindings.put(bound)

    async def report(self, unplaced: Unplaced) -> None:
        """Have it told why a pod can't be placed; waits while there is no room for more."""
        await self._unplaced.put(unplaced)

    def report_soon(self, unplaced: Unplaced) -> bool:
        """Have it told why a pod can't be placed; False while there is no room for more."""
        if self._unplaced.full():
            return False
        self._unplaced.put_nowait(unplaced)
        return True

    async def run(self) -> None:
        """Write until cancelled. It may be run again: what stood in the queues is forgotten."""
        self._bindings = asyncio.Queue(limits.BINDINGS_WAITING)
        self._unplaced = asyncio.Queue(limits.BINDINGS_WAITING)
        async with asyncio.TaskGroup() as tasks:
            for number in range(limits.BINDERS):
                tasks.create_task(self._bind(), name=f"scheduler binds {number}")
            for number in range(limits.SCHEDULER_REPORTERS):
                tasks.create_task(self._report(), name=f"scheduler reports {number}")

    async def _bind(self) -> None:
        while True:
            waiting, node = await self._bindings.get()
            pod = waiting.pod
            try:
                if pod.claims and not await self._volumes.write(waiting, node):
                    continue  # it waits for its volumes, and comes again
                if pod.devices:
                    await self._devices.write(pod)
                await bind(self._client, pod, node)
            except (StatusError, ConnectionError, VolumesError, DevicesError) as error:
                await self._unbound(waiting, error)
            else:
                if pod.devices:
                    self._devices.release(pod.key)
                message = f"Successfully assigned {pod.key} to {node}"
                self._events[pod.scheduler].normal(reference(pod), "Scheduled", message, action="Binding")

    async def _report(self) -> None:
        while True:
            unplaced = await self._unplaced.get()
            pod = unplaced.pod
            if not self._waits(pod):
                continue  # it is gone, or placed by another scheduler: no pods are preempted for it
            self._events[pod.scheduler].warning(reference(pod), "FailedScheduling", _noted(unplaced.message), action="Scheduling")
            try:
                await report_unplaced(self._client, self._clock, pod, unplaced.reason, unplaced.message, unplaced.nominated)
                for other in unplaced.withdrawn:
                    await withdraw_nomination(self._client, self._clock, other)
            except (StatusError, ConnectionError) as error:
                logger.info("scheduler: could not say why %s can't be placed: %s", pod.key, error)
            if unplaced.give_back is not None:
                await self._give_back(pod, unplaced.give_back)
            if unplaced.victims is not None:
                await self._take_away(pod, unplaced.victims.pods, unplaced.nominated)

    async def _give_back(self, pod: PodInfo, claim: Object) -> None:
        try:
            await self._devices.give_back(claim, pod)
        except (StatusError, ConnectionError) as error:
            logger.info("scheduler: devices of %s could not be given back for %s: %s", claim["metadata"]["name"], pod.key, error)

    async def _take_away(self, pod: PodInfo, victims: Iterable[PodInfo], node: str) -> None:
        for victim in victims:
            try:
                taken = await take_away(self._client, self._clock, victim, pod.scheduler)
            except (StatusError, ConnectionError) as error:
                logger.info("scheduler: %s could not be taken away for %s: %s", victim.key, pod.key, error)
                continue
            if taken:
                message = f"Preempted by pod {pod.uid} on node {node}"
                self._events[pod.scheduler].normal(reference(victim), "Preempted", message, action="Preempting")


def error_in_binding(pod: PodInfo, error: Exception) -> Unplaced:
    """The message for a pod whose binding failed for a reason other than a change of it or of other objects."""
    if isinstance(error, VolumesError):
        return Unplaced(pod, f'running PreBind plugin "VolumeBinding": binding volumes: {error}', SCHEDULER_ERROR)
    if isinstance(error, DevicesError):
        return Unplaced(pod, f'running PreBind plugin "DynamicResources": {error}', SCHEDULER_ERROR)
    return Unplaced(pod, f'binding rejected: running Bind plugin "DefaultBinder": {error}', SCHEDULER_ERROR)


def _noted(message: str) -> str:
    """As much of a message as an Event may have."""
    if len(message) <= limits.EVENT_NOTE_CHARS:
        return message
    return message[: limits.EVENT_NOTE_CHARS - len(_CUT_OFF)] + _CUT_OFF
