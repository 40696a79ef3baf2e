"""A log that is a file of its own: a full one is put aside under the time it was, old ones are packed and taken away.

What is put aside is called as tools for such logs expect it: ``audit-2026-01-31T12-00-00.000.log``, with ``.gz`` where it is packed. Files
are the machine's, and so are these times. All of it blocks, and is called on a thread.
"""

import gzip
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from svcsim.meta.times import format_micro_time, parse_time
from svcsim.wall import wall_time

_PACKED = ".gz"
_DAY_S = 24 * 3600.0
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})", re.ASCII)


class Keeping(NamedTuple):
    """How much is kept of a log."""

    file_bytes: int
    """A longer file is put aside."""
    files: int = 0
    """Files put aside that are kept; 0 is all."""
    days: int = 0
    """For how long; 0 is for ever."""
    packed: bool = False


class LogFile:
    """The file that is written to. It is made, readable by its owner alone, when this is."""

    def __init__(self, path: Path, keeping: Keeping) -> None:
        """Raises `OSError`."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._keeping = keeping
        self._open()

    def _open(self) -> None:
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._descriptor).st_size

    def write(self, data: bytes) -> None:
        """Write whole lines, or, where this raises `OSError`, none of them."""
        if self._size and self._size + len(data) > self._keeping.file_bytes:
            self._put_aside()
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            os.ftruncate(self._descriptor, self._size)  # half a line would spoil the next
            raise
        self._size += len(data)

    def close(self) -> None:
        os.close(self._descriptor)

    def _put_aside(self) -> None:
        """Begin a new file."""
        stamp = format_micro_time(wall_time())[:-4].replace(":", "-")
        aside = self._path.with_name(f"{self._path.stem}-{stamp}{self._path.suffix}")
        self._path.replace(aside)
        os.close(self._descriptor)
        self._open()
        if self._keeping.packed:
            _pack(aside)
        self._clean_up()

    def _clean_up(self) -> None:
        """Take away what is too old, or too much."""
        found = sorted(self._put_aside_before(), reverse=True)
        oldest_s = wall_time() - self._keeping.days * _DAY_S
        for index, (when_s, path) in enumerate(found):
            if (self._keeping.files and index >= self._keeping.files) or (self._keeping.days and when_s < oldest_s):
                path.unlink(missing_ok=True)

    def _put_aside_before(self) -> list[tuple[float, Path]]:
        """The files put aside, with when that was."""
        found = []
        for path in self._path.parent.iterdir():
            name = path.name.removesuffix(_PACKED)
            if name.startswith(f"{self._path.stem}-") and name.endswith(self._path.suffix):
                stamp = _STAMP.fullmatch(name[len(self._path.stem) + 1 : len(name) - len(self._path.suffix)])
                if stamp is not None:
                    found.append((parse_time(f"{stamp[1]}T{stamp[2]}:{stamp[3]}:{stamp[4]}Z"), path))
        return found


def _pack(path: Path) -> None:
    packed = path.with_name(path.name + _PACKED)
    descriptor = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with path.open("rb") as source, os.fdopen(descriptor, "wb") as target, gzip.GzipFile(fileobj=target, mode="wb") as packing:
        shutil.copyfileobj(source, packing)
    path.unlink()
