"""The transport of the command line: it waits, because asyncio and aiohttp take longer to import than a command runs.

One connection is kept and used again. What goes wrong below HTTP is a `ConnectionError` with the words kubectl's users know.
"""

import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.client.cutting import LineCutter
from svcsim.client.kubeconfig import Access
from svcsim.client.outage_words import HandshakeTimeoutError, connection_error
from svcsim.client.wire import Connection
from svcsim.meta.http import Request, Response

if TYPE_CHECKING:
    import ssl

    from svcsim.client.credentials import CredentialSource
    from svcsim.client.plugin_config import Credentials

_UNAUTHORIZED = 401
_REPEATED = ("GET", "HEAD")
"""What is asked again where a kept connection broke: it does nothing twice."""


class BlockingTransport:
    """Talks to the server that an `Access` names. A context manager; `close` lets the connection go.

    ``timeout_s`` is how long the server may keep silent before it has answered; 0 is as long as it takes, and then ``on_silence`` is called
    once that is long.
    """

    def __init__(self, access: Access, *, timeout_s: float = 0.0, on_silence: Callable[[], None] | None = None) -> None:
        url = urlsplit(access.server)
        self._configured = self._access = access
        self._signed_in: Credentials | None = None
        self._host = url.hostname or ""
        self._timeout_s = min(timeout_s, limits.LONGEST_WAIT_S) or None
        self._on_silence = on_silence if self._timeout_s is None else None
        self._secure = url.scheme == "https"
        self._port = url.port or (443 if self._secure else 80)
        self._prefix = url.path.rstrip("/")
        self._headers = {"host": url.netloc, "user-agent": "svcsim", "accept": "application/json"}
        self._identity = access.headers()
        self._context: ssl.SSLContext | None = None
        self._idle: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the kept connection."""
        if self._idle is not None:
            self._idle.close()
            self._idle = None

    def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer. An error status is returned, not raised."""
        connection = self._ask(request)
        try:
            body = b"".join(connection.pieces())
        except OSError as error:
            connection.close()
            raise self.connection_error(error) from error
        if connection.reusable:
            self._idle = connection
        else:
            connection.close()
        return Response(connection.status, body, connection.headers.get("content-type", ""), connection.headers)

    def stream(self, request: Request) -> "BlockingStream":
        """Ask for an answer that goes on: ``with transport.stream(request) as stream: for line in stream``."""
        connection = self._ask(request)
        connection.wait(None)
        return BlockingStream(self, connection)

    def upgrade(self, request: Request) -> Connection:
        """Ask for another protocol: the connection, which is its own from now on if the answer's status is 101."""
        connection = self._ask(request)
        connection.wait(None)
        return connection

    def connection_error(self, error: OSError) -> ConnectionError:
        """What went wrong below HTTP, in words for the user."""
        if isinstance(error, TimeoutError) and self._timeout_s:
            return ConnectionError(
                "Unable to connect to the server: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
            )
        return connection_error(error, self._host, self._port)

    def _ask(self, request: Request) -> Connection:
        source = self._access.source
        if source is None:
            return self._ask_once(request)
        shown = self._sign_in(source)
        connection = self._ask_once(request)
        if connection.status == _UNAUTHORIZED:
            source.reject(shown)
            if self._sign_in(source)[:-1] != shown[:-1]:
                connection.close()
                return self._ask_once(request)
        return connection

    def _sign_in(self, source: "CredentialSource") -> "Credentials":
        """Show what the source gives from now on; another certificate takes another connection."""
        credentials = source.current()
        if credentials is not self._signed_in:
            before, now = self._access, self._configured.signed_in(credentials)
            if (before.certificate_pem, before.key_pem) != (now.certificate_pem, now.key_pem):
                self.close()
                self._context = None
            self._signed_in, self._access, self._identity = credentials, now, now.headers()
        return credentials

    def _ask_once(self, request: Request) -> Connection:
        kept, self._idle = self._idle, None
        if kept is not None and self._answers(kept, request):
            return kept
        connection = self._connect()
        try:
            self._exchange(connection, request)
        except OSError as error:
            connection.close()
            raise self.connection_error(error) from error
        return connection

    def _answers(self, kept: Connection, request: Request) -> bool:
        """Ask over a connection that was idle. False where the server let it go: then a fresh one decides.

        What may have been carried out already is not asked a second time.
        """
        try:
            if kept.is_quiet():
                self._exchange(kept, request)
                return True
        except TimeoutError as error:
            kept.close()
            raise self.connection_error(error) from error
        except OSError as error:
            kept.close()
            if request.method not in _REPEATED:
                raise ConnectionError(
                    f"the connection to the server {self._host}:{self._port} broke before there was an answer, so whether the request was "
                    "carried out is not known; look at what is there before you try again"
                ) from error
        kept.close()
        return False

    def _exchange(self, connection: Connection, request: Request) -> None:
        target = f"{self._prefix}{request.path}"
        if request.query:
            target += f"?{request.query}"
        headers = {**self._headers, **{name.lower(): value for name, value in request.headers.items()}}
        connection.ask(request.method, target, [*headers.items(), *self._identity], request.body, self._on_silence)

    def _connect(self) -> Connection:
        sock: socket.socket | None = None
        try:
            sock = socket.create_connection((self._host, self._port), min(limits.CONNECT_S, self._timeout_s or limits.CONNECT_S))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._secure:
                if self._context is None:
                    self._context = self._access.ssl_context()
                assert self._context is not None, "an https server has a TLS context"
                sock.settimeout(min(limits.HANDSHAKE_S, self._timeout_s or limits.HANDSHAKE_S))
                sock = self._shaken_hands(self._context, sock)
            sock.settimeout(self._timeout_s)
        except OSError as error:
            if sock is not None:
                sock.close()
            raise self.connection_error(error) from error
        return Connection(sock)

    def _shaken_hands(self, context: "ssl.SSLContext", sock: socket.socket) -> socket.socket:
        try:
            return context.wrap_socket(sock, server_hostname=self._access.tls_server_name or self._host)
        except TimeoutError as error:
            if self._timeout_s:
                raise
            raise HandshakeTimeoutError from error


class BlockingStream:
    """A running answer. Iterating gives lines without their line ends; it raises `ConnectionError` when the answer breaks off."""

    def __init__(self, transport: BlockingTransport, connection: Connection) -> None:
        self.status = connection.status
        self.headers = connection.headers
        self._transport = transport
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def __iter__(self) -> Iterator[bytes]:
        cutter = LineCutter()
        for piece in self._pieces():
            yield from cutter.feed(piece)
        yield from cutter.rest()

    def wait(self, seconds: float) -> None:
        """From now on the server may keep silent for so long; `ConnectionError` once it is over."""
        self._connection.wait(min(max(seconds, limits.SHORTEST_WAIT_S), limits.LONGEST_WAIT_S))

    def read(self) -> bytes:
        """All that is left, as one body."""
        return b"".join(self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        try:
            yield from self._connection.pieces()
        except OSError as error:
            raise self._transport.connection_error(error) from error
