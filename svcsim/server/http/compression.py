"""gzip for large answers, for clients that ask for it: away from the event loop, at the level that costs least.

And the other way round for bodies that come packed.
"""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterator

from svcsim import limits
from svcsim.meta.errors import StatusError, bad_request, body_too_large
from svcsim.meta.http import Request, Response

_LEVEL = 1
_GZIP_BITS = 31
_ZLIB_BITS = 15
_BARE_BITS = -15


def accepts_gzip(request: Request) -> bool:
    """Whether the client takes gzip."""
    header = request.headers.get("accept-encoding")
    if not header or "gzip" not in header:
        return False
    for part in header.split(","):
        coding, _, parameter = part.partition(";")
        if coding.strip().lower() == "gzip":
            return parameter.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


async def compressed(request: Request, response: Response) -> Response:
    """The answer, compressed if it is large and the client takes it so. A stream without a known length (a watch) is left alone."""
    size = len(response.body) if response.stream is None else int(response.headers.get("Content-Length", response.expected_bytes))
    if size < limits.GZIP_BYTES or not accepts_gzip(request):
        return response
    headers = {name: value for name, value in response.headers.items() if name != "Content-Length"}
    headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    if response.stream is not None:
        stream = _pieces(response.stream)
        return Response(response.status, b"", response.content_type, headers, stream, response.held, cookies=response.cookies)
    body = await asyncio.get_running_loop().run_in_executor(None, _compress, response.body)
    return Response(response.status, body, response.content_type, headers)


def _compress(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, _GZIP_BITS)


async def _pieces(stream: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    loop = asyncio.get_running_loop()
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_BITS)
    async for piece in stream:
        packed = await loop.run_in_executor(None, packer.compress, piece)
        if packed:
            yield packed
    yield packer.flush()


def decompressed(body: bytes, coding: str) -> bytes:
    """A request's body as it was before it was packed. Raises 400, 413 and 415."""
    codings = [name for part in coding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    if not codings:
        return body
    if codings in (["gzip"], ["x-gzip"]):  # one and the same (RFC 9110, 8.4.1.3)
        bits = _GZIP_BITS
    elif codings == ["deflate"]:
        bits = _ZLIB_BITS if body[0] & 0x0F == zlib.DEFLATED else _BARE_BITS
    else:
        raise StatusError(415, "UnsupportedMediaType", "the body of the request is in an unknown encoding - known are: gzip, deflate")
    unpacker = zlib.decompressobj(bits)
    try:
        unpacked = unpacker.decompress(body, limits.BODY_BYTES + 1)
    except zlib.error as error:
        raise bad_request(f"the request's body can't be unpacked: {error}") from None
    if len(unpacked) > limits.BODY_BYTES:
        raise body_too_large(limits.BODY_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise bad_request("the request's body can't be unpacked: it is cut off, or more follows")
    return unpacked
