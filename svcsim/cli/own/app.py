"""The typer application: svcsim's own commands, the list of all commands, and what to say about a command line that names none.

Modules of commands are imported when their command is run, or its help asked for, never for the list. Options and messages look like
those of the kubectl-like commands, so that nobody has to know which parser they met.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import typer
from typer.main import get_command

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.examples import OWN_EXAMPLES
from svcsim.cli.flags import GLOBAL_FLAGS, HELP_FLAG, UsageError, find_command, parse

if TYPE_CHECKING:
    from collections.abc import Callable

_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""click's UsageError; typer brings its own copy of click or not, depending on its version, and names only this child of it."""

HELP = """Commands for clusters:
{own}

Commands as in kubectl:
{kubectl}

Flags for every command: --cluster, --kubeconfig, --context, -n/--namespace.
Use "svcsim COMMAND --help" for more about a command, and "svcsim options" for the flags of all kubectl-like commands.
"""


KUBECTLS_OWN = (
    "alpha", "attach", "cp", "debug", "exec", "kustomize", "plugin", "port-forward", "proxy", "set", "top",
)  # fmt: skip
"""Commands of kubectl that svcsim doesn't have."""


def own_command(name: str):  # type: ignore[no-untyped-def] # noqa: ANN201 - click's type, which typer doesn't name
    """One of svcsim's own commands as click knows it."""
    entry = OWN[name]
    found: typer.Typer | Callable[..., object] = getattr(import_module(entry.module), entry.attribute)
    if isinstance(found, typer.Typer):
        app = found
    else:
        app = new_app()
        app.command(name)(found)
    command = get_command(app)
    command.name = name
    if name in OWN_EXAMPLES:
        command.epilog = "\b\nExamples:\n" + "\n".join(f"  svcsim {example}" for example in OWN_EXAMPLES[name])
    return command


def new_app() -> typer.Typer:
    """An application with plain help and plain errors."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def run_app(argv: list[str]) -> int:
    """Run one of svcsim's own commands, or say what there is; the exit status."""
    index = find_command(argv)
    if index is None:
        asked = [word for word in argv if word.startswith(("-h=", "--help="))]
        try:
            parse((HELP_FLAG,), asked)
        except UsageError as error:
            raise UsageError(f"Error: {error}\nSee 'svcsim --help' for usage.") from None
        if any(word in ("--version", "-V") for word in argv):
            from svcsim.server.plain.version import SVCSIM

            typer.echo(f"svcsim {SVCSIM}")
            return 0
        typer.echo(overview(), nl=False)
        return 0
    name = argv[index]
    if name not in OWN:
        raise UsageError(unknown_command(name))
    command = own_command(name)
    words = _without_idle_flags(
        [*argv[:index], *argv[index + 1 :]], name, _options(command), _options(_sub_command(command, argv[index + 1 :]))
    )
    try:
        status = command.main(args=words, prog_name=f"svcsim {name}", standalone_mode=False)
    except _USAGE_ERROR as error:
        raise UsageError(f"error: {_plain(error, words)}\nSee 'svcsim {name} --help' for usage.", OWN[name].misuse) from None
    except typer.Exit as leave:
        return leave.exit_code
    except typer.Abort:
        return 130
    return status if isinstance(status, int) else 0


_IDLE = ("namespace", "request-timeout")
"""Flags for every command that mean nothing to svcsim's own; those about no cluster ignore them all."""
_ABOUT_NO_CLUSTER = ("completion", "clusters")


def _sub_command(command: object, words: list[str]) -> object:
    """The one of its commands that a family's words name; None where there is none."""
    commands: dict[str, object] = getattr(command, "commands", {})
    return next((commands[word] for word in words if word in commands), None)


def _options(command: object) -> list[str]:
    """The options that click knows of a command."""
    return [option for param in getattr(command, "params", ()) for option in param.opts]


def _without_idle_flags(words: list[str], command: str, known: list[str], of_sub_command: list[str]) -> list[str]:
    """The words without those flags for every command that make no difference to this one.

    Those that only make one to its sub-command come last, wherever they stand.
    """
    idle = [flag for flag in GLOBAL_FLAGS if (command in _ABOUT_NO_CLUSTER or flag.name in _IDLE) and f"--{flag.name}" not in known]
    kept: list[str] = []
    last: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*kept, *last, word, *rest]
        flag = next(
            (flag for flag in idle if word.partition("=")[0] == f"--{flag.name}" or (flag.short and word.startswith(f"-{flag.short}"))),
            None,
        )
        if flag is None:
            kept.append(word)
            continue
        taken = [word]
        if not flag.bare and word in (f"--{flag.name}", f"-{flag.short}"):
            value = next(rest, None)
            if value is None:
                raise UsageError(f"error: flag needs an argument: {word}\nSee 'svcsim {command} --help' for usage.")
            taken.append(value)
        if f"--{flag.name}" in of_sub_command:
            last += taken
    return kept + last


def overview() -> str:
    """Every command with what it does."""
    width = 2 + max(map(len, (*OWN, *KUBECTL_LIKE)))
    groups = ["\n".join(f"  {name:<{width}}{entry.doc}" for name, entry in commands.items()) for commands in (OWN, KUBECTL_LIKE)]
    return "svcsim runs simulated Kubernetes-style clusters on this machine.\n\n" + HELP.format(own=groups[0], kubectl=groups[1])


def unknown_command(name: str) -> str:
    """What to say about a command that isn't one."""
    if name in KUBECTLS_OWN:
        return (
            f'error: "svcsim {name}" is not there, but kubectl has it: "svcsim kubeconfig --merge" makes clusters known to it, '
            f'then use "kubectl --context svcsim-NAME {name}" with a cluster of the kubernetes dialect'
        )
    import difflib

    near = difflib.get_close_matches(name, [*OWN, *KUBECTL_LIKE], n=3, cutoff=0.6)
    guesses = "\n\nDid you mean this?\n" + "".join(f"\t{guess}\n" for guess in near) if near else ""
    return f'error: unknown command "{name}" for "svcsim"{guesses}'


def _plain(error: Exception, words: list[str]) -> str:
    """Click's message, in kubectl's manner."""
    option: str = getattr(error, "option_name", "")
    if option[1:2].isdigit():  # no flag is a number: it is a value, and none that is no flag's may be negative
        return f"nothing can be negative here: {next((word for word in words if word.startswith(option)), option)}"
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if format_message else error).rstrip(".")
    message = message.replace("No such option: ", "unknown flag: ").replace("is not a valid int range", "is no whole number")
    return message[:1].lower() + message[1:]
