"""Keeping history as long as it is meant to be kept, in cluster time; and compaction that was interrupted."""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from svcsim.clock import Clock
from svcsim.limits import COMPACTION_BATCH_RECORDS, HISTORY_MARKS
from svcsim.storage.commit import COMPACTING, no_probe
from svcsim.storage.compaction import Compactor
from svcsim.storage.contract import CompactedError, StoreError
from svcsim.storage.store import LmdbStore
from svcsim.virtual_loop import VirtualLoop
from tests.storage.words import Script, open_inline, pod, refused

T = TypeVar("T")
HISTORY_S = 300.0
STEP_S = HISTORY_S / HISTORY_MARKS
START_S = 1_700_000_000.0
WEB = pod("web")


def virtually(run: Callable[[], Awaitable[T]]) -> T:
    """Run on virtual time."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(wall_s=30)) as runner:
        return runner.run(run())


class Cluster:
    """A store, a clock, and the compactor at work."""

    def __init__(self, path: Path, history_s: float | None, start_s: float) -> None:
        self.store = open_inline(path)
        self.clock = Clock(start=start_s)
        self.clock.call_later(0, lambda: None)
        self.script = Script(self.store)
        self.compacting = asyncio.ensure_future(Compactor(self.store, self.clock, history_s).run())

    async def stop(self) -> None:
        self.compacting.cancel()
        await asyncio.wait([self.compacting])
        await self.store.close()


def test_a_past_revision_stays_readable_for_the_window_and_not_much_longer(tmp_path: Path):
    async def run() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S)
        for i in range(40):
            await cluster.script.put(WEB, str(i))
            await cluster.clock.sleep(60)
            # Revision r was written at (r - 1) minutes and superseded at r.
            age_s = {revision: (i + 1 - revision) * 60 for revision in range(1, i + 1)}
            readable = {revision for revision in age_s if revision >= cluster.store.compacted}
            assert readable >= {revision for revision, age in age_s.items() if age <= HISTORY_S}
            assert readable.isdisjoint({revision for revision, age in age_s.items() if age > HISTORY_S + 60 + 2 * STEP_S})
        await cluster.stop()

    virtually(run)


def test_a_restart_does_not_begin_the_window_anew(tmp_path: Path):
    async def first() -> float:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S)
        for i in range(3):
            await cluster.script.put(WEB, str(i))
            await cluster.clock.sleep(2 * STEP_S)
        assert cluster.store.compacted == 0
        await cluster.stop()
        return cluster.clock.now()

    async def second() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, stopped_s + HISTORY_S)
        await cluster.clock.sleep(2 * STEP_S)
        assert cluster.store.compacted == 3
        await cluster.stop()

    stopped_s = virtually(first)
    virtually(second)


def test_a_clock_set_back_begins_the_window_anew(tmp_path: Path):
    async def first() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S)
        await cluster.script.put(WEB)
        await cluster.clock.sleep(2 * STEP_S)
        await cluster.stop()

    async def second() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S - 1e6)
        await cluster.script.put(WEB)
        await cluster.clock.sleep(HISTORY_S + 3 * STEP_S)
        assert cluster.store.compacted == 2
        await cluster.stop()

    virtually(first)
    virtually(second)


def test_for_ever_is_for_ever(tmp_path: Path):
    async def run() -> None:
        cluster = Cluster(tmp_path / "store", None, START_S)
        for i in range(10):
            await cluster.script.put(WEB, str(i))
            await cluster.clock.sleep(10 * HISTORY_S)
        assert cluster.store.compacted == 0
        assert cluster.store.at(1).get(WEB).revision == 1
        await cluster.stop()

    virtually(run)


def test_an_idle_cluster_writes_nothing_down(tmp_path: Path):
    async def run() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S)
        await cluster.script.put(WEB)
        await cluster.clock.sleep(10 * HISTORY_S)
        kept = cluster.store.get_meta("history-marks")
        await cluster.clock.sleep(100 * HISTORY_S)
        assert cluster.store.get_meta("history-marks") == kept
        await cluster.stop()

    virtually(run)


def test_a_store_that_can_not_be_written_for_a_while_is_compacted_later(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    async def run() -> None:
        cluster = Cluster(tmp_path / "store", HISTORY_S, START_S)
        await cluster.script.put(WEB)
        await cluster.script.put(WEB)
        cluster.store._committer._probe = broken
        await cluster.clock.sleep(2 * HISTORY_S)
        assert cluster.store.compacted == 0
        cluster.store._committer._probe = no_probe
        await cluster.clock.sleep(2 * HISTORY_S)
        assert cluster.store.compacted == 2
        await cluster.stop()

    def broken(point: str) -> None:
        raise OSError(errno.EIO, "Input/output error")

    virtually(run)
    assert [record.levelname for record in caplog.records] == ["ERROR"], "the store tells it once, whoever meets it how often"


@pytest.mark.parametrize("batch", [1, 2])
async def test_an_interrupted_compaction_goes_on_after_reopening(tmp_path: Path, batch: int):
    """Its target is recorded first: what was to go can't be read any more, whether or not it is gone already."""
    passages = 0

    def probe(point: str) -> None:
        nonlocal passages
        passages += point == COMPACTING
        if point == COMPACTING and passages == batch:
            raise OSError("interrupted")

    def opened() -> LmdbStore:
        return LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none", threads=False, probe=probe)

    store = opened()
    script = Script(store)
    total = 2 * COMPACTION_BATCH_RECORDS + 100
    for i in range(total // 2):
        await script.put(pod(f"p{i % 10}"))
    for i in range(total // 2):
        await script.put(pod(f"q{i}"))
    await refused(store.compact(total), StoreError)
    assert store.compacted == total
    with pytest.raises(CompactedError):
        store.at(total - 1)
    expected = (await store.list("pods"))[:4]
    await store.close()

    store = opened()
    assert store.compacted == total
    assert (await store.list("pods"))[:4] == expected
    await store.compact(store.compacted)
    assert entries(store) == (10 + total // 2, 0)
    assert (await store.list("pods"))[:4] == expected
    await store.close()


async def test_compaction_leaves_nothing_behind(tmp_path: Path):
    """In the log one record for each living object, in the past nothing at all."""
    store = open_inline(tmp_path / "store")
    script = Script(store)
    for i in range(300):
        await script.put(pod(f"p{i % 20}"), str(i))
        if i % 7 == 0:
            await script.drop(pod(f"p{i % 20}"))
    await store.compact(100)
    await store.compact(store.revision)
    assert entries(store) == (await store.count("pods"), 0)
    await store.close()


def entries(store: LmdbStore) -> tuple[int, int]:
    """How many there are in the log, and among past states."""
    tables = store._tables
    with tables.env.begin() as txn:
        return txn.stat(tables.log)["entries"], txn.stat(tables.past)["entries"]
