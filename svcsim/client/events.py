"""Events: what components tell people about objects (``Scheduled``, ``Created pod: …``).

Reporting one never waits and never fails: events stand in a short queue until `EventRecorder.run` writes them, and are dropped where the
cluster won't take them. One that says the same again counts the first one up instead of making another, and of many about one object few
are written (`svcsim.client.event_correlation`).

Events have two forms. The newer one names the action that was tried, has microseconds, and counts repetitions in a series; the older one
has neither. As in Kubernetes, the scheduler reports in the newer form and everybody else in the older one.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.client.api import Client, Collection
from svcsim.client.event_correlation import Correlator, Involved, Reported
from svcsim.client.event_series import EventSeries, Series
from svcsim.clock import Clock, format_micro_time, turn
from svcsim.meta.errors import StatusError
from svcsim.meta.events import MICROSECOND_NS, SECOND_NS, event_name
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.timers import Timer

logger = logging.getLogger(__name__)


class _PendingEvent(NamedTuple):
    """An event as it is to be written."""

    event: Reported
    message: str
    times: int
    moment_ns: int
    resource_version: str


class EventRecorder:
    """Writes the events of one component. Each node has one of its own, so what most never need is made when it is needed."""

    def __init__(
        self, client: Client, clock: Clock, component: str, host: str = "", objects: int = limits.EVENT_OBJECTS_REMEMBERED
    ) -> None:
        """What was said of so many ``objects`` is remembered."""
        self._events = client.resource("v1", "events", "default")
        """Of the namespace in which the last one was written."""
        self._clock = clock
        self._component = component
        self._host = host
        self._pending: list[_PendingEvent] = []
        self._runs = False
        self._idle: asyncio.Future[None] | None = None
        """Ends as soon as there is something to be written again."""
        self._latest_ns = 0
        self._correlator = Correlator(objects)
        self._series: EventSeries | None = None
        self._series_timer: Timer | None = None
        """Goes off when a series that is longer than was written may be due."""

    def normal(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something in the order of things; with an action, in the newer form."""
        self._report(about, "Normal", reason, message, field_path, action)

    def warning(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something that a person may have to act on; with an action, in the newer form."""
        self._report(about, "Warning", reason, message, field_path, action)

    def let_go(self, about: Object) -> None:
        """An object is gone, and nothing will be reported of it again."""
        self._correlator.let_go(Involved.of(about))

    async def run(self) -> None:
        """Write what is reported, until cancelled."""
        self._runs = True
        self._follow_series()
        try:
            while True:
                if self._pending:
                    await self._write_batch(self._next_batch())
                else:
                    self._idle = asyncio.get_running_loop().create_future()
                    await self._idle
        finally:
            self._runs = False
            if self._series_timer is not None:
                self._series_timer.cancel()
                self._series_timer = None

    async def _write_batch(self, batch: list[_PendingEvent]) -> None:
        """New events are handed over one after another, which takes no waiting within this process; others are counted up side by side."""
        for pending in batch:
            if pending.times == 1:
                await self._write(pending)
        again = [self._write(pending) for pending in batch if pending.times > 1]
        await (asyncio.gather(*again) if again else turn())

    def _next_batch(self) -> list[_PendingEvent]:
        """Events that can be written side by side: different ones, for the same one twice is to be counted up."""
        batch: dict[Reported, _PendingEvent] = {}
        for pending in self._pending[: limits.EVENTS_AT_ONCE]:
            if pending.event in batch:
                break
            batch[pending.event] = pending
        del self._pending[: len(batch)]
        return list(batch.values())

    def _report(self, about: Object, kind: str, reason: str, message: str, field_path: str, action: str) -> None:
        now_s = self._clock.now()
        involved = Involved.of(about)
        event: Reported | None
        if action:
            if self._series is None:
                self._series = EventSeries()
            event = self._series.observe(Series(involved, field_path, kind, reason, message, now_s, action))
            if event is None:
                self._follow_series()
            else:
                message = event.message
        else:
            event, message = self._correlator.observe(Reported(involved, field_path, kind, reason, message, now_s))
        if event is not None:
            self._enqueue(event, message, self._moment_ns(now_s), about["metadata"].get("resourceVersion", ""))

    def _follow_series(self) -> None:
        """See to it that series that are longer than was written are written when they are due."""
        if self._series is None or self._series_timer is not None or not self._runs:
            return
        wait_s = self._series.wait_s(self._clock.now())
        if wait_s is not None:
            self._series_timer = self._clock.call_later(wait_s, self._write_series, self._series)

    def _write_series(self, known: EventSeries) -> None:
        self._series_timer = None
        for series in known.due(self._clock.now()):
            self._enqueue(series, series.message, int(series.last_s * SECOND_NS), "")
        self._follow_series()

    def _enqueue(self, event: Reported, message: str, moment_ns: int, resource_version: str) -> None:
        if len(self._pending) >= limits.EVENTS_WAITING:
            del self._pending[0]
        self._pending.append(_PendingEvent(event, message, event.times, moment_ns, resource_version))
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def _moment_ns(self, now_s: float) -> int:
        """Now; a little later for each event after the first of the same moment, so that they have an order."""
        now_ns = int(now_s * SECOND_NS)
        if 0 <= self._latest_ns - now_ns < limits.EVENTS_WAITING * MICROSECOND_NS:
            now_ns = self._latest_ns + MICROSECOND_NS
        self._latest_ns = now_ns
        return now_ns

    async def _write(self, pending: _PendingEvent) -> None:
        event, times = pending.event, pending.times
        try:
            if times > 1 and event.moment_ns is not None:
                if await self._count_up(event_name(event.about.name, event.moment_ns), pending):
                    return
                times = 1  # the event is not there any more
                event.begin_anew()
            event.moment_ns = await self._create(pending, times)
        except (StatusError, ConnectionError) as error:
            logger.debug("an event of %s was not taken: %s", self._component, error)

    async def _count_up(self, name: str, pending: _PendingEvent) -> bool:
        """Count an event up; False if it is not there any more."""
        try:
            await self._collection(pending.event.about).patch(name, self._repetition(pending))
        except StatusError as error:
            if error.code != 404:
                raise
            return False
        return True

    async def _create(self, pending: _PendingEvent, times: int) -> int:
        """Write a new event; gives the moment that its name tells: where another component has taken the first, the next that is free."""
        about = pending.event.about
        collection = self._collection(about)
        moment_ns = pending.moment_ns
        while True:
            try:
                await collection.drop_off(self._event(pending, event_name(about.name, moment_ns), times))
            except StatusError as error:
                moment_ns += 1
                if error.reason != "AlreadyExists" or moment_ns == pending.moment_ns + limits.EVENT_NAME_TRIES:
                    raise
            else:
                return moment_ns

    def _collection(self, about: Involved) -> Collection:
        """Where an event about an object stands. Events that follow each other mostly stand in the same namespace."""
        namespace = about.namespace or "default"
        if self._events.namespace != namespace:
            self._events = self._events.within(namespace)
        return self._events

    def _event(self, pending: _PendingEvent, name: str, times: int) -> Object:
        event, about = pending.event, pending.event.about
        involved = {
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
            "uid": about.uid,
            "apiVersion": about.api_version,
            "resourceVersion": pending.resource_version,
            "fieldPath": event.field_path,
        }
        made: Object = {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": name, "namespace": about.namespace or "default"},
            "involvedObject": {field: value for field, value in involved.items() if value},
            "reason": event.reason,
        }
        if pending.message:
            made["message"] = pending.message
        if not event.action:
            made["source"] = {"component": self._component, "host": self._host} if self._host else {"component": self._component}
            made["firstTimestamp"] = made["lastTimestamp"] = self._second(pending)
            made["count"] = times
        made["type"] = event.type
        if event.action:
            made["eventTime"] = format_micro_time(pending.moment_ns / SECOND_NS)
            if times > 1:
                made.update(_series(pending))
            made["action"] = event.action
        made["reportingComponent"] = self._component
        made["reportingInstance"] = self._host or (self._component if event.action else "")
        return made

    def _repetition(self, pending: _PendingEvent) -> Object:
        """What changes of an event that happens once more."""
        if pending.event.action:
            return _series(pending)
        count: Object = {"count": pending.times, "lastTimestamp": self._second(pending)}
        message = pending.message
        return count if message == pending.event.message else {**count, "message": message}

    def _second(self, pending: _PendingEvent) -> str:
        """When it happened, in whole seconds: mostly now."""
        return self._clock.timestamp_of(pending.moment_ns // SECOND_NS)


def _series(pending: _PendingEvent) -> Object:
    return {"series": {"count": pending.times, "lastObservedTime": format_micro_time(pending.moment_ns / SECOND_NS)}}
