"""Answers whose bytes are sent as messages of a WebSocket, to clients that ask for one: logs.

The protocols are those of one stream. Messages are bytes as they are, or the same in base64 for clients that can read texts alone.
"""

import base64
from collections.abc import AsyncIterator

from svcsim import limits
from svcsim.meta.http import Request, Response, end_stream
from svcsim.server.http.websocket import handshake

_BASE64 = "base64.binary.k8s.io"
_PROTOCOLS = ("binary.k8s.io", _BASE64)
_BYTES_TYPE, _TEXT_TYPE = "application/octet-stream", "text/plain"


def as_messages(request: Request, response: Response) -> Response:
    """A response's stream as WebSocket messages, for a client that asks for them. Raises 400, and 403 for an unknown protocol."""
    headers = handshake(request, _PROTOCOLS)
    in_base64 = headers.get("Sec-WebSocket-Protocol") == _BASE64
    return Response(101, b"", _TEXT_TYPE if in_base64 else _BYTES_TYPE, headers, _messages(response, in_base64=in_base64), response.held)


async def _messages(response: Response, *, in_base64: bool) -> AsyncIterator[bytes]:
    stream = _pieces(response.body) if response.stream is None else response.stream
    try:
        async for piece in stream:
            yield base64.b64encode(piece) if in_base64 else piece
    finally:
        await end_stream(stream)


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), limits.STREAM_PIECE_BYTES):
        yield body[start : start + limits.STREAM_PIECE_BYTES]
