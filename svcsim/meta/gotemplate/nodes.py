"""What a template is made of. Each node knows where it stands, and is spelled in messages as people would write it."""

from typing import TypeAlias

from svcsim.meta.go_values import quote
from svcsim.meta.records import record
from svcsim.meta.types import Json


@record()
class Literal:
    """A number, a text, true, false."""

    position: int
    value: Json
    spelled: str

    def __str__(self) -> str:
        return self.spelled


@record()
class Nil:
    position: int

    def __str__(self) -> str:
        return "nil"


@record()
class FieldPath:
    """``.a.b``; without names it is the dot."""

    position: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names) or "."


@record()
class Variable:
    """``$x.a.b``."""

    position: int
    name: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join((self.name, *self.names))


@record()
class FieldsOf:
    """Fields of what stands in parentheses or is called."""

    position: int
    of: "Operand"
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join((f"({self.of})" if isinstance(self.of, Pipeline) else str(self.of), *(f".{name}" for name in self.names)))


@record()
class Function:
    position: int
    name: str

    def __str__(self) -> str:
        return self.name


@record()
class CommandNode:
    """An operand, or a function and what it is given."""

    position: int
    operands: tuple["Operand", ...]

    def __str__(self) -> str:
        return " ".join(f"({operand})" if isinstance(operand, Pipeline) else str(operand) for operand in self.operands)


@record()
class Pipeline:
    """Commands that hand on what they come to, and the variables that take it in the end."""

    position: int
    variables: tuple[str, ...]
    assigns: bool
    """Whether the variables are there already."""
    commands: tuple[CommandNode, ...]

    def __str__(self) -> str:
        head = f"{', '.join(self.variables)} {'=' if self.assigns else ':='} " if self.variables else ""
        return head + " | ".join(map(str, self.commands))


Operand: TypeAlias = Literal | Nil | FieldPath | Variable | FieldsOf | Function | Pipeline


@record()
class PlainText:
    text: str


@record()
class Action:
    """Prints what a pipeline comes to."""

    pipeline: Pipeline


@record()
class Branch:
    """``if``, ``with`` and ``range``."""

    keyword: str
    pipeline: Pipeline
    body: "Body"
    otherwise: "Body"


@record()
class Jump:
    """``break`` and ``continue``."""

    keyword: str


@record()
class Inclusion:
    """Another template in this place."""

    position: int
    name: str
    pipeline: Pipeline | None

    def __str__(self) -> str:
        return f"{{{{template {quote(self.name)}{f' {self.pipeline}' if self.pipeline else ''}}}}}"


Node: TypeAlias = PlainText | Action | Branch | Jump | Inclusion
Body: TypeAlias = tuple[Node, ...]


@record()
class GoTemplate:
    """A template's text, and the bodies of all that it defines; its own is named `errors.NAME`."""

    text: str
    bodies: dict[str, Body]
