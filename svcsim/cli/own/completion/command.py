"""``completion``: prints the script for a shell. ``completions/`` holds the same, ready to be packaged."""

from collections.abc import Callable
from typing import Annotated

import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.own.completion import bash, fish, zsh
from svcsim.cli.own.completion.model import CommandWords, commands

SCRIPTS: dict[str, Callable[[list[CommandWords]], str]] = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}
"""By the shell's name, which is also the file's in ``completions/``."""


def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print a completion script for your shell."""
    if shell not in SCRIPTS:
        raise CommandError(f'there is no completion for "{shell}"; there is for: {", ".join(SCRIPTS)}')
    typer.echo(SCRIPTS[shell](commands()), nl=False)
