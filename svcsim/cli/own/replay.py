"""``replay``: scenarios, run and checked, on a cluster of their own or on one that is up."""

from pathlib import Path
from typing import Annotated

import typer

from svcsim import limits
from svcsim.cli.failure import CommandError, ExitRequest, error_text
from svcsim.cli.own.parameters import ContextOption, KubeconfigOption, connect
from svcsim.cli.shared.paused_clock import resuming
from svcsim.client.kubeconfig import Access

NO_CLUSTER = 3
"""The exit status where the cluster to run on can't be reached: 1 says that an expectation failed."""

_FILES = "Scenario files, directories of them, or - for standard input."
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help=_FILES, show_default=False)]
Junit = Annotated[Path | None, typer.Option(help="Write a JUnit report.", metavar="FILE", show_default=False)]
Json = Annotated[Path | None, typer.Option(help="Write a report in JSON lines.", metavar="FILE", show_default=False)]
Seed = Annotated[int | None, typer.Option(help="Use this seed instead of those in the files.", metavar="N", min=0, show_default=False)]
Var = Annotated[list[str] | None, typer.Option("--var", help="Set a variable; can be repeated.", metavar="NAME=VALUE", show_default=False)]
Check = Annotated[bool, typer.Option("--check", help="Only check the files; run nothing.")]
Against = Annotated[str, typer.Option(help="Run on this running cluster, in its own time.", metavar="NAME", show_default=False)]


def replay(  # noqa: PLR0913, PLR0917 - the command's options
    files: Files,
    junit: Junit = None,
    json: Json = None,
    seed: Seed = None,
    var: Var = None,
    check: Check = False,
    against: Against = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
) -> None:
    """Run scenarios and check their expectations.

    The format is described by: python -m svcsim.scenario.reference
    """
    from svcsim.cluster.process import tune_process

    tune_process(limits.REPLAY_GARBAGE_THRESHOLDS)  # before the imports: of what they make nothing is garbage
    from svcsim.scenario import runner

    running = None
    if against or kubeconfig or context:
        named = (("--against", against), ("--kubeconfig", kubeconfig), ("--context", context))
        options = tuple(word for option, value in named if value for word in (option, value))
        running = runner.Running(*_access(against, kubeconfig, context), options)

    raise ExitRequest(
        runner.main(
            [str(file) for file in files],
            junit=str(junit) if junit else None,
            json=str(json) if json else None,
            seed=seed,
            vars=var or [],
            against=running,
            check_only=check,
        )
    )


def _access(name: str, kubeconfig: str, context: str) -> tuple[Access, str]:
    """The way to a cluster that is up, and the command that lets its clock go on."""
    try:
        session = connect(name, kubeconfig=kubeconfig, context=context)
        access, resume = session.access, resuming(session)
        session.close()
        if access.source is not None:
            access.source.current()  # while whoever has to be asked something sits here, and nothing else runs
    except (CommandError, ConnectionError) as error:
        typer.echo(error_text(error), err=True)
        raise ExitRequest(NO_CLUSTER) from error
    return access, resume
