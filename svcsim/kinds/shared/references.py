"""Structs that point from one object to another, and other small types that many kinds use.

They stand in many kinds alike, and belong to none.
"""

from svcsim.schema.common import CONDITION
from svcsim.schema.types import Field, List, Map, Quantity, Str, Struct

_REFERENCE_FIELDS = (
    Field(1, "kind", Str(), "Kind of the object"),
    Field(2, "namespace", Str(), "Namespace of the object"),
    Field(3, "name", Str(), "Name of the object"),
    Field(4, "uid", Str(), "UID of the object"),
    Field(5, "apiVersion", Str(), "API group and version of the object"),
    Field(6, "resourceVersion", Str(), "The revision of the object that is meant, if a certain one is"),
    Field(7, "fieldPath", Str(), "A part of the object, such as spec.containers{web}"),
)
OBJECT_REFERENCE = Struct("ObjectReference", *_REFERENCE_FIELDS, atomic=True, doc="Points to any object, or to a part of it")
GRANULAR_OBJECT_REFERENCE = Struct("ObjectReference", *_REFERENCE_FIELDS, doc="Points to any object; its fields may have several owners")

LOCAL_OBJECT_REFERENCE = Struct(
    "LocalObjectReference",
    Field(1, "name", Str(), "Name of the object"),
    atomic=True,
    doc="Points to an object of a known kind in the same namespace",
)
SECRET_REFERENCE = Struct(
    "SecretReference",
    Field(1, "name", Str(), "Name of the Secret"),
    Field(2, "namespace", Str(), "Namespace of the Secret"),
    atomic=True,
    doc="Points to a Secret in any namespace",
)
TYPED_LOCAL_OBJECT_REFERENCE = Struct(
    "TypedLocalObjectReference",
    Field(1, "apiGroup", Str(), "API group of the object; empty for the core group"),
    Field(2, "kind", Str(), "Kind of the object", required=True),
    Field(3, "name", Str(), "Name of the object", required=True),
    atomic=True,
    doc="Points to an object of some kind in the same namespace",
)
TYPED_OBJECT_REFERENCE = Struct(
    "TypedObjectReference",
    Field(1, "apiGroup", Str(), "API group of the object; empty for the core group"),
    Field(2, "kind", Str(), "Kind of the object", required=True),
    Field(3, "name", Str(), "Name of the object", required=True),
    Field(4, "namespace", Str(), "Namespace of the object, if it is another one"),
    doc="Points to an object of some kind, perhaps in another namespace",
)

CONDITIONS = List(CONDITION, kind="map", keys=("type",), merge_key="type", unique=False)

RESOURCE_LIST = Map(Quantity())
"""Amounts by resource name."""
STRINGS = List(Str(), kind="atomic")
"""A list of strings that has one owner."""
