"""``clock``: a cluster's time, seen and steered while it serves."""

import math
from contextlib import AbstractContextManager
from typing import Annotated

import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.own.parameters import ContextOption, KubeconfigOption, OutputOption, check_output, connect
from svcsim.cli.shared.session import Session
from svcsim.client import paths
from svcsim.meta.times import human_duration, parse_span
from svcsim.meta.types import Object
from svcsim.meta.wait_condition import FORMS
from svcsim.printing.values import indented_json

ClusterOption = Annotated[str, typer.Option("--cluster", metavar="NAME", help="The cluster's name.", show_default=False)]
OBJECTS = "[TIME | TYPE/NAME... | TYPE NAME...]"
_PACES = {"real": 1.0, "paused": 0.0}
_WORTH_TELLING_S = 60.0
_SMALLEST_STEP_S = 0.5e-6
"""What is less than that moves nothing: the cluster's time is told in microseconds."""
_REACHED = 0.9
"""The fraction of the requested speed from which the actual speed isn't worth mentioning."""

clock = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    help="Show, pause, step, advance or change the speed of a cluster's clock, or have it go on until something holds.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@clock.callback()
def shared(
    context: typer.Context,
    cluster: ClusterOption = "",
    kubeconfig: KubeconfigOption = "",
    kube_context: ContextOption = "",
    output: OutputOption = "",
) -> None:
    """Say which cluster is meant, for all that follows."""
    context.obj = {"name": cluster, "kubeconfig": kubeconfig, "context": kube_context}
    if context.invoked_subcommand is None:
        show(context, output=output)
    elif output:
        raise CommandError("--output is for showing the clock: svcsim clock show -o json")


def _ask(context: typer.Context, cluster: str, wish: Object | None = None) -> Object:
    with _session(context, cluster) as session:
        return session.get(paths.CLOCK) if wish is None else session.write("PUT", paths.CLOCK, wish)


def _session(context: typer.Context, cluster: str, namespace: str = "") -> AbstractContextManager[Session]:
    where: dict[str, str] = dict(context.obj)
    named = cluster or where["name"]
    return connect(named, kubeconfig=where["kubeconfig"], context=where["context"], namespace=namespace).told_of()


def _print(state: Object) -> None:
    typer.echo(f"{state['now']} ({pace_text(state['speed'])}{_held_text(state)})")


def pace_text(speed: float) -> str:
    """A clock's speed, in words."""
    if speed == 0:
        return "paused"
    return "real time" if speed == 1 else f"x{speed:g}"


def _held_text(state: Object) -> str:
    """What became of the speed that was asked for, where that is too much for the machine."""
    reached = state.get("reachedSpeed", state["speed"])
    return f", x{reached:.3g} reached" if reached < _REACHED * state["speed"] else ""


def ahead_text(ahead_s: float) -> str:
    """How far a cluster's time is from this machine's, in words; empty where that is less than a minute."""
    if abs(ahead_s) < _WORTH_TELLING_S:
        return ""
    return f"{human_duration(abs(ahead_s))} {'ahead of' if ahead_s > 0 else 'behind'} the machine's time"


@clock.command()
def show(context: typer.Context, cluster: ClusterOption = "", output: OutputOption = "") -> None:
    """Print the cluster's time and speed."""
    state = _ask(context, cluster)
    if check_output(output):
        typer.echo(indented_json(state))
        return
    _print(state)
    if away := ahead_text(state.get("aheadSeconds", 0.0)):
        typer.echo(f"It is {away}; to set it to that, stop the cluster, and start it with: svcsim up --start now", err=True)


@clock.command()
def pause(context: typer.Context, cluster: ClusterOption = "") -> None:
    """Stop the cluster's clock."""
    _print(_ask(context, cluster, {"speed": 0}))


@clock.command()
def resume(context: typer.Context, cluster: ClusterOption = "") -> None:
    """Let the cluster's clock run in real time again."""
    _print(_ask(context, cluster, {"speed": 1}))


@clock.command()
def step(
    context: typer.Context,
    time: Annotated[str, typer.Argument(metavar="TIME", help="How far to go, such as 30s, 1h or 30d.")],
    cluster: ClusterOption = "",
) -> None:
    """Move a paused clock forward."""
    _moved(context, cluster, time, "step")


@clock.command()
def advance(
    context: typer.Context,
    time: Annotated[str, typer.Argument(metavar="TIME", help="How far to go, such as 30s, 1h or 30d.")],
    cluster: ClusterOption = "",
) -> None:
    """Move the clock forward as fast as it goes, then let it run on."""
    _moved(context, cluster, time, "advance")


def _moved(context: typer.Context, cluster: str, time: str, how: str) -> None:
    try:
        seconds = parse_span(time)
    except ValueError:
        raise CommandError(f'a step is a duration such as 30s, 1h or 30d, not "{time}"') from None
    if 0 < seconds < _SMALLEST_STEP_S:
        raise CommandError(f'the smallest step is 1us, and not "{time}"')
    from svcsim.cli.own import stepping

    with _session(context, cluster) as session:
        _print(stepping.step(session, seconds, how))


@clock.command()
def until(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar=OBJECTS, help="A time, or the objects that --for is about.", show_default=False),
    ] = None,
    wanted: Annotated[str, typer.Option("--for", metavar="CONDITION", help=f"What has to hold: {FORMS}.", show_default=False)] = "",
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="TIME", help="How much of the cluster's time it may take.", show_default="24h")
    ] = "",
    namespace: Annotated[str, typer.Option("--namespace", "-n", metavar="NAME", help="Where the objects are.", show_default=False)] = "",
    selector: Annotated[str, typer.Option("--selector", "-l", metavar="LABELS", help="A label selector.", show_default=False)] = "",
    every: Annotated[bool, typer.Option("--all", help="All objects of the given types.")] = False,
    cluster: ClusterOption = "",
) -> None:
    """Move the clock forward until something holds, and stop it there.

    It goes as fast as the work allows. The objects are those that are there when the clock is asked to go, and it has to hold
    for all of them at once.
    """
    from svcsim.cli.own import until as moving

    with _session(context, cluster, namespace) as session:
        _print(moving.until(session, words or [], wanted, moving.selecting(selector, every=every), timeout))


@clock.command()
def speed(
    context: typer.Context,
    pace: Annotated[str, typer.Argument(metavar="PACE", help="Cluster seconds per second, such as 10, x10 or 0.5; or real, or paused.")],
    cluster: ClusterOption = "",
) -> None:
    """Set how fast the cluster's clock runs."""
    try:
        wanted = _PACES[pace] if pace in _PACES else float(pace.removeprefix("x"))
    except ValueError:
        wanted = math.nan
    if not math.isfinite(wanted):
        raise CommandError(f'a pace is a number such as 10, x10 or 0.5, or real, or paused, not "{pace}"')
    _print(_ask(context, cluster, {"speed": wanted}))
