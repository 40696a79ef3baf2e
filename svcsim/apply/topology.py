"""How a type merges: the schema seen by server-side apply, compiled once, and a custom one as far as objects reach into it.

All that apply wants to know of a type is how its values come together: as a whole (atomic), field by field, key by key, as a set of
scalars, or as a list whose items have keys.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

import orjson

from svcsim.apply.fieldset import LEAF, SELF, FieldSet
from svcsim.meta.first_use import MadeAtFirstLook
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.objects import CONTAINERS
from svcsim.meta.types import Json, Object
from svcsim.schema.derived import derived
from svcsim.schema.types import List, Map, Raw, Ref, Struct, Structural, Type

Parts: TypeAlias = dict[str, tuple["Node", Json]]
"""The parts of a value by path element, each with how it merges."""


class Node:
    """One way of merging. By itself: replaced as a whole, owned as a whole."""

    __slots__ = ()

    def parts(self, _value: Json) -> Parts | None:
        """What a value consists of, part by part; None for one that is taken as a whole."""
        return None

    def every_field(self, value: Json) -> FieldSet:
        """Every field of a value that was not there before, leaves and what holds them alike, in canonical order."""
        parts = self.parts(value)
        if not parts:
            return LEAF
        fields: FieldSet = {SELF: LEAF}
        for element in sorted(parts):
            below, part = parts[element]
            fields[element] = below.every_field(part)
        return fields

    def below(self, _element: str) -> "Node":
        """How the part at a path element merges."""
        return ATOMIC


class Mapping(Node):
    """What merges name by name."""

    __slots__ = ()

    def child(self, _name: str) -> Node:
        """How what it holds under a name merges."""
        return ATOMIC

    def below(self, element: str) -> Node:
        """How what it holds at ``f:name`` merges."""
        return self.child(element[2:])

    def is_part(self, _name: str) -> bool:
        """Whether what it holds under a name is a struct that is always there."""
        return False

    def fields_inside(self, value: Object) -> FieldSet:
        """Every field in a value that was there before, empty but for the parts it consists of itself; in canonical order."""
        fields: FieldSet = {}
        for name in sorted(value):
            part = value[name]
            if type(part) in CONTAINERS:
                self.add_first(name, part, fields)
            else:
                fields[f"f:{name}"] = LEAF
        return fields

    def add_first(self, name: str, value: Object | list[Json], fields: FieldSet) -> None:
        """Add to ``fields`` what came with a map or a list under that name."""
        below = self.child(name)
        if value and isinstance(value, dict) and self.is_part(name) and isinstance(below, Mapping):
            if inside := below.fields_inside(value):
                fields[f"f:{name}"] = inside
        else:
            fields[f"f:{name}"] = below.every_field(value)

    def parts(self, value: Json) -> Parts | None:
        """A part for every name."""
        if not isinstance(value, dict):
            return None
        child = self.child
        return {f"f:{name}": (child(name), part) for name, part in value.items()}

    def every_field(self, value: Json) -> FieldSet:
        """Spelled out for maps: new objects go through here whole, and most of what is in them are scalars."""
        if not isinstance(value, dict) or not value:
            return LEAF
        child = self.child
        fields: FieldSet = {SELF: LEAF}
        for name in sorted(value):
            part = value[name]
            fields[f"f:{name}"] = child(name).every_field(part) if type(part) in CONTAINERS else LEAF
        return fields


@dataclass(slots=True, eq=False)
class Fields(Mapping):
    """A struct: every field merges on its own."""

    known: dict[str, Node] | MadeAtFirstLook[Node]
    """The named fields. A custom schema may have thousands: each is compiled when it is first met."""
    consists_of: list[str] = field(default_factory=list)
    """The names of structs that are always there: nobody comes to own those by filling them."""

    def child(self, name: str) -> Node:
        """How that field merges; one the schema doesn't know merges like untyped data."""
        try:
            return self.known[name]
        except KeyError:
            return DEDUCED

    def is_part(self, name: str) -> bool:
        """Whether it consists of that field."""
        return name in self.consists_of


class AlikeFields(Fields):
    """A struct of which many objects have the very same."""

    __slots__ = ("_found",)

    def __init__(self, known: dict[str, Node]) -> None:
        super().__init__(known)
        self._found: FoundBefore[FieldSet] = FoundBefore(super().fields_inside)

    def fields_inside(self, value: Object) -> FieldSet:
        """Found out once: nobody changes a set of fields."""
        return self._found(value)


@dataclass(slots=True, eq=False)
class Entries(Mapping):
    """A map: every key merges on its own."""

    value: Node

    def child(self, _name: str) -> Node:
        """How the value under a key merges."""
        return self.value


class Deduced(Mapping):
    """Data without a schema: maps merge like structs, lists are atomic."""

    __slots__ = ()

    def child(self, _name: str) -> Node:
        return self


class Members(Node):
    __slots__ = ()

    def parts(self, value: Json) -> Parts | None:
        """A part for every member; those that are the same are one, `REPEATED`."""
        if not isinstance(value, list) or any(type(member) in CONTAINERS for member in value):
            return None
        found: Parts = {}
        for member in value:
            element = "v:" + orjson.dumps(_number(member)).decode()
            if element in found:
                _add_repeated(found, element, member)
            else:
                found[element] = (ATOMIC, member)
        return found


@dataclass(slots=True, eq=False)
class Items(Node):
    """A list whose items are told apart by keys. A key field that is missing counts as its default."""

    item: Node
    keys: tuple[str, ...]
    """In the order of the alphabet."""
    defaults: dict[str, Json]

    def below(self, _element: str) -> Node:
        """How each item merges."""
        return self.item

    def parts(self, value: Json) -> Parts | None:
        """A part for every item; those with the same keys are one, `REPEATED`. None where an item has no key."""
        if not isinstance(value, list):
            return None
        found: Parts = {}
        first, single = self.keys[0], len(self.keys) == 1
        for item in value:
            if type(item) is not dict:
                return None
            name = item.get(first) if single else None
            # Most lists are keyed by a plain name: no need to ask an encoder.
            plain = type(name) is str and name.isalnum() and name.isascii()
            element = f'k:{{"{first}":"{name}"}}' if plain else self._element(item)
            if element is None:
                return None
            if element in found:
                _add_repeated(found, element, item)
            else:
                found[element] = (self.item, item)
        return found

    def _element(self, item: Object) -> str | None:
        found = {}
        for key in self.keys:
            value = item.get(key, self.defaults.get(key))
            if value is not None:
                found[key] = _number(value)
        return "k:" + orjson.dumps(found).decode() if found else None


ATOMIC = Node()
DEDUCED = Deduced()
REPEATED = Node()
"""Items of a list that can't be told apart: all of them together are one part, owned as a whole. No schema allows them, but older objects,
and updates of kinds that aren't checked, have them."""


def _number(value: Json) -> Json:
    """A scalar as path elements have it: 1.0 is the number 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _add_repeated(parts: Parts, element: str, item: Json) -> None:
    """Add what can't be told apart from another part."""
    node, known = parts[element]
    if node is REPEATED:
        known.append(item)
    else:
        parts[element] = (REPEATED, [known, item])


@derived
def topology(struct: Struct) -> Fields:
    """How objects of that schema merge."""
    return _Compiler().struct(struct)


class _Compiler:
    """Walks a schema once; types that contain themselves come out as nodes that do."""

    def __init__(self) -> None:
        self._structs: dict[int, Fields] = {}

    def struct(self, struct: Struct) -> Fields:
        found = self._structs.get(id(struct))
        if found is None:
            known: dict[str, Node] = {}
            found = self._structs[id(struct)] = AlikeFields(known) if struct.alike else Fields(known)
            self._fill(known, found.consists_of, struct)
        return found

    def _fill(self, known: dict[str, Node], consists_of: list[str], struct: Struct) -> None:
        for declared in struct.fields:
            if declared.inline and isinstance(declared.type, Struct):
                self._fill(known, consists_of, declared.type)
            else:
                known[declared.name] = self.node(declared.type)
                if declared.is_part:
                    consists_of.append(declared.name)

    def node(self, declared: Type) -> Node:
        if isinstance(declared, Ref):
            return self.node(declared.target())
        if isinstance(declared, Struct):
            return ATOMIC if declared.atomic else self.struct(declared)
        if isinstance(declared, Map):
            return ATOMIC if declared.atomic else Entries(self.node(declared.value))
        if isinstance(declared, List):
            return self._list(declared)
        if isinstance(declared, Structural):
            return self._structural(declared)
        return DEDUCED if isinstance(declared, Raw) and declared.granular else ATOMIC

    def _structural(self, declared: Structural) -> Node:
        """As its extensions say; a map of which nothing is known merges key by key."""
        if declared.atomic:
            return ATOMIC
        if declared.items is not None:
            return self._structural_list(declared, declared.items)
        if declared.properties:
            properties = declared.properties
            return Fields(MadeAtFirstLook(properties, lambda name: self._structural(properties[name])))
        if declared.additional is not None:
            return Entries(self._structural(declared.additional))
        return DEDUCED if declared.type == "object" or declared.preserve else ATOMIC

    def _structural_list(self, declared: Structural, item: Structural) -> Node:
        if declared.list_type == "set":
            return Members()
        if declared.list_type != "map":
            return ATOMIC
        defaults = {key: item.properties[key].default for key in declared.keys if key in item.properties}
        return Items(
            self._structural(item), tuple(sorted(declared.keys)), {key: value for key, value in defaults.items() if value is not None}
        )

    def _list(self, declared: List) -> Node:
        if declared.list_type == "set":
            return Members()
        keys = declared.keys or ((declared.merge_key,) if declared.merge_key else ())
        if declared.list_type == "atomic" or not keys:
            return ATOMIC
        item = declared.item.target() if isinstance(declared.item, Ref) else declared.item
        defaults = {}
        if isinstance(item, Struct):
            for key in keys:
                found = item.field(key)
                if found is not None and found.default is not None:
                    defaults[key] = found.default
        return Items(self.node(declared.item), tuple(sorted(keys)), defaults)
