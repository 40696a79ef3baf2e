"""Room kept back, so that a full store can still be emptied.

Deleting takes space too: the deletion is a write, and what it deletes stays readable for a while. So ordinary writes are refused a little
before the end, and deletions before the very end: what is left then is for compaction, which gives room back but has to write for that.
Where the history has given way already, deletions get of the rest too. In the map the end is LMDB's own limit, raised while a deletion or a
compaction is written. On the disk it is a file of ballast (`ballast.py`) that is cut short, or thrown out, when the disk is full; until
there is room for it again, ordinary writes may not make the data file any longer, and inside it they take nothing of the disk's
(`blocks.py`). The file never gets shorter, so what deletions took of the reserve comes back as free pages inside it: `check` keeps those
back as well.

The files beside the store get a little of the disk too: what is spare is the first that the ballast gives up, and the last it takes.
"""

import errno
import os
from enum import IntEnum
from pathlib import Path

import lmdb

from svcsim.limits import STORE_GROWTH_BYTES, STORE_RESERVE_BYTES, STORE_SPARE_BYTES
from svcsim.storage.ballast import NO_ROOM, Ballast, free_bytes
from svcsim.storage.blocks import Blocks
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.engine import Transaction
from svcsim.storage.files import BALLAST_FILE, Tables

_AS_IT_IS = 1
"""As a map's size: LMDB never goes below what is used."""
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


class Room(IntEnum):
    """How far the reserve is open, to what is written next."""

    ORDINARY = 0
    """Not at all."""
    DELETIONS = 1
    """But for the last quarter."""
    WHOLE = 2
    """For compaction, whatever else the store does of itself, and deletions that nothing can give way to any more."""


class Reserve:
    """The room kept back in the map and on the disk. `move` wants no transaction open in this process."""

    def __init__(self, tables: Tables, map_bytes: int, directory: Path, *, ballast: bool) -> None:
        """``ballast`` False keeps no room on the disk, for stores nobody would miss."""
        self._tables = tables
        self._directory = directory
        self._map_bytes = map_bytes
        self._reserve_bytes = min(STORE_RESERVE_BYTES, map_bytes // 4)
        self._spare_bytes = min(STORE_SPARE_BYTES, self._reserve_bytes // 4)
        self._last_bytes = self._reserve_bytes // 4
        self._left_bytes = 0
        """The part of the last reserve that deletions leave alone."""
        self._disk = _Disk(directory) if ballast else None
        self._grows = False
        """Whether ordinary writes may make the data file longer: with a disk's room kept back and to spare."""
        self.move(Room.ORDINARY)
        if self._disk is not None and not self._grows:
            # What is beside it is written next, and who filled the disk may have left no room for that.
            short = max(0, self._spare_bytes - free_bytes(directory))
            self._disk.ballast.cut(max(0, self._disk.ballast.size - short))

    def must_move(self, room: Room) -> bool:
        """Whether `move` has anything to do."""
        return self._room != room or (room is Room.ORDINARY and not self._grows)

    def would_help(self, failure: BaseException) -> bool:
        """Whether a failed commit means that the map or the disk is full."""
        if isinstance(failure, lmdb.MapFullError):
            return True
        if isinstance(failure, OSError):
            return failure.errno in NO_ROOM
        if not isinstance(failure, lmdb.Error):
            return False
        # py-lmdb has no class of its own for most of the system's errors; it names them in the text.
        if any(os.strerror(code) in str(failure) for code in NO_ROOM):
            return True
        # A write that a filling disk took only half of, LMDB reports as an input/output error.
        return os.strerror(errno.EIO) in str(failure) and free_bytes(self._directory) < self._reserve_bytes

    def move(self, room: Room) -> None:
        """Open it that far to the next transaction, or keep it back (again).

        While the disk has no room for the ballast, ordinary writes may only reuse what the file has free.
        """
        if room is Room.ORDINARY:
            if not self._grows:
                self._grows = self._disk is None or self._is_kept_back(self._disk)
            self._tables.env.set_mapsize(self._map_bytes - self._reserve_bytes if self._grows else _AS_IT_IS)
        else:
            kept = self._last_bytes if room is Room.DELETIONS else 0
            if self._disk is not None:
                self._disk.blocks.trim(self._end())
                self._disk.ballast.cut(kept)
            self._grows = False
            self._tables.env.set_mapsize(self._map_bytes - kept)
            if room is Room.WHOLE:
                with self._tables.env.begin() as txn:
                    self._left_bytes = min(self._last_bytes, max(0, self._most_bytes(room) - self._used_bytes(txn)) // 4)
        self._room = room

    def grown(self) -> None:
        """After a commit, in whatever thread: see that the pages it added all have the disk's blocks, and those of the next few too."""
        if self._disk is None or (end := self._end()) <= self._disk.blocks.covered:
            return
        ahead = min(end + STORE_GROWTH_BYTES, self._map_bytes)
        wanted = ahead - self._disk.blocks.covered + self._spare_bytes
        try:
            self._disk.blocks.cover(ahead if self._grows and free_bytes(self._directory) >= wanted else end)
            self._grows = self._grows and free_bytes(self._directory) >= self._spare_bytes
        except OSError:
            self._grows = False  # before the next ordinary write that is tried again, and it is told what is the matter

    def met_the_end(self, failure: BaseException) -> None:
        """A commit has failed for want of room. On the disk, what it wrote is given back, and the next one finds out what there is."""
        if self._disk is None or isinstance(failure, lmdb.MapFullError):
            return
        self._grows = False
        if not self._tables.failed:
            try:
                self._disk.blocks.trim(self._end())
            except OSError:
                return  # which `move` tells, as it tries the same before anything else is written

    def check(self, txn: Transaction, room: Room) -> None:
        """Raise `lmdb.MapFullError` if what is about to be committed takes pages that are kept back from that kind of writes."""
        room = min(room, max(self._room, Room.DELETIONS))
        kept = {Room.ORDINARY: self._kept_bytes(), Room.DELETIONS: self._last_bytes, Room.WHOLE: self._left_bytes}[room]
        if self._used_bytes(txn) + kept > self._most_bytes(room):
            raise lmdb.MapFullError("what is left is kept back")

    def left_bytes(self, txn: Transaction) -> int:
        """What ordinary writes may still take, if in pieces."""
        return self._most_bytes(Room.ORDINARY) - self._kept_bytes() - self._used_bytes(txn)

    def has_room(self, size: int) -> bool:
        """Whether the disk has room for that much, which is tried out: what is free on it doesn't tell of quotas."""
        if self._disk is None:
            return free_bytes(self._directory) >= size
        try:
            if not self._grows or not self._disk.ballast.fill(self._reserve_bytes + size, least=self._reserve_bytes, spare=0):
                return False
            self._disk.ballast.cut(self._reserve_bytes)
        except OSError:
            return False  # a disk that fails otherwise has no room either, and the next write tells why
        return True

    def _is_kept_back(self, disk: "_Disk") -> bool:
        """Whether the disk has room for all that is to be kept back of it, once that is done as far as it goes."""
        end = self._end()
        disk.blocks.trim(end)
        whole = self._reserve_bytes - self._spare_bytes
        least = whole if disk.ballast.size >= whole else self._last_bytes
        # Pages with blocks of their own serve a deletion as well as ballast does, and LMDB might insist on one that has none.
        covered = any(disk.covers(end, kept) for kept in (self._reserve_bytes, self._last_bytes, 0))
        return disk.ballast.fill(self._reserve_bytes, least=least, spare=self._spare_bytes) and covered

    def _kept_bytes(self) -> int:
        """From ordinary writes."""
        spare = self._disk is not None and not self._grows
        return self._reserve_bytes - self._spare_bytes if spare else self._reserve_bytes

    def _end(self) -> int:
        """The end of the data file's last page, in bytes."""
        return (self._tables.env.info()["last_pgno"] + 1) * _PAGE_BYTES

    def _used_bytes(self, txn: Transaction) -> int:
        tables = self._tables
        stats = [txn.stat(table) for table in (tables.meta, tables.live, tables.past, tables.log)]
        return sum((stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]) * stat["psize"] for stat in stats)

    def _most_bytes(self, room: Room) -> int:
        """What there would be to use if there was nothing in it."""
        if self._grows or self._disk is None:
            return self._map_bytes
        end, ballast = self._end(), self._disk.ballast.size
        if room is Room.ORDINARY:
            return min(self._map_bytes, self._disk.blocks.held_bytes(end) + ballast)
        return min(self._map_bytes, end + ballast + free_bytes(self._directory))


class _Disk:
    """What is done about the disk."""

    def __init__(self, directory: Path) -> None:
        self.ballast = Ballast(directory / BALLAST_FILE)
        self.blocks = Blocks(directory / DATA_FILE)

    def covers(self, end: int, kept: int) -> bool:
        """Whether the pages up to there have blocks, if the ballast is no longer than ``kept`` for that."""
        if end <= self.blocks.covered:
            return True
        self.ballast.cut(kept)
        try:
            self.blocks.cover(end)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            return False
        return True
