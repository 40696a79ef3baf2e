"""How mistakes in expressions are told, as the CEL library and Kubernetes do."""

import re

from svcsim.schema.go_patterns import in_words_of_go

_REASONS = (
    (re.compile(r'Key not found in map : "?([^"]*)"?'), r"no such key: \1"),
    (re.compile(r"Index error: index=(-?\d+) size=\d+"), r"index out of bounds: \1"),
    (re.compile(r"divide by zero"), "division by zero"),
    (re.compile(r"No matching overloads found : (.*)"), r"no such overload: \1"),
    (re.compile(r"(?:double|uint64) out of int64 range"), "integer overflow"),
    (re.compile(r"(?:double|int64) out of uint64 range"), "unsigned integer overflow"),
)
"""What the library says, and what Kubernetes says instead."""
_SYNTAX = (
    (re.compile(r"has\(\) argument must be a field selection"), "invalid argument to has() macro"),
    (re.compile(r"(?:all|exists|exists_one|existsOne)\(\) variable name must be a simple identifier"), "argument must be a simple name"),
    (re.compile(r"(?:map|filter)\(\) variable name must be a simple identifier"), "argument is not an identifier"),
)
"""The library's and Kubernetes' messages for macros that are used in the wrong way."""
_PLACE = re.compile(r"(ERROR: <input>:\d+:\d+: )(.*)")
_PATTERN = "invalid regular expression: "
_CLASS = re.compile(r"[A-Z_]+: ")


def told(error: str) -> str:
    """What is wrong with an expression that the library can't parse, without how it classifies that."""
    return _PLACE.sub(_told_at, error.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]"))


def _told_at(found: re.Match[str]) -> str:
    return found[1] + next((instead for words, instead in _SYNTAX if words.fullmatch(found[2])), found[2])


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
    message = _CLASS.sub("", message, count=1) if _CLASS.match(message) else message
    return in_words_of_go(message.removeprefix(_PATTERN)) if message.startswith(_PATTERN) else message


def key_exists(key: object) -> str:
    """Why an entry can't be put into a map."""
    shown = str(key).lower() if isinstance(key, bool) else key
    return f"insert failed: key {shown} already exists"
