"""The reading verbs on a past revision: the same ones, asked of another view."""

import pytest

from svcsim import limits
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.registry.listings import Listing, WholeList
from svcsim.registry.options import ListOptions, WatchOptions
from tests.registry.asking import Asking, Following, asking, names, shown


async def _history(cluster: Asking) -> int:
    """Two config maps; then one is changed, one deleted and one added. The revision in between."""
    await cluster.create("a", data={"k": "before"}, metadata={"labels": {"app": "web"}})
    await cluster.create("b")
    then = cluster.cluster.store.revision
    await cluster.patch("a", {"data": {"k": "after"}, "metadata": {"name": "a", "labels": {"app": "db"}}})
    await cluster.delete("b")
    await cluster.create("c")
    return then


@pytest.mark.virtual_time
async def test_get_and_list_show_everything_as_it_was():
    async with asking() as cluster:
        then = await _history(cluster)
        past = cluster.registry.at(then)
        assert shown(await past.get(cluster.target("a")))["data"] == {"k": "before"}
        assert (await cluster.get("a"))["data"] == {"k": "after"}
        assert shown(await past.get(cluster.target("b")))["metadata"]["name"] == "b"
        with pytest.raises(StatusError, match='configmaps "c" not found'):
            await past.get(cluster.target("c"))
        listing = await past.list(cluster.target(), ListOptions())
        assert (names(listing), listing.revision) == (["a", "b"], then)
        assert names(await cluster.list()) == ["a", "c"]
        web = ListOptions(label_selector=parse_labels("app=web"))
        assert names(await past.list(cluster.target(), web)) == ["a"]
        assert names(await cluster.list(label_selector=parse_labels("app=web"))) == []


@pytest.mark.virtual_time
async def test_pages_of_the_past_go_on_in_the_past():
    async with asking() as cluster:
        past = cluster.registry.at(await _history(cluster))
        first = await past.list(cluster.target(), ListOptions(limit=1))
        assert (names(first), first.remaining) == (["a"], 1)
        rest = await past.list(cluster.target(), ListOptions(limit=1, continue_token=first.continue_token))
        assert (names(rest), rest.continue_token) == (["b"], "")


@pytest.mark.virtual_time
async def test_a_long_collection_of_the_past_is_handed_on_as_it_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "STREAMED_LIST_RECORDS", 2)
    async with asking() as cluster:
        then = await _history(cluster)
        long = await cluster.registry.at(then).whole_list(cluster.target(), ListOptions())
        assert isinstance(long, WholeList)
        assert [decode_json(body)["metadata"]["name"] for body in long.first] == ["a", "b"]
        assert long.revision == then
        short = await cluster.registry.at(then - 1).whole_list(cluster.target(), ListOptions())
        assert isinstance(short, Listing)
        assert names(short) == ["a"], "there was but one"


@pytest.mark.virtual_time
@pytest.mark.parametrize("revision", ["", "0", "then"])
async def test_a_watch_begins_with_what_was_and_goes_on_with_what_happened(revision: str):
    async with asking() as cluster:
        then = await _history(cluster)
        asked = str(then) if revision == "then" else revision
        watch = Following(await cluster.registry.at(then).watch(cluster.target(), WatchOptions(resource_version=asked)))
        initial = [] if revision == "then" else [("ADDED", "a"), ("ADDED", "b")]
        later = [("MODIFIED", "a"), ("DELETED", "b"), ("ADDED", "c")]
        seen = [(event.type, decode_json(event.body)["metadata"]["name"]) for event in await watch.take(len(initial + later))]
        assert seen == initial + later
        await watch.close()


@pytest.mark.virtual_time
async def test_what_came_later_is_not_known_yet():
    async with asking() as cluster:
        then = await _history(cluster)
        past, later, begun = cluster.registry.at(then), str(then + 1), cluster.cluster.clock.now()
        for asked in (
            past.get(cluster.target("a"), later),
            past.list(cluster.target(), ListOptions(resource_version=later)),
            past.watch(cluster.target(), WatchOptions(resource_version=later)),
        ):
            with pytest.raises(StatusError, match="Too large resource version") as refused:
                await asked
            assert refused.value.code == 504
        newest = (await cluster.list(limit=1)).continue_token
        with pytest.raises(StatusError, match="Too large resource version"):
            await past.list(cluster.target(), ListOptions(continue_token=newest))
        assert cluster.cluster.clock.now() - begun < 1, "nothing is waited for that can't come"
        with pytest.raises(StatusError, match="Too large resource version"):
            past.at(then + 1)
        assert names(await past.at(then - 1).list(cluster.target(), ListOptions())) == ["a"]


@pytest.mark.virtual_time
async def test_a_past_that_was_compacted_is_gone():
    async with asking() as cluster:
        then = await _history(cluster)
        past = cluster.registry.at(then)
        await cluster.cluster.store.compact(cluster.cluster.store.revision)
        for asked in (past.get(cluster.target("a")), past.list(cluster.target(), ListOptions())):
            with pytest.raises(StatusError, match="too old") as refused:
                await asked
            assert (refused.value.code, refused.value.reason) == (410, "Expired")
        with pytest.raises(StatusError, match=f"too old resource version: {then} "):
            cluster.registry.at(then)
