"""``cd`` and ``pwd``: the working directory, as it was come to (``-L``) or without symbolic links (``-P``)."""

from svcsim.nodes.shell.exit_codes import SYNTAX
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.tree import FileError, resolve

_LETTERS, _LETTERS_OF_BASH = "LP", "LPe"


async def change_directory(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``cd [-L|-P] [DIRECTORY]``."""
    letters, rest = _options(args)
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
    letters, _ = _options(args)
    if unknown := letters.strip(_LETTERS):
        await shell.say_error(streams, f"pwd: Illegal option -{unknown[0]}")
        return SYNTAX
    place = shell.parameters.directory
    if _is_physical(letters):
        place = shell.world.tree.real_path(place)
    await streams.write(f"{place}\n".encode("utf-8", "surrogateescape"))
    return 0


def _options(args: list[str]) -> tuple[str, list[str]]:
    """The letters of the options, and the other arguments."""
    letters, rest = "", list(args)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        letters += word[1:]
    return letters, rest


def _is_physical(letters: str) -> bool:
    """Of ``-L`` and ``-P`` the last one counts."""
    return letters.rfind("P") > letters.rfind("L")
