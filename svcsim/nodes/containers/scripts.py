"""The scripts that command lines give to shells, and what is known of their words before a shell works them out."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from svcsim import limits
from svcsim.nodes.shell.options import OptionError, read_options
from svcsim.nodes.shell.parser import parse
from svcsim.nodes.shell.process import base
from svcsim.nodes.shell.programs.shells import SHELLS
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.syntax import Script, SimpleCommand, Word, WordPart

_REFERENCE = re.compile(r"\$\(([A-Z_][A-Z0-9_]*)\)")
"""A variable whose value is put in before the shell sees it."""
_DIVIDING = ";\n|&(`"
"""What may begin one more command, each of which takes its time to be read."""
UNKNOWN: Final = "\0"
"""In a word: something comes in here that nobody knows yet. What it is called stands behind it."""
DATE: Final = "$(date)"
"""In a word: the time."""


class ShellCommand(NamedTuple):
    """What a command line has a shell run."""

    text: str
    options: frozenset[str]
    bash: bool


def shell_command(words: Sequence[str]) -> ShellCommand | None:
    """The script that a command line gives to a shell; None for any other command."""
    if not words or base(words[0]) not in SHELLS:
        return None
    try:
        chosen = read_options(words[1:], of_shells=True)
    except OptionError:
        return None
    return ShellCommand(chosen.rest[0], chosen.on, base(words[0]) == "bash") if "c" in chosen.on and chosen.rest else None


def script_of(words: Sequence[str]) -> str | None:
    """The text of that script."""
    given = shell_command(words)
    return None if given is None else given.text


def parsed(text: str, *, bash: bool) -> Script:
    """The syntax tree of such a script. Raises `ShellSyntaxError`, also for one that is too long to be read beforehand."""
    commands, words = sum(map(text.count, _DIVIDING)), text.count(" ")
    if len(text) > limits.GUESSED_CHARS or commands > limits.GUESSED_COMMANDS or words > limits.GUESSED_WORDS:
        raise ShellSyntaxError("too long")
    return _kept(text, bash=bash)


@lru_cache(maxsize=limits.COMMAND_LINES_PARSED)
def _kept(text: str, *, bash: bool) -> Script:
    """The same, for all who want to know something of it while its container is being made."""
    return parse(text, bash=bash)


def told(word: Word) -> str:
    """A word as it is known beforehand."""
    return "".join(map(_told, word))


def _told(part: WordPart) -> str:
    if part.kind == "text":
        return part.text
    if part.kind == "command" and part.text.strip() == "date":
        return DATE
    return f"{UNKNOWN}{part.kind} {part.text}{part.operator}{told(part.operand)}{told(part.replacement)}"


def referring(text: str) -> str:
    """A text of a pod's spec as it is known beforehand."""
    return _REFERENCE.sub(rf"{UNKNOWN}\1", text)


def referring_to(value: str, text: str) -> str:
    """The same with a value for all that is referred to."""
    return _REFERENCE.sub(value, text)


def is_known(text: str) -> bool:
    """Whether nothing in it has to be worked out but the time."""
    return UNKNOWN not in text


def is_fixed(text: str) -> bool:
    """Whether it is the same always."""
    return is_known(text) and DATE not in text


def only_command(words: Sequence[str]) -> tuple[str, ...]:
    """The one command that a command line runs, as it is known beforehand; nothing where it is more than that."""
    given = shell_command(words)
    if given is None:
        return tuple(map(referring, words))
    try:
        script = parsed(referring(given.text), bash=given.bash)
    except ShellSyntaxError:
        return ()
    command = script[0].pipeline.commands[0] if len(script) == 1 and len(script[0].pipeline.commands) == 1 else None
    plain = isinstance(command, SimpleCommand) and not (command.redirections or command.assignments or script[0].pipeline.negated)
    return tuple(map(told, command.words)) if isinstance(command, SimpleCommand) and plain else ()
