"""Keeping the map of the data file from counting as this process's memory.

LMDB reads through a memory map, and every page it ever touched stays mapped in: a process that has written a hundred megabytes looks as if
it held them. The pages themselves are the system's cache of the file and cost nothing to look at again; only this process's view of them is
let go here, when it has grown. Where the system has no such thing (it takes Linux's ``/proc`` and ``madvise``) nothing is done.
"""

import ctypes
import os
from pathlib import Path

from svcsim.limits import MAPPED_BYTES, MAPPED_LOOK_BYTES

_MAPS = Path("/proc/self/maps")
_SIZES = Path("/proc/self/statm")
_DONT_NEED = 4
"""``MADV_DONTNEED``: of a shared map of a file it forgets nothing, the next look brings the page back."""


class Residence:
    """The mapped pages of one data file."""

    def __init__(self, path: Path) -> None:
        self._name = str(path.resolve())
        self._madvise = getattr(ctypes.CDLL(None), "madvise", None) if _MAPS.exists() else None
        self._unlooked_bytes = 0
        """Written since the pages were last looked at."""

    def written(self, size_bytes: int) -> None:
        """Note what has been written: each touches pages, and where time is virtual a whole day's writes come within a minute."""
        self._unlooked_bytes += size_bytes
        if self._unlooked_bytes > MAPPED_LOOK_BYTES:
            self.limit(MAPPED_BYTES)

    def limit(self, most_bytes: int) -> bool:
        """Let go of the pages, if the process has more of any files than that mapped in; whether it did.

        A process that can't open another file can't look: the next time will do.
        """
        self._unlooked_bytes = 0
        if self._madvise is None:
            return False
        try:
            ranges = self._ranges() if _file_pages_bytes() > most_bytes else []
        except OSError:
            return False
        for start, end in ranges:
            self._madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _DONT_NEED)
        return bool(ranges)

    def _ranges(self) -> list[tuple[int, int]]:
        """Where the file is mapped. The map moves when its size is changed, so it is looked up each time."""
        found = []
        for line in _MAPS.read_text().splitlines():
            if line.endswith(self._name):
                start, _, end = line.split(maxsplit=1)[0].partition("-")
                found.append((int(start, 16), int(end, 16)))
        return found


def _file_pages_bytes() -> int:
    return int(_SIZES.read_text().split()[2]) * os.sysconf("SC_PAGESIZE")
