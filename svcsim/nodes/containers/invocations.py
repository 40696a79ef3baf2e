"""What command lines have run: the commands of scripts, and those that others start, as far as they are known beforehand."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.containers.scripts import parsed, referring_to, shell_command
from svcsim.nodes.shell.devices import ENDLESS
from svcsim.nodes.shell.process import Usage, base
from svcsim.nodes.shell.programs.shells import PROGRAMS
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.syntax import SimpleCommand, Word
from svcsim.nodes.shell.traversal import within, words_of

UNSURE = "x"
"""Stands in a word for what has to be worked out."""


class Invocation(NamedTuple):
    """A command that is run."""

    words: tuple[str, ...]
    targets: tuple[str, ...] = ()
    """The files that it writes what it says into."""


def invocations(words: Sequence[str], depth: int = 0) -> Iterator[Invocation]:
    """A command line, and all that it has run; perhaps also what is never reached."""
    if not words or depth > limits.SHELL_LEVELS:
        return
    yield Invocation(tuple(words))
    given = shell_command(words)
    if given is not None:
        yield from _of_text(given.text, depth + 1, bash=given.bash)
    else:
        yield from invocations(started(words) or (), depth + 1)


def _of_text(text: str, depth: int, *, bash: bool) -> Iterator[Invocation]:
    if depth > limits.SHELL_LEVELS:
        return
    try:
        script = parsed(referring_to(UNSURE, text), bash=bash)
    except ShellSyntaxError:
        return
    for command in within(script):
        if targets := tuple(guessed(one.target) for one in command.redirections if one.operator in {">", ">>"}):
            yield Invocation((), targets)
        for inner in (text for word in words_of(command) for text in _substituted(word)):
            yield from _of_text(inner, depth + 1, bash=bash)
        if isinstance(command, SimpleCommand) and command.words:
            yield from _of_simple(tuple(map(guessed, command.words)), depth, bash=bash)


def _of_simple(words: Sequence[str], depth: int, *, bash: bool) -> Iterator[Invocation]:
    if words[0] in {"exec", "command"}:
        words = words[1:]
    elif words[0] in {"eval", "trap"}:
        for word in words[1:]:
            yield from _of_text(word, depth + 1, bash=bash)
    yield from invocations(words, depth + 1)


def _substituted(word: Word) -> Iterator[str]:
    """The scripts in it whose output is put in their place."""
    for part in word:
        if part.kind == "command":
            yield part.text
        for inner in (part.operand, part.replacement, part.subscript):
            yield from _substituted(inner)


def guessed(word: Word) -> str:
    """A word with something in the places that have to be worked out."""
    return "".join(part.text if part.kind == "text" else UNSURE for part in word)


def program_of(words: Sequence[str]) -> SimulatedProgram | None:
    """The program that a command line names; None where that isn't simulated."""
    return PROGRAMS.get(base(words[0])) if words else None


def started(words: Sequence[str]) -> list[str] | None:
    """What a command has another one do: nothing, if it does all itself; None where it starts no others, or is called wrongly."""
    program = program_of(words)
    if program is None or program.starts is None:
        return None
    try:
        return program.starts(words[1:])
    except Usage:
        return None


def in_the_end(words: Sequence[str]) -> Sequence[str]:
    """What is run in the end by a command that may have others run it, such as ``timeout``."""
    for _ in range(limits.SHELL_LEVELS):
        program = program_of(words)
        if program is None or program.starts is None:
            break
        words = started(words) or ()
    return words


def has_no_end(words: Sequence[str], sources: Sequence[str] = (), *, piped: bool) -> bool:
    """Whether a command reads what has no end, as an argument or from ``sources``, and more of it than somebody wants."""
    if not any(word.removeprefix("if=") in ENDLESS for word in (*words, *sources)):
        return False
    run = in_the_end(words)
    program = program_of(run)
    if program is None:
        return True
    if base(run[0]) == "dd":
        return not any(word.startswith("count=") for word in run)
    return program.without_end == "reads on" or (program.without_end == "passes on" and not piped)
