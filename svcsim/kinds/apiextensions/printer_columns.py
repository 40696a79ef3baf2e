"""The table of a custom resource: the columns its definition declares, or the age alone."""

from svcsim.kinds.shared.columns import since
from svcsim.meta.codec import encode
from svcsim.meta.jsonpath import find
from svcsim.meta.jsonpath_parser import JsonPathError, Path, Range, parse
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

_AGE: Object = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": "When the server first stored the object",
}


def columns(version: Object) -> tuple[Column, ...]:
    """Of one version of a definition."""
    return tuple(_column(declared) for declared in version.get("additionalPrinterColumns") or (_AGE,))


def parse_path(text: str) -> Path:
    """A simple path as definitions write it: ``.spec.size``. Raises `JsonPathError`."""
    template = parse(f"{{{text}}}")
    if len(template) != 1 or isinstance(template[0], Range):
        raise JsonPathError("it is more than one path")
    return template[0]


def _column(declared: Object) -> Column:
    return Column(
        declared["name"],
        _cell(parse_path(declared["jsonPath"]), declared["type"]),
        declared["type"],
        declared.get("priority") or 0,
        declared.get("description") or "",
        declared.get("format") or "",
    )


def _cell(path: Path, kind: str) -> Cell:
    def cell(obj: Object, context: Context) -> Json:
        try:
            found = find(path, obj)
        except JsonPathError:
            return None
        return _shown(found[0], kind, context) if found else None

    return cell


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
