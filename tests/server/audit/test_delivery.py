"""The way of events to a backend: who waits, what is dropped, and what is said about it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import orjson
import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.clock import loop_sleep, turn
from svcsim.meta.incidents import Incidents
from svcsim.meta.token_bucket import Allowance
from svcsim.server.audit.counted import AuditCounted
from svcsim.server.audit.delivery import BackendError, Delivery, DeliveryOptions, Truncation
from svcsim.server.audit.event import AuditEvent
from svcsim.wall import stopwatch

BATCH = DeliveryOptions("batch", 10, 4, 0.05)
BLOCKING = BATCH._replace(mode="blocking")


class Kept:
    """A backend that keeps what it is given, and fails while it is told to."""

    name = "log"

    def __init__(self) -> None:
        self.batches: list[list[dict]] = []
        self.failure: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    def form(self, event: AuditEvent) -> bytes:
        return event.body

    async def write(self, batch: list[bytes]) -> None:
        await self.open.wait()
        if self.failure is not None:
            raise self.failure
        self.batches.append([json.loads(body) for body in batch])


@asynccontextmanager
async def delivering(options: DeliveryOptions) -> AsyncIterator[SimpleNamespace]:
    kept, counted = Kept(), AuditCounted()
    delivery = Delivery(kept, options, counted, Incidents(Chance(1)), "audit.example.com/truncated")
    task = asyncio.create_task(delivery.run())
    try:
        yield SimpleNamespace(kept=kept, counted=counted, delivery=delivery)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def event(number: int, **more: object) -> AuditEvent:
    fields = {"number": number, **more}
    return AuditEvent(fields, orjson.dumps(fields))


async def test_a_full_batch_goes_at_once_and_one_that_isnt_full_after_a_while() -> None:
    async with delivering(BATCH._replace(batch_wait_s=30.0)) as given:
        for number in range(5):
            assert given.delivery.put(event(number)) is None
        for _ in range(10):
            await turn()
        assert [len(batch) for batch in given.kept.batches] == [4]
        await given.delivery.close()
        assert [len(batch) for batch in given.kept.batches] == [4, 1], "at the end nothing waits for more"
    async with delivering(BATCH) as given:
        given.delivery.put(event(1))
        started = stopwatch()
        while not given.kept.batches:
            assert stopwatch() - started < 5
            await loop_sleep(0.005)


async def test_what_finds_the_buffer_full_is_dropped_counted_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    async with delivering(BATCH) as given:
        given.kept.open.clear()
        for number in range(30):
            given.delivery.put(event(number))
        assert given.counted.errors("buffered") == 20
        given.kept.open.set()
        await given.delivery.close()
    assert [one["number"] for batch in given.kept.batches for one in batch] == list(range(10))
    said = [record.message for record in caplog.records]
    assert len([line for line in said if "its buffer is full" in line]) == 1
    assert "has room again; 20 events were dropped" in said[-1]


async def test_bytes_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AUDIT_BUFFER_BYTES", 100)
    async with delivering(BATCH) as given:
        for number in range(3):
            given.delivery.put(event(number, text="x" * 40))
        assert given.counted.errors("buffered") == 2


async def test_a_request_that_blocks_waits_until_its_event_is_there() -> None:
    async with delivering(BLOCKING) as given:
        given.kept.open.clear()
        waiting = [given.delivery.put(event(number)) for number in range(3)]
        for _ in range(5):
            await turn()
        assert not any(one.done() for one in waiting)
        given.kept.open.set()
        assert await asyncio.gather(*waiting) == [True, True, True]


async def test_a_backend_that_fails_is_said_once_and_that_it_goes_again(caplog: pytest.LogCaptureFixture) -> None:
    async with delivering(BLOCKING) as given:
        given.kept.failure = BackendError("can't write to /var/log/audit.log: no space left on device")
        assert [await given.delivery.put(event(number)) for number in range(3)] == [False] * 3
        given.kept.failure = None
        assert await given.delivery.put(event(4)) is True
    assert given.counted.errors("log") == 3
    assert [record.message for record in caplog.records] == [
        "the audit log can't take events, which are lost, and requests go on: can't write to /var/log/audit.log: no space left on device",
        "the audit log takes events again; 3 were lost",
    ]


async def test_what_nobody_foresaw_leaves_nobody_waiting(caplog: pytest.LogCaptureFixture) -> None:
    async with delivering(BLOCKING) as given:
        given.kept.failure = KeyError("surprise")
        assert await given.delivery.put(event(1)) is False
        given.kept.failure = None
        assert await given.delivery.put(event(2)) is True
    assert "incident" in caplog.text


async def test_long_events_are_told_without_their_objects_or_not_at_all() -> None:
    options = BLOCKING._replace(truncation=Truncation(200, 300))
    async with delivering(options) as given:
        await given.delivery.put(event(1, requestObject={"a": "x" * 500}, annotations={"own": "1"}))
        assert given.delivery.put(event(2, requestURI="x" * 500)) is None
        await asyncio.gather(*[given.delivery.put(event(number, text="x" * 100)) for number in range(4)])
    assert given.kept.batches[0] == [{"number": 1, "annotations": {"own": "1", "audit.example.com/truncated": "true"}}]
    assert [len(batch) for batch in given.kept.batches[1:]] == [2, 2], "no batch is longer than it may be"
    assert given.counted.errors("truncate") == 1


async def test_batches_go_out_no_faster_than_is_allowed() -> None:
    async with delivering(BATCH._replace(batch_events=1, batch_wait_s=0.0, throttle=Allowance(20.0, 2))) as given:
        started = stopwatch()
        for number in range(5):
            given.delivery.put(event(number))
        while len(given.kept.batches) < 5:
            assert stopwatch() - started < 5
            await loop_sleep(0.005)
        assert stopwatch() - started > 0.12, "two at once, and three more at 20 a second"
