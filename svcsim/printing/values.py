"""JSON values as text for people: as Go spells them, and as JSON."""

import orjson

from svcsim.meta.go_values import items, number, plain, quote
from svcsim.meta.types import Json

__all__ = ["compact_json", "html_safe", "indented_json", "items", "number", "plain", "quote", "sorted_keys"]


def sorted_keys(value: Json) -> Json:
    """The value with the keys of all its maps in order."""
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
