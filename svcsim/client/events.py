"""Events: what components tell people about objects (``Scheduled``, ``Created pod: …``).

Reporting one never waits and never fails: events stand in a short queue until `EventRecorder.run` writes them, and are dropped where the
cluster won't take them. One that says the same again counts the first one up instead of making another, and of many about one object few
are written (`svcsim.client.event_correlation`).

Events have two forms. The newer one names the action that was tried, has microseconds, and counts repetitions in a series; the older one
has neither. As in Kubernetes, the scheduler reports in the newer form and everybody else in the older one.
"""

import asyncio
import logging
from collections import deque
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client, Collection
from svcsim.client.event_correlation import Correlated, Correlator, EventKey, Involved
from svcsim.client.event_series import EventSeries
from svcsim.clock import Clock, format_micro_time, turn
from svcsim.meta.errors import StatusError
from svcsim.meta.events import MICROSECOND_NS, SECOND_NS, event_name
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


class _PendingEvent(NamedTuple):
    key: EventKey
    correlated: Correlated
    moment_ns: int
    resource_version: str


class EventRecorder:
    """Writes the events of one component."""

    def __init__(
        self, client: Client, clock: Clock, component: str, host: str = "", objects: int = limits.EVENT_OBJECTS_REMEMBERED
    ) -> None:
        """What was said of so many ``objects`` is remembered."""
        self._client = client
        self._clock = clock
        self._component = component
        self._host = host
        self._queue: deque[_PendingEvent] = deque(maxlen=limits.EVENTS_WAITING)
        self._wake = asyncio.Event()
        self._latest_ns = 0
        self._correlator = Correlator(objects)
        self._series = EventSeries()
        self._longer = asyncio.Event()
        """There may be a series that is longer than was written."""

    def normal(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something in the order of things; with an action, in the newer form."""
        self._report(about, "Normal", reason, message, field_path, action)

    def warning(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something that a person may have to act on; with an action, in the newer form."""
        self._report(about, "Warning", reason, message, field_path, action)

    def let_go(self, about: Object) -> None:
        """An object is gone, and nothing will be reported of it again."""
        self._correlator.let_go(Involved.of(about, ""))

    async def run(self) -> None:
        """Write what is reported, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._write_all(), name=f"events of {self._component}")
            tasks.create_task(self._follow_series(), name=f"series of events of {self._component}")

    async def _write_all(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                await self._write_batch(self._next_batch())

    async def _write_batch(self, batch: list[_PendingEvent]) -> None:
        """New events are handed over one after another, which takes no waiting within this process; others are counted up side by side."""
        for pending in batch:
            if pending.correlated.times == 1:
                await self._write(pending)
        again = [self._write(pending) for pending in batch if pending.correlated.times > 1]
        await (asyncio.gather(*again) if again else turn())

    async def _follow_series(self) -> None:
        while True:
            await self._longer.wait()
            self._longer.clear()
            while (wait_s := self._series.wait_s(self._clock.now())) is not None:
                await self._clock.sleep(wait_s)
                for correlated, last_s in self._series.due(self._clock.now()):
                    self._enqueue(_PendingEvent(correlated.key, correlated, int(last_s * SECOND_NS), ""))

    def _next_batch(self) -> list[_PendingEvent]:
        """Events that can be written side by side: different ones, for the same one twice is to be counted up."""
        batch: dict[EventKey, _PendingEvent] = {}
        while self._queue and len(batch) < limits.EVENTS_AT_ONCE and self._queue[0].key not in batch:
            pending = self._queue.popleft()
            batch[pending.key] = pending
        return list(batch.values())

    def _report(self, about: Object, kind: str, reason: str, message: str, field_path: str, action: str) -> None:
        key = EventKey(Involved.of(about, field_path), kind, reason, message, action)
        now_s = self._clock.now()
        correlated = self._series.observe(key, now_s) if action else self._correlator.observe(key, now_s)
        if correlated is None:
            self._longer.set()
            return
        moment_ns = self._moment_ns(now_s)
        self._enqueue(_PendingEvent(correlated.key, correlated, moment_ns, about["metadata"].get("resourceVersion", "")))

    def _enqueue(self, pending: _PendingEvent) -> None:
        self._queue.append(pending)
        self._wake.set()

    def _moment_ns(self, now_s: float) -> int:
        """Now; a little later for each event after the first of the same moment, so that they have an order."""
        now_ns = int(now_s * SECOND_NS)
        if 0 <= self._latest_ns - now_ns < limits.EVENTS_WAITING * MICROSECOND_NS:
            now_ns = self._latest_ns + MICROSECOND_NS
        self._latest_ns = now_ns
        return now_ns

    async def _write(self, pending: _PendingEvent) -> None:
        key, times = pending.key, pending.correlated.times
        name = self._correlator.name_of(key) if times > 1 else None
        try:
            if name is not None:
                if await self._count_up(name, pending):
                    return
                times = 1  # the event is not there any more
                (self._series if key.action else self._correlator).forget(key)
            self._correlator.named(key, await self._create(pending, times), self._clock.now())
        except (StatusError, ConnectionError) as error:
            logger.debug("an event of %s was not taken: %s", self._component, error)

    async def _count_up(self, name: str, pending: _PendingEvent) -> bool:
        """Count an event up; False if it is not there any more."""
        try:
            await self._collection(pending.key).patch(name, self._repetition(pending))
        except StatusError as error:
            if error.code != 404:
                raise
            return False
        return True

    async def _create(self, pending: _PendingEvent, times: int) -> str:
        """Write a new event; gives its name. Where another component has taken the moment, it is the next that is free."""
        collection = self._collection(pending.key)
        for later_ns in range(limits.EVENT_NAME_TRIES):
            name = event_name(pending.key.about.name, pending.moment_ns + later_ns)
            try:
                await collection.drop_off(self._event(pending, name, times))
            except StatusError as error:
                if error.reason != "AlreadyExists" or later_ns == limits.EVENT_NAME_TRIES - 1:
                    raise
            else:
                break
        return name

    def _collection(self, key: EventKey) -> Collection:
        return self._client.resource("v1", "events", key.about.namespace or "default")

    def _event(self, pending: _PendingEvent, name: str, times: int) -> Object:
        key, about = pending.key, pending.key.about
        involved = {
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
            "uid": about.uid,
            "apiVersion": about.api_version,
            "resourceVersion": pending.resource_version,
            "fieldPath": about.field_path,
        }
        event: Object = {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": name, "namespace": about.namespace or "default"},
            "involvedObject": {field: value for field, value in involved.items() if value},
            "reason": key.reason,
            "message": pending.correlated.message,
            **({} if key.action else self._older_times(pending, times)),
            "type": key.type,
            **(_newer_times(pending, times) if key.action else {}),
            "reportingComponent": self._component,
            "reportingInstance": self._host or (self._component if key.action else ""),
        }
        if not event["message"]:
            del event["message"]
        return event

    def _older_times(self, pending: _PendingEvent, times: int) -> Object:
        timestamp = self._second(pending)
        return {
            "source": {"component": self._component, **({"host": self._host} if self._host else {})},
            "firstTimestamp": timestamp,
            "lastTimestamp": timestamp,
            "count": times,
        }

    def _repetition(self, pending: _PendingEvent) -> Object:
        """What changes of an event that happens once more."""
        if pending.key.action:
            return _series(pending)
        count: Object = {"count": pending.correlated.times, "lastTimestamp": self._second(pending)}
        message = pending.correlated.message
        return count if message == pending.key.message else {**count, "message": message}

    def _second(self, pending: _PendingEvent) -> str:
        """When it happened, in whole seconds: mostly now."""
        return self._clock.timestamp_of(pending.moment_ns // SECOND_NS)


def _newer_times(pending: _PendingEvent, times: int) -> Object:
    moment = format_micro_time(pending.moment_ns / SECOND_NS)
    return {"eventTime": moment, **(_series(pending) if times > 1 else {}), "action": pending.key.action}


def _series(pending: _PendingEvent) -> Object:
    return {"series": {"count": pending.correlated.times, "lastObservedTime": format_micro_time(pending.moment_ns / SECOND_NS)}}
