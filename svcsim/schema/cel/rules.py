"""Validation rules of custom resources in CEL, evaluated for values that are valid by the schema's keywords.

A rule is compiled once. It is evaluated for the value at its place, ``self``, and may name the value before the change, ``oldSelf``: then
it is only evaluated for changes, or, with ``optionalOldSelf``, also for new values with an empty one. Costs are bounded twice: a rule that
could take too long by its schema is refused when it is declared, and before a rule is evaluated its cost is computed from the actual values
(`svcsim.schema.cel.costs`). For one object at most `limits.CEL_EVALUATIONS` rules are evaluated, at a cost of at most
`limits.CEL_OBJECT_COST`.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, NamedTuple, cast

from svcsim import limits
from svcsim.meta.aside import give_way
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required
from svcsim.meta.findings import told
from svcsim.meta.first_use import MadeByName
from svcsim.meta.types import Json, Object
from svcsim.schema.cel.costs import Cost, Costs
from svcsim.schema.cel.crossings import EvaluationError
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.field_paths import FieldPathError, resolved
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import environment, evaluable
from svcsim.schema.cel.list_types import with_list_types
from svcsim.schema.cel.mistakes import reason
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.programs import CompileError, Program, parsed, typed
from svcsim.schema.cel.schema_shapes import shape_of_node
from svcsim.schema.cel.spelling import too_long_to_compile, without_strings
from svcsim.schema.cel.value_types import BOOL, DYN, TEXT, ValueType, optional_type, type_of_node
from svcsim.schema.cel.values import as_seen, in_order_of, signature_of, with_times
from svcsim.schema.structural import as_rules_see, mentions
from svcsim.schema.structural_validation import NOTHING
from svcsim.schema.types import Structural

REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_OLD_SELF = re.compile(r"(?<![\w.])oldSelf\b")
_OPTIONAL = "cel.bind(oldSelf, hasOldSelf_ ? optional.of(oldSelf_) : optional.none(), {})"
_OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
_OVERLOADS = Overloads()
"""What rules may call."""
_VARIABLES = frozenset(("self", "oldSelf", "oldSelf_", "hasOldSelf_"))


class RuleError(Exception):
    """A rule, or an expression of a message, that can't be compiled; the text says why."""


class Expression(NamedTuple):
    """One rule, ready to be asked."""

    declared: Object
    rule: Program
    message: Program | None
    of_changes: bool
    """Whether it names what was before."""
    below: str
    """The path of the field it finds fault with, behind that of the value it is asked of."""

    @property
    def optional(self) -> bool:
        """Whether it is asked of new values, too, though it names what was before."""
        return bool(self.declared.get("optionalOldSelf"))


def compiled(declared: Object, node: Structural) -> Expression:
    """A rule about values of a node. Its types were checked where it was declared. Raises `RuleError`."""
    optional = bool(declared.get("optionalOldSelf"))
    rule, message = declared.get("rule") or "", declared.get("messageExpression")
    program = compile_expression(rule, node, optional=optional)
    told = _compiled_message(message, node, optional=optional) if message else None
    return Expression(declared, program, told, of_changes(rule), _below(declared.get("fieldPath") or "", node))


def _compiled_message(text: str, node: Structural, *, optional: bool) -> Program | None:
    """The program of a message expression; None for an invalid one, which an older definition may have."""
    try:
        return compile_expression(text, node, optional=optional)
    except RuleError:
        return None


def _below(path: str, node: Structural) -> str:
    """Paths were checked where they were declared; of one that leads nowhere, what is said is said as it is written."""
    try:
        return resolved(path, node)
    except FieldPathError:
        return path


def check_rule(declared: Object, node: Structural) -> None:
    """Whether the types of a rule fit. Raises `RuleError`."""
    if _type_of(declared.get("rule") or "", declared, node) not in (BOOL, DYN):
        raise RuleError("cel expression must evaluate to a bool")


def estimated_cost(text: str, node: Structural) -> float:
    """What an expression that can be compiled costs about the largest of values that the schema lets be."""
    most = shape_of_node(node)
    tree = evaluable(parsed(text, _VARIABLES))
    return Costs(tree).of({"self": most, "oldSelf": most}).units


def check_message(declared: Object, node: Structural) -> None:
    """Whether the types of the expression fit that makes a rule's message. Raises `RuleError`."""
    if _type_of(declared["messageExpression"], declared, node) not in (TEXT, DYN):
        raise RuleError("messageExpression must evaluate to a string")


def _type_of(text: str, declared: Object, node: Structural) -> ValueType:
    too_long = too_long_to_compile(text)
    if too_long:
        raise RuleError(too_long)
    kind = type_of_node(node) or DYN
    scope = {"self": kind, "oldSelf": optional_type(kind) if declared.get("optionalOldSelf") else kind}
    try:
        return typed(text, scope, _OVERLOADS)
    except CompileError as error:
        raise RuleError(str(error)) from None


def compile_expression(text: str, node: Structural, *, optional: bool = False) -> Program:
    """An expression about values of a node. Raises `RuleError`."""
    if too_long_to_compile(text):
        raise RuleError(too_long_to_compile(text))
    variables = ("self", "oldSelf_") if optional else ("self", "oldSelf") if of_changes(text) else ("self",)
    try:
        tree = parsed(with_times(_OPTIONAL.format(text) if optional else text, text, node, variables), _VARIABLES)
    except CompileError as error:
        raise RuleError(str(error)) from None
    tree = with_list_types(tree, dict.fromkeys(("self", "oldSelf", "oldSelf_"), node))
    return Program(tree, environment(signature_of(node), optional=optional))


def of_changes(text: str) -> bool:
    """Whether an expression names what was before."""
    return bool(_OLD_SELF.search(without_strings(text)))


class RuleWalk:
    """Asks all rules of a schema of one object after the other."""

    def __init__(self, root: Structural, prefix: str) -> None:
        """``prefix`` is that of extensions."""
        self._declared = root
        self._keyword = f"{prefix}validations"

    @cached_property
    def _root(self) -> "_Node":
        return _Node(as_rules_see(self._declared), self._keyword)

    def findings(self, value: Object, old: Object | None) -> list[FieldError]:
        """What is wrong with an object by its rules; ``old`` is what it was before, if anything."""
        return told(lambda found: self._ask(value, NOTHING if old is None else old, found))

    def _ask(self, value: Object, old: object, found: list[FieldError]) -> None:
        try:
            self._root.ask(value, old, "", found, _Budget())
        except _OutOfBudgetError as error:
            found.append(invalid_value(error.path or "<nil>", "", error.told))


class _OutOfBudgetError(Exception):
    """Rules have cost too much; ``path`` is where."""

    def __init__(self, path: str, told: str = _OUT_OF_BUDGET) -> None:
        super().__init__(path)
        self.path = path
        self.told = told


class _Budget:
    """What rules may cost that are asked of one object."""

    def __init__(self) -> None:
        self._evaluations = limits.CEL_EVALUATIONS
        self._cost: float = limits.CEL_OBJECT_COST
        self._time = 0.0

    def spend(self, cost: Cost, path: str) -> None:
        """Charge the highest cost of one rule, up to the limit for a single rule."""
        self._evaluations -= 1
        self._cost -= min(cost.units, limits.CEL_CALL_COST)
        self._time += cost.time
        if self._time > limits.CEL_TURN_COST:
            give_way()
        if self._evaluations < 0 or self._cost < 0:
            raise _OutOfBudgetError(path)


class _Rules(NamedTuple):
    """The rules of one place."""

    compiled: list[Expression]
    broken: list[str]
    """Why those can't be compiled that can't: a definition that is stored may have such."""


class _Node:
    """A part of a schema with the rules that stand at it and below it; what has none isn't walked."""

    def __init__(self, node: Structural, keyword: str) -> None:
        """``keyword`` is what rules are declared by."""
        self._node = node
        self._keyword = keyword
        declared: Object = node.document.get("properties") or {}
        self._with_rules = frozenset(name for name, document in declared.items() if mentions(document, keyword))
        self._properties = MadeByName(lambda name: _Node(node.properties[name], keyword))

    @cached_property
    def _rules(self) -> "_Rules":
        """The rules at this place. Those that take long to compile have been tried aside when they were declared."""
        rules = _Rules([], [])
        for declared in self._node.expressions:
            try:
                rules.compiled.append(compiled(declared, self._node))
            except RuleError as error:
                rules.broken.append(f"rule compile error: {error}")
        return rules

    @cached_property
    def _additional(self) -> "_Node | None":
        return self._some(self._node.additional)

    @cached_property
    def _items(self) -> "_Node | None":
        return self._some(self._node.items)

    def _some(self, node: Structural | None) -> "_Node | None":
        return _Node(node, self._keyword) if node is not None and mentions(node.document, self._keyword) else None

    def ask(self, value: Json, old: object, path: str, found: list[FieldError], budget: _Budget) -> None:
        if value is None:
            return
        unchanged = old is not NOTHING and same_json(value, old)
        if not unchanged:
            found.extend(invalid_value(path or "<nil>", self._node.type or "object", told) for told in self._rules.broken)
        if self._rules.compiled:
            self._ask_rules(value, old, path, found, budget, unchanged=unchanged)
        for item, before, way, below in self._below(value, old, path):
            below.ask(item, before, way, found, budget)

    def _below(self, value: Json, old: object, path: str) -> Iterator[tuple[Json, object, str, "_Node"]]:
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for name, item in value.items():
                if name in self._with_rules:
                    yield item, before.get(name, NOTHING), f"{path}.{name}" if path else name, self._properties[name]
                elif self._additional is not None and name not in self._node.properties:
                    yield item, before.get(name, NOTHING), f"{path}[{name}]", self._additional
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
        values: dict[str, object] = {"self": as_seen(value, self._node)}
        if old is not NOTHING and old is not None:
            values["oldSelf"] = as_seen(in_order_of(cast(Json, old), value, self._node), self._node)
        scopes = _Scopes(self._node, values)
        for expression in self._rules.compiled:
            if unchanged and not expression.of_changes:
                continue
            given = scopes.of(expression)
            if given is None:
                continue
            finding = _asked(expression, given, path, self._node.type or "object", budget)
            if finding is not None:
                found.append(finding)


class _Scopes:
    """What the rules of one place are given: one for all that name no optional value, and one for those that do."""

    def __init__(self, node: Structural, values: dict[str, object]) -> None:
        self._signature = signature_of(node)
        self._values = values

    def of(self, expression: Expression) -> Given | None:
        """None where a rule isn't asked."""
        if expression.optional:
            return self._optional
        return None if expression.of_changes and "oldSelf" not in self._values else self._plain

    @cached_property
    def _plain(self) -> Given:
        return Given(environment(self._signature, optional=False), self._values)

    @cached_property
    def _optional(self) -> Given:
        now, has_old = self._values["self"], "oldSelf" in self._values
        values = {"self": now, "oldSelf_": self._values.get("oldSelf", now), "hasOldSelf_": has_old}
        return Given(environment(self._signature, optional=True), values)


def _asked(expression: Expression, given: Given, path: str, kind: str, budget: _Budget) -> FieldError | None:
    """What is wrong by one rule."""
    declared = expression.declared
    told = (declared.get("message") or "").strip() or f"failed rule: {' '.join((declared.get('rule') or '').split())}"
    cost = given.cost(expression.rule.costs)
    budget.spend(cost, path)
    try:
        result = given.ask(expression.rule, cost)
    except CallCostError:
        raise _OutOfBudgetError(path, f"no further validation rules will be run due to call cost exceeds limit for rule: {told}") from None
    except EvaluationError as error:
        return invalid_value(path or "<nil>", kind, f"{reason(str(error))} evaluating rule: {told}")
    if result is True:
        return None
    if expression.message is not None:
        told = _message(expression.message, given) or told
    return _FINDINGS[declared.get("reason") or "FieldValueInvalid"]((path + expression.below).removeprefix(".") or "<nil>", kind, told)


def _message(program: Program, given: Given) -> str:
    """What an expression makes of a message; empty where it can't, costs too much, or makes none of one line."""
    try:
        result = given.ask(program, given.cost(program.costs))
    except (EvaluationError, CallCostError):
        return ""
    told = result.strip() if isinstance(result, str) else ""
    return "" if "\n" in told or len(told) > limits.CEL_MESSAGE_CHARS else told


_FINDINGS: dict[str, Callable[[str, str, str], FieldError]] = {
    "FieldValueInvalid": invalid_value,
    "FieldValueForbidden": lambda path, _kind, told: forbidden_field(path, told),
    "FieldValueRequired": lambda path, _kind, told: required(path, told),
    "FieldValueDuplicate": lambda path, kind, _told: duplicate(path, kind),
}
