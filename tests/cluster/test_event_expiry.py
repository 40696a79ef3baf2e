"""Events end an hour after they were written last, as the server itself sees to."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.cluster.cluster import open_cluster
from svcsim.meta.http import Request
from svcsim.meta.types import Object
from svcsim.registry.expiry import EventExpiry
from tests.calls import calls
from tests.living import SPEC, Living, living, name
from tests.virtual import START_S

pytestmark = pytest.mark.virtual_time
OLD = "2001-02-03T04:05:06Z"


def event(event_name: str, **fields: object) -> Object:
    about = {"kind": "Pod", "namespace": "default", "name": "web"}
    return {"metadata": {"name": event_name}, "involvedObject": about, "reason": "Told", "type": "Normal", **fields}


async def told(cluster: Living) -> list[str]:
    events = await cluster.client.resource("v1", "events", "default").list_all()
    return [name(one) for one in events if one["reason"] == "Told"]


async def test_an_event_ends_an_hour_after_it_was_written_whatever_it_says_itself() -> None:
    async with living(nodes=0) as cluster:
        events = cluster.client.resource("v1", "events", "default")
        await events.create(event("old", firstTimestamp=OLD, lastTimestamp=OLD))
        await events.create(event("ahead", lastTimestamp="2040-02-03T04:05:06Z"))
        await cluster.sleep(1800)
        assert sorted(await told(cluster)) == ["ahead", "old"]
        await events.patch("old", {"count": 2})
        await cluster.sleep(1802)
        assert await told(cluster) == ["old"]
        await cluster.sleep(1800)
        assert await told(cluster) == []


async def test_who_watches_sees_it_go_and_nobody_asked_for_it() -> None:
    async with living(nodes=0, controllers=("-*",)) as cluster:
        events = cluster.client.resource("v1", "events", "default")
        made = await events.create(event("first"))
        async with events.watch(made["metadata"]["resourceVersion"], bookmarks=False) as seen:
            async for change in seen:
                assert (change.type, name(change.object)) == ("DELETED", "first")
                assert int(change.object["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
                break
        assert cluster.cluster.clock.now() - START_S < limits.EVENT_TTL_S + 10
        metrics = await cluster.client.transport.send(Request("GET", "/metrics"))
        counted = [line for line in metrics.body.decode().splitlines() if 'resource="events"' in line]
        assert counted
        assert not any('verb="DELETE' in line for line in counted)


async def test_many_that_fall_due_together_go_together() -> None:
    async with living(nodes=0) as cluster:
        events = cluster.client.resource("v1", "events", "default")
        for number in range(250):
            await events.create(event(f"e{number}"))
        store = cluster.cluster.store
        await cluster.sleep(limits.EVENT_TTL_S - 10)
        assert len(await told(cluster)) == 250
        before = store.stats().commits
        await cluster.sleep(20)
        assert await told(cluster) == []
        assert store.stats().commits - before < 20


async def test_a_restart_finds_those_that_were_there(tmp_path: Path) -> None:
    spec = replace(SPEC, nodes=0, data_dir=tmp_path / "c", durability="process")
    async with open_cluster(spec) as opened:
        events = Living(opened).client.resource("v1", "events", "default")
        await events.create(event("earlier"))
        await opened.clock.sleep(1000)
        await events.create(event("later"))
    async with open_cluster(replace(spec, start_s=START_S + 1100)) as opened:
        cluster = Living(opened)
        left_s = START_S + limits.EVENT_TTL_S - opened.clock.now()
        await opened.clock.sleep(left_s + 5)
        assert await told(cluster) == ["later"]
        await opened.clock.sleep(1000)
        assert await told(cluster) == []


async def test_those_that_are_deleted_while_a_start_reads_them_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with living(nodes=0) as cluster:
        events = cluster.client.resource("v1", "events", "default")
        for number in range(300):
            await events.create(event(f"e{number:03}"))
        monkeypatch.setattr("svcsim.storage.scan.LIST_SLICE_RECORDS", 1)
        at_start = EventExpiry(cluster.cluster.registry.core)
        running = asyncio.create_task(at_start.run())
        await turn()  # it has begun to read
        await events.delete("e000")
        await cluster.sleep(limits.EVENT_TTL_S + 10)
        with calls(EventExpiry._expired) as looked:
            await cluster.sleep(limits.EVENT_TTL_S / 2)
        running.cancel()
        assert looked == []
