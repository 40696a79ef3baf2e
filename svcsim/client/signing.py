"""A transport for those whose credentials aren't written down: it shows what their source gives, and asks anew where that isn't taken."""

import asyncio
import functools
from collections.abc import AsyncIterator
from typing import Self

from svcsim.client.credentials import CredentialSource
from svcsim.client.http import HttpStream, HttpTransport
from svcsim.client.kubeconfig import Access
from svcsim.client.plugin_config import Credentials
from svcsim.client.transport import Stream, Transport
from svcsim.meta.http import Request, Response

_UNAUTHORIZED = 401


def transport_to(access: Access) -> Transport:
    """A transport to the cluster, and as the user, that a client configuration names."""
    return HttpTransport.to(access) if access.source is None else SigningTransport(access, access.source)


class SigningTransport:
    """See `svcsim.client.transport.Transport`. Another certificate takes other connections: streams over the old ones end."""

    hands_over = False

    def __init__(self, access: Access, source: CredentialSource) -> None:
        self._configured = self._access = access
        self._source = source
        self._shown: Credentials | None = None
        self._way = HttpTransport.to(access)

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        way, shown = await self.sign_in()
        response = await way.send(request)
        if response.status == _UNAUTHORIZED and await self.renewed(shown):
            way, _ = await self.sign_in()
            return await way.send(request)
        return response

    def stream(self, request: Request) -> "SignedStream":
        """Ask for an answer that goes on."""
        return SignedStream(self, request)

    async def close(self) -> None:
        """Let go of connections. Open streams end, and so does a program that is being waited for."""
        self._source.abandon()
        await self._way.close()

    async def sign_in(self) -> tuple[HttpTransport, Credentials]:
        """The way to ask, and what is shown there. A program that has to be run first is waited for aside."""
        shown = self._source.fresh
        if shown is None:
            shown = await asyncio.get_running_loop().run_in_executor(None, functools.partial(self._source.current, aside=True))
        if shown is not self._shown:
            before, now = self._access, self._configured.signed_in(shown)
            self._shown, self._access = shown, now
            if (before.certificate_pem, before.key_pem) == (now.certificate_pem, now.key_pem):
                self._way.identify(now.headers())
            else:
                left, self._way = self._way, HttpTransport.to(now)
                await left.close()
        return self._way, shown

    async def renewed(self, refused: Credentials) -> bool:
        """The server doesn't take these: whether there are others."""
        self._source.reject(refused)
        _, shown = await self.sign_in()
        return shown[:-1] != refused[:-1]


class SignedStream(Stream):
    """A running answer. See `svcsim.client.transport.Stream`."""

    def __init__(self, transport: SigningTransport, request: Request) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._transport = transport
        self._request = request
        self._stream: HttpStream | None = None

    async def __aenter__(self) -> Self:
        way, shown = await self._transport.sign_in()
        stream = await way.stream(self._request).__aenter__()
        if stream.status == _UNAUTHORIZED and await self._transport.renewed(shown):
            await stream.__aexit__(None, None, None)
            way, _ = await self._transport.sign_in()
            stream = await way.stream(self._request).__aenter__()
        self._stream, self.status, self.headers = stream, stream.status, stream.headers
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self._stream is not None:
            await self._stream.__aexit__(*raised)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._running)

    async def read(self) -> bytes:
        """All that is left, as one body."""
        return await self._running.read()

    @property
    def _running(self) -> HttpStream:
        assert self._stream is not None, "a stream is read inside its `async with`"
        return self._stream
