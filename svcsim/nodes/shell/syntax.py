"""What a script is once it is read: commands, their words, and what their words are made of."""

from dataclasses import dataclass
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a word. ``kind`` is text, variable, length, keys, script or sum; what isn't ``quoted`` is split and may be a pattern."""

    kind: str
    text: str
    quoted: bool
    operator: str = ""
    """Of ``${name:-word}``: ``:-``, ``-``, ``:=``, ``=``, ``:+``, ``+``, ``:?``, ``?``, ``#``, ``##``, ``%``, ``%%``, ``:``, ``/``, ``//``,
    ``/#``, ``/%``, ``^``, ``^^``, ``,`` or ``,,``."""
    operand: "tuple[Piece, ...]" = ()
    replacement: "tuple[Piece, ...]" = ()
    """Of ``${name/pattern/replacement}``."""
    subscript: "tuple[Piece, ...]" = ()
    """Of ``${name[subscript]}``."""


Word = tuple[Piece, ...]


@dataclass(slots=True)
class HereDocument:
    """What stands below a command for it to read. Its text is read once the line of the command is."""

    text: Word = ()


class Redirection(NamedTuple):
    """``operator`` is ``<``, ``>``, ``>>``, ``>&``, ``<<`` for a here-document, or ``<<<`` for a word."""

    stream: int
    operator: str
    target: Word
    here: HereDocument | None = None

    @property
    def word(self) -> Word:
        """What has to be worked out for it."""
        return self.target if self.here is None else self.here.text


class Assignment(NamedTuple):
    name: str
    value: Word
    appends: bool = False
    subscript: Word = ()
    """Of ``name[subscript]=value``."""
    elements: "tuple[tuple[Word, Word], ...] | None" = None
    """Of ``name=(value [key]=value)``: keys, where there are any, and values."""

    @property
    def words(self) -> tuple[Word, ...]:
        """What has to be worked out for it."""
        return (self.value, self.subscript, *(word for pair in self.elements or () for word in pair))


class Simple(NamedTuple):
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


class Group(NamedTuple):
    body: "Script"
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


class If(NamedTuple):
    branches: "tuple[tuple[Script, Script], ...]"
    otherwise: "Script | None"
    redirections: tuple[Redirection, ...] = ()


class Loop(NamedTuple):
    condition: "Script"
    body: "Script"
    until: bool
    redirections: tuple[Redirection, ...] = ()


class For(NamedTuple):
    name: str
    words: tuple[Word, ...] | None
    body: "Script"
    head: str
    """How it begins, as it stands there: ``for i in 1 2``."""
    redirections: tuple[Redirection, ...] = ()


class Sum(NamedTuple):
    """``((…))``: succeeds where it comes to something else than 0."""

    sum: Word
    redirections: tuple[Redirection, ...] = ()


class Test(NamedTuple):
    """What ``[[ … ]]`` asks: ``operator`` is empty for whether a word is something at all, ``-f`` and the like for one word."""

    operator: str
    words: tuple[Word, ...]


class Tests(NamedTuple):
    """Several of them: ``operator`` is ``&&``, ``||``, or ``!`` for one that is to fail."""

    operator: str
    parts: "tuple[Test | Tests, ...]"


class Condition(NamedTuple):
    """``[[ … ]]``."""

    test: Test | Tests
    redirections: tuple[Redirection, ...] = ()


class CountingFor(NamedTuple):
    """``for ((first; condition; next))``."""

    first: Word
    condition: Word
    next: Word
    body: "Script"
    redirections: tuple[Redirection, ...] = ()


class Case(NamedTuple):
    word: Word
    branches: "tuple[tuple[tuple[Word, ...], Script], ...]"
    """Patterns, and what is done for a word that one of them matches."""
    head: str
    """How it begins: ``case $x in``."""
    redirections: tuple[Redirection, ...] = ()


class FunctionDefinition(NamedTuple):
    """What a name stands for from then on."""

    name: str
    body: "Command"
    size_chars: int
    """How long its text is."""
    redirections: tuple[Redirection, ...] = ()


Command = Simple | Group | If | Loop | For | CountingFor | Sum | Condition | Case | FunctionDefinition


class PipedCommands(NamedTuple):
    commands: tuple[Command, ...]
    negated: bool


class ListedCommands(NamedTuple):
    """A pipeline, and what has to have become of the one before: ``;`` anything, ``&&`` success, ``||`` failure."""

    after: str
    pipeline: PipedCommands
    in_background: bool = False


Script = tuple[ListedCommands, ...]
