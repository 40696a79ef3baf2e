"""The scheduler: takes pods from the queue, decides, and has the decision written.

Deciding is one thing after the other, so that each decision sees the ones before it; writing is many things at a time, since it waits for
the API server (`writers`). Between the two stands the assumption: a pod counts as placed as soon as that is decided.
"""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import labels_of
from svcsim.meta.types import Object
from svcsim.scheduler.binding import NOT_READY
from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Known, WellKnownKeys
from svcsim.scheduler.devices.binding import DeviceBinding
from svcsim.scheduler.devices.filters import DYNAMIC_RESOURCES
from svcsim.scheduler.devices.known import KnownDevices
from svcsim.scheduler.devices.readiness import unready
from svcsim.scheduler.explanation import Explainer
from svcsim.scheduler.feed import Feed, NodeFeed, PodFeed
from svcsim.scheduler.hints import could_help
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.placement import Placement, Placer
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.queue import SchedulingQueue, Waiting
from svcsim.scheduler.rules import Filter
from svcsim.scheduler.selectors import DefaultSelectors
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import in_turns
from svcsim.scheduler.volumes.binding import VolumeBinding, VolumesError
from svcsim.scheduler.volumes.known import KnownStorage
from svcsim.scheduler.writers import Bound, Unplaced, Writers, error_in_binding

if TYPE_CHECKING:
    from svcsim.timers import Timer

logger = logging.getLogger(__name__)

FLUSH_S = 30.0
NOT_READY_TOLD_S = 5.0
"""How long a pod waits for its claims on devices to be made before that is told of."""


class Scheduler:
    """Places the pods that name this scheduler, until cancelled."""

    def __init__(self, context: ControllerContext, events: Mapping[str, EventRecorder]) -> None:
        """``events`` are by the names that pods may call it by: each reports in its own."""
        self._clock = context.clock
        self._events = events
        self._served_types = context.served_types
        informers = context.informers
        keys = WellKnownKeys.of(context.dialect)
        self.snapshot = Snapshot(keys.unschedulable_taint)
        self.queue = SchedulingQueue(self._could_help)
        self._stirred = asyncio.Event()
        self._alarm: Timer | None = None
        self._untold: dict[str, Timer] = {}
        """Pods whose claims on devices aren't all there, until that is told of."""
        storage = KnownStorage(informers, context.dialect)
        self._volumes = VolumeBinding(context, storage, self.snapshot.node, self._wake_pod, partial(self._wake_all, Kind.STORAGE))
        feed = Feed(self.snapshot, self.queue, context.clock, self._stirred.set)
        self._known_devices = KnownDevices(informers, context.dialect)
        wake_all = partial(self._wake_all, Kind.DEVICES)
        self._devices = DeviceBinding(context, self._known_devices, feed.claimants, self._wake_pod, wake_all)
        self._writers = Writers(context.client, context.clock, events, self._waits, self._unbound, self._volumes, self._devices)
        self._namespaces = informers.cache("v1", "namespaces")
        self._selectors = DefaultSelectors(informers)
        self._budgets = informers.cache("policy/v1", "poddisruptionbudgets")
        self._known = Known(keys, self._namespace_labels, self._selectors.of, self._budgets.all, storage, self._known_devices)
        self._synced = (
            self._namespaces.synced,
            informers.of("v1", "nodes").follow(NodeFeed(feed)),
            informers.of("v1", "pods").follow(PodFeed(feed, tuple(events))),
        )
        self._where_served = (
            ("policy/v1", "poddisruptionbudgets", self._budgets),
            *self._selectors.sources,
            *storage.sources,
            *self._known_devices.sources,
        )
        self._placer = Placer(self.snapshot, self._known, context.chance.fork("ties"))
        self._namespaces.add_handler(self._namespace_changed)
        self.explainer = Explainer(self.snapshot, self.queue, self._known, context.client, context.clock, tuple(events))

    async def run(self) -> None:
        """Schedule until cancelled. It may be run again: what was under way is then decided anew."""
        for key in self.queue.reclaim():
            self.snapshot.forget(key)
        self._volumes.forget_all()
        self._devices.forget_all()
        for synced in self._synced:
            await synced.wait()
        await self._wait_for_what_is_served()
        async with asyncio.TaskGroup() as tasks:
            for name, recorder in self._events.items():
                tasks.create_task(recorder.run(), name=f"events of {name}")
            tasks.create_task(self._writers.run(), name="scheduler writes")
            tasks.create_task(self._decide(), name="scheduler decides")
            tasks.create_task(self._flush(), name="scheduler flushes")
            tasks.create_task(self._go_on_with_settled(), name="scheduler goes on with what has its volumes")

    async def _wait_for_what_is_served(self) -> None:
        """Have read what a cluster may do without."""
        await self._served_types.known.wait()
        served = {(one.api_version, one.plural) for one in (await self._served_types.current()).resources}
        for api_version, plural, cache in self._where_served:
            if (api_version, plural) in served:
                await cache.synced.wait()

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
        if waiting.pod.devices and unready(waiting.pod, self._known_devices):
            self.queue.hold(waiting, (DYNAMIC_RESOURCES,), self._clock.now())
            self._tell_later(waiting.pod)
            return
        placement = await in_turns(self._placer.place(waiting.pod), self._clock)
        if not self.queue.is_trying(waiting):
            return  # it went, or was given a node, while that was decided
        node = self.snapshot.node(placement.node)
        if placement.node and (waiting.outdated or node is None or not self._reserve(waiting.pod, node)):
            self.queue.retry(waiting, self._clock.now())  # it has changed, or the node has gone, or what it was to have there
        elif placement.node:
            self.snapshot.assume(waiting.pod, placement.node)
            await self._writers.bind(Bound(waiting, placement.node))
        else:
            unplaced = self._make_room(waiting.pod, placement)
            self.queue.park(waiting, placement.refused_by, self._clock.now())
            await self._writers.report(unplaced)

    def _reserve(self, pod: PodInfo, node: NodeInfo) -> bool:
        """Assume what a pod is to have on a node beside its place."""
        if not self._volumes.reserve(pod, node):
            return False
        if not self._devices.reserve(pod, node):
            self._volumes.release(pod.key)
            return False
        return True

    def _tell_later(self, pod: PodInfo) -> None:
        """Have it told why a pod isn't tried yet, if that stays so for a while: most claims are made within a moment."""
        if pod.key not in self._untold:
            self._untold[pod.key] = self._clock.call_later(NOT_READY_TOLD_S, self._tell_unready, pod.key)

    def _tell_unready(self, key: str) -> None:
        del self._untold[key]
        waiting = self.queue.get(key)
        why = unready(waiting.pod, self._known_devices) if waiting is not None and waiting.place == "parked" else ""
        if waiting is not None and why and not self._writers.report_soon(Unplaced(waiting.pod, why, NOT_READY)):
            self._tell_later(waiting.pod)

    def _make_room(self, pod: PodInfo, placement: Placement) -> Unplaced:
        """Reserve the place that is being cleared for a pod. If there is none, drop an earlier reservation."""
        victims = placement.victims
        if victims is None:
            nominated = self.snapshot.nomination(pod.key) if placement.waits else ""
            if not nominated:
                self.snapshot.denominate(pod.key)
            return Unplaced(pod, placement.message, nominated=nominated, give_back=placement.give_back)
        lower = [one for one in self.snapshot.nominated.get(victims.node, {}).values() if one.needs.priority < pod.needs.priority]
        for one in lower:
            self.snapshot.denominate(one.key)
        for victim in victims.pods:
            self.snapshot.condemn(victim.key)
        self.snapshot.nominate(pod, victims.node)
        room = Unplaced(pod, placement.message, nominated=victims.node, victims=victims, withdrawn=tuple(lower))
        return room._replace(give_back=placement.give_back)

    def _waits(self, pod: PodInfo) -> bool:
        waiting = self.queue.get(pod.key)
        return waiting is not None and waiting.pod.uid == pod.uid

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        due = self.queue.next_due()
        if due is not None:
            self._alarm = self._clock.call_later(due - self._clock.now(), self._stirred.set)

    async def _unbound(self, waiting: Waiting, error: Exception) -> None:
        """The binding wasn't taken: the place is free again. A pod that is gone, or has a node by now, comes by the watch."""
        now, pod = self._clock.now(), waiting.pod
        self._volumes.release(pod.key)
        went_on = isinstance(error, StatusError) and error.code in {404, 409}
        if went_on:
            self._devices.release(pod.key)  # who sees to its claims learns of that, too
        elif pod.devices:
            await self._unreserve(pod)
        for change in self.snapshot.forget(pod.key):
            self.queue.wake(change, now)
        self.queue.retry(waiting, now)
        self._stirred.set()
        if not went_on:
            logger.info("scheduler: %s could not be bound: %s", pod.key, error)
            await self._writers.report(error_in_binding(pod, error))

    async def _unreserve(self, pod: PodInfo) -> None:
        try:
            await self._devices.unreserve(pod)
        except (StatusError, ConnectionError) as error:
            logger.info("scheduler: the claims of %s could not be freed: %s", pod.key, error)

    async def _go_on_with_settled(self) -> None:
        """Bind the pods that have waited for their volumes, or look for another place where they didn't get them."""
        while True:
            waiting, node, error = await self._volumes.settled.get()
            if not self.queue.is_trying(waiting):
                self._volumes.release(waiting.pod.key)
                self._devices.release(waiting.pod.key)
            elif error:
                await self._unbound(waiting, VolumesError(error))
            else:
                await self._writers.bind(Bound(waiting, node))

    def _wake_pod(self, key: str) -> None:
        """What a pod uses has changed."""
        if key in self.queue:
            self.queue.wake_pod(key, self._clock.now())
            self._stirred.set()

    def _wake_all(self, kind: Kind) -> None:
        """What any pod could use has changed."""
        self.queue.wake(Change(kind), self._clock.now())
        self._stirred.set()

    async def _flush(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_S)
            self.queue.flush(self._clock.now())
            self._stirred.set()

    def _could_help(self, pod: PodInfo, refused_by: tuple[Filter, ...], change: Change) -> bool:
        return could_help(pod, refused_by, change, self._known)

    def _namespace_labels(self, name: str) -> dict[str, str]:
        namespace = self._namespaces.get(name)
        return labels_of(namespace) if namespace is not None else {}

    def _namespace_changed(self, _change: str, namespace: Object, before: Object | None) -> None:
        if before is None or labels_of(before) != labels_of(namespace):
            self._placer.forget_counts()
