"""A version 2 document as protobuf, as older clients ask for it: the messages of the ``openapi.v2`` package.

One table a message: which JSON key stands under which number, and how. What a table doesn't know is a mistake in it, and raises.
"""

import struct
from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.meta.codec import encode
from svcsim.meta.types import Json, Object
from svcsim.schema.wire import FIXED64, LENGTH, VARINT, sized, tag, varint

Part: TypeAlias = Callable[[int, Json], bytes]
"""A value under a number: one field, or as many as a list or a map has entries."""
Table: TypeAlias = dict[str, tuple[int, Part]]

_EXTENSIONS = "x-"
"""In a table: all keys that begin so."""


def _text(number: int, value: str) -> bytes:
    return sized(tag(number, LENGTH), value.encode())


def _flag(number: int, value: bool) -> bytes:
    return tag(number, VARINT) + (b"\x01" if value else b"\x00")


def _whole(number: int, value: int) -> bytes:
    return tag(number, VARINT) + varint(value)


def _double(number: int, value: float) -> bytes:
    return tag(number, FIXED64) + struct.pack("<d", value)


def _any(number: int, value: Json) -> bytes:
    """A value of any type, spelled in YAML; JSON is YAML."""
    return sized(tag(number, LENGTH), _text(2, encode(value).decode() + "\n"))


def _named(number: int, name: str, value: bytes) -> bytes:
    return sized(tag(number, LENGTH), _text(1, name) + value)


def _each(part: Part) -> Part:
    return lambda number, values: b"".join([part(number, value) for value in values])


def _map(part: Part) -> Part:
    return lambda number, values: b"".join([_named(number, name, part(2, value)) for name, value in values.items()])


def _within(part: Part, *numbers: int) -> Part:
    """A value inside messages that hold nothing else, from the outermost field's number inwards."""
    if not numbers:
        return part
    inner = _within(part, *numbers[1:])
    return lambda number, value: sized(tag(number, LENGTH), inner(numbers[0], value))


def _message(table: Table) -> Part:
    return lambda number, value: sized(tag(number, LENGTH), _fields(table, value))


def _fields(table: Table, value: Object) -> bytes:
    parts: list[bytes] = []
    for key, item in value.items():
        if key.startswith(_EXTENSIONS):
            parts.append(_named(table[_EXTENSIONS][0], key, _any(2, item)))
        else:
            number, part = table[key]
            parts.append(part(number, item))
    return b"".join(parts)


def _schema(number: int, value: Object) -> bytes:
    return sized(tag(number, LENGTH), _fields(_SCHEMA, value))


def _values(number: int, value: Json) -> bytes:
    """``additionalProperties``: the schema of a map's values, or whether there may be any."""
    return _within(_flag, 2)(number, value) if isinstance(value, bool) else _within(_schema, 1)(number, value)


_SCHEMA: Table = {
    "$ref": (1, _text),
    "format": (2, _text),
    "title": (3, _text),
    "description": (4, _text),
    "default": (5, _any),
    "multipleOf": (6, _double),
    "maximum": (7, _double),
    "exclusiveMaximum": (8, _flag),
    "minimum": (9, _double),
    "exclusiveMinimum": (10, _flag),
    "maxLength": (11, _whole),
    "minLength": (12, _whole),
    "pattern": (13, _text),
    "maxItems": (14, _whole),
    "minItems": (15, _whole),
    "uniqueItems": (16, _flag),
    "maxProperties": (17, _whole),
    "minProperties": (18, _whole),
    "required": (19, _each(_text)),
    "enum": (20, _each(_any)),
    "additionalProperties": (21, _values),
    "type": (22, _within(_text, 1)),
    "items": (23, _within(_schema, 1)),
    "allOf": (24, _each(_schema)),
    "properties": (25, _within(_map(_schema), 1)),
    "externalDocs": (29, _message({"description": (1, _text), "url": (2, _text)})),
    "example": (30, _any),
    _EXTENSIONS: (31, _any),
}


_BODY: Table = {"description": (1, _text), "name": (2, _text), "in": (3, _text), "required": (4, _flag), "schema": (5, _schema)}
_PARAMETER: Table = {"required": (1, _flag), "in": (2, _text), "description": (3, _text), "name": (4, _text)}
_QUERY: Table = {**_PARAMETER, "type": (6, _text), "uniqueItems": (20, _flag)}
_PATH: Table = {**_PARAMETER, "type": (5, _text), "uniqueItems": (19, _flag)}
_PLACES: dict[str, Part] = {
    "body": _within(_message(_BODY), 1, 1),
    "query": _within(_message(_QUERY), 1, 2, 3),
    "path": _within(_message(_PATH), 1, 2, 4),
}


def _parameter(number: int, value: Object) -> bytes:
    return _PLACES[value["in"]](number, value)


_RESPONSE: Table = {"description": (1, _text), "schema": (2, _within(_schema, 1))}
_OPERATION: Table = {
    "tags": (1, _each(_text)),
    "description": (3, _text),
    "operationId": (5, _text),
    "produces": (6, _each(_text)),
    "consumes": (7, _each(_text)),
    "parameters": (8, _each(_parameter)),
    "responses": (9, _within(_map(_within(_message(_RESPONSE), 1)), 1)),
    "schemes": (10, _each(_text)),
    _EXTENSIONS: (13, _any),
}
_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "options": 6, "head": 7, "patch": 8}
_PATH_ITEM: Table = {
    **{method: (number, _message(_OPERATION)) for method, number in _METHODS.items()},
    "parameters": (9, _each(_parameter)),
}
_PATH_PART = _message(_PATH_ITEM)
_API_KEY: Table = {"type": (1, _text), "name": (2, _text), "in": (3, _text), "description": (4, _text)}
_SECURITY = _within(_map(_within(_each(_text), 1)), 1)
_INFO: Table = {"title": (1, _text), "version": (2, _text)}


def path_entry(path: str, item: Object) -> bytes:
    """A path and what is done there, as a part of the whole message."""
    # Paths stand together in one message and definitions in another, but a message that comes in parts is read as one.
    return sized(tag(8, LENGTH), _named(2, path, _PATH_PART(2, item)))


def type_entry(name: str, schema: Object) -> bytes:
    """A type, likewise."""
    return sized(tag(9, LENGTH), _named(1, name, _schema(2, schema)))


def encode_document(frame: Object, paths: Iterable[bytes], types: Iterable[bytes]) -> bytes:
    """The whole message, of its entries and all that stands around them."""
    before = (_text(1, frame["swagger"]), _message(_INFO)(2, frame["info"]))
    security = _each(_SECURITY)(12, frame["security"])
    return b"".join((*before, *paths, *types, security, _within(_map(_within(_message(_API_KEY), 2)), 1)(13, frame["securityDefinitions"])))
