"""CEL, the expressions of `where`, `if` and ``${…}``.

Compiled once, when the file is checked, so that a mistyped name is reported with its place before anything runs. In scope are the object's
own fields, ``object``, ``vars``, ``saved`` and the functions ``age(…)`` (a duration) and ``condition('Ready')``. Evaluating never fails:
what can't be said yet, because a field is missing or of another type, is `Unknown` and carries the reason. A condition that comes to
something else than true or false will never be one: that is a `NeitherError`.

The library is `cel-expr-python`, the reference implementation: it imports in 5 ms and checks names and types when it compiles.
"""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from weakref import WeakMethod

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional

from svcsim.meta.objects import get_path
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from svcsim.scenario.matching import shorten
from svcsim.scenario.secret_values import HIDDEN
from svcsim.scenario.secret_values import KIND as SECRET

FUNCTIONS = ("age", "condition")
FIELDS = (
    *("apiVersion", "kind", "metadata", "spec", "status"),
    *("data", "binaryData", "stringData", "immutable", "secrets", "imagePullSecrets", "automountServiceAccountToken"),
    *("subsets", "endpoints", "addressType", "ports", "rules", "subjects", "roleRef", "webhooks", "template"),
    *("involvedObject", "regarding", "reason", "message", "note", "count", "action", "source", "series", "related"),
    *("firstTimestamp", "lastTimestamp", "eventTime", "reportingComponent", "reportingController", "reportingInstance"),
    *("provisioner", "parameters", "reclaimPolicy", "value", "globalDefault", "preemptionPolicy", "handler", "capacity"),
)
"""Top-level fields of objects that may be named as they are; any other is reached as ``object.field``."""

SCOPE = ("object", "vars", "saved")
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_FINDING = re.compile(r"<input>:(\d+):(\d+): (.*)")
_UNDECLARED = re.compile(r"undeclared reference to '([^']+)'")
_PATH = re.compile(r"(?<![\w.'\"])(?:object|metadata|spec|status|data)(?:\.\??[A-Za-z_]\w*)+(?!\w*\()")


class Unknown(NamedTuple):
    """What an expression comes to while it can't be evaluated."""

    reason: str


class ExpressionError(Exception):
    """An expression that can't be compiled. ``offset`` counts characters from its beginning."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class NeitherError(Exception):
    """A condition that came to something else than true or false. ``number`` says which, of several that are asked one after the other."""

    def __init__(self, text: str, value: Json) -> None:
        super().__init__(f"expression {text!r} is {shorten(value)}, neither true nor false")
        self.number = 0


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression and the names it may ask for."""

    text: str
    names: tuple[str, ...]
    program: cel.Expression

    @property
    def may_be_condition(self) -> bool:
        """Whether it can be true or false, as far as that is known before it is asked of an object."""
        return self.program.return_type() in (cel.Type.BOOL, cel.Type.DYN)

    def mentions(self, name: str) -> bool:
        """Whether the expression names something in its scope."""
        return name in self.names

    @property
    def needs_only_vars(self) -> bool:
        """Whether it can be evaluated before there is a cluster."""
        return not any(self.mentions(name) for name in (*FIELDS, *FUNCTIONS, "object", "saved"))

    def paths(self) -> tuple[str, ...]:
        """The fields it looks at, as far as its text tells: ``status.phase``."""
        return tuple(dict.fromkeys(match.group().replace("?", "") for match in _PATH.finditer(self.text)))


class Expressions:
    """Compiles and evaluates. ``now`` is the cluster's time in seconds since 1970, which ages are measured from."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._object: Object = {}
        self._compiled: dict[str, Expression] = {}
        dyn, text = cel.Type.DYN, cel.Type.STRING
        self._environment = cel.NewEnv(
            variables=dict.fromkeys((*FIELDS, *SCOPE), dyn),
            extensions=[ext_optional.ExtOptional()],
            functions=[
                _function("age", cel.Type.DURATION, text, self._age),
                _function("condition", cel.Type.BOOL, text, self._condition),
            ],
        )

    def compile(self, text: str) -> Expression:
        """The expression, compiled once. Raises `ExpressionError`."""
        known = self._compiled.get(text)
        if known is None:
            known = self._compiled[text] = Expression(text, _names(text), self._compile(text))
        return known

    def evaluate(self, expression: Expression, variables: Object, obj: Object | None = None) -> Json | Unknown:
        """What it comes to on an object, with ``vars`` and ``saved`` in ``variables``."""
        scope: Object = {}
        for name in expression.names:
            if name in variables:
                scope[name] = variables[name]
            elif obj is not None and name == "object":
                scope[name] = obj
            elif obj is not None and name in obj:
                scope[name] = obj[name]
        self._object = obj or {}
        try:
            result = expression.program.eval(data=scope)
        except (RuntimeError, ValueError, TypeError) as error:  # what the library raises where a value has no counterpart in CEL
            return Unknown(str(error))
        if result.type() == cel.Type.ERROR:
            return Unknown(_reason(str(result.plain_value())))
        return _json(result.plain_value())

    def holds(self, expression: Expression, variables: Object, obj: Object | None = None) -> bool | Unknown:
        """Whether it is true. Raises `NeitherError`."""
        result = self.evaluate(expression, variables, obj)
        if isinstance(result, bool | Unknown):
            return result
        secret = expression.mentions("saved") or (obj or {}).get("kind") == SECRET  # what is saved may be a Secret's
        raise NeitherError(expression.text, HIDDEN if secret else result)

    def _compile(self, text: str) -> cel.Expression:
        try:
            return self._environment.compile(text)
        except RuntimeError as error:
            raise _explain(text, str(error)) from None

    def _age(self, moment: str) -> timedelta:
        return timedelta(seconds=self._now() - parse_time(moment))

    def _condition(self, kind: str) -> bool:
        conditions = get_path(self._object, "status.conditions")
        found = [one for one in conditions if isinstance(one, dict)] if isinstance(conditions, list) else []
        return any(one.get("status") == "True" for one in found if one.get("type") == kind)


def _function(name: str, returns: cel.Type, parameter: cel.Type, method: Callable[[str], object]) -> cel.FunctionDecl:
    """A method that the library calls. It holds it for ever where the method's object holds the library, whose references nobody sees."""
    held = WeakMethod(method)

    def call(argument: str) -> object:
        found = held()
        assert found is not None, "who evaluates is there"
        return found(argument)

    overload = cel.Overload(f"{name}_string", return_type=returns, parameters=[parameter], impl=call)
    return cel.FunctionDecl(name, [overload])


def _names(text: str) -> tuple[str, ...]:
    """Identifiers that don't follow a dot: more than the variables (functions, words in strings), never fewer."""
    return tuple(dict.fromkeys(_IDENTIFIER.findall(text)))


def _explain(text: str, error: str) -> ExpressionError:
    finding = _FINDING.search(error)
    if finding is None:
        return ExpressionError(error.partition("\n")[0], 0)
    before = sum(len(line) + 1 for line in text.split("\n")[: int(finding.group(1)) - 1])
    offset, message = before + max(int(finding.group(2)) - 1, 0), finding.group(3).strip()
    undeclared = _UNDECLARED.search(message)
    if undeclared is None:
        hint = "; the object's field is object.type" if "type(type)" in message else ""
        return ExpressionError(message.removesuffix(" (in container '')") + hint, offset)
    name = undeclared.group(1).partition(".")[0]
    at = re.search(rf"(?<![\w.]){re.escape(name)}\b", text)
    close = difflib.get_close_matches(name, [*SCOPE, *FIELDS, *FUNCTIONS, "has", "size"], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"a field of that name is reached as object.{name}"
    return ExpressionError(f"{name!r} is not known here; {hint}", at.start() if at else offset)


def _reason(message: str) -> str:
    """CEL's own errors in the words of this format."""
    if missing := re.search(r'Key not found in map : "([^"]*)"', message):
        return f"there is no {missing.group(1)!r} yet"
    if missing := re.search(r'No value with name "([^"]*)"', message):
        return f"there is no {missing.group(1)!r} yet"
    return message.partition(": ")[2] or message


def _json(value: Json) -> Json:
    """A result as JSON: maps in the order of their keys, since CEL's have none; times and spans as text."""
    if isinstance(value, dict):
        return {str(key): _json(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
