"""Types of values that an OpenAPI document of the server's describes: of all kinds, built in or custom, in one way."""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.meta.types import GroupVersionKind, Json, Object
from svcsim.schema.cel.names import escaped
from svcsim.schema.cel.value_types import DYN, TEXT, ValueType, list_type, map_type, scalar_type

_REFERENCE = "#/components/schemas/"
_KIND = "group-version-kind"
_ANYTHING = ("preserve-unknown-fields", "int-or-string", "embedded-resource")


class Document(NamedTuple):
    """What a server says of the types of a version."""

    body: Object
    prefix: str
    """The prefix of extensions."""

    @property
    def schemas(self) -> Mapping[str, Object]:
        """By their names."""
        found: Mapping[str, Object] = (self.body.get("components") or {}).get("schemas") or {}
        return found

    def type_of_kind(self, kind: GroupVersionKind) -> ValueType | None:
        """The type of a kind's objects; None if it isn't described."""
        wanted = kind._asdict()
        for schema in self.schemas.values():
            if wanted in (schema.get(self.prefix + _KIND) or ()):
                return self.type_of(schema)
        return None

    def type_of(self, schema: Object) -> ValueType:
        """The type of the values that a part of the document describes."""
        schema = self._resolved(schema)
        if any(schema.get(self.prefix + mark) for mark in _ANYTHING) or schema.get("format") == "int-or-string":
            return DYN
        match schema.get("type"):
            case "array":
                return list_type(self.type_of(schema.get("items") or {}))
            case "object":
                return self._type_of_object(schema)
        return scalar_type(schema.get("type") or "", schema.get("format") or "") or DYN

    def _resolved(self, schema: Object) -> Object:
        """What is described elsewhere."""
        parts: Json = schema.get("allOf")
        if isinstance(parts, list) and len(parts) == 1:
            schema = parts[0]
        name = str(schema.get("$ref") or "").removeprefix(_REFERENCE)
        return self.schemas.get(name) or {} if name else schema

    def _type_of_object(self, schema: Object) -> ValueType:
        if schema.get("properties"):
            return ValueType("object", fields=_Described(schema, self))
        below: Json = schema.get("additionalProperties")
        return map_type(TEXT, self.type_of(below)) if isinstance(below, dict) else DYN


class _Described:
    """The fields of an object, as they are called and as rules spell them."""

    def __init__(self, schema: Object, document: Document) -> None:
        self._schema = schema
        self._document = document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Described) and other._schema is self._schema

    def __hash__(self) -> int:
        return id(self._schema)

    def type_of(self, name: str) -> ValueType | None:
        for field, schema in self._schema["properties"].items():
            if name in (field, escaped(field)):
                return self._document.type_of(schema)
        return None
