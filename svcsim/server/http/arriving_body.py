"""The body of a request that is being answered (`svcsim.meta.http.UnreadBody`): it need not have arrived yet.

Until it is needed, little of it is read from the client. A handler that needs it whole has it in memory, up to a limit for one body and for
all such bodies together. A handler that passes it on gets it as it arrives, and the client is read no faster than that.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable

from svcsim import limits
from svcsim.meta.budget import Budget, OverBudgetError, Portion
from svcsim.meta.errors import StatusError, bad_request, body_too_large, request_took_too_long, too_many_requests
from svcsim.server.http.compression import decompressed
from svcsim.server.http.heads import CONTINUE
from svcsim.server.http.parsing import Incoming


class ArrivingBody:
    """The body of one request on a connection."""

    def __init__(self, incoming: Incoming, bodies: Budget, write: Callable[[bytes], None], read_on: Callable[[], None]) -> None:
        """``write`` sends something to the client, and ``read_on`` has more of it read."""
        self._incoming = incoming
        self._bodies = bodies
        self._write = write
        self._read_on = read_on

    @property
    def declared_bytes(self) -> int | None:
        return self._incoming.declared_bytes

    async def read(self, limit_bytes: int) -> bytes:
        """The whole body. Raises 400, 413, 415, 429, 504."""
        incoming, headers = self._incoming, self._incoming.request.headers
        packed = "content-encoding" in headers
        declared = incoming.declared_bytes
        expected = limits.BODY_BYTES if declared is None or packed else declared
        if expected > limit_bytes or (declared or 0) > limits.BODY_BYTES:
            incoming.refuse(body_too_large(limit_bytes))
        if expected > limits.READ_AHEAD_BYTES and not incoming.refused:
            incoming.held = self._portion(expected)
        self._begin()
        try:
            async with asyncio.timeout(limits.REQUEST_S):
                body = await incoming.read(limit_bytes)
        except TimeoutError:
            raise request_took_too_long() from None
        except ConnectionResetError:
            raise _left() from None
        return decompressed(body, headers["content-encoding"]) if body and packed else body

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes. Raises 400."""
        self._incoming.handed_on = True  # from now on, though nobody may have begun to read it
        return self._pieces()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        self._begin()
        try:
            while pieces := await self._incoming.next_pieces():
                for piece in pieces:
                    yield piece
                self._read_on()
        except ConnectionError:
            raise _left() from None

    def _begin(self) -> None:
        """Let the client send it, if it waits for that, and read on."""
        incoming = self._incoming
        expects = incoming.request.headers.get("expect", "").lower() == "100-continue"
        if expects and incoming.chunks and not (incoming.refused or incoming.complete):
            self._write(CONTINUE)
        self._read_on()

    def _portion(self, expected_bytes: int) -> Portion:
        held = self._bodies.portion()
        try:
            held.grow(expected_bytes)
        except OverBudgetError:
            raise too_many_requests("The bodies of other requests take all the memory there is for them") from None
        return held


def _left() -> StatusError:
    return bad_request("the client left before it had sent the whole body")
