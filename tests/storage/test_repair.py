"""What of a store that is opened is found damaged, and what is made anew from the log."""

from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from svcsim.storage.contract import CompactedError, CorruptError, Damage, DamagedFileError
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.engine import Transaction
from svcsim.storage.store import LmdbStore
from tests.storage.words import Script, body, envelope, flip, names, pod, spliced

WEB, DB = pod("web"), pod("db")


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A closed store of two pods; one of them has a past."""
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi")
    script = Script(store)
    await script.put(WEB, "first", tier="front")
    await script.put(DB, "data")
    await script.put(WEB, "second", tier="front")
    await store.put_meta("cluster", b"kept")
    await store.close()
    return tmp_path / "store"


def change(path: Path, table: bytes, what: Callable[[Transaction, object], object]) -> None:
    with lmdb.open(str(path / DATA_FILE), subdir=False, lock=False, max_dbs=8) as env, env.begin(write=True) as txn:
        what(txn, env.open_db(table, txn))


def moved(old: bytes, new: bytes) -> Callable[[Transaction, object], object]:
    """An entry whose key was damaged."""
    return lambda txn, table: txn.put(new, txn.pop(old, db=table), db=table)


def stem(name: str) -> bytes:
    return b"\0\1default\0" + name.encode()


async def test_an_entry_of_the_index_whose_key_is_damaged_is_made_anew(path: Path, caplog: pytest.LogCaptureFixture):
    """Or the object would not be found under its name, and another could be made there."""
    change(path, b"live", moved(stem("web"), stem("wfb")))
    store = LmdbStore.open(path, dialect="svcapi")
    assert names((await store.list("pods")).records) == ["db", "web"]
    assert store.get(WEB).body == spliced("second", 3)
    assert (store.get(pod("wfb")), await store.count("pods")) == (None, 2)
    assert "has been made anew from the log" in caplog.text
    await store.close()


@pytest.mark.parametrize("at", [3, 9, -1], ids=["revision", "envelope", "checksum"])
async def test_an_entry_of_the_index_whose_value_is_damaged_is_made_anew(path: Path, at: int):
    def damage(txn: Transaction, table: object) -> None:
        value = bytearray(txn.get(stem("web"), db=table))
        value[at] ^= 4
        txn.put(stem("web"), bytes(value), db=table)

    change(path, b"live", damage)
    store = LmdbStore.open(path, dialect="svcapi")
    assert [record.body for record in (await store.list("pods")).records] == [spliced("data", 2), spliced("second", 3)]
    assert store.get(WEB).envelope == envelope(tier="front")
    assert names((await store.at(2).list("pods")).records) == ["db", "web"]
    await store.close()


async def test_an_older_state_never_takes_the_place_of_one_that_can_not_be_read(path: Path):
    """Index and newest record damaged: the object is told as damaged, and can be deleted; the state before is not shown for it."""
    change(path, b"live", lambda txn, table: txn.put(stem("web"), txn.get(stem("web"), db=table)[:-1] + b"?", db=table))
    assert flip(path / DATA_FILE, b'"text":"second"', bytes.swapcase)
    store = LmdbStore.open(path, dialect="svcapi")
    with pytest.raises(CorruptError, match="pods default/web"):
        store.get(WEB)
    damage: list[Damage] = []
    assert [text async for _, some in store.bodies("pods", on_damage=damage.append) for text in some] == [spliced("data", 2)]
    assert [found.key for found in damage] == [WEB]
    await store.discard(WEB, envelope(), body())
    assert names((await store.list("pods")).records) == ["db"]
    assert await store.count("pods") == 1
    await store.close()


async def test_a_damaged_index_of_the_past_ends_history_and_nothing_else(path: Path):
    def damage(txn: Transaction, table: object) -> None:
        ((key, value),) = list(txn.cursor(table))
        txn.put(key, value[:-1] + b"?", db=table)

    change(path, b"past", damage)
    store = LmdbStore.open(path, dialect="svcapi")
    assert names((await store.list("pods")).records) == ["db", "web"]
    with pytest.raises(CompactedError):
        store.at(2)
    await Script(store).put(WEB, "third")
    assert store.at(3).get(WEB).body == spliced("second", 3)
    await store.close()


async def test_a_record_under_a_number_that_is_none_yet_goes_back_to_its_own(path: Path):
    """Or the revisions would go on behind it."""
    change(path, b"log", moved((3).to_bytes(8), (2**60).to_bytes(8)))
    store = LmdbStore.open(path, dialect="svcapi")
    assert (store.revision, store.get(WEB).body) == (3, spliced("second", 3))
    assert await Script(store).put(DB, "more") == 4
    await store.close()


@pytest.mark.parametrize("key", [b"resource/pods", b"revision", b"info/cluster"])
def test_what_can_not_be_told_from_the_log_is_refused_by_name(path: Path, key: bytes):
    def damage(txn: Transaction, table: object) -> None:
        value = bytearray(txn.get(key, db=table))
        value[0] ^= 16
        txn.put(key, bytes(value), db=table)

    change(path, b"meta", damage)
    with pytest.raises(DamagedFileError, match=rf"{path / DATA_FILE} is damaged: the entry b'{key.decode()}' is damaged"):
        LmdbStore.open(path, dialect="svcapi")


async def test_a_watch_of_something_else_passes_by_a_damaged_record(path: Path):
    assert flip(path / DATA_FILE, b'"text":"data"', bytes.swapcase)
    store = LmdbStore.open(path, dialect="svcapi")
    for pattern, seen in ((("pods", "default", "web"), [WEB, WEB]), (("pods", "other", ""), []), (("services", "", ""), [])):
        watcher = store.at(0).watch(*pattern)
        watcher.nudge()  # or one for which there is nothing would wait
        assert [event.record.key for event in await anext(watcher)] == seen
        assert watcher.revision == store.revision
        watcher.close()
    with pytest.raises(CorruptError, match="pods default/db: the record of revision 2 is damaged"):
        await anext(store.at(0).watch("pods"))
    await store.close()
