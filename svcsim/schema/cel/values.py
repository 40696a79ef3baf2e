"""Values of custom resources as rules see them: fields under the names that rules spell, moments, spans and bytes as such."""

import base64
import binascii
from datetime import UTC, datetime, timedelta

from svcsim.meta.times import parse_time
from svcsim.meta.types import Json
from svcsim.schema.cel.names import escaped
from svcsim.schema.formats import parse_duration
from svcsim.schema.types import Structural

_FORMATS = {"datetime": "timestamp", "date": "timestamp", "duration": "duration", "byte": "bytes"}
_SCALARS = {"integer": "int", "number": "double", "boolean": "bool"}


def type_of_node(node: Structural) -> str:
    """What a rule about values of a node may take them for. Of fields nothing is known but their names."""
    if node.items is not None:
        return f"list<{type_of_node(node.items)}>"
    if node.nullable or node.int_or_string or node.type == "object":
        return "dyn"
    if node.type == "string":
        return _FORMATS.get((node.document.get("format") or "").replace("-", ""), "string")
    return _SCALARS.get(node.type, "dyn")


def as_seen(value: Json, node: Structural) -> object:
    """A value of a node as its rules see it. It has been found right by the schema's keywords."""
    if isinstance(value, dict):
        return _map(value, node)
    if isinstance(value, list):
        return [as_seen(item, node.items) for item in value] if node.items is not None else value
    if isinstance(value, str) and node.document.get("format"):
        return _formatted(value, node.document["format"].replace("-", ""))
    if node.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _map(value: dict[str, Json], node: Structural) -> object:
    seen: dict[str, object] = {}
    for name, item in value.items():
        child = node.properties.get(name)
        if child is None:
            seen[name] = item if node.additional is None else as_seen(item, node.additional)
        elif item is not None:
            spelled = escaped(name)
            if spelled is not None:
                seen[spelled] = as_seen(item, child)
    return seen


def _formatted(value: str, form: str) -> object:
    try:
        match form:
            case "datetime":
                return datetime.fromtimestamp(parse_time(value.upper()), UTC)
            case "date":
                return datetime.fromisoformat(value).replace(tzinfo=UTC)
            case "duration":
                return timedelta(seconds=parse_duration(value))
            case "byte":
                return base64.b64decode(value)
    except (ValueError, OverflowError, binascii.Error):
        return value
    return value
