"""What there is to tell people about a type or one of its fields."""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.meta.types import Json
from svcsim.schema.decode import flat_fields
from svcsim.schema.types import (
    Alternatives,
    Bool,
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
    Type,
)


class Description(NamedTuple):
    """One type or field, and the struct to be found in it, if any: its fields are what stands below."""

    name: str
    type: str
    """As people read it: ``[]Container``, ``map[string]string``, ``integer``."""
    doc: str = ""
    required: bool = False
    enum: tuple[str, ...] = ()
    default: Json = None
    struct: Struct | None = None

    def fields(self) -> list["Description"]:
        """What stands below, by name."""
        below = flat_fields(self.struct) if self.struct else ()
        return [_describe_field(field) for field in sorted(below, key=lambda field: field.name)]


def describe(struct: Struct, path: Sequence[str] = ()) -> Description | None:
    """The type itself, or the field at a path of names (lists and maps are looked through); None if there is no such field."""
    found = Description("", struct.name, struct.doc, struct=struct)
    for name in path:
        field = found.struct.field(name) if found.struct else None
        if field is None:
            return None
        found = _describe_field(field)
    return found


def _describe_field(field: Field) -> Description:
    inner = _innermost(field.type)
    enum = field.enum or (inner.enum or inner.values if isinstance(inner, Str) else ())
    struct = inner if isinstance(inner, Struct) else None
    return Description(field.name, _spelled(field.type), field.doc, field.required, enum, field.default, struct)


def _innermost(field_type: Type) -> Type:
    match field_type:
        case List(item=inner) | Map(value=inner):
            return _innermost(inner)
        case Ref(target=target):
            return target()
        case Structural():
            return _innermost_structural(field_type)
    return field_type


def _innermost_structural(node: Structural) -> Type:
    """The fields that are found in a part of a custom resource, as those of a struct."""
    inner = node.items or node.additional
    if inner is not None and not node.properties:
        return _innermost_structural(inner)
    fields = [Field(0, name, child, child.doc, required=name in node.required) for name, child in node.properties.items()]
    return Struct("Object", *fields, doc=node.doc) if fields else node


def _spelled_structural(node: Structural) -> str:
    if node.items is not None:
        return f"[]{_spelled_structural(node.items)}"
    if node.additional is not None:
        return f"map[string]{_spelled_structural(node.additional)}"
    return "Object" if node.type == "object" else "IntOrString" if node.int_or_string else node.type or "Object"


def _spelled(field_type: Type) -> str:
    match field_type:
        case List(item=item):
            return f"[]{_spelled(item)}"
        case Map(value=value):
            return f"map[string]{_spelled(value)}"
        case Struct(name=name):
            return name
        case Ref(target=target):
            return target().name
        case Structural():
            return _spelled_structural(field_type)
        case Alternatives(message=message):
            return message.name
        case Raw(fields_v1=fields_v1):
            return "FieldsV1" if fields_v1 else "Object"
    return {Int: "integer", Float: "number", Bool: "boolean", Quantity: "Quantity", IntOrString: "IntOrString"}.get(
        type(field_type), "string"
    )
