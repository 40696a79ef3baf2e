"""Pipes: the output of one command, kept in memory until the next one reads it."""

import io
from collections.abc import Sequence

from svcsim import limits
from svcsim.nodes.shell.exit_codes import BROKEN_PIPE
from svcsim.nodes.shell.process import ExitError
from svcsim.nodes.shell.streams import Read
from svcsim.nodes.shell.syntax import Command, SimpleCommand
from svcsim.nodes.shell.tree import Disk, FileError


class PipeBuffer:
    """The output of a command. Writing more than fits in memory ends the writer, as SIGPIPE does (exit code 141)."""

    def __init__(self, memory: Disk) -> None:
        self.pieces: list[bytes] = []
        self.size_bytes = 0
        self._memory = memory
        self._held_bytes = 0

    async def write(self, data: bytes) -> None:
        """Raises `ExitError`."""
        takes_bytes = len(data) + limits.SHELL_PIECE_COSTS_BYTES
        try:
            self._memory.take(takes_bytes)
        except FileError:
            raise ExitError(BROKEN_PIPE) from None
        self._held_bytes += takes_bytes
        self.size_bytes += len(data)
        self.pieces.append(data)

    def release(self) -> None:
        """Give its memory back."""
        self._memory.take(-self._held_bytes)
        self._held_bytes = 0


def reads_lines(command: Command) -> bool:
    """Whether a command may consist of several that share its input, so that each may read one line of it."""
    return not isinstance(command, SimpleCommand)


def reader(pieces: Sequence[bytes], *, by_lines: bool = False) -> Read:
    """An input of these pieces: read one after the other, or ``by_lines``."""
    left = iter(io.BytesIO(b"".join(pieces)) if by_lines else [piece for piece in pieces if piece])

    async def read() -> bytes:
        return next(left, b"")

    return read
