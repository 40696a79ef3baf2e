"""The way of events to a backend: a bounded queue, and a task that delivers its content, a batch at a time, in order of arrival.

The queue supports two modes. In batch mode requests don't wait: events that find the queue full are dropped, counted and logged. In
blocking mode a request waits until its own event has been delivered, together with all earlier ones, so that many requests share one write.
Neither ever blocks the event loop; times are the machine's, as the receiver knows no other.
"""

import asyncio
import logging
from collections import deque
from contextlib import suppress
from typing import Literal, NamedTuple, Protocol

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.incidents import Incidents
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.server.audit.counted import AuditCounted
from svcsim.server.audit.event import AuditEvent
from svcsim.server.audit.trail import encoded
from svcsim.wall import stopwatch

_LOG = logging.getLogger("svcsim.audit")

Mode = Literal["batch", "blocking", "blocking-strict"]


class BackendError(Exception):
    """A batch could not be handed over. The message says why, in one line."""


class Backend(Protocol):
    """Where events go."""

    name: str
    """The plugin's name in metrics."""

    def form(self, event: AuditEvent) -> bytes:
        """The event as it is handed over."""
        ...

    async def write(self, batch: list[bytes]) -> None:
        """Hand a batch over. Raises `BackendError` where it is lost."""
        ...


class Truncation(NamedTuple):
    """How long an event, and a batch, may be. A longer event is sent without its objects; if that doesn't help, it is dropped."""

    event_bytes: int
    batch_bytes: int


class DeliveryOptions(NamedTuple):
    mode: Mode
    buffer_events: int
    batch_events: int
    batch_wait_s: float
    """How long a batch that isn't full waits for more."""
    throttle: Allowance | None = None
    """The rate limit of batches."""
    truncation: Truncation | None = None


class _Waiting(NamedTuple):
    body: bytes
    done: asyncio.Future[bool] | None
    """Whether it was handed over, for a request that waits for it."""


class Delivery:
    """One backend's."""

    def __init__(self, backend: Backend, options: DeliveryOptions, counted: AuditCounted, incidents: Incidents, truncated: str) -> None:
        """``truncated`` is the annotation of events that were cut off."""
        self.strict = options.mode == "blocking-strict"
        self._backend = backend
        self._options = options
        self._counted = counted
        self._incidents = incidents
        self._truncated = truncated
        self._queue: deque[_Waiting] = deque()
        self._bytes = 0
        self._arrived = asyncio.Event()
        self._closing = False
        self._time = Clock()
        self._bucket = None if options.throttle is None or options.mode != "batch" else TokenBucket(options.throttle, stopwatch())
        self._dropped = 0
        """Since the queue was found full."""
        self._failing = 0
        """Events lost since the backend began to fail."""

    def put(self, event: AuditEvent) -> asyncio.Future[bool] | None:
        """Take an event; what to wait for, where its request is to wait."""
        body = self._fitting(event)
        if body is None:
            return None
        full = len(self._queue) >= self._options.buffer_events or self._bytes + len(body) > limits.AUDIT_BUFFER_BYTES
        done = None if self._options.mode == "batch" else asyncio.get_running_loop().create_future()
        if full:
            self._drop()
            if done is not None:
                done.set_result(False)
            return done
        self._queue.append(_Waiting(body, done))
        self._bytes += len(body)
        if len(self._queue) in (1, self._options.batch_events):
            self._arrived.set()
        return done

    def _fitting(self, event: AuditEvent) -> bytes | None:
        """The event's form, cut off where it has to be; None where even that is too long."""
        limit = self._options.truncation
        if limit is not None and len(event.body) > limit.event_bytes:
            if "requestObject" in event.fields or "responseObject" in event.fields:
                fields = {name: value for name, value in event.fields.items() if name not in ("requestObject", "responseObject")}
                fields["annotations"] = {**fields.get("annotations", {}), self._truncated: "true"}
                event = AuditEvent(fields, encoded(fields))
            if len(event.body) > limit.event_bytes:
                self._counted.error("truncate", 1)
                _LOG.warning("an audit event of %d bytes is dropped: it is too large even after truncating", len(event.body))
                return None
        return self._backend.form(event)

    def _drop(self) -> None:
        self._counted.error("buffered", 1)
        if not self._dropped:
            _LOG.error(
                "audit events for the %s come faster than they are taken: its buffer is full, and more are dropped", self._backend.name
            )
        self._dropped += 1

    async def run(self) -> None:
        """Hand over what comes, for ever."""
        while True:
            await self._filled()
            await self._throttled()
            await self._hand_over(self._take())

    async def close(self) -> None:
        """Wait, for a while, until everything has been handed over."""
        self._closing = True
        self._arrived.set()
        with suppress(TimeoutError):
            async with self._time.timeout(limits.AUDIT_FLUSH_S):
                while self._bytes:
                    await self._time.sleep(limits.AUDIT_FLUSH_POLL_S)

    async def _filled(self) -> None:
        """Wait for a batch: a full one, or one that has waited long enough."""
        while not self._queue:
            self._arrived.clear()
            await self._arrived.wait()
        if self._options.mode != "batch" or not self._options.batch_wait_s:
            return
        with suppress(TimeoutError):
            async with self._time.timeout(self._options.batch_wait_s):
                while len(self._queue) < self._options.batch_events and not self._closing:
                    self._arrived.clear()
                    await self._arrived.wait()

    async def _throttled(self) -> None:
        if self._bucket is None:
            return
        while not self._closing and not self._bucket.take(stopwatch()):
            await self._time.sleep(self._bucket.wait_s(stopwatch()))

    def _take(self) -> list[_Waiting]:
        """The next batch. It stays in the count of bytes until it has been handed over."""
        limit = limits.AUDIT_BUFFER_BYTES if self._options.truncation is None else self._options.truncation.batch_bytes
        batch = [self._queue.popleft()]
        size = len(batch[0].body)
        while self._queue and len(batch) < self._options.batch_events and size + len(self._queue[0].body) <= limit:
            batch.append(self._queue.popleft())
            size += len(batch[-1].body)
        return batch

    async def _hand_over(self, batch: list[_Waiting]) -> None:
        handed_over = False
        try:
            await self._backend.write([one.body for one in batch])
            handed_over = True
        except BackendError as error:
            self._lost(len(batch), str(error))
        except Exception as failure:  # noqa: BLE001 - whatever it is, the next batch is to have its chance, and nobody may wait for ever
            incident = self._incidents.log(failure, f"the audit {self._backend.name} failed")
            self._lost(len(batch), f"incident {incident}")
        finally:
            self._bytes -= sum([len(one.body) for one in batch])
            for one in batch:
                if one.done is not None and not one.done.done():
                    one.done.set_result(handed_over)
        if handed_over:
            self._going_again()

    def _lost(self, events: int, why: str) -> None:
        """Count what was lost, and say so once."""
        self._counted.error(self._backend.name, events)
        if not self._failing:
            so = "requests are refused" if self.strict else "requests go on"
            _LOG.error("the audit %s can't take events, which are lost, and %s: %s", self._backend.name, so, why)
        self._failing += events

    def _going_again(self) -> None:
        if self._failing:
            _LOG.warning("the audit %s takes events again; %d were lost", self._backend.name, self._failing)
            self._failing = 0
        if self._dropped and len(self._queue) < self._options.buffer_events // 2:
            _LOG.warning("the buffer of the audit %s has room again; %d events were dropped", self._backend.name, self._dropped)
            self._dropped = 0
