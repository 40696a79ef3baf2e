"""The disk's blocks of the data file: every page of it is to have its own.

LMDB doesn't write pages that are taken and given back within one transaction, which leaves holes in the file; and a commit that a full disk
cuts short leaves what it wrote behind the file's last page. A page in a hole looks free, and takes room on the disk when it is used: on a
full disk there is none, and LMDB picks the same page again and again. So holes are filled as the file grows, and what is behind its end is
cut off.
"""

import errno
import os
from pathlib import Path

_NEVER = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV)
"""File systems that know of no such thing."""
_BLOCK_BYTES = 512
"""What ``st_blocks`` counts in, whatever the file system has."""


class Blocks:
    def __init__(self, data_file: Path) -> None:
        self._data_file = data_file
        fd = os.open(data_file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.covered = os.lseek(fd, 0, os.SEEK_HOLE)
            """Up to where every page is known to have its blocks. One that was never written may be told as a hole, and has them."""
        except OSError as error:
            if error.errno not in _NEVER:
                raise
            self.covered = 0
        finally:
            os.close(fd)

    def held_bytes(self, end: int) -> int:
        """How much of the file's pages, up to there, has blocks, at the least."""
        return min(end, self._data_file.stat().st_blocks * _BLOCK_BYTES)

    def cover(self, end: int) -> None:
        """Give every page up to there its blocks. Raises `OSError` where there is no room, and then some may have got theirs."""
        if end <= self.covered:
            return
        fd = os.open(self._data_file, os.O_RDWR | os.O_CLOEXEC)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(fd, self.covered, end - self.covered)
        except OSError as error:
            if error.errno not in _NEVER:
                raise
        finally:
            os.close(fd)
        self.covered = end

    def trim(self, end: int) -> None:
        """Give back what is behind that, which is the end of the file's last page."""
        if self._data_file.stat().st_size > end:
            os.truncate(self._data_file, end)
        self.covered = min(self.covered, end)
