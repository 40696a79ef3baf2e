"""Values seen through their topology: which fields there are, what differs, how two come together, what remains when fields go.

The four operations server-side apply is made of. All are pure; unchanged parts of values are shared.
"""

from typing import NamedTuple

from svcsim.apply.fieldset import LEAF, SELF, FieldSet, is_member
from svcsim.apply.topology import Mapping, Node, Parts
from svcsim.meta.types import Json, Object


class Comparison(NamedTuple):
    """What became of a value's fields."""

    removed: FieldSet
    modified: FieldSet
    added: FieldSet


class RepeatedError(ValueError):
    """A list that names an item twice. ``within`` are the path elements that lead to it, the last one first."""

    def __init__(self, element: str) -> None:
        super().__init__(element)
        self.element = element
        self.within: list[str] = []


def fields_of(node: Node, value: Json, *, strict: bool = False) -> FieldSet:
    """The fields a partial object sets: its leaves, and every list item itself; in canonical order.

    When ``strict``, raises `RepeatedError` for a list in which items have the same keys, or members of a set are the same.
    """
    parts = node.parts(value) or {}
    if strict and parts and isinstance(value, list) and len(parts) < len(value):
        raise RepeatedError(_repeated(node, value))
    fields: FieldSet = {}
    for element in sorted(parts):
        try:
            inner = fields_of(*parts[element], strict=strict)
        except RepeatedError as error:
            error.within.append(element)
            raise
        if not inner:
            fields[element] = LEAF
        elif element[0] == "k":
            fields[element] = {SELF: LEAF, **inner}
        else:
            fields[element] = inner
    return fields


def _repeated(node: Node, values: list[Json]) -> str:
    """The first path element that comes again."""
    seen: set[str] = set()
    for value in values:
        for element in node.parts([value]) or ():
            if element in seen:
                return element
            seen.add(element)
    raise AssertionError("the caller has seen one come again")


def compare(node: Node, old: Object, new: Object) -> Comparison:
    """Which fields of an object went, changed and came."""
    found = Comparison({}, {}, {})
    _compare(node, old, new, found)
    return found


def _compare(node: Node, old: Json, new: Json, found: Comparison) -> bool:
    """Collect what differs below two values that are both there; False when they differ as a whole."""
    if isinstance(node, Mapping) and isinstance(old, dict) and isinstance(new, dict):
        _compare_maps(node, old, new, found)
        return True
    before, after = node.parts(old), node.parts(new)
    if before is None or after is None:
        return False
    for element in sorted({**before, **after}):
        if element not in after:
            below, part = before[element]
            found.removed[element] = below.every_field(part)
        elif element not in before:
            below, part = after[element]
            found.added[element] = below.every_field(part)
        else:
            _compare_part(element, *before[element], after[element][1], found)
    return True


def _compare_maps(node: Mapping, old: Object, new: Object, found: Comparison) -> None:
    """The same for two maps, where nearly everything is equal and need not be looked at any closer."""
    for name in sorted({**old, **new}):
        if name not in new:
            found.removed[f"f:{name}"] = node.child(name).every_field(old[name])
        elif name not in old:
            found.added[f"f:{name}"] = node.child(name).every_field(new[name])
        else:
            _compare_part(f"f:{name}", node.child(name), old[name], new[name], found)


def _compare_part(element: str, below: Node, old: Json, new: Json, found: Comparison) -> None:
    """Compare two values under one path element, and put what differs there."""
    if old == new and type(old) is type(new):
        return
    inside = Comparison({}, {}, {})
    if not _compare(below, old, new, inside):
        found.modified[element] = LEAF
        return
    for collected, inner in zip(found, inside, strict=True):
        if inner:
            collected[element] = inner


def merge(node: Node, live: Json, config: Json) -> Json:
    """``live`` with everything ``config`` says put in."""
    if isinstance(node, Mapping):
        if not isinstance(live, dict) or not isinstance(config, dict):
            return config
        merged = dict(live)
        for name, value in config.items():
            merged[name] = merge(node.child(name), live[name], value) if name in live else value
        return merged
    before, wanted = node.parts(live), node.parts(config)
    return config if before is None or wanted is None else _merge_items(before, wanted)


def _merge_items(live: Parts, config: Parts) -> list[Json]:
    """Items of both: the config's in its order, and those only live has between them, as early as their own order allows."""
    merged: list[Json] = []
    live_order, shared_order = list(live), [element for element in config if element in live]
    passed = placed = 0
    for element, (node, value) in config.items():
        due = shared_order[placed] if placed < len(shared_order) else None
        while passed < len(live_order) and live_order[passed] != due:
            if live_order[passed] not in config:
                merged.append(live[live_order[passed]][1])
            passed += 1
        if element == due:
            placed += 1
            passed += 1
        merged.append(merge(node, live[element][1], value) if element in live else value)
    merged.extend(live[element][1] for element in live_order[passed:] if element not in config)
    return merged


def remove(node: Node, value: Json, fields: FieldSet) -> Json:
    """``value`` without the members of ``fields``. A map or list that is emptied by that goes, too."""
    if not fields:
        return value
    if isinstance(node, Mapping):
        return _remove_from_map(node, value, fields) if isinstance(value, dict) else value
    parts = node.parts(value)
    if parts is None:
        return value
    kept = []
    for element, (below, item) in parts.items():
        gone = fields.get(element)
        if gone is None:
            kept.append(item)
        elif not is_member(gone):
            kept.append(remove(below, item, gone))
    return kept


def _remove_from_map(node: Mapping, value: Object, fields: FieldSet) -> Object:
    kept = {}
    for name, part in value.items():
        gone = fields.get(f"f:{name}")
        if gone is None:
            kept[name] = part
        elif not is_member(gone):
            rest = remove(node.child(name), part, gone)
            if rest or not isinstance(rest, dict | list):
                kept[name] = rest
    return kept
