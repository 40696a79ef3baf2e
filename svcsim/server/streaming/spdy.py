"""Streams over SPDY/3.1: the client opens them, each with headers that say what it is for. What carries the frames is no matter here."""

from collections.abc import Awaitable, Callable

from svcsim import limits
from svcsim.meta.spdy_frames import (
    FIN,
    GOAWAY,
    PING,
    PROTOCOL_ERROR,
    REFUSED_STREAM,
    RST_STREAM,
    SYN_STREAM,
    BrokenSpdyError,
    Frame,
    SpdyReader,
    SpdyWriter,
    away_frame,
    data_frame,
    ping_frame,
    reset_frame,
    window_frame,
)
from svcsim.server.streaming.session import Backlog, Inlet

Send = Callable[[bytes], Awaitable[None]]


class SpdyStream:
    """One stream, from the server's side."""

    def __init__(self, number: int, headers: dict[str, str], backlog: Backlog, spdy: "Spdy") -> None:
        self.number = number
        self.headers = headers
        self.inlet = Inlet(backlog)
        self.ended = False
        """Whether the server has closed its end of the stream."""
        self.reset = False
        self._spdy = spdy

    async def read(self) -> bytes:
        """What comes next; nothing once the client has ended its side."""
        return await self.inlet.read()

    async def write(self, data: bytes) -> None:
        """Raises `ConnectionResetError` if the client has reset the stream."""
        if self.reset:
            raise ConnectionResetError("the stream was reset")
        for start in range(0, len(data), limits.STREAM_PIECE_BYTES):
            await self._spdy.send(data_frame(self.number, data[start : start + limits.STREAM_PIECE_BYTES]))

    async def close(self) -> None:
        """End our side of it."""
        if not (self.ended or self.reset):
            self.ended = True
            await self._spdy.send(data_frame(self.number, b"", last=True))
            self._spdy.forget_if_over(self)


class Spdy:
    """The streams of one connection. ``on_stream`` is given each that the client opens; it says false to one that can't be meant."""

    def __init__(self, send: Send, reply: Callable[[bytes], None], backlog: Backlog, on_stream: Callable[[SpdyStream], bool]) -> None:
        """``send`` waits until what went before has been taken, ``reply`` doesn't."""
        self.send = send
        self._reply = reply
        self._backlog = backlog
        self._on_stream = on_stream
        self._reader, self._writer = SpdyReader(), SpdyWriter()
        self._streams: dict[int, SpdyStream] = {}
        self._newest = 0
        self.on_over: Callable[[], None] = lambda: None

    def feed(self, data: bytes) -> None:
        """Bytes have come."""
        try:
            for frame in self._reader.feed(data):
                self._take(frame)
        except BrokenSpdyError:
            self._reply(away_frame(self._newest))
            self.lost()

    def lost(self) -> None:
        """The client has closed its end."""
        for stream in self._streams.values():
            stream.inlet.end()
        self.on_over()

    def forget_if_over(self, stream: SpdyStream) -> None:
        """Both sides have ended it."""
        if stream.ended and stream.inlet.ended:
            self._streams.pop(stream.number, None)

    def _take(self, frame: Frame) -> None:
        if frame.kind == 0:
            self._take_data(frame)
        elif frame.kind == SYN_STREAM:
            self._open(frame)
        elif frame.kind == RST_STREAM:
            stream = self._streams.pop(frame.stream, None)
            if stream is not None:
                stream.reset = True
                stream.inlet.discard()
        elif frame.kind == PING:
            self._reply(ping_frame(frame.body[:4]))
        elif frame.kind == GOAWAY:
            self.lost()

    def _take_data(self, frame: Frame) -> None:
        stream = self._streams.get(frame.stream)
        if stream is None:
            return  # of one that is over; the client will find out
        stream.inlet.feed(frame.body)
        if frame.body:
            self._reply(window_frame(frame.stream, len(frame.body)) + window_frame(0, len(frame.body)))
        if frame.flags & FIN:
            stream.inlet.end()
            self.forget_if_over(stream)

    def _open(self, frame: Frame) -> None:
        number = frame.stream
        if number <= self._newest or number % 2 == 0:
            self._reply(reset_frame(number, PROTOCOL_ERROR))
            return
        self._newest = number
        stream = SpdyStream(number, frame.headers, self._backlog, self)
        if len(self._streams) >= limits.STREAMS_A_CONNECTION or not self._on_stream(stream):
            self._reply(reset_frame(number, REFUSED_STREAM))
            return
        self._streams[number] = stream
        self._reply(self._writer.reply(number))
        if frame.flags & FIN:
            stream.inlet.end()
