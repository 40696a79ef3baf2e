"""Events: what components tell people about objects (``Scheduled``, ``Created pod: …``).

Reporting one never waits and never fails: events stand in a short queue until `EventRecorder.run` writes them, and are dropped where the
cluster won't take them. One that says the same again counts the first one up instead of making another.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client
from svcsim.clock import Chance, Clock
from svcsim.meta.errors import StatusError
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


class _PendingEvent(NamedTuple):
    key: _EventKey
    timestamp: str
    resource_version: str


class _WrittenEvent(NamedTuple):
    name: str
    times: int


class EventRecorder:
    """Writes the events of one component."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, component: str, host: str = "") -> None:
        self._client = client
        self._clock = clock
        self._chance = chance
        self._component = component
        self._host = host
        self._queue: deque[_PendingEvent] = deque(maxlen=limits.EVENTS_WAITING)
        self._wake = asyncio.Event()
        self._written: OrderedDict[_EventKey, _WrittenEvent] = OrderedDict()

    def normal(self, about: Object, reason: str, message: str, field_path: str = "") -> None:
        """Report something in the order of things."""
        self._report(about, "Normal", reason, message, field_path)

    def warning(self, about: Object, reason: str, message: str, field_path: str = "") -> None:
        """Report something somebody may have to act on."""
        self._report(about, "Warning", reason, message, field_path)

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

    def _report(self, about: Object, kind: str, reason: str, message: str, field_path: str) -> None:
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
        )
        self._queue.append(_PendingEvent(key, self._clock.timestamp(), meta.get("resourceVersion", "")))
        self._wake.set()

    async def _write(self, pending: _PendingEvent) -> None:
        key = pending.key
        collection = self._client.resource("v1", "events", key.namespace or "default")
        before = self._written.get(key)
        try:
            if before is not None:
                count = before.times + 1
                try:
                    await collection.patch(before.name, {"count": count, "lastTimestamp": pending.timestamp})
                except StatusError as error:
                    if error.code != 404:
                        raise
                else:
                    self._remember(key, _WrittenEvent(before.name, count))
                    return
            event = self._event(pending)
            await collection.create(event)
        except (StatusError, ConnectionError) as error:
            logger.debug("an event of %s was not taken: %s", self._component, error)
            return
        self._remember(key, _WrittenEvent(event["metadata"]["name"], 1))

    def _remember(self, key: _EventKey, written: _WrittenEvent) -> None:
        self._written[key] = written
        self._written.move_to_end(key)
        if len(self._written) > limits.EVENTS_REMEMBERED:
            self._written.popitem(last=False)

    def _event(self, pending: _PendingEvent) -> Object:
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
        name = f"{key.name[: limits.DNS_SUBDOMAIN_CHARS - 17]}.{self._chance.integer(0, 2**64 - 1):016x}"
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": key.namespace or "default"},
            "involvedObject": {field: value for field, value in involved.items() if value},
            "reason": key.reason,
            "message": key.message,
            "type": key.type,
            "source": {"component": self._component, **({"host": self._host} if self._host else {})},
            "reportingComponent": self._component,
            "reportingInstance": self._host,
            "firstTimestamp": pending.timestamp,
            "lastTimestamp": pending.timestamp,
            "count": 1,
        }
