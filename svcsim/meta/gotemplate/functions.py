"""The functions a template can call: Go's own, and kubectl's ``exists`` and ``base64decode``. Others may be given besides.

``and`` and ``or`` are not among them: they leave operands alone that no longer matter, which is for `running` to do.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias
from urllib.parse import quote_plus

from svcsim.meta.base64_places import first_wrong_byte
from svcsim.meta.gotemplate.errors import CallError, NoFunctionError
from svcsim.meta.gotemplate.formatting import default_text, formatted, printed, type_name
from svcsim.meta.types import Json


class NoValue:
    """What a field comes to that isn't there."""


NO_VALUE = NoValue()


def is_true(value: Json) -> bool:
    """Whether ``if`` goes on with it: what isn't there, is empty or 0 is false."""
    return value is not NO_VALUE and bool(value)


class KnownFunction(NamedTuple):
    """A function with how many operands it takes at the least and at the most (-1: any number), and which types they must have."""

    run: Callable[..., Json]
    at_least: int
    at_most: int
    types: tuple[type, ...] = ()
    """The types of the first operands; object is any."""


def _index(value: Json, *keys: Json) -> Json:
    if value is NO_VALUE or value is None:
        raise CallError("index of untyped nil")
    for key in keys:
        if isinstance(value, dict):
            value = _of_map(value, key)
        elif isinstance(value, list | str):
            value = _of_list(value, key)
        elif value is NO_VALUE or value is None:
            raise CallError("index of nil pointer")
        else:
            raise CallError(f"can't index item of type {type_name(value)}")
    return value


def _of_map(value: dict[str, Json], key: Json) -> Json:
    if key is NO_VALUE or key is None:
        raise CallError("value is nil; should be of type string")
    if not isinstance(key, str):
        raise CallError(f"value has type {type_name(key)}; should be string")
    return value.get(key, NO_VALUE)


def _position(key: Json, most: int) -> int:
    if key is NO_VALUE or key is None:
        raise CallError("cannot index slice/array with nil")
    if not isinstance(key, int) or isinstance(key, bool):
        raise CallError(f"cannot index slice/array with type {type_name(key)}")
    if not 0 <= key <= most:
        raise CallError(f"index out of range: {key}")
    return key


def _length(value: list[Json] | str) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)


def _of_list(value: list[Json] | str, key: Json) -> Json:
    at = _position(key, _length(value) - 1)
    return value.encode()[at] if isinstance(value, str) else value[at]


def _slice(value: Json, *ends: Json) -> Json:
    if value is NO_VALUE or value is None:
        raise CallError("slice of untyped nil")
    if len(ends) > 3:
        raise CallError(f"too many slice indexes: {len(ends)}")
    if not isinstance(value, list | str):
        raise CallError(f"can't slice item of type {type_name(value)}")
    if isinstance(value, str) and len(ends) == 3:
        raise CallError("cannot 3-index slice a string")
    whole = value.encode() if isinstance(value, str) else value
    found = [_position(end, len(whole)) for end in ends]
    first, last = [*found, *(0, len(whole))[len(found) :]][:2]
    if first > last:
        raise CallError(f"invalid slice index: {first} > {last}")
    part = whole[first:last]
    return part.decode(errors="replace") if isinstance(part, bytes) else part


def _len(value: Json) -> int:
    if value is NO_VALUE or value is None:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    if not isinstance(value, str | list | dict):
        raise CallError(f"len of type {type_name(value)}")
    return _length(value) if isinstance(value, str) else len(value)


def _exists(value: Json, *keys: Json) -> bool:
    """Whether a path leads somewhere."""
    for key in keys:
        named = isinstance(value, dict) and isinstance(key, str) and key in value
        if not named and not (isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)):
            return False
        value = value[key]
    return True


def _base64decode(text: str) -> str:
    cleaned = text.replace("\n", "").replace("\r", "")
    try:
        return base64.b64decode(cleaned, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        raise CallError(f"base64 decode failed: illegal base64 data at input byte {first_wrong_byte(cleaned)}") from None


# --- comparing ---


def _kind(value: Json) -> str:
    """The family of values that can be compared with each other; empty for maps, lists and nothing."""
    if isinstance(value, dict | list) or value is None or value is NO_VALUE:
        return ""
    return type_name(value).removesuffix("64")


def _eq(first: Json, *others: Json) -> bool:
    if not others:
        raise CallError("missing argument for comparison")
    return any(_same(first, other) for other in others)


def _same(first: Json, other: Json) -> bool:
    nothing = (None, NO_VALUE)
    if _kind(first) != _kind(other):
        if first in nothing or other in nothing:
            return False
        raise CallError("incompatible types for comparison")
    for value in (first, other):
        if isinstance(value, dict | list):
            raise CallError(f"non-comparable type {default_text(value)}: {type_name(value)}")
    return bool(first == other) or (first in nothing and other in nothing)


def _ne(first: Json, other: Json) -> bool:
    return not _eq(first, other)


def _lt(first: Json, other: Json) -> bool:
    if not _kind(first) or not _kind(other):
        raise CallError("invalid type for comparison")
    if _kind(first) != _kind(other):
        raise CallError("incompatible types for comparison")
    if isinstance(first, bool):
        raise CallError("invalid type for comparison")
    return bool(first < other)


def _le(first: Json, other: Json) -> bool:
    return _lt(first, other) or _eq(first, other)


def _gt(first: Json, other: Json) -> bool:
    return not _le(first, other)


def _ge(first: Json, other: Json) -> bool:
    return not _lt(first, other)


# --- printing ---


def shown(value: Json) -> str:
    """What an action prints."""
    return "<no value>" if value is NO_VALUE or value is None else default_text(value)


def _nothing_is_nil(values: tuple[Json, ...]) -> list[Json]:
    return [None if value is NO_VALUE else value for value in values]


def _print(*values: Json) -> str:
    return printed(_nothing_is_nil(values))


def _println(*values: Json) -> str:
    return " ".join(map(default_text, _nothing_is_nil(values))) + "\n"


def _printf(pattern: str, *values: Json) -> str:
    return formatted(pattern, _nothing_is_nil(values))


def _plain(values: tuple[Json, ...]) -> str:
    """The text that is escaped: a text alone is itself, what isn't there has words of its own."""
    return printed(["<no value>" if value is NO_VALUE else value for value in values])


_HTML = str.maketrans({'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"})
_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}


def _html(*values: Json) -> str:
    return _plain(values).translate(_HTML)


def _js(*values: Json) -> str:
    return "".join(_JS.get(char) or (char if char.isprintable() else f"\\u{ord(char):04X}") for char in _plain(values))


def _urlquery(*values: Json) -> str:
    return quote_plus(_plain(values), safe="~")


def _not(value: Json) -> bool:
    return not is_true(value)


def _call(*values: Json) -> Json:
    value = values[0]
    if value is NO_VALUE or value is None:
        raise CallError("call of nil")
    raise NoFunctionError(type_name(value))


FUNCTIONS = {
    "base64decode": KnownFunction(_base64decode, 1, 1, (str,)),
    "call": KnownFunction(_call, 1, -1),
    "eq": KnownFunction(_eq, 1, -1),
    "exists": KnownFunction(_exists, 1, -1),
    "ge": KnownFunction(_ge, 2, 2),
    "gt": KnownFunction(_gt, 2, 2),
    "html": KnownFunction(_html, 0, -1),
    "index": KnownFunction(_index, 1, -1),
    "js": KnownFunction(_js, 0, -1),
    "le": KnownFunction(_le, 2, 2),
    "len": KnownFunction(_len, 1, 1),
    "lt": KnownFunction(_lt, 2, 2),
    "ne": KnownFunction(_ne, 2, 2),
    "not": KnownFunction(_not, 1, 1),
    "print": KnownFunction(_print, 0, -1),
    "printf": KnownFunction(_printf, 1, -1, (str,)),
    "println": KnownFunction(_println, 0, -1),
    "slice": KnownFunction(_slice, 1, -1),
    "urlquery": KnownFunction(_urlquery, 0, -1),
}
"""By their names."""
Functions: TypeAlias = Mapping[str, KnownFunction]
LOGICAL = ("and", "or")
