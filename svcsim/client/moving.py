"""A way to a server that may come back elsewhere: made anew under the same name, with another port, certificate and token."""

from collections.abc import AsyncIterator, Callable
from typing import Self

from svcsim.client.kubeconfig import Access
from svcsim.client.signing import transport_to
from svcsim.client.transport import Stream, Transport
from svcsim.meta.http import Request, Response

_UNAUTHORIZED = 401


class MovingTransport:
    """Uses ``access``, and calls ``find`` for a new one whenever no server answers there, or the server refuses the credentials.

    The caller still gets the error, tries again by its own rules, and then uses the new access. ``find`` returns None if there is no
    server now. See `svcsim.client.transport.Transport`.
    """

    hands_over = False

    def __init__(self, access: Access, find: Callable[[], Access | None]) -> None:
        self._access = access
        self._find = find
        self._way = transport_to(access)

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        way = self._way
        try:
            response = await way.send(request)
        except ConnectionError:
            await self.leave(way)
            raise
        if response.status == _UNAUTHORIZED:
            await self.leave(way)
        return response

    def stream(self, request: Request) -> "MovingStream":
        """Ask for an answer that goes on."""
        return MovingStream(self, self._way, request)

    async def close(self) -> None:
        """Let go of connections. Open streams end."""
        await self._way.close()

    async def leave(self, way: Transport) -> None:
        """A way led nowhere: go another from now on, if there is one and nobody has found it meanwhile."""
        access = self._find()
        if way is self._way and access is not None and access != self._access:
            self._access, self._way = access, transport_to(access)
            await way.close()


class MovingStream(Stream):
    """A running answer. See `svcsim.client.transport.Stream`."""

    def __init__(self, transport: MovingTransport, way: Transport, request: Request) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._transport = transport
        self._way = way
        self._stream = way.stream(request)

    async def __aenter__(self) -> Self:
        try:
            await self._stream.__aenter__()
        except ConnectionError:
            await self._transport.leave(self._way)
            raise
        self.status, self.headers = self._stream.status, self._stream.headers
        if self.status == _UNAUTHORIZED:
            await self._transport.leave(self._way)
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.__aexit__(*raised)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._stream.__aiter__()

    async def read(self) -> bytes:
        """All that is left, as one body."""
        return await self._stream.read()
