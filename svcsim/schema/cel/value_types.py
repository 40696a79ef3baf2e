"""Types of values in expressions, as far as they are told before anything is evaluated: those of a schema, and those of the language."""

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from svcsim.schema.cel.names import escaped
from svcsim.schema.types import Structural

_FORMATS = {"datetime": "timestamp", "date": "timestamp", "duration": "duration", "byte": "bytes"}
_SIMPLE = {"integer": "int", "number": "double", "boolean": "bool"}
_PART = re.compile(r"[\w.]+|[<>,]")


class Fields(Protocol):
    """The fields that an object has."""

    def type_of(self, name: str) -> "ValueType | None":
        """The type of a field; None where there is none."""


class ValueType(NamedTuple):
    """What is known of a value: a type of CEL's, of the values in it, and of an object its fields.

    A list or a map of no parts is an empty one.
    """

    name: str
    of: "tuple[ValueType, ...]" = ()
    fields: Fields | None = None

    def __str__(self) -> str:
        if self.name in ("list", "map") and not self.of:
            return "list(dyn)" if self.name == "list" else "map(dyn, dyn)"
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name

    @property
    def first(self) -> "ValueType":
        """Of an item, a key or what else is there."""
        return self.of[0] if self.of else DYN

    @property
    def last(self) -> "ValueType":
        """Of an item, or of a value of a map."""
        return self.of[-1] if self.of else DYN


DYN, BOOL, INT, TEXT = ValueType("dyn"), ValueType("bool"), ValueType("int"), ValueType("string")


def list_type(item: ValueType) -> ValueType:
    """Of a list of such items."""
    return ValueType("list", (item,))


def map_type(key: ValueType, value: ValueType) -> ValueType:
    """Of a map of such keys and values."""
    return ValueType("map", (key, value))


def optional_type(value: ValueType) -> ValueType:
    """Of a value that may be there or not."""
    return ValueType("optional_type", (value,))


class _Declared:
    """The fields of a part of a schema, under the names that rules spell."""

    def __init__(self, node: Structural) -> None:
        self._node = node
        self._fields: Mapping[str, Structural] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Declared) and other._node is self._node

    def __hash__(self) -> int:
        return id(self._node)

    def type_of(self, name: str) -> ValueType | None:
        if self._fields is None:
            spelled = ((escaped(field), child) for field, child in self._node.properties.items())
            self._fields = {field: child for field, child in spelled if field is not None}
        child = self._fields.get(name)
        if child is not None:
            return type_of_node(child)
        return DYN if self._node.preserve else None


class Known:
    """Fields told by name."""

    def __init__(self, fields: Mapping[str, ValueType]) -> None:
        self._fields = fields

    def type_of(self, name: str) -> ValueType | None:
        """The type of a field; None where there is none."""
        return self._fields.get(name)


def object_type(fields: Mapping[str, ValueType]) -> ValueType:
    """Of an object with these fields."""
    return ValueType("object", fields=Known(fields))


def type_of_node(node: Structural) -> ValueType:
    """Of the values that a part of a schema lets be. What a schema leaves open may be anything."""
    if node.int_or_string:
        return DYN
    if node.items is not None:
        return list_type(type_of_node(node.items))
    if node.additional is not None:
        return map_type(TEXT, type_of_node(node.additional))
    if node.type == "object":
        return DYN if node.preserve and not node.properties else ValueType("object", fields=_Declared(node))
    if node.type == "string":
        return ValueType(_FORMATS.get((node.document.get("format") or "").replace("-", ""), "string"))
    return ValueType(_SIMPLE.get(node.type, "dyn"))


def read_type(name: str, objects: Mapping[str, ValueType]) -> ValueType:
    """A type as the CEL library names it: ``MAP<STRING, DYN>``; ``objects`` are those that have names of their own."""
    parts = [part for part in _PART.findall(name) if part != ","]
    return _read(parts, objects)


def _read(parts: list[str], objects: Mapping[str, ValueType]) -> ValueType:
    name = parts.pop(0)
    of: list[ValueType] = []
    if parts and parts[0] == "<":
        parts.pop(0)
        while parts[0] != ">":
            of.append(_read(parts, objects))
        parts.pop(0)
    if name in objects:
        return objects[name]
    return ValueType({"NULL": "null_type"}.get(name, name.lower() if name.isupper() else name), tuple(of))
