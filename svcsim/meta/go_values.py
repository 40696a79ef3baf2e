"""JSON values as text, the way Go spells them: in table cells, in templates' and JSONPath's results, between quotes."""

from collections.abc import Callable

from svcsim.meta.types import Json, Object

_QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}


def number(value: float) -> str:
    """A number, the shortest way."""
    if isinstance(value, int):
        return str(value)
    exponent = 0 if value == 0 else len(f"{abs(value):.0f}") - 1
    if value == int(value) and exponent < 21:
        return str(int(value))
    return repr(value)


def scalar(value: Json, number_text: Callable[[float], str] = number) -> str:
    """Anything but a map and a list: ``<nil>``, ``true``, a number, or text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else number_text(value)


def query_text(value: object) -> str:
    """A single value as query strings and field selectors have it: ``true``, or as it prints."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def plain(value: Json, number_text: Callable[[float], str] = number) -> str:
    """A value as a cell shows it: ``map[a:1 b:2]``, ``[1 2]``, ``<nil>``, ``true``."""
    if isinstance(value, dict | list):
        return items(value, lambda one: plain(one, number_text))
    return scalar(value, number_text)


def items(value: Object | list[Json], text: Callable[[Json], str]) -> str:
    """What a map or a list holds, the keys in order."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{text(key)}:{text(value[key])}" for key in sorted(value)) + "]"
    return "[" + " ".join(map(text, value)) + "]"


def quote(text: str) -> str:
    """Text between double quotes, with what can't be printed escaped."""
    pieces = [_QUOTED.get(char) or (char if char.isprintable() else _escaped(char)) for char in text]
    return '"' + "".join(pieces) + '"'


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
