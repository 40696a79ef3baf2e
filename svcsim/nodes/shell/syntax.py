"""The syntax tree of a script: its commands, their words, and the parts of a word. Names are those of the POSIX grammar."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

PartKind = Literal["text", "parameter", "length", "keys", "command", "arithmetic"]
"""Literal text, ``$name``, ``${#name}``, ``${!name}``, ``$(command)`` or ``$((expression))``."""
Connector = Literal[";", "&&", "||"]
"""What a pipeline's turn depends on: nothing, success, or failure of the one before."""


class WordPart(NamedTuple):
    """A part of a word. Parts that aren't ``quoted`` are split into fields and may be patterns."""

    kind: PartKind
    text: str
    quoted: bool
    operator: str = ""
    """The operator of ``${name:-word}``: ``:-``, ``-``, ``:=``, ``=``, ``:+``, ``+``, ``:?``, ``?``, ``#``, ``##``, ``%``, ``%%``, ``:``,
    ``/``, ``//``, ``/#``, ``/%``, ``^``, ``^^``, ``,`` or ``,,``."""
    operand: "tuple[WordPart, ...]" = ()
    """The word behind that operator, or an arithmetic expression."""
    replacement: "tuple[WordPart, ...]" = ()
    """The last word of ``${name/pattern/replacement}``."""
    subscript: "tuple[WordPart, ...]" = ()
    """The word in the brackets of ``${name[subscript]}``."""


Word = tuple[WordPart, ...]


@dataclass(slots=True)
class HereDocument:
    """The lines below a command that are its input. The text is filled in when the end of the command's line is reached."""

    text: Word = ()


class Redirection(NamedTuple):
    """``operator`` is ``<``, ``>``, ``>>``, ``>&``, ``<<`` for a here-document, or ``<<<`` for a here-string."""

    stream: int
    operator: str
    target: Word
    here: HereDocument | None = None

    @property
    def word(self) -> Word:
        """The word to be expanded."""
        return self.target if self.here is None else self.here.text


class Assignment(NamedTuple):
    """``name=value``."""

    name: str
    value: Word
    appends: bool = False
    """Whether it is ``name+=value``."""
    subscript: Word = ()
    """The word in the brackets of ``name[subscript]=value``."""
    elements: "tuple[tuple[Word, Word], ...] | None" = None
    """The keys, which may be empty, and values of ``name=(value [key]=value)``."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The words to be expanded."""
        return (self.value, self.subscript, *(word for pair in self.elements or () for word in pair))


class SimpleCommand(NamedTuple):
    """Assignments, then the name of a command and its arguments."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


class Group(NamedTuple):
    """``{ list; }``, or ``( list )`` for a subshell."""

    body: "Script"
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


class IfClause(NamedTuple):
    branches: "tuple[tuple[Script, Script], ...]"
    """Conditions, and what is run when they hold."""
    otherwise: "Script | None"
    redirections: tuple[Redirection, ...] = ()


class WhileClause(NamedTuple):
    """A ``while`` loop, or an ``until`` loop."""

    condition: "Script"
    body: "Script"
    until: bool
    redirections: tuple[Redirection, ...] = ()


class ForClause(NamedTuple):
    name: str
    words: tuple[Word, ...] | None
    """None if the positional parameters are meant."""
    body: "Script"
    head: str
    """The source text of its beginning: ``for i in 1 2``."""
    redirections: tuple[Redirection, ...] = ()


class ArithmeticFor(NamedTuple):
    """``for ((first; condition; next))``."""

    first: Word
    condition: Word
    next: Word
    body: "Script"
    redirections: tuple[Redirection, ...] = ()


class ArithmeticCommand(NamedTuple):
    """``((expression))``: succeeds if the value isn't 0."""

    expression: Word
    redirections: tuple[Redirection, ...] = ()


class TestExpression(NamedTuple):
    """A test within ``[[ … ]]``: ``operator`` stands between two words or before one, and is empty if a word has to be non-empty."""

    operator: str
    words: tuple[Word, ...]


class CompoundTest(NamedTuple):
    """Tests joined by ``&&`` or ``||``, or one that is negated by ``!``."""

    operator: Literal["&&", "||", "!"]
    parts: "tuple[TestExpression | CompoundTest, ...]"


class ConditionalCommand(NamedTuple):
    """``[[ … ]]``."""

    test: TestExpression | CompoundTest
    redirections: tuple[Redirection, ...] = ()


class CaseClause(NamedTuple):
    word: Word
    branches: "tuple[tuple[tuple[Word, ...], Script], ...]"
    """Patterns, and what is run for a word that one of them matches."""
    head: str
    """The source text of its beginning: ``case $x in``."""
    redirections: tuple[Redirection, ...] = ()


class FunctionDefinition(NamedTuple):
    name: str
    body: "Command"
    size_chars: int
    """The length of its source text."""
    redirections: tuple[Redirection, ...] = ()


Command = (
    SimpleCommand
    | Group
    | IfClause
    | WhileClause
    | ForClause
    | ArithmeticFor
    | ArithmeticCommand
    | ConditionalCommand
    | CaseClause
    | FunctionDefinition
)


class CommandPipeline(NamedTuple):
    commands: tuple[Command, ...]
    negated: bool


class AndOrItem(NamedTuple):
    """A pipeline of an AND-OR list, and the operator before it; with ``;`` it begins a new list."""

    operator: Connector
    pipeline: CommandPipeline
    line: int
    """The number of the line that it begins on."""
    in_background: bool = False


Script = tuple[AndOrItem, ...]
