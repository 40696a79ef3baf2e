"""The talking of one command with its cluster.

A `Session` opens one connection to the cluster that the global flags mean (`WhichCluster`) when the first request needs it, and raises what
the server refuses as `StatusError`.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import orjson

from svcsim import limits
from svcsim.cli.failure import CommandError, SeveralErrors
from svcsim.cli.shared import state
from svcsim.cli.shared.colours import coloured
from svcsim.cli.shared.which_cluster import GlobalOptions, WhichCluster
from svcsim.client.answers import error_from, read_answer, refuses
from svcsim.client.blocking import BlockingStream, BlockingTransport
from svcsim.client.kubeconfig import Access
from svcsim.client.paths import asked, query_string
from svcsim.dialect import DIALECTS, KUBERNETES, SVCAPI, Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object
from svcsim.printing.harmless import harmless

if TYPE_CHECKING:
    from svcsim.cli.shared.cluster_time import ClusterTime
    from svcsim.cli.shared.discovery import Discovery
    from svcsim.client.sockets import ClientSocket

Query = Mapping[str, str | int | bool]


class Session:
    """One command's connection. Everything is found out when it is first asked for."""

    def __init__(self, options: GlobalOptions, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.which = WhichCluster(options)
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self._warned: dict[str, None] = {}
        self._transport: BlockingTransport | None = None
        self._discovery: Discovery | None = None
        self._time: ClusterTime | None = None
        self.has_waited = False
        """Whether the command has begun to wait for something to happen in the cluster."""

    @property
    def warnings(self) -> int:
        """How many different warnings the server has sent."""
        return len(self._warned)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def reconnect(self) -> None:
        """Let go of a connection that broke off."""
        self.close()
        self._transport = None
        self.which.look_again()

    @contextmanager
    def told_of(self) -> Iterator["Session"]:
        """Whatever fails within says which cluster it was about, where there is doubt; the connection is closed afterwards."""
        try:
            yield self
        except (StatusError, SeveralErrors, CommandError, ConnectionError) as error:
            if isinstance(error.__cause__, TimeoutError) and (frozen := self.which.frozen()):
                error.add_note(f"{frozen}\n")
            error.add_note(self.which.doubt())
            raise
        finally:
            self.close()

    @property
    def access(self) -> Access:
        """Where the cluster is and as whom to talk to it."""
        return self.which.access

    @property
    def namespace(self) -> str:
        """The namespace this command is about."""
        return self.which.namespace

    @property
    def cache_file(self) -> Path:
        """Where what the server said about its types is kept for the next command."""
        import zlib

        address = "".join(char if char.isalnum() else "_" for char in self.access.server.partition("//")[2])
        return state.home() / "cache" / f"{address}-{zlib.crc32(self.access.ca_pem or b''):08x}.json"

    @property
    def discovery(self) -> "Discovery":
        """The types the server serves."""
        if self._discovery is None:
            from svcsim.cli.shared.discovery import Discovery

            self._discovery = Discovery(self)
        return self._discovery

    @property
    def time(self) -> "ClusterTime":
        """The cluster's time, by which ages are reckoned."""
        if self._time is None:
            from svcsim.cli.shared.cluster_time import ClusterTime

            self._time = ClusterTime(self.get)
        return self._time

    @property
    def dialect(self) -> Dialect:
        """The words the cluster uses."""
        cluster = self.which.cluster()
        known = (cluster.server() or {}).get("dialect") if cluster else None
        if known in DIALECTS:
            return DIALECTS[known]
        suffixed = any(resource.group.endswith(f".{SVCAPI.group_suffix}") for resource in self.discovery.resources)
        return SVCAPI if suffixed else KUBERNETES

    @property
    def transport(self) -> BlockingTransport:
        """The connection, opened by the first request."""
        if self._transport is None:
            self._transport = BlockingTransport(self.access, timeout_s=self.which.timeout_s, on_silence=self._tell_silence)
        return self._transport

    def send(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        *,
        body: bytes = b"",
        content_type: str = "application/json",
        accept: str = "application/json",
        raw: bool = False,
        warns: bool = True,
    ) -> Response:
        """Ask and give back the answer; a refusal is raised as `StatusError`. Warnings of the server are printed on stderr.

        ``raw``: the user chose the path, so that no refusal has to say what was asked. ``warns`` is off where he asked for nothing of it.
        """
        headers = {"accept": accept}
        if body:
            headers["content-type"] = content_type
        response = self.transport.send(Request(method, path, query_string(query or {}), headers, body))
        if warns:
            self._print_warnings(response.headers)
        if refuses(response.status):
            raise error_from(response.status, response.body, "" if raw else asked(method, path))
        return response

    def get(self, path: str, query: Query | None = None, accept: str = "application/json") -> Object:
        """The JSON map at a path."""
        return load(self.send("GET", path, query, accept=accept).body)

    def get_beside(self, path: str, query: Query | None = None) -> Object:
        """The JSON map at a path that nobody asked for: what the server warns of there is nothing for the user."""
        return load(self.send("GET", path, query, warns=False).body)

    def write(self, method: str, path: str, obj: Json, query: Query | None = None, content_type: str = "application/json") -> Object:
        """Send a JSON value, give back the answer's map."""
        return load(self.send(method, path, query, body=orjson.dumps(obj), content_type=content_type).body)

    def stream(
        self, path: str, query: Query | None = None, accept: str = "application/json", *, method: str = "GET", body: Json = None
    ) -> BlockingStream:
        """Ask for an answer that goes on. A refusal is raised as `StatusError`."""
        sent = b"" if body is None else orjson.dumps(body)
        headers = {"accept": accept} if body is None else {"accept": accept, "content-type": "application/json"}
        stream = self.transport.stream(Request(method, path, query_string(query or {}), headers, sent))
        self._print_warnings(stream.headers)
        if refuses(stream.status):
            with stream:
                raise error_from(stream.status, stream.read(), asked(method, path))
        return stream

    def socket(self, path: str, query: str, protocols: tuple[str, ...]) -> "ClientSocket":
        """A WebSocket with one of these protocols. A refusal is raised as `StatusError`."""
        from svcsim.client.sockets import ClientSocket, asking
        from svcsim.client.wire import SWITCHED

        connection = self.transport.upgrade(asking(Request("GET", path, query, {"accept": "application/json"}), protocols))
        self._print_warnings(connection.headers)
        if connection.status != SWITCHED:
            body = b"".join(connection.pieces())
            connection.close()
            raise error_from(connection.status, body, asked("GET", path))
        return ClientSocket(connection)

    def _print_warnings(self, headers: dict[str, str]) -> None:
        if "warning" not in headers:
            return
        for text in headers["warning"].split('299 - "')[1:]:
            unquoted = text.rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\")
            if unquoted not in self._warned:
                self._warned[unquoted] = None
                self.warn(unquoted)

    def warn(self, text: str) -> None:
        """Print a warning on stderr."""
        self.err.write(f"{_warning_word(self.err)} {harmless(text)}\n")

    def _tell_silence(self) -> None:
        if self._answers_others():
            told = "this takes the server long, though it answers others"
        else:
            told = self.which.frozen() or f"the server {self.access.server} doesn't answer"
        self.err.write(f"warning: {told}. Still waiting; --request-timeout says for how long.\n")
        self.err.flush()

    def _answers_others(self) -> bool:
        """Whether the server is well, as a question by the side tells."""
        with BlockingTransport(self.access, timeout_s=limits.STATUS_S) as aside:
            try:
                aside.send(Request("GET", "/livez"))
            except ConnectionError:
                return False
        return True


def _warning_word(err: TextIO) -> str:
    """``Warning:``, in yellow for people who like colours."""
    return "\x1b[33;1mWarning:\x1b[0m" if coloured(err) else "Warning:"


def load(body: bytes) -> Object:
    """The map an answer holds."""
    value = read_answer(body)
    if not isinstance(value, dict):
        raise CommandError("the server sent something that is no object")
    return value
