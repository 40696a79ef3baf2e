"""A WebSocket that sends a stream of messages: the server's end of one connection that was upgraded.

The client has nothing to say but control frames: a ping is answered, a closing frame ends the stream, other messages are read and thrown
away. Who owns the connection gives two functions, one that writes and one that ends the stream, and feeds what comes in.
"""

import asyncio
from collections.abc import Callable

from svcsim import limits
from svcsim.meta.http import Response
from svcsim.meta.websocket_frames import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    BrokenFrameError,
    FrameReader,
    Message,
    close_reply,
    encode_close,
    encode_frame,
)
from svcsim.server.content.negotiate import JSON_TYPE, YAML_TYPE

_TEXTS = (JSON_TYPE, YAML_TYPE, "text/plain")


class SocketStream:
    """One WebSocket. It is open after `open`, and over once both sides have said so."""

    def __init__(self, write: Callable[[bytes], None], end: Callable[[], None]) -> None:
        """``write`` may drop its data when the client has gone; ``end`` is called when the client closes the stream."""
        self._write = write
        self._end = end
        self._reader = FrameReader()
        self._opened = False
        self._early: list[bytes] = []
        self._early_bytes = 0
        self._kind = TEXT
        self.over = asyncio.Event()
        """The client has closed, broken the rules, or gone."""

    def open(self, response: Response) -> None:
        """Answer the handshake; from here on frames go both ways."""
        self._kind = TEXT if response.content_type in _TEXTS else BINARY
        lines = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
        self._write(f"HTTP/1.1 101 Switching Protocols\r\n{lines}\r\n".encode("latin-1", "replace"))
        self._opened = True
        for data in self._early:
            self.feed(data)

    def feed(self, data: bytes) -> None:
        if self.over.is_set():
            return
        if not self._opened:
            self._keep(data)
            return
        try:
            for message in self._reader.feed(data):
                self._take(message)
        except BrokenFrameError as error:
            self._finish(encode_close(error.code, str(error)))

    def take_early(self) -> bytes:
        """What came before there was an answer, for whom the connection is passed on to."""
        early = b"".join(self._early)
        self._early.clear()
        return early

    def _keep(self, data: bytes) -> None:
        """A client may only speak once it has its answer; one that is a little early is forgiven."""
        self._early_bytes += len(data)
        if data and self._early_bytes <= limits.WEBSOCKET_MESSAGE_BYTES:
            self._early.append(data)

    def _take(self, message: Message) -> None:
        if message.kind == PING:
            self._write(encode_frame(PONG, message.data))
        elif message.kind == CLOSE and not self.over.is_set():
            self._finish(close_reply(message.data))

    def _finish(self, last: bytes) -> None:
        self._write(last)
        self.lost()

    def lost(self) -> None:
        """The client has gone, or has stopped reading."""
        if not self.over.is_set():
            self.over.set()
            self._end()

    def frame(self, message: bytes) -> bytes:
        """A message as it is sent."""
        return encode_frame(self._kind, message)

    async def close(self, code: int) -> None:
        """Say that this is the end, and wait a while for the client to say so too."""
        if self.over.is_set():
            return
        self._write(encode_close(code))
        try:
            async with asyncio.timeout(limits.LINGER_S):
                await self.over.wait()
        except TimeoutError:
            pass  # a client that doesn't answer is hung up on
