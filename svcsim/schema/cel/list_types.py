"""Lists of the types set and map, in which order means nothing: how rules add and compare them.

A set and another list together are what is in one of them. Of lists with keys the other's items take the places of those with their keys.
The CEL library has one sort of lists, so functions of ours are put in the place of its operators where a schema says what a list is.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from svcsim.schema.cel.names import escaped
from svcsim.schema.cel.trees import Call, Loop, Name, Selected, Text, Tree, Written, mapped
from svcsim.schema.types import Structural

UNION, OVERLAID, SAME = "@union", "@overlaid", "@same"
_Scope = Mapping[str, Structural | None]
_OF_FIRST: Final = frozenset(("value", "orValue", "or", "optional.of", "dyn", "_+_"))
"""Functions that give what their first argument is, or holds."""


def with_list_types(tree: Tree, scope: _Scope) -> Tree:
    """An expression of values of these nodes, with what lists of their types have of their own."""
    if isinstance(tree, Loop):
        return _loop(tree, scope)
    made = mapped(tree, lambda one: with_list_types(one, scope))
    if not isinstance(made, Call) or not isinstance(tree, Call) or len(tree.arguments) != 2:
        return made
    one, other = (_listed(_node(argument, scope)) for argument in tree.arguments)
    if tree.function == "_+_" and one is not None:
        if one.list_type == "set":
            return made._replace(function=UNION)
        keys = Written(tuple([Text(key) for key in map(escaped, one.keys) if key is not None]))
        return made._replace(function=OVERLAID, arguments=(*made.arguments, keys))
    if tree.function in ("_==_", "_!=_") and (one or other) is not None:
        same = made._replace(function=SAME)
        return same if tree.function == "_==_" else Call("!_", (same,), at=tree.at)
    return made


def union(one: list[object], other: list[object]) -> list[object]:
    """What is in one of two lists, once."""
    return list({**{_key(item): item for item in one}, **{_key(item): item for item in other}}.values())


def overlaid(one: list[object], other: list[object], keys: list[str]) -> list[object]:
    """The items of a list, and those of another in the place of those with the same keys, or behind them."""
    items = {_keys(item, keys): item for item in one}
    return list({**items, **{_keys(item, keys): item for item in other}}.values())


def same(one: object, other: object) -> bool:
    """Whether two lists have the same items, in whatever order."""
    if not isinstance(one, list) or not isinstance(other, list):
        return one == other
    return len(one) == len(other) and {_key(item) for item in one} == {_key(item) for item in other}


def _keys(item: object, keys: Iterable[str]) -> object:
    return tuple([_key(item.get(key)) for key in keys]) if isinstance(item, dict) else _key(item)


def _key(item: object) -> object:
    """What is the same for equal values alone, and may stand in a set."""
    if isinstance(item, dict):
        return "map", frozenset((key, _key(value)) for key, value in item.items())
    if isinstance(item, list):
        return "list", tuple([_key(one) for one in item])
    if isinstance(item, bytearray):
        return bytes(item)
    return ("bool", item) if isinstance(item, bool) else item


def _loop(loop: Loop, scope: _Scope) -> Tree:
    over = _node(loop.range, scope)
    item = None if over is None else over.items if over.items is not None else over.additional
    variables = {loop.item: None, loop.second: item} if loop.second else {loop.item: item if over is not None and over.items else None}
    bound = _node(loop.start, scope) or (scope.get(loop.name) if loop.range == Written((), at=loop.range.at) else None)
    within: _Scope = {**scope, **variables, loop.name: None}
    condition, step = (with_list_types(one, within) for one in (loop.condition, loop.step))
    return loop._replace(
        range=with_list_types(loop.range, scope),
        start=with_list_types(loop.start, scope),
        condition=condition,
        step=step,
        result=with_list_types(loop.result, {**scope, loop.name: bound}),
    )


def _listed(node: Structural | None) -> Structural | None:
    """A node of lists of such a type."""
    return node if node is not None and node.items is not None and node.list_type in ("set", "map") else None


def _node(tree: Tree, scope: _Scope) -> Structural | None:
    """The part of a schema that tells what a tree gives; None where none does."""
    match tree:
        case Name(name):
            return scope.get(name)
        case Selected(of, name, False) | Call("_?._", (of, Text(name))):
            return _field(_node(of, scope), name)
        case Call("_[_]" | "_[?_]", (of, Text(name))):
            return _field(_node(of, scope), name)
        case Call("_[_]" | "_[?_]", (of, _)):
            whole = _node(of, scope)
            return None if whole is None else whole.items if whole.items is not None else whole.additional
        case Call("_?_:_", (_, one, other)):
            return _node(one, scope) or _node(other, scope)
        case Call(function, (of, *_)) if function in _OF_FIRST:
            return _node(of, scope)
        case Loop():
            return _node(tree.result, {**scope, tree.name: _node(tree.start, scope)})
    return None


def _field(node: Structural | None, name: str) -> Structural | None:
    if node is None:
        return None
    return next((child for field, child in node.properties.items() if escaped(field) == name), node.additional)
