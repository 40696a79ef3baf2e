"""How large values may be by their schema: where it sets no limit, as large as fits into a request."""

from svcsim import limits
from svcsim.schema.cel.names import escaped
from svcsim.schema.cel.shapes import SCALAR, Shape, text
from svcsim.schema.types import Structural

_CHAR_BYTES = 4
"""Bytes of a character in a text whose length is limited in characters."""
_QUOTES = _BRACKETS = 2
_FORMAT_CHARS = {"datetime": 35, "date": 12, "duration": 32}
_FORMAT_BYTES = {"datetime": 22, "date": 12, "duration": 4}
_LEAST_BYTES = {"boolean": 4, "integer": 1, "number": 1, "string": _QUOTES}
_FIELD_BYTES, _ENTRY_BYTES = 4, 6
"""Marks around a field beside its name, and around an entry of a map with the shortest of keys."""


def shape_of_node(node: Structural) -> Shape:
    """The shape of the largest value that a part of a schema allows."""
    if node.int_or_string:
        return text(_most_chars(node))
    if node.items is not None:
        item = shape_of_node(node.items)
        return Shape(items=most_items(node), item=item)
    if node.additional is not None:
        return Shape(items=most_items(node), item=shape_of_node(node.additional), key=text(limits.OBJECT_BYTES - _QUOTES))
    if node.type == "object":
        fields = ((escaped(name), child) for name, child in node.properties.items())
        return Shape(items=1, fields={name: shape_of_node(child) for name, child in fields if name is not None})
    return text(_most_chars(node)) if node.type == "string" else SCALAR


def most_items(node: Structural) -> int:
    """The largest number of items in a list or a map."""
    if node.items is not None:
        said = node.document.get("maxItems")
        return said if said is not None else (limits.OBJECT_BYTES - _BRACKETS) // (least_bytes(node.items) + 1)
    said = node.document.get("maxProperties")
    below = 0 if node.additional is None else least_bytes(node.additional)
    return said if said is not None else (limits.OBJECT_BYTES - _BRACKETS) // (below + _ENTRY_BYTES)


def most_values(node: Structural) -> int:
    """How many such values there may be in one object, wherever they stand."""
    return limits.OBJECT_BYTES // (least_bytes(node) + 1)


def least_bytes(node: Structural) -> int:
    """The length of the smallest value as it is sent."""
    if node.int_or_string:
        return 1
    if node.type == "object" and node.additional is None:
        needed = [(name, node.properties[name]) for name in node.required if name in node.properties]
        return _BRACKETS + sum(len(name) + least_bytes(child) + _FIELD_BYTES for name, child in needed if child.default is None)
    return _FORMAT_BYTES.get(_format(node), _LEAST_BYTES.get(node.type, _BRACKETS))


def _most_chars(node: Structural) -> int:
    form = _format(node)
    if form in _FORMAT_CHARS:
        return _FORMAT_CHARS[form]
    said = node.document.get("maxLength")
    if said is not None:
        return int(said) * (1 if form == "byte" else _CHAR_BYTES)
    if node.document.get("enum") and not node.int_or_string:
        return max(len(one) for one in node.document["enum"] if isinstance(one, str))
    return limits.OBJECT_BYTES - _QUOTES


def _format(node: Structural) -> str:
    return (node.document.get("format") or "").replace("-", "") if node.type == "string" else ""
