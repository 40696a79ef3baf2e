"""``cd`` and ``pwd``: the working directory, as it was come to (``-L``) or without symbolic links (``-P``)."""

from svcsim.nodes.shell.exit_codes import SYNTAX
from svcsim.nodes.shell.options import read_letters
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.tree import FileError, resolve

_LETTERS, _LETTERS_OF_BASH = "LP", "LPe"


async def change_directory(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``cd [-L|-P] [DIRECTORY]``."""
    letters, rest = read_letters(args)
    known = _LETTERS_OF_BASH if shell.parameters.is_bash else _LETTERS
    if unknown := letters.strip(known):
        await shell.say_error(streams, f"cd: Illegal option -{unknown[0]}")
        return SYNTAX
    wanted = rest[0] if rest else shell.variables.get("HOME") or "/"
    path = shell.variables.get("OLDPWD") or "/" if wanted == "-" else wanted
    try:
        place = resolve(path, shell.parameters.directory)
        shell.world.tree.directory(place)
        if _is_physical(letters):
            place = shell.world.tree.real_path(place)
    except FileError as error:
        await shell.say_error(streams, f"cd: can't cd to {wanted}: {error}")
        return 1
    shell.variables.set("OLDPWD", shell.parameters.directory)
    shell.parameters.directory = place
    shell.variables.set("PWD", place)
    if wanted == "-":
        await streams.write(f"{place}\n".encode("utf-8", "surrogateescape"))
    return 0


async def tell_directory(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``pwd [-L|-P]``."""
    letters, _ = read_letters(args)
    if unknown := letters.strip(_LETTERS):
        await shell.say_error(streams, f"pwd: Illegal option -{unknown[0]}")
        return SYNTAX
    place = shell.parameters.directory
    if _is_physical(letters):
        place = shell.world.tree.real_path(place)
    await streams.write(f"{place}\n".encode("utf-8", "surrogateescape"))
    return 0


def _is_physical(letters: str) -> bool:
    """Of ``-L`` and ``-P`` the last one counts."""
    return letters.rfind("P") > letters.rfind("L")
