"""What the store does when the disk fails, fills up or lies."""

import asyncio
import contextlib
import errno
import fcntl
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from svcsim.clock import turn
from svcsim.limits import STORE_GROWTH_BYTES, STORE_RESERVE_BYTES
from svcsim.storage.commit import AFTER_COMMIT, BEFORE_COMMIT, COMPACTING, no_probe
from svcsim.storage.contract import Body, CorruptError, Damage, Event, KeyExistsError, Record, Selection, StoreError, StoreFullError
from svcsim.storage.engine import Table, Transaction
from svcsim.storage.files import BALLAST_FILE, DATA_FILE
from svcsim.storage.reserve import Room
from svcsim.storage.store import LmdbStore
from tests.storage.words import Script, body, collect, envelope, flip, names, pod, refused, spliced, told, uncut

WEB, DB = pod("web"), pod("db")
SMALL_MAP_BYTES = 2 * 1024**2


class BadDisk:
    """A probe that makes commits fail while `error` is set."""

    def __init__(self) -> None:
        self.error: OSError | None = None

    def __call__(self, point: str) -> None:
        if self.error is not None and point == BEFORE_COMMIT:
            raise self.error


@pytest.fixture
def disk() -> BadDisk:
    return BadDisk()


@pytest.fixture(params=[True, False], ids=["threaded", "inline"])
async def store(request: pytest.FixtureRequest, disk: BadDisk, tmp_path: Path):
    made = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="process", threads=request.param, probe=disk)
    yield made
    await made.close()


@pytest.fixture
def script(store: LmdbStore) -> Script:
    return Script(store)


# --- commits that the disk holds up -----------------------------------------------------------------------------------


async def test_a_commit_that_the_disk_holds_up_is_told_while_it_lasts_and_once_it_is_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("svcsim.limits.STORE_STALL_S", 0.01)
    go = threading.Event()
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="process", probe=lambda _point: go.wait() and None)
    writing = asyncio.ensure_future(Script(store).put(WEB))
    while not store.trouble:
        await turn()
    assert (store.trouble, writing.done()) == ("a commit has been waiting for the disk for more than 0.01 s", False)
    assert caplog.messages == [f"the store can't write: {store.trouble}"]
    go.set()
    await writing
    assert store.trouble == ""
    assert re.fullmatch(r"the disk goes on: a commit of the store took \d+\.\d s", caplog.messages[-1])
    assert len(caplog.messages) == 2
    await store.close()


async def test_of_commits_that_take_their_time_and_no_longer_nothing_is_said(
    store: LmdbStore, script: Script, caplog: pytest.LogCaptureFixture
):
    for _ in range(20):
        await script.put(WEB)
    assert (store.trouble, caplog.messages) == ("", [])


# --- commits that fail ------------------------------------------------------------------------------------------------


async def test_of_a_create_that_nobody_waits_for_nothing_is_left_if_its_commit_fails(store: LmdbStore, script: Script, disk: BadDisk):
    disk.error = OSError("the disk has had enough")
    await store.create(WEB, envelope(), body("lost"), waits=False)
    await store.settled()
    assert store.get(WEB) is store.latest(WEB) is None
    disk.error = None
    await script.put(WEB, "there")
    assert store.get(WEB).body == spliced("there", 2)


async def test_a_failed_commit_fails_its_writes_and_nobody_sees_them(store: LmdbStore, script: Script, disk: BadDisk):
    await script.put(WEB, "before")
    watcher = store.watch("pods")
    disk.error = OSError(errno.EIO, "Input/output error")
    outcomes = await asyncio.gather(script.put(WEB, "lost"), script.put(DB, "lost"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreError, StoreError]
    assert "Input/output error" in str(outcomes[0])
    assert (store.revision, store.get(WEB).body, store.latest(WEB).body) == (1, spliced("before", 1), spliced("before", 1))
    assert (store.get(DB), store.latest(DB), await store.count("pods")) == (None, None, 1)

    disk.error = None
    again = await script.put(DB, "again")
    assert again > 1
    assert told(await collect(watcher, 1)) == [("ADDED", "db", again)]
    assert await store.count("pods") == 2


async def test_a_revision_shown_by_latest_is_not_used_again_when_its_commit_failed(store: LmdbStore, script: Script, disk: BadDisk):
    """Or an update built on the state that never was could replace another one of the same number."""
    await script.put(WEB)
    disk.error = OSError(errno.EIO, "Input/output error")
    failing = asyncio.ensure_future(script.put(WEB, "lost"))
    await turn()
    shown = store.latest(WEB).revision
    await refused(failing, StoreError)
    disk.error = None
    assert await script.put(WEB, "other") > shown
    assert store.at(store.revision - 1).get(WEB).revision == 1, "a gap in the numbers reads like the revision before it"
    assert told(await collect(store.at(shown).watch(), 1)) == [("MODIFIED", "web", store.revision)]


async def test_what_rests_on_a_failed_write_fails_and_the_rest_goes_on(tmp_path: Path):
    """While the first commit is under way, more writes gather behind it; then it fails."""
    under_way, go = threading.Event(), threading.Event()
    failures = [OSError(errno.EIO, "Input/output error")]

    def probe(point: str) -> None:
        under_way.set()
        go.wait()
        if failures:
            raise failures.pop()

    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", probe=probe)
    script = Script(store)
    first = asyncio.ensure_future(script.put(WEB, "first"))
    while not under_way.is_set():
        await turn()
    second, third, other = [asyncio.ensure_future(write) for write in (script.put(WEB, "on top"), script.put(DB), script.put(DB, "again"))]
    refusal = asyncio.ensure_future(store.create(WEB, envelope(), body()))
    await turn()
    go.set()
    outcomes = await asyncio.gather(first, second, third, other, refusal, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreError, StoreError, int, int, Record]
    assert (store.get(DB).revision, store.get(WEB)) == (outcomes[3], outcomes[4])
    assert await store.count("pods") == 2
    assert told(await collect(store.at(0).watch(), 3)) == [("ADDED", "db", 3), ("MODIFIED", "db", 4), ("ADDED", "web", 5)]
    await store.close()


async def test_a_refusal_that_rested_on_a_failed_write_is_decided_anew(store: LmdbStore, disk: BadDisk):
    disk.error = OSError(errno.EIO, "Input/output error")
    first = asyncio.ensure_future(store.create(WEB, envelope(), body("first")))
    second = asyncio.ensure_future(store.create(WEB, envelope(), body("second")))
    await refused(first, StoreError)
    disk.error = None
    outcome = (await asyncio.gather(second, return_exceptions=True))[0]
    assert not isinstance(outcome, KeyExistsError), "there is nothing under that key"
    assert store.get(WEB) == outcome
    assert outcome.body == spliced("second", outcome.revision)


async def test_settled_ends_when_the_commit_failed(store: LmdbStore, script: Script, disk: BadDisk):
    disk.error = OSError(errno.EIO, "Input/output error")
    failing = asyncio.ensure_future(script.put(WEB))
    await turn()
    await store.settled()
    await refused(failing, StoreError)
    await refused(store.put_meta("x", b"y"), StoreError)


async def test_a_bug_in_a_batch_is_reported_and_leaves_nobody_waiting(store: LmdbStore, script: Script):
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context["exception"]))
    writing = asyncio.ensure_future(script.put(WEB))
    await turn()
    job = store._writer.run(lambda txn: txn.no_such_thing())
    outcomes = await asyncio.gather(job, writing, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreError, StoreError]
    assert [type(bug) for bug in reported] == [AttributeError]
    await script.put(WEB)


async def test_a_bug_in_a_listener_is_reported_and_leaves_nobody_waiting(store: LmdbStore, script: Script):
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context["exception"]))

    def listener(event: Event) -> None:
        raise KeyError(event.record.key)

    store.on_commit("pods", listener)
    watcher = store.watch("pods")
    assert await asyncio.gather(script.put(WEB), script.put(DB)) == [1, 2]
    assert told(await collect(watcher, 2)) == [("ADDED", "web", 1), ("ADDED", "db", 2)]
    assert [type(bug) for bug in reported] == [KeyError]


# --- LMDB gives up ----------------------------------------------------------------------------------------------------


def break_heads(path: Path) -> None:
    """Make the next write of the data file's head fail, as a disk would: LMDB holds a descriptor of its own for that."""
    for entry in Path("/proc/self/fd").iterdir():
        number = int(entry.name)
        if os.path.realpath(entry) == str(path) and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_DSYNC:
            read_only = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            os.dup2(read_only, number, inheritable=False)
            os.close(read_only)
            return
    raise AssertionError("LMDB has no such descriptor")


@pytest.fixture(params=[True, False], ids=["threaded", "inline"])
async def durable(request: pytest.FixtureRequest, tmp_path: Path):
    made = LmdbStore.open(tmp_path / "durable", dialect="svcapi", durability="full", threads=request.param)
    yield made
    await made.close()


async def test_a_head_that_can_not_be_written_fails_one_commit_and_no_more(
    durable: LmdbStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    """LMDB refuses everything from then on. The file is opened anew, and nothing hangs, is lost or is seen twice."""
    script = Script(durable)
    await script.put(WEB, "before")
    watcher = durable.watch("pods")
    break_heads(tmp_path / "durable" / DATA_FILE)
    assert isinstance(await refused(script.put(DB, "lost"), StoreError), StoreError)
    assert "could not write" in durable.trouble
    assert (durable.get(WEB).body, durable.get(DB)) == (spliced("before", 1), None), "what was there is read all the while"
    again = await script.put(DB, "again")
    await script.put(WEB, "after")
    assert durable.trouble == ""
    assert told(await collect(watcher, 2)) == [("ADDED", "db", again), ("MODIFIED", "web", durable.revision)]
    assert names((await durable.list("pods")).records) == ["db", "web"]
    assert [message.partition(":")[0] for message in caplog.messages] == ["the store can't write"], "that it can again was too soon after"
    await durable.close()
    opened = LmdbStore.open(tmp_path / "durable", dialect="svcapi")
    assert names((await opened.list("pods")).records) == ["db", "web"]
    assert opened.get(DB).revision == again
    await opened.close()


async def test_many_writes_that_meet_a_store_lmdb_has_given_up_on_are_all_answered(durable: LmdbStore, tmp_path: Path):
    script = Script(durable)
    break_heads(tmp_path / "durable" / DATA_FILE)
    writes = [script.put(pod(f"p{i}")) for i in range(50)]
    outcomes = await asyncio.gather(*writes, durable.put_meta("x", b"y"), durable.settled(), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreError] * 51 + [type(None)]
    assert await script.put(WEB) > 50
    assert await durable.count("pods") == 1


async def test_while_the_file_can_not_be_opened_anew_reads_go_on_and_writes_are_refused(
    durable: LmdbStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script = Script(durable)
    await script.put(WEB, "before")
    break_heads(tmp_path / "durable" / DATA_FILE)
    await refused(script.put(DB, "lost"), StoreError)

    def fails(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr("svcsim.storage.files.rewrite_heads", fails)
        for _ in range(3):
            assert "Input/output error" in str(await refused(script.put(DB), StoreError))
            assert "Input/output error" in durable.trouble
            assert names((await durable.list("pods")).records) == ["web"]
    await script.put(DB, "again")
    assert (durable.trouble, names((await durable.list("pods")).records)) == ("", ["db", "web"])


async def test_a_commit_that_landed_though_it_was_said_to_have_failed_is_taken_in(durable: LmdbStore, tmp_path: Path):
    """The disk can have written what it called a failure. Then that is the state, for readers and watchers too."""
    script = Script(durable)
    await script.put(WEB, "before")
    watcher = durable.watch("pods")

    def landed(point: str) -> None:
        if point == AFTER_COMMIT:
            durable._committer._probe = no_probe
            raise lmdb.PanicError("the head could not be written")

    durable._committer._probe = landed
    await refused(asyncio.gather(script.put(WEB, "landed"), script.put(DB, "landed")), StoreError)
    revision = await script.put(pod("next"))
    assert told(await collect(watcher, 3)) == [("MODIFIED", "web", 2), ("ADDED", "db", 3), ("ADDED", "next", revision)]
    assert [record.body for record in (await durable.list("pods")).records[:1]] == [spliced("landed", 3)]
    assert await durable.count("pods") == 3


# --- no room ----------------------------------------------------------------------------------------------------------


async def test_a_full_disk_refuses_writes_and_lets_deletes_through(store: LmdbStore, script: Script, disk: BadDisk, tmp_path: Path):
    """The disk has room again as soon as the ballast is out."""
    ballast = tmp_path / "store" / BALLAST_FILE
    await script.put(WEB)
    whole = ballast.stat().st_size
    assert whole > 1024**2
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def probe(point: str) -> None:
        if point == BEFORE_COMMIT and ballast.stat().st_size == whole:
            raise full

    store._committer._probe = probe
    outcomes = await asyncio.gather(script.put(DB), script.drop(WEB), return_exceptions=True)
    assert isinstance(outcomes[0], StoreFullError)
    assert outcomes[1] == store.revision
    assert store.get(WEB) is None
    assert 0 < ballast.stat().st_size < whole, "the last of it is for compaction"
    await refused(script.put(DB), StoreFullError)
    store._committer._probe = no_probe
    await script.put(DB)
    assert ballast.stat().st_size == whole, "kept back again before anything else is written"


async def test_a_disk_that_has_room_again_is_no_trouble_any_more(store: LmdbStore, script: Script, disk: BadDisk):
    """Whatever is written next: what was refused need not be asked for again."""
    disk.error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    await refused(script.put(WEB, "x" * 100_000), StoreFullError)
    disk.error = None
    await script.put(DB, "small")
    assert store.trouble == ""


@pytest.fixture
async def small(tmp_path: Path):
    made = LmdbStore.open(tmp_path / "small", dialect="svcapi", durability="none", map_bytes=SMALL_MAP_BYTES)
    yield made
    await made.close()


async def fill(store: LmdbStore, size: int = 10_000, enough: int = SMALL_MAP_BYTES // 10_000, start: int = 0) -> list[str]:
    """Write until there is no more room; names are numbers from ``start`` on. Small ones are written many at once while all find room."""
    written: list[str] = []
    for together in (max(1, 4_000 // size), 1):
        refusals: list[object] = []
        while not refusals and len(written) < enough:
            names_now = [f"p{number:06}" for number in range(start, start + together)]
            start += together
            put = (Script(store).put(pod(name), "x" * size) for name in names_now)
            results = await asyncio.gather(*put, return_exceptions=True)
            refusals = [result for result in results if isinstance(result, BaseException)]
            written += [name for name, result in zip(names_now, results, strict=True) if result not in refusals]
        assert [type(refusal) for refusal in refusals] == [StoreFullError] * len(refusals) != [], "it never got full"
    return written


async def test_a_full_map_refuses_writes_and_everything_else_goes_on(small: LmdbStore):
    script = Script(small)
    watcher = small.watch("pods")
    written = await fill(small)
    assert len(written) > 20
    assert names((await small.list("pods")).records) == written
    assert len(await collect(watcher, len(written))) == len(written)
    for name in written[:10]:
        await script.drop(pod(name))
    assert (small.compacted, "full" in small.trouble) == (0, True)
    assert names((await small.list("pods")).records) == written[10:]
    assert await small.count("pods") == len(written) - 10


async def test_what_was_deleted_from_a_full_store_makes_room_at_once(small: LmdbStore):
    """Its history gives way to the next write; without a deletion there is nothing to give."""
    script = Script(small)
    written = await fill(small)
    await refused(script.put(pod("more"), "x" * 10_000), StoreFullError)
    assert small.compacted == 0
    for i, name in enumerate(written[:10]):
        await script.drop(pod(name))
        if i % 3 == 2:
            await script.put(pod(f"more{i}"), "x" * 10_000)
    assert small.compacted > len(written)
    assert small.trouble == ""
    assert await small.count("pods") == len(written) - 10 + 3


async def test_deleting_and_compacting_make_room_again(small: LmdbStore):
    script = Script(small)
    for _ in range(5):
        written = await fill(small)
        assert len(written) > 20
        for name in written:
            await script.drop(pod(name))
        await small.compact(small.revision)
    await script.put(WEB, "x" * 10_000)
    assert names((await small.list("pods")).records) == ["web"]


async def test_many_writers_on_a_full_map_each_get_a_true_answer(small: LmdbStore):
    await fill(small)
    states = (await small.list("pods")).records
    outcomes = await asyncio.gather(
        *[small.delete(state.key, state.envelope, body(), expected=state.revision) for state in states[:8]],
        *[small.create(pod(f"new{i}"), envelope(), body("x" * 10_000)) for i in range(8)],
        return_exceptions=True,
    )
    assert [type(outcome).__name__ for outcome in outcomes] == ["Record"] * 8 + ["StoreFullError"] * 8
    assert names((await small.list("pods")).records) == [state.key.name for state in states[8:]]


async def test_a_full_store_can_be_opened_and_emptied(tmp_path: Path, small: LmdbStore):
    written = await fill(small)
    await small.close()
    again = LmdbStore.open(tmp_path / "small", dialect="svcapi", durability="none", map_bytes=SMALL_MAP_BYTES)
    script = Script(again)
    await refused(script.put(WEB, "x" * 10_000), StoreFullError)
    for name in written:
        await script.drop(pod(name))
    await again.compact(again.revision)
    await script.put(WEB, "x" * 10_000)
    await again.close()


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of a few megabytes, where that can be had."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system takes root")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


async def test_a_disk_that_is_really_full_refuses_writes_and_lets_deletes_through(small_disk: Path):
    store = LmdbStore.open(small_disk / "store", dialect="svcapi")
    script = Script(store)
    written = await fill(store, 50_000, 1000)
    for name in written:
        await script.drop(pod(name), "x" * 20_000)
    ballast = small_disk / "store" / BALLAST_FILE
    assert ballast.stat().st_size < STORE_RESERVE_BYTES, "the deletions needed it"
    assert store.compacted == 0
    await script.put(WEB, "x" * 20_000)
    assert store.compacted > 0, "what was deleted made room"
    await script.drop(WEB)
    await store.compact(store.revision)
    await store.close()

    store = LmdbStore.open(small_disk / "store", dialect="svcapi")
    script = Script(store)
    assert (await store.list("pods"))[:4] == ([], store.revision, None, 0)
    assert await fill(store, 50_000, 1000), "what compaction gave back is used again"
    grow(small_disk, "20m")
    await script.put(WEB, "x" * 3_000_000)
    assert ballast.stat().st_size == STORE_RESERVE_BYTES
    await store.close()


async def test_a_full_disk_is_trouble_until_it_has_room_for_what_was_refused(small_disk: Path):
    """Small writes may find a place in the data file all the while, which proves nothing."""
    store = LmdbStore.open(small_disk / "store", dialect="svcapi")
    script = Script(store)
    for i in range(8):
        await script.put(WEB, str(i))
    others = small_disk / "others"
    with others.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    await refused(script.put(DB, "x" * 2 * STORE_GROWTH_BYTES), StoreFullError)
    await script.put(WEB, "small")
    assert "full" in store.trouble
    others.unlink()
    await script.put(WEB, "small")
    assert store.trouble == ""
    assert (small_disk / "store" / BALLAST_FILE).stat().st_size == STORE_RESERVE_BYTES
    await store.close()


async def test_no_page_of_the_data_file_is_without_its_blocks(store: LmdbStore, tmp_path: Path):
    """Or what looks free in it would take room on the disk. LMDB leaves out what a transaction takes and gives back."""

    def leave_a_hole(txn: Transaction) -> None:
        take_and_give_back(txn, store._tables.meta)

    for _ in range(3):
        await store._writer.run(leave_a_hole)
        assert block_bytes(tmp_path / "store" / DATA_FILE) >= store.stats().size_bytes > HOLE_BYTES


HOLE_BYTES = 400_000


def take_and_give_back(txn: Transaction, table: Table) -> None:
    txn.put(b"taken", bytes(HOLE_BYTES), db=table)
    for number in range(20):
        txn.put(b"behind %d" % number, bytes(4096), db=table)
    txn.delete(b"taken", db=table)


def block_bytes(path: Path) -> int:
    return path.stat().st_blocks * 512


def fill_up(disk: Path, *, but: int = 0) -> Path:
    """Have others take what the disk has left, but for so many bytes."""
    others = disk / "others"
    with others.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    os.truncate(others, others.stat().st_size - but)
    return others


@pytest.mark.parametrize("hole", [False, True])
async def test_deletions_get_the_last_of_a_disk_that_others_have_filled(small_disk: Path, hole: bool):
    """However little was kept back, and though the file has pages without blocks, as older ones have and copies."""
    path = small_disk / "store"
    store = LmdbStore.open(path, dialect="svcapi")
    written = [f"p{number:02}" for number in range(50)]
    await asyncio.gather(*[Script(store).put(pod(name), "x" * 20_000) for name in written])
    await store.put_meta("taken", bytes(HOLE_BYTES))
    await store.put_meta("taken", b"")
    await store.close()
    os.truncate(path / BALLAST_FILE, 600_000 + hole * HOLE_BYTES)
    if hole:  # zeros that nobody needs, as a copy leaves them out
        subprocess.run(["cp", "--sparse=always", path / DATA_FILE, small_disk / "copy"], check=True)
        (small_disk / "copy").replace(path / DATA_FILE)
        assert block_bytes(path / DATA_FILE) < (path / DATA_FILE).stat().st_size - HOLE_BYTES // 2
    fill_up(small_disk)

    store = LmdbStore.open(path, dialect="svcapi")
    await refused(Script(store).put(DB, "x" * 1_000_000), StoreFullError)
    for name in written:
        await Script(store).drop(pod(name), "y" * 1_000)
    assert await store.count("pods") == 0
    await store.close()


@pytest.mark.parametrize("kept", [0, 600_000, STORE_RESERVE_BYTES])
async def test_a_store_that_is_opened_on_a_full_disk_leaves_room_to_the_files_beside_it(small_disk: Path, kept: int):
    path = small_disk / "store"
    store = LmdbStore.open(path, dialect="svcapi")
    await Script(store).put(WEB, "x")
    await store.close()
    os.truncate(path / BALLAST_FILE, kept)
    fill_up(small_disk, but=0 if kept else 300_000)
    store = LmdbStore.open(path, dialect="svcapi")
    (small_disk / "beside").write_bytes(bytes(100_000))
    for _ in range(3):
        await asyncio.gather(Script(store).put(WEB, "y"), return_exceptions=True)
        (small_disk / "beside").write_bytes(bytes(100_000))
    await Script(store).drop(WEB)
    await store.close()


async def test_a_store_that_fills_its_disk_leaves_room_to_the_files_beside_it(small_disk: Path):
    store = LmdbStore.open(small_disk / "store", dialect="svcapi")
    for size in (300_000, 50_000, 1_000):
        await fill(store, size, 1000, start=size)
        (small_disk / f"beside{size}").write_bytes(bytes(50_000))
    await store.close()


async def test_history_gives_way_in_as_small_steps_as_there_is_room_for(tmp_path: Path):
    """A disk that took nothing of the first step takes half of it."""
    failures = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) for _ in Room]
    begun = []

    def probe(point: str) -> None:
        if point == COMPACTING:
            begun.append(point)
        if point == BEFORE_COMMIT and begun and failures:
            raise failures.pop()

    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="process", probe=probe)
    for text in range(20):
        await Script(store).put(WEB, str(text))
    await store.compact(store.revision)
    assert (failures, len(begun)) == ([], len(Room) + 2)
    await store.close()


def grow(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)


BIG = 500_000
"""Characters in an object of which the reserve holds but a few."""


@pytest.fixture(params=["map", "disk"])
def full_of_big_ones(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], LmdbStore]:
    """How to open a store with room for some twenty or forty big objects."""
    if request.param == "map":
        return lambda: LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none", map_bytes=16 * 1024**2)
    disk = request.getfixturevalue("small_disk")
    grow(disk, "24m")
    return lambda: LmdbStore.open(disk / "store", dialect="svcapi")


async def test_every_object_of_a_full_store_can_be_deleted(full_of_big_ones: Callable[[], LmdbStore], caplog: pytest.LogCaptureFixture):
    """However big: a deletion does not keep the last state a second time. All of history stays."""
    store = full_of_big_ones()
    script = Script(store)
    written = await fill(store, BIG, 100)
    assert len(written) > 15
    for i, name in enumerate(written):
        await script.remove(pod(name))
        assert await store.count("pods") == len(written) - i - 1
        if i % 5 == 0:
            assert names((await store.list("pods")).records) == written[i + 1 :]
    assert (store.compacted, "gives way" in caplog.text) == (0, False)
    assert names((await store.at(len(written)).list("pods")).records) == written
    await store.close()

    store = full_of_big_ones()
    events = await collect(store.at(len(written)).watch(), len(written))
    assert told(events) == [("DELETED", name, store.revision - len(written) + i + 1) for i, name in enumerate(written)]
    assert [event.record.body for event in events] == [spliced("x" * BIG, event.record.revision) for event in events]
    await store.compact(store.revision)
    assert len(await fill(store, BIG, 100)) > 0.8 * len(written), "and the room is there again, if in pieces"
    await store.close()


async def test_objects_that_go_in_two_steps_can_go_from_a_full_store(full_of_big_ones: Callable[[], LmdbStore]):
    """Marked as going first, gone when what waits for them is done: the first step is an update, and as big as the object."""
    store = full_of_big_ones()
    for name in await fill(store, BIG, 100):
        state = store.latest(pod(name))
        assert state is not None
        body = Body(b'{"going":', b"}" + b"x" * BIG)
        marked = await store.update(pod(name), state.envelope, body, expected=state.revision, frees=True)
        await store.delete(pod(name), marked.envelope, body, expected=marked.revision)
    assert await store.count("pods") == 0
    await store.close()


async def test_history_gives_way_to_deletions_that_need_its_room(
    full_of_big_ones: Callable[[], LmdbStore], caplog: pytest.LogCaptureFixture
):
    """Last states that differ from the ones before have to be kept, until the room for them is gone."""
    store = full_of_big_ones()
    script = Script(store)
    watcher = store.watch("pods")
    written = await fill(store, BIG, 100)
    await collect(watcher, len(written))
    expected, seen = [], []
    for i, name in enumerate(written):
        expected.append(spliced("y" * BIG, await script.drop(pod(name), "y" * BIG)))
        assert names((await store.list("pods")).records) == written[i + 1 :]
        seen += [event.record.body for event in await collect(watcher, 1)]
    assert seen == expected
    assert 0 < store.compacted < store.revision, "no more than it had to"
    assert "gives way" in caplog.text
    await store.compact(store.revision)
    assert len(await fill(store, BIG, 100)) > 0.8 * len(written)
    await store.close()


async def test_the_reserve_is_there_again_after_it_was_used(full_of_big_ones: Callable[[], LmdbStore]):
    """What deletions took of it, ordinary writes don't get once it is given back, down to the smallest."""
    store = full_of_big_ones()
    script = Script(store)
    for _ in range(6):
        written = [name for size in (BIG, 20_000, 1_000, 10) for name in await fill(store, size, 10_000, start=size)]
        assert len(written) > 10
        for name in written:
            await script.drop(pod(name), "y" * 30_000)
        await store.compact(store.revision)
    await store.close()


@pytest.mark.parametrize("together", [1, 40])
async def test_thousands_of_small_objects_of_a_full_store_can_be_deleted(small: LmdbStore, together: int):
    """Each deletion writes but little; all of them together write more than the reserve holds."""
    script = Script(small)
    written = await fill(small, 10, 100_000)
    assert len(written) > 3000
    for i in range(0, len(written), together):
        await asyncio.gather(*[script.remove(pod(name)) for name in written[i : i + together]])
    assert await small.count("pods") == 0
    assert small.compacted > 0
    await small.compact(small.revision)
    assert len(await fill(small, 10, 100_000)) > 0.8 * len(written)


async def test_a_deletion_that_finds_no_room_at_all_is_refused(small: LmdbStore):
    """There is no history left that could give way."""
    await fill(small)
    state = (await small.list("pods")).records[0]
    too_long = body("x" * SMALL_MAP_BYTES)
    await refused(small.delete(state.key, state.envelope, too_long, expected=state.revision), StoreFullError)
    assert small.compacted == small.revision
    assert small.get(state.key) == state
    await small.delete(state.key, state.envelope, uncut(state), expected=state.revision)


# --- bit rot ----------------------------------------------------------------------------------------------------------


async def rotten(path: Path, find: bytes, change: Callable[[bytes], bytes]) -> LmdbStore:
    """A store of two pods, closed, damaged and opened again."""
    store = LmdbStore.open(path, dialect="svcapi")
    script = Script(store)
    await script.put(WEB, "precious", tier="front-end")
    await script.put(DB)
    await store.close()
    assert flip(path / DATA_FILE, find, change)
    return LmdbStore.open(path, dialect="svcapi")


async def test_a_damaged_body_is_never_served(tmp_path: Path):
    store = await rotten(tmp_path / "store", b"precious", lambda found: found.replace(b"c", b"k"))
    with pytest.raises(CorruptError, match="pods default/web"):
        store.get(WEB)
    assert "pods default/web" in str(await refused(store.list("pods"), CorruptError))
    await refused(anext(aiter(store.at(0).watch())), CorruptError)
    assert store.get(DB).revision == 2, "the others are served"
    await store.close()


async def test_a_damaged_label_can_not_hide_an_object_from_a_selector(tmp_path: Path):
    store = await rotten(tmp_path / "store", b"front-end", lambda found: found.replace(b"f", b"F"))
    selecting = store.list("pods", selection=Selection(lambda key, seen: seen.labels.get("tier") == "front-end", {}, {}))
    assert "pods default/web" in str(await refused(selecting, CorruptError))
    with pytest.raises(CorruptError, match="pods default/web"):
        store.get(WEB)
    await store.close()


@pytest.mark.parametrize(("find", "told"), [(b"precious", "the record of revision 1 is damaged"), (b"front-end", "index is damaged")])
async def test_a_list_can_go_on_without_what_is_damaged(tmp_path: Path, find: bytes, told: str):
    """By its newest state, and by one that another has superseded since."""
    store = await rotten(tmp_path / "store", find, bytes.swapcase)
    damage: list[Damage] = []
    assert [bodies async for _, bodies in store.bodies("pods", on_damage=damage.append)] == [[spliced("", 2)]]
    await Script(store).put(DB, "newer")
    assert [bodies async for _, bodies in store.at(2).bodies("pods", on_damage=damage.append)] == [[spliced("", 2)]]
    assert [str(error).startswith("pods default/web: ") and told in str(error) for _, _, error in damage] == [True, True]
    assert [key for key, _, _ in damage] == [WEB, WEB]
    known = [None if envelope is None else envelope.labels for _, envelope, _ in damage]
    assert known == ([None, None] if "index" in told else [{"tier": "front-end"}] * 2), "an intact entry tells what it has"
    assert "pods default/web" in str(await refused(anext(store.bodies("pods")), CorruptError))
    await store.close()


async def test_a_record_under_a_wrong_key_is_not_served(tmp_path: Path):
    path = tmp_path / "store"
    store = await rotten(path, b"precious", lambda found: found)
    await store.close()
    with lmdb.open(str(path / DATA_FILE), subdir=False, lock=False, max_dbs=8) as env, env.begin(write=True) as txn:
        log = env.open_db(b"log", txn)
        txn.put((1).to_bytes(8, "big"), txn.get((2).to_bytes(8, "big"), db=log), db=log)
    store = LmdbStore.open(path, dialect="svcapi")
    with pytest.raises(CorruptError, match="another key or revision"):
        store.get(WEB)
    await store.close()


async def test_a_missing_record_is_told(tmp_path: Path):
    path = tmp_path / "store"
    store = await rotten(path, b"precious", lambda found: found)
    await store.close()
    with lmdb.open(str(path / DATA_FILE), subdir=False, lock=False, max_dbs=8) as env, env.begin(write=True) as txn:
        txn.delete((1).to_bytes(8, "big"), db=env.open_db(b"log", txn))
    store = LmdbStore.open(path, dialect="svcapi")
    with pytest.raises(CorruptError, match="missing"):
        store.get(WEB)
    await store.close()


async def test_compaction_steps_over_a_damaged_record(tmp_path: Path):
    store = await rotten(tmp_path / "store", b"precious", lambda found: found.replace(b"c", b"k"))
    script = Script(store)
    await script.put(DB, "newer")
    await store.compact(3)
    assert store.get(DB).body == spliced("newer", 3)
    with pytest.raises(CorruptError):
        store.get(WEB)
    await store.close()


async def test_a_damaged_object_can_not_be_updated_unseen(tmp_path: Path):
    store = await rotten(tmp_path / "store", b"precious", lambda found: found.replace(b"c", b"k"))
    await refused(store.update(WEB, envelope(), body(), expected=1), CorruptError)
    await store.close()


async def test_a_copied_store_is_a_store(tmp_path: Path):
    """A directory taken along after closing has everything in it."""
    store = await rotten(tmp_path / "store", b"precious", lambda found: found)
    await store.close()
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    store = LmdbStore.open(tmp_path / "copy", dialect="svcapi")
    assert names((await store.list("pods")).records) == ["db", "web"]
    await store.close()
