"""Objects that were written before what they can be selected by changed: they are selected by what they are shown with."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from svcsim.client.informers import Informer
from svcsim.meta.errors import StatusError
from svcsim.registry import selecting
from svcsim.storage.contract import Record
from tests.controllers.running import Running
from tests.controllers.test_custom_resources_runs import (
    Object,
    cluster,
    defined,
    definition,
    definitions,
    in_both_dialects,
    of_size,
    redefined,
    widget,
    widgets,
)
from tests.virtual import run_virtual

MODE = {"type": "string"}
BY_MODE = "spec.mode=fast"


def selectable(*fields: str, **more: Any) -> Object:
    """A version whose objects have a mode and other fields, some of which can be selected by."""
    return {**of_size(**{"mode": MODE, **more}), "selectableFields": [{"jsonPath": f".spec.{field}"} for field in fields]}


async def some(r: Running) -> None:
    """Twelve objects, of which every third is fast and one has no mode."""
    for number in range(12):
        await widgets(r).create(widget(f"o{number:02}", mode="fast" if number % 3 == 0 else "slow"))
    await widgets(r).create(widget("without"))


FAST = ["o00", "o03", "o06", "o09"]


def names(items: Sequence[Object]) -> list[str]:
    return [obj["metadata"]["name"] for obj in items]


async def found(r: Running, selector: str = BY_MODE, version: str = "v1", labels: str = "") -> list[str]:
    return names((await widgets(r, version).list(field_selector=selector, label_selector=labels)).items)


class Looks:
    """How many objects were looked at to be selected."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        looked = selecting._fields

        def counted(resource: Any, records: list[Record]) -> list[dict[str, str]]:
            self.count += len(records)
            return looked(resource, records)

        monkeypatch.setattr(selecting, "_fields", counted)


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_field_that_is_selectable_now_finds_what_was_written_before(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, selectable()))
        await some(r)
        await redefined(r, selectable("mode"))
        assert await found(r) == FAST
        assert await found(r, "spec.mode!=slow") == [*FAST, "without"]
        assert await found(r, "spec.mode=") == ["without"]
        assert await found(r, f"{BY_MODE},metadata.name=o03") == ["o03"]
        assert await found(r, "spec.mode=slow,metadata.name=o03") == []
        await widgets(r).patch("o03", {"spec": {"mode": "slow"}})
        await widgets(r).patch("o01", {"spec": {"mode": "fast"}, "metadata": {"labels": {"new": "yes"}}})
        assert await found(r) == ["o00", "o01", "o06", "o09"]
        assert await found(r, labels="new=yes") == ["o01"]
        assert await found(r, labels="!new") == ["o00", "o06", "o09"]


@pytest.mark.virtual_time
async def test_pages_go_on_to_the_end_though_few_of_a_page_are_selected():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, selectable()))
        await some(r)
        await redefined(r, selectable("mode"))
        await widgets(r).create(widget("p", mode="fast"))
        first = await widgets(r).list(field_selector=BY_MODE, limit=2)
        pages, token = [names(first.items)], first.continue_token
        await widgets(r).delete("o09")
        while token:
            page = await widgets(r).list(field_selector=BY_MODE, limit=2, continue_token=token)
            assert page.revision == first.revision
            pages.append(names(page.items))
            token = page.continue_token
        assert [name for page in pages for name in page] == [*FAST, "p"], "as it was when the first page was read"
        assert all(len(page) <= 2 for page in pages)


@pytest.mark.virtual_time
async def test_a_collection_is_deleted_by_a_field_that_is_selectable_now():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, selectable()))
        await some(r)
        await redefined(r, selectable("mode"))
        deleted = await widgets(r).delete_collection(field_selector="spec.mode=slow")
        assert len(deleted["items"]) == 8
        assert names((await widgets(r).list()).items) == [*FAST, "without"]


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_default_that_came_later_is_selected_by(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, selectable("mode")))
        await some(r)
        assert await found(r, "spec.mode=") == ["without"]
        await redefined(r, selectable("mode", mode={**MODE, "default": "fast"}))
        assert await found(r) == [*FAST, "without"]
        assert await found(r, "spec.mode=") == []
        await redefined(r, selectable("mode", "late", mode=MODE, late={"type": "integer", "default": 7}))
        assert await found(r, "spec.late=7,spec.mode=fast") == FAST
        await redefined(r, selectable("late", late={"type": "boolean", "default": True}))
        assert len(await found(r, "spec.late=true")) == 13
        with pytest.raises(StatusError) as refused:
            await found(r)
        assert refused.value.code == 400


@pytest.mark.virtual_time
async def test_a_field_of_the_version_that_is_stored_now_is_selected_by():
    async with cluster("kubernetes") as r:
        older, newer = {**selectable(), "name": "v1"}, {**selectable("mode"), "name": "v2", "storage": False}
        await defined(r, definition(r, older, newer))
        await some(r)
        await redefined(r, {**older, "storage": False}, {**newer, "storage": True})
        assert await found(r, version="v2") == FAST
        revision = (await widgets(r).list()).revision
        async with widgets(r, "v2").watch(revision, field_selector=BY_MODE, bookmarks=False) as events:
            await widgets(r, "v1").delete("o03")
            event = await anext(aiter(events))
        assert (event.type, event.object["apiVersion"], event.object["spec"]["mode"]) == ("DELETED", "acme.io/v2", "fast")


@pytest.mark.virtual_time
@pytest.mark.parametrize("by", ["", "metadata.namespace=default"], ids=["by value", "by value and namespace"])
async def test_watchers_are_told_of_objects_from_before(by: str):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, selectable()))
        await some(r)
        await redefined(r, selectable("mode"))
        selector = ",".join(filter(None, (BY_MODE, by)))
        revision = (await widgets(r).list(field_selector=selector)).revision
        async with (
            widgets(r).watch(revision, field_selector=selector, bookmarks=False) as events,
            widgets(r).watch("", field_selector=selector, bookmarks=False) as whole,
        ):
            for change in ({"o01": "fast"}, {"o00": "slow"}):
                for name, mode in change.items():
                    await widgets(r).patch(name, {"spec": {"mode": mode}})
            await widgets(r).patch("o03", {"spec": {"size": 4}})
            await widgets(r).patch("o02", {"spec": {"size": 4}})
            await widgets(r).delete("o04")
            await widgets(r).delete("o06")
            live, first = aiter(events), aiter(whole)
            told = [await anext(live) for _ in range(4)]
            assert [(event.type, event.object["metadata"]["name"]) for event in told] == [
                ("ADDED", "o01"),
                ("DELETED", "o00"),
                ("MODIFIED", "o03"),
                ("DELETED", "o06"),
            ]
            assert [(event.type, event.object["metadata"]["name"]) for event in [await anext(first) for _ in range(4)]] == [
                ("ADDED", name) for name in FAST
            ]
            assert [await anext(first) for _ in range(4)] == told
        async with widgets(r).watch(revision, field_selector=selector, bookmarks=False) as again:
            replayed = aiter(again)
            assert [await anext(replayed) for _ in range(4)] == told, "history tells the same"


@pytest.mark.virtual_time
async def test_watches_by_fields_end_with_the_change_and_begin_after_it():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, selectable("size")))
        await some(r)
        revision = (await widgets(r).list()).revision
        async with (
            widgets(r).watch(revision, field_selector="spec.size=3") as by_value,
            widgets(r).watch(revision, field_selector="metadata.name=o00") as by_name,
        ):
            await redefined(r, selectable("size", "mode"))
            assert [event async for event in by_value] == [], "a bookmark would let it go on behind the change"
            assert [event.type async for event in by_name] == ["BOOKMARK"]
        with pytest.raises(StatusError) as refused:
            async with widgets(r).watch(revision, field_selector=BY_MODE):
                pass
        assert refused.value.code == 410
        async with widgets(r).watch(revision, field_selector="metadata.name=o00", bookmarks=False) as by_name:
            await widgets(r).delete("o00")
            assert (await anext(aiter(by_name))).type == "DELETED"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (selectable("mode"), selectable("mode", mode={**MODE, "default": "fast"})),
        (selectable("size"), selectable("mode")),
    ],
    ids=["a default came", "the field can be selected by"],
)
async def test_informers_come_to_know_what_is_selected_now(before: Object, after: Object):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, before))
        await some(r)
        informer = Informer(widgets(r), r.clock, r.cluster.chance.fork("test"), field_selector=BY_MODE)
        cache = informer.cache
        stale = before == selectable("mode")
        running = asyncio.create_task(informer.run())
        wanted = [*FAST, "without"] if stale else FAST
        if stale:
            await r.clock.sleep(1)
            assert names(cache.all()) == FAST
        await redefined(r, after)
        await r.clock.sleep(120)
        assert names(cache.all()) == wanted
        await widgets(r).delete("o00")
        await r.clock.sleep(1)
        assert names(cache.all()) == wanted[1:]
        running.cancel()


@pytest.mark.parametrize("since", [True, False], ids=["a change since", "as it was defined"])
def test_after_a_restart_no_more_is_looked_at_than_may_be_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since: bool):
    async def write() -> None:
        async with cluster("kubernetes", tmp_path) as r:
            await defined(r, definition(r, selectable(*([] if since else ["mode"]))))
            await some(r)
            if since:
                await redefined(r, selectable("mode"))
            await widgets(r).create(widget("p", mode="fast"))

    async def read() -> None:
        async with cluster("kubernetes", tmp_path) as r:
            looks = Looks(monkeypatch)
            assert await found(r) == [*FAST, "p"]
            assert looks.count == (13 if since else 0)
            revision = (await widgets(r).list()).revision
            async with widgets(r).watch(revision, field_selector=BY_MODE, bookmarks=False) as events:
                await widgets(r).delete("o00")
                assert (await anext(aiter(events))).type == "DELETED"

    run_virtual(write())
    run_virtual(read())


@pytest.mark.virtual_time
async def test_what_cannot_have_changed_is_not_looked_at(monkeypatch: pytest.MonkeyPatch):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, selectable("mode")))
        await some(r)
        looks = Looks(monkeypatch)
        await definitions(r).patch("widgets.acme.io", {"metadata": {"labels": {"a": "b"}}})
        await redefined(r, selectable("mode", other={"type": "string", "default": "there"}))
        assert await found(r) == FAST
        assert looks.count == 0
        await redefined(r, selectable("mode", "size", other={"type": "string"}))
        assert await found(r) == FAST
        assert looks.count == 13
        for name in names((await widgets(r).list()).items):
            await widgets(r).patch(name, {"spec": {"size": 5}})
        assert await found(r) == FAST
        assert await found(r, "metadata.name=o03") == ["o03"]
        assert looks.count == 13


@pytest.mark.virtual_time
@in_both_dialects
async def test_each_version_is_selected_by_its_own_fields(dialect: str):
    async with cluster(dialect) as r:
        older, newer = {**selectable("size"), "name": "v1"}, {**selectable("size", "mode"), "name": "v2", "storage": False}
        await defined(r, definition(r, older, newer))
        await some(r)
        assert await found(r, version="v2") == FAST
        assert await found(r, f"{BY_MODE},spec.size=3", version="v2") == FAST
        assert await found(r, "spec.size=3,metadata.name=o03", version="v2") == ["o03"]
        with pytest.raises(StatusError) as refused:
            await found(r)
        assert refused.value.code == 400
        revision = (await widgets(r).list()).revision
        async with widgets(r, "v2").watch(revision, field_selector=BY_MODE, bookmarks=False) as events:
            await widgets(r).patch("o01", {"spec": {"mode": "fast"}})
            await widgets(r).patch("o02", {"spec": {"size": 4}})
            await widgets(r).patch("o03", {"spec": {"mode": "slow"}})
            told = aiter(events)
            seen = [await anext(told) for _ in range(2)]
        assert [(event.type, event.object["metadata"]["name"]) for event in seen] == [("ADDED", "o01"), ("DELETED", "o03")]
        assert {event.object["apiVersion"] for event in seen} == {"acme.io/v2"}
        deleted = await widgets(r, "v2").delete_collection(field_selector="spec.mode=slow")
        assert names(deleted["items"]) == ["o02", "o03", "o04", "o05", "o07", "o08", "o10", "o11"]
