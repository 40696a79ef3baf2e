"""How mistakes in expressions are told, as the CEL library and Kubernetes do."""

import re

_REASONS = (
    (re.compile(r'Key not found in map : "?([^"]*)"?'), r"no such key: \1"),
    (re.compile(r"Index error: index=(-?\d+) size=\d+"), r"index out of bounds: \1"),
    (re.compile(r"divide by zero"), "division by zero"),
    (re.compile(r"No matching overloads found : (.*)"), r"no such overload: \1"),
)
"""What the library says, and what Kubernetes says instead."""
_CLASS = re.compile(r"[A-Z_]+: ")


def told(error: str) -> str:
    """The library's own words, without how it classifies them."""
    return error.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")


def at_offset(text: str, offset: int, what: str) -> str:
    """As the library tells of a mistake: its place, and the line with a mark below."""
    line = text[:offset].count("\n")
    column = offset - (text.rfind("\n", 0, offset) + 1)
    shown = text.split("\n")[line]
    return f"ERROR: <input>:{line + 1}:{column + 1}: {what}\n | {shown}\n | {'.' * column}^"


def reason(message: str) -> str:
    """Why an expression came to nothing."""
    for found, instead in _REASONS:
        match = found.search(message)
        if match is not None:
            return match.expand(instead)
    return _CLASS.sub("", message, count=1) if _CLASS.match(message) else message


def key_exists(key: object) -> str:
    """Why an entry can't be put into a map."""
    shown = str(key).lower() if isinstance(key, bool) else key
    return f"insert failed: key {shown} already exists"
