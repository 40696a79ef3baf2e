"""Streamed answers with a callback for their end: whether the client has read all of it, went away, or never began.

A stream of lines stays one, so that the front can share its bytes among all clients; the only extra cost of a piece is a call.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

from svcsim.meta.http import LineBatches, LineStream, Told, Tunnel, end_stream

T = TypeVar("T")


def watched(stream: AsyncIterator[bytes], over: Callable[[bytes | None], None], keep_bytes: int) -> AsyncIterator[bytes]:
    """A stream with the same content. At its end ``over`` is called once, with the content if it isn't longer than ``keep_bytes``."""
    if isinstance(stream, LineStream):
        return LineStream(_Lines(stream.batches, over))
    return _Pieces(stream, over, keep_bytes)


class _Lines(LineBatches):
    def __init__(self, batches: LineBatches, over: Callable[[bytes | None], None]) -> None:
        self._batches = batches
        self._over: Callable[[bytes | None], None] | None = over

    async def __anext__(self) -> list[bytes]:
        return await self._until_the_end(anext(self._batches))

    async def told(self) -> list[Told]:
        return await self._until_the_end(self._batches.told())

    async def _until_the_end(self, lines: Awaitable[list[T]]) -> list[T]:
        try:
            return await lines
        except StopAsyncIteration:
            self._end()
            raise

    async def aclose(self) -> None:
        try:
            await self._batches.aclose()
        finally:
            self._end()

    def _end(self) -> None:
        over, self._over = self._over, None
        if over is not None:
            over(None)


class _Pieces(AsyncGenerator[bytes, None]):
    """A generator by its interface alone: a real one that was never begun would not be told that it is over."""

    def __init__(self, stream: AsyncIterator[bytes], over: Callable[[bytes | None], None], keep_bytes: int) -> None:
        self._stream = stream
        self._over: Callable[[bytes | None], None] | None = over
        self._left = keep_bytes
        self._kept: list[bytes] | None = [] if keep_bytes else None

    async def asend(self, _value: None) -> bytes:
        try:
            piece = await anext(self._stream)
        except StopAsyncIteration:
            self._end()
            raise
        if self._kept is not None:
            self._left -= len(piece)
            if self._left < 0:
                self._kept = None
            else:
                self._kept.append(piece)
        return piece

    async def athrow(self, kind: type[BaseException] | BaseException, *_: object) -> bytes:
        """Nothing is thrown into answers: a reader that is done closes them."""
        raise kind

    async def aclose(self) -> None:
        try:
            await end_stream(self._stream)
        finally:
            self._end(broken_off=True)

    def _end(self, *, broken_off: bool = False) -> None:
        over, self._over = self._over, None
        if over is not None:
            over(None if self._kept is None or broken_off else b"".join(self._kept))


class WatchedTunnel(Tunnel):
    """A connection that was switched to another protocol, with a callback for its end."""

    def __init__(self, tunnel: Tunnel, over: Callable[[bytes | None], None]) -> None:
        self._tunnel = tunnel
        self._over: Callable[[bytes | None], None] | None = over

    @property
    def full(self) -> bool:
        return self._tunnel.full

    def write(self, data: bytes) -> None:
        self._tunnel.write(data)

    async def drain(self) -> None:
        await self._tunnel.drain()

    async def read(self) -> bytes:
        return await self._tunnel.read()

    async def close(self) -> None:
        over, self._over = self._over, None
        try:
            await self._tunnel.close()
        finally:
            if over is not None:
                over(None)
