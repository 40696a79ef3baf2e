"""The vocabulary in which a kind's fields are declared.

A field is one line: protobuf number, name, type, a short doc, then markers. From this one description follow decoding, defaulting,
pruning, validation, merging, protobuf, OpenAPI and explain; each lives in a module of its own beside this one and reads these classes.
Custom resources are parsed into the same types.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import field
from typing import Any, Literal, TypeAlias

from svcsim.meta.errors import FieldError
from svcsim.meta.records import record
from svcsim.meta.types import Json, Object

Rule: TypeAlias = Callable[[Json, str], Iterable[FieldError]]
"""A check of one value at a path: what is wrong with it, if anything."""

Fill: TypeAlias = Callable[[Object], None]
"""Defaults that depend on other fields: completes the struct in place."""


@record(kw_only=True)
class Type:
    rules: tuple[Rule, ...] = ()


@record(kw_only=True)
class Str(Type):
    """A string; ``enum`` lists the values it may take, if only some.

    ``values`` lists them, too, but only for whoever reads about the type: what refuses others is a rule, if anything.
    """

    enum: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    format: str = ""


@record(kw_only=True)
class Int(Type):
    """A whole number of 32 or 64 bits, both bounds included."""

    bits: Literal[32, 64] = 32
    minimum: int | None = None
    maximum: int | None = None


@record(kw_only=True)
class Float(Type):
    """A double."""


@record(kw_only=True)
class Bool(Type):
    """True or false."""


@record(kw_only=True)
class Bytes(Type):
    """Bytes, base64 in JSON. ``atomic`` has OpenAPI mark them like an atomic list, which they are in the original."""

    atomic: bool = False


@record(kw_only=True)
class Time(Type):
    """RFC 3339 with whole seconds; ``micro`` with six decimals."""

    micro: bool = False


@record(kw_only=True)
class Quantity(Type):
    """An amount with a unit: ``100m``, ``1Gi``. A number in JSON is read as its decimal text; stored in canonical form.

    One in ``thousandths`` is rounded up to whole ones.
    """

    thousandths: bool = False


@record(kw_only=True)
class IntOrString(Type):
    """A whole number, or a string such as ``25%`` or a port's name."""


@record(kw_only=True)
class Raw(Type):
    """Any JSON value, kept as it is (embedded objects, extensions). ``fields_v1`` marks a field set of managed fields.

    ``granular`` values merge key by key in server-side apply, as objects without a schema do; others as a whole. ``json`` marks what need
    not be an object: any JSON value, its numbers read like all that nobody has declared.
    """

    fields_v1: bool = False
    json: bool = False
    granular: bool = False


@record()
class Map(Type):
    """A map from strings; ``atomic`` maps have one owner and are replaced as a whole."""

    value: Type
    atomic: bool = False


ListType: TypeAlias = Literal["atomic", "set", "map"]


@record()
class List(Type):
    """A list. ``list_type`` says how server-side apply merges it, ``keys`` identify an item of a ``map`` list.

    ``merge_key`` is the (single) key strategic merge patch uses; the two differ for historic reasons. ``list_type`` None means unmarked,
    which merges like ``atomic``. ``unique`` False lets equal items of a ``set``, or items of a ``map`` with equal keys, pass: some types
    were marked after objects with such lists had long been accepted.
    """

    item: Type
    list_type: ListType | None = None
    keys: tuple[str, ...] = ()
    merge_key: str = ""
    unique: bool = True


@record()
class Field:
    """One field of a struct.

    ``patch`` is the strategic merge strategy (``merge``, ``retainKeys``, ``merge,retainKeys``); lists with a merge key imply ``merge``.
    ``default`` is a JSON value filled in when the field is missing. ``inline`` marks a JSON-inlined embedded message (its fields stand in
    the parent's JSON, but in a message of their own, under ``number``, in protobuf): its type is a `Struct`, its name never seen in JSON.

    ``number`` 0 marks what protobuf leaves out. ``presence`` says whether an explicit zero (empty string, 0, false) means something else
    than absence does: True keeps it, False drops it on the way in. None is the usual: numbers and truth values are kept, and so is what is
    required; empty strings, bytes, lists and maps are dropped. JSON and protobuf are read alike, so that an object is the same in both.

    ``unchecked`` leaves it to others whether the field is there, and what is in it: to a rule of the struct that has it, which says more of
    it, or to whoever makes something of it later (a StatefulSet's pod is looked at when it is made).
    ``missing`` is what is said of a required field that isn't there, beside that it is required. ``absence`` is the value that absence
    stands for, where documents tell it as the default and nothing is filled in.
    """

    number: int
    name: str
    type: Type
    doc: str = ""
    required: bool = False
    default: Json = None
    enum: tuple[str, ...] = ()
    patch: str = ""
    inline: bool = False
    rules: tuple[Rule, ...] = ()
    presence: bool | None = None
    unchecked: bool = False
    missing: str = ""
    absence: Json = None

    @property
    def is_part(self) -> bool:
        """Whether it is a struct that an object consists of, be there anything in it or not, as an object's spec is."""
        return isinstance(self.type, Struct) and (self.required or self.default is not None or self.name == "metadata")

    @property
    def zero_is_absence(self) -> bool:
        """Whether a zero is dropped, because it means the same as absence."""
        if self.presence is not None:
            return not self.presence
        return not self.required and isinstance(self.type, Str | Bytes | List | Map)


@record(init=False)
class Struct(Type):
    """A JSON map with known fields, in the order they are declared.

    ``fill`` completes defaults that depend on other fields; it runs after the fields' own defaults and before the children's.
    ``rules`` see the whole struct. ``name`` is the type's name in OpenAPI (``PodSpec``). An ``open`` struct keeps fields nobody declared.
    One ``of_core`` is the core group's, though none of its kinds has it. Of an ``alike`` one, many objects have the very same, since they
    were made from one template: what is found out about it is remembered.
    """

    name: str
    fields: tuple[Field, ...]
    doc: str
    atomic: bool
    fill: Fill | None
    open: bool
    of_core: bool
    alike: bool
    derived: dict[object, Any] = field(compare=False)

    def __init__(
        self,
        name: str,
        *fields: Field,
        doc: str = "",
        atomic: bool = False,
        fill: Fill | None = None,
        rules: tuple[Rule, ...] = (),
        open: bool = False,  # noqa: A002 - the word for it
        of_core: bool = False,
        alike: bool = False,
    ) -> None:
        given = {"name": name, "fields": fields, "doc": doc, "atomic": atomic, "fill": fill, "rules": rules, "open": open}
        for attribute, value in {**given, "of_core": of_core, "alike": alike, "derived": {}}.items():
            object.__setattr__(self, attribute, value)

    def once_more(self) -> "Struct":
        """A copy of the type, from which nothing has been derived yet."""
        other = copy(self)
        object.__setattr__(other, "derived", {})
        return other

    def field(self, name: str) -> Field | None:
        """The field of that name; inlined structs are looked into."""
        for known in self.fields:
            if known.inline and isinstance(known.type, Struct):
                found = known.type.field(name)
                if found is not None:
                    return found
            elif known.name == name:
                return known
        return None


@record()
class Ref(Type):
    """A struct that contains itself: resolved when it is first needed."""

    target: Callable[[], Struct] = field(kw_only=True)


@record(kw_only=True)
class Alternatives(Type):
    """A value that is spelled in JSON in one of several ways, such as a schema or a truth value, and is one message in protobuf.

    ``wrap`` makes the message of what stands in JSON, ``unwrap`` the reverse.
    """

    message: Struct
    wrap: Callable[[Json], Json]
    unwrap: Callable[[Object], Json]


@record(kw_only=True, eq=False)
class Structural(Type):
    """A value whose schema is an object of the API itself: a part of a custom resource.

    ``document`` is that schema as it was written: what its keywords demand of a value is read there. Unlike built-in types this one keeps
    zeros, and null where it is ``nullable``, and what has another type than it should is found by validation. A value of no ``type`` is
    anything; of a map in it nothing is kept but what is declared, or with ``preserve`` all.
    """

    type: str
    document: Object
    doc: str = ""
    properties: Mapping[str, "Structural"] = field(default_factory=dict)
    additional: "Structural | None" = None
    items: "Structural | None" = None
    default: Json = None
    required: tuple[str, ...] = ()
    nullable: bool = False
    preserve: bool = False
    embedded: bool = False
    int_or_string: bool = False
    list_type: ListType | None = None
    keys: tuple[str, ...] = ()
    atomic: bool = False
    expressions: tuple[Object, ...] = ()
    """Validation rules in CEL, as they were written."""
    derived: dict[object, Any] = field(default_factory=dict, init=False)
