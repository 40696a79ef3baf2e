"""Validation rules: what authors of custom resources demand in CEL, asked of what is right by the schema's keywords.

A rule is compiled once. It is asked of the value it stands at, ``self``, and may name what that was before, ``oldSelf``: then it is asked
only of changes, or, where ``optionalOldSelf`` says so, of new values with an empty one. Costs are bounded twice: a rule that could take
too long by its schema is refused where it is declared, and the CEL library gives up on one that loops too often. One object asks no more
than `limits.CEL_EVALUATIONS` rules.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, cast

from cel_expr_python import cel

from svcsim import limits
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required
from svcsim.meta.types import Json, Object
from svcsim.schema.cel.library import environment
from svcsim.schema.cel.names import escaped
from svcsim.schema.cel.values import as_seen, in_order_of, type_of_node, with_times
from svcsim.schema.structural import as_rules_see
from svcsim.schema.structural_validation import NOTHING
from svcsim.schema.types import Structural

REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_STRINGS = re.compile(r"""r?'''(?:.|\n)*?'''|r?\"\"\"(?:.|\n)*?\"\"\"|r'[^']*'|r"[^"]*"|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
_OLD_SELF = re.compile(r"(?<![\w.])oldSelf\b")
_CHAIN = re.compile(r"(?<![\w.])(self|oldSelf)((?:\.\??[A-Za-z_]\w*)+)(?!\w)(\s*\()?")
_MACRO = re.compile(r"\.(?:all|exists|exists_one|map|filter)\s*\(")
_OPTIONAL = "cel.bind(oldSelf, hasOldSelf_ ? optional.of(oldSelf_) : optional.none(), {})"
_OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
_MISSING_KEY = re.compile(r'Key not found in map : "?([^"]*)"?')


class RuleError(Exception):
    """A rule, or an expression of a message, that can't be compiled; the text says why."""


class Expression(NamedTuple):
    """One rule, ready to be asked."""

    declared: Object
    rule: cel.Expression
    message: cel.Expression | None
    of_changes: bool
    """Whether it names what was before."""

    @property
    def optional(self) -> bool:
        """Whether it is asked of new values, too, though it names what was before."""
        return bool(self.declared.get("optionalOldSelf"))


def compiled(declared: Object, node: Structural) -> Expression:
    """A rule about values of a node. Raises `RuleError`."""
    rule = declared.get("rule") or ""
    program = compile_expression(rule, node, optional=bool(declared.get("optionalOldSelf")))
    if program.return_type() not in (cel.Type.BOOL, cel.Type.DYN):
        raise RuleError("must evaluate to a bool")
    message = None
    if declared.get("messageExpression"):
        message = compile_message(declared, node)
    return Expression(declared, program, message, of_changes(rule))


def compile_message(declared: Object, node: Structural) -> cel.Expression:
    """The expression that makes a rule's message. Raises `RuleError`."""
    message = compile_expression(declared["messageExpression"], node, optional=bool(declared.get("optionalOldSelf")))
    if message.return_type() not in (cel.Type.STRING, cel.Type.DYN):
        raise RuleError("must evaluate to a string")
    return message


def compile_expression(text: str, node: Structural, *, optional: bool = False) -> cel.Expression:
    """An expression about values of a node. Raises `RuleError`."""
    field = unknown_field(text, node)
    if field is not None:
        column = text.find(f".{field}")
        line = text.count("\n", 0, column) + 1
        raise RuleError(f"ERROR: <input>:{line}:{column - text.rfind(chr(10), 0, column)}: undefined field '{field}'\n | {text}")
    written = _OPTIONAL.format(text) if optional else text
    cel_environment = environment(type_of_node(node), optional=optional)
    try:
        program = cel_environment.compile(written)
    except RuntimeError as error:
        raise RuleError(str(error).removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]").strip()) from None
    # Mistakes are told of the expression as it was written; what is asked may begin with reading times.
    asked = with_times(written, text, node, ("self", "oldSelf_") if optional else ("self", "oldSelf") if of_changes(text) else ("self",))
    return program if asked == written else cel_environment.compile(asked)


def of_changes(text: str) -> bool:
    """Whether an expression names what was before."""
    return bool(_OLD_SELF.search(without_strings(text)))


def without_strings(text: str) -> str:
    """An expression in which texts are blanks, of the same length."""
    return _STRINGS.sub(lambda match: " " * len(match.group()), text)


def unknown_field(text: str, node: Structural) -> str | None:
    """The first field that an expression names from ``self`` on, and that the schema doesn't have."""
    for found in _CHAIN.finditer(without_strings(text)):
        steps = [step.removeprefix("?") for step in found.group(2).split(".")[1:]]
        if found.group(3):
            steps.pop()  # a function
        here: Structural | None = node
        for step in steps:
            if here is None or here.preserve or here.additional is not None or not (here.properties or here.type == "object"):
                break
            fields = {escaped(name): child for name, child in here.properties.items()}
            if step not in fields:
                return step
            here = fields[step]
    return None


def nesting(text: str) -> int:
    """How deep loops stand within loops in an expression."""
    plain, depth, deepest = without_strings(text), 0, 0
    opened: list[bool] = []
    loops = {match.end() - 1 for match in _MACRO.finditer(plain)}
    for index, char in enumerate(plain):
        if char == "(":
            opened.append(index in loops)
            depth += opened[-1]
            deepest = max(deepest, depth)
        elif char == ")" and opened:
            depth -= opened.pop()
    return deepest


class RuleWalk:
    """Asks all rules of a schema of one object after the other."""

    def __init__(self, root: Structural) -> None:
        self._root = _Node(as_rules_see(root))

    @property
    def is_empty(self) -> bool:
        """Whether there is no rule at all."""
        return not self._root.has_rules

    def findings(self, value: Object, old: Object | None) -> list[FieldError]:
        """What is wrong with an object by its rules; ``old`` is what it was before, if anything."""
        found: list[FieldError] = []
        budget = _Budget(limits.CEL_EVALUATIONS)
        try:
            self._root.ask(value, NOTHING if old is None else old, "", found, budget)
        except _OutOfBudgetError as error:
            found.append(invalid_value(error.path or "<nil>", "", _OUT_OF_BUDGET))
        return found


class _OutOfBudgetError(Exception):
    """Rules have cost too much; ``path`` is where."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class _Budget:
    def __init__(self, left: int) -> None:
        self._left = left

    def spend(self, path: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise _OutOfBudgetError(path)


class _Node:
    """A part of a schema with the rules that stand at it and below it; what has none isn't walked."""

    def __init__(self, node: Structural) -> None:
        self.has_rules: bool
        self._node = node
        self._rules = [compiled(declared, node) for declared in node.expressions]
        below = {name: _Node(child) for name, child in node.properties.items()}
        self._properties = {name: child for name, child in below.items() if child.has_rules}
        self._additional = _some(node.additional)
        self._items = _some(node.items)
        self.has_rules = bool(self._rules or self._properties or self._additional or self._items)

    def ask(self, value: Json, old: object, path: str, found: list[FieldError], budget: _Budget) -> None:
        if value is None:
            return
        unchanged = old is not NOTHING and same_json(value, old)
        if self._rules:
            self._ask_rules(value, old, path, found, budget, unchanged=unchanged)
        for item, before, way, below in self._below(value, old, path):
            below.ask(item, before, way, found, budget)

    def _below(self, value: Json, old: object, path: str) -> Iterator[tuple[Json, object, str, "_Node"]]:
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for name, item in value.items():
                child = self._properties.get(name) or (self._additional if name not in self._node.properties else None)
                if child is not None:
                    way = f"{path}[{name}]" if name not in self._node.properties else f"{path}.{name}" if path else name
                    yield item, before.get(name, NOTHING), way, child
        elif isinstance(value, list) and self._items is not None:
            for index, item in enumerate(value):
                yield item, self._item_before(item, old), f"{path}[{index}]", self._items

    def _item_before(self, item: Json, old: object) -> object:
        """Items are known again by their keys alone."""
        if not isinstance(old, list) or self._node.list_type != "map" or not isinstance(item, dict):
            return NOTHING
        keys = {key: item.get(key) for key in self._node.keys}
        return next((one for one in old if isinstance(one, dict) and all(one.get(key) == value for key, value in keys.items())), NOTHING)

    def _ask_rules(self, value: Json, old: object, path: str, found: list[FieldError], budget: _Budget, *, unchanged: bool) -> None:
        scope: dict[str, object] = {"self": as_seen(value, self._node)}
        if old is not NOTHING and old is not None:
            scope["oldSelf"] = as_seen(in_order_of(cast(Json, old), value, self._node), self._node)
        for expression in self._rules:
            given = _scope_of(expression, scope)
            if given is None or (unchanged and not expression.of_changes):
                continue
            budget.spend(path)
            finding = _asked(expression, given, path, self._node.type or "object")
            if finding is not None:
                found.append(finding)


def _some(node: Structural | None) -> _Node | None:
    made = None if node is None else _Node(node)
    return made if made is not None and made.has_rules else None


def _scope_of(expression: Expression, scope: dict[str, object]) -> dict[str, object] | None:
    """What a rule is given; None where it isn't asked."""
    if expression.optional:
        has_old = "oldSelf" in scope
        return {"self": scope["self"], "oldSelf_": scope.get("oldSelf", scope["self"]), "hasOldSelf_": has_old}
    if expression.of_changes and "oldSelf" not in scope:
        return None
    return scope


def _asked(expression: Expression, scope: dict[str, object], path: str, kind: str) -> FieldError | None:
    """What is wrong by one rule."""
    declared = expression.declared
    told = (declared.get("message") or "").strip() or f"failed rule: {' '.join((declared.get('rule') or '').split())}"
    try:
        result = expression.rule.eval(data=scope)
    except (RuntimeError, ValueError, TypeError) as error:
        if "budget" in str(error):
            raise _OutOfBudgetError(path) from None
        return invalid_value(path or "<nil>", kind, f"{error} evaluating rule: {told}")
    if result.type() == cel.Type.ERROR:
        return invalid_value(path or "<nil>", kind, f"{_reason(str(result.plain_value()))} evaluating rule: {told}")
    if result.plain_value() is True:
        return None
    if expression.message is not None:
        told = _message(expression.message, scope) or told
    return _FINDINGS[declared.get("reason") or "FieldValueInvalid"](_field_path(path, declared), kind, told)


def _field_path(path: str, declared: Object) -> str:
    below = declared.get("fieldPath") or ""
    return (path + below).removeprefix(".") or "<nil>"


def _reason(message: str) -> str:
    """The library's errors in the words of others."""
    missing = _MISSING_KEY.search(message)
    return f"no such key: {missing.group(1)}" if missing else message.partition(": ")[2] or message


def _message(program: cel.Expression, scope: dict[str, object]) -> str:
    """What an expression makes of a message; empty where it can't, or makes none of one line."""
    try:
        result = program.eval(data=scope)
    except (RuntimeError, ValueError, TypeError):
        return ""
    text = result.plain_value() if result.type() == cel.Type.STRING else ""
    told = str(text).strip()
    return "" if "\n" in told or len(told) > limits.CEL_MESSAGE_CHARS else told


_FINDINGS: dict[str, Callable[[str, str, str], FieldError]] = {
    "FieldValueInvalid": invalid_value,
    "FieldValueForbidden": lambda path, _kind, told: forbidden_field(path, told),
    "FieldValueRequired": lambda path, _kind, told: required(path, told),
    "FieldValueDuplicate": lambda path, kind, _told: duplicate(path, kind),
}
