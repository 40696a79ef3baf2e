"""Which first processes wait for what comes in: shells that take commands, and programs that are given nothing else to read."""

from collections.abc import Iterator, Sequence

from svcsim.nodes.containers.invocations import program_of
from svcsim.nodes.containers.scripts import parsed, shell_command
from svcsim.nodes.images.images import command_line, waits_for_commands
from svcsim.nodes.shell.process import base
from svcsim.nodes.shell.programs.shells import SHELLS
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.syntax import Command, Script, SimpleCommand
from svcsim.nodes.shell.traversal import literal, scripts_of


def awaiting_input(image: str, command: tuple[str, ...], args: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command line of a container that waits for what comes in; empty where that isn't simulated, None for one that doesn't wait."""
    words = command_line(image, command, args)
    if not words:
        return waits_for_commands(image)
    if base(words[0]) not in SHELLS:
        return words if _reads(words) else None
    given = shell_command(words)
    if given is None:
        return words if all(word.startswith("-") for word in words[1:]) else None
    try:
        return words if any(_reads_first(one) for one in _first_ones(parsed(given.text, bash=given.bash))) else None
    except ShellSyntaxError:
        return None


def _first_ones(script: Script) -> Iterator[SimpleCommand]:
    """The commands of a script that read what comes in for it, if they read anything."""
    for step in script:
        first: Command = step.pipeline.commands[0]
        if any(one.operator.startswith("<") for one in first.redirections):
            continue
        if isinstance(first, SimpleCommand):
            yield first
        for inner in scripts_of(first):
            yield from _first_ones(inner)


def _reads_first(command: SimpleCommand) -> bool:
    words = [literal(word) for word in command.words]
    return bool(words) and words[0] is not None and _reads([word or "" for word in words])


def _reads(words: Sequence[str]) -> bool:
    rest = [word for word in words[1:] if not word.startswith("-") and not word.isdecimal()]
    program = program_of(words)
    beside = program.reads_beside if program is not None else None
    return words[0] == "read" or (beside is not None and len(rest) <= beside)
