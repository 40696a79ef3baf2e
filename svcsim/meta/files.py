"""Files that must survive a crash: written whole or not at all.

A new content is written under another name, made safe on the disk, and only then given the name it is to have; the directory, which holds
the names, is made safe last. Whatever ends the process or the machine in between leaves the file as it was. What a file says only while
its writer lives, or can be asked for again, need not reach the disk: ``synced=False``.
"""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from svcsim import limits

_DRAFT = ".tmp"
"""What the names end with under which new contents are written."""
_NO_FILE = "it is no file, but something that may never end"
_MODE = 0o600
"""Its owner's alone: most of what is written here has a secret in it."""


def read_file(path: Path) -> bytes:
    """The content of a file that a user names. Raises `OSError`, also for pipes and devices, and for very long files.

    It never waits: opening a pipe waits for its other end, and a device may have no end.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EISDIR) if stat.S_ISDIR(mode) else _NO_FILE, str(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(limits.NAMED_FILE_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > limits.NAMED_FILE_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {limits.NAMED_FILE_BYTES} bytes", str(path))
    return content


def write_whole(path: Path, content: bytes, *, synced: bool = True) -> None:
    """Give a file a content in one step. A link stays a link; a file that has that content already is left alone, full disk or not."""
    path = path.resolve()
    if not _holds(path, content):
        write_all(path.parent, {path.name: content}, synced=synced)


def write_all(directory: Path, contents: Mapping[str, bytes], *, synced: bool = True) -> None:
    """Write several files of a directory, each in one step; it costs less than one after the other.

    Raises `OSError` that names the file that can't be written; nothing half written is left behind.
    """
    drafts = {directory / name: directory / f"{name}.{os.getpid()}{_DRAFT}" for name in contents}
    path = directory
    try:
        for path, content in zip(drafts, contents.values(), strict=True):
            _write(drafts[path], content, synced=synced)
        for path, draft in drafts.items():
            draft.replace(path)
        if synced:
            sync_directory(directory)
    except OSError as error:
        for draft in drafts.values():
            with contextlib.suppress(OSError):  # it is not there, or what went wrong keeps us from this too
                draft.unlink()
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content and stat.S_IMODE(path.stat().st_mode) == _MODE
    except OSError:
        return False  # whatever is the matter with it, writing it tells


def _write(path: Path, content: bytes, *, synced: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
    try:
        path.chmod(_MODE)  # one that a crash left behind may have been another's to read
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if synced:
            os.fsync(handle)
    finally:
        os.close(handle)


def is_draft(path: Path, name: str) -> bool:
    """Whether a crash left this behind while the file of that name beside it was being written."""
    return path.name.startswith(f"{name}.") and path.name.endswith(_DRAFT)


def make_directory(path: Path) -> None:
    """Make a directory and those above it that are missing, so that they stay; its owner's alone."""
    if path.is_dir():
        return
    make_directory(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Have the disk know the names in a directory, not just what is in the files."""
    if sys.platform == "win32":
        return  # there the names are kept safe by the file system itself
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
