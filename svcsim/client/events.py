"""Events: what components tell people about objects (``Scheduled``, ``Created pod: …``).

Reporting one never waits and never fails: events stand in a short queue until `EventRecorder.run` writes them, and are dropped where the
cluster won't take them. One that says the same again counts the first one up instead of making another.

Events have two forms. The newer one names the action that was tried, has microseconds, and counts repetitions in a series; the older one
has neither. As in Kubernetes, the scheduler reports in the newer form and everybody else in the older one.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client, Collection
from svcsim.clock import Clock, format_micro_time, format_time
from svcsim.meta.errors import StatusError
from svcsim.meta.events import MICROSECOND_NS, SECOND_NS, event_name
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


class _EventKey(NamedTuple):
    """What makes two events the same one."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str
    field_path: str
    type: str
    reason: str
    message: str
    action: str
    """What was tried; empty for an event of the older form."""


class _PendingEvent(NamedTuple):
    key: _EventKey
    moment_ns: int
    resource_version: str


class _WrittenEvent(NamedTuple):
    name: str
    times: int


class EventRecorder:
    """Writes the events of one component."""

    def __init__(self, client: Client, clock: Clock, component: str, host: str = "") -> None:
        self._client = client
        self._clock = clock
        self._component = component
        self._host = host
        self._queue: deque[_PendingEvent] = deque(maxlen=limits.EVENTS_WAITING)
        self._wake = asyncio.Event()
        self._latest_ns = 0
        self._written: OrderedDict[_EventKey, _WrittenEvent] = OrderedDict()

    def normal(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something in the order of things; with an action, in the newer form."""
        self._report(about, "Normal", reason, message, field_path, action)

    def warning(self, about: Object, reason: str, message: str, field_path: str = "", action: str = "") -> None:
        """Report something somebody may have to act on; with an action, in the newer form."""
        self._report(about, "Warning", reason, message, field_path, action)

    async def run(self) -> None:
        """Write what is reported, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                await asyncio.gather(*(self._write(pending) for pending in self._next_batch()))

    def _next_batch(self) -> list[_PendingEvent]:
        """Events that can be written side by side: different ones, for the same one twice is to be counted up."""
        batch: dict[_EventKey, _PendingEvent] = {}
        while self._queue and len(batch) < limits.EVENTS_AT_ONCE and self._queue[0].key not in batch:
            pending = self._queue.popleft()
            batch[pending.key] = pending
        return list(batch.values())

    def _report(self, about: Object, kind: str, reason: str, message: str, field_path: str, action: str) -> None:
        meta = about["metadata"]
        key = _EventKey(
            api_version=about.get("apiVersion", ""),
            kind=about.get("kind", ""),
            namespace=meta.get("namespace", ""),
            name=meta["name"],
            uid=meta.get("uid", ""),
            field_path=field_path,
            type=kind,
            reason=reason,
            message=message,
            action=action,
        )
        self._queue.append(_PendingEvent(key, self._moment_ns(), meta.get("resourceVersion", "")))
        self._wake.set()

    def _moment_ns(self) -> int:
        """Now; a little later for each event after the first of the same moment, so that they have an order."""
        now_ns = int(self._clock.now() * SECOND_NS)
        if 0 <= self._latest_ns - now_ns < limits.EVENTS_WAITING * MICROSECOND_NS:
            now_ns = self._latest_ns + MICROSECOND_NS
        self._latest_ns = now_ns
        return now_ns

    async def _write(self, pending: _PendingEvent) -> None:
        key = pending.key
        before = self._written.get(key)
        try:
            if before is not None and await self._count_up(before, pending):
                self._remember(key, _WrittenEvent(before.name, before.times + 1))
            else:
                self._remember(key, _WrittenEvent(await self._create(pending), 1))
        except (StatusError, ConnectionError) as error:
            logger.debug("an event of %s was not taken: %s", self._component, error)

    async def _count_up(self, before: _WrittenEvent, pending: _PendingEvent) -> bool:
        """Count an event up; False if it is not there any more."""
        patch = _repetition(pending, before.times + 1)
        try:
            await self._collection(pending.key).patch(before.name, patch)
        except StatusError as error:
            if error.code != 404:
                raise
            return False
        return True

    async def _create(self, pending: _PendingEvent) -> str:
        """Write a new event; gives its name. Where another component has taken the moment, it is the next that is free."""
        collection = self._collection(pending.key)
        for later_ns in range(limits.EVENT_NAME_TRIES):
            name = event_name(pending.key.name, pending.moment_ns + later_ns)
            try:
                await collection.create(self._event(pending, name))
            except StatusError as error:
                if error.reason != "AlreadyExists" or later_ns == limits.EVENT_NAME_TRIES - 1:
                    raise
            else:
                break
        return name

    def _collection(self, key: _EventKey) -> Collection:
        return self._client.resource("v1", "events", key.namespace or "default")

    def _remember(self, key: _EventKey, written: _WrittenEvent) -> None:
        self._written[key] = written
        self._written.move_to_end(key)
        if len(self._written) > limits.EVENTS_REMEMBERED:
            self._written.popitem(last=False)

    def _event(self, pending: _PendingEvent, name: str) -> Object:
        key = pending.key
        involved = {
            "apiVersion": key.api_version,
            "kind": key.kind,
            "namespace": key.namespace,
            "name": key.name,
            "uid": key.uid,
            "resourceVersion": pending.resource_version,
            "fieldPath": key.field_path,
        }
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": key.namespace or "default"},
            "involvedObject": {field: value for field, value in involved.items() if value},
            "reason": key.reason,
            "message": key.message,
            "type": key.type,
            "reportingComponent": self._component,
            **(self._newer_form(pending) if key.action else self._older_form(pending)),
        }

    def _newer_form(self, pending: _PendingEvent) -> Object:
        return {
            "action": pending.key.action,
            "eventTime": format_micro_time(pending.moment_ns / SECOND_NS),
            "reportingInstance": self._host or self._component,
        }

    def _older_form(self, pending: _PendingEvent) -> Object:
        timestamp = _second(pending)
        return {
            "source": {"component": self._component, **({"host": self._host} if self._host else {})},
            "reportingInstance": self._host,
            "firstTimestamp": timestamp,
            "lastTimestamp": timestamp,
            "count": 1,
        }


def _repetition(pending: _PendingEvent, times: int) -> Object:
    """What changes of an event that happens once more."""
    if pending.key.action:
        return {"series": {"count": times, "lastObservedTime": format_micro_time(pending.moment_ns / SECOND_NS)}}
    return {"count": times, "lastTimestamp": _second(pending)}


def _second(pending: _PendingEvent) -> str:
    return format_time(pending.moment_ns // SECOND_NS)
