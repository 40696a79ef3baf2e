"""The table of a custom resource: the columns its definition declares, or the age alone.

A definition may have thousands of columns with long paths. Nearly all paths are names with dots before them, which are not parsed but cut
up, and only when a table is asked for.
"""

import re
from collections.abc import Callable
from functools import partial

from svcsim.kinds.shared.columns import since
from svcsim.meta.codec import encode
from svcsim.meta.first_use import at_first_use
from svcsim.meta.jsonpath import find
from svcsim.meta.jsonpath_parser import FieldAccess, JsonPathError, Path, Range, parse
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

_AGE: Object = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": "When the server first stored the object",
}


_PLAIN = re.compile(r"(?:\.[A-Za-z_][A-Za-z0-9_-]*)+")
"""A path of names alone."""


def columns(version: Object) -> tuple[Column, ...]:
    """The printer columns of one version of a definition."""
    return tuple(_column(declared) for declared in version.get("additionalPrinterColumns") or (_AGE,))


def parse_path(text: str) -> Path:
    """A simple path as definitions write it: ``.spec.size``. Raises `JsonPathError`."""
    if _PLAIN.fullmatch(text):
        return tuple(map(FieldAccess, _names(text)))
    template = parse(f"{{{text}}}")
    if len(template) != 1 or isinstance(template[0], Range):
        raise JsonPathError("it is more than one path")
    return template[0]


def _column(declared: Object) -> Column:
    return Column(
        declared["name"],
        _cell(declared["jsonPath"], declared["type"]),
        declared["type"],
        declared.get("priority") or 0,
        declared.get("description") or "",
        declared.get("format") or "",
    )


def _cell(text: str, kind: str) -> Cell:
    look = at_first_use(partial(_looking_at, text))

    def cell(obj: Object, context: Context) -> Json:
        try:
            found = look()(obj)
        except JsonPathError:
            return None
        return _shown(found[0], kind, context) if found else None

    return cell


def _looking_at(text: str) -> Callable[[Object], list[Json]]:
    """What finds the values at a path."""
    return partial(_follow, _names(text)) if _PLAIN.fullmatch(text) else partial(find, parse_path(text))


def _names(text: str) -> list[str]:
    return text.split(".")[1:]


def _follow(names: list[str], obj: Object) -> list[Json]:
    value: Json = obj
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return []
        value = value[name]
    return [value]


def _shown(value: Json, kind: str, context: Context) -> Json:
    """A value as a cell of that type; nothing where it is of another."""
    if kind == "string":
        return _text(value)
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind == "date":
        return _age(value, context) if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if kind == "integer" else value


def _age(value: str, context: Context) -> str:
    try:
        return since(value, context)
    except ValueError:
        return "<invalid>"


def _text(value: Json) -> Json:
    if value is None or isinstance(value, str):
        return value
    return encode(value).decode()
