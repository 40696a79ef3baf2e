"""``user``: users to try things as, each with a certificate of their own and a context in the cluster's client configuration.

A user comes to a certificate as with any cluster: somebody makes a key, asks for a certificate of it, and the administrator approves. The
key never leaves this machine. What a user may do is for roles to say; a new one may hardly do anything, and the command says how to go on.
"""

import base64
import re
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from shlex import quote
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import print_columns
from svcsim.cli.own.parameters import connect
from svcsim.cli.shared import state, target
from svcsim.client import kubeconfig
from svcsim.client.config_lock import changing
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError
from svcsim.meta.times import human_duration, parse_duration, parse_time
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

_NAME_CHARS = 64
"""The longest name in a certificate."""
_SHORTEST_S = 600
_SIGNED_WITHIN_S = 30
_RESERVED = "system:"

UserName = Annotated[str, typer.Argument(metavar="USER", help="The user's name.")]
ClusterOption = Annotated[str, typer.Option("--cluster", metavar="NAME", help="The cluster's name.", show_default=False)]
GroupOption = Annotated[list[str], typer.Option("--group", metavar="GROUP", help="A group the user is in; can be repeated.")]
ExpiresOption = Annotated[
    str, typer.Option("--expires", metavar="TIME", help="How long the certificate is good, such as 24h.", show_default="a year")
]
ContextOption = Annotated[
    str | None, typer.Option("--context", metavar="NAME", help="What to call the context.", show_default="svcsim-CLUSTER-USER")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Make a new certificate for a user who has one.")]

user = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    help="Make, list and remove users to try things as.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _Home(NamedTuple):
    """A cluster's own client configuration."""

    cluster: state.ClusterDir
    config: Object

    @property
    def administrator(self) -> str:
        return f"svcsim-{self.cluster.name}"

    def contexts_of(self, name: str) -> list[str]:
        return [one["name"] for one in self.config.get("contexts") or [] if (one.get("context") or {}).get("user") == name]

    def certificate_of(self, name: str) -> bytes:
        return base64.b64decode(dict(self.users()).get(name, {}).get("client-certificate-data") or "")

    def users(self) -> Iterator[tuple[str, Object]]:
        """All but the administrator."""
        for one in self.config.get("users") or []:
            if one.get("name") != self.administrator:
                yield one["name"], one.get("user") or {}

    def read(self) -> "_Home":
        """The home with the configuration as it is now."""
        return self._replace(config=kubeconfig.read_file(self.cluster.kubeconfig) or kubeconfig.empty())

    def without(self, name: str) -> Object:
        """The configuration without a user."""
        theirs = self.contexts_of(name)
        return {
            **self.config,
            "users": [one for one in self.config.get("users") or [] if one.get("name") != name],
            "contexts": [one for one in self.config.get("contexts") or [] if one["name"] not in theirs],
        }


@user.callback()
def shared(context: typer.Context, cluster: ClusterOption = "") -> None:
    """Say which cluster is meant, for all that follows."""
    context.obj = cluster
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(1)


def _home(context: typer.Context, cluster: str) -> _Home:
    found = target.looked_at(cluster or context.obj)
    return _Home(found, kubeconfig.read_file(found.kubeconfig) or kubeconfig.empty())


@user.command("create")
def create(
    asked: typer.Context,
    name: UserName,
    group: GroupOption = [],  # noqa: B006 - typer's way of saying that there may be none
    expires: ExpiresOption = "",
    context: ContextOption = None,
    cluster: ClusterOption = "",
    force: ForceOption = False,
) -> None:
    """Make a user: a key, a certificate and a context.

    The certificate is of the cluster's authority; who uses the context acts as the user.
    """
    home = _home(asked, cluster)
    context = f"{home.administrator}-{name}" if context is None else context
    groups = group or _former_groups(home, name)
    _check_names(home, name, groups, context)
    others = [one["name"] for one in home.config.get("contexts") or [] if one["name"] not in home.contexts_of(name)]
    if context in others:
        raise CommandError(f'there is a context "{context}" already, and it is somebody else\'s; choose another with --context')
    if not force and name in dict(home.users()):
        raise CommandError(f'there is a user "{name}" already; --force makes a new certificate')
    wanted_s = _seconds(expires)
    with connect(home.cluster.name).told_of() as session:
        if name == session.dialect.administrator:
            raise CommandError(f'"{name}" is the administrator of this cluster: choose another name')
        made = _certified(session, name, tuple(groups), wanted_s)
        for_kubectl = session.dialect is KUBERNETES
    _keep(home, name, context, made)
    try:
        _try(home, name)
    except CommandError:
        _put_back(home, name)
        raise
    _explain(home, name, groups, context, for_kubectl=for_kubectl)
    if wanted_s is not None and made.lasts_s < wanted_s:
        typer.echo(f"The certificate ends after {human_duration(made.lasts_s)}: the cluster signs none for longer.", err=True)


@user.command("list")
def list_users(asked: typer.Context, cluster: ClusterOption = "") -> None:
    """List the users of a cluster, with their contexts."""
    home = _home(asked, cluster)
    rows = [[name, ",".join(home.contexts_of(name)) or "<none>"] for name, _ in home.users()]
    if not rows:
        typer.echo(f'cluster "{home.cluster.name}" has no users yet; make one with: svcsim user create NAME', err=True)
        return
    import sys

    print_columns(["USER", "CONTEXT"], rows, sys.stdout)


@user.command("delete")
def delete(asked: typer.Context, name: UserName, cluster: ClusterOption = "") -> None:
    """Remove a user's key, certificate and contexts.

    They are removed from the cluster's client configuration, and from yours if they were merged there.
    """
    home = _home(asked, cluster)
    if name not in dict(home.users()):
        raise CommandError(f'cluster "{home.cluster.name}" has no user "{name}"; see: svcsim user list')
    with changing(home.cluster.kubeconfig):
        kubeconfig.write_file(home.cluster.kubeconfig, home.read().without(name))
    typer.echo(f'User "{name}" is gone from {home.cluster.kubeconfig}')
    merged = kubeconfig.default_paths()[0]
    if kubeconfig.holds(merged, home.config) and kubeconfig.remove_user(merged, home.administrator, name):
        typer.echo(f'User "{name}" is gone from {merged}')
    typer.echo("Whoever has a copy of the certificate is still known by it until it expires: take its roles away, too.", err=True)


def _former_groups(home: _Home, name: str) -> list[str]:
    """The groups in the user's current certificate, which stay unless others are given."""
    from svcsim.auth.signing_requests import groups_in

    certificate = home.certificate_of(name)
    return groups_in(certificate) if certificate else []


def _check_names(home: _Home, name: str, groups: list[str], context: str) -> None:
    for what, value in (("user", name), *(("group", group) for group in groups), ("context", context)):
        if not value or not value.isprintable() or value != value.strip():
            raise CommandError(f"a {what}'s name has to be text that can be seen, without spaces around it")
        if what != "context" and len(value) > _NAME_CHARS:
            raise CommandError(f"a {what}'s name has at most {_NAME_CHARS} characters: a certificate has to bear it")
    if "system:masters" in groups:
        use = f"svcsim kubeconfig {home.cluster.name} --client-certificate"
        raise CommandError(f'certificates for the group "system:masters" are refused, since nobody could limit them; use: {use}')
    if name.startswith(_RESERVED):
        raise CommandError(f'"{name}" is a name of the cluster\'s own: choose one that doesn\'t begin with "{_RESERVED}"')
    if name == home.administrator:
        raise CommandError(f'"{name}" is what the client configuration calls the administrator: choose another name')


def _seconds(expires: str) -> int | None:
    if not expires:
        return None
    try:
        seconds = parse_duration(expires)
    except ValueError:
        seconds = 0
    if seconds < _SHORTEST_S:
        raise CommandError(f'--expires takes a duration of at least 10m, such as 24h; not "{expires}"')
    return int(seconds)


class _Made(NamedTuple):
    key_pem: bytes
    certificate_pem: bytes
    lasts_s: float
    """In the cluster's time."""


def _certified(session: "Session", name: str, groups: tuple[str, ...], expires_s: int | None) -> _Made:
    """A new key, and its certificate: asked for, approved, signed. The request is taken away again."""
    from svcsim.auth.signing import expires_at
    from svcsim.auth.signing_requests import new_key_and_request

    try:
        made = new_key_and_request(name, groups)
    except ValueError as error:
        raise CommandError(f"no certificate can bear these names: {error}") from error
    dialect = session.dialect
    path = f"/apis/{dialect.group('certificates')}/v1/certificatesigningrequests"
    spec: Object = {
        "request": base64.b64encode(made.request_pem).decode(),
        "signerName": dialect.signer_client,
        "usages": ["client auth"],
        **({"expirationSeconds": expires_s} if expires_s is not None else {}),
    }
    asked = session.write("POST", path, {"metadata": {"generateName": "svcsim-user-"}, "spec": spec})
    where = f"{path}/{asked['metadata']['name']}"
    try:
        condition = {"type": "Approved", "status": "True", "reason": "SvcsimUser", "message": "approved by svcsim user create"}
        session.write("PUT", f"{where}/approval", {**asked, "status": {"conditions": [condition]}})
        certificate = _signed(session, path, asked["metadata"]["name"])
        return _Made(made.key_pem, certificate, expires_at(certificate) - parse_time(asked["metadata"]["creationTimestamp"]))
    finally:
        with suppress(StatusError, ConnectionError):  # it goes by itself after an hour
            session.send("DELETE", where)


def _signed(session: "Session", path: str, name: str) -> bytes:
    """The certificate, once it is there."""
    from svcsim.cli.shared.session import load

    query: dict[str, str | int | bool] = {
        "watch": True,
        "fieldSelector": f"metadata.name={name}",
        "timeoutSeconds": _SIGNED_WITHIN_S,
    }
    with session.stream(path, query) as lines:
        for line in filter(None, lines):
            status = load(line)["object"].get("status") or {}
            if status.get("certificate"):
                return base64.b64decode(status["certificate"])
            for condition in status.get("conditions") or ():
                if condition["type"] in ("Failed", "Denied"):
                    raise CommandError(f"the certificate was not signed: {condition.get('message') or condition['type']}")
    raise CommandError(f"nobody signed the certificate within {_SIGNED_WITHIN_S} s; svcsim logs-server may say why")


def _keep(home: _Home, name: str, context: str, made: _Made) -> None:
    data = {"client-certificate-data": made.certificate_pem, "client-key-data": made.key_pem}
    credentials = {field: base64.b64encode(value).decode() for field, value in data.items()}
    with changing(home.cluster.kubeconfig):  # others may have come in the meantime
        config = home.read().without(name)
        config["users"].append({"name": name, "user": credentials})
        config["contexts"].append({"name": context, "context": {"cluster": home.administrator, "user": name}})
        kubeconfig.write_file(home.cluster.kubeconfig, config)


def _put_back(home: _Home, name: str) -> None:
    """Have the user as before, or not at all."""
    with changing(home.cluster.kubeconfig):
        config, contexts = home.read().without(name), home.contexts_of(name)
        config["users"] += [one for one in home.config.get("users") or [] if one.get("name") == name]
        config["contexts"] += [one for one in home.config.get("contexts") or [] if one["name"] in contexts]
        kubeconfig.write_file(home.cluster.kubeconfig, config)


def _try(home: _Home, name: str) -> None:
    """The cluster knows its user, unless it was told to sign with an authority that it doesn't take certificates of."""
    try:
        with connect(home.cluster.name, user=name).told_of() as session:
            session.get("/version")
    except StatusError as error:
        if error.code != HTTPStatus.UNAUTHORIZED:
            raise
        raise CommandError(
            f'the cluster has signed a certificate for "{name}", and doesn\'t take it: start it with --client-ca-file, too, and the '
            "certificate of the authority that it signs with"
        ) from error


def _explain(home: _Home, name: str, groups: list[str], context: str, *, for_kubectl: bool) -> None:
    where = home.cluster.name
    as_user = f"svcsim --cluster {where} --user {quote(name)}"
    subject = f"--group {quote(groups[0])}" if groups else f"--user {quote(name)}"
    among = f" in {', '.join(groups)}" if groups else ""
    typer.echo(f'User "{name}"{among} is in {home.cluster.kubeconfig}, with the context "{context}".')
    typer.echo("")
    theirs = f"kubectl --kubeconfig {quote(str(home.cluster.kubeconfig))} --context {quote(context)} auth whoami"
    binding = re.sub(r"[^A-Za-z0-9.:@_-]", "-", name)
    lines = (
        (f"{as_user} auth whoami", "act as the user"),
        *(((theirs, "the same with kubectl"),) if for_kubectl else ()),
        (f"svcsim --cluster {where} create rolebinding {binding} --clusterrole view {subject}", "let the user look at a namespace"),
        (f"{as_user} auth can-i --list", "see what the user may do"),
    )
    for line, what in lines:
        typer.echo(f"  {line}\n      {what}")
