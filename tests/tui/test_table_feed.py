"""Following a collection as rows, without any screen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.in_process import InProcessTransport
from svcsim.clock import Clock
from svcsim.cluster.cluster import Cluster
from svcsim.dialect import DIALECTS
from svcsim.meta.events import SECOND_NS, event_name
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from svcsim.tui.feeds.cluster_time import ClusterTime
from svcsim.tui.feeds.table_feed import TableFeed
from svcsim.tui.model.cells import Moment
from svcsim.tui.model.resource_types import PODS, ResourceTypes
from svcsim.tui.model.rows import Row, RowKey, RowReader
from svcsim.tui.model.table import TableModel
from svcsim.tui.model.views import View, default_sort
from tests.tui.terminal import config_map, create, pod
from tests.virtual import START_S


@asynccontextmanager
async def following(cluster: Cluster, view: View) -> AsyncIterator[tuple[TableFeed, asyncio.Event]]:
    """A feed at work, and what it sets when there is something to take."""
    client = cluster.client("dashboard")
    told = asyncio.Event()
    feed = TableFeed(client, Clock(), Chance(1), ClusterTime(client), view, told.set, lambda: None)
    task = asyncio.create_task(feed.run())
    try:
        while not feed.synced:
            await told.wait()
            told.clear()
        yield feed, told
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def changes_until(feed: TableFeed, told: asyncio.Event, wanted: RowKey) -> dict[RowKey, Row | None]:
    """What came in up to a change of that object."""
    seen: dict[RowKey, Row | None] = {}
    while wanted not in seen:
        await told.wait()
        told.clear()
        seen.update(feed.take().changes)
    return seen


async def test_a_collection_is_read_whole_with_the_columns_of_its_kind(still_cluster: Cluster):
    await create(still_cluster.client("test"), pod("web-1"), pod("web-2"))
    async with following(still_cluster, View(PODS, "default")) as (feed, _):
        batch = feed.take()
        assert [column.name for column in batch.columns[:3]] == ["Name", "Ready", "Status"]
        assert batch.whole is not None
        assert [row.key.name for row in batch.whole] == ["web-1", "web-2"]
        assert batch.whole[0].cells[4] == Moment(START_S)
        assert feed.connection.state == "connected"


async def test_changes_come_as_rows_and_deletions_as_none(still_cluster: Cluster):
    client = still_cluster.client("test")
    await create(client, config_map("a"))
    view = View(PODS._replace(plural="configmaps"), "default")
    async with following(still_cluster, view) as (feed, told):
        feed.take()
        await create(client, config_map("b"))
        await client.resource("v1", "configmaps", "default").delete("a")
        seen = await changes_until(feed, told, RowKey("default", "a"))
        assert seen[RowKey("default", "a")] is None
        added = seen[RowKey("default", "b")]
        assert added is not None
        assert added.cells[:2] == ("b", "1")


async def test_of_several_changes_of_one_object_only_the_last_is_kept(still_cluster: Cluster):
    client = still_cluster.client("test")
    maps = client.resource("v1", "configmaps", "default")
    await create(client, config_map("a"))
    async with following(still_cluster, View(PODS._replace(plural="configmaps"), "default")) as (feed, told):
        feed.take()
        for number in range(5):
            await maps.patch("a", {"data": {f"key-{number}": "x"}})
        await create(client, config_map("last"))
        while feed.connection.revision != (await maps.get("last"))["metadata"]["resourceVersion"]:
            await told.wait()
            told.clear()
        batch = feed.take()
        assert list(batch.changes) == [RowKey("default", "a"), RowKey("default", "last")]
        changed = batch.changes[RowKey("default", "a")]
        assert changed is not None
        assert changed.cells[1] == "6"


async def test_selectors_narrow_what_is_followed(still_cluster: Cluster):
    client = still_cluster.client("test")
    await create(client, pod("web-1", app="web"), pod("db-1", app="db"))
    async with following(still_cluster, View(PODS, "default", label_selector="app=web")) as (feed, told):
        whole = feed.take().whole
        assert whole is not None
        assert [row.key.name for row in whole] == ["web-1"]
        await client.resource("v1", "pods", "default").patch("web-1", {"metadata": {"labels": {"app": "db"}}})
        key = RowKey("default", "web-1")
        # The scheduler may have had its say about the pod before it ceased to match.
        while (await changes_until(feed, told, key))[key] is not None:
            pass


@pytest.mark.virtual_time
async def test_a_cluster_that_has_long_been_away_is_found_within_moments():
    away = True
    tried: list[float] = []
    clock = Clock()

    async def answer(_request: Request) -> Response:
        tried.append(clock.now())
        if away:
            raise ConnectionError("nobody answers")
        return Response(200, b'{"metadata": {"resourceVersion": "1"}}')

    client, back = Client(InProcessTransport(answer, User("somebody")), DIALECTS["svcapi"]), asyncio.Event()
    feed = TableFeed(client, clock, Chance(1), ClusterTime(client), View(PODS, "default"), lambda: None, back.set)
    following = asyncio.create_task(feed.run())
    await clock.sleep(3600)
    assert feed.connection.state == "reconnecting"
    assert not back.is_set()
    away, before = False, len(tried)
    await back.wait()
    following.cancel()
    assert tried[before] - tried[before - 1] <= 1.5 * limits.DASHBOARD_RECONNECT_LONGEST_S  # waits are spread


async def test_the_clusters_clock_is_counted_by(still_cluster: Cluster):
    time = ClusterTime(still_cluster.client("dashboard"))
    assert await time.ask()
    assert (time.now(), time.speed) == (START_S, 0.0)
    await still_cluster.clock.step(60)
    await time.ask()
    assert time.now() == START_S + 60


async def test_a_clock_that_is_slower_than_it_is_asked_to_be_is_counted_on_as_fast_as_it_goes():
    async def answer(_request: Request) -> Response:
        return Response(200, b'{"now": "2026-01-01T00:00:00.000000Z", "speed": 1000, "reachedSpeed": 0.0}')

    time = ClusterTime(Client(InProcessTransport(answer, User("somebody")), DIALECTS["svcapi"]))
    assert await time.ask()
    assert (time.now(), time.speed) == (START_S, 1000.0)


def test_ages_that_tick_are_kept_as_moments_and_others_as_they_are():
    reader = RowReader([{"name": "Last Seen"}, {"name": "Duration"}, {"name": "Age"}])
    row = reader.read({"cells": ["5m", "5m", "5m"], "object": {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}}, 1_000.0)
    assert row.cells == (Moment(700.0), "5m", Moment(START_S))


def test_a_column_of_a_definition_can_not_steer_the_terminal():
    reader = RowReader([{"name": "C\x1b[31mX\x07\x9b31m", "type": "string"}])
    assert [column.name for column in reader.columns] == ["C [31mX  31m"]
    assert reader.read({"cells": ["e\x1b[31m\x9b"]}, 0.0).cells == ("e [31m ",)


def test_a_row_with_too_few_or_too_many_cells_is_made_to_fit():
    reader = RowReader([{"name": "A"}, {"name": "B"}])
    assert reader.read({"cells": ["x"]}, 0.0).cells == ("x", "")
    assert reader.read({"cells": ["x", "y", "z"]}, 0.0).cells == ("x", "y")


def test_before_discovery_the_most_needed_types_are_known():
    assert ResourceTypes().find("po") == PODS


def test_events_of_one_second_stand_in_the_order_they_happened_the_last_one_first():
    reader = RowReader([{"name": "Last Seen"}, {"name": "Reason"}])
    now = START_S + 30.9
    told = {"Pulling": (10.1, "20s"), "Pulled": (10.5, "20s"), "Created": (10.500001, "20s"), "Again": (2.0, "5s"), "Old": (-3600, "60m")}
    rows = [
        reader.read({"cells": [age, reason], "object": {"metadata": {"name": event_name("web", int((START_S + at) * SECOND_NS))}}}, now)
        for reason, (at, age) in told.items()
    ]
    model = TableModel()
    model.replace(reader.columns, rows)
    model.set_sort(default_sort(reader.columns))
    assert [model.row_at(index).cells[1] for index in range(len(model))] == ["Again", "Created", "Pulled", "Pulling", "Old"]
