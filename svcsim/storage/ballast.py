"""A file that only takes up room on the disk, to be cut short when the disk is full."""

import errno
import os
from pathlib import Path

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a system says where there is none."""


class Ballast:
    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def cut(self, size: int) -> None:
        """Make it no longer than that; one of nothing is removed."""
        if size == 0:
            self._path.unlink(missing_ok=True)
        elif self.size > size:
            os.truncate(self._path, size)

    def fill(self, size: int, *, least: int, spare: int) -> bool:
        """Make it as long as that, of bytes that are really there, and leave ``spare`` on the disk; whether there was room for both.

        If not, it gets no longer than ``least``, and is no shorter for it if it was that short already.
        """
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            before = have = os.fstat(fd).st_size
            most = have + free_bytes(self._path.parent) - spare
            goal = size if most >= size else min(least, max(have, most))
            if goal < have:
                os.ftruncate(fd, goal)
            while have < goal:
                have += os.pwrite(fd, bytes(goal - have), have)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            os.ftruncate(fd, min(least, max(before, have - spare)))  # what is free on the disk doesn't tell of quotas
            return False
        finally:
            os.close(fd)
        return goal == size


def free_bytes(directory: Path) -> int:
    """What the disk has left."""
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize
