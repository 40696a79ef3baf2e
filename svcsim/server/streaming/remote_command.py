"""How a client and a command that runs elsewhere are connected (`exec`, `attach`): which streams there are, and how it all ends.

A client connects over a WebSocket, with a channel for each stream, or over SPDY, with a real stream for each. The code that runs the
command sees no difference. At the end a Status on a separate stream tells the client how the command ended; before version 4 of the
protocol it is a text, and only sent if the command failed.
"""

import asyncio
from typing import Protocol

import orjson

from svcsim import limits
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.http import Request, Response
from svcsim.meta.streaming import Run, Wanted
from svcsim.meta.types import Object
from svcsim.server.http.websocket import handshake, wants_websocket
from svcsim.server.streaming.channels import V1, V1_BASE64, V4, V4_BASE64, V5, Channels
from svcsim.server.streaming.session import Inlet, Opened, Session
from svcsim.server.streaming.spdy import Spdy, SpdyStream
from svcsim.server.streaming.upgrades import agreed_spdy, wants_spdy

STDIN, STDOUT, STDERR, ERROR, RESIZE = range(5)
_NAMES = {"stdin": STDIN, "stdout": STDOUT, "stderr": STDERR, "error": ERROR, "resize": RESIZE}
_SOCKET_PROTOCOLS = (V5, V4, V4_BASE64, V1, V1_BASE64)
_WITH_STATUS = (V5, V4, V4_BASE64)
_SPDY_PROTOCOLS = (V4, "v3.channel.k8s.io", "v2.channel.k8s.io", V1)
_WITH_RESIZE = (V4, "v3.channel.k8s.io")


_SIZES_READ = 16
"""Sizes that are read when several have come together: the newest valid one counts."""


def channels_of(wanted: Wanted) -> tuple[int, ...]:
    """The channels that carry the command's input and output."""
    flags = ((wanted.stdin, STDIN), (wanted.stdout, STDOUT), (wanted.stderr and not wanted.tty, STDERR))
    return tuple(channel for one, channel in flags if one)


class Ways(Protocol):
    """What connects the two, whatever it is made of."""

    def inlet(self, channel: int) -> Inlet: ...

    async def send(self, channel: int, data: bytes) -> None: ...

    async def close(self) -> None: ...


class RemoteCommand:
    """See `svcsim.meta.streaming`."""

    def __init__(self, wanted: Wanted, ways: Ways, *, with_status: bool) -> None:
        self.wanted = wanted
        self._channels = channels_of(wanted)
        self._ways = ways
        self._with_status = with_status
        self._resize = b""

    async def read(self) -> bytes:
        return await self._ways.inlet(STDIN).read() if self.wanted.stdin else b""

    async def write(self, data: bytes) -> None:
        await self._write(STDOUT, data)

    async def write_error(self, data: bytes) -> None:
        """With a terminal it is output too."""
        await self._write(STDOUT if self.wanted.tty else STDERR, data)

    async def _write(self, channel: int, data: bytes) -> None:
        if channel in self._channels:
            for start in range(0, len(data), limits.STREAM_PIECE_BYTES):
                await self._ways.send(channel, data[start : start + limits.STREAM_PIECE_BYTES])

    async def resized(self) -> tuple[int, int] | None:
        inlet = self._ways.inlet(RESIZE)
        while True:
            *told, self._resize = self._resize.split(b"}")
            sizes = (_read_size(one + b"}") for one in reversed(told[-_SIZES_READ:]))
            newest = next((size for size in sizes if size is not None), None)
            if newest is not None:
                return newest
            if len(self._resize) > limits.STREAM_HEADERS_BYTES or not (piece := await inlet.read()):
                return None
            self._resize += piece

    async def begin(self) -> None:
        """Tell the client that the command runs."""
        await self._ways.send((*self._channels, ERROR)[0 if not self.wanted.stdin else 1], b"")

    async def finish(self, status: Object) -> None:
        """Tell how it ended."""
        failed = status["status"] != "Success"
        if self._with_status:
            await self._ways.send(ERROR, orjson.dumps(status))
        elif failed:
            await self._ways.send(ERROR, str(status.get("message", "")).encode())
        await self._ways.close()


def _read_size(told: bytes) -> tuple[int, int] | None:
    try:
        size = orjson.loads(told)
        return int(size["Width"]), int(size["Height"])
    except (ValueError, KeyError, TypeError):
        return None  # what makes no sense changes nothing


def connect(request: Request, wanted: Wanted, run: Run, opened: Opened) -> Response:
    """The answer by which the connection becomes a command's. Raises `StatusError` where none can be agreed on."""
    if not any((wanted.stdin, wanted.stdout, wanted.stderr)):
        raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
    if wants_websocket(request):
        return _over_socket(request, wanted, run, opened)
    if wants_spdy(request):
        return _over_spdy(request, wanted, run, opened)
    raise bad_request("Upgrade request required")


def _over_socket(request: Request, wanted: Wanted, run: Run, opened: Opened) -> Response:
    headers = handshake(request, _SOCKET_PROTOCOLS)
    protocol = headers.get("Sec-WebSocket-Protocol", "")

    async def serve() -> None:
        command = RemoteCommand(wanted, channels, with_status=protocol in _WITH_STATUS)
        await _serve(command, run)

    session = Session(serve, opened)
    channels = Channels(session, protocol, (STDIN, RESIZE))
    return Response(101, headers=headers, tunnel=session)


def _over_spdy(request: Request, wanted: Wanted, run: Run, opened: Opened) -> Response:
    headers, protocol = agreed_spdy(request, _SPDY_PROTOCOLS)

    async def serve() -> None:
        expected = (ERROR, *channels_of(wanted), *((RESIZE,) if wanted.tty and protocol in _WITH_RESIZE else ()))
        if await streams.opened(expected):
            await _serve(RemoteCommand(wanted, streams, with_status=protocol == V4), run)

    session = Session(serve, opened)
    streams = _SpdyStreams(session)
    return Response(101, headers=headers, tunnel=session)


async def _serve(command: RemoteCommand, run: Run) -> None:
    await command.begin()
    try:
        status = await run(command)
    except StatusError as error:
        status = error.status()
    await command.finish(status)


class _SpdyStreams:
    """The streams of a command, which the client opens one by one."""

    def __init__(self, session: Session) -> None:
        self._by_channel: dict[int, SpdyStream] = {}
        self._changed = asyncio.Event()
        self._over = False
        self._none = Inlet(session.backlog)
        self._none.end()
        spdy = Spdy(session.send, session.reply, session.backlog, self._take)
        spdy.on_over = self._lost
        session.on_data = spdy.feed

    def _take(self, stream: SpdyStream) -> bool:
        channel = _NAMES.get(stream.headers.get("streamtype", ""))
        if channel is None or channel in self._by_channel:
            return False
        self._by_channel[channel] = stream
        self._changed.set()
        return True

    def _lost(self) -> None:
        self._over = True
        self._changed.set()

    async def opened(self, channels: tuple[int, ...]) -> bool:
        """Wait for these streams; whether they have come."""
        try:
            async with asyncio.timeout(limits.STREAMS_OPEN_S):
                while not all(channel in self._by_channel for channel in channels):
                    if self._over:
                        return False
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def inlet(self, channel: int) -> Inlet:
        stream = self._by_channel.get(channel)
        return self._none if stream is None else stream.inlet

    async def send(self, channel: int, data: bytes) -> None:
        stream = self._by_channel.get(channel)
        if stream is not None and data and not stream.reset:
            await stream.write(data)

    async def close(self) -> None:
        for stream in self._by_channel.values():
            await stream.close()
        await self._until_over()

    async def _until_over(self) -> None:
        """Give the client time to read it all and say that it is done."""
        try:
            async with asyncio.timeout(limits.LINGER_S):
                while not (self._over or all(stream.reset or stream.inlet.ended for stream in self._by_channel.values())):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass  # enough
