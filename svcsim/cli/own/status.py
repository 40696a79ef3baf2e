"""``status``, ``clusters``, ``kubeconfig`` and ``logs-server``: looking at clusters from outside."""

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import print_columns
from svcsim.cli.output.values import indented_json
from svcsim.cli.own.parameters import (
    ClusterOption,
    ContextOption,
    KubeconfigOption,
    Name,
    OutputOption,
    check_output,
    cluster_name,
    connect,
)
from svcsim.cli.shared import state
from svcsim.client import kubeconfig as config
from svcsim.meta.times import human_duration
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from pathlib import Path

Merge = Annotated[bool, typer.Option("--merge", help="Add it to the client configuration as context svcsim-NAME.")]
Remove = Annotated[bool, typer.Option("--remove", help="Remove it from the client configuration.")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")]
Tail = Annotated[int, typer.Option("--tail", help="Print only this many of the last lines.", metavar="N", show_default="all")]


def status(
    name: Name = "",
    cluster: ClusterOption = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
    output: OutputOption = "",
) -> None:
    """Show the state of a cluster."""
    as_json = check_output(output)
    if kubeconfig or context:
        session = connect(kubeconfig=kubeconfig, context=context)
        chosen = context
    else:
        chosen = cluster_name(name, cluster)
        session = connect(chosen)
    try:
        answer = session.get("/svcsim/v1/status")
    finally:
        session.close()
    if as_json:
        typer.echo(indented_json(answer))
        return
    rows = [
        ("Cluster", chosen),
        ("URL", answer["url"]),
        ("Dialect", answer["dialect"]),
        ("Process", str(answer["pid"])),
        ("Running for", human_duration(answer["uptimeSeconds"])),
        ("Revision", str(answer["revision"])),
        ("Objects", str(answer["objects"])),
        ("Memory", f"{answer['rssBytes'] / 2**20:.1f} MiB"),
        ("Clock", _pace(answer.get("clockSpeed", 1))),
        ("Trouble", answer.get("trouble", "")),
    ]
    for label, value in rows:
        if value:
            typer.echo(f"{label + ':':<14}{value}")


def _pace(speed: float) -> str:
    if speed == 0:
        return "paused"
    return "real time" if speed == 1 else f"x{speed:g}"


def clusters(output: OutputOption = "") -> None:
    """List the clusters on this machine."""
    found = [(cluster, cluster.server()) for cluster in state.all_clusters()]
    if check_output(output):
        typer.echo(indented_json([_summary(cluster, record) for cluster, record in found]))
        return
    if not found:
        typer.echo("No clusters; start one with: svcsim up", err=True)
        return
    rows = [
        [
            cluster.name,
            "running" if record else "stopped",
            *(str((record or state.read_json(cluster.settings_file)).get(fact, "")) for fact in ("dialect", "url", "pid")),
        ]
        for cluster, record in found
    ]
    print_columns(["NAME", "STATUS", "DIALECT", "URL", "PID"], rows, sys.stdout)


def _summary(cluster: state.ClusterDir, record: Object | None) -> Object:
    kept = state.read_json(cluster.settings_file)
    return {
        "name": cluster.name,
        "running": record is not None,
        "dialect": kept.get("dialect", ""),
        "dataDir": str(cluster.data),
        **(record or {}),
    }


def kubeconfig(name: Name = "", cluster: ClusterOption = "", merge: Merge = False, remove: Remove = False) -> None:
    """Print a client configuration for a cluster, complete with certificates; or put it where clients look for it."""
    home = state.cluster_dir(cluster_name(name, cluster))
    context = f"svcsim-{home.name}"
    target: Path = config.default_paths()[0]
    if remove:
        config.remove_from(target, context)
        typer.echo(f'Context "{context}" is gone from {target}')
        return
    content = config.read_file(home.kubeconfig)
    if content is None or home.server() is None:
        raise CommandError(f'cluster "{home.name}" is not running; start it with: svcsim up {home.name}')
    if merge:
        current = config.merge_into(target, content)
        typer.echo(f'Context "{context}" is in {target}, {_currently(context, current)}')
        return
    from svcsim.meta.codec import encode_yaml

    typer.echo(encode_yaml(content).decode(), nl=False)


def _currently(context: str, current: str) -> str:
    if current == context:
        return "and is the current one"
    return f'where "{current}" stays the current one; switch with: svcsim config use-context {context}'


def logs_server(name: Name = "", cluster: ClusterOption = "", follow: Follow = False, tail: Tail = -1) -> None:
    """Print the log of a cluster's server."""
    home = state.cluster_dir(cluster_name(name, cluster))
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
