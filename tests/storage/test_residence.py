"""Pages of the data file are let go of, and come back when they are looked at."""

import resource
import sys
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.storage.contract import Body, Envelope, Key
from svcsim.storage.store import LmdbStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="takes Linux's /proc and madvise")


def _resident_bytes_of_map(path: Path) -> int:
    """What the system counts as resident of the mapped file."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(str(path)))
    return next(int(line.split()[1]) * 1024 for line in lines[at:] if line.startswith("Rss:"))


async def test_pages_let_go_of_are_no_longer_counted_and_still_read(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    data = (tmp_path / "store" / "data.mdb").resolve()
    for number in range(200):
        await store.create(Key("things", "", f"t{number}"), Envelope("", {}, {}, ()), Body(b'{"a":"' + b"x" * 20_000 + b'"', b"}"))
    before = {record.key: record.body for record in (await store.list("things")).records}
    assert _resident_bytes_of_map(data) > 1_000_000

    assert store.release_memory(0)

    assert _resident_bytes_of_map(data) < 1_000_000
    assert {record.key: record.body for record in (await store.list("things")).records} == before
    await store.close()


async def test_much_that_is_written_at_once_is_not_kept_mapped(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    data = (tmp_path / "store" / "data.mdb").resolve()
    body = Body(b'{"a":"' + b"x" * 1_000_000 + b'"', b"}")
    for number in range(2 * limits.MAPPED_BYTES // 1_000_000):
        await store.create(Key("things", "", f"t{number}"), Envelope("", {}, {}, ()), body)
        assert store.latest(Key("things", "", f"t{number}"))
    assert _resident_bytes_of_map(data) < limits.MAPPED_BYTES + 2 * limits.MAPPED_LOOK_BYTES
    await store.close()


async def test_below_the_limit_nothing_is_done(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")

    assert not store.release_memory(2**62)

    await store.close()


async def test_a_process_that_may_open_no_more_files_looks_again_later(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))

    let_go = store.release_memory(0)

    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not let_go
    assert store.release_memory(0)
    await store.close()
