"""Files that one process holds while it lives: unlike a process id, a lock can't have been reused by another process."""

import os
import sys
from pathlib import Path


def hold(path: Path, *, create: bool = True, shared: bool = False) -> int | None:
    """Take the lock on a file: a descriptor that holds it until it is closed, or None if another process has it (or it isn't there).

    Who only looks takes it ``shared``, so that two who look don't take each other for a server.
    """
    while True:
        try:
            handle = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            _lock(handle, shared=shared)
        except (BlockingIOError, PermissionError):  # what Unix and Windows say of a lock that another has
            os.close(handle)
            return None
        if stands_at(handle, path):
            return handle
        os.close(handle)  # deleted while we took it: a lock nobody else would ever meet


def is_free(handle: int) -> bool:
    """Try to take the lock on an open file, even if it was deleted; whether no other process holds it."""
    try:
        _lock(handle, shared=False)
    except (BlockingIOError, PermissionError):
        return False
    return True


def stands_at(handle: int, path: Path) -> bool:
    """Whether an open file is the one that is found under a path, not one that was deleted or put aside."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, *, shared: bool) -> None:
        del shared  # there is no such lock
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int, *, shared: bool) -> None:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
