"""Which cluster a command talks to, and as whom.

The first of these says it that is there:

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
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from svcsim.cli.failure import CommandError
from svcsim.cli.shared import state, target
from svcsim.client import kubeconfig
from svcsim.client.kubeconfig import Access, KubeconfigError

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


class WhichCluster:
    """What the global flags say. Everything is found out when it is first asked for."""

    def __init__(self, options: GlobalOptions) -> None:
        self._options = options
        self._access: Access | None = None
        self._cluster: state.ClusterDir | None = None
        self._sought = False

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

    @property
    def access(self) -> Access:
        """Where the cluster is and as whom to talk to it."""
        if self._access is None:
            self._access = self._find_access()
        return self._access

    def look_again(self) -> None:
        """A cluster that was started again may listen elsewhere, with the same name."""
        if self._cluster is not None and self._cluster.server():
            self._access = None

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
