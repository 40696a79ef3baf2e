"""How a client and the ports of a pod are connected: a pair of streams for each connection, one for its bytes and one for what goes wrong.

kubectl opens such pairs at will over SPDY, which since 1.31 it speaks inside of a WebSocket. The older form over a plain WebSocket has one
pair of channels for each port that the request names, and each begins with the number of its port.
"""

import asyncio
from collections.abc import Sequence

from svcsim import limits
from svcsim.meta.errors import bad_request
from svcsim.meta.http import Request, Response
from svcsim.meta.streaming import Serve
from svcsim.server.http.websocket import handshake, wants_websocket
from svcsim.server.streaming.channels import V4, V4_BASE64, Channels
from svcsim.server.streaming.session import Opened, Session
from svcsim.server.streaming.socket import Socket
from svcsim.server.streaming.spdy import Spdy, SpdyStream
from svcsim.server.streaming.upgrades import agreed_spdy, wants_spdy

_PROTOCOL = "portforward.k8s.io"
_TUNNELLED = f"SPDY/3.1+{_PROTOCOL}"
_LAST_PORT = 65535


def forward(request: Request, ports: Sequence[object], serve: Serve, opened: Opened) -> Response:
    """The answer by which the connection becomes one to ports. Raises `StatusError` where nothing can be agreed on."""
    if wants_websocket(request):
        headers = handshake(request, (_TUNNELLED, V4, V4_BASE64))
        if headers.get("Sec-WebSocket-Protocol") == _TUNNELLED:
            return _tunnelled(headers, serve, opened)
        return _over_channels(headers, _read_ports(ports), serve, opened)
    if wants_spdy(request):
        headers, _ = agreed_spdy(request, (_PROTOCOL,))
        return _over_spdy(headers, serve, opened)
    raise bad_request("Upgrade request required")


def _read_ports(ports: Sequence[object]) -> list[int]:
    if not ports:
        raise bad_request('query parameter "port" is required')
    found: list[int] = []
    for port in ports:
        if not isinstance(port, int) or not 0 < port <= _LAST_PORT:
            raise bad_request(f"invalid port {port}: must be between 1 and {_LAST_PORT}")
        found.append(port)
    if len(found) > limits.FORWARDED_PORTS:
        raise bad_request(f"at most {limits.FORWARDED_PORTS} ports may be forwarded at once")
    return found


# Over SPDY.


def _tunnelled(headers: dict[str, str], serve: Serve, opened: Opened) -> Response:
    async def run() -> None:
        await pairs.serve_all()
        await socket.close()

    session = Session(run, opened)
    socket = Socket(session)
    pairs = _Pairs(serve)
    spdy = Spdy(socket.send, socket.reply, session.backlog, pairs.take)
    socket.on_message, socket.on_over, spdy.on_over = spdy.feed, spdy.lost, pairs.end
    return Response(101, headers=headers, tunnel=session)


def _over_spdy(headers: dict[str, str], serve: Serve, opened: Opened) -> Response:
    pairs = _Pairs(serve)
    session = Session(pairs.serve_all, opened)
    spdy = Spdy(session.send, session.reply, session.backlog, pairs.take)
    session.on_data, spdy.on_over = spdy.feed, pairs.end
    return Response(101, headers=headers, tunnel=session)


class _Pairs:
    """The streams of one connection, put together by twos, and those who serve them."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._waiting: dict[str, dict[str, SpdyStream]] = {}
        self._arrived: asyncio.Queue[tuple[SpdyStream, SpdyStream] | None] = asyncio.Queue(limits.STREAMS_A_CONNECTION)

    def take(self, stream: SpdyStream) -> bool:
        """A stream was opened; false if it says nothing that makes sense."""
        headers = stream.headers
        kind, port = headers.get("streamtype", ""), headers.get("port", "")
        number = headers.get("requestid") or f"{port}/{(stream.number + 1) // 4}"  # who gives none opens the two one after the other
        if kind not in {"data", "error"} or not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _LAST_PORT):
            return False
        pair = self._waiting.setdefault(number, {})
        if kind in pair or len(self._waiting) > limits.STREAMS_A_CONNECTION or self._arrived.full():
            return False
        pair[kind] = stream
        if len(pair) == 2:
            del self._waiting[number]
            self._arrived.put_nowait((pair["data"], pair["error"]))
        return True

    def end(self) -> None:
        """No more will come."""
        if self._arrived.full():
            self._arrived.get_nowait()
        self._arrived.put_nowait(None)

    async def serve_all(self) -> None:
        """Serve what comes, each connection for itself, until the client ends it."""
        async with asyncio.TaskGroup() as tasks:
            while (pair := await self._arrived.get()) is not None:
                tasks.create_task(self._serve_one(*pair))

    async def _serve_one(self, data: SpdyStream, errors: SpdyStream) -> None:
        try:
            wrong = await self._serve(int(data.headers["port"]), data)
            if wrong:
                await errors.write(wrong.encode())
            await data.close()
            await errors.close()
        except ConnectionResetError:
            pass  # the client has closed it
        finally:
            data.inlet.discard()


# Over a plain WebSocket.


def _over_channels(headers: dict[str, str], ports: list[int], serve: Serve, opened: Opened) -> Response:
    async def run() -> None:
        async with asyncio.TaskGroup() as tasks:
            for index, port in enumerate(ports):
                for channel in (2 * index, 2 * index + 1):
                    await channels.send(channel, port.to_bytes(2, "little"))
                tasks.create_task(_serve_channel(channels, index, port, serve))
        await channels.close()

    session = Session(run, opened)
    readable = tuple(range(0, 2 * len(ports), 2))
    channels = Channels(session, headers.get("Sec-WebSocket-Protocol", V4), readable)
    return Response(101, headers=headers, tunnel=session)


async def _serve_channel(channels: Channels, index: int, port: int, serve: Serve) -> None:
    wrong = await serve(port, _Channel(channels, 2 * index))
    if wrong:
        await channels.send(2 * index + 1, wrong.encode())
    channels.inlet(2 * index).discard()


class _Channel:
    def __init__(self, channels: Channels, number: int) -> None:
        self._channels = channels
        self._number = number

    async def read(self) -> bytes:
        return await self._channels.inlet(self._number).read()

    async def write(self, data: bytes) -> None:
        for start in range(0, len(data), limits.STREAM_PIECE_BYTES):
            await self._channels.send(self._number, data[start : start + limits.STREAM_PIECE_BYTES])
