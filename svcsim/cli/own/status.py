"""``status``, ``clusters``, ``kubeconfig`` and ``logs-server``: looking at clusters from outside."""

import base64
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import print_columns
from svcsim.cli.own.clock import ahead_text, pace_text
from svcsim.cli.own.parameters import (
    FOR_KUBECTL,
    ClusterOption,
    ContextOption,
    KubeconfigOption,
    Name,
    OutputOption,
    check_output,
    cluster_name,
    connect,
    one_name,
)
from svcsim.cli.shared import state, target
from svcsim.client import kubeconfig as config
from svcsim.client import paths
from svcsim.cluster import data_directory
from svcsim.cluster.controller_choice import SCHEDULER
from svcsim.dialect import SVCAPI
from svcsim.meta.times import human_duration
from svcsim.meta.types import Object
from svcsim.printing.values import indented_json

Merge = Annotated[bool, typer.Option("--merge", help="Add it to the client configuration as context svcsim-NAME.")]
Remove = Annotated[bool, typer.Option("--remove", help="Remove it from the client configuration.")]
ClientCertificate = Annotated[bool, typer.Option("--client-certificate", help="Log in with a client certificate instead of a token.")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")]
Tail = Annotated[int, typer.Option("--tail", help="Print only this many of the last lines.", metavar="N", show_default="all")]


_NAMES_SHOWN = 8


def status(
    name: Name = "",
    cluster: ClusterOption = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
    output: OutputOption = "",
) -> None:
    """Show the state of a cluster."""
    as_json = check_output(output)
    meant = connect(one_name(name, cluster), kubeconfig=kubeconfig, context=context, request_timeout=f"{limits.STATUS_S:g}s")
    with meant.told_of() as session:
        try:
            home = session.which.cluster()
            answer = session.get(paths.STATUS)
        except target.StoppedError as error:
            _print_stopped(error.cluster, as_json=as_json)
            raise
        except ConnectionError as error:
            if isinstance(error.__cause__, TimeoutError) and (frozen := session.which.frozen()):
                raise CommandError(frozen) from None
            raise
    if as_json:
        typer.echo(indented_json(answer))
        return
    rows = [
        ("Cluster", home.name if home else context),
        ("URL", answer["url"]),
        ("Dialect", answer["dialect"]),
        ("Process", str(answer["pid"])),
        ("Running for", human_duration(answer["uptimeSeconds"])),
        ("Revision", str(answer["revision"])),
        ("Objects", str(answer["objects"])),
        ("Memory", f"{answer['rssBytes'] / 2**20:.1f} MiB"),
        ("Clock", ", ".join(filter(None, (pace_text(answer.get("clockSpeed", 1)), ahead_text(answer.get("clockAheadSeconds", 0)))))),
        *_asked_for(answer),
        ("Switched off", _some(answer.get("controllersOff") or [])),
        ("Trouble", answer.get("trouble", "")),
    ]
    _print_rows(rows)


def _asked_for(answer: Object) -> Iterator[tuple[str, str]]:
    """What the cluster was asked to be, as far as its server tells; the rest is in its settings."""
    asked = answer.get("settings") or {}
    yield "Stages", ", ".join(asked.get("stages") or [])
    if SCHEDULER not in (answer.get("controllersOff") or []):
        yield "Schedulers", ", ".join(asked.get("schedulerNames") or [])
    if services := asked.get("serviceClusterIPRange"):
        yield "Services", f"{', '.join(services.split(','))}, node ports {asked.get('serviceNodePortRange', '')}"
    if ranges := answer.get("nodeRanges"):
        sizes = " and ".join(f"a /{one['maskSize']}" for one in ranges)
        yield "Pods", f"{', '.join(one['network'] for one in ranges)}, of which each node gets {sizes}"


def _some(names: list[str]) -> str:
    """Names in one line, as far as that can be read."""
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _print_stopped(cluster: state.ClusterDir, *, as_json: bool) -> None:
    """What is known of a cluster without its server."""
    known = _summary(cluster, None)
    if as_json:
        typer.echo(indented_json(known))
        return
    _print_rows([("Cluster", cluster.name), ("Status", "stopped"), ("Dialect", known["dialect"]), ("Data", known["dataDir"])])


def _print_rows(rows: list[tuple[str, str]]) -> None:
    for label, value in rows:
        if value:
            typer.echo(f"{label + ':':<14}{value}")


def clusters(output: OutputOption = "") -> None:
    """List the clusters on this machine."""
    found = [(cluster, cluster.server() if cluster.hidden is None else None) for cluster in state.all_clusters()]
    if check_output(output):
        typer.echo(indented_json([_listed(cluster, record) for cluster, record in found]))
        return
    if not found:
        typer.echo("No clusters; start one with: svcsim up", err=True)
        return
    rows = [
        [
            cluster.name,
            "running" if record else "stopped" if cluster.hidden is None else "unknown",
            *(str((record or _settings(cluster)).get(fact, "")) for fact in ("dialect", "url", "pid")),
        ]
        for cluster, record in found
    ]
    print_columns(["NAME", "STATUS", "DIALECT", "URL", "PID"], rows, sys.stdout)


def _settings(cluster: state.ClusterDir) -> Object:
    """What a cluster was started with the last time; nothing where that may not be read."""
    try:
        return state.read_json(cluster.settings_file)
    except OSError:
        return {}


def _listed(cluster: state.ClusterDir, record: Object | None) -> Object:
    """A cluster in a list, which others stand in as well: what keeps it back is a fact about it."""
    try:
        summary = _summary(cluster, record)
    except OSError as error:
        running = None if cluster.hidden else record is not None
        return {"name": cluster.name, "running": running, "hidden": f"{error.filename}: {(error.strerror or str(error)).lower()}"}
    return summary if cluster.hidden is None else {**summary, "running": None, "hidden": cluster.hidden}


def _summary(cluster: state.ClusterDir, record: Object | None) -> Object:
    kept = state.read_json(cluster.settings_file)
    return {
        "name": cluster.name,
        "running": record is not None,
        "dialect": kept.get("dialect", ""),
        "dataDir": str(cluster.data),
        **(record or {}),
    }


def kubeconfig(
    name: Name = "",
    cluster: ClusterOption = "",
    merge: Merge = False,
    remove: Remove = False,
    client_certificate: ClientCertificate = False,
) -> None:
    """Print a client configuration for a cluster, complete with certificates; or put it where clients look for it."""
    path = config.default_paths()[0]
    if remove:
        context = f"svcsim-{cluster_name(name, cluster)}"
        config.remove_from(path, context)
        typer.echo(f'Context "{context}" is gone from {path}')
        return
    home = target.looked_at(one_name(name, cluster))
    content = _configuration(home, client_certificate=client_certificate)
    if merge:
        context = f"svcsim-{home.name}"
        current = config.merge_into(path, content)
        typer.echo(f'Context "{context}" is in {path}, {_currently(context, current)}')
    else:
        from svcsim.meta.codec import encode_yaml

        typer.echo(encode_yaml(content).decode(), nl=False)
    for line in _notes(home):
        typer.echo(line, err=True)


def _configuration(home: state.ClusterDir, *, client_certificate: bool) -> Object:
    """A client configuration for the cluster's administrator, who shows a token or a certificate."""
    content = config.read_file(home.kubeconfig)
    if content is None or not content.get("clusters"):
        raise CommandError(f'there is no client configuration of cluster "{home.name}"; it is made with: svcsim up {home.name}')
    content = config.beside_others(content, f"svcsim-{home.name}")
    if not client_certificate:
        return content
    user = next(one["user"] for one in content["users"] if one["name"] == f"svcsim-{home.name}")
    user.pop("token", None)
    pki = Path((home.server() or {}).get("pki") or home.data / data_directory.PKI)
    for field, file in (("client-certificate-data", "admin.crt"), ("client-key-data", "admin.key")):
        try:
            user[field] = base64.b64encode((pki / file).read_bytes()).decode()
        except OSError as error:
            raise CommandError(f"can't read {pki / file}: {(error.strerror or str(error)).lower()}") from error
    return content


def _notes(home: state.ClusterDir) -> list[str]:
    """What users of a client configuration should know beforehand."""
    record = home.server()
    notes = [] if record else [f'Cluster "{home.name}" is stopped; start it with: svcsim up {home.name}']
    dialect = (record or state.read_json(home.settings_file)).get("dialect")
    if dialect == SVCAPI.name:
        notes.append(f'Cluster "{home.name}" speaks the {dialect} dialect. {FOR_KUBECTL}')
    return notes


def _currently(context: str, current: str) -> str:
    if current == context:
        return "and is the current one"
    return f'where "{current}" stays the current one; switch with: svcsim config use-context {context}'


def logs_server(name: Name = "", cluster: ClusterOption = "", follow: Follow = False, tail: Tail = -1) -> None:
    """Print the log of a cluster's server."""
    home = target.looked_at(one_name(name, cluster))
    if not home.log_file.exists():
        raise CommandError(f'there is no log of a cluster "{home.name}"')
    from svcsim.cli.own import server_log

    with contextlib.closing(server_log.follow(home.log_file)) as pieces:
        lines = next(pieces).splitlines(keepends=True)
        sys.stdout.writelines(lines if tail < 0 else lines[max(len(lines) - tail, 0) :])
        sys.stdout.flush()
        for piece in pieces if follow else ():
            sys.stdout.write(piece)
            sys.stdout.flush()
