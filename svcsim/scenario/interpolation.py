"""``${…}`` inside of strings.

A string that is nothing but one ``${…}`` becomes the value itself, a number or a map as well; anywhere else the value's text is put in.
``$${`` stands for ``${``. Manifests in files are left as they are, since shell scripts in them have the same mark.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import orjson

from svcsim.meta.types import Json

_HOLE = re.compile(r"\$\$\{|\$\{([^}]*)\}")


class Hole(NamedTuple):
    """An expression in a string, and where in it it begins."""

    expression: str
    offset: int


def holes(text: str) -> list[Hole]:
    """The expressions in a string."""
    if "${" not in text:
        return []
    return [Hole(match.group(1), match.start(1)) for match in _HOLE.finditer(text) if match.group(1) is not None]


def has_holes(value: Json) -> bool:
    """Whether a value is a string that is still to be filled."""
    return isinstance(value, str) and bool(holes(value))


def expand(value: Json, evaluate: Callable[[str], Json]) -> Json:
    """The value with every expression in its strings replaced by what ``evaluate`` says it comes to."""
    if isinstance(value, dict):
        return {key: expand(child, evaluate) for key, child in value.items()}
    if isinstance(value, list):
        return [expand(child, evaluate) for child in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    whole = _HOLE.fullmatch(value)
    if whole is not None and whole.group(1) is not None:
        return evaluate(whole.group(1))
    return _HOLE.sub(lambda match: "${" if match.group(1) is None else as_text(evaluate(match.group(1))), value)


def as_text(value: Json) -> str:
    """A value as it stands inside of a text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return orjson.dumps(value).decode()
