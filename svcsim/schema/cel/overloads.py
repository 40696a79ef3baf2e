"""What functions and operators come to, asked of the CEL library by types alone.

A call of values of some types is written down with any values of these types, and compiled in one and the same surroundings: so the
library's own declarations, and the functions declared beside them, decide, and nothing of them is told twice.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.functions import AUTHORIZER, DECISION, GROUP_CHECK, NAMED_TYPES, PATH_CHECK, RESOURCE_CHECK, Function
from svcsim.schema.cel.library import checking_parser, compiling_environment
from svcsim.schema.cel.value_types import BOOL, DYN, TEXT, UNNAMED, ValueType, list_type, read_type

_OPERATORS = {
    **{f"_{sign}_": f"{{}} {sign} {{}}" for sign in ("&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
    "!_": "!{}",
    "-_": "-{}",
    "@in": "{} in {}",
    "_[_]": "{}[{}]",
    "_[?_]": "{}[?{}]",
    "_?_:_": "{} ? {} : {}",
}
_AUTHORIZER = "authorizer_"
"""A variable of that type: nothing gives one."""
_VALUES = {
    "dyn": "dyn(1)",
    "int": "1",
    "uint": "1u",
    "double": "1.0",
    "bool": "true",
    "string": "''",
    "bytes": "b''",
    "timestamp": "timestamp('')",
    "duration": "duration('')",
    "type": "type(1)",
    "null_type": "null",
    "optional_type": "optional.none()",
    "kubernetes.Quantity": "quantity('')",
    "kubernetes.Semver": "semver('')",
    "kubernetes.URL": "url('')",
    "kubernetes.NamedFormat": "format.uri()",
    "net.IP": "ip('')",
    "net.CIDR": "cidr('')",
    AUTHORIZER.name(): _AUTHORIZER,
    PATH_CHECK.name(): f"{_AUTHORIZER}.path('')",
    GROUP_CHECK.name(): f"{_AUTHORIZER}.group('')",
    RESOURCE_CHECK.name(): f"{_AUTHORIZER}.group('').resource('')",
    DECISION.name(): f"{_AUTHORIZER}.path('').check('')",
}
_COMPARISONS = frozenset(("_<_", "_<=_", "_>_", "_>=_"))
_NUMBERS = frozenset(("int", "uint", "double"))
_AGREEING = {
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), "_==_"),
    **dict.fromkeys(("indexOf", "lastIndexOf"), "@in"),
}
"""Functions about values of one type, whatever type that is, which the library can't be told; and the operators that take as much."""
_UNWRAPPING = frozenset((("optional.unwrap", False), ("unwrapOpt", True)))
"""Functions, and whether each is a member, that give a list of what optional values hold, of whatever type that is."""
_WRITTEN_DOWN = frozenset(("net.IP", "net.CIDR"))
"""Types whose values `string` makes texts of: nobody may add to what the library knows of that function."""
_OBJECTS = 8
"""Objects of different types that one call may be about."""
_MISTAKE = re.compile(r"ERROR: <input>:\d+:\d+: (.*)")
_NAMES = {"google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration", "null_type": "null"}
_NAMED_OTHERWISE = re.compile("|".join((r"\bobject\d_", *map(re.escape, _NAMES))))
"""Types that are called something else in what is told of mistakes."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


class OverloadError(Exception):
    """Nothing of that name takes values of these types; the text says so."""


class Overloads:
    """The functions that expressions of one sort may call; and whether they may use `cel.bind`, too, which isn't a function."""

    def __init__(self, more: Iterable[Function] = (), *, binding: bool = False) -> None:
        self._binding = binding
        self._more = tuple(more)
        self._asked = lru_cache(limits.CEL_OVERLOADS)(self._ask)

    def result(self, function: str, arguments: Sequence[ValueType], *, member: bool) -> ValueType:
        """The type of what a call gives. Raises `OverloadError`."""
        if function in _COMPARISONS and all(argument.name in _NUMBERS for argument in arguments):
            return BOOL
        if function == "string" and len(arguments) == 1 and arguments[0].name in _WRITTEN_DOWN:
            return TEXT
        if function == "optional.none" and not arguments:
            return ValueType("optional_type")
        if (function, member) in _UNWRAPPING and len(arguments) == 1 and arguments[0].first.name == "optional_type":
            return list_type(arguments[0].first.first)
        objects: dict[str, ValueType] = {}
        values = [self._value(argument, objects) for argument in arguments]
        told, failed = self._asked(_call(function, values, member=member))
        if not failed and not self._disagree(function, arguments):
            return read_type(told, objects)
        opened = [_opened(argument) for argument in arguments]
        if len(objects) > 1 and opened != list(arguments):  # objects of two types may be equal where both are written in the same way
            return self.result(function, opened, member=member)
        if not failed:
            told = f"found no matching overload for '{function}' applied to '({', '.join(map(str, arguments))})'"
        names = {**_NAMES, **{name: kind.name for name, kind in objects.items()}}
        raise OverloadError(_NAMED_OTHERWISE.sub(lambda match: names[match[0]], told))

    def _disagree(self, function: str, arguments: Sequence[ValueType]) -> bool:
        """Whether arguments that have to be of one type are of several."""
        if function not in _AGREEING or arguments[0].name != "list":
            return False
        one, other = arguments if function.startswith("sets.") else reversed(arguments)
        try:
            self.result(_AGREEING[function], (one, other), member=False)
        except OverloadError:
            return True
        return False

    def type_of_name(self, name: str) -> ValueType | None:
        """The type of a name that isn't a variable; None for an unknown one."""
        if name in NAMED_TYPES:
            return ValueType("type", (ValueType(name),))
        told, failed = self._asked(name)
        return None if failed else read_type(told, {})

    @cached_property
    def parser(self) -> cel.Env:
        """What parses the expressions that are checked."""
        return checking_parser(binding=self._binding)

    @cached_property
    def _environment(self) -> cel.Env:
        objects = {f"object{number}_": cel.Type.AbstractType(f"object{number}_") for number in range(_OBJECTS)}
        return compiling_environment({**objects, _AUTHORIZER: AUTHORIZER}, self._more)

    def _ask(self, call: str) -> tuple[str, bool]:
        try:
            return self._environment.compile(call).return_type().name(), False
        except RuntimeError as error:
            found = _MISTAKE.search(str(error))
            return found[1] if found else str(error), True

    def _value(self, kind: ValueType, objects: dict[str, ValueType]) -> str:
        """Any value of a type, as it is written."""
        if kind.fields is not None and kind.name not in _VALUES:
            known = next((name for name, other in objects.items() if other == kind), None)
            name = known or f"object{len(objects)}_"
            if len(objects) == _OBJECTS and known is None:
                return _VALUES["dyn"]
            objects[name] = kind
            return name
        parts = [self._value(part, objects) for part in kind.of]
        match kind.name, parts:
            case "list", _:
                return f"[{', '.join(parts)}]"
            case "map", _:
                return f"{{{': '.join(parts)}}}"
            case "optional_type", [value]:
                return f"optional.of({value})"
        return _VALUES.get(kind.name, _VALUES["dyn"])


def _call(function: str, values: list[str], *, member: bool) -> str:
    form = _OPERATORS.get(function)
    if form is not None:
        return form.format(*(f"({value})" for value in values)) if form.count("{}") == len(values) else _VALUES["dyn"]
    if member:
        return f"({values[0]}).{function}({', '.join(values[1:])})"
    return f"{function}({', '.join(values)})" if _NAME.fullmatch(function) else _VALUES["dyn"]


def _opened(kind: ValueType) -> ValueType:
    """The type with ``dyn`` in the place of a schema's objects, whose types have no names."""
    return DYN if kind.name == UNNAMED else kind._replace(of=tuple(_opened(part) for part in kind.of))
