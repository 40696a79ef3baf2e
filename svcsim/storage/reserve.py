"""Room kept back, so that a full store can still be emptied.

Deleting takes space too: the deletion is a write, and what it deletes stays readable for a while. So ordinary writes are refused a little
before the end. In the map the end is LMDB's own limit, raised while a deletion or a compaction is written; on the disk it is a file of
ballast that is thrown out when the disk is full, and must be back in place before ordinary writes go on.
"""

import errno
import os
from pathlib import Path

import lmdb

from svcsim.limits import STORE_RESERVE_BYTES
from svcsim.storage.engine import Environment

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Reserve:
    """The room kept back in the map and on the disk. `open` and `shut` want no transaction open in this process."""

    def __init__(self, env: Environment, map_bytes: int, ballast: Path | None) -> None:
        """``ballast`` is the file that keeps room on the disk; None where nobody would miss it."""
        self._env = env
        self._map_bytes = map_bytes
        self._reserve_bytes = min(STORE_RESERVE_BYTES, map_bytes // 4)
        self._ballast = ballast
        self._whole = False
        self._open = True
        self.shut()

    def must_move(self, *, opened: bool) -> bool:
        """Whether `open`, or `shut`, has anything to do."""
        return self._open != opened or not (opened or self._whole)

    def open(self) -> None:
        """Let the next transaction use it."""
        if self._ballast is not None:
            self._ballast.unlink(missing_ok=True)
        self._whole = False
        if not self._open:
            self._env.set_mapsize(self._map_bytes)
        self._open = True

    def shut(self) -> bool:
        """Keep it back (again); False while the disk has not even room for the ballast."""
        if self._open:
            self._env.set_mapsize(self._map_bytes - self._reserve_bytes)
            self._open = False
        if not self._whole:
            self._whole = self._ballast is None or _filled(self._ballast, self._reserve_bytes)
        return self._whole


def is_full(failure: BaseException) -> bool:
    """Whether a failed commit says that the map or the disk is full."""
    if isinstance(failure, lmdb.MapFullError):
        return True
    if isinstance(failure, OSError):
        return failure.errno in _NO_ROOM
    # py-lmdb has no class of its own for most of the system's errors; it names them in the text.
    return isinstance(failure, lmdb.Error) and any(os.strerror(code) in str(failure) for code in _NO_ROOM)


def _filled(path: Path, size: int) -> bool:
    """Make the file as long as that with its blocks allocated."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        path.unlink()
        return False
    finally:
        os.close(fd)
    return True
