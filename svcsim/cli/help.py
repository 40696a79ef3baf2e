"""Help for kubectl-like commands, written from their flags."""

from typing import TextIO

from svcsim.cli.examples import EXAMPLES
from svcsim.cli.flags import GLOBAL_FLAGS, Flag
from svcsim.cli.shared.command import Call, Command

WHICH_CLUSTER = """
The cluster that a command talks to is the first of these:
  --kubeconfig, --context or --server
  --cluster, or $SVCSIM_CLUSTER
  $KUBECONFIG
  the one chosen with svcsim use
  the running svcsim cluster named "default"
  the only svcsim cluster that runs
~/.kube/config is used with --context (or when it is named) only.
"""


def print_help(command: Command, path: str, to: TextIO) -> None:
    """Print what a command does, its flags and how it is called."""
    lines = [command.doc, ""]
    if path in EXAMPLES:
        lines += ["Examples:", *(f"  svcsim {example}" for example in EXAMPLES[path]), ""]
    if command.subcommands:
        width = max(16, 2 + max(len(sub.name) for sub in command.subcommands))
        lines.append("Available Commands:")
        lines += [f"  {sub.name:<{width}}{sub.doc.splitlines()[0].rstrip('.')}" for sub in command.subcommands]
        lines.append("")
    if command.run is None:
        lines += ["Usage:", f"  svcsim {path} SUBCOMMAND [flags]"]
    else:
        if command.flags:
            lines.append("Options:")
            lines += describe_flags(command.flags)
        lines += ["Usage:", f"  svcsim {path.removesuffix(command.name)}{command.usage}"]
    lines.append("")
    if command.subcommands:
        lines.append(f'Use "svcsim {path} <command> --help" for more about a subcommand.')
    if command.run is not None:
        lines.append('Use "svcsim options" for the flags that all of these commands accept.')
    to.write("\n".join(lines) + "\n")


def describe_flags(flags: tuple[Flag, ...]) -> list[str]:
    """Flags with their defaults and what they do, by name."""
    lines: list[str] = []
    for flag in sorted(flags, key=lambda flag: flag.name):
        short = f"-{flag.short}, " if flag.short else ""
        lines += [f"    {short}--{flag.name}={_default(flag)}:", f"\t{flag.doc}", ""]
    return lines


def _default(flag: Flag) -> str:
    if flag.kind == "bool":
        return "true" if flag.default else "false"
    if flag.kind in ("list", "array"):
        return "[]"
    if flag.kind == "duration":
        return f"{flag.default:g}s" if isinstance(flag.default, float) else "0s"
    return f"'{flag.default}'" if flag.kind == "text" else str(flag.default)


def _options(call: Call) -> None:
    call.session.out.write("The following options can be passed to any of the kubectl-like commands:\n\n")
    call.session.out.write("\n".join(describe_flags(GLOBAL_FLAGS)) + "\n" + WHICH_CLUSTER)


OPTIONS = Command("options", "options", "List the flags that all kubectl-like commands accept.", (), _options)
