"""What one command says on its way to the next: kept, as far as there is memory for it, and read piece by piece or line by line."""

import io
from collections.abc import Sequence

from svcsim import limits
from svcsim.nodes.shell.process import BROKEN_PIPE, ExitError
from svcsim.nodes.shell.streams import Read
from svcsim.nodes.shell.syntax import Command, SimpleCommand
from svcsim.nodes.shell.tree import Disk, FileError


class PipeBuffer:
    """The output of a command, for the next one. Who says more than there is memory for finds that nobody listens."""

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
        """Nobody needs it any more."""
        self._memory.take(-self._held_bytes)
        self._held_bytes = 0


def reads_lines(command: Command) -> bool:
    """Whether several commands share what comes in, each of which may read its line of it."""
    return not isinstance(command, SimpleCommand)


def reader(pieces: Sequence[bytes], *, by_lines: bool = False) -> Read:
    """Gives them one after the other."""
    left = iter(io.BytesIO(b"".join(pieces)) if by_lines else [piece for piece in pieces if piece])

    async def read() -> bytes:
        return next(left, b"")

    return read
