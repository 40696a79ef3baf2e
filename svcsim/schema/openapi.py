"""Schemas as OpenAPI: definitions for version 2 documents, component schemas for version 3.

Both are the same walk over the types; they differ in how a reference is spelled and in the two types that take a string or a number.
Extensions (list types, merge keys) carry the dialect's prefix. What types are called is the same in all documents
(`svcsim.schema.type_names`). Each type is described by itself, beside the names of those it refers to, so that what is known of one can
be kept while others change.
"""

from typing import Literal, NamedTuple

from svcsim.meta.types import Json, Object
from svcsim.schema.common import object_struct
from svcsim.schema.decode import flat_fields
from svcsim.schema.openapi_of_structural import has_embedded, version_2, with_what_objects_have
from svcsim.schema.type_names import TypeNames
from svcsim.schema.types import (
    Alternatives,
    Bool,
    Bytes,
    Field,
    Float,
    Int,
    IntOrString,
    List,
    Map,
    Quantity,
    Raw,
    Ref,
    Str,
    Struct,
    Structural,
    Time,
    Type,
)

_ANY_OBJECT = Struct("")


class Described(NamedTuple):
    """A type as a document has it."""

    schema: Object
    refers_to: tuple[str, ...]
    """The names of the types it speaks of."""


class Schemas:
    """The named schemas of documents of one version. All types must have their names already, as `TypeNames.add` gives them."""

    def __init__(self, version: Literal[2, 3], extension_prefix: str, names: TypeNames) -> None:
        """``extension_prefix`` is ``x-kubernetes-``, or what the dialect has instead."""
        self.version = version
        self.extension_prefix = extension_prefix
        self.names = names

    def described(self, name: str, extensions: Object | None = None) -> Described:
        """The type of that name.

        ``extensions`` are added to the type itself, their names without prefix: ``{"group-version-kind": […]}``.
        """
        walk = _Walk(self)
        owner = self.names.owner(name)
        schema = walk.struct(owner) if isinstance(owner, Struct) else walk.named_scalar(owner)
        schema |= {self.extension_prefix + key: value for key, value in (extensions or {}).items()}
        return Described(schema, tuple(walk.refers_to))

    def reference(self, name: str) -> Object:
        """A reference to a schema of this document."""
        return {"$ref": f"#/{'definitions' if self.version == 2 else 'components/schemas'}/{name}"}


class _Walk:
    """Over one type, up to those it refers to."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._names = schemas.names
        self._version = schemas.version
        self._prefix = schemas.extension_prefix
        self.refers_to: dict[str, None] = {}

    def struct(self, struct: Struct) -> Object:
        schema: Object = {"description": struct.doc} if struct.doc else {}
        if struct.open and self._version == 2:
            return {**schema, "type": "object"}  # clients take the fields that version 2 names for all there may be
        fields = sorted(flat_fields(struct), key=lambda field: field.name)
        required = [field.name for field in fields if field.required]
        if required:
            schema["required"] = required
        schema["type"] = "object"
        if fields:
            schema["properties"] = {field.name: self._field(field) for field in fields}
        if struct.atomic:
            schema[self._prefix + "map-type"] = "atomic"
        if struct.open:
            schema[self._prefix + "preserve-unknown-fields"] = True
        return schema

    def _field(self, field: Field) -> Object:
        if isinstance(field.type, Structural):
            document = field.type.document if self._version == 3 else version_2(field.type.document, self._prefix)
            return with_what_objects_have(document, self._prefix, self._what_objects_have) if has_embedded(field.type) else document
        beside: Object = {"description": _told(field)} if field.doc else {}
        default = field.absence if field.default is None else field.default
        if default is not None and not (default == "" and _words(field.type)):  # what has to be one of some words is none by default
            beside["default"] = default
        if field.enum:
            beside["enum"] = sorted(field.enum)
        field_type = field.type
        if isinstance(field_type, List):
            marks = {
                "list-type": field_type.list_type,
                "list-map-keys": list(field_type.keys) if field_type.list_type == "map" else None,
                "patch-merge-key": field_type.merge_key,
                "patch-strategy": field.patch or ("merge" if field_type.merge_key else ""),
            }
        else:
            atomic = isinstance(field_type, Bytes) and field_type.atomic
            marks = {
                "list-type": "atomic" if atomic else "",
                "map-type": self._map_type(field_type),
                "patch-strategy": field.patch,
            }
        beside.update((self._prefix + mark, value) for mark, value in marks.items() if value)
        schema = self._type(field_type)
        if self._version == 3 and beside and "$ref" in schema:
            schema = {"allOf": [schema]}
        return {**beside, **schema}

    @property
    def _what_objects_have(self) -> Object:
        """What every object has: fields of that name in a schema of one."""
        return {field.name: self._field(field) for field in object_struct(_ANY_OBJECT).fields}

    def _map_type(self, field_type: Type) -> str:
        """What a field says of itself: that its map is atomic, or that it isn't what its type is elsewhere."""
        if isinstance(field_type, Map):
            return "atomic" if field_type.atomic else ""
        if isinstance(field_type, Struct) and field_type.atomic != self._names.described_by(field_type).atomic:
            return "atomic" if field_type.atomic else "granular"
        return ""

    def _type(self, field_type: Type) -> Object:
        match field_type:
            case Struct() | Ref():
                return self._reference(self._names.name(field_type.target() if isinstance(field_type, Ref) else field_type))
            case List(item=item):
                return {"type": "array", "items": self._type(item)}
            case Map(value=value):
                return {"type": "object", "additionalProperties": self._type(value)}
            case Str(format=form):
                words = _words(field_type)
                return {"type": "string", **({"enum": words} if words else {}), **({"format": form} if form else {})}
            case Int(bits=bits, minimum=minimum, maximum=maximum):
                bounds = {"minimum": minimum, "maximum": maximum}
                return {"type": "integer", "format": f"int{bits}", **{key: bound for key, bound in bounds.items() if bound is not None}}
            case Float():
                return {"type": "number", "format": "double"}
            case Bool():
                return {"type": "boolean"}
            case Bytes():
                return {"type": "string", "format": "byte"}
            case Alternatives():
                return {}
        return self._reference(self._names.of_scalar(field_type))

    def _reference(self, name: str) -> Object:
        self.refers_to[name] = None
        return self._schemas.reference(name)

    def named_scalar(self, field_type: Type | None) -> Object:
        """A type without fields that has a name all the same, by which clients know it."""
        match field_type:
            case Time():
                return self._scalar("A moment, as RFC 3339.", "string", form="date-time")
            case Quantity():
                return self._scalar("An amount with a unit: 100m, 1Gi.", "string", "number")
            case IntOrString():
                return self._scalar("A whole number or a string.", "integer", "string", form="int-or-string")
            case Raw(fields_v1=True):
                return self._scalar("A set of fields.", "object")
            case Raw(json=True):
                return {"description": "Any JSON value."}
            case Raw():
                return self._scalar("An object of any kind.", "object")
        raise TypeError(f"{type(field_type).__name__} has no OpenAPI form")

    def _scalar(self, description: str, *types: str, form: str = "") -> Object:
        """Version 2 has no way to say that a value may be of two types; clients know these as strings there."""
        alternatives: list[Json] = [{"type": one} for one in types]
        typed = {"oneOf": alternatives} if len(types) > 1 and self._version == 3 else {"type": "string" if "string" in types else types[0]}
        return {"description": description, **typed, **({"format": form} if form else {})}


def _words(field_type: Type) -> list[str]:
    """The values that a string may have, if only some."""
    return sorted(field_type.enum or field_type.values) if isinstance(field_type, Str) else []


def _told(field: Field) -> str:
    """A field's doc, and its default: readers of documents are often shown nothing but the text."""
    default = field.default
    if isinstance(default, bool):
        return f"{field.doc}; defaults to {str(default).lower()}"
    return f"{field.doc}; defaults to {default}" if isinstance(default, str | int) and default != "" else field.doc
