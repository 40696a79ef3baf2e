"""Values of custom resources as rules see them: fields under the names that rules spell, moments, spans and bytes as such.

The CEL library takes moments and spans only where a type says that there is one, and of fields it knows no types. Below a field they are
given to it as texts in canonical form, and `with_times` has an expression read those that it names.
"""

import base64
import binascii
import re
from datetime import UTC, datetime, timedelta

from svcsim.meta.times import parse_given_time
from svcsim.meta.types import Json
from svcsim.schema.cel.conversions import READ, TRUSTED
from svcsim.schema.cel.names import escaped
from svcsim.schema.cel.written_out import shortened
from svcsim.schema.checks import identity
from svcsim.schema.formats import parse_duration
from svcsim.schema.types import Structural

_FORMATS = {"datetime": "timestamp", "date": "timestamp", "duration": "duration", "byte": "bytes"}
_TIMES = ("timestamp", "duration")
_SCALARS = {"integer": "int", "number": "double", "boolean": "bool"}
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def signature_of(node: Structural) -> str:
    """What the CEL library takes values of a node for. Of fields it knows nothing but their names."""
    if node.items is not None:
        return f"list<{signature_of(node.items)}>"
    if node.nullable or node.int_or_string or node.type == "object":
        return "dyn"
    if node.type == "string":
        return _FORMATS.get(_format(node), "string")
    return _SCALARS.get(node.type, "dyn")


def as_seen(value: Json, node: Structural) -> object:
    """A value of a node as its rules see it. It has been found right by the schema's keywords."""
    return _seen(value, node, typed="dyn" not in signature_of(node))


def in_order_of(old: Json, new: Json, node: Structural) -> Json:
    """What a value was before, with the items of its sets and of its lists with keys in the order they have now.

    The order of such lists means nothing, but two lists are the same to CEL in the same order alone.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return {name: _item_in_order(name, item, new, node) for name, item in old.items()}
    if not isinstance(old, list) or not isinstance(new, list) or node.items is None or node.list_type not in {"set", "map"}:
        return old
    if node.keys and not all(isinstance(item, dict) for item in (*old, *new)):
        return old
    identify = identity(node.keys)
    before = {identify(item): item for item in old}
    now = {identify(item): item for item in new}
    known = [in_order_of(before[key], item, node.items) for key, item in now.items() if key in before]
    return [*known, *(item for key, item in before.items() if key not in now)]


def _item_in_order(name: str, item: Json, new: dict[str, Json], node: Structural) -> Json:
    child = node.properties.get(name, node.additional)
    return item if child is None or name not in new else in_order_of(item, new[name], child)


def with_times(text: str, said: str, node: Structural, variables: tuple[str, ...]) -> str:
    """An expression that has the moments and spans below the fields of variables as such, as far as what was ``said`` names them."""
    words = frozenset(_WORD.findall(said))
    for name in variables:
        reading = _reading(node, name, words, 0)
        text = text if reading is None else f"cel.bind({name}, {reading}, {text})"
    return text


def _format(node: Structural) -> str:
    return (node.document.get("format") or "").replace("-", "")


def _seen(value: Json, node: Structural, *, typed: bool) -> object:
    if isinstance(value, dict):
        return _map(value, node)
    if isinstance(value, list):
        return [_seen(item, node.items, typed=typed) for item in value] if node.items is not None else value
    if isinstance(value, str) and node.document.get("format"):
        form = _format(node)
        return _formatted(value, form) if typed else _spelled(value, form)
    if node.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _map(value: dict[str, Json], node: Structural) -> object:
    seen: dict[str, object] = {}
    for name, item in value.items():
        child = node.properties.get(name)
        if child is None:
            seen[name] = item if node.additional is None else _seen(item, node.additional, typed=False)
        elif item is not None:
            spelled = escaped(name)
            if spelled is not None:
                seen[spelled] = _seen(item, child, typed=False)
    return seen


def _formatted(value: str, form: str) -> object:
    try:
        match form:
            case "datetime":
                return datetime.fromtimestamp(parse_given_time(value.upper()), UTC)
            case "date":
                return datetime.fromisoformat(value).replace(tzinfo=UTC)
            case "duration":
                return timedelta(seconds=parse_duration(value))
            case "byte":
                return base64.b64decode(value)
    except (ValueError, OverflowError, binascii.Error):
        return value
    return value


def _spelled(value: str, form: str) -> object:
    """The value of a formatted text, but a timestamp or a duration as a text that CEL reads."""
    if form == "datetime":
        try:
            return shortened(READ["timestamp"](value.upper()))
        except (ValueError, OverflowError):
            return value
    found = _formatted(value, form)
    if isinstance(found, datetime):
        return found.isoformat().replace("+00:00", "Z")
    return f"{found.total_seconds():.6f}s" if isinstance(found, timedelta) else found


def _reading(node: Structural, source: str, words: frozenset[str], depth: int) -> str | None:
    """The expression that reads all times in a value that another expression gives; None where there are none, or none is named."""
    if node.items is not None:
        item = f"item{depth}_"
        reading = _reading(node.items, item, words, depth + 1)
        return None if reading is None else f"{source}.map({item}, {reading})"
    if node.additional is not None:
        item = f"item{depth}_"
        reading = _reading(node.additional, item, words, depth + 1)
        return None if reading is None else f"{source}.transformMap(key{depth}_, {item}, {reading})"
    if node.properties:
        return _reading_of_fields(node, source, words, depth)
    time = _FORMATS.get(_format(node)) if node.type == "string" else None
    return f"dyn({time}{TRUSTED}({source}))" if time in _TIMES else None


def _reading_of_fields(node: Structural, source: str, words: frozenset[str], depth: int) -> str | None:
    fields = {name: child for field, child in node.properties.items() if (name := escaped(field)) is not None}
    readings = {
        name: reading
        for name, child in fields.items()
        if name in words and (reading := _reading(child, f"{source}.{name}", words, depth + 1)) is not None
    }
    if not readings:
        return None
    entries = (
        f"?'{name}': has({source}.{name}) ? optional.of({readings.get(name, f'dyn({source}.{name})')}) : optional.none()" for name in fields
    )
    return f"{{{', '.join(entries)}}}"
