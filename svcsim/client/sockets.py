"""WebSockets of the command line: a connection of `svcsim.client.blocking` that was switched over, for waiting on several at once.

Nothing here blocks: `receive` gives what has come, `send` takes what is to go out, and `flush` sends as much of it as the server takes.
"""

import base64
import select
import socket
import ssl
from contextlib import suppress

from svcsim.client.wire import Connection, WireError
from svcsim.meta.http import Request
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

_PIECE_BYTES = 64 * 1024


def upgrade_headers(protocols: tuple[str, ...]) -> dict[str, str]:
    """What asks for a WebSocket with one of these protocols."""
    key = base64.b64encode(ssl.RAND_bytes(16)).decode()
    return {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
        "sec-websocket-protocol": ", ".join(protocols),
    }


def asking(request: Request, protocols: tuple[str, ...]) -> Request:
    """The request as it asks for a WebSocket."""
    return Request(request.method, request.path, request.query, {**request.headers, **upgrade_headers(protocols)})


class ClientSocket:
    """The client's end of a WebSocket."""

    def __init__(self, connection: Connection) -> None:
        """Takes a connection whose server has accepted the upgrade."""
        self.protocol = connection.headers.get("sec-websocket-protocol", "")
        self._connection = connection
        self._sock, early = connection.taken_over()
        self._reader = FrameReader(masked=False)
        self._early = early
        self._unsent = bytearray()
        self._ended = False

    @property
    def unsent_bytes(self) -> int:
        return len(self._unsent)

    @property
    def waiting(self) -> bool:
        """Whether something has come already that the system doesn't tell of."""
        return bool(self._early) or (isinstance(self._sock, ssl.SSLSocket) and self._sock.pending() > 0)

    def fileno(self) -> int:
        return self._sock.fileno()

    def send(self, data: bytes) -> None:
        """A message to the server."""
        self._put(BINARY, data)

    def _put(self, kind: int, data: bytes) -> None:
        self._unsent += encode_frame(kind, data, ssl.RAND_bytes(4))
        self.flush()

    def flush(self) -> None:
        """Send as much as the server takes. Raises `OSError`."""
        while self._unsent:
            try:
                sent = self._sock.send(bytes(self._unsent[:_PIECE_BYTES]))
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            del self._unsent[:sent]

    def receive(self) -> list[bytes] | None:
        """The messages that have come; None at the end of the connection. Raises `OSError` if it breaks off."""
        if self._ended:
            return None
        data, self._early = self._early, b""
        if not data:
            try:
                data = self._sock.recv(_PIECE_BYTES)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return []
            if not data:
                raise WireError("unexpected EOF")
        return self._messages(data)

    def _messages(self, data: bytes) -> list[bytes] | None:
        messages: list[bytes] = []
        try:
            for message in self._reader.feed(data):
                if message.kind == PING:
                    self._put(PONG, message.data)
                elif message.kind == CLOSE:
                    reply = close_reply(message.data)
                    self._put(CLOSE, reply[2:])
                    self._ended = True
                elif message.kind != PONG:
                    messages.append(message.data)
        except BrokenFrameError as error:
            raise WireError(str(error)) from error
        return messages if messages or not self._ended else None

    def close(self) -> None:
        """Say that this is the end, and let go."""
        if not self._ended:
            with suppress(OSError):  # it may have gone already
                self._put(CLOSE, encode_close(NORMAL)[2:])
        self._connection.close()


def wait_for(readable: list[ClientSocket | socket.socket | int], writable: list[ClientSocket], seconds: float | None) -> list[object]:
    """The sockets that are ready, once there are any, or after so many seconds."""
    ready: list[object] = [one for one in readable if isinstance(one, ClientSocket) and one.waiting]
    if ready:
        return ready
    found = select.select(readable, writable, [], seconds)
    return [*found[0], *(one for one in found[1] if one not in found[0])]
