"""Listers: others' objects for those who decide, on a real store."""

import asyncio
import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.clock import turn
from svcsim.limits import LIST_SLICE_RECORDS
from svcsim.meta.codec import encode
from svcsim.meta.types import Object
from svcsim.registry.lister import Lister, Listers
from svcsim.storage.contract import Body, CorruptError, Envelope, Key, Record, Store
from svcsim.storage.files import DATA_FILE
from svcsim.storage.store import LmdbStore
from tests.storage.words import Open, flip


def key(name: str, namespace: str = "default", resource: str = "services") -> Key:
    return Key(resource, namespace, name)


def body(of: Key, address: str = "", **metadata: object) -> Body:
    rest = encode({"namespace": of.namespace, "name": of.name, **metadata})[1:-1]
    spec = encode({"clusterIPs": [address] if address else []})
    return Body(b'{"kind":"Service","metadata":{"resourceVersion":"', b'",' + rest + b'},"spec":' + spec + b"}")


ENVELOPE = Envelope("", {}, {}, ())


async def create(store: Store, of: Key, address: str = "", **metadata: object) -> Record:
    return await store.create(of, ENVELOPE, body(of, address, **metadata))


async def update(store: Store, of: Key, address: str = "") -> Record:
    return await store.update(of, ENVELOPE, body(of, address), expected=store.latest(of).revision)


async def delete(store: Store, of: Key) -> Record:
    state = store.latest(of)
    return await store.delete(of, ENVELOPE, body(of), expected=state.revision)


def addresses(service: Object) -> list[str]:
    return service["spec"]["clusterIPs"]


def names(objects: list[Object]) -> list[str]:
    return [obj["metadata"]["name"] for obj in objects]


async def started(store: Store) -> Lister:
    listers = Listers(store)
    lister = listers.of("services", {"address": addresses})
    await listers.start()
    return lister


def states(lister: Lister) -> dict[tuple[str, str], str]:
    return {(obj["metadata"]["namespace"], obj["metadata"]["name"]): obj["metadata"]["resourceVersion"] for obj in lister.list()}


async def stored(store: Store) -> dict[tuple[str, str], str]:
    return {record.key[1:]: str(record.revision) for record in (await store.list("services")).records}


# --- following ---


async def test_whoever_has_an_answer_finds_it_in_the_lister(store: LmdbStore):
    lister = await started(store)
    made = await create(store, key("a"), "10.0.0.1")
    assert lister.get("default", "a")["metadata"]["resourceVersion"] == str(made.revision)
    assert names(lister.by("address", "10.0.0.1")) == ["a"]
    await update(store, key("a"), "10.0.0.2")
    assert (names(lister.by("address", "10.0.0.1")), names(lister.by("address", "10.0.0.2"))) == ([], ["a"])
    await delete(store, key("a"))
    assert (lister.get("default", "a"), lister.list(), lister.by("address", "10.0.0.2")) == (None, [], [])


async def test_of_many_writers_each_finds_its_own_write(store: LmdbStore):
    lister = await started(store)

    async def write(i: int) -> None:
        for _ in range(3):
            made = await create(store, key(f"s{i}"))
            assert lister.get("default", f"s{i}")["metadata"]["resourceVersion"] == str(made.revision)
            await delete(store, key(f"s{i}"))
            assert lister.get("default", f"s{i}") is None

    await asyncio.gather(*[write(i) for i in range(50)])


async def test_what_is_not_committed_is_not_shown_but_can_be_asked_for(store: LmdbStore):
    lister = await started(store)
    creating = asyncio.ensure_future(create(store, key("a")))
    while not lister.pending("default", "a"):
        await turn()
    assert (lister.get("default", "a"), names([lister.latest("default", "a")])) == (None, ["a"])
    await lister.settled()
    assert names([lister.get("default", "a")]) == ["a"]
    await creating
    deleting = asyncio.ensure_future(delete(store, key("a")))
    while not lister.pending("default", "a"):
        await turn()
    assert (names([lister.get("default", "a")]), lister.latest("default", "a")) == (["a"], None)
    await deleting
    assert (lister.pending("default", "a"), lister.latest("default", "a")) == (False, None)


async def test_it_has_its_own_resource_only_by_namespace_in_the_order_they_came(store: LmdbStore):
    await create(store, key("z", "b"))
    await create(store, key("y", "a"))
    lister = await started(store)
    await create(store, key("x", "b"))
    await create(store, key("w", "a"))
    await create(store, key("other", "a", "pods"))
    await update(store, key("y", "a"))
    assert names(lister.list()) == ["y", "z", "x", "w"]
    assert (names(lister.list("b")), names(lister.list("none"))) == (["z", "x"], [])
    assert lister.get("a", "other") is None


async def test_who_owns_which_field_is_not_kept(store: LmdbStore):
    await create(store, key("a"), managedFields=[{"manager": "m"}])
    lister = await started(store)
    await create(store, key("b"), managedFields=[{"manager": "m"}])
    assert ["managedFields" in obj["metadata"] for obj in lister.list()] == [False, False]


# --- sharing ---


async def test_there_is_one_lister_a_resource_with_the_indexes_of_all_who_asked(store: LmdbStore):
    await create(store, key("a"), "10.0.0.1")
    listers = Listers(store)
    lister = listers.of("services")
    assert listers.of("services", {"address": addresses}) is lister
    assert listers.of("services", {"address": addresses}) is lister
    await listers.start()
    assert listers.of("services", {"first letter": lambda obj: [obj["metadata"]["name"][0]]}) is lister
    assert (names(lister.by("address", "10.0.0.1")), names(lister.by("first letter", "a"))) == (["a"], ["a"])
    with pytest.raises(ValueError, match="address"):
        listers.of("services", {"address": lambda obj: []})


async def test_one_that_is_asked_for_late_is_filled_by_another_start(store: LmdbStore):
    await create(store, key("a"))
    listers = Listers(store)
    await listers.start()
    lister = listers.of("services")
    with pytest.raises(AssertionError, match="before it was filled"):
        lister.list()
    await listers.start()
    assert names(lister.list()) == ["a"]


# --- filling ---


async def test_everything_is_there_after_a_restart(opened: Open, store: LmdbStore, tmp_path: Path):
    for i in range(5):
        await create(store, key(f"s{i}"), f"10.0.0.{i}")
    await delete(store, key("s3"))
    await store.close()
    again = opened(tmp_path / "store")
    lister = await started(again)
    assert states(lister) == await stored(again)
    assert (names(lister.by("address", "10.0.0.2")), lister.by("address", "10.0.0.3")) == (["s2"], [])
    await again.close()


async def test_what_is_damaged_is_left_out_and_named_in_the_log(opened: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    path = tmp_path / "damaged"
    written = opened(path)
    for i in range(LIST_SLICE_RECORDS + 2):
        await create(written, key(f"s{i:03}"), annotations={"note": "precious" if i in (1, LIST_SLICE_RECORDS) else "cheap"})
    await written.close()
    assert flip(path / DATA_FILE, b"precious", bytes.swapcase)
    store = opened(path)
    lister = await started(store)
    missing = ["s001", f"s{LIST_SLICE_RECORDS:03}"]
    assert names(lister.list()) == [name for i in range(LIST_SLICE_RECORDS + 2) if (name := f"s{i:03}") not in missing]
    assert [record.getMessage().partition(": ")[2].partition(": ")[0] for record in caplog.records] == [
        f"services default/{name}" for name in missing
    ]
    with pytest.raises(CorruptError):
        store.get(key("s001"))
    await create(store, key("new"))
    assert names([lister.get("default", "new")]) == ["new"]
    assert list(lister.damaged.items()) == [(("default", name), ENVELOPE) for name in missing]
    for write in (update, delete):
        with pytest.raises(CorruptError):
            await write(store, key("s001"))
    await store.close()


async def _many(store: Store, count: int) -> None:
    for start in range(0, count, 1_000):
        await asyncio.gather(*[create(store, key(f"s{i:05}"), f"10.0.{i // 256}.{i % 256}") for i in range(start, start + 1_000)])


async def test_what_is_written_while_it_is_filled_is_not_lost(store: LmdbStore):
    await _many(store, 2_000)
    listers = Listers(store)
    lister = listers.of("services", {"address": addresses})
    filling = asyncio.ensure_future(listers.start())
    i = 0
    while not filling.done():
        await delete(store, key(f"s{1_999 - i:05}"))
        await update(store, key(f"s{i:05}"), "10.9.9.9")
        await create(store, key(f"t{i:05}"))
        i += 1
        await turn()
    assert i >= 1
    assert states(lister) == await stored(store)
    assert len(lister.by("address", "10.9.9.9")) == i
    assert lister.by("address", "10.0.7.207") == []


async def test_compaction_in_the_middle_makes_it_begin_again(store: LmdbStore):
    await _many(store, 1_000)
    listers = Listers(store)
    lister = listers.of("services", {"address": addresses})
    filling = asyncio.ensure_future(listers.start())
    await turn()
    assert not filling.done()
    await delete(store, key("s00001"))
    await delete(store, key("s00900"))
    await store.compact(store.revision)
    await filling
    assert states(lister) == await stored(store)


@pytest.fixture
def no_search_for_garbage() -> Iterator[None]:
    """A cluster's process looks for garbage rarely; here it would look through all that the tests before have left."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_search_for_garbage")
async def test_ten_thousand_objects_are_taken_in_without_holding_the_loop_up(store: LmdbStore):
    await _many(store, 10_000)
    listers = Listers(store)
    lister = listers.of("services", {"address": addresses})
    filling = asyncio.ensure_future(listers.start())
    turns, longest_s, before = 0, 0.0, time.thread_time()
    while not filling.done():
        await turn()
        now = time.thread_time()
        turns, longest_s, before = turns + 1, max(longest_s, now - before), now
    assert len(lister.list()) == 10_000
    assert turns >= 10_000 // LIST_SLICE_RECORDS
    assert longest_s < 0.05
