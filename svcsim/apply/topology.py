"""How a type merges: the schema seen by server-side apply, compiled once.

All that apply wants to know of a type is how its values come together: as a whole (atomic), field by field, key by key, as a set of
scalars, or as a list whose items have keys.
"""

from dataclasses import dataclass, field

import orjson

from svcsim.meta.types import Json, Object
from svcsim.schema.identity import cached_by_identity
from svcsim.schema.types import List, Map, Raw, Ref, Struct, Type

_COMPILED_TYPES = 4_096


class Node:
    """One way of merging."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Atomic(Node):
    """Replaced as a whole, owned as a whole."""


@dataclass(slots=True, eq=False)
class Fields(Node):
    """A struct: every field merges on its own."""

    known: dict[str, Node] = field(default_factory=dict)

    def child(self, name: str) -> Node:
        """How that field merges; one the schema doesn't know merges like untyped data."""
        return self.known.get(name, DEDUCED)


@dataclass(slots=True, eq=False)
class Entries(Node):
    """A map: every key merges on its own."""

    value: Node

    def child(self, name: str) -> Node:  # noqa: ARG002 - all keys are alike
        """How the value under a key merges."""
        return self.value


@dataclass(slots=True, eq=False)
class Members(Node):
    """A set of scalars."""


@dataclass(slots=True, eq=False)
class Items(Node):
    """A list whose items are told apart by keys. A key field that is missing counts as its default."""

    item: Node
    keys: tuple[str, ...]
    defaults: dict[str, Json]

    def element(self, item: Object) -> str | None:
        """The path element of an item; None when it has none of its keys."""
        found = {}
        for key in sorted(self.keys):
            value = item.get(key, self.defaults.get(key))
            if value is not None:
                found[key] = value
        return "k:" + orjson.dumps(found).decode() if found else None


@dataclass(frozen=True, slots=True, eq=False)
class Deduced(Node):
    """Data without a schema: maps merge like structs, lists are atomic."""

    def child(self, name: str) -> Node:  # noqa: ARG002 - all the same
        """The same again."""
        return self


ATOMIC = Atomic()
DEDUCED = Deduced()


def member_element(value: Json) -> str:
    """The path element of a scalar in a set."""
    return "v:" + orjson.dumps(value).decode()


@cached_by_identity(_COMPILED_TYPES)
def topology(struct: Struct) -> Fields:
    """How objects of that schema merge."""
    return _Compiler().struct(struct)


class _Compiler:
    """Walks a schema once; types that contain themselves come out as nodes that do."""

    def __init__(self) -> None:
        self._structs: dict[int, Fields] = {}

    def struct(self, struct: Struct) -> Fields:
        known = self._structs.get(id(struct))
        if known is None:
            known = self._structs[id(struct)] = Fields()
            self._fill(known, struct)
        return known

    def _fill(self, node: Fields, struct: Struct) -> None:
        for declared in struct.fields:
            if declared.inline and isinstance(declared.type, Struct):
                self._fill(node, declared.type)
            else:
                node.known[declared.name] = self.node(declared.type)

    def node(self, declared: Type) -> Node:
        if isinstance(declared, Ref):
            return self.node(declared.target())
        if isinstance(declared, Struct):
            return ATOMIC if declared.atomic else self.struct(declared)
        if isinstance(declared, Map):
            return ATOMIC if declared.atomic else Entries(self.node(declared.value))
        if isinstance(declared, List):
            return self._list(declared)
        return DEDUCED if isinstance(declared, Raw) and declared.granular else ATOMIC

    def _list(self, declared: List) -> Node:
        if declared.kind == "set":
            return Members()
        keys = declared.keys or ((declared.merge_key,) if declared.merge_key else ())
        if declared.kind == "atomic" or not keys:
            return ATOMIC
        item = declared.item.target() if isinstance(declared.item, Ref) else declared.item
        defaults = {}
        if isinstance(item, Struct):
            for key in keys:
                found = item.field(key)
                if found is not None and found.default is not None:
                    defaults[key] = found.default
        return Items(self.node(declared.item), keys, defaults)
