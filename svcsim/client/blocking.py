"""The transport of the command line: it waits. On ``http.client``, because asyncio and aiohttp take longer to import than a command runs.

One connection is kept and used again. What goes wrong below HTTP is a `ConnectionError` with the words kubectl's users know.
"""

import http.client
import socket
import ssl
from collections.abc import Iterator
from typing import Self
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.client.kubeconfig import Access
from svcsim.meta.http import Request, Response


class BlockingTransport:
    """Talks to the server that an `Access` names. A context manager; `close` lets the connection go."""

    def __init__(self, access: Access, user_agent: str = "svcsim") -> None:
        url = urlsplit(access.server)
        self._access = access
        self._host = url.hostname or ""
        self._secure = url.scheme == "https"
        self._port = url.port or (443 if self._secure else 80)
        self._prefix = url.path.rstrip("/")
        self._headers = {"user-agent": user_agent, "accept": "application/json", **access.headers()}
        self._context: ssl.SSLContext | None = None
        self._idle: http.client.HTTPConnection | None = None

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
        connection, answer = self._ask(request)
        try:
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self.told(error) from error
        headers = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            connection.close()
        else:
            self._idle = connection
        return Response(answer.status, body, headers.get("content-type", ""), headers)

    def stream(self, request: Request) -> "BlockingStream":
        """Ask for an answer that goes on: ``with transport.stream(request) as stream: for line in stream``."""
        connection, answer = self._ask(request)
        return BlockingStream(self, connection, answer)

    def _ask(self, request: Request) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        kept, self._idle = self._idle, None
        if kept is not None:
            try:
                return kept, self._exchange(kept, request)
            except (OSError, http.client.HTTPException):
                kept.close()  # the server let it go while it was idle; a fresh one decides
        connection = self._connection()
        try:
            return connection, self._exchange(connection, request)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self.told(error) from error

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> http.client.HTTPResponse:
        target = f"{self._prefix}{request.path}"
        if request.query:
            target += f"?{request.query}"
        headers = {**self._headers, **{name.lower(): value for name, value in request.headers.items()}}
        connection.request(request.method, target, request.body or None, headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=limits.CONNECT_S)
        try:
            connection.connect()
            if self._secure:
                if self._context is None:
                    self._context = self._access.ssl_context()
                assert self._context is not None, "an https server has a TLS context"
                name = self._access.tls_server_name or self._host
                connection.sock = self._context.wrap_socket(connection.sock, server_hostname=name)
            connection.sock.settimeout(None)
        except OSError as error:
            connection.close()
            raise self.told(error) from error
        return connection

    def told(self, error: Exception) -> ConnectionError:
        """What went wrong below HTTP, in words for the user."""
        where = f"{self._host}:{self._port}"
        if isinstance(error, ConnectionRefusedError):
            return ConnectionError(f"The connection to the server {where} was refused - did you specify the right host or port?")
        if isinstance(error, socket.gaierror):
            return ConnectionError(f"Unable to connect to the server: dial tcp: lookup {self._host}: no such host")
        if isinstance(error, ssl.SSLCertVerificationError):
            reason = error.verify_message or str(error)
            return ConnectionError(f"Unable to connect to the server: tls: failed to verify certificate: {reason}")
        if isinstance(error, TimeoutError):
            return ConnectionError(f"Unable to connect to the server: dial tcp {where}: i/o timeout")
        if isinstance(error, http.client.RemoteDisconnected | http.client.IncompleteRead):
            return ConnectionError("Unable to connect to the server: EOF")
        return ConnectionError(f"Unable to connect to the server: {error}")


class BlockingStream:
    """A running answer. Iterating gives lines without their line ends; it raises `ConnectionError` when the answer breaks off."""

    def __init__(self, transport: BlockingTransport, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self._transport = transport
        self._connection = connection
        self._answer = answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End it."""
        self._answer.close()
        self._connection.close()

    def __iter__(self) -> Iterator[bytes]:
        try:
            for line in self._answer:
                yield line.removesuffix(b"\n")
        except (OSError, http.client.HTTPException) as error:
            raise self._transport.told(error) from error

    def read(self) -> bytes:
        """All that is left, as one body."""
        try:
            return self._answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._transport.told(error) from error
