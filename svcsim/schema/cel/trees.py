"""Compiled expressions as trees, read from the form in which the CEL library serializes them: what they cost is told from these."""

from collections.abc import Callable
from typing import NamedTuple, cast

from svcsim.schema.wire import Payload, fields


class Text(NamedTuple):
    """A text, or a pattern, as it is written."""

    value: str


class Scalar(NamedTuple):
    """A number, a truth or whatever else has no parts."""


class Name(NamedTuple):
    """A variable."""

    name: str


class Selected(NamedTuple):
    """A field of what an expression gives; or the question whether it is there."""

    of: "Tree"
    name: str
    asked: bool


class Call(NamedTuple):
    """A function or an operator; what it is called on comes first."""

    function: str
    arguments: "tuple[Tree, ...]"


class Written(NamedTuple):
    """A list as it is written."""

    items: "tuple[Tree, ...]"


class Entries(NamedTuple):
    """A map as it is written."""

    entries: "tuple[tuple[str, Tree, Tree], ...]"
    """The key where it is a text, the expression of the key, and that of the value."""


class Loop(NamedTuple):
    """What all macros come to: steps that make one value of another, one for each item of a range."""

    item: str
    range: "Tree"
    name: str
    start: "Tree"
    condition: "Tree"
    step: "Tree"
    result: "Tree"


Tree = Text | Scalar | Name | Selected | Call | Written | Entries | Loop
_SCALAR = Scalar()
_TEXT_CONSTANT, _BYTES_CONSTANT = 6, 7


def tree(serialized: bytes) -> Tree:
    """The tree of a serialized expression: a message with its type beside it."""
    checked = _one(serialized, 2)
    return _tree(_one(checked, 4) or _one(checked, 2))


def _tree(message: bytes) -> Tree:
    for number, _type, body in fields(message):
        read = _READERS.get(number)
        if read is not None:
            return read(cast(bytes, body))
    return _SCALAR


def _constant(body: bytes) -> Tree:
    for number, _type, value in fields(body):
        if number in {_TEXT_CONSTANT, _BYTES_CONSTANT}:
            return Text(cast(bytes, value).decode("utf-8", "replace"))
    return _SCALAR


def _name(body: bytes) -> Tree:
    return Name(_text(body, 1))


def _field(body: bytes) -> Tree:
    asked = any(number == 3 and value for number, _type, value in fields(body))
    return Selected(_tree(_one(body, 1)), _text(body, 2), asked)


def _call(body: bytes) -> Tree:
    target = [_tree(cast(bytes, one)) for one in _all(body, 1)]
    return Call(_text(body, 2), (*target, *(_tree(cast(bytes, one)) for one in _all(body, 3))))


def _items(body: bytes) -> Tree:
    return Written(tuple(_tree(cast(bytes, one)) for one in _all(body, 1)))


def _entries(body: bytes) -> Tree:
    return Entries(tuple(_entry(cast(bytes, one)) for one in _all(body, 2)))


def _entry(body: bytes) -> tuple[str, Tree, Tree]:
    key = _tree(_one(body, 3))
    return key.value if isinstance(key, Text) else _text(body, 2), key, _tree(_one(body, 4))


def _loop(body: bytes) -> Tree:
    whole = (_tree(_one(body, number)) for number in (2, 4, 5, 6, 7))
    over, start, condition, step, result = whole
    return Loop(_text(body, 1), over, _text(body, 3), start, condition, step, result)


_READERS: dict[int, Callable[[bytes], Tree]] = {3: _constant, 4: _name, 5: _field, 6: _call, 7: _items, 8: _entries, 9: _loop}


def _all(message: bytes, wanted: int) -> list[Payload]:
    return [value for number, _type, value in fields(message) if number == wanted]


def _one(message: bytes, wanted: int) -> bytes:
    found = _all(message, wanted)
    return cast(bytes, found[-1]) if found else b""


def _text(message: bytes, wanted: int) -> str:
    return _one(message, wanted).decode("utf-8", "replace")
