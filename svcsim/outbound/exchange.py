"""HTTP/1.1 on one connection: a request, the head of its answer, and the body as it comes.

Written on asyncio's streams alone: an HTTP library would cost every cluster its import, and its own ideas of proxies, redirects and cookies
would have to be switched off one by one.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from svcsim import limits
from svcsim.outbound.remote import OutboundError

Headers = Sequence[tuple[str, str]]

PIECE_BYTES = 64 * 1024
_BODILESS = (204, 304)
_WITH_BODY = ("POST", "PUT", "PATCH")
SWITCHING = 101
"""The answer after which the connection is no longer HTTP's."""


class ClosedError(OutboundError):
    """The connection ended before anything of an answer had come."""


class Exchange:
    """A connection on which requests are asked and answered, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.reusable = False
        """Whether the last answer has been read to its end, and another request will be taken."""
        self.reader = reader
        self.writer = writer
        self._method = ""
        self._version = ""

    @property
    def gone(self) -> bool:
        """Whether the server has hung up, or said something unasked."""
        return self.writer.is_closing() or self.reader.at_eof() or bool(self.reader.exception())

    def close(self) -> None:
        """Hang up at once: there is nothing left to be said, and a server that takes its time over the end of TLS is not waited for."""
        self.reusable = False
        self.writer.transport.abort()

    async def ask(self, method: str, target: str, headers: Headers, body: bytes) -> None:
        """Send a request and wait for the head of its answer."""
        self.reusable = False
        self._method = method
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        if body or method in _WITH_BODY:
            lines.append(f"content-length: {len(body)}")
        if " " in target or any("\r" in line or "\n" in line or "\0" in line for line in lines):
            raise OutboundError("the request can't be sent: its path or a header has characters that would end it")
        self.writer.write("\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape") + body)
        await self.writer.drain()
        await self._read_head()
        while self.status < 200 and self.status != SWITCHING:  # only announced
            await self._read_head()

    async def _read_head(self) -> None:
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            raise OutboundError("unexpected EOF") if error.partial else ClosedError("EOF") from None
        except asyncio.LimitOverrunError:
            raise OutboundError(f"server response headers exceeded {limits.HEADER_BYTES} bytes") from None
        first, *rest = head.decode("utf-8", "replace").rstrip("\r\n").split("\r\n")
        self._version, _, status = first.partition(" ")
        if not self._version.startswith("HTTP/1.") or not (status[:3].isascii() and status[:3].isdigit()):
            raise OutboundError("malformed HTTP response: the server does not speak HTTP/1.1")
        self.status = int(status[:3])
        self.headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            key = name.strip().lower()
            self.headers[key] = f"{self.headers[key]}, {value.strip()}" if key in self.headers else value.strip()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The answer's body, as it comes."""
        length = self.headers.get("content-length")
        if self._method == "HEAD" or self.status in _BODILESS:
            pass
        elif self.headers.get("transfer-encoding", "").lower() == "chunked":
            async for piece in self._chunks():
                yield piece
        elif length is not None:
            if not (length.isascii() and length.isdigit()):
                raise OutboundError("malformed HTTP response: its Content-Length is no number")
            async for piece in self._counted(int(length)):
                yield piece
        else:
            while piece := await self.reader.read(PIECE_BYTES):
                yield piece
            return
        kept = self.headers.get("connection", "").lower()
        self.reusable = kept != "close" and (self._version == "HTTP/1.1" or kept == "keep-alive")

    async def _line(self) -> bytes:
        try:
            return (await self.reader.readuntil(b"\n")).rstrip(b"\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise OutboundError("unexpected EOF") from None

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        while True:
            size = (await self._line()).partition(b";")[0].strip()
            try:
                length = int(size, 16)
            except ValueError:
                raise OutboundError("malformed HTTP response: its chunks are out of step") from None
            if length == 0:
                while await self._line():
                    pass  # trailers say nothing to us
                return
            async for piece in self._counted(length):
                yield piece
            await self._line()

    async def _counted(self, length: int) -> AsyncGenerator[bytes, None]:
        while length > 0:
            piece = await self.reader.read(min(length, PIECE_BYTES))
            if not piece:
                raise OutboundError("unexpected EOF")
            length -= len(piece)
            yield piece
