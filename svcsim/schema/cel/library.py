"""The functions that expressions may call beside CEL's own, for validation rules of custom resources and for admission policies alike.

What is compiled and what is evaluated are two. An expression that is new may call what Kubernetes has, with its types; one that is stored
may call all that the library's extensions bring. A URL, an address, a network and an amount are texts where they are evaluated, checked and
in canonical form. And the library lets nobody add to the functions of its extensions, nor takes optional values: functions that it can't
have under their names are put in by `evaluable`.
"""

import ctypes
import operator
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

from svcsim import limits
from svcsim.meta.types import Json
from svcsim.schema.cel.addresses import ADDRESSES
from svcsim.schema.cel.amounts import AMOUNTS
from svcsim.schema.cel.conversions import CONVERSIONS, READ, TRUSTED, read_first, trusted
from svcsim.schema.cel.crossings import Uint
from svcsim.schema.cel.functions import FORMAT, NAMED_TYPES, Function, declarations
from svcsim.schema.cel.list_types import OVERLAID, SAME, UNION, overlaid, same, union
from svcsim.schema.cel.mistakes import key_exists
from svcsim.schema.cel.named_formats import NAMES, named, wrong_by
from svcsim.schema.cel.presence import in_optional_values
from svcsim.schema.cel.searches import find, find_all
from svcsim.schema.cel.texts import char_at, index_of, index_of_item, last_index_of, last_index_of_item, split, substring
from svcsim.schema.cel.trees import Call, Name, Text, Tree, mapped
from svcsim.schema.cel.written_out import WRITTEN_OUT, with_texts_as_in_go

_BOOL, _INT, _TEXT, _ANY, _LIST = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING, cel.Type.DYN, cel.Type.LIST
_MAP, _TEXTS = cel.Type.MAP, cel.Type.List(cel.Type.STRING)
_OPTIONALS = cel.Type.List(cel.Type.AbstractType("optional_type", [_ANY]))


def _is_sorted(values: list[Json]) -> bool:
    return all(one <= other for one, other in pairwise(values))


_SUMS: Final[Mapping[type, tuple[int, int, str]]] = {
    int: (-(1 << 63), (1 << 63) - 1, "integer overflow"),
    Uint: (0, (1 << 64) - 1, "unsigned integer overflow"),
}
"""The least and the largest sum of whole numbers, and what is said of others."""


def _sum(values: list[int | float | timedelta]) -> object:
    """The sum of numbers or of durations, all of one type."""
    if not values:
        return 0
    kind = type(values[0])
    if kind not in (int, Uint, float, timedelta) or any(type(value) is not kind for value in values):
        raise ValueError("no such overload: sum")
    sums = list(accumulate(values, operator.add))
    if kind not in _SUMS:
        return sums[-1]
    least, most, why = _SUMS[kind]
    if not least <= min(sums) <= max(sums) <= most:
        raise ValueError(why)
    return kind(sums[-1])


def _least(values: list[Json]) -> Json:
    if not values:
        raise ValueError("min called on empty list")
    return min(values)


def _most(values: list[Json]) -> Json:
    if not values:
        raise ValueError("max called on empty list")
    return max(values)


def _contains(one: list[Json], other: list[Json]) -> bool:
    return all(item in one for item in other)


def _intersects(one: list[Json], other: list[Json]) -> bool:
    return any(item in one for item in other)


def _inserted(whole: dict[object, object], key: object, value: object) -> dict[object, object]:
    if key in whole:
        raise ValueError(key_exists(key))
    return {**whole, key: value}


def _merged(whole: dict[object, object], other: dict[object, object]) -> dict[object, object]:
    for key, value in other.items():
        whole = _inserted(whole, key, value)
    return whole


PRIVATE = (
    Function("@indexOf", _INT, (_TEXT, _TEXT), index_of, member=False),
    Function("@indexOf", _INT, (_TEXT, _TEXT, _INT), index_of, member=False),
    Function("@indexOf", _INT, (_LIST, _ANY), index_of_item, member=False),
    Function("@lastIndexOf", _INT, (_TEXT, _TEXT), last_index_of, member=False),
    Function("@lastIndexOf", _INT, (_TEXT, _TEXT, _INT), last_index_of, member=False),
    Function("@lastIndexOf", _INT, (_LIST, _ANY), last_index_of_item, member=False),
    Function("@charAt", _TEXT, (_TEXT, _INT), char_at, member=False),
    Function("@substring", _TEXT, (_TEXT, _INT), substring, member=False),
    Function("@substring", _TEXT, (_TEXT, _INT, _INT), substring, member=False),
    Function("@split", _TEXTS, (_TEXT, _TEXT), split, member=False),
    Function("@split", _TEXTS, (_TEXT, _TEXT, _INT), split, member=False),
    Function("@inserted", _ANY, (_MAP, _ANY, _ANY), _inserted, member=False),
    Function("@merged", _ANY, (_MAP, _MAP), _merged, member=False),
    Function(UNION, _LIST, (_LIST, _LIST), union, member=False),
    Function(OVERLAID, _LIST, (_LIST, _LIST, _LIST), overlaid, member=False),
    Function(SAME, _BOOL, (_ANY, _ANY), same, member=False),
    Function("@format", _TEXT, (_TEXT,), named, member=False),
    Function("@wrong", _TEXTS, (_TEXT, _TEXT), wrong_by, member=False),
    Function("@type", _TEXT, (_TEXT, _TEXT), lambda _value, name: name, member=False),
    *CONVERSIONS,
    *WRITTEN_OUT,
)
"""What stands in the place of functions that can't have their own names."""
_OF_TEXTS = (
    Function("find", _TEXT, (_TEXT, _TEXT), find),
    Function("findAll", _TEXTS, (_TEXT, _TEXT), find_all),
    Function("findAll", _TEXTS, (_TEXT, _TEXT, _INT), find_all),
    *ADDRESSES,
    *AMOUNTS,
)
EVALUATED = (
    Function("isSorted", _BOOL, (_LIST,), _is_sorted),
    Function("sum", _ANY, (_LIST,), _sum),
    Function("min", _ANY, (_LIST,), _least),
    Function("max", _ANY, (_LIST,), _most),
    Function("sets.contains", _BOOL, (_LIST, _LIST), _contains, member=False),
    Function("sets.equivalent", _BOOL, (_LIST, _LIST), lambda one, other: _contains(one, other) and _contains(other, one), member=False),
    Function("sets.intersects", _BOOL, (_LIST, _LIST), _intersects, member=False),
    *_OF_TEXTS,
)
"""What is evaluated under the name it is called by, by `svcsim.schema.cel.calls`: the library knows the types alone."""
_SUMMABLE = (_INT, cel.Type.UINT, cel.Type.DOUBLE, cel.Type.DURATION)
_COMPARABLE = (*_SUMMABLE, _BOOL, cel.Type.TIMESTAMP, _TEXT, cel.Type.BYTES)
COMPILED = (
    *(Function("isSorted", _BOOL, (cel.Type.List(kind),)) for kind in _COMPARABLE),
    *(Function("sum", kind, (cel.Type.List(kind),)) for kind in _SUMMABLE),
    *(Function(name, kind, (cel.Type.List(kind),)) for name in ("min", "max") for kind in _COMPARABLE),
    *(Function(f"sets.{name}", _BOOL, (_LIST, _LIST), member=False) for name in ("contains", "equivalent", "intersects")),
    Function("indexOf", _INT, (_LIST, _ANY)),
    Function("indexOf", _INT, (_TEXT, _TEXT)),
    Function("indexOf", _INT, (_TEXT, _TEXT, _INT)),
    Function("lastIndexOf", _INT, (_LIST, _ANY)),
    Function("lastIndexOf", _INT, (_TEXT, _TEXT)),
    Function("lastIndexOf", _INT, (_TEXT, _TEXT, _INT)),
    Function("charAt", _TEXT, (_TEXT, _INT)),
    Function("join", _TEXT, (_TEXTS,)),
    Function("join", _TEXT, (_TEXTS, _TEXT)),
    Function("lowerAscii", _TEXT, (_TEXT,)),
    Function("upperAscii", _TEXT, (_TEXT,)),
    Function("trim", _TEXT, (_TEXT,)),
    Function("format", _TEXT, (_TEXT, _LIST)),
    Function("replace", _TEXT, (_TEXT, _TEXT, _TEXT)),
    Function("replace", _TEXT, (_TEXT, _TEXT, _TEXT, _INT)),
    Function("substring", _TEXT, (_TEXT, _INT)),
    Function("substring", _TEXT, (_TEXT, _INT, _INT)),
    Function("split", _TEXTS, (_TEXT, _TEXT)),
    Function("split", _TEXTS, (_TEXT, _TEXT, _INT)),
    Function("strings.quote", _TEXT, (_TEXT,), member=False),
    *(Function(f"format.{name}", FORMAT, (), member=False) for name in NAMES),
    Function("format.named", cel.Type.AbstractType("optional_type", [FORMAT]), (_TEXT,), member=False),
    Function("optional.unwrap", _LIST, (_OPTIONALS,), member=False),
    Function("unwrapOpt", _LIST, (_OPTIONALS,)),
    Function("validate", cel.Type.AbstractType("optional_type", [_TEXTS]), (FORMAT, _TEXT)),
    *_OF_TEXTS,
)
"""What may be called, with the types that it takes and gives: as it is in Kubernetes, so that nothing more is there."""


def _keep_none() -> None:
    """Makes None last, as later versions of Python do: the library gives it away without counting, until it seems to be left by all."""
    if sys.version_info < (3, 12):
        ctypes.c_ssize_t.from_address(id(None)).value += 1 << 40


_keep_none()


@lru_cache(limits.RULE_ENVIRONMENTS)
def environment(signature: str, *, optional: bool) -> cel.Env:
    """Where rules about values of a type are compiled; of an ``optional`` value that was before, it can be asked whether it is there."""
    kind = cel.Type(signature)
    variables = {"self": kind, "oldSelf_": kind, "hasOldSelf_": _BOOL} if optional else {"self": kind, "oldSelf": kind}
    extensions = [*_extensions(), ext_strings.ExtStrings()]
    return cel.NewEnv(variables=variables, extensions=extensions)


@lru_cache(limits.RULE_ENVIRONMENTS)
def general_environment(variables: frozenset[str]) -> cel.Env:
    """Where expressions are compiled about variables that may be anything."""
    return cel.NewEnv(variables=dict.fromkeys(sorted(variables), _ANY), extensions=[*_extensions(), ext_strings.ExtStrings()])


def evaluable(tree: Tree) -> Tree:
    """An expression with other functions in the place of those that the library can't have."""
    return _evaluable(with_texts_as_in_go(tree))


def _evaluable(tree: Tree) -> Tree:
    tree = in_optional_values(mapped(tree, _evaluable))
    if isinstance(tree, Name) and tree.name in NAMED_TYPES:
        return Text(tree.name, tree.at)
    if not isinstance(tree, Call):
        return tree
    space, _dot, name = tree.function.rpartition(".")
    if space == "format" and name in NAMES and not tree.arguments:
        return Text(name)
    instead = _INSTEAD.get(tree.function)
    return tree if instead is None else instead(tree)


def _renamed(call: Call) -> Tree:
    return call._replace(function=f"@{call.function}", member=False)


def _split(call: Call) -> Tree:
    separator = call.arguments[1:2]
    return call if all(isinstance(one, Text) and one.value for one in separator) else _renamed(call)


def _type(call: Call) -> Tree:
    """The type of what has no type of its own where it is evaluated is its name."""
    of = call.arguments[0]
    name = _RETURNED.get((of.function, of.member)) if isinstance(of, Call) else None
    return call if name is None else Call("@type", (of, Text(name)), at=call.at)


_RETURNED: Mapping[tuple[str, bool], str] = {
    (function.name, function.member): function.returns.name() for function in ADDRESSES if function.returns.name() in NAMED_TYPES
}
"""The types that an expression may name of what these functions give."""
_INSTEAD: Mapping[str, Callable[[Call], Tree]] = {
    **dict.fromkeys(READ, read_first),
    **{f"{name}{TRUSTED}": trusted for name in ("timestamp", "duration")},
    "type": _type,
    "indexOf": _renamed,
    "lastIndexOf": _renamed,
    "substring": _renamed,
    "charAt": _renamed,
    "split": _split,
    "format.named": lambda call: _unless_empty(call._replace(function="@format")),
    "validate": lambda call: _unless_empty(call._replace(function="@wrong", member=False)),
}


def _unless_empty(call: Call) -> Tree:
    return Call("optional.ofNonZeroValue", (call,), at=call.at)


def compiling_environment(variables: dict[str, cel.Type], more: tuple[Function, ...]) -> cel.Env:
    """An environment that only compiles expressions, with ``more`` functions of their own."""
    return cel.NewEnv(variables=variables, extensions=[ext_optional.ExtOptional()], functions=declarations((*COMPILED, *more)))


def _extensions() -> list[cel.CelExtension]:
    return [ext_optional.ExtOptional(), ext_bindings.ExtBindings(), ext_math.ExtMath(), ext_encoders.ExtEncoders()]


PARSER = cel.NewEnv(extensions=_extensions())
"""An environment that only parses expressions. A stored rule may use all of the library's macros."""


def checking_parser(*, binding: bool) -> cel.Env:
    """Where expressions are parsed that are checked, with the macros that they may have: those of devices may bind values to names."""
    return cel.NewEnv(extensions=[ext_optional.ExtOptional(), *([ext_bindings.ExtBindings()] if binding else [])])
