"""Parameters that svcsim's own commands have in common, and the way from them to a cluster."""

from typing import TYPE_CHECKING, Annotated

import typer

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.flags import GLOBAL_FLAGS, Options
from svcsim.cli.shared import target

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


def _refuse_empty(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """An empty name is a variable that isn't set: whoever gives one doesn't mean the default."""
    source = None if value else context.get_parameter_source(parameter.name or "")
    if source is not None and source.name == "COMMANDLINE":
        raise CommandError("the cluster's name is empty; leave it out to mean the default")
    return value


Name = Annotated[str, typer.Argument(metavar="[NAME]", help="The cluster's name.", show_default=False, callback=_refuse_empty)]
ClusterOption = Annotated[
    str,
    typer.Option("--cluster", metavar="NAME", help="The cluster's name, the same as NAME.", show_default=False, callback=_refuse_empty),
]
KubeconfigOption = Annotated[str, typer.Option("--kubeconfig", metavar="FILE", help="The client configuration to use.", show_default=False)]
ContextOption = Annotated[
    str, typer.Option("--context", metavar="NAME", help="The context of the client configuration.", show_default=False)
]
NamespaceOption = Annotated[str, typer.Option("--namespace", "-n", metavar="NAME", help="The namespace to start in.", show_default=False)]
OutputOption = Annotated[str, typer.Option("--output", "-o", metavar="FORMAT", help="The output format: json.", show_default=False)]
FOR_KUBECTL = "For kubectl and other Kubernetes clients start one with: svcsim up NAME --dialect kubernetes"
"""What to tell people whose cluster those clients don't understand."""


def one_name(name: str, cluster: str) -> str:
    """The name given either way; empty where there is none."""
    if name and cluster and name != cluster:
        raise CommandError(f'two clusters are named: "{name}" and "{cluster}"')
    return name or cluster


def cluster_name(name: str, cluster: str) -> str:
    """The name of the cluster to start or stop: as given, chosen, or by default."""
    chosen = target.named_or_default(one_name(name, cluster)).name
    plain = chosen.isascii() and all(char.isalnum() or char in "-_." for char in chosen)
    if not plain or chosen.startswith((".", "-")) or len(chosen) > limits.CLUSTER_NAME_CHARS:
        most = limits.CLUSTER_NAME_CHARS
        raise CommandError(
            f'"{chosen}" is no name for a cluster: use letters from a to z, digits, "-", "_" and ".", at most {most} of them'
        )
    return chosen


def connect(
    name: str = "", *, kubeconfig: str = "", context: str = "", namespace: str = "", user: str = "", request_timeout: str = ""
) -> "Session":
    """A session with the cluster of that name, or whichever the flags and the environment mean."""
    from svcsim.cli.shared.session import Session

    options = Options(GLOBAL_FLAGS)
    given = {"cluster": name, "kubeconfig": kubeconfig, "context": context, "namespace": namespace, "user": user}
    for flag, value in {**given, "request-timeout": request_timeout}.items():
        if value:
            options.set(flag, value)
    return Session(options)


def check_output(output: str) -> bool:
    """Whether JSON is wanted. Raises `CommandError` for a format we don't have."""
    if output not in ("", "json"):
        raise CommandError(f'unable to match a printer suitable for the output format "{output}", allowed formats are: json')
    return output == "json"
