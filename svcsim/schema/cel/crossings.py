"""What the CEL library gives, as values of Python's, and how values that it doesn't take are given back to it.

It gives no optional values, and takes moments, spans, types and numbers without a sign nowhere but where a type says so. An expression
about one of these is therefore asked with that value written into it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.trees import Call, Entries, Entry, Loop, Name, Scalar, Selected, Text, Tree, Written, boolean, parts, replaced
from svcsim.schema.wire import VARINT, tag, varint

_GIVEN, _ITEM, _ITEMS = "@given", "@item", "@items"
OPTIONAL_FIELDS: Final = ("_?._", "_[?_]")
"""Give what may not be there, as an optional value."""
SELECT: Final = "@select"
"""Stands in their place where the library gives up: see `svcsim.schema.cel.presence`."""
_OPTIONAL_CALLS: Final = (*OPTIONAL_FIELDS, SELECT, "first", "last")
_MICROSECOND = timedelta(microseconds=1)
_NAMES: Final[Mapping[str, str]] = {
    "NULL": "null_type",
    "TIMESTAMP": "google.protobuf.Timestamp",
    "DURATION": "google.protobuf.Duration",
    **{name: name.lower() for name in ("BOOL", "INT", "UINT", "DOUBLE", "STRING", "BYTES", "LIST", "MAP", "TYPE")},
}


class EvaluationError(Exception):
    """An expression that comes to nothing; the text says why."""


class NotPlainError(EvaluationError):
    """An expression that comes to an optional value, or to what holds one: the library has no value of Python's for that."""

    def __init__(self) -> None:
        super().__init__("it comes to an optional value, or to what holds one")


class Optional(NamedTuple):
    """A value that may be there or not."""

    values: tuple[object, ...]


def plain(value: cel.Value) -> object:
    """What the library has come to. Raises `EvaluationError` for one of its errors.

    Never to be asked of a map in which optional values may stand: that ends the process. See `has_optionals`.
    """
    try:
        made = value.plain_value()
    except (RuntimeError, SystemError, TypeError):  # which of them depends on where such a value stands
        raise NotPlainError from None
    if made is not True and made is not False and value.type() == cel.Type.ERROR:  # nearly all come to a truth
        raise EvaluationError(str(made))
    return made


class Uint(int):
    """A number without a sign, of another type than one that may have one."""


_WRITTEN_IN = datetime | timedelta | cel.Type | Optional | Uint


def has_uints(tree: Tree) -> bool:
    """Whether numbers without a sign may come up in an expression: there are none in objects."""
    if isinstance(tree, Scalar) and tree.type == "uint":
        return True
    return (isinstance(tree, Call) and tree.function == "uint") or any(has_uints(part) for part in parts(tree))


def reader(tree: Tree) -> Callable[[cel.Value], object]:
    """The function that reads an expression's result: it only looks for values that may occur in it."""
    read = _plain_without_optionals if has_optionals(tree) else plain
    return (lambda value: _with_uints(value, read(value))) if has_uints(tree) else read


def _with_uints(value: cel.Value, made: object) -> object:
    """With the numbers without a sign as such, which Python doesn't tell from others."""
    if isinstance(made, bool):
        return made
    if isinstance(made, int):
        return Uint(made) if value.type() == cel.Type.UINT else made
    if isinstance(made, list):
        return [_with_uints(one, item) for one, item in zip(value.value(), made, strict=True)]
    if isinstance(made, dict):
        below = value.value()
        return {key: _with_uints(below[key], item) for key, item in made.items()}
    return made


def has_optionals(tree: Tree) -> bool:
    """Whether optional values may come up in an expression: there are none in objects."""
    return gives_optional(tree) or any(has_optionals(part) for part in parts(tree))


def gives_optional(tree: Tree) -> bool:
    """Whether something optional is made or selected, or anything of that."""
    if isinstance(tree, Selected):
        return not tree.asked and gives_optional(tree.of)
    return isinstance(tree, Call) and (tree.function in _OPTIONAL_CALLS or tree.function.startswith("optional."))


def _plain_without_optionals(value: cel.Value) -> object:
    """`plain` for a value that may hold optional values, so that each part is checked. Raises `NotPlainError` if it does."""
    if _holds_optional(value):
        raise NotPlainError
    return plain(value)


def _holds_optional(value: cel.Value) -> bool:
    """The library has no name for their type but that of errors, which stand in nothing."""
    kind = value.type()
    if kind == cel.Type.MAP:
        return any(item.type() == cel.Type.ERROR or _holds_optional(item) for item in value.value().values())
    if kind == cel.Type.LIST:
        return any(item.type() == cel.Type.ERROR or _holds_optional(item) for item in value.value())
    return False


def opened(tree: Tree) -> Tree:
    """An expression that gives an optional value, as one that gives a list of no item or of one."""
    return Call("_?_:_", (Call("hasValue", (tree,), True), Written((Call("value", (tree,), True),)), Written(())))


def each_opened(tree: Tree) -> Tree:
    """An expression that gives a list of optional values, as one that gives a list of such lists."""
    step = Call("_+_", (Name(_ITEMS), Written((opened(Name(_ITEM)),))))
    return Loop(_ITEM, tree, _ITEMS, Written(()), boolean(True), step, Name(_ITEMS))


def is_taken(value: object) -> bool:
    """Whether the library takes a value as it is."""
    if isinstance(value, list):
        return all(is_taken(item) for item in value)
    if isinstance(value, dict):
        return all(is_taken(item) for item in value.values())
    return not isinstance(value, _WRITTEN_IN)


def written_in(tree: Tree, values: Mapping[str, object]) -> tuple[Tree, dict[str, object]]:
    """An expression with what the library doesn't take written into it, and the values that are left. Raises `EvaluationError`."""
    others = {name: value for name, value in values.items() if not is_taken(value)}
    left = {name: value for name, value in values.items() if name not in others}
    return replaced(tree, {name: _written(value, left) for name, value in others.items()}), left


def _written(value: object, left: dict[str, object]) -> Tree:
    if len(left) > limits.CEL_WRITTEN_VALUES:
        raise EvaluationError(f"more than {limits.CEL_WRITTEN_VALUES} times, optional values or types in one list: too many for one step")
    match value:
        case Uint():
            return Scalar("uint", tag(4, VARINT) + varint(value))
        case Optional(()):
            return Call("optional.none", ())
        case Optional((one,)):
            return Call("optional.of", (_written(one, left),))
        case datetime():
            return Call("timestamp", (_given(value.isoformat().replace("+00:00", "Z"), left),))
        case timedelta():
            return Call("duration", (_given(f"{value // _MICROSECOND}us", left),))
        case cel.Type():
            return _type(value)
        case list() if not is_taken(value):
            return Written(tuple([_written(item, left) for item in value]))
        case dict() if not is_taken(value):
            return Entries(tuple([Entry(_given(key, left), _written(item, left)) for key, item in value.items()]))
    return _given(value, left)


def _given(value: object, left: dict[str, object]) -> Tree:
    if isinstance(value, str):
        return Text(value)
    left[name := f"{_GIVEN}{len(left)}"] = value
    return Name(name)


def _type(kind: cel.Type) -> Tree:
    name = kind.name().partition("<")[0]
    return Name(_NAMES.get(name, name))
