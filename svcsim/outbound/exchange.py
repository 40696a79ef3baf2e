"""HTTP/1.1 on one connection: a request, the head of its answer, and the body as it comes.

Written on asyncio's streams and llhttp, behind httptools, which decides what is HTTP and is strict: an HTTP library would cost every
cluster its import, and its own ideas of proxies, redirects and cookies would have to be switched off one by one. What llhttp lets pass that
two readers could understand differently is refused here; and a connection on which anything came that wasn't asked for is not used again,
since it could be taken for the answer to somebody else's request.
"""

import asyncio
import select
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, SupportsIndex

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.errors import StatusError
from svcsim.meta.http import BODILESS, UnreadBody
from svcsim.outbound.remote import OutboundError

if TYPE_CHECKING:
    from httptools import HttpResponseParser

Headers = Sequence[tuple[str, str]]

PIECE_BYTES = 64 * 1024
_WITH_BODY = ("POST", "PUT", "PATCH")
_VERSIONS = (b"HTTP/1.1 ", b"HTTP/1.0 ")
SWITCHING = 101
"""The answer after which the connection is no longer HTTP's."""


class ClosedError(OutboundError):
    """The connection ended before anything of an answer had come."""


class CountedReader(asyncio.StreamReader):
    """A stream that knows how much has come in, read or not."""

    fed_bytes = 0

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        taken = bytes(data)
        self.fed_bytes += len(taken)
        super().feed_data(taken)


class _Message:
    """What the parser finds in an answer."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.cookies: list[str] = []
        self.pieces: list[bytes] = []
        self.complete = False
        self.followed = False
        """Another answer has begun, for which nobody has asked."""
        self._in_head = True

    def on_message_begin(self) -> None:
        self.followed = self.complete

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # trailers say nothing to us
        key, text = name.decode("ascii").lower(), value.decode("utf-8", "replace").strip()
        if key == "set-cookie":
            self.cookies.append(text)  # the one header whose values can't be joined: a comma may stand in them (RFC 9110, 5.3)
            return
        self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text

    def on_headers_complete(self) -> None:
        self._in_head = False

    def on_body(self, piece: bytes) -> None:
        if not self.complete:
            self.pieces.append(piece)

    def on_message_complete(self) -> None:
        self.complete = True


class Exchange:
    """A connection on which requests are asked and answered, one after the other."""

    def __init__(self, reader: CountedReader, writer: asyncio.StreamWriter) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.reusable = False
        """Whether the last answer has been read to its end, and another request will be taken."""
        self.reader = reader
        self.writer = writer
        self._taken_bytes = 0
        """Read, as parts of answers."""
        self._method = ""
        self._kept_alive = False
        self._message = _Message()
        self._parser: HttpResponseParser | None = None
        self._sending: asyncio.Task[bool] | None = None
        """Sends a body that is still coming in, and tells whether it was all sent."""

    @property
    def bodiless(self) -> bool:
        """Whether the answer ends with its head."""
        return self._method == "HEAD" or self.status in BODILESS

    @property
    def cookies(self) -> tuple[str, ...]:
        """The values of the answer's ``Set-Cookie`` headers, which ``headers`` doesn't have."""
        return tuple(self._message.cookies)

    @property
    def gone(self) -> bool:
        """Whether the server has hung up, or said something unasked."""
        unasked = self.reader.fed_bytes > self._taken_bytes
        return unasked or self.writer.is_closing() or self.reader.at_eof() or bool(self.reader.exception()) or self._unread()

    def _unread(self) -> bool:
        """Whether something has come in that the event loop has not got round to reading."""
        waiting = select.poll()
        waiting.register(self.writer.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(waiting.poll(0))

    def close(self) -> None:
        """Hang up at once: there is nothing left to be said, and a server that takes its time over the end of TLS is not waited for."""
        self.reusable = False
        if self._sending is not None:
            self._sending.cancel()
        self.writer.transport.abort()

    async def ask(self, method: str, target: str, headers: Headers, body: bytes | UnreadBody) -> None:
        """Send a request and wait for the head of its answer, which may come before all of the body has been sent."""
        self.reusable = False
        self._method = method
        self._sending = None
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        length = len(body) if isinstance(body, bytes) else body.declared_bytes
        if length is None:
            lines.append("transfer-encoding: chunked")
        elif length or method in _WITH_BODY:
            lines.append(f"content-length: {length}")
        if " " in target or any("\r" in line or "\n" in line or "\0" in line for line in lines):
            raise OutboundError("the request can't be sent: its path or a header has characters that would end it")
        head = "\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape")
        if isinstance(body, bytes):
            self.writer.write(head + body)
        else:
            self.writer.write(head)
            self._sending = asyncio.create_task(self._send(body, chunked=length is None), name="sending a body on")
        await self.writer.drain()
        await self._read_last_head()
        if self.status == SWITCHING and not any(name.lower() == "upgrade" for name, _ in headers):
            raise OutboundError("malformed HTTP response: it switches protocols, which nobody asked for")

    async def _send(self, body: UnreadBody, *, chunked: bool) -> bool:
        """Send a body as it comes; whether it was sent to its end. What is wrong with it, the reader of the answer is told."""
        try:
            async with aclosing(body.pieces()) as pieces:
                async for piece in pieces:
                    self.writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                    await self.writer.drain()
            if chunked:
                self.writer.write(b"0\r\n\r\n")
        except StatusError as error:
            self.reader.set_exception(error)
            return False
        except OSError:
            return False  # the server reads no further: its answer says why
        return True

    def _all_sent(self) -> bool:
        return self._sending is None or (self._sending.done() and not self._sending.cancelled() and self._sending.result())

    async def _read_last_head(self) -> None:
        """Read the head of the answer, and those before it that only announce it."""
        for _ in range(limits.OUTBOUND_EARLY_ANSWERS + 1):
            await self._read_head()
            if self.status >= 200 or self.status == SWITCHING:
                return
        raise OutboundError("too many 1xx informational responses")

    async def _read_head(self) -> None:
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            raise OutboundError("unexpected EOF") if error.partial else ClosedError("EOF") from None
        except asyncio.LimitOverrunError:
            raise OutboundError(f"server response headers exceeded {limits.HEADER_BYTES} bytes") from None
        if not head.startswith(_VERSIONS):
            raise OutboundError("malformed HTTP response: the server does not speak HTTP/1.1")
        self._begin(head)

    def _begin(self, head: bytes) -> None:
        """Take an answer's head; whatever follows it is still to be read."""
        from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser  # noqa: PLC0415 - few clusters ever call out

        self._taken_bytes += len(head)
        self._message = _Message()
        self._parser = HttpResponseParser(self._message)
        try:
            self._parser.feed_data(_length_once(head))
        except HttpParserUpgrade:
            pass  # from here on the connection is its caller's
        except HttpParserError as error:
            raise _malformed(error) from error
        self.status, self.headers = self._parser.get_status_code(), self._message.headers
        if self.status < 100:
            raise OutboundError(f"malformed HTTP response: malformed HTTP status code {self.status:03}")
        self._kept_alive = self._parser.should_keep_alive()
        if self.headers.get("transfer-encoding", "chunked").lower() != "chunked":
            raise OutboundError("malformed HTTP response: of transfer codings only chunked is known")

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The answer's body, as it comes."""
        message = self._message
        bodiless = self.bodiless
        to_the_end = "content-length" not in self.headers and "transfer-encoding" not in self.headers
        silent_bytes = found = 0
        while not (bodiless or message.complete):
            data = await self.reader.read(PIECE_BYTES)
            if not data and to_the_end:
                return
            if not data:
                raise OutboundError("unexpected EOF")
            self._feed(data)
            silent_bytes = 0 if message.pieces else silent_bytes + len(data)
            if silent_bytes > limits.HEADER_BYTES:
                raise OutboundError(f"server response trailers exceeded {limits.HEADER_BYTES} bytes")
            found += len(message.pieces)
            if message.pieces:
                yield b"".join(message.pieces)
            message.pieces.clear()
            if found > limits.PIECES_A_TURN:  # much may have come in, and reading it waits for nothing
                found = 0
                await turn()
        self.reusable = self._kept_alive and not message.followed and self._all_sent()

    def _feed(self, data: bytes) -> None:
        from httptools import HttpParserError  # noqa: PLC0415 - as above

        assert self._parser is not None
        self._taken_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            if not self._message.complete:
                raise _malformed(error) from error
            self._kept_alive = False  # something came after the answer


def _length_once(head: bytes) -> bytes:
    """The head of an answer; where it says more than once how long the body is, and always the same, it says so once."""
    if head.lower().count(b"content-length") < 2:
        return head
    lines = head.split(b"\r\n")
    named = [(name.lower(), value.strip(b" \t")) for name, _, value in (line.partition(b":") for line in lines)]
    if len({value for name, value in named if name == b"content-length"}) != 1:
        return head
    first = next(index for index, (name, _) in enumerate(named) if name == b"content-length")
    return b"\r\n".join(line for index, line in enumerate(lines) if index <= first or named[index][0] != b"content-length")


def _malformed(error: Exception) -> OutboundError:
    text = str(error)
    return OutboundError(f"malformed HTTP response: {text[:1].lower()}{text[1:]}")
