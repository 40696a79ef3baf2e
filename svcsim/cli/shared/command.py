"""A kubectl-like command as data, and what its function is given. Nothing here is imported that a quick command would have to wait for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from svcsim.cli.flags import Flag, Options, UsageError

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


class Call(NamedTuple):
    """A command line, read: what a command's function is given."""

    args: list[str]
    options: Options
    session: "Session"


class Command(NamedTuple):
    """A command or a family of them, as data."""

    name: str
    usage: str
    doc: str
    """The first line says what it does."""
    flags: tuple[Flag, ...] = ()
    run: Callable[[Call], int | None] | None = None
    """Does it; an exit status other than 0 is returned, errors are raised."""
    subcommands: tuple["Command", ...] = ()
    completes: str = ""
    """What a shell completes arguments with: ``resource`` (or some only: ``resource:deployments,…``), ``pod``, ``field``, ``context``."""
    aliases: tuple[str, ...] = ()
    """Other names of a sub-command."""
    elsewhere: tuple[str, ...] = ()
    """Sub-commands that kubectl has and svcsim doesn't."""


def no_arguments(call: Call, path: str) -> None:
    """Refuse arguments, for a command that takes none."""
    if call.args:
        raise UsageError(f"error: unexpected arguments: [{' '.join(call.args)}]\nSee 'svcsim {path} -h' for help and examples")
