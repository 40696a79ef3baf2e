"""Several streams over one WebSocket, as Kubernetes numbers them: the first byte of a message says to which stream the rest belongs.

In the ``base64`` forms a message is text: a digit for the stream, and base64. From version 5 on a client ends a stream of its own by a
message on channel 255 that names it; before, it can't.
"""

import base64
import binascii

from svcsim.meta.websocket_frames import BINARY, PROTOCOL_ERROR, TEXT
from svcsim.server.streaming.session import Inlet, Session
from svcsim.server.streaming.socket import Socket

V5 = "v5.channel.k8s.io"
V4 = "v4.channel.k8s.io"
V4_BASE64 = "v4.base64.channel.k8s.io"
V1 = "channel.k8s.io"
V1_BASE64 = "base64.channel.k8s.io"
_IN_BASE64 = (V4_BASE64, V1_BASE64)
_CLOSING = 255
_FIRST_DIGIT = ord("0")


class Channels:
    """The streams of one connection. ``readable`` are the channels on which the client may send."""

    def __init__(self, session: Session, protocol: str, readable: tuple[int, ...]) -> None:
        self._socket = Socket(session)
        self._socket.on_message = self._take
        self._socket.on_over = self._ended
        self._base64 = protocol in _IN_BASE64
        self._closable = protocol == V5
        self._inlets = {channel: Inlet(session.backlog) for channel in readable}

    def inlet(self, channel: int) -> Inlet:
        """What the client sends there."""
        return self._inlets[channel]

    async def send(self, channel: int, data: bytes) -> None:
        """A message on a channel; an empty one tells the client that the connection is there."""
        if self._base64:
            await self._socket.send(bytes((_FIRST_DIGIT + channel,)) + base64.b64encode(data), TEXT)
        else:
            await self._socket.send(bytes((channel,)) + data, BINARY)

    async def close(self) -> None:
        """Close the connection: everything has been sent."""
        await self._socket.close()

    def _take(self, message: bytes) -> None:
        if not message:
            return
        channel, data = message[0], message[1:]
        if self._base64:
            channel -= _FIRST_DIGIT
            try:
                data = base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError):
                self._socket.break_off(PROTOCOL_ERROR, "a message that is no base64")
                return
        if self._closable and channel == _CLOSING:
            inlet = self._inlets.get(data[0]) if data else None
            if inlet is None:
                self._socket.break_off(PROTOCOL_ERROR, "no such stream can be closed")
            else:
                inlet.end()
        elif channel in self._inlets:  # what comes on the others is dropped, as by Kubernetes
            self._inlets[channel].feed(data)

    def _ended(self) -> None:
        for inlet in self._inlets.values():
            inlet.end()
