"""The way out of a connection: answers as bytes, and waiting for a client that reads more slowly than we write."""

import asyncio
import fcntl
import sys
import termios
from collections.abc import AsyncIterator, Sequence

from svcsim import limits
from svcsim.meta.http import BODILESS, LineStream, Response, joined
from svcsim.server.http.heads import END_OF_CHUNKS, ResponseHeads
from svcsim.server.http.untaken import Untaken


class FramedLines:
    """Lines as chunks. All watchers are handed the same bytes of an event, one after the other, so each is framed once."""

    def __init__(self) -> None:
        self._last = (b"", END_OF_CHUNKS)

    def chunk(self, line: bytes) -> bytes:
        """The line, with its end, as a chunk."""
        if line is not self._last[0]:
            self._last = (line, b"%x\r\n%b\n\r\n" % (len(line) + 1, line))
        return self._last[1]


class ResponseWriter:
    """Writes answers to one transport."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, heads: ResponseHeads, lines: FramedLines, untaken: Untaken
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._heads = heads
        self._lines = lines
        self._untaken = untaken
        self._drained: asyncio.Future[None] | None = None
        self._seen_unsent: tuple[object, int, int] = (None, 0, 0)
        transport.set_write_buffer_limits(limits.LIST_PIECE_BYTES)

    def pause(self) -> None:
        """The client reads more slowly than we write."""
        if self._drained is None:
            self._drained = self._loop.create_future()

    def resume(self) -> None:
        """It has caught up, or gone."""
        if self._drained is not None:
            if not self._drained.done():
                self._drained.set_result(None)
            self._drained = None

    @property
    def full(self) -> bool:
        """Whether it is time to wait until it has been `drained`."""
        return self._drained is not None

    def stuck(self) -> bool:
        """Whether there is something to be sent, and the client has taken none of it since this was last asked."""
        size = self._transport.get_write_buffer_size()
        unsent = (self._drained, size, _unconfirmed_bytes(self._transport) if size else 0)
        seen, self._seen_unsent = self._seen_unsent, unsent
        return size > 0 and unsent == seen

    async def drained(self, in_hand: Sequence[bytes] = ()) -> None:
        """Wait until the client has caught up, with what it is to be given then."""
        if self._drained is None:
            return
        self._untaken.hold(self._transport, in_hand)
        try:
            await self._drained
        finally:
            self._untaken.let_go(self._transport)

    def write(self, data: bytes) -> None:
        """Write now; raises `ConnectionResetError` if the client has gone."""
        if self._transport.is_closing():
            raise ConnectionResetError
        self._transport.write(data)

    def write_softly(self, data: bytes) -> None:
        """Write unless the client has gone, or doesn't read what was written before."""
        if not self._transport.is_closing() and self._drained is None:
            self._transport.write(data)

    def whole(self, response: Response, *, head_only: bool, close: bool) -> bytes:
        """An answer whose body is there; what is left of it to be sent, if it is long."""
        if response.status in BODILESS:
            self.write(self._heads.alone(response, close=close))
            return b""
        head = self._heads.whole(response, len(response.body), close=close)
        if head_only:
            self.write(head)
            return b""
        if len(response.body) <= limits.JOINED_BODY_BYTES:
            self.write(head + response.body)
            return b""
        self.write(head)
        return response.body

    async def send(self, data: bytes, made_of: Sequence[bytes] = ()) -> None:
        """Write as the client takes it. What is long goes out in pieces: it may be many clients', and no copy of it is made for each."""
        if len(data) <= limits.LIST_PIECE_BYTES:
            self.write(data)
            await self.drained(made_of)
            return
        for start in range(0, len(data), limits.LIST_PIECE_BYTES):
            self.write(data[start : start + limits.LIST_PIECE_BYTES])
            if self._drained is not None:
                await self.drained((data, *made_of))

    def stream_head(self, response: Response, *, chunked: bool, close: bool) -> None:
        """The head of an answer whose pieces follow."""
        self.write(self._heads.stream(response, chunked=chunked, close=close))

    async def pieces(self, stream: AsyncIterator[bytes], *, chunked: bool) -> None:
        """All pieces, as they come and as the client takes them."""
        if isinstance(stream, LineStream) and chunked:
            async for lines in stream.batches:
                if len(lines) == 1 and len(lines[0]) <= limits.LIST_PIECE_BYTES:
                    self.write(self._lines.chunk(lines[0]))
                else:
                    await self._write_lines(lines)
                if self._drained is not None:
                    await self.drained(lines)
            return
        async for piece in stream:
            if not piece:
                continue  # as a chunk, it would be the end
            if len(piece) > limits.LIST_PIECE_BYTES:
                await self._send_long(piece, chunked=chunked)
                continue
            self.write(_chunk(piece) if chunked else piece)
            if self._drained is not None:
                await self.drained((piece,))

    async def _write_lines(self, lines: list[bytes]) -> None:
        """Lines that many are sent: one alone as the chunk that is the same for all, several as one chunk, as long as that is short."""
        start, size = 0, 0
        for end, line in enumerate(lines):
            if end > start and size + len(line) > limits.LIST_PIECE_BYTES:
                await self.send(self._chunk_of(lines[start:end]), lines)
                start, size = end, 0
            size += len(line)
        await self.send(self._chunk_of(lines[start:]), lines)

    def _chunk_of(self, lines: list[bytes]) -> bytes:
        return self._lines.chunk(lines[0]) if len(lines) == 1 else _chunk(joined(lines))

    async def _send_long(self, piece: bytes, *, chunked: bool) -> None:
        if chunked:
            self.write(b"%x\r\n" % len(piece))
        await self.send(piece)
        if chunked:
            self.write(b"\r\n")

    def end_of_chunks(self) -> None:
        """Write the end of a body in chunks."""
        self.write(END_OF_CHUNKS)


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def _unconfirmed_bytes(transport: asyncio.Transport) -> int:
    """What the operating system has yet to see confirmed by the client: that goes down while a slow one reads, long before we can write.

    0 where the system doesn't say.
    """
    if sys.platform != "linux":
        return 0
    unconfirmed = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    return int.from_bytes(unconfirmed, sys.byteorder)
