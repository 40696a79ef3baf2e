"""Devices: what stands in ``/dev``. Only their names are in a tree; what is read from them and written to them is decided here."""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.streams import Streams, Write
from svcsim.nodes.shell.tree import FULL, FileError, Node, Tree, directory

NO_DEVICE = "No such device or address"
_CHANCE = ("random", "urandom")
_NUMBERS = {"full": (1, 7), "null": (1, 3), "random": (1, 8), "tty": (5, 0), "urandom": (1, 9), "zero": (1, 5)}
"""The devices that all containers have, with their major and minor numbers."""
ENDLESS = tuple(f"/dev/{name}" for name in ("zero", "full", *_CHANCE))
"""Files without an end."""
_STREAMS = ("0", "1", "2")
"""The names of the devices that are a process's own streams, as they are called in ``/proc/self/fd``."""
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}


class Endless:
    """An input without an end. ``check`` is called with the number of each piece, and may raise what ends the program that reads it."""

    def __init__(self, piece: Callable[[int], bytes], check: Callable[[int], None]) -> None:
        self._piece = piece
        self._check = check
        self._given = 0

    async def __call__(self) -> bytes:
        self._check(self._given + 1)
        return self.next()

    def next(self) -> bytes:
        """The next piece, for who takes no more than it wants."""
        self._given += 1
        return self._piece(self._given)


class Made(NamedTuple):
    """What stands at a path of ``/dev`` or ``/proc``."""

    path: str
    node: Node


def all_devices(at: float) -> Iterator[Made]:
    """The devices of a container, and the links to them. ``at`` is when the container was made."""
    for name in _NUMBERS:
        yield Made(f"/dev/{name}", device(name, at))
    yield Made("/proc/self/fd", directory(0o555, at, read_only=True))
    for name in _STREAMS:
        yield Made(f"/proc/self/fd/{name}", Node(0o600, at, device=name))
    for path, target in _LINKS.items():
        yield Made(path, Node(0o777, at, target=target))


def device(name: str, at: float) -> Node:
    """A character device."""
    return Node(0o666, at, device=name)


def is_stream(node: Node) -> bool:
    """Whether it is one of the process's own streams: a pipe."""
    return node.device in _STREAMS


def is_character_device(node: Node) -> bool:
    return bool(node.device) and not is_stream(node)


def numbers_of(node: Node) -> tuple[int, int]:
    """The major and minor number of a device."""
    return _NUMBERS.get(node.device, (0, 0))


def endless_of(node: Node, check: Callable[[int], None], chance: Callable[[], str]) -> Endless | None:
    """What comes from a device without an end; None for any other file. ``chance`` gives the words that decide random bytes."""
    if f"/dev/{node.device}" not in ENDLESS:
        return None
    if node.device not in _CHANCE:
        zeros = bytes(limits.SHELL_PIECE_BYTES)
        return Endless(lambda _: zeros, check)
    words = chance()
    return Endless(lambda number: hashlib.shake_128(f"{words} {number}".encode()).digest(limits.SHELL_PIECE_BYTES), check)


def _output_of(node: Node, streams: Streams, terminal: Terminal | None) -> Write | None:
    """Takes what is written to a device; None for any other file. Raises `FileError`."""
    if node.device == "tty":
        if terminal is None:
            raise FileError(NO_DEVICE)
        return terminal.streams.write
    writes: dict[str, Write] = {"0": _lost, "1": streams.write, "2": streams.complain, "full": _refused}
    return writes.get(node.device, _lost) if node.device else None


def output_at(tree: Tree, path: str, streams: Streams, terminal: Terminal | None) -> Write | None:
    """Takes what is written to a path at which a device stands; None for any other path. Raises `FileError`."""
    return _output_of(tree.find(path), streams, terminal) if tree.has(path) else None


async def _lost(_data: bytes) -> None:
    """``/dev/null``."""


async def _refused(data: bytes) -> None:
    """``/dev/full``."""
    if data:
        raise FileError(FULL)
