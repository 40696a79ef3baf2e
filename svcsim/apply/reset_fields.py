"""Which fields of an object a write may change: the others are reset, and the sender doesn't own them.

Status isn't written through the object itself, nor spec through its status; the fields that a subresource resets differ from kind to kind.
One `FieldFilter` has them for one version of a kind and one subresource. It is used twice: for sets of fields, so that no manager owns
reset fields, and for the object, which gets those fields back as they were.

A path may lead through a list (``containers[*].image``) where it names what is written. It is about a field of the items that are there
before and after, told apart by the list's keys; items neither come nor go by it. So it takes the object before to say what is owned.

A version that isn't stored may show what is reset under another name: an annotation that carries a part of the status. No declaration
says so; it is found by converting the object in question, and such a filter holds for that object alone (`without`).
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from svcsim.apply.fieldset import LEAF, SELF, FieldSet, recursive_difference
from svcsim.apply.topology import ATOMIC, DEDUCED, Fields, Items, Mapping, Node
from svcsim.meta.types import Json, Object

PathTree: TypeAlias = dict[str, "PathTree"]
"""Paths of fields by their parts. What has nothing below it stands for the field with all that is in it."""

_ANY_ITEM = "*"
_THROUGH_LIST = "[*]"
_SERVERS_OWN: PathTree = {"metadata": {"managedFields": {}, "resourceVersion": {}}}


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """Either the only fields that are written, or those that are reset. Without both, all are written."""

    written: PathTree = field(default_factory=dict)
    reset: PathTree = field(default_factory=dict)
    node: Node = DEDUCED
    """How the objects merge: it knows the keys of the lists that paths lead through."""
    carried: FieldSet = field(default_factory=dict)
    """Fields of one object that show what the stored version resets: they are not written, either."""

    @classmethod
    def of(cls, writes: tuple[str, ...] = (), resets: tuple[str, ...] = (), node: Node = DEDUCED) -> "FieldFilter":
        """From dotted paths; ``containers[*]`` is any item of a list, for which ``node`` is needed. `check_paths` says which are good."""
        if writes:
            return cls(_tree(writes), node=node)
        return cls(reset=_tree(resets)) if resets else ALL_FIELDS

    def owned(self, fields: FieldSet) -> FieldSet:
        """The fields of a set that are written."""
        if self.carried:
            fields = recursive_difference(fields, self.carried)
        if self.written:
            return _only(fields, self.written)
        return _without(fields, self.reset) if self.reset else fields

    def without(self, carried: FieldSet) -> "FieldFilter":
        """The filter without fields of one object that show what the stored version resets."""
        return replace(self, carried=carried) if carried else self

    def emptied(self, obj: Object) -> Object:
        """An object without anything that isn't written, but for its identity."""
        return self.restored(obj, {name: obj[name] for name in ("apiVersion", "kind", "metadata") if name in obj})

    def restored(self, new: Object, old: Object) -> Object:
        """``new`` with what isn't written as it is in ``old``."""
        if self.written:
            return _grafted(with_servers_own(old, new), new, self.written, self.node)
        return new if _is_shared(new, old, self.reset) else _grafted(new, old, self.reset)


def with_servers_own(obj: Object, new: Object) -> Object:
    """An object with what the server has written into ``new``, whatever else is taken from there."""
    return _grafted(obj, new, _SERVERS_OWN)


def leads_through_list(path: str) -> bool:
    """Whether a path names a field of a list's items."""
    return _THROUGH_LIST in path


def check_paths(writes: tuple[str, ...], resets: tuple[str, ...], node: Node) -> None:
    """Raise ValueError for a path that can't be honoured in objects that merge like this."""
    for path in resets:
        if leads_through_list(path):
            raise ValueError(f"{path}: what is reset does not lead through a list")
    for path in writes:
        _check_path(path, node)


def _check_path(path: str, node: Node) -> None:
    names = _names(path)
    if names[-1] == _ANY_ITEM:
        raise ValueError(f"{path}: name the list itself, or a field of its items")
    for name in names:
        if name == _ANY_ITEM:
            if not isinstance(node, Items):
                raise ValueError(f"{path}: a path leads through a list whose items have keys, and through no other")
            node = node.item
        elif not isinstance(node, Mapping) or (isinstance(node, Fields) and name not in node.known):
            raise ValueError(f"{path}: there is no field {name} that can be written on its own")
        else:
            node = node.child(name)


def _names(path: str) -> list[str]:
    return path.replace(_THROUGH_LIST, f".{_ANY_ITEM}").split(".")


def _tree(paths: tuple[str, ...]) -> PathTree:
    tree: PathTree = {}
    for path in paths:
        below = tree
        for name in _names(path):
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


def _is_shared(new: Object, old: Object, tree: PathTree) -> bool:
    """Whether both have the very same fields of the tree, as they do where a write leaves these alone."""
    for name, below in tree.items():
        ours, theirs = new.get(name), old.get(name)
        if ours is theirs and (name in new) == (name in old):
            continue
        if not below or type(ours) is not dict or type(theirs) is not dict or not _is_shared(ours, theirs, below):
            return False
    return True


def _grafted(base: Object, source: Object, tree: PathTree, node: Node = ATOMIC) -> Object:
    """``base`` with the fields of the tree as they are in ``source``; a field that comes in stands where it stands there."""
    grafted = dict(base)
    came = False
    for name, below in tree.items():
        ours, theirs = base.get(name), source.get(name)
        if _ANY_ITEM in below:
            if isinstance(ours, list) and isinstance(theirs, list):
                grafted[name] = _grafted_items(ours, theirs, below[_ANY_ITEM], node.below(f"f:{name}"))
        elif below and (isinstance(ours, dict) or isinstance(theirs, dict)):
            inside = _grafted(
                ours if isinstance(ours, dict) else {}, theirs if isinstance(theirs, dict) else {}, below, node.below(f"f:{name}")
            )
            if inside or isinstance(ours, dict):
                grafted[name] = inside
                came = came or name not in base
        elif name in source:
            grafted[name] = theirs
            came = came or name not in base
        else:
            grafted.pop(name, None)
    return {name: grafted[name] for name in (*source, *base) if name in grafted} if came else grafted


def _grafted_items(base: list[Json], source: list[Json], tree: PathTree, node: Node) -> list[Json]:
    """The items of ``base``, with the fields of the tree as they are in the items of ``source`` with the same keys."""
    theirs = node.parts(source) or {}
    grafted: list[Json] = []
    for item in base:
        (element,) = node.parts([item]) or ("",)
        same = theirs[element][1] if element in theirs else None  # a list, where several can't be told apart: then nothing is taken
        grafted.append(_grafted(item, same, tree, node.below(element)) if isinstance(same, dict) else item)
    return grafted


ALL_FIELDS = FieldFilter()
"""Everything is written."""
