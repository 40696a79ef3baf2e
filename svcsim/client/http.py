"""The transport over the wire: HTTP/1.1 on aiohttp, with connections kept alive.

Imported only by those who need it: aiohttp takes longer to import than most commands take to run. Whatever goes wrong below HTTP is a
`ConnectionError` here, so that the code above needs to know one way of having no answer.
"""

import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from typing import Self

import aiohttp
from yarl import URL

from svcsim import limits
from svcsim.client.kubeconfig import Access
from svcsim.client.lines import Endable, cut_lines
from svcsim.client.outage_words import connection_error
from svcsim.client.transport import Stream
from svcsim.meta.http import Request, Response


class HttpTransport:
    """Talks to the server at ``base_url``, sending credentials with every request. See `svcsim.client.transport.Transport`."""

    hands_over = False

    def __init__(
        self,
        base_url: str,
        ssl_context: ssl.SSLContext | None = None,
        identity: Sequence[tuple[str, str]] = (),
        server_name: str = "",
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._ssl = ssl_context
        self._identity = tuple(identity)
        self._server_name = server_name or None
        self._session: aiohttp.ClientSession | None = None
        self._open: dict[HttpStream, None] = {}

    @classmethod
    def to(cls, access: Access) -> "HttpTransport":
        """A transport to the cluster, and as the user, that a client configuration names."""
        return cls(access.server, access.ssl_context(), access.headers(), access.tls_server_name)

    def identify(self, identity: Sequence[tuple[str, str]]) -> None:
        """Use other credentials from now on, or a newer token."""
        self._identity = tuple(identity)

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        with _as_connection_error():
            async with self.open(request) as answer:
                body = await answer.read()
                headers = {name.lower(): value for name, value in answer.headers.items()}
                return Response(answer.status, body, headers.get("content-type", ""), headers)

    def stream(self, request: Request) -> "HttpStream":
        """Ask for an answer that goes on."""
        return HttpStream(self, request)

    async def close(self) -> None:
        """Let go of connections. Open streams end."""
        for stream in list(self._open):
            stream.end()
        if self._session is not None:
            await self._session.close()

    def opened(self, stream: "HttpStream") -> None:
        """Keep an eye on a running stream, so that `close` can end it: a closed connection alone does not wake its reader."""
        self._open[stream] = None

    def ended(self, stream: "HttpStream") -> None:
        """Forget it."""
        self._open.pop(stream, None)

    def open(self, request: Request) -> contextlib.AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Send a request on a connection of its own or one kept from before."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._ssl if self._ssl is not None else True),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.CONNECT_S),
                headers={"user-agent": "svcsim"},
                max_line_size=limits.HEADER_BYTES,
                max_field_size=limits.HEADER_BYTES,
            )
        if self._session.closed:
            raise ConnectionError("this transport has been closed")
        target = f"{self._base_url}{request.path}?{request.query}" if request.query else self._base_url + request.path
        return self._session.request(
            request.method,
            URL(target, encoded=True),
            headers=[*request.headers.items(), *self._identity],
            data=request.body or None,
            allow_redirects=False,
            server_hostname=self._server_name,
        )


class HttpStream(Stream):
    """A running answer over the wire. See `svcsim.client.transport.Stream`."""

    def __init__(self, transport: HttpTransport, request: Request) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._transport = transport
        self._request = request
        self._stack = contextlib.AsyncExitStack()
        self._answer: aiohttp.ClientResponse | None = None
        self._endable = Endable()

    async def __aenter__(self) -> Self:
        with _as_connection_error():
            self._answer = await self._stack.enter_async_context(self._transport.open(self._request))
        self.status = self._answer.status
        self.headers = {name.lower(): value for name, value in self._answer.headers.items()}
        self._transport.opened(self)
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._transport.ended(self)
        if self._answer is not None:
            self._answer.close()  # an unfinished answer's connection can't be used again
        await self._stack.aclose()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cut_lines(self._pieces())

    async def read(self) -> bytes:
        """All that is left, as one body."""
        return b"".join([piece async for piece in self._pieces()])

    def end(self) -> None:
        """End the stream from outside."""
        self._endable.end()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        assert self._answer is not None, "a stream is read inside its `async with`"
        with _as_connection_error():
            async for piece in self._endable.read(aiter(self._answer.content.iter_any())):
                yield piece


@contextlib.contextmanager
def _as_connection_error() -> Iterator[None]:
    try:
        yield
    except aiohttp.ClientConnectorError as error:
        raise connection_error(error.os_error, error.host, error.port or 0) from error
    except aiohttp.ServerDisconnectedError as error:
        raise ConnectionError("the server hung up") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise ConnectionError(str(error) or type(error).__name__) from error
