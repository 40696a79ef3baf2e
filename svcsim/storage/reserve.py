"""Room kept back, so that a full store can still be emptied.

Deleting takes space too: the deletion is a write, and what it deletes stays readable for a while. So ordinary writes are refused a little
before the end. In the map the end is LMDB's own limit, raised while a deletion or a compaction is written. On the disk it is a file of
ballast that is thrown out when the disk is full; until there is room for it again, ordinary writes may not make the data file any longer.
"""

import errno
import os
from pathlib import Path

import lmdb

from svcsim.limits import STORE_RESERVE_BYTES
from svcsim.storage.engine import Environment
from svcsim.storage.files import BALLAST_FILE

_AS_IT_IS = 1
"""As a map's size: LMDB never goes below what is used."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Reserve:
    """The room kept back in the map and on the disk. `open` and `shut` want no transaction open in this process."""

    def __init__(self, env: Environment, map_bytes: int, directory: Path, *, ballast: bool) -> None:
        """``ballast`` False keeps no room on the disk, for stores nobody would miss."""
        self._env = env
        self._directory = directory
        self._map_bytes = map_bytes
        self._reserve_bytes = min(STORE_RESERVE_BYTES, map_bytes // 4)
        self._ballast = directory / BALLAST_FILE if ballast else None
        self._whole = False
        self._open = True
        self.shut()

    def must_move(self, *, opened: bool) -> bool:
        """Whether `open`, or `shut`, has anything to do."""
        return self._open != opened or not (opened or self._whole)

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

    def open(self) -> None:
        """Let the next transaction use it."""
        if self._ballast is not None:
            self._ballast.unlink(missing_ok=True)
        self._whole = False
        if not self._open:
            self._env.set_mapsize(self._map_bytes)
        self._open = True

    def shut(self) -> None:
        """Keep it back (again). While the disk has no room for the ballast, ordinary writes may only reuse what the file has free."""
        if not self._whole:
            self._whole = self._ballast is None or _filled(self._ballast, self._reserve_bytes)
        self._env.set_mapsize(self._map_bytes - self._reserve_bytes if self._whole else _AS_IT_IS)
        self._open = False


def _filled(path: Path, size: int) -> bool:
    """Make the file as long as that, of bytes that are really there; False when there is no room."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        have = os.fstat(fd).st_size
        while have < size:
            have += os.pwrite(fd, bytes(size - have), have)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        path.unlink()
        return False
    finally:
        os.close(fd)
    return True


def _free_bytes(directory: Path) -> int:
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize
