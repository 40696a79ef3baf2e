"""A definition that is being deleted: what its watchers see, and what is still served until it is gone."""

import asyncio
from typing import Any

import pytest

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.meta.objects import condition
from svcsim.registry.deletion import Deleter
from svcsim.registry.listings import Listing
from tests.controllers.running import Running
from tests.controllers.test_custom_resources_runs import (
    cluster,
    defined,
    definition,
    definitions,
    in_both_dialects,
    of_size,
    refusal,
    widget,
    widgets,
)


async def seen(collection: Collection, revision: str = "", **options: Any) -> list[tuple[str, str]]:
    """What a watcher is told until its watch comes to its end."""
    async with collection.watch(revision, bookmarks=False, **options) as events:
        return [(event.type, event.object["metadata"]["name"]) async for event in events]


async def two_versions(r: Running) -> None:
    await defined(r, definition(r, of_size(), {**of_size(more={"type": "string", "default": "x"}), "name": "v2", "storage": False}))
    for name in "abc":
        await widgets(r).create(widget(name))


@pytest.mark.virtual_time
@in_both_dialects
async def test_watchers_see_every_object_go(dialect: str):
    async with cluster(dialect) as r:
        await two_versions(r)
        watching = [asyncio.create_task(seen(widgets(r, version))) for version in ("v1", "v2")]
        watching.append(asyncio.create_task(seen(r.client.resource("acme.io/v1", "widgets"))))
        await r.clock.sleep(1)
        await definitions(r).delete("widgets.acme.io")
        for events in await asyncio.gather(*watching):
            assert events[:3] == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
            assert sorted(events[3:]) == [("DELETED", "a"), ("DELETED", "b"), ("DELETED", "c")]
        assert "404" in (await refusal(widgets(r).list()))[0]


@pytest.mark.virtual_time
async def test_a_watcher_that_is_slow_is_told_to_the_end():
    async with cluster("kubernetes") as r:
        await two_versions(r)
        revision = (await widgets(r).list()).revision
        async with widgets(r).watch(revision, bookmarks=False) as events, widgets(r, "v2").watch(revision, bookmarks=False) as others:
            await definitions(r).delete("widgets.acme.io")
            await r.until_gone(definitions(r), "widgets.acme.io")
            for watcher in (events, others):
                told = [(event.type, event.object["metadata"]["name"]) async for event in watcher]
                assert sorted(told) == [("DELETED", "a"), ("DELETED", "b"), ("DELETED", "c")]


@pytest.mark.virtual_time
@in_both_dialects
async def test_all_but_creation_is_served_while_an_object_is_held(dialect: str):
    async with cluster(dialect) as r:
        await two_versions(r)
        await widgets(r).patch("b", {"metadata": {"finalizers": ["acme.io/wait"]}})
        watching = asyncio.create_task(seen(widgets(r)))
        other = asyncio.create_task(seen(widgets(r, "v2")))
        await r.clock.sleep(1)
        await definitions(r).delete("widgets.acme.io")
        await r.clock.sleep(20)
        assert not watching.done()
        assert [obj["metadata"]["name"] for obj in (await widgets(r).list()).items] == ["b"]
        assert (await widgets(r, "v2").get("b"))["spec"]["size"] == 3
        (told,) = await refusal(widgets(r).create(widget("late")))
        assert told == "405 create not allowed while custom resource definition is terminating"
        (told,) = await refusal(widgets(r, "v2").create(widget("late", "v2")))
        assert told == "405 create not allowed while custom resource definition is terminating"
        late = asyncio.create_task(seen(widgets(r)))
        await widgets(r).patch("b", {"spec": {"size": 4}})
        held = await widgets(r).get("b")
        del held["metadata"]["finalizers"]
        await widgets(r).update(held)
        await r.until_gone(definitions(r), "widgets.acme.io")
        told_of_b = [("ADDED", "b"), ("MODIFIED", "b"), ("MODIFIED", "b"), ("DELETED", "b")]
        assert [event for event in await watching if event[1] == "b"] == told_of_b
        assert ("DELETED", "b") in await other
        assert await late == [("ADDED", "b"), ("MODIFIED", "b"), ("DELETED", "b")]


@pytest.mark.virtual_time
async def test_a_version_that_is_served_no_longer_ends_its_watches():
    async with cluster("kubernetes") as r:
        await two_versions(r)
        watching = asyncio.create_task(seen(widgets(r, "v2")))
        await r.clock.sleep(1)
        made = await definitions(r).get("widgets.acme.io")
        made["spec"]["versions"][1]["served"] = False
        await definitions(r).update(made)
        await widgets(r).delete("a")
        assert await watching == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]


@pytest.mark.virtual_time
async def test_objects_are_deleted_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "RELIST_PAGE_OBJECTS", 3)
    pages: list[int] = []
    delete_collection = Deleter.delete_collection

    async def noted(*args: Any) -> Listing:
        listing = await delete_collection(*args)
        pages.append(len(listing.records))
        return listing

    monkeypatch.setattr(Deleter, "delete_collection", noted)
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size()))
        await r.client.resource("v1", "namespaces").create({"metadata": {"name": "other"}})
        for number in range(7):
            await widgets(r).create(widget(f"o{number}"))
            elsewhere = {**widget(f"o{number}"), "metadata": {"name": f"o{number}", "namespace": "other"}}
            await widgets(r).within("other").create(elsewhere)
        await widgets(r).patch("o1", {"metadata": {"finalizers": ["acme.io/wait"]}})
        await definitions(r).delete("widgets.acme.io")
        await r.clock.sleep(2)
        assert (max(pages), pages.count(3)) == (3, 4), "seven in each namespace"
        going = await definitions(r).get("widgets.acme.io")
        told = condition(going, "Terminating")
        assert told is not None
        assert told["message"] == "1 custom resource instances are still there, waiting for their finalizers"
        await widgets(r).patch("o1", {"metadata": {"finalizers": None}})
        await r.until_gone(definitions(r), "widgets.acme.io")
