"""Opening a store's directory, and what must not be opened."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import lmdb
import msgpack
import pytest

from svcsim.storage.contract import DamagedFileError, FormatError, LockedError, StoreError
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.files import BALLAST_FILE, FORMAT_KEY, LOCK_FILE, SEAL_FILE, UNFINISHED_FILE
from svcsim.storage.layout import FORMAT
from svcsim.storage.store import LmdbStore
from tests.storage.words import Script, flip, pod


@pytest.fixture
async def made(tmp_path: Path) -> Path:
    """The directory of a store that has been closed."""
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi")
    await Script(store).put(pod("web"))
    await store.close()
    return tmp_path / "store"


def set_format(path: Path, value: bytes) -> None:
    with lmdb.open(str(path / DATA_FILE), subdir=False, lock=False, max_dbs=8) as env, env.begin(write=True) as txn:
        txn.put(FORMAT_KEY, value, db=env.open_db(b"meta", txn))


def test_the_files_are_their_owners_alone(made: Path):
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in made.iterdir()} == {0o600}


async def test_a_seal_that_a_crash_left_half_written_is_in_nobodys_way(made: Path):
    (made / f"{SEAL_FILE}.4711.tmp").write_bytes(b"12 by")
    await LmdbStore.open(made, dialect="svcapi").close()
    assert sorted(entry.name for entry in made.iterdir() if entry.name.endswith(".tmp")) == []


async def test_a_store_that_is_being_served_is_refused_with_the_servers_pid(made: Path):
    store = LmdbStore.open(made, dialect="svcapi")
    with pytest.raises(LockedError, match=rf"served by another process \(pid {os.getpid()}\)"):
        LmdbStore.open(made, dialect="svcapi")
    await store.close()
    await LmdbStore.open(made, dialect="svcapi").close()


async def test_a_store_whose_lock_file_was_deleted_is_served_by_one_process_all_the_same(made: Path):
    store = LmdbStore.open(made, dialect="svcapi")
    (made / LOCK_FILE).unlink()
    with pytest.raises(LockedError, match="is being served by another process"):
        LmdbStore.open(made, dialect="svcapi")
    await Script(store).put(pod("more"))
    await store.close()
    await LmdbStore.open(made, dialect="svcapi").close()


async def test_another_process_is_refused_too(made: Path):
    store = LmdbStore.open(made, dialect="svcapi")
    code = "import sys, pathlib; from svcsim.storage.store import LmdbStore; LmdbStore.open(pathlib.Path(sys.argv[1]), dialect='svcapi')"
    command = [sys.executable, "-c", code, str(made)]
    other = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}, timeout=60)
    assert f"LockedError: the store in {made} is being served by another process (pid {os.getpid()})".encode() in other.stderr
    await store.close()


@pytest.mark.parametrize(("version", "fit"), [(FORMAT - 1, "older"), (FORMAT + 1, "newer")])
def test_another_format_is_refused(made: Path, version: int, fit: str):
    set_format(made, msgpack.packb({"format": version, "dialect": "svcapi"}))
    with pytest.raises(
        FormatError, match=f"has format {version}, and this svcsim reads format {FORMAT}; use the {fit} svcsim that made it"
    ):
        LmdbStore.open(made, dialect="svcapi")


def test_another_dialect_is_refused(made: Path):
    with pytest.raises(FormatError, match="holds a cluster of dialect svcapi, not kubernetes"):
        LmdbStore.open(made, dialect="kubernetes")


@pytest.mark.parametrize("value", [b"\xc1", b"", msgpack.packb([1]), msgpack.packb({"format": 1})])
def test_a_format_that_makes_no_sense_is_refused(made: Path, value: bytes):
    set_format(made, value)
    with pytest.raises(FormatError, match="is damaged: "):
        LmdbStore.open(made, dialect="svcapi")


def test_a_file_that_is_not_a_data_file_is_refused(tmp_path: Path):
    (tmp_path / DATA_FILE).write_bytes(b"not LMDB's" * 10_000)
    with pytest.raises(FormatError, match="is not a store's data file"):
        LmdbStore.open(tmp_path, dialect="svcapi")


@pytest.mark.parametrize(("find", "other"), [(b"svcapi", b"svcapj"), (b"\xa6format\x03", b"\xa6format\x02")])
def test_a_flipped_bit_in_the_format_is_no_other_format(made: Path, find: bytes, other: bytes):
    """Neither is it another dialect: nobody is sent to look for a svcsim that there isn't."""
    assert flip(made / DATA_FILE, find, lambda _: other)
    with pytest.raises(DamagedFileError, match="is damaged: what it says of its format doesn't fit its checksum"):
        LmdbStore.open(made, dialect="svcapi")


def test_a_directory_with_other_files_is_refused_and_left_alone(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(FormatError, match=r"holds other files \(thesis.txt\)"):
        LmdbStore.open(tmp_path, dialect="svcapi")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_path_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="is not a directory"):
        LmdbStore.open(tmp_path / "file", dialect="svcapi")


def test_a_path_that_can_not_be_made_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"can't open the store in .*: Not a directory"):
        LmdbStore.open(tmp_path / "file" / "store", dialect="svcapi")


async def test_a_refused_opening_leaves_the_store_unlocked(made: Path):
    with pytest.raises(FormatError):
        LmdbStore.open(made, dialect="kubernetes")
    store = LmdbStore.open(made, dialect="svcapi")
    assert store.revision == 1
    await store.close()


CURE = "put a copy of it back, or delete the cluster and its data and begin anew"


@pytest.mark.parametrize(
    ("size", "why"), [(0, "it is empty"), (100, "it is cut short"), (5000, "it is cut short"), (20_000, "it is cut short")]
)
def test_a_data_file_cut_short_is_refused(made: Path, size: int, why: str):
    """With a sentence that names it, and says what there is to do. A file that was never finished has another name."""
    os.truncate(made / DATA_FILE, size)
    with pytest.raises(DamagedFileError) as caught:
        LmdbStore.open(made, dialect="svcapi")
    assert str(caught.value).startswith(f"{made / DATA_FILE} is damaged: {why}")
    assert str(caught.value).endswith(CURE)


async def test_a_store_that_was_never_finished_is_made_anew(tmp_path: Path):
    (tmp_path / UNFINISHED_FILE).write_bytes(b"\0" * 5000)
    store = LmdbStore.open(tmp_path, dialect="svcapi")
    assert await Script(store).put(pod("web")) == 1
    await store.close()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [BALLAST_FILE, DATA_FILE, LOCK_FILE, SEAL_FILE]


async def test_what_else_the_process_holds_is_not_written(tmp_path: Path):
    """LMDB's pages are as they were allocated: a file that is copied or handed on must not have others' tokens in it."""
    secret = b"Bearer " + b"t0k3n-" * 20
    store = LmdbStore.open(tmp_path, dialect="svcapi")
    for i in range(200):
        held = [secret * 30 for _ in range(20)]  # freed again: malloc hands the same memory to the next page
        del held
        await Script(store).put(pod(f"p{i}"), "x" * (i * 37 % 5000))
    await store.close()
    assert b"t0k3n-" not in (tmp_path / DATA_FILE).read_bytes()


async def test_a_seal_holds_for_a_file_as_it_was_closed(made: Path):
    """What has been changed since is looked over."""
    assert (made / SEAL_FILE).read_text().startswith(f"{(made / DATA_FILE).stat().st_size} bytes")
    await LmdbStore.open(made, dialect="svcapi").close()
    damage_pages(made)
    with pytest.raises(DamagedFileError, match="is not the page that it should be"):
        LmdbStore.open(made, dialect="svcapi")


def damage_pages(path: Path) -> None:
    """In place: it is the same file still."""
    content = bytearray((path / DATA_FILE).read_bytes())
    for at in range(8192, len(content), 4096):
        content[at] ^= 64  # the number of every page
    (path / DATA_FILE).write_bytes(content)


LONG = "x" * 20_000


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """The directory of a store whose process was killed, with a flaw in it that only a look at its pages finds, and mends."""
    path = tmp_path / "killed"
    kill_a_server(path)
    flaw(path)
    return path


def kill_a_server(path: Path, *more: str) -> None:
    words = "import asyncio,os,signal,sys; from pathlib import Path; from tests.storage.words import Script, pod; "
    words += "from svcsim.storage.store import LmdbStore; store = LmdbStore.open(Path(sys.argv[1]), dialect='svcapi'); "
    words += f"asyncio.run(Script(store).put(pod('web'), {LONG!r})); {' '.join(more)} os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", words, str(path)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -9


def flaw(path: Path) -> None:
    content = (path / DATA_FILE).read_bytes()
    first = content.index(LONG[:1000].encode()) // 4096 * 4096
    with (path / DATA_FILE).open("r+b") as file:
        file.seek(first + 12)
        file.write(b"\x77")


def has_flaw(path: Path) -> bool:
    content = (path / DATA_FILE).read_bytes()
    return content[content.index(LONG[:1000].encode()) // 4096 * 4096 + 12] == 0x77


async def test_what_a_killed_process_left_is_looked_over_by_the_opening_after_the_next(killed: Path):
    store = LmdbStore.open(killed, dialect="svcapi")
    assert store.get(pod("web")) is not None
    await store.close()
    assert has_flaw(killed), "nobody has looked"
    await LmdbStore.open(killed, dialect="svcapi").close()
    assert not has_flaw(killed)
    assert (killed / SEAL_FILE).exists()


async def test_what_was_killed_twice_is_looked_over(killed: Path):
    kill_a_server(killed)
    await LmdbStore.open(killed, dialect="svcapi").close()
    assert not has_flaw(killed)


async def test_what_a_killed_process_left_is_looked_over_where_the_file_or_the_machine_is_another(killed: Path, tmp_path: Path):
    copied = tmp_path / "copied"
    shutil.copytree(killed, copied)
    await LmdbStore.open(copied, dialect="svcapi").close()
    assert not has_flaw(copied)
    (killed / SEAL_FILE).write_text((killed / SEAL_FILE).read_text()[:-3] + "zz\n")
    await LmdbStore.open(killed, dialect="svcapi").close()
    assert not has_flaw(killed)


async def test_what_a_killed_process_left_is_looked_over_if_its_disk_had_failed(tmp_path: Path):
    fails = "store._tables.distrust();"
    kill_a_server(tmp_path / "store", fails)
    flaw(tmp_path / "store")
    await LmdbStore.open(tmp_path / "store", dialect="svcapi").close()
    assert not has_flaw(tmp_path / "store")


async def test_an_entry_that_is_missing_shows_without_a_look_at_the_pages(tmp_path: Path):
    kill_a_server(tmp_path)
    content = bytearray((tmp_path / DATA_FILE).read_bytes())
    described = [at for at in find_all(content, b"live") if content[at + 4 + 40 : at + 4 + 48] != b"\xff" * 8]
    for at in described:
        content[at + 4 + 32] ^= 1  # how many entries it says it has
    (tmp_path / DATA_FILE).write_bytes(content)
    with pytest.raises(DamagedFileError, match="a table has other entries than are recorded"):
        LmdbStore.open(tmp_path, dialect="svcapi")


def find_all(content: bytes, text: bytes) -> list[int]:
    found = [content.find(text)]
    while found[-1] >= 0:
        found.append(content.find(text, found[-1] + 1))
    return found[:-1]
