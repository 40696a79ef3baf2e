"""``replay``: scenarios, run and checked, on a cluster of their own or on one that is up."""

from pathlib import Path
from typing import Annotated

import typer

from svcsim.cli.failure import ExitRequest
from svcsim.cli.own import ContextOption, KubeconfigOption, connect

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files.", show_default=False)]
Junit = Annotated[Path | None, typer.Option(help="Write a JUnit report.", metavar="FILE", show_default=False)]
Json = Annotated[Path | None, typer.Option(help="Write a report of JSON lines.", metavar="FILE", show_default=False)]
Seed = Annotated[int | None, typer.Option(help="Use this seed in place of the files'.", metavar="N", show_default=False)]
Var = Annotated[
    list[str] | None, typer.Option("--var", help="Give a variable its value; may be given often.", metavar="NAME=VALUE", show_default=False)
]
Against = Annotated[str, typer.Option(help="Run on this cluster, which is up, in its time.", metavar="NAME", show_default=False)]


def replay(
    files: Files,
    junit: Junit = None,
    json: Json = None,
    seed: Seed = None,
    var: Var = None,
    against: Against = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
) -> None:
    """Replay scenarios and check what they expect."""
    access = None
    if against or kubeconfig or context:
        session = connect(against, kubeconfig=kubeconfig, context=context)
        access = session.access
        session.close()
    from svcsim.scenario import runner  # noqa: PLC0415 - it brings the whole cluster

    raise ExitRequest(
        runner.main(
            [str(file) for file in files],
            junit=str(junit) if junit else None,
            json=str(json) if json else None,
            seed=seed,
            vars=var or [],
            against=access,
        )
    )
