"""Frames of SPDY/3.1 as bytes, as far as streams of bytes need them. Nothing here touches a socket.

kubectl forwards ports over SPDY inside of a WebSocket, and runs commands over plain SPDY where a WebSocket is refused. No kept library
speaks it: the protocol gave way to HTTP/2 in 2016. What is used of it is small: streams are opened with a few headers, carry bytes in both
directions, and each side ends its own. Flow control is read and not enforced, as in the library behind kubectl, which tells of no windows.
"""

import zlib
from typing import NamedTuple

from svcsim import limits

SYN_STREAM, SYN_REPLY, RST_STREAM, SETTINGS, PING, GOAWAY, HEADERS, WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
FIN = 0x01
PROTOCOL_ERROR, REFUSED_STREAM = 1, 3
"""Why a stream is reset."""

_VERSION = 3
_CONTROL = 0x80
_HEAD_BYTES = 8
_MOST_DATA = (1 << 24) - 1
_STREAM_ID = (1 << 31) - 1
_FLAGS_BEFORE_HEADERS = {SYN_STREAM: 10, SYN_REPLY: 4, HEADERS: 4}
"""Where the block of headers begins in a frame of that type."""

_WORDS = (
    *("options", "head", "post", "put", "delete", "trace", "accept", "accept-charset", "accept-encoding", "accept-language"),
    *("accept-ranges", "age", "allow", "authorization", "cache-control", "connection", "content-base", "content-encoding"),
    *("content-language", "content-length", "content-location", "content-md5", "content-range", "content-type", "date", "etag"),
    *("expect", "expires", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"),
    *("last-modified", "location", "max-forwards", "pragma", "proxy-authenticate", "proxy-authorization", "range", "referer"),
    *("retry-after", "server", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via", "warning"),
    *("www-authenticate", "method", "get", "status", "200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive"),
    "origin",
)
_REST = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Con"
    "tent301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Ser"
    "vice UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,ima"
    "ge/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcha"
    "rset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY = b"".join(len(word).to_bytes(4, "big") + word.encode() for word in _WORDS) + _REST.encode()
"""What header blocks are compressed against; the draft of SPDY/3 fixes it byte for byte."""


class BrokenSpdyError(Exception):
    """What the other side sends is no frame, or none we take. The connection can't go on."""


class Frame(NamedTuple):
    """A whole frame. ``kind`` is 0 for data. ``headers`` are those of a stream that is opened; ``body`` is what else it says."""

    kind: int
    stream: int
    flags: int
    body: bytes
    headers: dict[str, str] = {}  # noqa: RUF012 - nobody changes it


class SpdyReader:
    """Makes frames of the bytes that come in."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._headers = zlib.decompressobj(zdict=DICTIONARY)

    def feed(self, data: bytes) -> list[Frame]:
        """What has become whole with these bytes. Raises `BrokenSpdyError`."""
        self._buffer += data
        frames: list[Frame] = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> Frame | None:
        buffer = self._buffer
        if len(buffer) < _HEAD_BYTES:
            return None
        size = int.from_bytes(buffer[5:8], "big")
        if size > limits.STREAM_FRAME_BYTES:
            raise BrokenSpdyError(f"a frame may have {limits.STREAM_FRAME_BYTES} bytes")
        if len(buffer) < _HEAD_BYTES + size:
            return None
        head, body = bytes(buffer[:_HEAD_BYTES]), bytes(buffer[_HEAD_BYTES : _HEAD_BYTES + size])
        del buffer[: _HEAD_BYTES + size]
        if not head[0] & _CONTROL:
            return Frame(0, int.from_bytes(head[:4], "big"), head[4], body)
        if int.from_bytes(head[:2], "big") & 0x7FFF != _VERSION:
            raise BrokenSpdyError("only version 3 of SPDY is spoken here")
        kind = int.from_bytes(head[2:4], "big")
        stream = int.from_bytes(body[:4], "big") & _STREAM_ID
        start = _FLAGS_BEFORE_HEADERS.get(kind)
        headers = {} if start is None else self._read_headers(body[start:])
        return Frame(kind, stream, head[4], body, headers)

    def _read_headers(self, block: bytes) -> dict[str, str]:
        """Every block has to be read, in order: what one says is compressed against those before."""
        try:
            plain = self._headers.decompress(block, limits.STREAM_HEADERS_BYTES)
        except zlib.error as error:
            raise BrokenSpdyError(f"headers that can't be read: {error}") from error
        if self._headers.unconsumed_tail:
            raise BrokenSpdyError(f"the headers of a stream may have {limits.STREAM_HEADERS_BYTES} bytes")
        headers: dict[str, str] = {}
        at, count = 4, int.from_bytes(plain[:4], "big")
        if count > limits.STREAM_HEADERS:
            raise BrokenSpdyError(f"a stream may have {limits.STREAM_HEADERS} headers")
        for _ in range(count):
            name, at = _text(plain, at)
            headers[name.lower()], at = _text(plain, at)
        return headers


def _text(plain: bytes, at: int) -> tuple[str, int]:
    """The text that stands there, and where the next one does."""
    end = at + 4 + int.from_bytes(plain[at : at + 4], "big")
    if len(plain) < at + 4 or len(plain) < end:
        raise BrokenSpdyError("headers that are shorter than they say")
    return plain[at + 4 : end].decode("utf-8", "replace"), end


class SpdyWriter:
    """Makes the bytes of frames. Header blocks have to go out in the order in which they were made."""

    def __init__(self) -> None:
        self._headers = zlib.compressobj(zdict=DICTIONARY)

    def open(self, stream: int, headers: dict[str, str]) -> bytes:
        """A stream is opened."""
        return _control(SYN_STREAM, stream.to_bytes(4, "big") + bytes(6) + self._block(headers))

    def reply(self, stream: int) -> bytes:
        """A stream that the other side opened is taken."""
        return _control(SYN_REPLY, stream.to_bytes(4, "big") + self._block({}))

    def _block(self, headers: dict[str, str]) -> bytes:
        texts = [text.encode() for pair in headers.items() for text in pair]
        plain = len(headers).to_bytes(4, "big") + b"".join(len(text).to_bytes(4, "big") + text for text in texts)
        return self._headers.compress(plain) + self._headers.flush(zlib.Z_SYNC_FLUSH)


def data_frame(stream: int, data: bytes, *, last: bool = False) -> bytes:
    """Bytes of a stream. The ``last`` ones end this side of it."""
    assert len(data) <= _MOST_DATA, "who sends cuts it"
    return stream.to_bytes(4, "big") + bytes((FIN if last else 0,)) + len(data).to_bytes(3, "big") + data


def reset_frame(stream: int, why: int) -> bytes:
    """A stream is over in both directions."""
    return _control(RST_STREAM, stream.to_bytes(4, "big") + why.to_bytes(4, "big"))


def window_frame(stream: int, size_bytes: int) -> bytes:
    """So many bytes were read and may be sent again; of the whole connection for stream 0."""
    return _control(WINDOW_UPDATE, stream.to_bytes(4, "big") + size_bytes.to_bytes(4, "big"))


def ping_frame(number: bytes) -> bytes:
    """The answer to a ping is the same."""
    return _control(PING, number)


def away_frame(last_stream: int) -> bytes:
    """No more streams are taken."""
    return _control(GOAWAY, last_stream.to_bytes(4, "big") + bytes(4))


def _control(kind: int, body: bytes) -> bytes:
    return bytes((_CONTROL, _VERSION)) + kind.to_bytes(2, "big") + b"\0" + len(body).to_bytes(3, "big") + body
