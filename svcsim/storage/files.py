"""A store's directory: opening it, and refusing what must not be opened.

The directory is the owner's alone (0700, files 0600). ``lock`` is held (`flock`) by the one process that serves the store and names it, and
so is ``data.mdb``, LMDB's file; ``ballast`` is room kept back for a full disk (`reserve.py`); ``seal`` says why the data file can be opened
without a look at its pages (`seal.py`). LMDB's own lock file is not used: one process, one thread that writes at a time, and
readers that never outlive the next commit (`reader.py`) leave nothing for it to guard.

A new data file is made under another name and gets its own when it is whole and on disk: one that is empty or cut short has been damaged,
whatever happened while it was made.
"""

import os
import resource
import sys
from pathlib import Path
from typing import Literal, cast
from zlib import crc32

import lmdb
import msgpack

from svcsim.meta.files import is_draft, sync_directory
from svcsim.meta.locks import hold
from svcsim.storage.contract import DamagedFileError, FormatError, LockedError, StoreError
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.engine import Environment, Table
from svcsim.storage.layout import FORMAT
from svcsim.storage.pages import check_pages, rewrite_heads
from svcsim.storage.seal import SEAL_FILE, Trust, break_seal, forget_seal, seal_served

UNFINISHED_FILE = f"{DATA_FILE}.new"
LOCK_FILE = "lock"
BALLAST_FILE = "ballast"

FILES = (DATA_FILE, UNFINISHED_FILE, SEAL_FILE, LOCK_FILE, BALLAST_FILE)

FORMAT_KEY = b"format"

Durability = Literal["full", "process", "none"]
"""What an answered write survives: power loss; the end of the process; or just this run (a directory nobody will open again)."""

TABLES = (b"meta", b"live", b"past", b"log")


class Tables:
    """The open environment and its tables (`layout.py` says what stands in them)."""

    env: Environment
    meta: Table
    live: Table
    past: Table
    log: Table

    def __init__(self, data_file: Path, *, map_bytes: int, durability: Durability) -> None:
        """Raises `StoreError` when the machine refuses."""
        self._data_file = data_file
        self._map_bytes = map_bytes
        self._durability: Durability = durability
        self.failed = False
        """Whether LMDB refuses everything until `reopen`: it could not write its head, and doesn't know which of two states is on disk."""
        self._is_open = False
        self.is_unchecked = False
        """Whether it was opened without a look at its pages, after a process that didn't close it."""
        self._open()

    def has_given_up(self) -> bool:
        """Whether LMDB has, after a write that failed: the error is that of the disk, and it is the next transaction that is refused."""
        try:
            self.env.begin(write=True).abort()
        except lmdb.Error:
            return True
        return False

    def distrust(self) -> None:
        """The disk has failed: whatever comes next, the file is looked over before it is opened by another process."""
        forget_seal(self._data_file)

    def settle(self) -> None:
        """Make sure which state is on disk, before `reopen`. What is being read can be read on. Raises `OSError`."""
        rewrite_heads(self._data_file)

    def reopen(self) -> None:
        """Begin anew with that state. No transaction may be open. Raises `StoreError`."""
        if self._is_open:
            self._map_bytes = self.env.info()["map_size"]
            self.env.close()
            self._is_open = False
        self._open()

    def _open(self) -> None:
        synced = self._durability == "full"
        try:
            opened = lmdb.open(
                str(self._data_file),
                map_size=self._map_bytes,
                subdir=False,
                mode=0o600,
                max_dbs=8,
                lock=False,
                sync=synced,
                metasync=synced,
                readahead=False,
                # Or what else the process has in memory would be written with pages that aren't filled: tokens, bodies.
                meminit=True,
            )
            self.env = cast("Environment", opened)
            self.meta, self.live, self.past, self.log = (self.env.open_db(name) for name in TABLES)
            self._is_open = True
        except (lmdb.InvalidError, lmdb.VersionMismatchError, lmdb.CorruptedError) as error:
            raise DamagedFileError(self._data_file, str(error)) from error
        except lmdb.Error as error:
            raise StoreError(f"can't open {self._data_file}: {error}") from error


class LockFile:
    """Holds a store for this process, until `release`."""

    def __init__(self, path: Path) -> None:
        """Raises `LockedError` when another process holds it."""
        held = hold(path)
        if held is None:
            holder = path.read_text("ascii", "replace").strip() or "unknown"
            raise LockedError(f"the store in {path.parent} is being served by another process (pid {holder}); stop that one first")
        self._held = [held]
        os.ftruncate(held, 0)
        os.pwrite(held, f"{os.getpid()}\n".encode(), 0)

    def cover(self, data_file: Path) -> None:
        """Hold the data file as well: a lock file can be deleted while the store is served. Raises `LockedError`."""
        held = hold(data_file, create=False)
        if held is None:
            raise LockedError(f"the store in {data_file.parent} is being served by another process; stop that one first")
        self._held.append(held)

    def release(self) -> None:
        for held in self._held:
            os.close(held)


def prepare_directory(path: Path) -> None:
    """Make the directory, or make sure that it is a store's. Raises `FormatError`."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise FormatError(f"{path} is not a directory") from None
    foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in FILES and not is_draft(entry, SEAL_FILE))
    if foreign:
        raise FormatError(f"{path} holds other files ({', '.join(foreign[:3])}); give the store a directory of its own")


def open_tables(path: Path, lock: LockFile, *, map_bytes: int, durability: Durability, dialect: str) -> Tables:
    """Open the data file, or make it. Raises `FormatError` for a file that can't be relied on, `StoreError` when the machine refuses."""
    data_file, unfinished = path / DATA_FILE, path / UNFINISHED_FILE
    # LMDB's end of the map comes first, where a file may not grow as far: it has room kept back before it.
    map_bytes = min(map_bytes, longest_file_bytes())
    try:
        unfinished.unlink(missing_ok=True)
        for draft in [entry for entry in path.iterdir() if is_draft(entry, SEAL_FILE)]:
            draft.unlink()
        if data_file.exists():
            lock.cover(data_file)
            trust = break_seal(data_file)
            if trust is Trust.NONE:
                check_pages(data_file, TABLES)
        elif durability == "full" and (path / SEAL_FILE).exists():  # which is never on the disk before the data file is
            raise FormatError(f"{data_file} is gone, and what seals it is there; put it back, or delete {path} to begin anew")
        else:
            trust = Trust.CLOSED
            _make(unfinished, map_bytes, dialect, synced=durability == "full")
            unfinished.rename(data_file)
            lock.cover(data_file)
            if durability == "full":
                sync_directory(path)
                sync_directory(path.parent)
        try:
            tables = _checked_tables(data_file, map_bytes, durability, dialect)
        except DamagedFileError:
            if trust is Trust.LEFT:
                check_pages(data_file, TABLES)  # which says more of what is wrong
            raise
    except OSError as error:
        raise StoreError(f"can't open the store in {path}: {error.strerror}") from error
    tables.is_unchecked = trust is Trust.LEFT
    if durability != "none" and not tables.is_unchecked:
        seal_served(data_file)
    return tables


def _checked_tables(data_file: Path, map_bytes: int, durability: Durability, dialect: str) -> Tables:
    """The tables of a file that is of the right format."""
    tables = Tables(data_file, map_bytes=map_bytes, durability=durability)
    try:
        _pad(data_file, tables.env)
        check_format(tables, data_file.parent, dialect)
    except lmdb.CorruptedError as error:
        tables.env.close()
        raise DamagedFileError(data_file, str(error)) from error
    except BaseException:
        tables.env.close()
        raise
    return tables


def _make(data_file: Path, map_bytes: int, dialect: str, *, synced: bool) -> None:
    """Make a data file with its tables and its format in it."""
    tables = Tables(data_file, map_bytes=map_bytes, durability="process")
    try:
        with tables.env.begin(write=True) as txn:
            txn.put(FORMAT_KEY, _format_value({"format": FORMAT, "dialect": dialect}), db=tables.meta)
        if synced:
            tables.env.sync(force=True)
    except lmdb.Error as error:
        raise StoreError(f"can't make a store in {data_file.parent}: {error}") from error
    finally:
        tables.env.close()


def longest_file_bytes() -> int:
    """How long a file of this process may become."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    page_bytes = os.sysconf("SC_PAGESIZE")
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit // page_bytes * page_bytes


def _pad(path: Path, env: Environment) -> None:
    """Fill up a file that is shorter than it says: the last pages may have been taken and given back within one transaction."""
    size = (env.info()["last_pgno"] + 1) * os.sysconf("SC_PAGESIZE")
    if path.stat().st_size < size:
        os.truncate(path, size)


def check_format(tables: Tables, path: Path, dialect: str) -> None:
    """Compare format and dialect with those the store was made with. Raises `FormatError`."""
    with tables.env.begin() as txn:
        stored = txn.get(FORMAT_KEY, None, tables.meta)
    try:
        recorded = msgpack.unpackb(stored or b"")
        version, stored_dialect, checksum = int(recorded["format"]), str(recorded["dialect"]), recorded.get("checksum")
    except (msgpack.UnpackException, ValueError, TypeError, KeyError) as error:
        raise DamagedFileError(path / DATA_FILE, "it does not say which format it has") from error
    if stored != _format_value({"format": version, "dialect": stored_dialect}) and (checksum is not None or version == FORMAT):
        raise DamagedFileError(path / DATA_FILE, "what it says of its format doesn't fit its checksum")
    if version != FORMAT:
        fit = "newer" if version > FORMAT else "older"
        raise FormatError(
            f"the store in {path} has format {version}, and this svcsim reads format {FORMAT}; use the {fit} svcsim that made it"
        )
    if stored_dialect != dialect:
        raise FormatError(
            f"the store in {path} holds a cluster of dialect {stored_dialect}, not {dialect}; name that dialect or another directory"
        )


def _format_value(says: dict[str, int | str]) -> bytes:
    """Format and dialect, in a form that every version reads."""
    packed: bytes = msgpack.packb({**says, "checksum": crc32(msgpack.packb(says))})
    return packed
