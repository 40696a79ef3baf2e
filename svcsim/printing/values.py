"""JSON values as text, the way tools written in Go spell them: in table cells, in JSONPath results, between quotes."""

from collections.abc import Callable

import orjson

from svcsim.meta.go_values import number, scalar
from svcsim.meta.types import Json, Object

_QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}


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


def sorted_keys(value: Json) -> Json:
    """The same value with the keys of all its maps in order."""
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def compact_json(value: Json) -> str:
    """JSON on one line, keys in order, safe inside HTML."""
    return html_safe(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode())


def indented_json(value: Json, *, in_order: bool = False) -> str:
    """JSON with four spaces a level, keys sorted or ``in_order`` as they come, safe inside HTML; no line end."""
    import json  # noqa: PLC0415 - what prints no JSON does without

    return html_safe(json.dumps(value, indent=4, sort_keys=not in_order, ensure_ascii=False))


def html_safe(text: str) -> str:
    """JSON text whose characters mean nothing to HTML."""
    for char in "<>&\u2028\u2029":
        if char in text:
            text = text.replace(char, f"\\u{ord(char):04x}")
    return text
