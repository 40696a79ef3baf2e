"""Which cluster a command talks to, and the talking.

A `Session` finds the cluster from the global flags, opens one connection when the first request needs it, and raises what the server
refuses as `StatusError`. Which cluster that is, the first of these says that is there:

1. ``--kubeconfig``, ``--context`` or ``--server``
2. ``--cluster`` or ``$SVCSIM_CLUSTER``
3. ``$KUBECONFIG``
4. what ``svcsim use`` remembers
5. the svcsim cluster named ``default``, if it runs
6. the only svcsim cluster that runs

``~/.kube/config`` is read where one of the first says so, and never because it lies there: its current context may be anybody's.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import orjson

from svcsim import limits
from svcsim.cli.failure import CommandError, SeveralErrors
from svcsim.cli.shared import state, target
from svcsim.cli.shared.colours import coloured
from svcsim.client import kubeconfig
from svcsim.client.answers import error_from, read_answer, refuses
from svcsim.client.blocking import BlockingStream, BlockingTransport
from svcsim.client.kubeconfig import Access, KubeconfigError
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

BAD_TIMEOUT = (
    "Invalid timeout value. Timeout must be a single integer in seconds, "
    "or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)"
)
_WHOLE_SECONDS = re.compile("[0-9]+")
CONFIGURATION_FLAGS = ("kubeconfig", "context", "server")
"""The flags that say where a cluster is without its name."""


class GlobalOptions(Protocol):
    """The flags that say which cluster is meant."""

    def text(self, name: str) -> str: ...

    def on(self, name: str) -> bool: ...

    def items(self, name: str) -> list[str]: ...


class Session:
    """One command's view of its cluster. Everything is found out when it is first asked for."""

    def __init__(self, options: GlobalOptions, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self._warned: dict[str, None] = {}
        self._options = options
        self._access: Access | None = None
        self._transport: BlockingTransport | None = None
        self._cluster: state.ClusterDir | None = None
        self._sought = False
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

    # --- which cluster ---

    def reconnect(self) -> None:
        """Let go of a connection that broke off. A cluster that was started again may listen elsewhere, with the same name."""
        self.close()
        self._transport = None
        if self._cluster is not None and self._cluster.server():
            self._access = None

    def config_paths(self) -> list[Path]:
        """The client configuration files that say where the cluster is."""
        cluster = self.cluster()
        if cluster is not None:
            return [cluster.kubeconfig]
        if self._options.text("kubeconfig") or self._options.text("context") or os.environ.get("KUBECONFIG"):
            return kubeconfig.default_paths(self._options.text("kubeconfig"))
        return []  # --server alone: an address nobody connects with what a file happens to say about another one

    def own_config_paths(self) -> list[Path]:
        """The client configuration files that ``config`` shows and changes: the user's, unless flags name others or there are none."""
        if self._options.text("cluster"):
            return self.config_paths()
        users = kubeconfig.default_paths(self._options.text("kubeconfig"))
        if any(path.exists() for path in users):
            return users
        try:
            return self.config_paths() or users
        except CommandError:  # no cluster is meant, so that the user's configuration is: it is there to be made
            return users

    def cluster(self) -> state.ClusterDir | None:
        """The svcsim cluster that is meant; None if a client configuration is."""
        if not self._sought:
            self._cluster = self._find_cluster()
            self._sought = True
        return self._cluster

    def _find_cluster(self) -> state.ClusterDir | None:
        name = self._options.text("cluster")
        if any(self._options.text(flag) for flag in CONFIGURATION_FLAGS):
            if name:
                self._refuse_contradiction(name)
                return target.meant(name)
            return None
        return target.meant_unless_configured(name)

    def _refuse_contradiction(self, name: str) -> None:
        """A context of the cluster's own says which of its users is meant; all else says something else."""
        for flag in CONFIGURATION_FLAGS:
            value = self._options.text(flag)
            if value and not (flag == "context" and self._has_context(name, value)):
                raise CommandError(f'cluster "{name}" and --{flag} {value} are two different places; give only one of them')

    @staticmethod
    def _has_context(name: str, context: str) -> bool:
        own = kubeconfig.read_file(state.cluster_dir(name).kubeconfig) or {}
        return context == f"svcsim-{name}" or kubeconfig.find_entry(own, "contexts", context) is not None

    def way(self) -> list[str]:
        """The flags by which another command finds the same cluster; none where it finds it without."""
        given = {flag: self._options.text(flag) for flag in ("cluster", "kubeconfig", "context")}
        return [word for flag, value in given.items() if value for word in (f"--{flag}", value)]

    def doubt(self) -> str:
        """Which cluster this was about, where the command line doesn't say it and others run; else empty."""
        if self._cluster is None or self._options.text("cluster"):
            return ""
        others = [cluster for cluster in target.running_clusters() if cluster.name != self._cluster.name]
        if not others:
            return ""
        which = target.named() or target.Named(self._cluster.name)
        return f"(this was {which}; also running: {target.listed(others)}; {target.HOW_TO_CHOOSE})\n"

    def frozen(self) -> str:
        """What is to be said of a cluster of this machine whose process is there and doesn't answer; empty where it isn't one."""
        record = None if self._cluster is None else self._cluster.server()
        if self._cluster is None or record is None:
            return ""
        name = self._cluster.name
        return (
            f'cluster "{name}" doesn\'t answer, though its process {record.get("pid")} is there: it is held up or overloaded; '
            f"svcsim logs-server {name} shows its log, svcsim down {name} ends it"
        )

    def _tell_silence(self) -> None:
        if self._answers_others():
            told = "this takes the server long, though it answers others"
        else:
            told = self.frozen() or f"the server {self.access.server} doesn't answer"
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

    @contextmanager
    def told_of(self) -> Iterator["Session"]:
        """Whatever fails within says which cluster it was about, where there is doubt; the connection is closed afterwards."""
        try:
            yield self
        except (StatusError, SeveralErrors, CommandError, ConnectionError) as error:
            if isinstance(error.__cause__, TimeoutError) and (frozen := self.frozen()):
                error.add_note(f"{frozen}\n")
            error.add_note(self.doubt())
            raise
        finally:
            self.close()

    @property
    def access(self) -> Access:
        """Where the cluster is and as whom to talk to it."""
        if self._access is None:
            self._access = self._find_access()
        return self._access

    def _find_access(self) -> Access:
        paths = self.config_paths()
        config = kubeconfig.load(paths, must_exist=bool(self._options.text("kubeconfig")))
        if not config["contexts"] and not config["clusters"] and not any(self._options.text(flag) for flag in CONFIGURATION_FLAGS):
            raise CommandError(_nothing_configured(paths))
        try:
            access = kubeconfig.resolve(
                config, self._options.text("context"), user=self._options.text("user"), server=self._options.text("server")
            )
        except KubeconfigError as error:
            raise CommandError(str(error)) from error
        if self._options.text("token"):
            access = replace(access, token=self._options.text("token"), source=None)
        if self._options.on("insecure-skip-tls-verify"):
            access = replace(access, insecure=True, ca_pem=None)
        return self._acting(access)

    def _acting(self, access: Access) -> Access:
        """As whom the flags say, where they say it."""
        options = self._options
        access = replace(
            access,
            impersonate=options.text("as") or access.impersonate,
            impersonate_groups=tuple(options.items("as-group")) or access.impersonate_groups,
            impersonate_uid=options.text("as-uid") or access.impersonate_uid,
            impersonate_extra=tuple(map(_extra, options.items("as-user-extra"))) or access.impersonate_extra,
        )
        if not access.impersonate and (access.impersonate_groups or access.impersonate_uid or access.impersonate_extra):
            raise CommandError(f"requesting uid, groups or user-extra for {access.user} without impersonating a user")
        return access

    @property
    def timeout_s(self) -> float:
        """How long one answer may take; 0 is as long as it takes, and so is less, as in kubectl."""
        text = self._options.text("request-timeout") or "0"
        from svcsim.meta.times import parse_duration

        try:
            return max(0.0, float(text) if _WHOLE_SECONDS.fullmatch(text) else parse_duration(text))
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
    def time(self) -> "ClusterTime":
        """The cluster's time, by which ages are reckoned."""
        if self._time is None:
            from svcsim.cli.shared.cluster_time import ClusterTime

            self._time = ClusterTime(self.get)
        return self._time

    @property
    def dialect(self) -> Dialect:
        """The words the cluster uses."""
        cluster = self.cluster()
        known = (cluster.server() or {}).get("dialect") if cluster else None
        if known in DIALECTS:
            return DIALECTS[known]
        suffixed = any(resource.group.endswith(f".{SVCAPI.group_suffix}") for resource in self.discovery.resources)
        return SVCAPI if suffixed else KUBERNETES

    # --- the talking ---

    @property
    def transport(self) -> BlockingTransport:
        """The connection, opened by the first request."""
        if self._transport is None:
            self._transport = BlockingTransport(self.access, timeout_s=self.timeout_s, on_silence=self._tell_silence)
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


def _extra(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f'invalid --as-user-extra "{text}": give KEY=VALUE')
    return name, value


def _nothing_configured(paths: list[Path]) -> str:
    named = os.environ.get("KUBECONFIG")
    if named:
        return f"$KUBECONFIG names {named}, which configures no cluster; unset it, or use --cluster NAME"
    return f"{paths[0]} configures no cluster"


def _warning_word(err: TextIO) -> str:
    """``Warning:``, in yellow for people who like colours."""
    return "\x1b[33;1mWarning:\x1b[0m" if coloured(err) else "Warning:"


def load(body: bytes) -> Object:
    """The map an answer holds."""
    value = read_answer(body)
    if not isinstance(value, dict):
        raise CommandError("the server sent something that is no object")
    return value
