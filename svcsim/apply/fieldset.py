"""Sets of fields, as a trie, in the very shape the API shows them (``FieldsV1``).

A set is a JSON map from path elements to sets: ``f:name`` a field or a map's key, ``k:{…}`` an item of a keyed list, ``v:…`` a member of a
scalar set, ``i:0`` an index. An empty node is a member and nothing below it is; a node with children is itself a member only if it holds
``.``. So what is stored and served needs no conversion, and the algebra below is a handful of small recursions over plain maps.

All functions are pure: they share unchanged parts and never change their arguments. Sets that are made here are in canonical order, and
what is made of sets in canonical order is so, too; only what comes from outside has to be brought into it (`canonical`).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import orjson

from svcsim.limits import OBJECT_LEVELS

FieldSet: TypeAlias = dict[str, "FieldSet"]

SELF = "."
LEAF: FieldSet = {}
"""A member without children. Never changed."""


def is_member(node: FieldSet) -> bool:
    """Whether the path that leads to this node is in the set itself."""
    return not node or SELF in node


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """All paths of both. Takes and gives root sets; an empty root is the empty set."""
    if not left or left is right:
        return right
    if not right:
        return left
    merged = dict(left)
    for element, node in right.items():
        known = left.get(element)
        merged[element] = node if known is None else _union_nodes(known, node)
    return merged if len(merged) == len(left) else in_order(merged)


def union_of(sets: Sequence[FieldSet]) -> FieldSet:
    """All paths of at least one set. Halves are put together first: one by one, the sum would be copied once for each set."""
    if len(sets) == 1:
        return sets[0]
    middle = len(sets) // 2
    return union(union_of(sets[:middle]), union_of(sets[middle:]))


def _union_nodes(left: FieldSet, right: FieldSet) -> FieldSet:
    if left is right or left == right:
        return left
    merged = union(left, right)
    if merged and SELF not in merged and (not left or not right):
        merged = {SELF: LEAF, **merged}
    return merged


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Paths of ``left`` that are not in ``right``; the root itself, which says nothing, is left out."""
    if not right or not left:
        return left
    if left is right:
        return {}
    kept: FieldSet = {}
    for element, node in left.items():
        if element == SELF:
            continue
        other = right.get(element)
        rest = node if other is None else _node_difference(node, other)
        if rest is not None:
            kept[element] = rest
    return kept


def _node_difference(node: FieldSet, other: FieldSet) -> FieldSet | None:
    """What is left of a node; None for nothing at all."""
    children = difference(node, other) if node and other else _children(node)
    return _node(children, member=is_member(node) and not is_member(other))


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Paths of ``left`` that are neither in ``right`` nor below a leaf of it; the root itself is left out."""
    if not right or not left:
        return left
    kept: FieldSet = {}
    for element, node in left.items():
        if element == SELF:
            continue
        other = right.get(element)
        if other is None:
            kept[element] = node
        elif other:
            rest = _node(recursive_difference(node, other), member=is_member(node) and not is_member(other))
            if rest is not None:
                kept[element] = rest
    return kept


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Paths that are in both."""
    if left is right:
        return left
    common: FieldSet = {}
    for element, node in left.items():
        other = right.get(element)
        if other is None:
            continue
        if element == SELF:
            common[SELF] = LEAF
            continue
        both = _node(intersection(_children(node), _children(other)), member=is_member(node) and is_member(other))
        if both is not None:
            common[element] = both
    return common


def _children(node: FieldSet) -> FieldSet:
    if SELF not in node:
        return node
    return {element: child for element, child in node.items() if element != SELF}


def _node(children: FieldSet, *, member: bool) -> FieldSet | None:
    if not children:
        return LEAF if member else None
    return {SELF: LEAF, **children} if member else children


Path: TypeAlias = tuple[str, ...]


def paths(fields: FieldSet, above: Path = ()) -> Iterator[Path]:
    """Every path in the set, in canonical order."""
    for element in ordered(fields):
        if element == SELF:
            continue
        node = fields[element]
        here = (*above, element)
        if is_member(node):
            yield here
        yield from paths(node, here)


def size(fields: FieldSet) -> int:
    """How many paths there are."""
    return sum(is_member(node) + (size(node) if node else 0) for element, node in fields.items() if element != SELF)


_ORDER = {".": 0, "f": 1, "k": 2, "v": 3, "i": 4}


def _rank(element: str) -> tuple[int, str]:
    return _ORDER.get(element[:1], 5), element


def canonical(fields: FieldSet) -> FieldSet:
    """The set with its keys in canonical order, as it is stored and served."""
    return {element: canonical(fields[element]) if fields[element] else LEAF for element in ordered(fields)}


def in_order(fields: FieldSet) -> FieldSet:
    """The set with its first path elements in canonical order; what is below them stays as it is."""
    if len(fields) < 2:
        return fields
    order = ordered(fields)
    return fields if list(fields) == order else {element: fields[element] for element in order}


def ordered(fields: FieldSet) -> list[str]:
    """Path elements in canonical order. That is the order of their bytes, but for indices, which come last and hardly ever."""
    elements = sorted(fields)
    first = bisect_left(elements, "i:")
    if first < len(elements) and elements[first].startswith("i:"):
        elements.sort(key=_rank)
    return elements


def spell(path: Path) -> str:
    """A path as messages show it: ``.spec.containers[name="nginx"].image``."""
    spelled = ""
    for element in path:
        sort, _, rest = element.partition(":")
        if sort == "f":
            spelled += f".{rest}"
        elif sort == "k":
            keys = orjson.loads(rest)
            spelled += "[" + ",".join(f"{name}={orjson.dumps(keys[name]).decode()}" for name in sorted(keys)) + "]"
        elif sort == "v":
            spelled += f"[={rest}]"
        else:
            spelled += f"[{rest}]"
    return spelled


def checked(value: object, depth: int = 0) -> FieldSet:
    """A field set from JSON that came from outside. Raises ValueError for what is none."""
    if not isinstance(value, dict):
        raise ValueError("a field set is a JSON object")  # noqa: TRY004 - what is wrong is the text that came in, not our types
    if depth > OBJECT_LEVELS:
        raise ValueError("the field set is nested too deep")
    fields: FieldSet = {}
    for element, below in value.items():
        sort, colon, rest = element.partition(":")
        if element != SELF and (not colon or sort not in ("f", "k", "v", "i")):
            raise ValueError(f"{element!r} is no path element")
        if sort == "k" and not _is_key(rest):
            raise ValueError(f"{element!r} names no list item")
        if sort == "v":
            _scalar(rest)
        if sort == "i" and not rest.isdigit():
            raise ValueError(f"{element!r} is no index")
        fields[element] = checked(below, depth + 1)
    return fields


def _is_key(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _scalar(text: str) -> None:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError(f"v:{text} holds no JSON value") from None
