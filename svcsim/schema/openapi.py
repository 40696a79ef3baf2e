"""Schemas as OpenAPI: definitions for version 2 documents, component schemas for version 3.

Both are the same walk over the types; they differ in how a reference is spelled and in the two types that take a string or a number.
Extensions (list types, merge keys) carry the dialect's prefix. What types are called is the same in all documents
(`svcsim.schema.type_names`).
"""

from dataclasses import dataclass, field
from typing import Literal

from svcsim.meta.types import Json, Object
from svcsim.schema.decode import flat_fields
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


@dataclass
class Schemas:
    """The named schemas of one document; grows with each kind that is added."""

    version: Literal[2, 3]
    extension_prefix: str
    """``x-kubernetes-``, or what the dialect has instead."""
    names: TypeNames
    by_name: dict[str, Object] = field(default_factory=dict)

    def add(self, schema: Struct, package: str, extensions: Object | None = None) -> str:
        """Add a type and all it refers to; the name of the type. What has no name yet gets one of this package.

        ``extensions`` are added to the type itself, their names without prefix: ``{"group-version-kind": […]}``.
        """
        name = self._struct(schema, package)
        self.by_name[name].update({self.extension_prefix + key: value for key, value in (extensions or {}).items()})
        return name

    def reference(self, name: str) -> Object:
        """A reference to a schema of this document."""
        return {"$ref": f"#/{'definitions' if self.version == 2 else 'components/schemas'}/{name}"}

    def _struct(self, struct: Struct, package: str) -> str:
        name = self.names.of(struct, package)
        if name in self.by_name:
            return name
        struct = self.names.owner(name)
        schema = self.by_name[name] = {}
        if struct.doc:
            schema["description"] = struct.doc
        fields = sorted(flat_fields(struct), key=lambda field: field.name)
        required = [field.name for field in fields if field.required]
        if required:
            schema["required"] = required
        schema["type"] = "object"
        if fields:
            schema["properties"] = {field.name: self._field(field, package) for field in fields}
        if struct.atomic:
            schema[self.extension_prefix + "map-type"] = "atomic"
        if struct.open:
            schema[self.extension_prefix + "preserve-unknown-fields"] = True
        return name

    def _field(self, field: Field, package: str) -> Object:
        if isinstance(field.type, Structural):
            return field.type.document if self.version == 3 else version_2(field.type.document, self.extension_prefix)
        beside: Object = {"description": _told(field)} if field.doc else {}
        if field.default is not None:
            beside["default"] = field.default
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
                "map-type": self._map_type(field_type, package),
                "patch-strategy": field.patch,
            }
        beside.update((self.extension_prefix + mark, value) for mark, value in marks.items() if value)
        schema = self._type(field_type, package)
        if self.version == 3 and beside and "$ref" in schema:
            schema = {"allOf": [schema]}
        return {**beside, **schema}

    def _map_type(self, field_type: Type, package: str) -> str:
        """What a field says of itself: that its map is atomic, or that it isn't what its type is elsewhere."""
        if isinstance(field_type, Map):
            return "atomic" if field_type.atomic else ""
        if isinstance(field_type, Struct) and field_type.atomic != self.names.owner(self.names.of(field_type, package)).atomic:
            return "atomic" if field_type.atomic else "granular"
        return ""

    def _type(self, field_type: Type, package: str) -> Object:
        match field_type:
            case Struct():
                return self.reference(self._struct(field_type, package))
            case Ref(target=target):
                return self.reference(self._struct(target(), package))
            case List(item=item):
                return {"type": "array", "items": self._type(item, package)}
            case Map(value=value):
                return {"type": "object", "additionalProperties": self._type(value, package)}
            case Str(enum=enum, values=values, format=form):
                words = sorted(enum or values)
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
        return self._named_scalar(field_type)

    def _named_scalar(self, field_type: Type) -> Object:
        """A type without fields that has a name all the same, by which clients know it."""
        match field_type:
            case Time():
                schema = self._scalar("A moment, as RFC 3339.", "string", form="date-time")
            case Quantity():
                schema = self._scalar("An amount with a unit: 100m, 1Gi.", "string", "number")
            case IntOrString():
                schema = self._scalar("A whole number or a string.", "integer", "string", form="int-or-string")
            case Raw(fields_v1=True):
                schema = self._scalar("A set of fields.", "object")
            case Raw():
                schema = self._scalar("An object of any kind.", "object")
            case Alternatives():
                return {}
            case _:
                raise TypeError(f"{type(field_type).__name__} has no OpenAPI form")
        name = self.names.of_scalar(field_type)
        self.by_name.setdefault(name, schema)
        return self.reference(name)

    def _scalar(self, description: str, *types: str, form: str = "") -> Object:
        """Version 2 has no way to say that a value may be of two types; clients know these as strings there."""
        alternatives: list[Json] = [{"type": one} for one in types]
        typed = {"oneOf": alternatives} if len(types) > 1 and self.version == 3 else {"type": "string" if "string" in types else types[0]}
        return {"description": description, **typed, **({"format": form} if form else {})}


_NOT_IN_VERSION_2 = ("$schema", "nullable", "oneOf", "anyOf", "allOf", "not")
_SHAPE = ("type", "items", "properties", "additionalProperties")


def version_2(document: Object, prefix: str) -> Object:
    """A custom resource's schema as far as version 2 can tell it: clients check by that, and must not refuse what the server takes."""
    told = {name: value for name, value in document.items() if name not in _NOT_IN_VERSION_2}
    loose = document.get("nullable") or document.get(f"{prefix}preserve-unknown-fields")
    if loose:
        for name in _SHAPE:
            told.pop(name, None)
    if document.get(f"{prefix}int-or-string"):
        told.pop("type", None)
    if "properties" in told:
        told["properties"] = {name: version_2(one, prefix) for name, one in told["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(told.get(name), dict):
            told[name] = version_2(told[name], prefix)
    return told


def _told(field: Field) -> str:
    """A field's doc, and its default: readers of documents are often shown nothing but the text."""
    default = field.default
    if isinstance(default, bool):
        return f"{field.doc}; defaults to {str(default).lower()}"
    return f"{field.doc}; defaults to {default}" if isinstance(default, str | int) and default != "" else field.doc
