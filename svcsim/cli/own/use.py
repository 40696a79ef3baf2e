"""``use``: remembers which cluster commands go to that name none."""

import os
from typing import Annotated

import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.own.parameters import Name
from svcsim.cli.shared import state, target

Forget = Annotated[bool, typer.Option("--forget", help="Forget the choice.")]


def use(name: Name = "", forget: Forget = False) -> None:
    """Remember which cluster commands go to; without NAME, print it."""
    if forget and name:
        raise CommandError("either name a cluster or give --forget")
    if forget:
        target.forget()
        typer.echo("No cluster is chosen any more")
    elif name:
        _choose(name)
    else:
        _show()


def _choose(name: str) -> None:
    known = state.all_clusters()
    if name not in [cluster.name for cluster in known]:
        there_are = f"there are: {target.listed(known)}" if known else f"start it with: svcsim up {name}"
        raise CommandError(f'there is no cluster "{name}"; {there_are}')
    target.remember(name)
    stopped = "" if state.cluster_dir(name).running() else f"; it is stopped, start it with: svcsim up {name}"
    typer.echo(f'Commands go to cluster "{name}" from now on{stopped}')
    for variable in (target.VARIABLE, "KUBECONFIG"):
        if os.environ.get(variable):
            typer.echo(f"but ${variable} is set, which goes first: {os.environ[variable]}", err=True)


def _show() -> None:
    if os.environ.get("KUBECONFIG") and not os.environ.get(target.VARIABLE):
        typer.echo(f"Commands go where $KUBECONFIG says: {os.environ['KUBECONFIG']}")
        return
    choice = target.named()
    cluster = target.meant()
    why = choice.by if choice else "nothing is chosen"
    typer.echo(f'Commands go to cluster "{cluster.name}" ({why})')
