"""A store's directory: opening it, and refusing what must not be opened.

The directory is the owner's alone (0700, files 0600). ``lock`` is held (`flock`) by the one process that serves the store and names it;
``data.mdb`` is LMDB's file; ``ballast`` is room kept back for a full disk (`reserve.py`). LMDB's own lock file is not used: one process,
one thread that writes at a time, and readers that never outlive the next commit (`reader.py`) leave nothing for it to guard.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import lmdb
import msgpack

from svcsim.meta.locks import hold
from svcsim.storage.contract import FormatError, LockedError, StoreError
from svcsim.storage.engine import Environment, Table
from svcsim.storage.layout import FORMAT

DATA_FILE = "data.mdb"
LOCK_FILE = "lock"
BALLAST_FILE = "ballast"

FORMAT_KEY = b"format"

Durability = Literal["full", "process", "none"]
"""What an answered write survives: power loss; the end of the process; or just this run (a directory nobody will open again)."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The open environment and its tables (`layout.py` says what stands in them)."""

    env: Environment
    meta: Table
    live: Table
    past: Table
    log: Table


class LockFile:
    """Holds a store for this process, until `release`."""

    def __init__(self, path: Path) -> None:
        """Raises `LockedError` when another process holds it."""
        held = hold(path)
        if held is None:
            holder = path.read_text("ascii", "replace").strip() or "unknown"
            raise LockedError(f"the store in {path.parent} is being served by another process (pid {holder}); stop that one first")
        self._fd = held
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.close(self._fd)


def prepare_directory(path: Path) -> None:
    """Make the directory, or make sure that it is a store's. Raises `FormatError`."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise FormatError(f"{path} is not a directory") from None
    foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in (DATA_FILE, LOCK_FILE, BALLAST_FILE))
    if foreign:
        raise FormatError(f"{path} holds other files ({', '.join(foreign[:3])}); give the store a directory of its own")


def sync_directory(path: Path) -> None:
    """Have the disk know the names of the files too, not just what is in them."""
    for directory in (path, path.parent):
        fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def open_tables(path: Path, *, map_bytes: int, durability: Durability) -> Tables:
    """Open or make the environment. Raises `FormatError` for a file that isn't LMDB's, `StoreError` when the machine refuses."""
    synced = durability == "full"
    try:
        opened = lmdb.open(
            str(path / DATA_FILE),
            map_size=map_bytes,
            subdir=False,
            mode=0o600,
            max_dbs=8,
            lock=False,
            sync=synced,
            metasync=synced,
            readahead=False,
            meminit=False,
        )
        env = cast("Environment", opened)
        _pad(path / DATA_FILE, env)
        return Tables(env, *(env.open_db(name) for name in (b"meta", b"live", b"past", b"log")))
    except (lmdb.InvalidError, lmdb.VersionMismatchError, lmdb.CorruptedError) as error:
        raise FormatError(f"{path / DATA_FILE} is damaged or not a store's data file; give another directory ({error})") from error
    except lmdb.Error as error:
        raise StoreError(f"can't open the store in {path}: {error}") from error


def _pad(path: Path, env: Environment) -> None:
    """Fill up a file that is shorter than it says, as one that was cut short is: LMDB finds zeros damaged, a missing page is a bus error.

    It can also be so by right, when the last pages were taken and given back within one transaction.
    """
    size = (env.info()["last_pgno"] + 1) * os.sysconf("SC_PAGESIZE")
    if path.stat().st_size < size:
        os.truncate(path, size)


def check_format(tables: Tables, path: Path, dialect: str) -> None:
    """Record format and dialect in a new store, compare them in an old one. Raises `FormatError`."""
    with tables.env.begin(write=True) as txn:
        stored = txn.get(FORMAT_KEY, None, tables.meta)
        if stored is None:
            txn.put(FORMAT_KEY, msgpack.packb({"format": FORMAT, "dialect": dialect}), db=tables.meta)
            return
    try:
        recorded = msgpack.unpackb(stored)
        version, stored_dialect = int(recorded["format"]), str(recorded["dialect"])
    except (msgpack.UnpackException, ValueError, TypeError, KeyError) as error:
        raise FormatError(f"the store in {path} does not say which format it has; it is damaged or not a store") from error
    if version != FORMAT:
        fit = "newer" if version > FORMAT else "older"
        raise FormatError(
            f"the store in {path} has format {version}, and this svcsim reads format {FORMAT}; use the {fit} svcsim that made it"
        )
    if stored_dialect != dialect:
        raise FormatError(
            f"the store in {path} holds a cluster of dialect {stored_dialect}, not {dialect}; name that dialect or another directory"
        )
