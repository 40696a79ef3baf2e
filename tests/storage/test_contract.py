"""The contract of `svcsim.storage.contract`, stated once and run against every implementation."""

import asyncio

import pytest

from svcsim.clock import turn
from svcsim.limits import (
    LIST_SLICE_BYTES,
    LIST_SLICE_RECORDS,
    LIST_SLICE_SCANNED,
    REPLAY_SLICE_RECORDS,
    WATCH_QUEUE_BYTES,
    WATCH_QUEUE_EVENTS,
)
from svcsim.storage import hub
from svcsim.storage.contract import (
    CompactedError,
    CutRecord,
    Doubt,
    Envelope,
    Event,
    EventType,
    FutureRevisionError,
    Key,
    KeyExistsError,
    KeyMissingError,
    ListsTooLargeError,
    Record,
    RevisionMismatchError,
    Selection,
    StoreError,
    WatcherLaggedError,
)
from svcsim.storage.store import LmdbStore
from tests.storage.words import Open, Script, body, collect, envelope, names, pod, refused, spliced, told

WEB, DB = pod("web"), pod("db")
CUT = len(body().head)


# --- one revision counter, compare-and-swap ---------------------------------------------------------------------------


async def test_each_write_takes_the_next_revision(store: LmdbStore, script: Script):
    assert store.revision == 0
    assert [await script.put(WEB), await script.put(DB), await script.put(WEB), await script.drop(DB)] == [1, 2, 3, 4]
    assert store.revision == 4


async def test_a_write_splices_its_revision_into_the_body(store: LmdbStore, script: Script):
    await script.put(DB)
    record = await store.create(WEB, envelope(app="web"), body("hello"))
    assert record == Record(WEB, 2, envelope(app="web"), spliced("hello", 2))
    assert store.get(WEB) == record


async def test_a_create_under_a_taken_key_is_refused(store: LmdbStore, script: Script):
    await script.put(WEB, "first")
    await refused(store.create(WEB, envelope(), body("second")), KeyExistsError)
    assert store.get(WEB).body == spliced("first", 1)
    assert store.revision == 1


async def test_a_create_that_nobody_waits_for_has_its_place_among_all_writes(store: LmdbStore, script: Script):
    record = await store.create(WEB, envelope(), body("soon"), waits=False)
    assert (record.revision, store.get(WEB), store.latest(WEB)) == (1, None, record)
    await refused(store.create(WEB, envelope(), body("second"), waits=False), KeyExistsError)
    assert await script.put(DB) == 2
    assert store.get(WEB) == record


async def test_an_update_must_name_the_revision_it_replaces(store: LmdbStore, script: Script):
    first = await script.put(WEB)
    await script.put(WEB, "now")
    await refused(store.update(WEB, envelope(), body(), expected=first), RevisionMismatchError)
    await refused(store.delete(WEB, envelope(), body(), expected=first), RevisionMismatchError)
    assert store.get(WEB).body == spliced("now", 2)


async def test_records_go_together_as_they_are(store: LmdbStore, script: Script):
    for name in ("a", "b", "c"):
        await script.put(pod(name), name, app=name)
    a, b, c = (await store.list("pods")).records
    commits = store.stats().commits
    watcher = store.watch("pods")
    assert await store.delete_as_they_are([CutRecord(one, CUT) for one in (a, b, c)]) == [
        Record(record.key, revision, record.envelope, spliced(record.key.name, revision)) for revision, record in enumerate((a, b, c), 4)
    ]
    assert store.stats().commits == commits + 1
    assert told(await collect(watcher, 3)) == [("DELETED", "a", 4), ("DELETED", "b", 5), ("DELETED", "c", 6)]
    assert names((await store.list("pods")).records) == []
    assert (await store.at(3).list("pods")).records == [a, b, c]
    watcher = store.at(3).watch("pods")
    assert [(event.record.body, event.previous) for event in await collect(watcher, 3)] == [
        (spliced("a", 4), a),
        (spliced("b", 5), b),
        (spliced("c", 6), c),
    ]


async def test_what_is_not_as_it_was_does_not_go_with_the_others(store: LmdbStore, script: Script):
    for name in ("a", "b", "c"):
        await script.put(pod(name))
    records = (await store.list("pods")).records
    await script.put(pod("a"), "now")
    changing = asyncio.ensure_future(script.put(pod("b"), "now"))
    await turn()
    removed = await store.delete_as_they_are([CutRecord(one, CUT) for one in [*records, records[-1]]])
    await changing
    assert [record and record.key.name for record in removed] == [None, None, "c", None]
    assert [record.body for record in (await store.list("pods")).records] == [spliced("now", 4), spliced("now", 5)]


async def test_what_was_read_already_is_known_for_the_newest_only_while_it_is(store: LmdbStore, script: Script):
    await script.put(WEB, "first")
    (first,) = (await store.list("pods")).records
    assert store.latest(WEB, first) == first
    await script.put(WEB, "now")
    assert store.latest(WEB, first).body == spliced("now", 2)
    await script.drop(WEB)
    assert store.latest(WEB, first) is None


async def test_updating_or_deleting_nothing_is_refused(store: LmdbStore):
    await refused(store.update(WEB, envelope(), body(), expected=1), KeyMissingError)
    await refused(store.delete(WEB, envelope(), body(), expected=1), KeyMissingError)


async def test_a_deleted_key_can_be_created_again(store: LmdbStore, script: Script):
    await script.put(WEB)
    await script.drop(WEB)
    assert await script.put(WEB, "again") == 3
    assert store.get(WEB).body == spliced("again", 3)


async def test_of_concurrent_creates_of_one_key_exactly_one_succeeds(store: LmdbStore):
    outcomes = await asyncio.gather(*[store.create(WEB, envelope(), body(str(i))) for i in range(20)], return_exceptions=True)
    assert [type(outcome).__name__ for outcome in outcomes] == ["Record"] + ["KeyExistsError"] * 19


async def test_of_concurrent_updates_of_one_revision_exactly_one_succeeds(store: LmdbStore, script: Script):
    first = await script.put(WEB)
    outcomes = await asyncio.gather(
        *[store.update(WEB, envelope(), body(str(i)), expected=first) for i in range(20)], return_exceptions=True
    )
    assert [type(outcome).__name__ for outcome in outcomes] == ["Record"] + ["RevisionMismatchError"] * 19


async def test_concurrent_increments_lose_none(store: LmdbStore):
    """Read `latest`, swap, try again: the way a patch without a revision goes."""
    await store.create(WEB, Envelope("", {"n": "0"}, {}, ()), body())

    async def increment() -> None:
        while True:
            state = store.latest(WEB)
            labels = {"n": str(int(state.envelope.labels["n"]) + 1)}
            try:
                await store.update(WEB, Envelope("", labels, {}, ()), body(), expected=state.revision)
            except RevisionMismatchError:
                continue
            return

    await asyncio.gather(*[increment() for _ in range(50)])
    assert store.get(WEB).envelope.labels == {"n": "50"}


async def test_writes_are_ordered_as_they_are_called(store: LmdbStore):
    records = await asyncio.gather(*[store.create(pod(f"p{i}"), envelope(), body()) for i in range(100)])
    assert [record.revision for record in records] == list(range(1, 101))


# --- linearizable: what is shown when ---------------------------------------------------------------------------------


async def test_an_answered_write_can_be_read_at_once(store: LmdbStore, script: Script):
    for i in range(20):
        revision = await script.put(WEB, str(i))
        assert store.get(WEB).revision == revision == store.revision
        assert names((await store.list("pods")).records) == ["web"]


async def test_latest_shows_a_write_on_its_way_and_get_does_not(store: LmdbStore):
    writing = asyncio.ensure_future(store.create(WEB, envelope(), body("new")))
    while store.latest(WEB) is None:
        await turn()
    shown = store.latest(WEB)
    committed = store.get(WEB)
    assert committed is None or store.revision == shown.revision
    assert await writing == shown
    assert store.get(WEB) == shown


async def test_latest_shows_a_deletion_on_its_way(store: LmdbStore, script: Script):
    first = await script.put(WEB)
    deleting = asyncio.ensure_future(store.delete(WEB, envelope(), body(), expected=first))
    await turn()
    assert store.latest(WEB) is None
    await deleting
    assert store.latest(WEB) is None


async def test_settled_waits_for_everything_written_so_far(store: LmdbStore):
    writing = [asyncio.ensure_future(store.create(pod(f"p{i}"), envelope(), body())) for i in range(10)]
    await turn()
    await store.settled()
    assert store.revision == 10
    assert await store.count("pods") == 10
    await asyncio.gather(*writing)


async def test_a_write_is_pending_until_it_is_committed(store: LmdbStore, script: Script):
    await script.put(WEB)
    assert not store.pending(WEB)
    writing = asyncio.ensure_future(script.drop(WEB))
    while not store.pending(WEB):
        await turn()
    assert not store.pending(DB)
    await store.settled()
    assert not store.pending(WEB)
    await writing


async def test_a_listener_hears_of_a_commit_before_whoever_wrote_is_answered(store: LmdbStore, script: Script):
    heard: list[tuple[str, str, int]] = []
    answered: list[int] = []

    def listener(event: Event) -> None:
        assert store.revision >= event.record.revision, "what it hears of can be read"
        assert event.record.revision not in answered
        heard.extend(told([event]))

    async def write(i: int) -> None:
        answered.append(await script.put(pod(f"p{i}")))

    store.on_commit("pods", listener)
    await asyncio.gather(*[write(i) for i in range(3)])
    await script.put(Key("nodes", "", "n"))
    await script.put(pod("p0"))
    await script.drop(pod("p1"))
    added = [("ADDED", f"p{i}", i + 1) for i in range(3)]
    assert heard == [*added, ("MODIFIED", "p0", 5), ("DELETED", "p1", 6)]


async def test_a_cancelled_writer_harms_nobody(store: LmdbStore):
    """The client went away: its write happens all the same, and those behind it get their answers."""
    gone = asyncio.ensure_future(store.create(WEB, envelope(), body()))
    await turn()
    gone.cancel()
    assert (await store.create(DB, envelope(), body())).revision == 2
    assert store.get(WEB).revision == 1


async def test_wait_for_a_revision(store: LmdbStore, script: Script):
    assert await store.wait_for(0, 0.0)
    waiting = asyncio.ensure_future(store.wait_for(2, 60))
    await script.put(WEB)
    assert not waiting.done()
    await script.put(WEB)
    assert await waiting
    assert not await store.wait_for(3, 0.001)


# --- reads at every revision ------------------------------------------------------------------------------------------


async def test_get_at_every_revision(store: LmdbStore, script: Script):
    await script.put(WEB, "one")
    await script.put(DB)
    await script.put(WEB, "three")
    await script.drop(WEB)
    await script.put(WEB, "five")
    seen = [store.at(revision).get(WEB) for revision in range(6)]
    assert [record and record.revision for record in seen] == [None, 1, 1, 3, None, 5]
    assert seen[2].body == spliced("one", 1)


async def test_list_at_every_revision(store: LmdbStore, script: Script):
    await script.put(WEB)
    await script.put(DB)
    await script.put(WEB)
    await script.drop(DB)
    await script.put(pod("cache"))
    await script.drop(WEB)
    lists = [(await store.at(revision).list("pods")).records for revision in range(7)]
    assert [[(record.key.name, record.revision) for record in records] for records in lists] == [
        [],
        [("web", 1)],
        [("db", 2), ("web", 1)],
        [("db", 2), ("web", 3)],
        [("web", 3)],
        [("cache", 5), ("web", 3)],
        [("cache", 5)],
    ]


async def test_a_revision_that_has_not_happened_can_not_be_read(store: LmdbStore, script: Script):
    await script.put(WEB)
    with pytest.raises(FutureRevisionError) as caught:
        store.at(2)
    assert (caught.value.revision, caught.value.current) == (2, 1)


async def test_unknown_resources_and_impossible_keys_are_just_not_there(store: LmdbStore, script: Script):
    await script.put(WEB)
    assert store.get(Key("unheard.of", "", "x")) is None
    assert store.get(pod("x" * 5000)) is None
    assert store.get(Key("pods", "default\0web", "")) is None
    assert await store.list("unheard.of") == ([], 1, None, 0, None)


@pytest.mark.parametrize("key", [pod("x" * 500), pod(""), pod("a\0b"), pod("\ud800"), Key("pods", "a\nb", "c"), Key("r" * 501, "", "x")])
async def test_keys_that_have_no_place_in_the_store_are_refused(store: LmdbStore, key: Key):
    await refused(store.create(key, envelope(), body()), StoreError)
    assert store.revision == 0


async def test_an_envelope_that_can_not_be_stored_is_its_writers_problem_alone(store: LmdbStore):
    bad = store.create(WEB, Envelope("", {"x": object()}, {}, ()), body())
    good = store.create(DB, envelope(), body())
    outcomes = await asyncio.gather(bad, good, return_exceptions=True)
    assert [type(outcome).__name__ for outcome in outcomes] == ["TypeError", "Record"]
    assert (store.get(WEB), store.latest(WEB)) == (None, None)


async def test_the_longest_names_the_api_allows_fit(store: LmdbStore, script: Script):
    key = Key("r" * 253, "n" * 63, "x" * 253)
    await script.put(key)
    await script.put(key)
    assert (store.get(key).revision, store.at(1).get(key).revision) == (2, 1)


# --- views of the past -------------------------------------------------------------------------------------------------


async def test_a_view_of_the_past_stands_still_while_the_world_goes_on(store: LmdbStore, script: Script):
    await script.put(WEB, "one")
    await script.put(DB)
    view = store.at(2)
    await script.put(WEB, "three")
    await script.drop(DB)
    await script.put(pod("new"))
    assert (view.revision, view.compacted) == (2, 0)
    assert [view.get(key) and view.get(key).revision for key in (WEB, DB, pod("new"))] == [1, 2, None]
    assert [(record.key.name, record.revision) for record in (await view.list("pods")).records] == [("db", 2), ("web", 1)]
    assert [bodies async for _, bodies in view.bodies("pods")] == [[spliced("", 2), spliced("one", 1)]]
    assert [revision async for revision, _ in view.bodies("pods")] == [2]
    assert [await view.count(*place) for place in (("pods",), ("pods", "default"), ("pods", "other"), ("nodes",))] == [2, 2, 0, 0]
    assert [await state.count("pods", start=pod("o")) for state in (view, store)] == [1, 1]
    assert [await state.count("pods", start=pod("a")) for state in (view, store)] == [2, 2]
    assert told(await collect(view.watch("pods"), 3)) == [("MODIFIED", "web", 3), ("DELETED", "db", 4), ("ADDED", "new", 5)]


async def test_a_view_of_the_newest_state_is_overtaken_like_any_other(store: LmdbStore, script: Script):
    await script.put(WEB)
    view = store.at(store.revision)
    watcher = view.watch()
    assert (await view.count("pods"), view.get(WEB).revision) == (1, 1)
    await script.put(WEB)
    await script.put(DB)
    assert (await view.count("pods"), view.get(WEB).revision) == (1, 1)
    assert told(await collect(watcher, 2)) == [("MODIFIED", "web", 2), ("ADDED", "db", 3)]


async def test_a_view_knows_nothing_of_what_came_after_it(store: LmdbStore, script: Script):
    for i in range(4):
        await script.put(WEB, str(i))
    view = store.at(3)
    assert view.at(2).get(WEB).body == spliced("1", 2)
    assert view.at(3).get(WEB).body == spliced("2", 3)
    with pytest.raises(FutureRevisionError) as caught:
        view.at(4)
    assert (caught.value.revision, caught.value.current) == (4, 3)
    assert await view.wait_for(3, 60)
    assert not await view.wait_for(4, 60), "at once: it will never be there"


async def test_the_pages_of_a_view_tell_how_many_follow(store: LmdbStore, script: Script):
    for i in range(10):
        await script.put(pod(f"p{i}"))
    view = store.at(10)
    await script.drop(pod("p0"))
    first = await view.list("pods", limit=4)
    assert (names(first.records), first.next, first.remaining) == (["p0", "p1", "p2", "p3"], pod("p4"), 6)
    rest = await view.list("pods", start=first.next)
    assert (names(rest.records), rest.next, rest.revision) == ([f"p{i}" for i in range(4, 10)], None, 10)


async def test_what_changed_last_is_told_per_resource_and_never_beyond_the_view(store: LmdbStore, script: Script):
    await script.put(WEB)
    await script.put(Key("nodes", "", "n"))
    await script.put(WEB)
    assert [store.changed(resource) for resource in ("pods", "nodes", "unheard.of")] == [3, 2, 0]
    assert [store.at(2).changed(resource) for resource in ("pods", "nodes", "unheard.of")] == [2, 2, 0]


# --- lists ------------------------------------------------------------------------------------------------------------


async def test_a_list_is_in_key_order_namespace_by_namespace(store: LmdbStore, script: Script):
    for namespace, name in [("b", "x"), ("a", "z"), ("a-b", "m"), ("a", "a-1"), ("a", "a"), ("ab", "q")]:
        await script.put(pod(name, namespace))
    keys = [record.key[1:] for record in (await store.list("pods")).records]
    assert keys == sorted(keys) == [("a", "a"), ("a", "a-1"), ("a", "z"), ("a-b", "m"), ("ab", "q"), ("b", "x")]
    assert [record.key[1:] for record in (await store.list("pods", "a")).records] == keys[:3]


async def test_a_list_has_its_own_resource_only(store: LmdbStore, script: Script):
    await script.put(Key("pods", "a", "x"))
    await script.put(Key("pods.metrics", "a", "y"))
    await script.put(Key("nodes", "", "n"))
    assert names((await store.list("pods")).records) == ["x"]
    assert names((await store.list("nodes")).records) == ["n"]


@pytest.mark.parametrize("limit", [1, 3, 10, 11])
async def test_pages_of_one_revision_add_up_to_the_whole(store: LmdbStore, script: Script, limit: int):
    """While the world goes on: keys are changed, deleted and added between the pages."""
    for i in range(10):
        await script.put(pod(f"p{i}"))
    page = await store.list("pods", limit=limit)
    first, found, at = page, list(page.records), page.revision
    i = 0
    while page.next is not None:
        await script.put(pod(f"p{i % 10}"), "changed")
        await script.drop(pod(f"p{(i + 5) % 10}"))
        await script.put(pod(f"p{(i + 5) % 10}x"))
        i += 1
        page = await store.at(at).list("pods", start=page.next, limit=limit)
        assert page.revision == at
        found += page.records
    assert [(record.key.name, record.revision) for record in found] == [(f"p{i}", i + 1) for i in range(10)]
    assert first.remaining == 10 - len(first.records)


async def test_start_is_part_of_the_page_and_need_not_exist_any_more(store: LmdbStore, script: Script):
    for name in "abcd":
        await script.put(pod(name))
    assert names((await store.list("pods", start=pod("b"))).records) == ["b", "c", "d"]
    await script.drop(pod("b"))
    assert names((await store.list("pods", start=pod("b"))).records) == ["c", "d"]
    assert names((await store.at(4).list("pods", start=pod("b"))).records) == ["b", "c", "d"]


async def test_a_filter_chooses_by_envelope_at_any_revision(store: LmdbStore, script: Script):
    await script.put(WEB, app="web")
    await script.put(DB, app="db")
    await script.put(WEB, app="changed")

    def web(key: Key, seen: Envelope) -> bool:
        return seen.labels.get("app") == "web"

    for selection in (Selection(web, {}, {}), Selection(web, {"app": "web"}, {})):
        assert names((await store.list("pods", selection=selection)).records) == []
        page = await store.at(2).list("pods", selection=selection)
        assert [(record.key.name, record.revision) for record in page.records] == [("web", 1)]


async def test_filter_and_limit_count_what_is_accepted(store: LmdbStore, script: Script):
    for i in range(20):
        await script.put(pod(f"p{i:02}"), parity="odd" if i % 2 else "even")

    def odd(key: Key, seen: Envelope) -> bool:
        return seen.labels["parity"] == "odd"

    page = await store.list("pods", selection=Selection(odd, {}, {}), limit=4)
    assert names(page.records) == ["p01", "p03", "p05", "p07"]
    assert (page.next, page.remaining) == (pod("p09"), None)
    last = await store.list("pods", selection=Selection(odd, {}, {}), limit=6, start=page.next)
    assert names(last.records) == [f"p{i:02}" for i in range(9, 20, 2)]
    assert (last.next, last.remaining) == (None, 0)


@pytest.mark.parametrize("past", [True, False])
async def test_what_a_selection_is_known_to_have_is_looked_for_among_labels_and_fields(store: LmdbStore, script: Script, *, past: bool):
    for name, labels, fields in (
        ("a", {"app": "web"}, {"spec.nodeName": "n1"}),
        ("b", {"app": "web"}, {"spec.nodeName": "n2"}),
        ("c", {"app": "we"}, {"spec.nodeName": "n1"}),
        ("d", {}, {"spec.nodeName": ""}),
    ):
        await store.create(pod(name), Envelope("", labels, fields, ()), body())
    view = store.at(store.revision)
    if past:
        for name in "abcd":
            await script.put(pod(name))

    async def found(labels: dict[str, str], fields: dict[str, str]) -> list[str]:
        def accept(key: Key, seen: Envelope) -> bool:
            return labels.items() <= seen.labels.items() and fields.items() <= seen.fields.items()

        return names((await view.list("pods", selection=Selection(accept, labels, fields))).records)

    assert await found({"app": "web"}, {}) == ["a", "b"]
    assert await found({}, {"spec.nodeName": "n1"}) == ["a", "c"]
    assert await found({"app": "web"}, {"spec.nodeName": "n1"}) == ["a"]
    assert await found({}, {"spec.nodeName": ""}) == ["d"]
    assert await found({"app": "none"}, {}) == []


@pytest.mark.parametrize("past", [True, False])
async def test_fields_of_records_in_doubt_are_no_reason_to_leave_them_out(store: LmdbStore, script: Script, *, past: bool):
    for name, labels, node in (("a", {"app": "web"}, "n1"), ("b", {"app": "web"}, "n2"), ("c", {}, "n2")):
        await store.create(pod(name), Envelope("", labels, {"spec.nodeName": node}, ()), body())
    until = store.revision
    for name, labels, node in (("d", {"app": "web"}, "n1"), ("e", {"app": "web"}, "n2"), ("f", {}, "n1")):
        await store.create(pod(name), Envelope("", labels, {"spec.nodeName": node}, ()), body())
    view = store.at(store.revision)
    if past:
        for name in "abcdef":
            await script.put(pod(name))
    asked: list[str] = []

    async def found(labels: dict[str, str], limit: int = 0) -> tuple[list[str], str]:
        def perhaps(key: Key, seen: Envelope) -> bool:
            return labels.items() <= seen.labels.items()

        def accept(key: Key, seen: Envelope) -> bool:
            asked.append(key.name)
            return perhaps(key, seen) and seen.fields == fields

        fields = {"spec.nodeName": "n1"}
        page = await view.list("pods", limit=limit, selection=Selection(accept, labels, fields, doubt=Doubt(until, perhaps)))
        return names(page.records), page.next.name if page.next else ""

    assert await found({}) == (["a", "b", "c", "d", "f"], "")
    assert await found({"app": "web"}) == (["a", "b", "d"], "")
    assert await found({}, limit=2) == (["a", "b"], "c")
    assert set(asked) == {"d", "f"}, "the hints are good for records that aren't in doubt"


@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize(
    ("listed", "namespace", "name", "found"),
    [
        ("default", None, "b", ["default/b"]),
        ("", "default", "b", ["default/b"]),
        ("default", "default", "b", ["default/b"]),
        ("default", None, "b" * 600, []),
        ("default", None, "nobody", []),
        ("default", None, "b\0", []),
        ("default", "other", "b", []),
        ("", None, "b", ["default/b", "other/b"]),
        ("", "other", "", ["other/a", "other/b"]),
        ("", "o" * 600, "", []),
        ("", "", "b", []),
    ],
)
async def test_only_what_can_be_selected_by_its_name_is_looked_at(
    store: LmdbStore, script: Script, past: bool, listed: str, namespace: str | None, name: str, found: list[str]
):
    keys = [pod(name, namespace) for namespace in ("default", "other") for name in ("a", "b")]
    for key in (*keys, pod("bb"), pod("b", "defaul"), pod("b", "default1")):
        await script.put(key)
    view = store.at(store.revision)
    if past:
        for key in keys:
            await script.drop(key)
        assert names((await store.list("pods")).records) == ["b", "bb", "b"]
    for stray in (pod("b", "defaul"), pod("b", "default1")):
        await script.drop(stray)
    looked_at: list[str] = []

    def accept(key: Key, seen: Envelope) -> bool:
        looked_at.append(f"{key.namespace}/{key.name}")
        return key in keys

    page = await view.list("pods", listed, selection=Selection(accept, {}, {}, namespace, name))
    assert [f"{record.key.namespace}/{record.key.name}" for record in page.records] == found
    strays = [] if listed or namespace is not None else ["defaul/b", "default1/b"]
    assert looked_at == sorted(found + strays)


async def test_a_list_longer_than_a_slice_is_one_revision(store: LmdbStore):
    """Others have their turn in the middle of it, and change what comes later."""
    count = 3 * LIST_SLICE_RECORDS + 1
    await asyncio.gather(*[store.create(pod(f"p{i:05}"), envelope(), body()) for i in range(count)])
    listing = asyncio.ensure_future(store.list("pods"))
    await turn()
    assert not listing.done(), "it lets others have a turn"
    last = store.get(pod(f"p{count - 1:05}"))
    await store.delete(last.key, envelope(), body(), expected=last.revision)
    await store.create(pod(f"p{count - 2:05}x"), envelope(), body())
    page = await listing
    assert page.revision == count
    assert [record.revision for record in page.records] == list(range(1, count + 1))


async def test_a_filtered_list_longer_than_a_slice_is_complete(store: LmdbStore):
    count = LIST_SLICE_SCANNED + LIST_SLICE_RECORDS + 10
    writes = [store.create(pod(f"p{i:05}"), envelope(group=str(i % 7)), body()) for i in range(count)]
    await asyncio.gather(*writes)
    everything = await store.list("pods", selection=Selection(lambda key, seen: True, {}, {}))
    assert [record.revision for record in everything.records] == list(range(1, count + 1))
    third = Selection(lambda key, seen: seen.labels["group"] == "3", {"group": "3"}, {})
    some = await store.list("pods", selection=third)
    assert [record.revision for record in some.records] == [i + 1 for i in range(count) if i % 7 == 3]


async def test_a_list_in_the_past_gets_past_many_dead_keys(store: LmdbStore, script: Script):
    """More deleted keys in one stretch than a slice looks at, and a survivor on either side."""
    await script.put(pod("a"))
    await script.put(pod("z"))
    many = LIST_SLICE_RECORDS * 2 + 5
    await asyncio.gather(*[store.create(pod(f"m{i:05}"), envelope(), body()) for i in range(many)])
    at = store.revision
    states = (await store.list("pods")).records[1:-1]
    await asyncio.gather(*[store.delete(state.key, envelope(), body(), expected=state.revision) for state in states])
    assert names((await store.list("pods")).records) == ["a", "z"]
    assert names((await store.at(2).list("pods")).records) == ["a", "z"]
    assert len((await store.at(at).list("pods")).records) == many + 2
    page = await store.at(at + many // 2).list("pods", start=pod(f"m{many - 2:05}"))
    assert names(page.records) == [f"m{many - 2:05}", f"m{many - 1:05}", "z"]


async def test_count_follows_every_write(store: LmdbStore, script: Script):
    await script.put(pod("x", "a"))
    await script.put(pod("y", "a"))
    await script.put(pod("x", "b"))
    await script.put(pod("x", "b"))
    await script.drop(pod("y", "a"))
    await script.put(Key("nodes", "", "n"))
    counted = [await store.count(*place) for place in (("pods",), ("pods", "a"), ("pods", "b"), ("pods", "c"), ("nodes",))]
    assert counted == [2, 1, 1, 0, 1]


# --- watches ----------------------------------------------------------------------------------------------------------


async def test_a_watch_tells_every_later_event_once_in_order(store: LmdbStore, script: Script):
    await script.put(WEB, "before")
    watcher = store.watch("pods")
    await script.put(WEB, "one")
    await script.put(DB)
    await script.drop(WEB, "last")
    events = await collect(watcher, 3)
    assert told(events) == [("MODIFIED", "web", 2), ("ADDED", "db", 3), ("DELETED", "web", 4)]
    assert watcher.revision == 4


@pytest.mark.parametrize("since", range(5))
async def test_a_watch_begins_anywhere_in_history(store: LmdbStore, script: Script, since: int):
    await script.put(WEB)
    await script.put(DB)
    await script.put(WEB)
    await script.drop(WEB)
    watcher = store.at(since).watch()
    await script.put(pod("new"))
    everything = [("ADDED", "web", 1), ("ADDED", "db", 2), ("MODIFIED", "web", 3), ("DELETED", "web", 4), ("ADDED", "new", 5)]
    assert told(await collect(watcher, 5 - since)) == everything[since:]


@pytest.mark.parametrize("live", [True, False])
async def test_an_event_has_the_object_as_it_was_and_the_state_before(store: LmdbStore, script: Script, *, live: bool):
    early = store.watch()
    await script.put(WEB, "one", v="1")
    await script.put(WEB, "two", v="2")
    await script.drop(WEB, "gone")
    added, modified, deleted = await collect(early if live else store.at(0).watch(), 3)
    assert added == (EventType.ADDED, Record(WEB, 1, envelope(v="1"), spliced("one", 1)), None)
    assert modified == (EventType.MODIFIED, Record(WEB, 2, envelope(v="2"), spliced("two", 2)), added.record)
    assert deleted == (EventType.DELETED, Record(WEB, 3, envelope(v="2"), spliced("gone", 3)), modified.record)


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("before", [0, 7, 8, 97, 98])
async def test_a_deletion_that_changes_nothing_has_the_last_state_under_its_own_revision(
    store: LmdbStore, script: Script, before: int, *, live: bool
):
    """Whatever either revision's number of digits, and as long as the deletion can be seen at all."""
    for _ in range(before):
        await script.put(DB)
    early = store.watch("pods")
    added = await script.put(WEB, "one", v="1")
    deleted = await script.remove(WEB)
    state = Record(WEB, added, envelope(v="1"), spliced("one", added))
    last = Record(WEB, deleted, envelope(v="1"), spliced("one", deleted))
    if live:
        assert await collect(early, 2) == [(EventType.ADDED, state, None), (EventType.DELETED, last, state)]
    await store.compact(added)
    assert await collect(store.at(added).watch(), 1) == [(EventType.DELETED, last, state)]
    assert (store.at(added).get(WEB), store.at(deleted).get(WEB)) == (state, None)
    await store.compact(deleted)
    with pytest.raises(CompactedError):
        store.at(added)
    assert store.get(WEB) is None


@pytest.mark.parametrize("live", [True, False])
async def test_a_watch_tells_only_what_it_is_about(store: LmdbStore, script: Script, *, live: bool):
    asked = [("", "", ""), ("pods", "", ""), ("pods", "a", ""), ("pods", "a", "x"), ("pods", "", "x"), ("nodes", "", "n"), ("", "a", "")]
    early = [store.watch(*pattern) for pattern in asked]
    for key in [Key("pods", "a", "x"), Key("pods", "a", "y"), Key("pods", "b", "x"), Key("nodes", "", "n"), Key("jobs.batch", "a", "x")]:
        await script.put(key)
    expected = [[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [1], [1, 3], [4], [1, 2, 5]]
    watchers = early if live else [store.at(0).watch(*pattern) for pattern in asked]
    for watcher, revisions in zip(watchers, expected, strict=True):
        assert [event.record.revision for event in await collect(watcher, len(revisions))] == revisions


async def test_the_same_event_object_goes_to_every_watcher(store: LmdbStore, script: Script):
    first, second = store.watch("pods"), store.watch("pods", "default", "web")
    await script.put(WEB)
    assert (await collect(first, 1))[0] is (await collect(second, 1))[0]


async def test_a_watch_from_history_meets_the_present_without_a_seam(store: LmdbStore):
    """Writers write on while many watchers catch up from all over the history."""
    total = 3 * REPLAY_SLICE_RECORDS
    await asyncio.gather(*[store.create(pod(f"p{i}"), envelope(), body()) for i in range(total // 2)])
    seen: dict[int, list[int]] = {}

    async def follow(since: int) -> None:
        events = await collect(store.at(since).watch("pods"), total - since)
        seen[since] = [event.record.revision for event in events]

    async def write() -> None:
        for i in range(total // 2, total):
            await store.create(pod(f"p{i}"), envelope(), body())

    starts = list(range(0, total // 2, 97))
    await asyncio.gather(write(), *[follow(since) for since in starts])
    for since in starts:
        assert seen[since] == list(range(since + 1, total + 1))


async def test_a_watchers_revision_moves_on_with_what_does_not_concern_it(store: LmdbStore, script: Script):
    watcher = store.watch("nodes")
    await script.put(WEB)
    assert watcher.revision == 1
    await script.put(Key("nodes", "", "n"))
    await script.put(DB)
    assert watcher.revision == 1, "an event for it is waiting"
    await collect(watcher, 1)
    assert watcher.revision == 3


async def test_a_watcher_that_lags_is_ended_and_resumes_from_its_revision(store: LmdbStore, script: Script):
    slow, quick = store.watch("pods"), store.watch("pods")
    await script.put(WEB)
    assert told(await collect(slow, 1)) == [("ADDED", "web", 1)]
    await asyncio.gather(*[store.create(pod(f"p{i}"), envelope(), body()) for i in range(WATCH_QUEUE_EVENTS // 2)])
    assert len(await collect(quick, WATCH_QUEUE_EVENTS // 2 + 1)) == WATCH_QUEUE_EVENTS // 2 + 1
    await asyncio.gather(*[store.create(pod(f"q{i}"), envelope(), body()) for i in range(WATCH_QUEUE_EVENTS // 2 + 1)])
    with pytest.raises(WatcherLaggedError):
        await anext(aiter(slow))
    assert slow.revision == 1
    assert len(await collect(quick, 1)) == WATCH_QUEUE_EVENTS // 2 + 1, "the others don't notice"
    again = await collect(store.at(slow.revision).watch("pods"), WATCH_QUEUE_EVENTS + 1)
    assert [event.record.revision for event in again] == list(range(2, WATCH_QUEUE_EVENTS + 3))


async def test_little_is_kept_for_a_watcher_that_lags_and_it_misses_nothing(store: LmdbStore):
    slow, quick = store.watch("pods"), store.watch("pods")
    for number in range(12):
        await store.create(pod(f"p{number:02}"), envelope(), body("x" * 400_000))
        assert store._hub.queued_bytes <= WATCH_QUEUE_BYTES + 400_100, "what several wait for is kept once"
        assert len(await collect(quick, 1)) == 1
    assert [event.record.key.name for event in await collect(slow, 12)] == [f"p{number:02}" for number in range(12)]
    assert store._hub.queued_bytes == 0
    await store.create(pod("last"), envelope(), body())
    assert [event.record.key.name for event in await collect(slow, 1)] == ["last"], "it is live again"


async def test_watchers_that_lag_have_a_limit_together_and_miss_nothing(store: LmdbStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hub, "WATCH_QUEUES_BYTES", 2_000_000)
    pods = [f"p{number}" for number in range(20)]
    watchers = [store.watch("pods", "default", name) for name in pods]
    for name in pods:
        await store.create(pod(name), envelope(), body("x" * 600_000))
        assert store._hub.queued_bytes <= 2_000_000
    assert [event.record.key.name for watcher in watchers for event in await collect(watcher, 1)] == pods
    watchers[0].close()
    assert store._hub.queued_bytes == 0


async def test_lists_under_way_have_a_limit_together_and_one_alone_has_none(store: LmdbStore, monkeypatch: pytest.MonkeyPatch):
    for number in range(6):
        await store.create(pod(f"p{number}"), envelope(), body("x" * 400_000))
    store._sources.lists.limit_bytes = 1_000_000
    page = await store.list("pods")
    assert len(page.records) == 6, "alone"
    await refused(store.list("pods"), ListsTooLargeError)
    del page
    assert store._sources.lists.held_bytes == 0
    assert len((await store.list("pods", limit=1)).records) == 1


async def test_lists_that_are_handed_on_as_they_are_read_take_of_that_limit_too(store: LmdbStore):
    for number in range(6):
        await store.create(pod(f"p{number}"), envelope(), body("x" * 400_000))
    store._sources.lists.limit_bytes = 1_000_000
    first = store.bodies("pods")
    await anext(first)
    await refused(anext(store.bodies("pods")), ListsTooLargeError)
    await first.aclose()
    assert store._sources.lists.held_bytes == 0
    assert [bodies async for _, bodies in store.bodies("pods")]


async def test_large_objects_are_read_a_few_at_a_time(store: LmdbStore):
    for number in range(12):
        await store.create(pod(f"p{number:02}"), envelope(), body("x" * 400_000))
    slices = [bodies async for _, bodies in store.bodies("pods")]
    assert max(map(len, slices)) <= LIST_SLICE_BYTES // 400_000 + 1
    assert [item for part in slices for item in part] == [record.body for record in (await store.list("pods")).records]


async def test_a_closed_watcher_ends_quietly(store: LmdbStore, script: Script):
    watcher = store.watch("pods")
    ending = asyncio.ensure_future(collect(watcher, 1))
    await turn()
    watcher.close()
    watcher.close()
    assert await ending == []
    await script.put(WEB)
    assert watcher.revision == 0


async def test_a_cancelled_wait_loses_no_event(store: LmdbStore, script: Script):
    watcher = store.watch("pods")
    waiting = asyncio.ensure_future(anext(aiter(watcher)))
    await turn()
    waiting.cancel()
    await turn()
    await script.put(WEB)
    assert told(await collect(watcher, 1)) == [("ADDED", "web", 1)]


async def test_list_and_the_events_after_it_add_up_to_the_present(store: LmdbStore, script: Script):
    for i in range(30):
        await script.put(pod(f"p{i % 7}"), str(i))
        if i % 3 == 0:
            await script.drop(pod(f"p{i % 7}"))
    now = {record.key: record for record in (await store.list("pods")).records}
    for since in range(store.revision + 1):
        state = {record.key: record for record in (await store.at(since).list("pods")).records}
        for event in await collect(store.at(since).watch(), store.revision - since) if since < store.revision else []:
            assert state.get(event.record.key) == event.previous
            if event.type is EventType.DELETED:
                del state[event.record.key]
            else:
                state[event.record.key] = event.record
        assert state == now


# --- compaction -------------------------------------------------------------------------------------------------------


async def test_what_is_compacted_can_not_be_read_and_the_rest_can(store: LmdbStore, script: Script):
    await script.put(WEB, "one")
    await script.put(DB)
    await script.put(WEB, "three")
    await script.put(WEB, "four")
    second = store.at(2)
    await store.compact(3)
    assert store.compacted == 3
    for view in (store, store.at(4)):
        with pytest.raises(CompactedError) as caught:
            view.at(2)
        assert (caught.value.revision, caught.value.compacted) == (2, 3)
    for read in (lambda: second.get(WEB), lambda: second.watch("pods"), lambda: second.at(2)):
        with pytest.raises(CompactedError):
            read()
    for reading in (second.list("pods"), second.count("pods"), anext(second.bodies("pods"))):
        await refused(reading, CompactedError)
    assert (second.revision, second.compacted) == (2, 3)
    assert [store.at(revision).get(WEB).revision for revision in (3, 4)] == [3, 4]
    assert names((await store.at(3).list("pods")).records) == ["db", "web"]
    assert told(await collect(store.at(3).watch(), 1)) == [("MODIFIED", "web", 4)]


async def test_an_event_after_the_compaction_still_knows_the_state_before(store: LmdbStore, script: Script):
    await script.put(WEB, "one")
    await script.put(DB)
    await store.compact(2)
    await script.drop(WEB)
    (event,) = await collect(store.at(2).watch(), 1)
    assert event.previous.body == spliced("one", 1)


async def test_compaction_of_the_newest_deletion_keeps_the_counter(opened: Open, store: LmdbStore, script: Script, tmp_path):
    await script.put(WEB)
    await script.drop(WEB)
    await store.compact(2)
    await store.close()
    again = opened(tmp_path / "store")
    assert again.revision == 2
    assert (await again.create(WEB, envelope(), body())).revision == 3
    await again.close()


async def test_compacting_twice_or_backwards_does_nothing_and_ahead_is_refused(store: LmdbStore, script: Script):
    for _ in range(3):
        await script.put(WEB)
    await store.compact(2)
    await store.compact(2)
    await store.compact(1)
    assert store.compacted == 2
    await refused(store.compact(4), FutureRevisionError)


async def test_compaction_gives_room_back(store: LmdbStore, script: Script):
    async def churn() -> None:
        for _ in range(100):
            await script.put(WEB, "x" * 20_000)

    await churn()
    await store.compact(store.revision)
    size = store.stats().size_bytes
    for _ in range(3):
        await churn()
        await store.compact(store.revision)
    assert store.stats().size_bytes < size * 2


async def test_writes_and_watches_go_on_during_a_long_compaction(store: LmdbStore, script: Script):
    await asyncio.gather(*[store.create(pod(f"p{i}"), envelope(), body()) for i in range(1500)])
    states = (await store.list("pods")).records
    await asyncio.gather(*[store.update(state.key, envelope(), body(), expected=state.revision) for state in states])
    watcher = store.watch("pods")
    compacting = asyncio.ensure_future(store.compact(store.revision))
    written = 0
    while not compacting.done():
        await script.put(WEB, str(written))
        written += 1
    assert written > 3
    assert len(await collect(watcher, written)) == written
    assert len((await store.list("pods")).records) == 1501


async def test_a_watcher_overtaken_by_compaction_is_told(store: LmdbStore, script: Script):
    for _ in range(5):
        await script.put(WEB)
    watcher = store.at(1).watch("pods")
    await store.compact(4)
    with pytest.raises(CompactedError):
        await anext(aiter(watcher))


async def test_a_list_of_now_survives_being_overtaken_by_compaction(store: LmdbStore, script: Script):
    count = 2 * LIST_SLICE_RECORDS
    await asyncio.gather(*[store.create(pod(f"p{i:05}"), envelope(), body()) for i in range(count)])
    listing = asyncio.ensure_future(store.list("pods"))
    await turn()
    await script.put(pod("p00000"), "changed")
    await store.compact(store.revision)
    page = await listing
    assert len(page.records) == count
    assert page.revision in (count, count + 1)


# --- closing and opening again ----------------------------------------------------------------------------------------


async def test_everything_is_there_after_reopening(opened: Open, store: LmdbStore, script: Script, tmp_path):
    await script.put(pod("x", "a"), "one")
    await script.put(pod("x", "a"), "two")
    await script.put(Key("nodes", "", "n"))
    await script.put(pod("y", "b"))
    await script.drop(pod("y", "b"))
    await store.compact(1)
    await store.put_meta("seed", b"42")
    before = (await store.list("pods")).records
    await store.close()
    again = opened(tmp_path / "store")
    assert (again.revision, again.compacted, again.get_meta("seed")) == (5, 1, b"42")
    assert (await again.list("pods")).records == before
    assert again.at(1).get(pod("x", "a")).body == spliced("one", 1)
    assert [await again.count(*place) for place in (("pods",), ("pods", "a"), ("pods", "b"), ("nodes",))] == [1, 1, 0, 1]
    assert told(await collect(again.at(3).watch(), 2)) == [("ADDED", "y", 4), ("DELETED", "y", 5)]
    await again.close()


async def test_close_commits_what_is_under_way_and_takes_no_more(opened: Open, store: LmdbStore, tmp_path):
    writing = [asyncio.ensure_future(store.create(pod(f"p{i}"), envelope(), body())) for i in range(10)]
    await turn()
    watcher = store.watch("pods")
    await store.close()
    assert [record.revision for record in await asyncio.gather(*writing)] == list(range(1, 11))
    await refused(store.create(WEB, envelope(), body()), StoreError)
    with pytest.raises(StoreError):
        store.get(WEB)
    await store.close()
    with pytest.raises(StopAsyncIteration):
        await anext(aiter(watcher))
    again = opened(tmp_path / "store")
    assert await again.count("pods") == 10
    await again.close()


async def test_meta_values_take_no_revision(store: LmdbStore):
    assert store.get_meta("clock") is None
    await store.put_meta("clock", b"1")
    await store.put_meta("clock", b"2")
    assert (store.get_meta("clock"), store.revision) == (b"2", 0)


async def test_stats_tell_what_there_is(store: LmdbStore, script: Script):
    await script.put(WEB)
    await script.put(DB)
    await script.drop(DB)
    watcher = store.watch("pods")
    stats = store.stats()
    assert (stats.revision, stats.compacted, stats.objects, stats.watchers, stats.committed_writes) == (3, 0, 1, 1, 3)
    assert 1 <= stats.commits <= 3
    assert stats.size_bytes > 0
    watcher.close()
    assert store.stats().watchers == 0


async def test_the_bodies_of_a_list_add_up_to_the_list(store: LmdbStore, script: Script):
    count = 2 * LIST_SLICE_RECORDS + 7
    await asyncio.gather(*[store.create(pod(f"p{i:05}"), envelope(), body()) for i in range(count)])
    expected = await store.list("pods")
    found = []
    async for revision, bodies in store.bodies("pods"):
        assert revision == count
        assert 0 < len(bodies) <= LIST_SLICE_RECORDS
        found += bodies
        await script.put(pod("p00000"), "changed meanwhile")
        await script.put(pod(f"z{len(found)}"))
    assert found == [record.body for record in expected.records]
    assert [part async for part in store.bodies("unheard.of")] == [(store.revision, [])]
