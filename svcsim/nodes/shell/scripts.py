"""Parses scripts that are about to run. Short ones are kept, since a loop may run them again and again."""

from functools import lru_cache

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.nodes.shell.parser import parse
from svcsim.nodes.shell.syntax import Script


async def read_script(text: str, *, bash: bool, more_may_come: bool = False) -> Script:
    """The syntax tree of a script. Raises `ShellSyntaxError`."""
    if len(text) <= limits.SHELL_SCRIPT_CHARS and not more_may_come:
        return _parsed(text, bash=bash)
    return await aside(len(text) * limits.SHELL_PIECE_COSTS_BYTES, parse, text, bash=bash, more_may_come=more_may_come)


@lru_cache(maxsize=limits.SHELL_SCRIPTS)
def _parsed(text: str, *, bash: bool) -> Script:
    return parse(text, bash=bash)
