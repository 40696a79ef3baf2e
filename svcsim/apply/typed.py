"""Values seen through their topology: which fields there are, what differs, how two come together, what remains when fields go.

The four operations server-side apply is made of. All are pure; unchanged parts of values are shared.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.apply.fieldset import LEAF, SELF, FieldSet, is_member
from svcsim.apply.topology import ATOMIC, Atomic, Deduced, Entries, Fields, Items, Members, Node, member_element
from svcsim.meta.types import Json, Object


class Comparison(NamedTuple):
    """What became of a value's fields."""

    removed: FieldSet
    modified: FieldSet
    added: FieldSet

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.removed and not self.modified and not self.added


def _maps(node: Node, value: Json) -> bool:
    return isinstance(value, dict) and isinstance(node, Fields | Entries | Deduced)


def _child(node: Node, name: str) -> Node:
    return node.child(name) if isinstance(node, Fields | Entries | Deduced) else ATOMIC


def _keyed(node: Node, values: Iterable[Json]) -> dict[str, Json] | None:
    """Items by path element, in order; None for a list that has to be taken as a whole."""
    found: dict[str, Json] = {}
    if isinstance(node, Members):
        for value in values:
            if isinstance(value, dict | list):
                return None
            found[member_element(value)] = value
        return found
    if isinstance(node, Items):
        for value in values:
            element = node.element(value) if isinstance(value, dict) else None
            if element is None:
                return None
            found.setdefault(element, value)
        return found
    return None


def _item(node: Node) -> Node:
    return node.item if isinstance(node, Items) else ATOMIC


def _parts(node: Node, value: Json) -> dict[str, tuple[Node, Json]] | None:
    """A value's parts by path element; None for one that is taken as a whole."""
    if isinstance(node, Atomic):
        return None
    if isinstance(value, dict):
        return {f"f:{name}": (_child(node, name), part) for name, part in value.items()} if _maps(node, value) else None
    if isinstance(value, list):
        items = _keyed(node, value)
        return None if items is None else {element: (_item(node), part) for element, part in items.items()}
    return None


def fields_of(node: Node, value: Json) -> FieldSet:
    """The fields a partial object sets: its leaves, and every list item itself."""
    parts = _parts(node, value)
    fields: FieldSet = {}
    for element, (below, part) in (parts or {}).items():
        inner = fields_of(below, part)
        if not inner:
            fields[element] = LEAF
        elif element[0] == "k":
            fields[element] = {SELF: LEAF, **inner}
        else:
            fields[element] = inner
    return fields


def every_field(node: Node, value: Json) -> FieldSet:
    """Every field of a value that was not there before: leaves and what holds them alike."""
    if isinstance(value, dict):
        if not value or not _maps(node, value):
            return LEAF
        # Spelled out for maps: new objects go through here whole, and most of what is in them are scalars.
        fields: FieldSet = {SELF: LEAF}
        for name, part in value.items():
            fields[f"f:{name}"] = every_field(_child(node, name), part) if isinstance(part, dict | list) else LEAF
        return fields
    parts = _parts(node, value)
    if not parts:
        return LEAF
    return {SELF: LEAF, **{element: every_field(below, part) for element, (below, part) in parts.items()}}


def compare(node: Node, old: Object, new: Object) -> Comparison:
    """Which fields of an object went, changed and came."""
    removed: FieldSet = {}
    modified: FieldSet = {}
    added: FieldSet = {}
    _compare(node, old, new, removed, modified, added)
    return Comparison(removed, modified, added)


def _compare(node: Node, old: Json, new: Json, removed: FieldSet, modified: FieldSet, added: FieldSet) -> bool:
    """Collect what differs below two values that are both there; False when they differ as a whole."""
    if old == new and type(old) is type(new):
        return True
    if isinstance(old, dict) and isinstance(new, dict) and _maps(node, old):
        _compare_maps(node, old, new, Comparison(removed, modified, added))
        return True
    before, after = _parts(node, old), _parts(node, new)
    if before is None or after is None or isinstance(old, dict) != isinstance(new, dict):
        return False
    for element, (below, part) in before.items():
        if element not in after:
            removed[element] = every_field(below, part)
        else:
            _compare_part(element, below, part, after[element][1], Comparison(removed, modified, added))
    for element, (below, part) in after.items():
        if element not in before:
            added[element] = every_field(below, part)
    return True


def _compare_maps(node: Node, old: Object, new: Object, found: Comparison) -> None:
    """The same for two maps, where nearly everything is equal and need not be looked at any closer."""
    for name, part in old.items():
        if name not in new:
            found.removed[f"f:{name}"] = every_field(_child(node, name), part)
        elif part != new[name] or type(part) is not type(new[name]):
            _compare_part(f"f:{name}", _child(node, name), part, new[name], found)
    for name, part in new.items():
        if name not in old:
            found.added[f"f:{name}"] = every_field(_child(node, name), part)


def _compare_part(element: str, below: Node, old: Json, new: Json, found: Comparison) -> None:
    """Compare two values under one path element, and put what differs there."""
    removed: FieldSet = {}
    modified: FieldSet = {}
    added: FieldSet = {}
    if not _compare(below, old, new, removed, modified, added):
        found.modified[element] = LEAF
        return
    for collected, inner in ((found.removed, removed), (found.modified, modified), (found.added, added)):
        if inner:
            collected[element] = inner


def merge(node: Node, live: Json, config: Json) -> Json:
    """``live`` with everything ``config`` says put in."""
    if isinstance(live, dict) and isinstance(config, dict) and _maps(node, config):
        merged = dict(live)
        for name, value in config.items():
            merged[name] = merge(_child(node, name), live[name], value) if name in live else value
        return merged
    if isinstance(live, list) and isinstance(config, list):
        before, wanted = _keyed(node, live), _keyed(node, config)
        if before is not None and wanted is not None:
            return _merge_items(_item(node), before, wanted)
    return config


def _merge_items(node: Node, live: dict[str, Json], config: dict[str, Json]) -> list[Json]:
    """Items of both: the config's in its order, and those only live has between them, as early as their own order allows."""
    merged: list[Json] = []
    live_order, shared_order = list(live), [element for element in config if element in live]
    passed = placed = 0
    for element, value in config.items():
        due = shared_order[placed] if placed < len(shared_order) else None
        while passed < len(live_order) and live_order[passed] != due:
            if live_order[passed] not in config:
                merged.append(live[live_order[passed]])
            passed += 1
        if element == due:
            placed += 1
            passed += 1
        merged.append(merge(node, live[element], value) if element in live else value)
    merged.extend(live[element] for element in live_order[passed:] if element not in config)
    return merged


def remove(node: Node, value: Json, fields: FieldSet) -> Json:
    """``value`` without the members of ``fields``. A map or list that is emptied by that goes, too."""
    if not fields:
        return value
    if isinstance(value, dict) and _maps(node, value):
        return _remove_from_map(node, value, fields)
    if isinstance(value, list):
        items = _keyed(node, value)
        if items is None:
            return value
        kept = []
        for element, item in items.items():
            below = fields.get(element)
            if below is None:
                kept.append(item)
            elif not is_member(below):
                kept.append(remove(_item(node), item, below))
        return kept
    return value


def _remove_from_map(node: Node, value: Object, fields: FieldSet) -> Object:
    kept = {}
    for name, part in value.items():
        below = fields.get(f"f:{name}")
        if below is None:
            kept[name] = part
        elif not is_member(below):
            rest = remove(_child(node, name), part, below)
            if rest or not isinstance(rest, dict | list):
                kept[name] = rest
    return kept


def present(node: Node, value: Json, fields: FieldSet) -> FieldSet:
    """Those of ``fields`` that lead to something in ``value``."""
    parts = _parts(node, value)
    if not parts:
        return {}
    found: FieldSet = {}
    for element, below in fields.items():
        if element == SELF:
            found[SELF] = LEAF
        elif element in parts:
            inner = present(*parts[element], {e: f for e, f in below.items() if e != SELF}) if below else {}
            if inner:
                found[element] = {SELF: LEAF, **inner} if is_member(below) else inner
            elif is_member(below):
                found[element] = LEAF
    return found
