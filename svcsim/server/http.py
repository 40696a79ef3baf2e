"""The front of the wire: HTTP/1.1 on a socket, in front of a `Handler`.

The parser is aiohttp's; everything from the parsed request to the bytes of the answer is here, because a server whose requests take
microseconds can't afford an HTTP framework's. One task serves one connection, a request at a time, and requests that are sent ahead wait
their turn. Nothing else in the server imports aiohttp, and this module is imported only when a socket is opened.
"""

import asyncio
import logging
import ssl
from collections import deque
from typing import TYPE_CHECKING, cast

from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.http_parser import HttpRequestParser, RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

from svcsim import limits
from svcsim.meta.errors import StatusError, bad_request, body_too_large, request_took_too_long
from svcsim.meta.http import Handler, LineStream, Request, Response, end_stream, joined
from svcsim.meta.peer import Peer, read_peer
from svcsim.server.answers import error_response
from svcsim.server.compression import compressed
from svcsim.server.response_heads import CONTINUE, END_OF_CHUNKS, ResponseHeads
from svcsim.server.socket_stream import SocketStream
from svcsim.server.websocket import GOING_AWAY, NORMAL, encode_close, take_bearer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

_LOG = logging.getLogger("svcsim.server.http")
_READ_BYTES = 256 * 1024


class _BrokenBodyError(Exception):
    """The body ended, or broke, before it was whole."""


class HttpFront:
    """Listens on a socket and serves a handler there."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.heads = ResponseHeads()
        self.connections: dict[Connection, None] = {}
        self._framed = (b"", END_OF_CHUNKS)
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None) -> int:
        """Begin to listen; the port that came of it. Raises `OSError` where that can't be."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self, loop), host, port, ssl=tls, backlog=limits.LISTEN_BACKLOG)
        self._sweep(loop)
        return int(self._server.sockets[0].getsockname()[1])

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hang up on clients that have asked nothing for long; a timer for each connection would cost every request."""
        for connection in list(self.connections):
            connection.grow_older()
        self._sweeper = loop.call_later(limits.IDLE_CONNECTION_S / limits.IDLE_SWEEPS, self._sweep, loop)

    def framed_line(self, line: bytes) -> bytes:
        """A line as a chunk. All watchers are handed the same bytes of an event, one after the other, so they are framed once."""
        if line is not self._framed[0]:
            self._framed = (line, b"%x\r\n%b\n\r\n" % (len(line) + 1, line))
        return self._framed[1]

    async def close(self, grace_s: float = limits.SHUTDOWN_S) -> None:
        """Stop listening, end streams, let answers under way go out, then hang up."""
        if self._server is None:
            return
        self._server.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
        tasks = [task for connection in self.connections if (task := connection.finish()) is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)
        for connection in list(self.connections):
            connection.abort()
        self._server = None


class Connection(BaseProtocol):
    """One client's connection."""

    def __init__(self, front: HttpFront, loop: asyncio.AbstractEventLoop) -> None:
        parser = HttpRequestParser(
            self,
            loop,
            _READ_BYTES,
            max_line_size=limits.HEADER_BYTES,
            max_field_size=limits.HEADER_BYTES,
            max_headers=limits.HEADER_FIELDS,
            payload_exception=_BrokenBodyError,
        )
        super().__init__(loop, parser)
        self._front = front
        self._peer: Peer | None = None
        self._requests: deque[tuple[RawRequestMessage, StreamReader]] = deque()
        self._refusal: StatusError | None = None
        """What is wrong with what the client sends; told after the requests before it, and then the connection ends."""
        self._head_bytes = 0
        """Of the header that is coming in, if it takes more than one piece."""
        self._newest_body: StreamReader = EMPTY_PAYLOAD
        self._arrived: asyncio.Future[None] | None = None
        self._sweeps_idle = 0
        self._drained: asyncio.Future[None] | None = None
        self._body: StreamReader | None = None
        """The body that is being read."""
        self._task: asyncio.Task[None] | None = None
        self._socket: SocketStream | None = None
        """What comes in is for it alone, once the client has asked for a WebSocket."""
        self._streaming = False
        self._finishing = False
        self._held = False

    # What the transport tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there, its TLS handshake done."""
        super().connection_made(transport)
        self._front.connections[self] = None
        self._peer = _peer_of(transport)
        self._task = self._loop.create_task(self._serve())

    def connection_lost(self, exc: BaseException | None) -> None:
        """The client has gone. A stream has nobody left to read it; a write that was asked for still happens."""
        super().connection_lost(exc)
        self._front.connections.pop(self, None)
        self._wake()
        self.resume_writing()
        if self._socket is not None:
            self._socket.lost()
        if self._body is not None:
            self._body.set_exception(_BrokenBodyError())
        if self._streaming and self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        if self._socket is not None:
            self._socket.feed(data)
            return
        if self._refusal is not None or self._parser is None:
            return
        messages: Sequence[tuple[RawRequestMessage, StreamReader]]
        try:
            messages, upgraded, rest = self._parser.feed_data(data)
        except LineTooLong:
            self._refuse(_header_too_large())
            return
        except HttpProcessingError as error:
            self._refuse(bad_request(f"the request is not HTTP as we know it: {error.message.splitlines()[0]}"))
            return
        if upgraded:
            self._socket = SocketStream(self._write_softly, self._end_stream)
            self._socket.feed(rest)
        if messages:
            if self._head_bytes and _header_size(messages[0][0]) > limits.HEADER_BYTES:
                self._refuse(_header_too_large())
                return
            self._head_bytes = 0
            self._requests.extend(messages)
            self._newest_body = messages[-1][1]
            if len(self._requests) > limits.PIPELINED_REQUESTS:
                self._hold()
            self._wake()
        elif self._newest_body.is_eof():
            self._head_bytes += len(data)
            if self._head_bytes > limits.HEADER_BYTES:
                self._refuse(_header_too_large())

    def eof_received(self) -> None:
        """The client will send no more; what it has asked for it doesn't wait to read."""

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        self._paused = True
        if self._drained is None:
            self._drained = self._loop.create_future()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._paused = False
        if self._drained is not None:
            if not self._drained.done():
                self._drained.set_result(None)
            self._drained = None

    def _refuse(self, error: StatusError) -> None:
        self._refusal = error
        self._wake()

    def _wake(self) -> None:
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)

    def _hold(self) -> None:
        if not self._held and self.transport is not None:
            self._held = True
            self.transport.pause_reading()

    def _release(self) -> None:
        if self._held and self.transport is not None:
            self._held = False
            self.transport.resume_reading()

    # What the front asks.

    def finish(self) -> asyncio.Task[None] | None:
        """Take no more requests; the task to wait for, if it is busy."""
        self._finishing = True
        task = self._task
        if task is None or task.done():
            return None
        if self._streaming:
            task.cancel()
        self._wake()
        return task

    def grow_older(self) -> None:
        """Called at every sweep of the front: one that has waited for its next request through several of them is ended."""
        self._sweeps_idle = self._sweeps_idle + 1 if self._arrived is not None else 0
        if self._sweeps_idle > limits.IDLE_SWEEPS:
            self.abort()

    def abort(self) -> None:
        """Hang up at once."""
        if self._task is not None:
            self._task.cancel()
        if self.transport is not None:
            self.transport.abort()

    # One request after the other.

    async def _serve(self) -> None:
        try:
            while await self._next_request():
                self._sweeps_idle = 0
                message, payload = self._requests.popleft()
                if not self._requests:
                    self._release()
                if not await self._exchange(message, payload):
                    break
            if self._refusal is not None:
                self._write_whole(error_response(self._refusal, Request("", "")), head_only=False, close=True)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the server is stopping: there is nobody to tell
        except Exception:  # noqa: BLE001 - a fault in one connection is logged, and ends no other
            _LOG.exception("a connection broke")
        finally:
            if self.transport is not None:
                self.transport.close()

    async def _next_request(self) -> bool:
        """Wait for the next request; False when there will be none."""
        while not self._requests:
            if self.transport is None or self._finishing or self._refusal is not None:
                return False
            self._arrived = self._loop.create_future()
            try:
                await self._arrived
            finally:
                self._arrived = None
        return self.transport is not None

    async def _exchange(self, message: RawRequestMessage, payload: StreamReader) -> bool:
        """Answer one request; whether the connection goes on after it."""
        request = self._request(message)
        close = message.should_close or message.upgrade
        head_only = request.method == "HEAD"
        try:
            if payload is not EMPTY_PAYLOAD:
                self._body = payload
                request.body = await self._read_body(request, payload)
        except StatusError as error:
            self._write_whole(error_response(error, request), head_only=head_only, close=True)
            await self._linger(payload)
            return False
        except _BrokenBodyError:
            return False
        finally:
            self._body = None
        response = await self._front.handler(request)
        close = close or self._finishing
        if response.status == 101:
            await self._write_messages(response)
            return False
        if "accept-encoding" in request.headers:
            response = await compressed(request, response)
        if response.stream is None:
            self._write_whole(response, head_only=head_only, close=close)
        else:
            close = await self._write_stream(response, head_only=head_only, chunks=message.version >= (1, 1), close=close) or close
        if self._drained is not None:
            await self._drained
        return not close

    def _request(self, message: RawRequestMessage) -> Request:
        target = message.path
        if target[:1] != "/":
            target = message.url.raw_path_qs
        if not target.isascii():
            target = target.encode(errors="surrogateescape").decode(errors="replace")
        path, _, query = target.partition("?")
        headers = {name.lower(): value for name, value in message.headers.items()}
        repeated: dict[str, tuple[str, ...]] = {}
        if len(headers) != len(message.headers):
            repeated = {name: tuple(values) for name in headers if len(values := message.headers.getall(name)) > 1}
            headers.update((name, ", ".join(values)) for name, values in repeated.items())
        if message.upgrade:
            take_bearer(headers)
        return Request(message.method, path, query, headers, peer=self._peer, repeated=repeated)

    async def _read_body(self, request: Request, payload: StreamReader) -> bytes:
        """The whole body. Raises 413, 400, 504 and `_BrokenBodyError`."""
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > limits.BODY_BYTES:
            raise body_too_large(limits.BODY_BYTES)
        if not payload.is_eof() and request.headers.get("expect", "").lower() == "100-continue":
            self._write(CONTINUE)
        try:
            if payload.is_eof():  # the usual body came with its header, and needs no watching of the clock
                return await _pieces(payload)
            async with asyncio.timeout(limits.REQUEST_S):
                return await _pieces(payload)
        except TimeoutError:
            raise request_took_too_long() from None
        except HttpProcessingError as error:
            raise bad_request(f"the request's body can't be read: {error.message.splitlines()[0]}") from None

    async def _linger(self, payload: StreamReader) -> None:
        """Read on and throw away, for a while: a client that is still sending would otherwise never see its answer."""
        try:
            async with asyncio.timeout(limits.LINGER_S):
                while not payload.is_eof() and await payload.readany():
                    pass
        except (TimeoutError, _BrokenBodyError, HttpProcessingError):
            pass  # enough

    # Answers.

    def _write(self, data: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            raise ConnectionResetError
        self.transport.write(data)

    def _write_whole(self, response: Response, *, head_only: bool, close: bool) -> None:
        head = self._front.heads.whole(response, len(response.body), close=close)
        if head_only or response.status == 304:
            self._write(head)
        elif len(response.body) <= _READ_BYTES:
            self._write(head + response.body)
        else:
            self._write(head)
            self._write(response.body)

    async def _write_stream(self, response: Response, *, head_only: bool, chunks: bool, close: bool) -> bool:
        """Pieces as they come; whether the connection has to end after them."""
        known = "Content-Length" in response.headers
        chunked = chunks and not known
        close = close or not (known or chunked)
        stream = cast("AsyncIterator[bytes]", response.stream)
        self._streaming = True
        try:
            self._write(self._front.heads.stream(response, chunked=chunked, close=close))
            if head_only:
                pass
            elif isinstance(stream, LineStream) and chunked:
                async for lines in stream.batches:
                    self._write(self._front.framed_line(lines[0]) if len(lines) == 1 else framed(joined(lines)))
                    if self._drained is not None:
                        await self._drained
            else:
                async for piece in stream:
                    if not piece:
                        continue  # as a chunk, it would be the end
                    self._write(framed(piece) if chunked else piece)
                    if self._drained is not None:
                        await self._drained
        except asyncio.CancelledError:
            # Cancelled because the server stops: the client is told that this is the end. If it has gone itself, there is nobody to tell.
            if not self._finishing or self.transport is None:
                raise
            close = True
        finally:
            self._streaming = False
            await end_stream(stream)
        if chunked and not head_only:
            self._write(END_OF_CHUNKS)
        return close

    async def _write_messages(self, response: Response) -> None:
        """A stream as messages of a WebSocket, and its end."""
        socket, stream = self._socket, response.stream
        assert socket is not None, "only a request that asks for a WebSocket is answered with one"
        assert stream is not None, "a WebSocket has a stream to send"
        code = NORMAL
        self._streaming = True
        try:
            socket.open(response)
            async for message in stream:
                self._write(socket.frame(message))
                if self._drained is not None:
                    await self._drained
        except asyncio.CancelledError:
            # Cancelled because the client wants no more, or because the server stops: then the client is told.
            if not self._finishing or self.transport is None:
                raise
            code = GOING_AWAY
        finally:
            self._streaming = False
            await end_stream(stream)
        if code == GOING_AWAY:
            self._write_softly(encode_close(code))
        else:
            await socket.close(code)

    def _write_softly(self, data: bytes) -> None:
        """Write unless there is nobody to write to, or who is there doesn't read what was written before."""
        if self.transport is not None and not self.transport.is_closing() and not self._paused:
            self.transport.write(data)

    def _end_stream(self) -> None:
        """The client of a WebSocket wants no more of it."""
        if self._streaming and self._task is not None:
            self._task.cancel()


def _peer_of(transport: asyncio.BaseTransport) -> Peer | None:
    """The client's certificate, if it has shown one: then it was verified."""
    certificate = transport.get_extra_info("peercert")
    return read_peer(certificate, transport.get_extra_info("ssl_object").getpeercert(binary_form=True)) if certificate else None


def framed(piece: bytes) -> bytes:
    """A piece as a chunk."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


async def _pieces(payload: StreamReader) -> bytes:
    """All there is to read, together. Raises 413."""
    pieces: list[bytes] = []
    size = 0
    while piece := await payload.readany():
        pieces.append(piece)
        size += len(piece)
        if size > limits.BODY_BYTES:
            raise body_too_large(limits.BODY_BYTES)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _header_size(message: RawRequestMessage) -> int:
    return sum([len(name) + len(value) + 4 for name, value in message.raw_headers])


def _header_too_large() -> StatusError:
    return StatusError(431, "", f"the request's header lines are larger than {limits.HEADER_BYTES} bytes")
