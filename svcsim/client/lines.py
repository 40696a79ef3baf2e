"""Streams of pieces: re-cut into lines, since watches and followed logs are read line by line, and ended from outside."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeVar

from svcsim.client.cutting import LineCutter

T = TypeVar("T")


async def cut_lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Lines without their line ends, as soon as each is complete; what follows the last line end comes as a last line."""
    cutter = LineCutter()
    async for piece in pieces:
        for line in cutter.feed(piece):
            yield line
    for line in cutter.rest():
        yield line


class Endable:
    """Pieces that stop coming once `end` is called, also while their reader waits for the next one."""

    def __init__(self) -> None:
        self._ending = False
        self._reader: asyncio.Task[object] | None = None

    def end(self) -> None:
        """Let the reader see the end of the stream."""
        self._ending = True
        if self._reader is not None:
            self._reader.cancel()

    async def read(self, pieces: AsyncIterator[T]) -> AsyncGenerator[T, None]:
        """The pieces, until they end or are ended."""
        while not self._ending:
            self._reader = asyncio.current_task()
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except asyncio.CancelledError:
                if not self._was_ended():
                    raise
                return
            finally:
                self._reader = None
            yield piece

    def _was_ended(self) -> bool:
        """Whether it was `end` that woke the reader, by cancelling it as a timeout does; any other cancellation is the reader's own."""
        return self._ending and self._reader is not None and self._reader.uncancel() == 0
