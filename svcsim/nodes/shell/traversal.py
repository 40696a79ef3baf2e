"""What stands in a script's syntax tree, without running it."""

from collections.abc import Iterable, Iterator, Sequence

from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.process import Usage
from svcsim.nodes.shell.syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    CaseClause,
    Command,
    CompoundTest,
    ConditionalCommand,
    ForClause,
    FunctionDefinition,
    Group,
    IfClause,
    Script,
    SimpleCommand,
    TestExpression,
    WhileClause,
    Word,
)

_ALWAYS = (("true",), (":",), ("[", "1", "]"))


def literal(word: Word) -> str | None:
    """A word that stands for itself; None for one in which something has to be worked out."""
    return "".join(part.text for part in word) if all(part.kind == "text" for part in word) else None


def literals(command: Command) -> tuple[str | None, ...]:
    """The words of a simple command; none of any other."""
    return tuple(map(literal, command.words)) if isinstance(command, SimpleCommand) else ()


def within(script: Script) -> Iterator[Command]:
    """All commands of a script, those of its parts among them."""
    for step in script:
        for command in step.pipeline.commands:
            yield from _with_parts(command)


def _with_parts(command: Command) -> Iterator[Command]:
    yield command
    if isinstance(command, FunctionDefinition):
        yield from _with_parts(command.body)
        return
    for inner in scripts_of(command):
        yield from within(inner)


def scripts_of(command: Command) -> Iterator[Script]:
    """The scripts that are parts of a command, in the order in which they stand there."""
    if isinstance(command, IfClause):
        for condition, body in command.branches:
            yield from (condition, body)
        yield command.otherwise or ()
    elif isinstance(command, WhileClause):
        yield from (command.condition, command.body)
    elif isinstance(command, Group | ForClause | ArithmeticFor):
        yield command.body
    elif isinstance(command, CaseClause):
        for _, body in command.branches:
            yield body
    elif isinstance(command, FunctionDefinition):
        yield from scripts_of(command.body)


def words_of(command: Command) -> list[Word]:
    """The words of a command itself, without those of its parts."""
    return [*(one.word for one in command.redirections), *_own_words(command)]


def _own_words(command: Command) -> Iterable[Word]:
    if isinstance(command, SimpleCommand):
        return (*command.words, *(word for one in command.assignments for word in one.words))
    if isinstance(command, ConditionalCommand):
        return [word for test in tests_of(command.test) for word in test.words]
    if isinstance(command, ArithmeticCommand):
        return (command.expression,)
    if isinstance(command, ArithmeticFor):
        return (command.first, command.condition, command.next)
    if isinstance(command, ForClause):
        return command.words or ()
    if isinstance(command, CaseClause):
        return (command.word, *(pattern for patterns, _ in command.branches for pattern in patterns))
    return ()


def tests_of(test: TestExpression | CompoundTest) -> Iterator[TestExpression]:
    """All that is asked between ``[[`` and ``]]``."""
    if isinstance(test, TestExpression):
        yield test
        return
    for part in test.parts:
        yield from tests_of(part)


def always_holds(loop: WhileClause) -> bool:
    """Whether a loop's condition is one that always succeeds: so does a sleep whose length is written as it should be."""
    if len(loop.condition) != 1 or loop.until or loop.condition[0].pipeline.negated or len(loop.condition[0].pipeline.commands) > 1:
        return False
    words = literals(loop.condition[0].pipeline.commands[0])
    return words in _ALWAYS or (words[:1] == ("sleep",) and _is_time(words[1:]))


def _is_time(words: Sequence[str | None]) -> bool:
    try:
        return None not in words and sleep_seconds([word or "" for word in words]) >= 0
    except Usage:
        return False
