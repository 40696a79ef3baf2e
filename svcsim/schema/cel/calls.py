"""Calls functions that are written in Python.

The CEL library can call them itself, but keeps for ever whatever it gives them and takes from them: a text that is searched stays in memory
once for each search. So none is given to it: an expression is cut at each of their calls (`svcsim.schema.cel.pieces`).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from cel_expr_python import cel

from svcsim.schema.cel.authorizer import ASKED
from svcsim.schema.cel.constructions import OF_PATCHES
from svcsim.schema.cel.crossings import Uint
from svcsim.schema.cel.functions import with_texts
from svcsim.schema.cel.library import EVALUATED, PRIVATE
from svcsim.schema.cel.presence import PRESENCE
from svcsim.schema.cel.trees import Call, Tree, parts

_CLASSES: Final[Mapping[str, type]] = {"BOOL": bool, "INT": int, "STRING": str, "LIST": list, "MAP": dict}
"""What is not told of here takes anything."""
_NAMES: Final[Mapping[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytearray: "bytes",
    list: "list",
    dict: "map",
    datetime: "timestamp",
    timedelta: "duration",
    cel.Type: "type",
    type(None): "null_type",
}


class CallError(Exception):
    """A call that comes to nothing; the text says why."""


class _Own(NamedTuple):
    """One overload, by the classes of what it takes; ``object`` is anything."""

    takes: tuple[type, ...]
    implementation: Callable[..., object]


def _by_name() -> Mapping[tuple[str, bool], list[_Own]]:
    found: dict[tuple[str, bool], list[_Own]] = {}
    for name, _returns, parameters, implementation, member in with_texts((*EVALUATED, *PRIVATE, *ASKED, *OF_PATCHES, *PRESENCE)):
        if implementation is not None:
            takes = tuple([_CLASSES.get(parameter.name().partition("<")[0], object) for parameter in parameters])
            found.setdefault((name, member), []).append(_Own(takes, implementation))
    return found


_FUNCTIONS: Final = _by_name()


def is_own(tree: Tree) -> bool:
    """Whether a tree is a call of such a function."""
    return isinstance(tree, Call) and (tree.function, tree.member) in _FUNCTIONS


def has_own(tree: Tree) -> bool:
    """Whether such a function is called anywhere in a tree."""
    return is_own(tree) or any(has_own(part) for part in parts(tree))


def name_of_type(value: object) -> str:
    """As CEL calls it."""
    return _NAMES.get(type(value), "dyn")


def _fits(wanted: type, given: type) -> bool:
    return wanted is given or wanted is object


def called(call: Call, arguments: Sequence[object]) -> object:
    """What a call gives. Raises `CallError`."""
    given = [type(argument) for argument in arguments]
    for takes, implementation in _FUNCTIONS[call.function, call.member]:
        if len(takes) == len(given) and all(map(_fits, takes, given)):
            try:
                return implementation(*arguments)
            except TypeError:
                break  # it is about items of types that have nothing in common
            except (ValueError, ArithmeticError, LookupError) as error:
                raise CallError(str(error)) from None
    told = ", ".join(map(name_of_type, arguments))
    raise CallError(f"no such overload: {call.function.removeprefix('@')}({told})")
