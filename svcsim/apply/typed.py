"""Values seen through their topology: which fields there are, what differs, how two come together, what remains when fields go.

The operations server-side apply is made of. All are pure; unchanged parts of values are shared.
"""

from typing import NamedTuple, TypeAlias

from svcsim.apply.fieldset import LEAF, SELF, FieldSet, in_order, is_member, spell
from svcsim.apply.topology import REPEATED, Fields, Mapping, Node, Parts
from svcsim.meta.codec import same_json
from svcsim.meta.objects import CONTAINERS
from svcsim.meta.types import Json, Object


class Comparison(NamedTuple):
    """What became of a value's fields."""

    removed: FieldSet
    modified: FieldSet
    added: FieldSet


_Found: TypeAlias = tuple[FieldSet, FieldSet, FieldSet]
"""The sets of a `Comparison` while they are collected, in any order."""


class RepeatedError(ValueError):
    """A list that names an item twice. ``within`` are the path elements that lead to it, the last one first."""

    def __init__(self, element: str) -> None:
        super().__init__(element)
        self.element = element
        self.within: list[str] = []

    @property
    def told(self) -> str:
        """Where, and what is there twice, in the words that clients know."""
        return f"{spell(tuple(reversed(self.within)))}: duplicate entries for key {spell((self.element,))}"


def fields_of(node: Node, value: Json, *, strict: bool = False) -> FieldSet:
    """The fields a partial object sets, in canonical order: its leaves, every item of a list, and every key of a map.

    A named field of a struct that is there only for what it holds is none of them. When ``strict``, raises `RepeatedError` for a list in
    which items have the same keys, or members of a set are the same.
    """
    return _fields_of(node, value, strict=strict) or {}


def _fields_of(node: Node, value: Json, *, strict: bool) -> FieldSet | None:
    """`fields_of`; None for a value that is one field itself."""
    parts = node.parts(value)
    if parts is None or value == {}:
        return None
    if strict and len(parts) < len(value):
        raise RepeatedError(_repeated(node, value))
    named = node.known if isinstance(node, Fields) else {}
    fields: FieldSet = {}
    for element in sorted(parts):
        try:
            inner = _fields_of(*parts[element], strict=strict)
        except RepeatedError as error:
            error.within.append(element)
            raise
        if inner is None:
            fields[element] = LEAF
        elif element[2:] not in named:
            fields[element] = {SELF: LEAF, **inner} if inner else LEAF
        elif inner:
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
    found: _Found = ({}, {}, {})
    _compare(node, old, new, found)
    return Comparison(*map(in_order, found))


def _compare(node: Node, old: Json, new: Json, found: _Found) -> bool:
    """Collect what differs below two values that are both there; False when they differ as a whole."""
    if isinstance(node, Mapping):
        if isinstance(old, dict) and isinstance(new, dict):
            _compare_maps(node, old, new, found)
            return True
        if (old is None and new and isinstance(new, dict)) or (new is None and old and isinstance(old, dict)):
            _compare_maps(node, old or {}, new or {}, found)  # null holds as little as an empty map
            return True
        return False
    before, after = node.parts(old or []), node.parts(new or [])
    if before is None or after is None or not (before or after):
        return False
    removed, _, added = found
    for element, (below, part) in before.items():
        if element not in after:
            removed[element] = below.every_field(part)
        elif (below is REPEATED) != (after[element][0] is REPEATED):
            removed[element] = below.every_field(part)
            added[element] = after[element][0].every_field(after[element][1])
        else:
            _compare_part(element, below, part, after[element][1], found)
    for element, (below, part) in after.items():
        if element not in before:
            added[element] = below.every_field(part)
    return True


def _compare_maps(node: Mapping, old: Object, new: Object, found: _Found) -> None:
    """Compare two maps, in which nearly everything is equal and needs no closer look."""
    removed, modified, added = found
    for name, was in old.items():
        if name not in new:
            removed[f"f:{name}"] = node.child(name).every_field(was)
        elif (now := new[name]) is was:  # what a write leaves alone is mostly the very same
            continue
        elif type(was) is type(now) and type(was) not in CONTAINERS:
            if was != now:
                modified[f"f:{name}"] = LEAF
        else:
            _compare_part(f"f:{name}", node.child(name), was, now, found)
    for name, now in new.items():
        if name not in old:
            added[f"f:{name}"] = node.child(name).every_field(now)


def _compare_part(element: str, below: Node, old: Json, new: Json, found: _Found) -> None:
    """Compare two values under one path element, and put what differs there."""
    if same_json(old, new):
        return
    inside: _Found = ({}, {}, {})
    if not _compare(below, old, new, inside):
        found[1][element] = LEAF
        return
    for collected, inner in zip(found, inside, strict=True):
        if inner:
            collected[element] = in_order(inner)


def merge(node: Node, live: Json, config: Json) -> Json:
    """``live`` with everything ``config`` says put in. Null says nothing of what is merged part by part."""
    if isinstance(node, Mapping):
        if not isinstance(live, dict) or not isinstance(config, dict):
            return live if config is None and live and isinstance(live, dict) else config
        merged = dict(live)
        for name, value in config.items():
            merged[name] = merge(node.child(name), live[name], value) if name in live else value
        return merged
    before = node.parts(live)
    if before and config is None:
        return live
    wanted = node.parts(config)
    return config if before is None or wanted is None else _merge_items(_in_place(node, live, before), before, wanted)


def _in_place(node: Node, values: list[Json], parts: Parts) -> list[tuple[str, Node, Json]]:
    """Every item of a list where it stands, repeated ones each by itself."""
    if len(parts) == len(values):
        return [(element, below, item) for element, (below, item) in parts.items()]
    return [(element, *part) for value in values for element, part in (node.parts([value]) or {}).items()]


def _merge_items(items: list[tuple[str, Node, Json]], live: Parts, config: Parts) -> list[Json]:
    """Items of both: the config's in its order, and those only live has between them, as early as their own order allows."""
    merged: list[Json] = []
    shared_order = [element for element in config if element in live]
    passed = placed = 0
    for element, (_, value) in config.items():
        due = shared_order[placed] if placed < len(shared_order) else None
        while passed < len(items) and items[passed][0] != due:
            if items[passed][0] not in config:
                merged.append(items[passed][2])
            passed += 1
        if element == due:
            placed += 1
            passed += 1
        known = live.get(element)
        merged.append(value if known is None or known[0] is REPEATED else merge(*known, value))
    merged.extend(item for element, _, item in items[passed:] if element not in config)
    return merged


def spelled_out(node: Node, live: Json, config: Json, stored: Json, *, everywhere: bool = False) -> Json:
    """``live`` in a configuration's words where both mean the same: with its nulls and zeros where there is nothing.

    ``stored`` is what would be stored of the configuration. With ``everywhere`` its nulls and zeros stand also where there is something.
    """
    if isinstance(node, Mapping) and isinstance(live, dict) and isinstance(config, dict) and isinstance(stored, dict):
        whole = dict(live)
        for name, value in config.items():
            if name in stored:
                if name in live:
                    whole[name] = spelled_out(node.child(name), live[name], value, stored[name], everywhere=everywhere)
            elif everywhere or name not in live:
                whole[name] = value
        return whole
    before, wanted, kept = node.parts(live), node.parts(config), node.parts(stored)
    if before is None or wanted is None or kept is None:
        return config if same_json(live, stored) else live
    return [
        spelled_out(below, item, wanted[element][1], kept[element][1], everywhere=everywhere)
        if element in wanted and element in kept
        else item
        for element, below, item in _in_place(node, live, before)
    ]


def remove(node: Node, value: Json, fields: FieldSet) -> Json:
    """``value`` without the members of ``fields``, and all that is in them. What is emptied by that stays, empty."""
    if not fields:
        return value
    if isinstance(node, Mapping):
        return _remove_from_map(node, value, fields) if isinstance(value, dict) else value
    parts = node.parts(value)
    if parts is None:
        return value
    kept = []
    for element, below, item in _in_place(node, value, parts):
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
            kept[name] = remove(node.child(name), part, gone)
    return kept


def with_named_parents(node: Node, fields: FieldSet) -> FieldSet:
    """A set, and with it every named field of a struct that holds one of its members: those go with the last of what they hold."""
    named = node.known if isinstance(node, Fields) else {}
    out: FieldSet = {}
    for element, inner in fields.items():
        if not inner or element == SELF:
            out[element] = inner
            continue
        complete = with_named_parents(node.below(element), inner)
        out[element] = {SELF: LEAF, **complete} if SELF not in inner and element[2:] in named else complete
    return out
