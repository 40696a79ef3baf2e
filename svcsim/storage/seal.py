"""Why a data file can be opened without checking its pages (`pages.py`), which takes seconds for a million objects.

A closed file is sealed with its checksum: if that still matches, the file is intact. A file that is being served can't have a checksum. But
while the machine keeps running, a killed process loses nothing: all its writes are in the system's cache, and LMDB never leaves a tree half
written. So the seal of a served file says which file it is, and in which boot of the machine it was opened. That only postpones the check,
since the process may have ended because of the file: the next opening checks the pages, whatever happened in between.
"""

import enum
import logging
from pathlib import Path
from zlib import crc32

from svcsim.limits import CHECKSUM_PIECE_BYTES
from svcsim.meta.files import write_whole

SEAL_FILE = "seal"
_BOOT = Path("/proc/sys/kernel/random/boot_id")

logger = logging.getLogger(__name__)


class Trust(enum.Enum):
    """What is known of a data file before it is opened."""

    NONE = enum.auto()
    CLOSED = enum.auto()
    """It is as it was when it was closed."""
    LEFT = enum.auto()
    """It was left by a process that ended, and the machine has gone on since."""


def seal_closed(data_file: Path) -> None:
    """Note what a data file is like that has just been closed."""
    _seal(data_file, _checksum(data_file))


def seal_served(data_file: Path) -> None:
    """Note that a data file, of which all is well, is being served from now on."""
    served = _served(data_file)
    if served:
        _seal(data_file, served)


def break_seal(data_file: Path) -> Trust:
    """What the seal says. It holds for one opening. Raises `OSError`."""
    file = data_file.with_name(SEAL_FILE)
    if not file.exists():
        return Trust.NONE
    says = file.read_bytes()
    file.unlink()
    if says and says == _served(data_file):
        return Trust.LEFT
    return Trust.CLOSED if says == _checksum(data_file) else Trust.NONE


def forget_seal(data_file: Path) -> None:
    """The disk has failed: whatever becomes of this process, the file is to be looked over."""
    try:
        data_file.with_name(SEAL_FILE).unlink(missing_ok=True)
    except OSError as error:
        logger.warning("the store in %s is still sealed: %s", data_file.parent, error.strerror)


def _seal(data_file: Path, says: bytes) -> None:
    try:
        write_whole(data_file.with_name(SEAL_FILE), says, synced=False)
    except OSError as error:  # then it is looked over
        logger.warning("the store in %s could not be sealed: %s", data_file.parent, error.strerror)


def _served(data_file: Path) -> bytes:
    """Which file it is, and which run of the machine; empty where a machine doesn't tell its runs apart."""
    if not _BOOT.exists():
        return b""
    found = data_file.stat()
    return f"served, file {found.st_dev}:{found.st_ino}, boot {_BOOT.read_text('ascii').strip()}\n".encode()


def _checksum(path: Path) -> bytes:
    checksum, size = 0, 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(CHECKSUM_PIECE_BYTES):
            checksum, size = crc32(piece, checksum), size + len(piece)
    return f"{size} bytes, CRC-32 {checksum:08x}\n".encode()
