"""Frames of WebSockets (RFC 6455) as bytes, for both sides. Nothing here touches a socket."""

from typing import NamedTuple

from svcsim import limits

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


class BrokenFrameError(Exception):
    """What the other side sends is no WebSocket frame, or no message we take. ``code`` is what the connection is closed with."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Message(NamedTuple):
    """A whole message, or a control frame."""

    kind: int
    data: bytes


def encode_frame(kind: int, data: bytes, mask: bytes = b"") -> bytes:
    """A message in one frame, which a client has to mask with four bytes of its own."""
    size, masked = len(data), _MASKED if mask else 0
    body = mask + _unmasked(mask, data) if mask else data
    if size < _TWO_BYTES:
        return bytes((_FINAL | kind, masked | size)) + body
    if size < 1 << 16:
        return bytes((_FINAL | kind, masked | _TWO_BYTES)) + size.to_bytes(2, "big") + body
    return bytes((_FINAL | kind, masked | _EIGHT_BYTES)) + size.to_bytes(8, "big") + body


def encode_close(code: int, why: str = "") -> bytes:
    """The frame that ends a WebSocket."""
    return encode_frame(CLOSE, code.to_bytes(2, "big") + why.encode()[: _CONTROL_BYTES - 2])


def close_reply(data: bytes) -> bytes:
    """The frame that answers the other side's closing frame."""
    if not data:
        return encode_frame(CLOSE, b"")
    code = int.from_bytes(data[:2], "big")
    known = len(data) > 1 and ((NORMAL <= code <= 1014 and code not in (1004, 1005, 1006)) or 3000 <= code <= 4999)
    return encode_close(code if known else PROTOCOL_ERROR)


class FrameReader:
    """Makes messages of the bytes that a client sends, or, where they aren't ``masked``, a server."""

    def __init__(self, limit_bytes: int = limits.WEBSOCKET_MESSAGE_BYTES, *, masked: bool = True) -> None:
        self._limit_bytes = limit_bytes
        self._masked = masked
        self._buffer = bytearray()
        self._kind = CONTINUATION
        """The kind of the message whose fragments are coming in, if there is one."""
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
        if first & _RESERVED or kind not in _KINDS or bool(buffer[1] & _MASKED) is not self._masked:
            raise BrokenFrameError(PROTOCOL_ERROR, f"no frame a {'client' if self._masked else 'server'} may send")
        if kind >= CLOSE and (size > _CONTROL_BYTES or not final):
            raise BrokenFrameError(PROTOCOL_ERROR, "a control frame is small and whole")
        size_bytes = {_TWO_BYTES: 2, _EIGHT_BYTES: 8}.get(size, 0)
        mask_bytes = _MASK_BYTES if self._masked else 0
        start = 2 + size_bytes + mask_bytes
        if len(buffer) < start:
            return None
        if size_bytes:
            size = int.from_bytes(buffer[2 : 2 + size_bytes], "big")
        if size + len(self._fragments) > self._limit_bytes:
            raise BrokenFrameError(TOO_BIG, f"a message may have {self._limit_bytes} bytes")
        if len(buffer) < start + size:
            return None
        data = bytes(buffer[start : start + size])
        if self._masked:
            data = _unmasked(bytes(buffer[start - _MASK_BYTES : start]), data)
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
