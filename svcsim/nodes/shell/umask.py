"""``umask``: which mode bits new files and directories go without."""

import re

from svcsim.nodes.shell.exit_codes import SYNTAX
from svcsim.nodes.shell.file_modes import changed_mode, permissions
from svcsim.nodes.shell.options import read_letters
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams

_DIGITS = re.compile(r"[0-7]{1,6}")
_PERMISSIONS = 0o777
_CLASSES = {"u": 0, "g": 3, "o": 6}
"""Where theirs begin in permissions as they are written."""
_OF_SHELLS, _OF_BASH = "S", "Sp"


async def umask(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``umask [-S] [MODE]``: octal, or symbolic, which says what files do get; ``-p`` of bash prints it as a command."""
    letters, rest = read_letters(args)
    known = _OF_BASH if shell.parameters.is_bash else _OF_SHELLS
    for letter in letters:
        if letter not in known:
            await shell.say_error(streams, f"umask: Illegal option -{letter}")
            return SYNTAX
    if rest:
        mask = _read(rest[0], shell.parameters.umask)
        if mask is None:
            await shell.say_error(streams, f"umask: Illegal {'number' if rest[0][:1].isdigit() else 'mode'}: {rest[0]}")
            return 1 if shell.parameters.is_bash else SYNTAX
        shell.parameters.umask = mask
    if not rest or ("S" in letters and shell.parameters.is_bash):
        before = f"umask {'-S ' if 'S' in letters else ''}" if "p" in letters and not rest else ""
        await streams.write(f"{before}{_shown(shell.parameters.umask, symbolic='S' in letters)}\n".encode())
    return 0


def _read(said: str, mask: int) -> int | None:
    """The umask after it was set, or None if the argument is invalid."""
    if said[:1].isdigit():
        return int(said, 8) & _PERMISSIONS if _DIGITS.fullmatch(said) else None
    left = changed_mode(said, ~mask & _PERMISSIONS, is_directory=False, umask=0)
    return None if left is None else ~left & _PERMISSIONS


def _shown(mask: int, *, symbolic: bool) -> str:
    if not symbolic:
        return f"{mask:04o}"
    left = permissions(~mask & _PERMISSIONS)
    return ",".join(f"{name}={left[start : start + 3].replace('-', '')}" for name, start in _CLASSES.items())
