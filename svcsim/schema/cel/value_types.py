"""Types of values in expressions, as far as they are told before anything is evaluated: those of a schema, and those of the language."""

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from svcsim.schema.cel.names import escaped
from svcsim.schema.types import Structural

_FORMATS = {"datetime": "timestamp", "date": "timestamp", "duration": "duration", "byte": "bytes"}
_SIMPLE = {"integer": "int", "number": "double", "boolean": "bool"}
_PART = re.compile(r"[\w.]+|[<>,]")
_EMPTY = {"list": "list(dyn)", "map": "map(dyn, dyn)", "optional_type": "optional_type(dyn)"}


class Fields(Protocol):
    """The fields that an object has."""

    def type_of(self, name: str) -> "ValueType | None":
        """The type of a field; None where there is none."""


class ValueType(NamedTuple):
    """What is known of a value: a type of CEL's, of the values in it, and of an object its fields.

    A list or a map of no parts is an empty one, and so is an optional value.
    """

    name: str
    of: "tuple[ValueType, ...]" = ()
    fields: Fields | None = None

    def __str__(self) -> str:
        if self.name in _EMPTY and not self.of:
            return _EMPTY[self.name]
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name

    @property
    def first(self) -> "ValueType":
        """The first type parameter: that of an item, a key or a value."""
        return self.of[0] if self.of else DYN

    @property
    def last(self) -> "ValueType":
        """The last type parameter: that of an item, or of a map's value."""
        return self.of[-1] if self.of else DYN


UNNAMED = "object"
"""What the types of objects are called that are told by their fields alone."""
DYN, BOOL, INT, TEXT = ValueType("dyn"), ValueType("bool"), ValueType("int"), ValueType("string")


def list_type(item: ValueType) -> ValueType:
    """The type of a list of such items."""
    return ValueType("list", (item,))


def map_type(key: ValueType, value: ValueType) -> ValueType:
    """The type of a map of such keys and values."""
    return ValueType("map", (key, value))


def optional_type(value: ValueType) -> ValueType:
    """The type of an optional value."""
    return ValueType("optional_type", (value,))


def are_different(one: ValueType, other: ValueType) -> bool:
    """Whether values can't be of one and the same type, as far as the types are known."""
    if DYN in (one, other):
        return False
    return one.name != other.name or any(are_different(first, second) for first, second in zip(one.of, other.of, strict=False))


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
        return None if child is None else type_of_node(child)


class Known:
    """Fields told by name."""

    def __init__(self, fields: Mapping[str, ValueType]) -> None:
        self._fields = fields

    def type_of(self, name: str) -> ValueType | None:
        """The type of a field; None where there is none."""
        return self._fields.get(name)


class _AnyFields:
    """Whatever field is named, of any type."""

    def type_of(self, _name: str) -> ValueType:
        return DYN


ANY_FIELDS = _AnyFields()


def object_type(fields: Mapping[str, ValueType]) -> ValueType:
    """The type of an object with these fields."""
    return ValueType(UNNAMED, fields=Known(fields))


def type_of_node(node: Structural) -> ValueType | None:
    """The type of the values that a part of a schema allows; None if the schema leaves it open, so that nothing is known of them."""
    if node.int_or_string:
        return DYN
    match node.type:
        case "array":
            item = None if node.items is None else type_of_node(node.items)
            return None if item is None else list_type(item)
        case "object":
            return _type_of_object(node)
    return scalar_type(node.type, node.document.get("format") or "")


def scalar_type(name: str, form: str) -> ValueType | None:
    """The type of a schema's scalar values in a format; None for any other type."""
    if name == "string":
        return ValueType(_FORMATS.get(form.replace("-", ""), name))
    return ValueType(_SIMPLE[name]) if name in _SIMPLE else None


def _type_of_object(node: Structural) -> ValueType | None:
    if node.additional is None or node.document.get("additionalProperties") is True:
        return ValueType(UNNAMED, fields=_Declared(node))
    value = type_of_node(node.additional)
    return None if value is None else map_type(TEXT, value)


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
