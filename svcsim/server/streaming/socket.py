"""A WebSocket with messages in both directions, over a `Session`."""

import asyncio

from svcsim import limits
from svcsim.meta.websocket_frames import (
    BINARY,
    CLOSE,
    NORMAL,
    PING,
    PONG,
    BrokenFrameError,
    FrameReader,
    close_reply,
    encode_close,
    encode_frame,
)
from svcsim.server.streaming.session import Over, Session, Take, do_nothing, ignore


class Socket:
    """A connection that carries messages. ``on_message`` is called with each, ``on_over`` when the client has closed its end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reader = FrameReader()
        self._over = asyncio.Event()
        self.on_message: Take = ignore
        self.on_over: Over = do_nothing
        session.on_data = self._feed
        session.at_close(self._take_apart)

    def _take_apart(self) -> None:
        self.on_message, self.on_over = ignore, do_nothing

    async def send(self, data: bytes, kind: int = BINARY) -> None:
        """One message."""
        if not self._over.is_set():
            await self._session.send(encode_frame(kind, data))

    def reply(self, data: bytes) -> None:
        """One message that can't wait."""
        if not self._over.is_set():
            self._session.reply(encode_frame(BINARY, data))

    def _feed(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                if self._over.is_set():
                    return
                if message.kind == PING:
                    self._session.reply(encode_frame(PONG, message.data))
                elif message.kind == CLOSE:
                    self._finish(close_reply(message.data))
                elif message.kind != PONG:
                    self.on_message(message.data)
        except BrokenFrameError as error:
            self.break_off(error.code, str(error))

    def break_off(self, code: int, why: str) -> None:
        """The client doesn't keep to the rules."""
        if not self._over.is_set():
            self._finish(encode_close(code, why))

    def _finish(self, last: bytes) -> None:
        self._session.reply(last)
        self._over.set()
        self.on_over()

    async def close(self) -> None:
        """Say that this is the end, and wait a while for the client to say so too: else what it hasn't read yet could be lost."""
        if self._over.is_set():
            return
        self._session.reply(encode_close(NORMAL))
        try:
            async with asyncio.timeout(limits.LINGER_S):
                await self._over.wait()
        except TimeoutError:
            pass  # a client that doesn't answer is hung up on
