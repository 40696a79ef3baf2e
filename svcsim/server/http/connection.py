"""One client's connection: a request at a time, in the order they came. One task serves it, and requests sent ahead wait their turn."""

import asyncio
import logging
from collections import deque
from typing import NamedTuple, cast

from svcsim import limits
from svcsim.meta.budget import Budget
from svcsim.meta.errors import StatusError
from svcsim.meta.http import BODILESS, Handler, Request, Response, Tunnel, end_stream
from svcsim.meta.websocket_frames import GOING_AWAY, NORMAL, encode_close
from svcsim.server.content.error_response import error_response
from svcsim.server.http.arriving_body import ArrivingBody
from svcsim.server.http.compression import compressed
from svcsim.server.http.heads import ResponseHeads
from svcsim.server.http.known_heads import RequestLines
from svcsim.server.http.parsing import Incoming, RequestParser
from svcsim.server.http.peers import Peers
from svcsim.server.http.socket_stream import SocketStream
from svcsim.server.http.tunnel import TunnelEnd, switched
from svcsim.server.http.tunnel_turns import TunnelTurns
from svcsim.server.http.untaken import Untaken
from svcsim.server.http.writing import FramedLines, ResponseWriter

_LOG = logging.getLogger("svcsim.server.http")


class Shared(NamedTuple):
    """What the connections of a server have in common."""

    heads: ResponseHeads
    event_lines: FramedLines
    request_lines: RequestLines
    untaken: Untaken
    peers: Peers
    bodies: Budget
    tunnel_turns: TunnelTurns
    connections: "dict[Connection, None]"
    """The open connections."""


class Connection(asyncio.Protocol):
    """What asyncio tells of one connection, and the task that serves it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, handler: Handler, shared: Shared) -> None:
        self._loop = loop
        self._handler = handler
        self._shared = shared
        self._requests: deque[Incoming] = deque()
        self._unread: Incoming | None = None
        """The request that is being answered, if its body has yet to be read."""
        self._arrived: asyncio.Future[None] | None = None
        self._sweeps_idle = 0
        self._socket: SocketStream | None = None
        self._tunnel: TunnelEnd | None = None
        """What comes in is for it alone, once the client has asked for another protocol."""
        self._answering = False
        """Whether the server is at work on what the client asked for, and nothing of an answer is sent."""
        self._streaming = False
        self._finishing = False
        self._gone = False
        self._held = False
        self._unparsed = b""
        """What has come in and waits for the next turn of the event loop: what came before it was work enough for one."""
        self._next_turn: asyncio.Handle | None = None

    # What the transport says.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there, its TLS handshake done."""
        self._transport = cast(asyncio.Transport, transport)
        address, shared = transport.get_extra_info("peername"), self._shared
        self._parser = RequestParser(shared.peers.of(transport), address[0] if isinstance(address, tuple) else "", shared.request_lines)
        self._writer = ResponseWriter(self._transport, self._loop, shared.heads, shared.event_lines, shared.untaken)
        shared.connections[self] = None
        self._task = self._loop.create_task(self._serve())

    def connection_lost(self, _exc: Exception | None) -> None:
        """The client has gone. Its streams end; a pending write is still completed, if that doesn't take long."""
        if self._next_turn is not None:
            self._next_turn.cancel()
            self._next_turn = None
            while self._unparsed:
                self._parse()
        self._gone = True
        self._shared.connections.pop(self, None)
        self._wake()
        self._writer.resume()
        self._parser.end()
        if self._socket is not None:
            self._socket.lost()
        if self._streaming:
            self._task.cancel()
        elif self._answering:
            self._loop.call_later(limits.UNHEARD_ANSWER_S, self._task.cancel)

    def data_received(self, data: bytes) -> None:
        if self._tunnel is not None:
            self._tunnel.feed(data)
            return
        if self._socket is not None:
            self._socket.feed(data)
            return
        self._unparsed += data
        if self._next_turn is None:
            self._parse_turn()

    def _parse_turn(self) -> None:
        """Parse received bytes, as much as one turn of the event loop allows; reading is paused until the rest is parsed, too."""
        self._next_turn, work = None, 0
        while self._unparsed:
            if work > limits.PIECES_A_TURN:
                self._transport.pause_reading()
                self._next_turn = self._loop.call_soon(self._parse_on)
                return
            work += self._parse()

    def _parse_on(self) -> None:
        self._parse_turn()
        if self._next_turn is None and not self._held:
            self._transport.resume_reading()

    def _parse(self) -> int:
        """Read the next bytes; how much work that was."""
        data, self._unparsed = self._unparsed[: limits.PARSED_BYTES], self._unparsed[limits.PARSED_BYTES :]
        requests = self._parser.feed(data)
        if self._parser.rest is not None:
            self._socket = SocketStream(self._writer.write_softly, self._end_stream)
            self._socket.feed(self._parser.rest + self._unparsed)
            self._unparsed = b""
        if requests:
            self._requests.extend(requests)
            self._wake()
        elif self._parser.refusal is not None:
            self._wake()
        if (self._requests or self._unread is not None) and self._full():
            self._hold()
        return self._parser.work

    def eof_received(self) -> None:
        """The client has closed its end, and doesn't wait for pending answers."""

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        self._writer.pause()

    def resume_writing(self) -> None:
        self._writer.resume()

    def _wake(self) -> None:
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)

    def _full(self) -> bool:
        """Whether enough has been sent ahead: requests, and bodies nobody has asked for yet."""
        ahead = 0
        for incoming in self._requests:
            ahead += incoming.body_bytes
        if self._unread is not None and not self._unread.wanted:
            ahead += self._unread.body_bytes
        return len(self._requests) > limits.PIPELINED_REQUESTS or ahead > limits.READ_AHEAD_BYTES

    def _hold(self) -> None:
        if not self._held:
            self._held = True
            self._transport.pause_reading()

    def _release(self) -> None:
        if self._held and not self._gone:
            self._held = False
            if self._next_turn is None:
                self._transport.resume_reading()

    # What the front asks.

    def finish(self) -> asyncio.Task[None] | None:
        """Accept no further requests; returns the task to wait for, if it is busy."""
        self._finishing = True
        if self._task.done():
            return None
        if self._streaming:
            self._task.cancel()
        self._wake()
        return self._task

    def grow_older(self) -> None:
        """Called at every sweep of the front: one that waits through several, for a request or for its answer to be taken, is ended."""
        idle = self._writer.stuck() or self._arrived is not None
        self._sweeps_idle = self._sweeps_idle + 1 if idle else 0
        if self._sweeps_idle > limits.IDLE_SWEEPS:
            self.abort()

    def abort(self) -> None:
        self._task.cancel()
        self._transport.abort()

    # One request after the other.

    async def _serve(self) -> None:
        try:
            while await self._next_request():
                self._sweeps_idle = 0
                incoming = self._requests.popleft()
                if not incoming.complete:
                    self._unread = incoming
                if self._held and not self._full():
                    self._release()
                if not await self._exchange(incoming):
                    return
            if self._parser.refusal is not None:
                self._refuse(self._parser.refusal, Request("", ""))
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the server is stopping: there is nobody to answer
        except Exception:  # noqa: BLE001 - a fault in one connection is logged, and ends no other
            _LOG.exception("a connection broke")
        finally:
            self._transport.close()

    async def _next_request(self) -> bool:
        """Wait for the next request; False when there will be none."""
        while not self._requests:
            if self._gone or self._finishing or self._parser.refusal is not None:
                return False
            self._arrived = self._loop.create_future()
            try:
                await self._arrived
            finally:
                self._arrived = None
        return not self._gone

    async def _exchange(self, incoming: Incoming) -> bool:
        """Answer one request; whether the connection goes on after it."""
        request = incoming.request
        if incoming.complete and not incoming.refused and "content-encoding" not in request.headers:
            request.body = incoming.body()
        else:
            request.unread = ArrivingBody(incoming, self._shared.bodies, self._writer.write, self._release)
        self._answering = True
        try:
            response = await self._handler(request)
        finally:
            self._answering = False
        unread = incoming.refused or not incoming.complete
        if not incoming.handed_on:  # else it is, until the answer is over
            self._unread = None
            incoming.forget_body()
        close = unread or incoming.upgrade or not incoming.keep_alive or self._finishing
        if response.status == 101:
            await (self._write_messages(response) if response.tunnel is None else self._pass_through(response, response.tunnel))
            return False
        if "accept-encoding" in request.headers:
            response = await compressed(request, response)
        if response.stream is None:
            rest = self._writer.whole(response, head_only=request.method == "HEAD", close=close)
            if rest:
                await self._writer.send(rest)
        else:
            close = await self._write_stream(response, head_only=request.method == "HEAD", chunks=incoming.chunks, close=close)
        if self._writer.full:
            await self._writer.drained()
        self._unread = None
        if unread:
            await self._linger(incoming)
        return not close

    def _refuse(self, error: StatusError, request: Request) -> None:
        self._writer.whole(error_response(error, request), head_only=request.method == "HEAD", close=True)

    async def _linger(self, incoming: Incoming) -> None:
        """Read on and throw away, for a while: a client that is still sending would otherwise never see its answer."""
        incoming.refuse(ConnectionAbortedError())
        self._release()
        try:
            async with asyncio.timeout(limits.LINGER_S):
                await incoming.skip()
        except TimeoutError:
            pass  # enough

    # Answers that go on.

    async def _write_stream(self, response: Response, *, head_only: bool, chunks: bool, close: bool) -> bool:
        """Pieces as they come; whether the connection has to end after them."""
        stream = response.stream
        assert stream is not None, "asked only where there is one"
        alone = head_only or response.status in BODILESS
        known = alone or "Content-Length" in response.headers
        chunked = chunks and not known
        close = close or not (known or chunked)
        self._streaming = True
        try:
            self._writer.stream_head(response, chunked=chunked, close=close)
            if not alone:
                await self._writer.pieces(stream, chunked=chunked)
        except asyncio.CancelledError:
            # Cancelled because the server stops: the client is told that this is the end. If it has gone itself, there is nobody to tell.
            if not self._finishing or self._gone:
                raise
            close = True
        finally:
            self._streaming = False
            await end_stream(stream)
        if chunked:
            self._writer.end_of_chunks()
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
                if socket.over.is_set():
                    break  # nothing may follow the closing frame
                await self._writer.send(socket.frame(message))
        except asyncio.CancelledError:
            # Cancelled because the client has closed it, or because the server stops: then the client is told.
            if not self._finishing or self._gone:
                raise
            code = GOING_AWAY
        finally:
            self._streaming = False
            await end_stream(stream)
        if code == GOING_AWAY:
            self._writer.write_softly(encode_close(code))
        else:
            await socket.close(code)

    async def _pass_through(self, response: Response, tunnel: Tunnel) -> None:
        """Pass bytes both ways, until one side has closed."""
        end = TunnelEnd(tunnel, self._shared.tunnel_turns, self._hold, self._release)
        self._streaming = True
        try:
            self._writer.write(switched(response))
            if self._socket is not None:
                end.feed(self._socket.take_early())
            self._tunnel = end
            while data := await tunnel.read():
                await self._writer.send(data)
        finally:
            self._streaming = False
            await end.close()

    def _end_stream(self) -> None:
        """The client of a WebSocket has closed it."""
        if self._streaming:
            self._task.cancel()
