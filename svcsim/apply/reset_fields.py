"""Which fields of an object a write may change: the others are reset, and whoever sent them doesn't come to own them.

Status isn't written through the object itself, nor spec through its status; which fields a sub-resource resets differs from kind to kind.
One `FieldFilter` says so for one version of a kind and one way in. It is asked twice: for sets of fields, so that nobody owns what is
reset, and for the object, which gets those fields back as they were. Because of the first, ownership can be recorded on what was sent.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.apply.fieldset import LEAF, SELF, FieldSet
from svcsim.meta.types import Object

PathTree: TypeAlias = dict[str, "PathTree"]
"""Paths of fields by their parts. What has nothing below it stands for the field with all that is in it."""

_ANY_ITEM = "*"
_SERVERS_OWN: PathTree = {"metadata": {"managedFields": {}, "resourceVersion": {}}}


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """Either the only fields that are written, or those that are reset. Without both, all are written.

    Paths through lists are for sets of fields alone, and for what is written.
    """

    written: PathTree = field(default_factory=dict)
    reset: PathTree = field(default_factory=dict)

    @classmethod
    def of(cls, writes: tuple[str, ...] = (), resets: tuple[str, ...] = ()) -> "FieldFilter":
        """From dotted paths; ``containers[*]`` is any item of a list."""
        if writes:
            return cls(_tree(writes))
        return cls(reset=_tree(resets)) if resets else ALL_FIELDS

    def owned(self, fields: FieldSet) -> FieldSet:
        """Those of a set that are written."""
        if self.written:
            return _only(fields, self.written)
        return _without(fields, self.reset) if self.reset else fields

    def restored(self, new: Object, old: Object) -> Object:
        """``new`` with what isn't written as it is in ``old``."""
        if self.written:
            return _grafted(with_servers_own(old, new), new, self.written)
        return _grafted(new, old, self.reset) if self.reset else new


def with_servers_own(obj: Object, new: Object) -> Object:
    """An object with what the server has written into ``new``, whatever else is taken from there."""
    return _grafted(obj, new, _SERVERS_OWN)


def _tree(paths: tuple[str, ...]) -> PathTree:
    tree: PathTree = {}
    for path in paths:
        below = tree
        for name in path.replace("[*]", f".{_ANY_ITEM}").split("."):
            below = below.setdefault(name, {})
    return tree


def _only(fields: FieldSet, tree: PathTree) -> FieldSet:
    kept: FieldSet = {}
    for element, node in fields.items():
        below = tree.get(element[2:] if element[0] == "f" else _ANY_ITEM) if element != SELF else None
        if below is None:
            continue
        inside = _only(node, below) if below else node
        if inside or not below:
            kept[element] = inside
    return kept


def _without(fields: FieldSet, tree: PathTree) -> FieldSet:
    kept = fields
    for name, below in tree.items():
        element = f"f:{name}"
        node = kept.get(element)
        if node is None or (below and not node):
            continue
        inside = _without(node, below) if below else {}
        kept = dict(kept)
        if inside:
            kept[element] = LEAF if list(inside) == [SELF] else inside
        else:
            del kept[element]
    return kept


def _grafted(base: Object, source: Object, tree: PathTree) -> Object:
    """``base`` with the fields of the tree as they are in ``source``; a field that comes in stands where it stands there."""
    grafted = dict(base)
    came = False
    for name, below in tree.items():
        ours, theirs = base.get(name), source.get(name)
        if below and (isinstance(ours, dict) or isinstance(theirs, dict)):
            inside = _grafted(ours if isinstance(ours, dict) else {}, theirs if isinstance(theirs, dict) else {}, below)
            if inside or isinstance(ours, dict):
                grafted[name] = inside
                came = came or name not in base
        elif name in source:
            grafted[name] = theirs
            came = came or name not in base
        else:
            grafted.pop(name, None)
    return {name: grafted[name] for name in (*source, *base) if name in grafted} if came else grafted


ALL_FIELDS = FieldFilter()
"""Everything is written."""
