"""Room kept back, so that a full store can still be emptied.

Deleting takes space too: the deletion is a write, and what it deletes stays readable for a while. So ordinary writes are refused a little
before the end, and deletions before the very end: what is left then is for compaction, which gives room back but has to write for that.
In the map the end is LMDB's own limit, raised while a deletion or a compaction is written. On the disk it is a file of ballast that is cut
short, or thrown out, when the disk is full; until there is room for it again, ordinary writes may not make the data file any longer.
The file never gets shorter, so what deletions took of the reserve comes back as free pages inside it: `check` keeps those back as well.
"""

import errno
import os
from enum import IntEnum
from pathlib import Path

import lmdb

from svcsim.limits import STORE_RESERVE_BYTES
from svcsim.storage.engine import Transaction
from svcsim.storage.files import BALLAST_FILE, Tables

_AS_IT_IS = 1
"""As a map's size: LMDB never goes below what is used."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Room(IntEnum):
    """How far the reserve is open, to what is written next."""

    ORDINARY = 0
    """Not at all."""
    DELETIONS = 1
    """But for the last quarter."""
    WHOLE = 2
    """For compaction, and whatever else the store does of itself."""


class Reserve:
    """The room kept back in the map and on the disk. `move` wants no transaction open in this process."""

    def __init__(self, tables: Tables, map_bytes: int, directory: Path, *, ballast: bool) -> None:
        """``ballast`` False keeps no room on the disk, for stores nobody would miss."""
        self._tables = tables
        self._directory = directory
        self._map_bytes = map_bytes
        self._reserve_bytes = min(STORE_RESERVE_BYTES, map_bytes // 4)
        self._last_bytes = self._reserve_bytes // 4
        self._ballast = directory / BALLAST_FILE if ballast else None
        self._whole = False
        self.move(Room.ORDINARY)

    def must_move(self, room: Room) -> bool:
        """Whether `move` has anything to do."""
        return self._room != room or (room is Room.ORDINARY and not self._whole)

    def would_help(self, failure: BaseException) -> bool:
        """Whether a failed commit means that the map or the disk is full."""
        if isinstance(failure, lmdb.MapFullError):
            return True
        if isinstance(failure, OSError):
            return failure.errno in _NO_ROOM
        if not isinstance(failure, lmdb.Error):
            return False
        # py-lmdb has no class of its own for most of the system's errors; it names them in the text.
        if any(os.strerror(code) in str(failure) for code in _NO_ROOM):
            return True
        # A write that a filling disk took only half of, LMDB reports as an input/output error.
        return os.strerror(errno.EIO) in str(failure) and _free_bytes(self._directory) < self._reserve_bytes

    def move(self, room: Room) -> None:
        """Open it that far to the next transaction, or keep it back (again).

        While the disk has no room for the ballast, ordinary writes may only reuse what the file has free.
        """
        if room is Room.ORDINARY:
            if not self._whole:
                self._whole = self._ballast is None or _filled(self._ballast, self._reserve_bytes, self._last_bytes)
            self._tables.env.set_mapsize(self._map_bytes - self._reserve_bytes if self._whole else _AS_IT_IS)
        else:
            kept = self._last_bytes if room is Room.DELETIONS else 0
            if self._ballast is not None:
                _cut_short(self._ballast, kept)
            self._whole = False
            self._tables.env.set_mapsize(self._map_bytes - kept)
        self._room = room

    def check(self, txn: Transaction, room: Room) -> None:
        """Raise `lmdb.MapFullError` if what is about to be committed takes pages that are kept back from that kind of writes."""
        kept = {Room.ORDINARY: self._reserve_bytes, Room.DELETIONS: self._last_bytes, Room.WHOLE: 0}[room]
        if self._used_bytes(txn) + kept > self._most_bytes(room):
            raise lmdb.MapFullError("what is left is kept back")

    def left_bytes(self, txn: Transaction) -> int:
        """What ordinary writes may still take, if in pieces."""
        return self._most_bytes(Room.ORDINARY) - self._reserve_bytes - self._used_bytes(txn)

    def has_room(self, size: int) -> bool:
        """Whether the disk has room for that much, which is tried out: what is free on it doesn't tell of quotas."""
        if self._ballast is None:
            return _free_bytes(self._directory) >= size
        try:
            if not self._whole or not _filled(self._ballast, self._reserve_bytes + size, self._reserve_bytes):
                return False
            _cut_short(self._ballast, self._reserve_bytes)
        except OSError:
            return False  # a disk that fails otherwise has no room either, and the next write tells why
        return True

    def _used_bytes(self, txn: Transaction) -> int:
        tables = self._tables
        stats = [txn.stat(table) for table in (tables.meta, tables.live, tables.past, tables.log)]
        return sum((stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]) * stat["psize"] for stat in stats)

    def _most_bytes(self, room: Room) -> int:
        """What there would be to use if there was nothing in it."""
        if self._whole or self._ballast is None:
            return self._map_bytes
        held = (self._tables.env.info()["last_pgno"] + 1) * os.sysconf("SC_PAGESIZE")
        if self._ballast.exists():
            held += self._ballast.stat().st_size
        return min(self._map_bytes, held if room is Room.ORDINARY else held + _free_bytes(self._directory))


def _filled(path: Path, size: int, least: int) -> bool:
    """Make the file as long as that, of bytes that are really there; when there is no room, False, and it is ``least`` long at the most."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        have = os.fstat(fd).st_size
        while have < size:
            have += os.pwrite(fd, bytes(size - have), have)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        os.ftruncate(fd, min(have, least))
        return False
    finally:
        os.close(fd)
    return True


def _cut_short(path: Path, size: int) -> None:
    """Make the file no longer than that; one of nothing is removed."""
    if size == 0:
        path.unlink(missing_ok=True)
    elif path.exists() and path.stat().st_size > size:
        os.truncate(path, size)


def _free_bytes(directory: Path) -> int:
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize
