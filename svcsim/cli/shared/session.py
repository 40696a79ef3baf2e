"""Which cluster a command talks to, and the talking.

A `Session` finds the cluster from the global flags, opens one connection when the first request needs it, and raises what the server
refuses as `StatusError`. Which cluster that is, the first of these says that is there:

1. ``--kubeconfig``, ``--context`` or ``--server``
2. ``--cluster``
3. ``$KUBECONFIG``
4. ``~/.kube/config``, if its current context is a ``svcsim-NAME``, as ``svcsim kubeconfig --merge`` puts it there
5. the svcsim cluster named ``default``, if it runs
6. ``~/.kube/config`` as it is

What the user chose goes before what merely runs; a configuration that was there before svcsim doesn't take a newcomer's commands away from
the cluster just started.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import orjson

from svcsim.cli.failure import CommandError
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.answers import error_from
from svcsim.client.blocking import BlockingStream, BlockingTransport
from svcsim.client.kubeconfig import Access, KubeconfigError
from svcsim.client.paths import query_string
from svcsim.dialect import DIALECTS, KUBERNETES, SVCAPI, Dialect
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Discovery

Query = Mapping[str, str | int | bool]

NO_CLUSTER = "no cluster is running and no client configuration is there; start a cluster with: svcsim up"
BAD_TIMEOUT = (
    "Invalid timeout value. Timeout must be a single integer in seconds, "
    "or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)"
)
OWN_CONTEXT = "svcsim-"
"""What the names of contexts begin with that svcsim made."""


class GlobalOptions(Protocol):
    """The flags that say which cluster is meant."""

    def text(self, name: str) -> str: ...

    def on(self, name: str) -> bool: ...


class Session:
    """One command's view of its cluster. Everything is found out when it is first asked for."""

    def __init__(self, options: GlobalOptions, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self._warned: dict[str, None] = {}
        self._options = options
        self._access: Access | None = None
        self._transport: BlockingTransport | None = None
        self._server: Object | None = None
        self._discovery: Discovery | None = None

    @property
    def warnings(self) -> int:
        """How many different warnings the server has sent."""
        return len(self._warned)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # --- which cluster ---

    def reconnect(self) -> None:
        """Let go of a connection that broke off. A cluster that was started again may listen elsewhere, with the same name."""
        self.close()
        self._transport = None
        if self._server is not None and state.cluster_dir(self._options.text("cluster") or state.DEFAULT_CLUSTER).server():
            self._access = None

    def config_paths(self) -> list[Path]:
        """The client configuration files that say where the cluster is."""
        if self._options.text("kubeconfig"):
            return kubeconfig.default_paths(self._options.text("kubeconfig"))
        return [cluster.kubeconfig] if (cluster := self.cluster()) else kubeconfig.default_paths()

    def own_config_paths(self) -> list[Path]:
        """The client configuration files that ``config`` shows and changes: the user's, unless flags name others or there are none."""
        paths = self.config_paths()
        if self._options.text("cluster"):
            return paths
        users = kubeconfig.default_paths(self._options.text("kubeconfig"))
        return users if any(path.exists() for path in users) else paths

    def cluster(self) -> state.ClusterDir | None:
        """The svcsim cluster that is meant by name or by default; None if a client configuration is."""
        if any(self._options.text(name) for name in ("kubeconfig", "context", "server")):
            return None
        name = self._options.text("cluster")
        if not name and (os.environ.get("KUBECONFIG") or _own_context_chosen()):
            return None
        cluster = state.cluster_dir(name or state.DEFAULT_CLUSTER)
        self._server = cluster.server()
        if self._server is not None:
            return cluster
        if name:
            raise CommandError(f'cluster "{name}" is not running; start it with: svcsim up {name}')
        return None

    @property
    def access(self) -> Access:
        """Where the cluster is and as whom to talk to it."""
        if self._access is None:
            self._access = self._find_access()
        return self._access

    def _find_access(self) -> Access:
        paths = self.config_paths()
        config = kubeconfig.load(paths, must_exist=bool(self._options.text("kubeconfig")))
        server = self._options.text("server")
        if server and not config["contexts"]:
            access = Access(server.rstrip("/"))
        else:
            if not config["contexts"] and not config["clusters"]:
                raise CommandError(_no_cluster())
            try:
                access = kubeconfig.resolve(config, self._options.text("context"), user=self._options.text("user"))
            except KubeconfigError as error:
                raise CommandError(str(error)) from error
        changes: dict[str, Json] = {}
        if server:
            changes["server"] = server.rstrip("/")
        if self._options.text("as"):
            changes["impersonate"] = self._options.text("as")
        if self._options.text("token"):
            changes["token"] = self._options.text("token")
        if self._options.on("insecure-skip-tls-verify"):
            changes |= {"insecure": True, "ca_pem": None}
        return replace(access, **changes) if changes else access

    @property
    def timeout_s(self) -> float:
        """How long one answer may take; 0 is as long as it takes."""
        text = self._options.text("request-timeout")
        if text.isdigit():
            return float(text)
        from svcsim.meta.times import parse_duration

        try:
            return parse_duration(text)
        except ValueError:
            raise CommandError(BAD_TIMEOUT) from None

    @property
    def namespace(self) -> str:
        """The namespace this command is about."""
        return self._options.text("namespace") or self.access.namespace or "default"

    @property
    def namespace_given(self) -> bool:
        """Whether the namespace was spelled out."""
        return bool(self._options.text("namespace"))

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
    def dialect(self) -> Dialect:
        """The words the cluster uses."""
        self.cluster()
        if self._server and self._server.get("dialect") in DIALECTS:
            return DIALECTS[self._server["dialect"]]
        suffixed = any(resource.group.endswith(f".{SVCAPI.group_suffix}") for resource in self.discovery.resources)
        return SVCAPI if suffixed else KUBERNETES

    # --- the talking ---

    @property
    def transport(self) -> BlockingTransport:
        """The connection, opened by the first request."""
        if self._transport is None:
            self._transport = BlockingTransport(self.access, timeout_s=self.timeout_s)
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
    ) -> Response:
        """Ask and give back the answer; a refusal is raised as `StatusError`. Warnings of the server are printed on stderr."""
        headers = {"accept": accept}
        if body:
            headers["content-type"] = content_type
        response = self.transport.send(Request(method, path, query_string(query or {}), headers, body))
        self._print_warnings(response.headers)
        if response.status >= 400:
            raise error_from(response.status, response.body)
        return response

    def get(self, path: str, query: Query | None = None, accept: str = "application/json") -> Object:
        """The JSON map at a path."""
        return load(self.send("GET", path, query, accept=accept).body)

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
        if stream.status >= 400:
            with stream:
                raise error_from(stream.status, stream.read())
        return stream

    def _print_warnings(self, headers: dict[str, str]) -> None:
        if "warning" not in headers:
            return
        for text in headers["warning"].split('299 - "')[1:]:
            unquoted = text.rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\")
            if unquoted not in self._warned:
                self._warned[unquoted] = None
                self.err.write(f"{_warning_word(self.err)} {unquoted}\n")


def _own_context_chosen() -> bool:
    """Whether the user's own configuration has a context of svcsim's as its current one."""
    path = kubeconfig.default_paths()[0]
    try:
        mentioned = OWN_CONTEXT.encode() in path.read_bytes()
    except OSError:
        return False
    return mentioned and str((kubeconfig.read_file(path) or {}).get("current-context") or "").startswith(OWN_CONTEXT)


def _no_cluster() -> str:
    named = os.environ.get("KUBECONFIG")
    return f"$KUBECONFIG names {named}, which configures no cluster; unset it, or use --cluster NAME" if named else NO_CLUSTER


def _warning_word(err: TextIO) -> str:
    """``Warning:``, in yellow for people who like colours."""
    coloured = err.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return "\x1b[33;1mWarning:\x1b[0m" if coloured else "Warning:"


def load(body: bytes) -> Object:
    """The map an answer holds."""
    value = orjson.loads(body)
    if not isinstance(value, dict):
        raise CommandError("the server sent something that is no object")
    return value
