"""The positional and special parameters of a shell, such as ``$1``, ``$?`` and ``$$``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from svcsim.nodes.shell.options import letters_of
from svcsim.nodes.shell.tree import UMASK

_ALWAYS_OF_BASH = "hBc"
"""Letters that ``$-`` always has in bash."""
_PLACE_DIGITS = 6


@dataclass(slots=True)
class Parameters:
    """The parameters of one shell. A subshell begins with a copy."""

    name: str = "sh"
    """``$0``."""
    arguments: Sequence[str] = ()
    """``$1`` and those that follow."""
    directory: str = "/"
    """The working directory, ``$PWD``."""
    options: frozenset[str] = frozenset()
    """Named as in `options.py`."""
    status: int = 0
    """The exit code of the last command, ``$?``."""
    pid: int = 0
    """``$$``, which subshells share."""
    parent_pid: int = 0
    """``$PPID``; 0 if the shell was started from outside of the container."""
    latest_job: str = ""
    """``$!``, which subshells inherit."""
    started_at: float = 0.0
    """The time from which ``$SECONDS`` counts, in seconds."""
    line: int = 1
    """The line of the command that runs, ``$LINENO``."""
    lines_before: int = 0
    """How many lines come before the first one of what runs: ``eval`` and command substitutions count on."""
    umask: int = UMASK
    """The mode bits that new files and directories go without."""
    is_bash: bool = False
    """Whether the extensions of bash are known."""

    def get(self, name: str) -> str | None:
        """The value of a parameter, or of a variable that the shell sets; None if there is no such one."""
        if name.isdigit():
            return self._positional(int(name[:_PLACE_DIGITS]))
        match name:
            case "?":
                return str(self.status)
            case "#":
                return str(len(self.arguments))
            case "$":
                return str(self.pid)
            case "!":
                return self.latest_job or None
            case "-":
                return letters_of(self.options) + (_ALWAYS_OF_BASH if self.is_bash else "")
            case "PWD":
                return self.directory
            case "LINENO":
                return str(self.line)
            case "PPID":
                return str(self.parent_pid)
        return None

    @contextmanager
    def counting_lines(self, before: int) -> Iterator[None]:
        """While a text of its own runs, before whose first line so many are counted."""
        former = self.line, self.lines_before
        self.lines_before = before
        try:
            yield
        finally:
            self.line, self.lines_before = former

    def _positional(self, place: int) -> str | None:
        if place == 0:
            return self.name
        return self.arguments[place - 1] if place <= len(self.arguments) else None
