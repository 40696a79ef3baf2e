"""Structs by which one object refers to another."""

from svcsim.schema.types import Field, Str, Struct

_REFERENCE_FIELDS = (
    Field(1, "kind", Str(), "Kind of the object"),
    Field(2, "namespace", Str(), "Namespace of the object"),
    Field(3, "name", Str(), "Name of the object"),
    Field(4, "uid", Str(), "UID of the object"),
    Field(5, "apiVersion", Str(), "API group and version of the object"),
    Field(6, "resourceVersion", Str(), "Version of the object that is meant, if it is a certain one"),
    Field(7, "fieldPath", Str(), "A part of the object, such as spec.containers{web}"),
)
OBJECT_REFERENCE = Struct("ObjectReference", *_REFERENCE_FIELDS, atomic=True, doc="Refers to any object, or to a part of it")
GRANULAR_OBJECT_REFERENCE = Struct("ObjectReference", *_REFERENCE_FIELDS, doc="Refers to any object, or to a part of it")

LOCAL_OBJECT_REFERENCE = Struct(
    "LocalObjectReference",
    Field(1, "name", Str(), "Name of the object", absence=""),
    atomic=True,
    doc="Refers to an object of a known kind in the same namespace",
)
SECRET_REFERENCE = Struct(
    "SecretReference",
    Field(1, "name", Str(), "Name of the Secret"),
    Field(2, "namespace", Str(), "Namespace of the Secret"),
    atomic=True,
    doc="Refers to a Secret in any namespace",
)
TYPED_LOCAL_OBJECT_REFERENCE = Struct(
    "TypedLocalObjectReference",
    Field(1, "apiGroup", Str(), "API group of the object; empty for the core group", presence=True),
    Field(2, "kind", Str(), "Kind of the object", required=True),
    Field(3, "name", Str(), "Name of the object", required=True),
    atomic=True,
    doc="Refers to an object of any kind in the same namespace",
)
TYPED_OBJECT_REFERENCE = Struct(
    "TypedObjectReference",
    Field(1, "apiGroup", Str(), "API group of the object; empty for the core group", presence=True),
    Field(2, "kind", Str(), "Kind of the object", required=True),
    Field(3, "name", Str(), "Name of the object", required=True),
    Field(4, "namespace", Str(), "Namespace of the object; the same namespace if unset", presence=True),
    doc="Refers to an object of any kind in any namespace",
)
