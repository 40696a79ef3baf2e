"""A disk as a power failure leaves it: what a process did to a directory, recorded, and played back only as far as the disk had to go.

The recorder stands around the functions of `os` through which files are written, so that whatever writes past them shows: in the end the
whole recording must come to what is really there. The store's file is written by a library; it is compared page by page whenever a commit
has passed (`Recorder.probe`), and a commit of LMDB's is: pages in any order, a sync, then the page that makes them count.

What is not synced may be there or not: every change of a directory by itself, and every file's content in part.
"""

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from svcsim.chance import Chance

PAGE = os.sysconf("SC_PAGESIZE")
_TXNID_AT = 144
"""Where a meta page of LMDB's has its transaction's number."""
STORE_FILE = "data.mdb"
FUNCTIONS = ("open", "close", "write", "pwrite", "fsync", "ftruncate", "truncate", "mkdir", "replace", "rename", "unlink")
UNRECORDED = ("server.log", "server.log.1")
"""Nobody reads these to start a cluster."""

Survives = Callable[[], bool]
"""Asked of each thing that isn't synced, whether it is there."""


def for_sure() -> bool:
    return True


@dataclass
class Inode:
    """A file (its bytes) or a directory (its names); what the disk has for sure, and what it may have."""

    is_directory: bool
    safe: bytearray = field(default_factory=bytearray)
    data: bytearray = field(default_factory=bytearray)
    safe_names: dict[str, int] = field(default_factory=dict)
    unsafe_changes: list[dict[str, int | None]] = field(default_factory=list)
    """Changes of names since the last sync, each whole or not at all."""


class Disk:
    """A file system in memory."""

    def __init__(self) -> None:
        self.inodes: dict[int, Inode] = {0: Inode(is_directory=True)}

    def apply(self, operation: tuple[Any, ...]) -> None:
        getattr(self, operation[0])(*operation[1:])

    def make(self, parent: int, name: str, number: int, is_directory: bool) -> None:
        self.inodes[number] = Inode(is_directory)
        self.inodes[parent].unsafe_changes.append({name: number})

    def write(self, number: int, offset: int, content: bytes) -> None:
        data = self.inodes[number].data
        data.extend(bytes(max(offset - len(data), 0)))
        data[offset : offset + len(content)] = content

    def put(self, number: int, content: bytes) -> None:
        self.inodes[number].data = bytearray(content)
        self.inodes[number].safe = bytearray(content)

    def cut(self, number: int, size: int) -> None:
        data = self.inodes[number].data
        del data[size:]
        data.extend(bytes(size - len(data)))

    def sync(self, number: int) -> None:
        inode = self.inodes[number]
        inode.safe = bytearray(inode.data)
        inode.safe_names = self.names(number, for_sure)
        inode.unsafe_changes = []

    def rename(self, parent: int, old: str, new: str, number: int) -> None:
        self.inodes[parent].unsafe_changes.append({old: None, new: number})

    def remove(self, parent: int, name: str) -> None:
        self.inodes[parent].unsafe_changes.append({name: None})

    def names(self, number: int, survives: Survives) -> dict[str, int]:
        """The names in a directory, with those changes that ``survives`` lets through."""
        inode = self.inodes[number]
        names: dict[str, int | None] = dict(inode.safe_names)
        for change in inode.unsafe_changes:
            if survives():
                names |= change
        return {name: inside for name, inside in names.items() if inside is not None}

    def write_out(self, path: Path, number: int, survives: Survives, content: Callable[[Inode], bytes]) -> None:
        """Make a directory of it, below a path that is there."""
        for name, inside in self.names(number, survives).items():
            inode, target = self.inodes[inside], path / name
            if inode.is_directory:
                target.mkdir(mode=0o700)
                self.write_out(target, inside, survives, content)
            else:
                target.write_bytes(content(inode))
                target.chmod(0o600)


def image(operations: list[tuple[Any, ...]], path: Path, chance: Chance) -> None:
    """Write out what may be on the disk after those operations."""
    disk = Disk()
    for operation in operations:
        disk.apply(operation)
    way = chance.choice(("none", "all", "some"))

    def survives() -> bool:
        return way == "all" or (way == "some" and chance.uniform(0, 1) < 0.5)

    def content(inode: Inode) -> bytes:
        if inode.safe == inode.data or survives():
            return bytes(inode.data)
        return chance.choice((bytes(inode.safe), _partly(inode, chance), bytes(len(inode.data)) if not inode.safe else bytes(inode.safe)))

    path.mkdir(parents=True)
    disk.write_out(path, 0, survives, content)


def _partly(inode: Inode, chance: Chance) -> bytes:
    """Some of the sectors are new, the others as they were."""
    size = chance.choice((len(inode.safe), len(inode.data)))
    found = bytearray(size)
    for start in range(0, size, 512):
        source = chance.choice((inode.safe, inode.data))
        piece = source[start : start + 512][: size - start]
        found[start : start + len(piece)] = piece
    return bytes(found)


def whole(operations: list[tuple[Any, ...]], path: Path) -> None:
    """Write out what is there if nothing is lost."""
    disk = Disk()
    for operation in operations:
        disk.apply(operation)
    path.mkdir(parents=True)
    disk.write_out(path, 0, for_sure, lambda inode: bytes(inode.data))


class Recorder:
    """Records what this process does below a directory that is empty yet. `start` puts it around `os`, for the rest of the process."""

    def __init__(self, root: Path) -> None:
        self.operations: list[tuple[Any, ...]] = []
        self.marks: dict[str, int] = {}
        self._root = root
        self._numbers: dict[Path, int] = {root: 0}
        self._handles: dict[int, int] = {}
        self._real = {name: vars(os)[name] for name in FUNCTIONS}
        self._stores: dict[Path, bytes] = {}
        self._made = 0

    def mark(self, name: str) -> None:
        """Note that something has happened by now."""
        self.marks[name] = len(self.operations)

    def probe(self, point: str) -> None:
        """A commit has come to a point: look what it has written."""
        if point == "after commit":
            self._look_at_stores()

    def start(self) -> None:
        for name in FUNCTIONS:
            setattr(os, name, getattr(self, f"_{name}"))

    def stop(self) -> None:
        """Give `os` its own functions back, and see what a library wrote last."""
        for name, function in self._real.items():
            setattr(os, name, function)
        self._look_at_stores()

    def _open(self, path: Any, flags: int, *args: Any, **more: Any) -> int:
        new = self._is_ours(path) and not Path(path).exists()
        handle: int = self._real["open"](path, flags, *args, **more)
        if self._is_ours(path):
            self._handles[handle] = self._number(Path(path), is_directory=Path(path).is_dir(), new=new)
            if flags & os.O_TRUNC and not new:
                self.operations.append(("cut", self._handles[handle], 0))
        return handle

    def _close(self, handle: int) -> None:
        self._handles.pop(handle, None)
        self._real["close"](handle)

    def _write(self, handle: int, content: Any) -> int:
        offset = os.lseek(handle, 0, os.SEEK_CUR) if handle in self._handles else 0
        return self._wrote(handle, content, offset, self._real["write"](handle, content))

    def _pwrite(self, handle: int, content: Any, offset: int) -> int:
        return self._wrote(handle, content, offset, self._real["pwrite"](handle, content, offset))

    def _wrote(self, handle: int, content: Any, offset: int, done: int) -> int:
        if handle in self._handles:
            self.operations.append(("write", self._handles[handle], offset, bytes(content[:done])))
        return done

    def _fsync(self, handle: int) -> None:
        self._real["fsync"](handle)
        if handle in self._handles:
            self._look_at_stores()
            self.operations.append(("sync", self._handles[handle]))

    def _ftruncate(self, handle: int, size: int) -> None:
        self._real["ftruncate"](handle, size)
        if handle in self._handles:
            self.operations.append(("cut", self._handles[handle], size))

    def _truncate(self, path: Any, size: int) -> None:
        self._real["truncate"](path, size)
        if self._is_ours(path) and Path(path).name != STORE_FILE:
            self.operations.append(("cut", self._numbers[Path(path)], size))

    def _mkdir(self, path: Any, *args: Any, **more: Any) -> None:
        self._real["mkdir"](path, *args, **more)
        if self._is_ours(path):
            self._number(Path(path), is_directory=True, new=True)

    def _replace(self, old: Any, new: Any) -> None:
        self._moved("replace", old, new)

    def _rename(self, old: Any, new: Any) -> None:
        self._moved("rename", old, new)

    def _moved(self, how: str, old: Any, new: Any) -> None:
        if self._is_ours(new):
            self._look_at_stores()
        self._real[how](old, new)
        if self._is_ours(new):
            source, target = Path(old), Path(new)
            if source in self._stores:
                self._stores[target] = self._stores.pop(source)
            number = self._numbers[target] = self._numbers.pop(source)
            self.operations.append(("rename", self._numbers[target.parent], source.name, target.name, number))

    def _unlink(self, path: Any, *args: Any, **more: Any) -> None:
        self._real["unlink"](path, *args, **more)
        if self._is_ours(path):
            self._numbers.pop(Path(path), None)
            self.operations.append(("remove", self._numbers[Path(path).parent], Path(path).name))

    def _is_ours(self, path: Any) -> bool:
        return isinstance(path, str | os.PathLike) and Path(path).is_relative_to(self._root) and Path(path).name not in UNRECORDED

    def _number(self, path: Path, *, is_directory: bool, new: bool) -> int:
        if new or path not in self._numbers:
            self._made += 1
            self._numbers[path] = self._made
            self.operations.append(("make", self._numbers[path.parent], path.name, self._made, is_directory))
        return self._numbers[path]

    def _look_at_stores(self) -> None:
        for path in self._root.rglob(f"{STORE_FILE}*"):
            before, now = self._stores.get(path, b""), path.read_bytes()
            if before != now:
                self._stores[path] = now
                self._store_changed(self._number(path, is_directory=False, new=False), before, now)

    def _store_changed(self, number: int, before: bytes, now: bytes) -> None:
        starts = [start for start in range(0, len(now), PAGE) if now[start : start + PAGE] != before[start : start + PAGE]]
        pages = [("write", number, start, now[start : start + PAGE]) for start in starts]
        if before and _transaction(now) == _transaction(before) + 1:
            self.operations += [page for page in pages if page[2] >= 2 * PAGE]
            self.operations.append(("sync", number))
            self.operations += [page for page in pages if page[2] < 2 * PAGE]
            self.operations.append(("sync", number))
        else:  # several at once, of which one can't tell what came when
            self.operations.append(("put", number, now))


def _transaction(content: bytes) -> int:
    return max(struct.unpack_from("<Q", content, page * PAGE + _TXNID_AT)[0] for page in (0, 1))
