"""From a template's nodes and an object to text."""

from collections.abc import Callable, Iterable

from svcsim import limits
from svcsim.meta.go_values import quote
from svcsim.meta.gotemplate.effort import TOO_MUCH, Effort
from svcsim.meta.gotemplate.errors import NAME, CallError, NoFunctionError, TemplateError
from svcsim.meta.gotemplate.formatting import Int64, default_text, type_name
from svcsim.meta.gotemplate.functions import FUNCTIONS, LOGICAL, NO_VALUE, Functions, is_true, shown
from svcsim.meta.gotemplate.nodes import (
    Action,
    Body,
    Branch,
    CommandNode,
    FieldPath,
    FieldsOf,
    Function,
    GoTemplate,
    Inclusion,
    Jump,
    Literal,
    Nil,
    Operand,
    Pipeline,
    PlainText,
    Variable,
)
from svcsim.meta.gotemplate.parser import parse
from svcsim.meta.types import Json

__all__ = ["TemplateError", "read", "render"]

_NOTHING_PIPED = object()
_TYPES: dict[type, str] = {str: "string", int: "int"}
Placed = Operand | CommandNode | Inclusion


def read(text: str, functions: Iterable[str] = FUNCTIONS) -> GoTemplate:
    """The template that a text is, which may call functions of these names. Raises `TemplateError`."""
    return parse(text, dict.fromkeys((*functions, *LOGICAL)))


def render(
    template: GoTemplate,
    value: Json,
    write: Callable[[str], object],
    functions: Functions = FUNCTIONS,
    *,
    strict: bool = False,
    effort: Effort | None = None,
) -> None:
    """Write what the template makes of a value, as `as_read_by_go` gives it, piece by piece. Raises `TemplateError`.

    ``functions`` are all that were known when it was read. ``strict``: a key that a map doesn't have is a mistake. ``effort`` is
    what it may do, where others than who wrote it wait for it.
    """
    _Run(template, write, functions, effort, strict=strict).body(NAME, value)


def as_read_by_go(value: Json) -> Json:
    """A JSON value whose whole numbers are known as an object's."""
    if isinstance(value, dict):
        return {key: as_read_by_go(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_read_by_go(item) for item in value]
    return Int64(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _JumpOut(Exception):  # noqa: N818 - no error
    """On the way to the end of a turn, or of all turns, of ``range``."""

    def __init__(self, keyword: str) -> None:
        super().__init__(keyword)
        self.keyword = keyword


class _Run:
    """One template, with the variables of its own that are known at a time, newest last."""

    def __init__(
        self,
        template: GoTemplate,
        write: Callable[[str], object],
        functions: Functions,
        effort: Effort | None,
        *,
        strict: bool,
        level: int = 0,
    ) -> None:
        self._template = template
        self._write = write
        self._functions = functions
        self._effort = effort
        self._strict = strict
        self._level = level
        self._name = NAME
        self._variables: list[tuple[str, Json]] = []
        self._place: Placed | None = None

    def body(self, name: str, dot: Json) -> None:
        """Write one of the bodies the template defines."""
        self._name = name
        self._variables.append(("$", dot))
        self._walk(self._template.bodies[name], dot)

    def _walk(self, nodes: Body, dot: Json) -> None:
        for node in nodes:
            self._step()
            match node:
                case PlainText(text):
                    self._write(text)
                case Action(pipeline):
                    value = self._pipeline(pipeline, dot)
                    if not pipeline.variables:
                        self._works_on(value)
                        self._write(shown(value))
                case Branch("range"):
                    self._range(node, dot)
                case Branch():
                    self._branch(node, dot)
                case Jump(keyword):
                    raise _JumpOut(keyword)
                case Inclusion():
                    self._include(node, dot)

    def _branch(self, node: Branch, dot: Json) -> None:
        known = len(self._variables)
        value = self._pipeline(node.pipeline, dot)
        if is_true(value):
            self._walk(node.body, value if node.keyword == "with" else dot)
        else:
            self._walk(node.otherwise, dot)
        del self._variables[known:]

    def _range(self, node: Branch, dot: Json) -> None:
        known = len(self._variables)
        value = self._pipeline(node.pipeline, dot)
        items = self._items(value)
        inner = len(self._variables)
        for key, item in items:
            self._step()
            self._name_turn(node.pipeline, key, item)
            try:
                self._walk(node.body, item)
            except _JumpOut as jump:
                if jump.keyword == "break":
                    break
            finally:
                del self._variables[inner:]
        if not items:
            self._walk(node.otherwise, dot)
        del self._variables[known:]

    def _items(self, value: Json) -> list[tuple[Json, Json]]:
        if value is NO_VALUE or value is None:
            return []
        if isinstance(value, list | dict):
            self._step(len(value))
        if isinstance(value, list):
            return list(enumerate(value))
        if isinstance(value, dict):
            return sorted(value.items())
        raise self._error(f"range can't iterate over {default_text(value)}")

    def _name_turn(self, pipeline: Pipeline, key: Json, item: Json) -> None:
        if not pipeline.variables:
            return
        values = (item,) if len(pipeline.variables) == 1 else (key, item)
        for name, value in zip(pipeline.variables, values, strict=True):
            self._set(name, value)

    def _include(self, node: Inclusion, dot: Json) -> None:
        self._place = node
        if node.name not in self._template.bodies:
            raise self._error(f"template {quote(node.name)} not defined")
        if self._level >= limits.TEMPLATE_LEVELS:
            raise self._error(f"exceeded maximum template depth ({limits.TEMPLATE_LEVELS})")
        value = self._pipeline(node.pipeline, dot) if node.pipeline else NO_VALUE
        _Run(self._template, self._write, self._functions, self._effort, strict=self._strict, level=self._level + 1).body(node.name, value)

    # --- how much it does ---

    def _step(self, items: int = 0) -> None:
        if self._effort is not None and not self._effort.step(items):
            raise self._error(TOO_MUCH)

    def _works_on(self, value: Json) -> None:
        if self._effort is not None and not self._effort.on(value):
            raise self._error(TOO_MUCH)

    # --- values ---

    def _error(self, text: str) -> TemplateError:
        place = self._place
        if place is None:
            return TemplateError(f"template: {self._name}: {text}")
        before = self._template.text[: place.position]
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2].encode())
        return TemplateError(f"template: {NAME}:{line}:{column}: executing {quote(self._name)} at <{place}>: {text}")

    def _set(self, name: str, value: Json) -> None:
        for index in range(len(self._variables) - 1, -1, -1):
            if self._variables[index][0] == name:
                self._variables[index] = (name, value)
                return
        raise self._error(f"undefined variable: {name}")

    def _pipeline(self, pipeline: Pipeline, dot: Json) -> Json:
        self._place = pipeline
        value: Json = _NOTHING_PIPED
        for command in pipeline.commands:
            value = self._command(command, dot, value)
            if value is None:
                value = NO_VALUE
        for name in pipeline.variables:
            if pipeline.assigns:
                self._set(name, value)
            else:
                self._variables.append((name, value))
        return value

    def _command(self, command: CommandNode, dot: Json, piped: Json) -> Json:
        first = command.operands[0]
        if isinstance(first, Function):
            return self._function(first, command, command.operands[1:], dot, piped)
        more = len(command.operands) > 1 or piped is not _NOTHING_PIPED
        if not isinstance(first, Pipeline):
            self._place = first
        match first:
            case FieldPath((_), (_, *_)) | FieldsOf() | Variable(_, _, (_, *_)):
                return self._fields(first, dot, called=more)
            case Nil():
                raise self._error("nil is not a command")
        if more:
            raise self._error(f"can't give argument to non-function {first}")
        return self._operand(first, dot)

    def _operand(self, node: Operand, dot: Json) -> Json:
        self._place = node
        match node:
            case Literal(_, value):
                return value
            case Nil():
                return None
            case FieldPath(_, ()):
                return dot
            case Variable(_, name, ()):
                return self._variable(name)
            case FieldPath() | Variable() | FieldsOf():
                return self._fields(node, dot)
            case Function():
                return self._function(node, node, (), dot, _NOTHING_PIPED)
            case Pipeline():
                return self._pipeline(node, dot)

    def _variable(self, name: str) -> Json:
        return next(value for known, value in reversed(self._variables) if known == name)

    def _fields(self, node: FieldPath | Variable | FieldsOf, dot: Json, *, called: bool = False) -> Json:
        """Follow the names from where a node begins. ``called``: it was given something, which only a function can be."""
        match node:
            case FieldPath():
                value = dot
            case Variable():
                value = self._variable(node.name)
            case FieldsOf():
                if isinstance(node.of, Nil):
                    raise self._error("indirection through explicit nil in <nil>")
                value = self._operand(node.of, dot)
                self._place = node
        for index, name in enumerate(node.names):
            value = self._field(value, name, called=called and index == len(node.names) - 1)
        return value

    def _field(self, value: Json, name: str, *, called: bool) -> Json:
        if value is NO_VALUE:
            if self._strict:
                raise self._error(f"nil data; no entry for key {quote(name)}")
            return NO_VALUE
        if value is None:
            raise self._error(f"nil pointer evaluating interface {{}}.{name}")
        if not isinstance(value, dict):
            raise self._error(f"can't evaluate field {name} in type interface {{}}")
        if called:
            raise self._error(f"{name} is not a method but has arguments")
        if name not in value and self._strict:
            raise self._error(f"map has no entry for key {quote(name)}")
        return value.get(name, NO_VALUE)

    # --- calls ---

    def _function(self, function: Function, whole: Placed, operands: tuple[Operand, ...], dot: Json, piped: Json) -> Json:
        self._place = function
        given = len(operands) + (piped is not _NOTHING_PIPED)
        if function.name in LOGICAL:
            return self._logical(function, operands, dot, piped)
        known = self._functions[function.name]
        if given < known.at_least or given > known.at_most >= 0:
            least = "at least " if known.at_most < 0 else ""
            raise self._error(f"wrong number of args for {function.name}: want {least}{known.at_least} got {given}")
        types = (*known.types, *(object for _ in range(given)))
        values = [self._typed(operand, kind, dot) for operand, kind in zip(operands, types, strict=False)]
        if piped is not _NOTHING_PIPED:
            values.append(self._checked(piped, types[len(operands)]))
        self._step()
        self._works_on(values)
        try:
            made = known.run(*values)
        except NoFunctionError as error:
            self._place = whole
            spelled = operands[0] if operands else default_text(values[0])
            raise self._error(f"error calling {function.name}: non-function {spelled} of type {error}") from None
        except CallError as error:
            self._place = whole
            raise self._error(f"error calling {function.name}: {error}") from None
        self._works_on(made)
        return made

    def _logical(self, function: Function, operands: tuple[Operand, ...], dot: Json, piped: Json) -> Json:
        """``and`` and ``or``: the first operand that decides; those after it are not looked at."""
        if not operands and piped is _NOTHING_PIPED:
            raise self._error(f"wrong number of args for {function.name}: want at least 1 got 0")
        value: Json = NO_VALUE
        for operand in operands:
            value = self._operand(operand, dot)
            if is_true(value) == (function.name == "or"):
                return value
        return value if piped is _NOTHING_PIPED else piped

    def _typed(self, operand: Operand, kind: type, dot: Json) -> Json:
        if kind is not object and isinstance(operand, Literal) and not isinstance(operand.value, kind):
            self._place = operand
            raise self._error(f"expected {_TYPES[kind]}; found {operand}")
        return self._checked(self._operand(operand, dot), kind)

    def _checked(self, value: Json, kind: type) -> Json:
        if kind is object or isinstance(value, kind):
            return value
        if value is NO_VALUE or value is None:
            raise self._error(f"invalid value; expected {_TYPES[kind]}")
        raise self._error(f"wrong type for value; expected {_TYPES[kind]}; got {type_name(value)}")
