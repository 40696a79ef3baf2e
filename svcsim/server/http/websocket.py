"""WebSockets (RFC 6455) on the server's side: the handshake, and frames as bytes. Nothing here touches a socket.

A request that asks for one is answered with `Response` 101, the headers of `handshake`, and a stream whose pieces are whole messages;
what carries the stream (`svcsim.server.http.socket_stream`) makes frames of them. Extensions (compression) aren't offered.
"""

import base64
import binascii
import hashlib
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.errors import bad_request
from svcsim.meta.http import Request

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NORMAL, GOING_AWAY, PROTOCOL_ERROR, NOT_TEXT, TOO_BIG = 1000, 1001, 1002, 1007, 1009
"""Why a WebSocket is closed."""

_KINDS = (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG)
_FINAL, _RESERVED, _KIND = 0x80, 0x70, 0x0F
_MASKED, _SIZE = 0x80, 0x7F
_TWO_BYTES, _EIGHT_BYTES = 126, 127
"""What stands for a size that follows in two, or in eight bytes."""
_MASK_BYTES = 4
_CONTROL_BYTES = 125
_SALT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_KEY_BYTES = 16
_VERSION = "13"
_BEARER = "base64url.bearer.authorization."


def wants_websocket(request: Request) -> bool:
    """Whether the connection is asked to become a WebSocket."""
    if "upgrade" not in request.headers:
        return False
    return "websocket" in _words(request, "upgrade") and "upgrade" in _words(request, "connection")


def _words(request: Request, name: str) -> list[str]:
    return [word.strip().lower() for word in request.headers.get(name, "").split(",")]


def handshake(request: Request) -> dict[str, str]:
    """The headers that agree to it. Raises 400."""
    if request.headers.get("sec-websocket-version") != _VERSION:
        error = bad_request(f"only version {_VERSION} of WebSockets is spoken here")
        error.headers = {"Sec-WebSocket-Version": _VERSION}
        raise error
    key = request.headers.get("sec-websocket-key", "")
    try:
        raw = base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if request.method != "GET" or len(raw) != _KEY_BYTES:
        raise bad_request("a WebSocket is asked for by a GET with a Sec-WebSocket-Key of 16 bytes in base64")
    accepted = base64.b64encode(hashlib.sha1(key.encode() + _SALT, usedforsecurity=False).digest()).decode()
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accepted}
    protocols = _protocols(request.headers)
    return {**headers, "Sec-WebSocket-Protocol": protocols[0]} if protocols else headers


def take_bearer(headers: dict[str, str]) -> None:
    """Browsers can't set an Authorization header on a WebSocket: a token they hid among the protocols is put where it belongs."""
    protocols = _protocols(headers)
    for protocol in protocols:
        token = _bearer_token(protocol)
        if token and "authorization" not in headers:
            headers["authorization"] = f"Bearer {token}"
            headers["sec-websocket-protocol"] = ",".join(other for other in protocols if not other.startswith(_BEARER))


def _protocols(headers: dict[str, str]) -> list[str]:
    return [name for word in headers.get("sec-websocket-protocol", "").split(",") if (name := word.strip())]


def _bearer_token(protocol: str) -> str:
    if not protocol.startswith(_BEARER):
        return ""
    encoded = protocol.rpartition(".")[2]
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""


class BrokenFrameError(Exception):
    """What the client sends is no WebSocket frame, or no message we take. ``code`` is what the connection is closed with."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Message(NamedTuple):
    """A whole message, or a control frame."""

    kind: int
    data: bytes


def encode_frame(kind: int, data: bytes) -> bytes:
    """A message in one frame."""
    size = len(data)
    if size < _TWO_BYTES:
        return bytes((_FINAL | kind, size)) + data
    if size < 1 << 16:
        return bytes((_FINAL | kind, _TWO_BYTES)) + size.to_bytes(2, "big") + data
    return bytes((_FINAL | kind, _EIGHT_BYTES)) + size.to_bytes(8, "big") + data


def encode_close(code: int, why: str = "") -> bytes:
    """The frame that ends a WebSocket."""
    return encode_frame(CLOSE, code.to_bytes(2, "big") + why.encode()[: _CONTROL_BYTES - 2])


def close_reply(data: bytes) -> bytes:
    """The frame that answers the client's closing frame."""
    if not data:
        return encode_frame(CLOSE, b"")
    code = int.from_bytes(data[:2], "big")
    known = len(data) > 1 and ((NORMAL <= code <= 1014 and code not in (1004, 1005, 1006)) or 3000 <= code <= 4999)
    return encode_close(code if known else PROTOCOL_ERROR)


class FrameReader:
    """Makes messages of the bytes a client sends."""

    def __init__(self, limit_bytes: int = limits.WEBSOCKET_MESSAGE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._buffer = bytearray()
        self._kind = CONTINUATION
        """Of the message whose fragments are coming in, if one is."""
        self._fragments = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """What has become whole with these bytes. Raises `BrokenFrameError`."""
        self._buffer += data
        messages: list[Message] = []
        while (frame := self._next_frame()) is not None:
            message = self._message(*frame)
            if message is not None:
                messages.append(message)
        return messages

    def _next_frame(self) -> tuple[bool, int, bytes] | None:
        """Whether it is a message's last, its kind, its data; None if it isn't whole yet."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, size = buffer[0], buffer[1] & _SIZE
        final, kind = bool(first & _FINAL), first & _KIND
        if first & _RESERVED or kind not in _KINDS or not buffer[1] & _MASKED:
            raise BrokenFrameError(PROTOCOL_ERROR, "no frame a client may send")
        if kind >= CLOSE and (size > _CONTROL_BYTES or not final):
            raise BrokenFrameError(PROTOCOL_ERROR, "a control frame is small and whole")
        size_bytes = {_TWO_BYTES: 2, _EIGHT_BYTES: 8}.get(size, 0)
        start = 2 + size_bytes + _MASK_BYTES
        if len(buffer) < start:
            return None
        if size_bytes:
            size = int.from_bytes(buffer[2 : 2 + size_bytes], "big")
        if size + len(self._fragments) > self._limit_bytes:
            raise BrokenFrameError(TOO_BIG, f"a message may have {self._limit_bytes} bytes")
        if len(buffer) < start + size:
            return None
        data = _unmasked(bytes(buffer[start - _MASK_BYTES : start]), bytes(buffer[start : start + size]))
        del buffer[: start + size]
        return final, kind, data

    def _message(self, final: bool, kind: int, data: bytes) -> Message | None:
        if kind >= CLOSE:
            return Message(kind, data)
        if (kind == CONTINUATION) != bool(self._kind):
            raise BrokenFrameError(PROTOCOL_ERROR, "a fragment out of order")
        if kind:
            self._kind = kind
        self._fragments += data
        if not final:
            return None
        message = Message(self._kind, bytes(self._fragments))
        self._kind = CONTINUATION
        self._fragments.clear()
        if message.kind == TEXT:
            _check_text(message.data)
        return message


def _unmasked(mask: bytes, data: bytes) -> bytes:
    size = len(data)
    mask = (mask * (size // _MASK_BYTES + 1))[:size]
    return (int.from_bytes(mask, "big") ^ int.from_bytes(data, "big")).to_bytes(size, "big")


def _check_text(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        raise BrokenFrameError(NOT_TEXT, "text that is no UTF-8") from None
