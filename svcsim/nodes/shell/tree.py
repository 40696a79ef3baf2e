"""The file system of a simulated container, in memory.

A tree has the files of the image, the mounts, and what commands have written. It has a limit in bytes; writes beyond the limit fail with
ENOSPC. Times are seconds since the epoch.
"""

import posixpath
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from svcsim import limits

_NAME_BYTES = 255


class FileError(Exception):
    """The error of a system call; programs print the message behind the name of the file."""

    path = ""
    """The name of the file as the command was given it, if it is known."""


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Set the name of the file in any `FileError` that is raised meanwhile."""
    try:
        yield
    except FileError as error:
        error.path = path
        raise


NO_MEMORY = "Cannot allocate memory"
NOT_FOUND = "No such file or directory"
NO_DIRECTORY = "Not a directory"
IS_DIRECTORY = "Is a directory"
EXISTS = "File exists"
READ_ONLY = "Read-only file system"
UMASK = 0o022
"""The usual umask: the mode bits that new files and directories go without."""
STICKY = 0o1000
"""The mode bit of a directory in which users may only remove their own files."""
_OWNERS_WAY = 0o300
"""What the owner may always do with the directories that are made on the way to another."""
SETGID = 0o2000
"""The mode bit of a directory whose new files belong to its group."""
FULL = "No space left on device"
TOO_LONG = "File name too long"
TOO_MANY_LINKS = "Too many levels of symbolic links"


@dataclass(slots=True, eq=False)
class Node:
    """A file, a directory (with ``children``), a symbolic link (with ``target``) or a device (with ``device``)."""

    mode: int = 0o644
    changed_at: float = 0.0
    data: bytes = b""
    children: "dict[str, Node] | None" = None
    target: str = ""
    load: Callable[[], Awaitable[bytes]] | None = None
    """Makes the content when it is read, if it isn't stored."""
    mount: bool = False
    """Whether it is a mount point."""
    read_only: bool = False
    """Whether nothing may be changed in it and below."""
    program: bool = False
    """Whether it is the executable of a simulated program."""
    uid: int = 0
    gid: int = 0
    in_memory: bool = False
    """Whether a mount is kept in memory (``tmpfs``)."""
    disk: "Disk | None" = None
    """The disk of a mount, if it isn't the container's."""
    sink: Callable[[bytes, float], None] | None = None
    """Takes data that is written to it, with the time, instead of storing it."""
    device: str = ""
    """The name of a device, which has no content."""
    links: int = 0
    """How many names a file has that commands have given it (hard links); 0 for what an image or a volume brings."""
    first_path: str = ""
    """The path of a file before it got a second name."""

    @property
    def is_directory(self) -> bool:
        return self.children is not None

    async def read(self) -> bytes:
        """The content of a file."""
        return self.data if self.load is None else await self.load()


def directory(mode: int = 0o755, changed_at: float = 0.0, *, mount: bool = False, read_only: bool = False) -> Node:
    """An empty directory."""
    return Node(mode, changed_at, children={}, mount=mount, read_only=read_only)


def tree_bytes(node: Node, *, outside: bool = True) -> int:
    """The disk space that a node and everything below it takes. A file with several names counts once.

    It doesn't count at all if it isn't to count for names that it has ``outside``, beside those below the node.
    """
    found, names = 0, Counter[int]()
    for one in _below(node):
        found += limits.SIMULATED_FILE_COSTS_BYTES
        names[id(one)] += 1
        if names[id(one)] == (1 if outside else max(one.links, 1)):
            found += len(one.data) + len(one.target)
    return found


class Disk:
    """The space that several trees share, perhaps as a part of a larger disk."""

    def __init__(self, limit_bytes: int, within: "Disk | None" = None) -> None:
        self._limit_bytes = limit_bytes
        self._within = within
        self._used_bytes = 0

    @property
    def left_bytes(self) -> int:
        left = self._limit_bytes - self._used_bytes
        return left if self._within is None else min(left, self._within.left_bytes)

    @property
    def used_bytes(self) -> int:
        return self._used_bytes

    def take(self, size_bytes: int) -> None:
        """Take space, or give it back if the size is negative. Raises `FileError` if there isn't so much left."""
        if size_bytes > max(self.left_bytes, 0):
            raise FileError(FULL)
        self._used_bytes += size_bytes
        if self._within is not None:
            self._within.take(size_bytes)

    def close(self) -> None:
        """Give all space back, and refuse to take any more."""
        if self._within is not None:
            self._within.take(-self._used_bytes)
        self._within, self._limit_bytes = None, 0


class ResolvedPath(NamedTuple):
    """The node that a path leads to, and the mount that it is in."""

    node: Node
    path: str
    """The path without symbolic links."""
    read_only: bool
    mounted: bool
    """Whether it is in a mount, and not on the container's own disk."""
    in_memory: bool
    """Whether that mount is kept in memory."""
    disk: Disk | None
    """The disk of that mount, if it isn't the container's."""
    mount: Node | None
    """That mount."""


@dataclass(slots=True)
class Tree:
    """The files of one container. Paths are absolute, see `resolve`."""

    disk: Disk
    root: Node = field(default_factory=directory)
    read_only: bool = False
    """Whether the container's own disk can't be written."""
    own_bytes: int = 0
    """The bytes that have been written to the container's own disk."""
    changed: bool = False
    """Whether the container's own disk has changes that have to be stored."""
    owner: tuple[int, int] = (0, 0)
    """UID and GID that own newly created files."""
    missed: str = ""
    """The last path that wasn't found."""

    def find(self, path: str, *, follow: bool = True) -> Node:
        """The node at a path. Raises `FileError`."""
        return self._walk(path, follow=follow).node

    def all_below(self, path: str) -> Iterator[Node]:
        """The node at a path and all nodes below it, without mounts. Raises `FileError`."""
        return _below(self.find(path), mounts=False)

    def directory(self, path: str) -> dict[str, Node]:
        """The entries of a directory. Raises `FileError`."""
        children = self.find(path).children
        if children is None:
            raise FileError(NO_DIRECTORY)
        return children

    def has(self, path: str) -> bool:
        try:
            self.find(path)
        except FileError:
            return False
        return True

    def text(self, path: str) -> str:
        """The content of a file, empty if there is no such file."""
        try:
            return self.find(path).data.decode("utf-8", "replace")
        except FileError:
            return ""

    def real_path(self, path: str) -> str:
        """The path without symbolic links. Raises `FileError`."""
        return self._walk(path, follow=True).path

    def is_in_memory(self, path: str) -> bool:
        """Whether a path is on a disk that is kept in memory. Raises `FileError`."""
        return self._walk(path, follow=True).in_memory

    def _walk(self, path: str, *, follow: bool) -> ResolvedPath:
        """Raises `FileError`."""
        if len(path) > limits.SIMULATED_PATH_BYTES:
            raise FileError(TOO_LONG)
        names = _reversed(posixpath.normpath(path))
        way: list[tuple[str, Node]] = []
        links = 0
        while names:
            node = way[-1][1] if way else self.root
            name = names.pop()
            if name == "..":
                del way[-1:]
                continue
            if node.children is None:
                raise FileError(NO_DIRECTORY)
            child = node.children.get(name)
            if child is None:
                self.missed = path
                raise FileError(NOT_FOUND)
            if child.target and (follow or names):
                links += 1
                if links > limits.SIMULATED_LINKS:
                    raise FileError(TOO_MANY_LINKS)
                names += _reversed(child.target)
                way = [] if child.target.startswith("/") else way
                continue
            way.append((name, child))
        read_only, in_memory, disk, mount = self.read_only, False, None, None
        for _, node in way:
            read_only = node.read_only if node.mount else read_only or node.read_only
            in_memory, disk = (node.in_memory, node.disk) if node.mount else (in_memory, disk)
            mount = node if node.mount else mount
        place, found = "/" + "/".join(name for name, _ in way), way[-1][1] if way else self.root
        return ResolvedPath(found, place, read_only, mount is not None, in_memory, disk, mount)

    def check_writable(self, path: str) -> None:
        """Raises `FileError` if the node at a path may not be changed."""
        if self._walk(path, follow=True).read_only:
            raise FileError(READ_ONLY)

    def _parent(self, path: str) -> tuple[ResolvedPath, dict[str, Node], str]:
        """The directory of a path, its entries, and the last name of the path. Raises `FileError` if it isn't writable."""
        where, name = posixpath.split(posixpath.normpath(path))
        spot = self._walk(where, follow=True)
        children = spot.node.children
        if children is None:
            raise FileError(NO_DIRECTORY)
        if not name or name in {".", ".."}:
            raise FileError(EXISTS)
        if len(name.encode()) > _NAME_BYTES:
            raise FileError(TOO_LONG)
        if spot.read_only:
            raise FileError(READ_ONLY)
        return spot, children, name

    def _charge(self, size_bytes: int, spot: ResolvedPath) -> None:
        (spot.disk or self.disk).take(size_bytes)
        if not spot.mounted:
            self.own_bytes += size_bytes
            self.changed = True

    def write(self, path: str, data: bytes, now: float, *, append: bool = False, mode: int | None = None, umask: int = UMASK) -> None:
        """Write data to a file, which is created if it doesn't exist. The umask counts if no mode is given. Raises `FileError`."""
        try:
            spot = self._walk(path, follow=True)
        except FileError as error:
            if str(error) != NOT_FOUND:
                raise
            self.add(self._end_of_links(path), Node(0o666 & ~umask if mode is None else mode, now, data))
            return
        node = spot.node
        if node.is_directory:
            raise FileError(IS_DIRECTORY)
        if node.device:
            if node.device == "full" and data:
                raise FileError(FULL)
            return
        if node.sink is not None:
            node.sink(data, now)
            return
        if spot.read_only or node.load is not None:
            raise FileError(READ_ONLY)
        content = node.data + data if append else data
        self._charge(len(content) - len(node.data), spot)
        node.data, node.changed_at, node.program = content, now, node.program and not content
        node.mode = node.mode if mode is None else mode

    def _end_of_links(self, path: str) -> str:
        """Where a new file comes to stand: what a symbolic link leads to is made, and doesn't replace the link. Raises `FileError`."""
        for _ in range(limits.SIMULATED_LINKS):
            if not self._is_there(path):
                return path
            link = self._walk(path, follow=False)
            path = resolve(link.node.target, posixpath.dirname(link.path))
        raise FileError(TOO_MANY_LINKS)

    def add(self, path: str, node: Node) -> None:
        """Put a node at a path, where it may replace a file. Raises `FileError`."""
        parent, siblings, name = self._parent(path)
        if len(node.target.encode("utf-8", "surrogateescape")) > limits.SIMULATED_PATH_BYTES:
            raise FileError(TOO_LONG)
        self._name(parent, siblings, name, node)
        node.uid, node.gid = self.owner
        if parent.node.mode & SETGID:
            node.gid, node.mode = parent.node.gid, node.mode | (SETGID if node.is_directory else 0)

    def link(self, path: str, source: str) -> None:
        """Give a file another name (a hard link). Raises `FileError`."""
        found = self._walk(source, follow=True)
        if found.node.is_directory:
            raise FileError("hard link not allowed for directory")
        parent, siblings, name = self._parent(path)
        if found.mount is not parent.mount:
            raise FileError("Invalid cross-device link")
        found.node.links = max(found.node.links, 1)
        found.node.first_path = found.node.first_path or found.path
        self._name(parent, siblings, name, found.node)

    def _name(self, parent: ResolvedPath, siblings: dict[str, Node], name: str, node: Node) -> None:
        """Put a node into a directory, where it may replace a file."""
        before = siblings.get(name)
        if before is not None and (before.is_directory or before.mount):
            raise FileError(IS_DIRECTORY if before.is_directory else "Device or resource busy")
        self._charge(_new_bytes(node) - (tree_bytes(before, outside=False) if before is not None else 0), parent)
        if before is not None:
            _count_names(before, -1)
        _count_names(node, 1)
        siblings[name] = node

    def make_directory(self, path: str, now: float, *, parents: bool = False, mode: int | None = None, umask: int = UMASK) -> None:
        """Its mode is what the umask leaves, unless one is given. Raises `FileError`."""
        if parents:
            self._make_way(posixpath.dirname(posixpath.normpath(path)), now, 0o777 & ~umask | _OWNERS_WAY)
            if self.has(path):
                if not self.find(path).is_directory:
                    raise FileError(EXISTS)
                return
        elif self._is_there(path):
            raise FileError(EXISTS)
        self.add(path, directory(0o777 & ~umask if mode is None else mode, now))

    def _make_way(self, path: str, now: float, mode: int) -> None:
        """Create the missing directories of a path, all in one step."""
        names = [name for name in path.split("/") if name]
        ways = range(1, len(names) + 1)
        there = bisect_left(ways, True, key=lambda count: not self.has("/" + "/".join(names[:count])))
        if there == len(names):
            return
        made = [directory(mode, now) for _ in names[there:]]
        for outer, inner, name in zip(made, made[1:], names[there + 1 :], strict=False):
            outer.children = {name: inner}
        self.add("/" + "/".join(names[: there + 1]), made[0])
        for one in made[1:]:
            one.uid, one.gid, one.mode = made[0].uid, made[0].gid, made[0].mode

    def _is_there(self, path: str) -> bool:
        try:
            self.find(path, follow=False)
        except FileError:
            return False
        return True

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a node. Raises `FileError`."""
        node = self.find(path, follow=False)
        parent, siblings, name = self._parent(path)
        if node.is_directory and not recursive:
            raise FileError(IS_DIRECTORY)
        if any(one.mount for one in _below(node)):
            raise FileError("Resource busy")
        del siblings[name]
        self._charge(-tree_bytes(node, outside=False), parent)
        _count_names(node, -1)

    def mounted(self, path: str, node: Node) -> None:
        """Put a node at a path, whatever was there, and create the directories of the path."""
        names = [name for name in posixpath.normpath(path).split("/") if name]
        children = self.root.children
        links = 0
        while children is not None and len(names) > 1:
            name = names.pop(0)
            child = children.get(name)
            if child is not None and child.target and links < limits.SIMULATED_LINKS:
                links += 1
                names = [part for part in child.target.split("/") if part] + names
                children = self.root.children if child.target.startswith("/") else children
                continue
            if child is None or not child.is_directory:
                child = children[name] = directory()
            children = child.children
        if names and children is not None:
            children[names[0]] = node


def _reversed(path: str) -> list[str]:
    """The names in a path, the last one first."""
    return [name for name in reversed(path.split("/")) if name not in {"", "."}]


def _below(node: Node, *, mounts: bool = True) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [child for child in (one.children or {}).values() if mounts or not child.mount]


def _new_bytes(node: Node) -> int:
    """The disk space that it takes to put a node somewhere, with everything below it: files that stand elsewhere, too, take none."""
    elsewhere = {id(one): len(one.data) + len(one.target) for one in _below(node) if one.links > 0}
    return tree_bytes(node) - sum(elsewhere.values())


def _count_names(node: Node, change: int) -> None:
    """Count the names of a node and of everything below it that come or go."""
    for one in _below(node):
        one.links = max(one.links + change, 0)


def resolve(path: str, directory_path: str) -> str:
    """A path as an absolute one, relative to a directory."""
    return posixpath.normpath(posixpath.join(directory_path, path)).replace("//", "/") if path else ""
