"""Watches on virtual time: bookmarks, ends, what is shared, who lags."""

import asyncio

import pytest

from svcsim import limits
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.field_selectors import parse_fields
from svcsim.meta.label_selectors import parse_labels
from svcsim.storage import hub
from tests.registry.asking import asking


@pytest.mark.virtual_time
async def test_bookmarks_come_once_a_minute_and_at_the_end():
    async with asking() as cluster:
        watch = await cluster.watch(resource_version=str(cluster.cluster.store.revision), bookmarks=True, timeout_s=200.0)
        begun = cluster.cluster.clock.now()
        marks = await watch.rest()
        assert [event.type for event in marks] == ["BOOKMARK"] * 4, "at 60, 120, 180 and 200 seconds"
        assert cluster.cluster.clock.now() - begun == pytest.approx(200, abs=0.1)
        revisions = [int(decode_json(event.body)["metadata"]["resourceVersion"]) for event in marks]
        assert revisions == sorted(revisions)


@pytest.mark.virtual_time
async def test_the_end_comes_though_the_clusters_clock_stands():
    async with asking() as cluster:
        cluster.cluster.clock.set_speed(0)
        loop = asyncio.get_running_loop()
        watch = await cluster.watch(resource_version=str(cluster.cluster.store.revision), bookmarks=True, timeout_s=200.0)
        begun = loop.time()
        assert [event.type for event in await watch.rest()] == ["BOOKMARK"], "the last"
        assert loop.time() - begun == pytest.approx(200, abs=0.1)


@pytest.mark.virtual_time
async def test_a_watch_of_its_own_ends_after_half_an_hour_to_an_hour():
    async with asking() as cluster:
        for _ in range(3):
            begun = cluster.cluster.clock.now()
            assert await (await cluster.watch(resource_version=str(cluster.cluster.store.revision))).rest() == []
            assert limits.WATCH_MIN_S <= cluster.cluster.clock.now() - begun <= 2 * limits.WATCH_MIN_S


@pytest.mark.virtual_time
async def test_all_watchers_are_handed_the_same_bytes():
    async with asking() as cluster:
        since = str(cluster.cluster.store.revision)
        plain = await cluster.watch(resource_version=since)
        selective = await cluster.watch(resource_version=since, label_selector=parse_labels("a=b"))
        await cluster.create("m", metadata={"labels": {"a": "b"}})
        (one,), (two,) = await plain.take(1), await selective.take(1)
        assert one.line is two.line
        assert one.line == b'{"type":"ADDED","object":' + one.body + b"}"
        await plain.close()
        await selective.close()


@pytest.mark.virtual_time
@pytest.mark.parametrize(("limit", "room", "shared"), [("EVENTS", 2, True), ("EVENTS", 1, False), ("BYTES", 0, False)])
async def test_the_oldest_event_makes_room_for_a_new_one(monkeypatch: pytest.MonkeyPatch, limit: str, room: int, *, shared: bool):
    monkeypatch.setattr(limits, f"SHARED_WATCH_{limit}", room)
    async with asking() as cluster:
        first = await cluster.watch(resource_version=str(cluster.cluster.store.revision))
        await cluster.create("a")
        later = await cluster.watch(resource_version=str(cluster.cluster.store.revision))
        await cluster.create("b")
        await cluster.create("c")
        seen, again = (await first.take(3))[1:], await later.take(2)
        assert [event.line for event in again] == [event.line for event in seen]
        assert [one.line is other.line for one, other in zip(seen, again, strict=True)] == [shared] * 2
        await first.close()
        await later.close()


@pytest.mark.virtual_time
async def test_who_lags_too_far_is_ended_and_resumes_by_its_last_revision(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hub, "WATCH_QUEUE_EVENTS", 50)
    async with asking() as cluster:
        since = cluster.cluster.store.revision
        slow = await cluster.watch(resource_version=str(since))
        quick = await cluster.watch(resource_version=str(since))
        following = asyncio.ensure_future(quick.take(count := 150))
        written = [await cluster.create("m0")]
        (first,) = await slow.take(1)
        written += [await cluster.patch("m0", {"data": {"i": str(i)}}) for i in range(1, count)]
        assert len(await following) == count, "others notice nothing"
        with pytest.raises(StatusError) as ended:
            await slow.rest()
        assert (ended.value.code, ended.value.reason) == (410, "Expired")
        resumed = await cluster.watch(resource_version=decode_json(first.body)["metadata"]["resourceVersion"])
        assert [decode_json(event.body) for event in await resumed.take(3)] == written[1:4]
        await resumed.close()
        await quick.close()


@pytest.mark.virtual_time
async def test_from_compacted_revisions_nothing_can_be_watched_or_listed():
    async with asking() as cluster:
        then = str(cluster.cluster.store.revision)
        await cluster.create("m")
        await cluster.sleep(limits.HISTORY_S * 1.2)
        await cluster.create("n")
        with pytest.raises(StatusError, match=f"too old resource version: {then} ") as old:
            await cluster.watch(resource_version=then)
        assert old.value.code == 410
        with pytest.raises(StatusError, match="too old"):
            await cluster.list(resource_version=then, resource_version_match="Exact")


@pytest.mark.virtual_time
async def test_history_can_be_kept_for_ever():
    async with asking(history_s=None) as cluster:
        then = str(cluster.cluster.store.revision)
        await cluster.create("m")
        await cluster.sleep(1_800)
        watch = await cluster.watch(resource_version=then)
        assert [event.type for event in await watch.take(1)] == ["ADDED"]
        await watch.close()
        assert len((await cluster.list(resource_version=then, resource_version_match="Exact")).records) < len(
            (await cluster.list()).records
        )


@pytest.mark.virtual_time
async def test_a_future_revision_is_waited_for_a_little():
    async with asking() as cluster:
        await cluster.sleep(5)
        future = cluster.cluster.store.revision + 1
        opening = asyncio.ensure_future(cluster.watch(resource_version=str(future)))
        await cluster.sleep(0.5)
        assert not opening.done()
        await cluster.create("m")
        watch = await opening
        await cluster.create("n")
        assert decode_json((await watch.take(1))[0].body)["metadata"]["name"] == "n"
        await watch.close()
        with pytest.raises(StatusError, match="Too large resource version"):
            await cluster.watch(resource_version=str(future + 100))


@pytest.mark.virtual_time
async def test_a_watch_by_name_is_woken_by_nothing_else():
    async with asking() as cluster:
        await cluster.create("a")
        since = str(cluster.cluster.store.revision)
        named = await cluster.watch(resource_version="0", field_selector=parse_fields("metadata.name=m"))
        pattern = ("configmaps", "default", "m")
        assert [key for key in cluster.cluster.store._hub._watchers if key == pattern] == [pattern]
        await cluster.create("m")
        await cluster.patch("a", {"data": {"x": "y"}})
        await cluster.patch("m", {"data": {"x": "y"}})
        later = await cluster.watch(resource_version=since, field_selector=parse_fields("metadata.name=m"))
        for watch in (named, later):
            events = await watch.take(2)
            await watch.close()
            assert [(event.type, decode_json(event.body)["metadata"]["name"]) for event in events] == [("ADDED", "m"), ("MODIFIED", "m")]
