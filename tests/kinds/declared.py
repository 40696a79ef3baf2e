"""Everything that clients rely on in the declared kinds, as text: names, scope and verbs, and the fields of all their types.

A number, a type or a list's keys that change break every client and every stored object, so `declared.txt` beside this file holds them,
and a test compares. After a change that is meant, write it anew and read the difference:

    python -m tests.kinds.declared > tests/kinds/declared.txt

A type is listed once, under the group version in which it is first met.
"""

import json
from collections.abc import Iterator

from svcsim.kinds.all import KINDS
from svcsim.registry.kind import Kind
from svcsim.schema.common import object_struct
from svcsim.schema.types import Bool, Bytes, Field, Float, Int, IntOrString, List, Map, Quantity, Raw, Ref, Str, Struct, Time, Type

SCALARS = {Str: "string", Bool: "bool", Float: "double", Bytes: "bytes", Quantity: "Quantity", IntOrString: "IntOrString"}


class Listing:
    """Lists types, each once. Two of one name are told apart by a number, as in OpenAPI documents."""

    def __init__(self) -> None:
        self._named: dict[int, tuple[str, Struct]] = {}
        """By identity of the struct, which is kept beside its name so that nothing else can take its identity."""
        self._names: set[str] = set()
        self._listed: set[str] = set()
        self._group_version = ""

    def kind(self, kind: Kind) -> Iterator[str]:
        """A kind, its types, and the bodies of its subresources."""
        group = f"{kind.group.base}{'.*' if kind.group.suffixed else ''}"
        self._group_version = f"{group}/{kind.group.version}".lstrip("/")
        words = [kind.plural, *kind.short, "namespaced" if kind.namespaced else "cluster-wide"]
        yield f"== {self._group_version} {kind.name}: {' '.join(words)}"
        yield f"verbs: {' '.join(kind.verbs)}"
        yield f"generation: {'yes' if kind.generation else 'no'}"
        for sub in kind.subresources:
            yield f"subresource {sub.name}: {' '.join(sub.verbs)}{' ' + sub.kind if sub.kind else ''}"
        yield ""
        yield from self.struct(object_struct(kind.schema))
        for body in (sub.body for sub in kind.subresources if sub.body):
            yield from self.struct(object_struct(body))

    def struct(self, struct: Struct) -> Iterator[str]:
        """A type and all it refers to, unless it is listed already."""
        name = self._name(struct)
        if name in self._listed:
            return
        self._listed.add(name)
        yield f"{name}{' atomic' if struct.atomic else ''}"
        yield from (f"  {self._field(field)}" for field in struct.fields)
        yield ""
        for field in struct.fields:
            inner = innermost(field.type)
            if isinstance(inner, Struct):
                yield from self.struct(inner)

    def _name(self, struct: Struct) -> str:
        if id(struct) not in self._named:
            name, count = f"{self._group_version}.{struct.name}", 1
            while name in self._names:
                count += 1
                name = f"{self._group_version}.{struct.name}{count}"
            self._names.add(name)
            self._named[id(struct)] = (name, struct)
        return self._named[id(struct)][0]

    def _field(self, field: Field) -> str:
        marks = {
            "inline": field.inline,
            "required": field.required,
            "list": getattr(field.type, "list_type", None),
            "keys": ",".join(getattr(field.type, "keys", ())),
            "merge": getattr(field.type, "merge_key", ""),
            "unique": isinstance(field.type, List) and field.type.list_type in ("set", "map") and field.type.unique,
            "patch": field.patch,
            "atomic": isinstance(field.type, Map) and field.type.atomic,
            "enum": "|".join(field.enum),
            "presence": None if field.presence is None else str(field.presence).lower(),
            "default": None if field.default is None else json.dumps(field.default),
        }
        said = [name if value is True else f"{name}={value}" for name, value in marks.items() if value not in (None, "", False)]
        return " ".join([str(field.number), field.name, self._type(field.type), *said])

    def _type(self, type_: Type) -> str:
        match type_:
            case Struct():
                return self._name(type_)
            case Ref(target=target):
                return self._name(target())
            case List(item=item):
                return f"[]{self._type(item)}"
            case Map(value=value):
                return f"map[{self._type(value)}]"
            case Int(bits=bits):
                return f"int{bits}"
            case Time(micro=micro):
                return "MicroTime" if micro else "Time"
            case Raw(fields_v1=fields_v1):
                return "FieldsV1" if fields_v1 else "Raw"
        return SCALARS[type(type_)]


def innermost(type_: Type) -> Type:
    """What a list or a map holds in the end."""
    while isinstance(type_, List | Map):
        type_ = type_.item if isinstance(type_, List) else type_.value
    return type_


def declared() -> str:
    """All kinds as text."""
    listing = Listing()
    return "\n".join(line for kind in KINDS for line in listing.kind(kind)).rstrip()


if __name__ == "__main__":
    print(declared())
