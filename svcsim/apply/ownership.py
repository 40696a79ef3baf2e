"""Server-side apply itself: what a write does to an object and to the ownership of its fields (spec document 1, sections 2.7 and 3.2).

Two operations. `update` records that somebody changed an object, by whatever means, and never fails. `apply` brings an applier's
configuration into the object: fields it no longer has go if nobody else owns them, and changing what others own is a conflict unless
forced. Both are pure.
"""

from typing import NamedTuple

from svcsim.apply.fieldset import (
    LEAF,
    SELF,
    FieldSet,
    difference,
    intersection,
    is_member,
    paths,
    spell,
    union,
)
from svcsim.apply.managers import (
    BEFORE_FIRST_APPLY,
    UPDATE,
    Conflict,
    Manager,
    Managers,
    Owned,
    conflict_error,
    fold_oldest,
    read,
    read_stored,
    told,
)
from svcsim.apply.topology import Atomic, Entries, Fields, Items, Node
from svcsim.apply.typed import compare, fields_of, merge, remove
from svcsim.meta.types import Json, Object

KEPT_UPDATE_MANAGERS = 10
"""Owners by update an object has at most; older ones are folded into one."""

_UNTRACKED = ("apiVersion", "kind")
_UNTRACKED_METADATA = ("name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion")


class Applied(NamedTuple):
    """What an apply came to."""

    obj: Object
    managers: Managers


def tracked(obj: Object) -> Object:
    """The part of an object whose fields have owners."""
    part = {name: value for name, value in obj.items() if name not in _UNTRACKED}
    metadata = {name: value for name, value in obj.get("metadata", {}).items() if name not in _UNTRACKED_METADATA}
    if metadata:
        part["metadata"] = metadata
    else:
        part.pop("metadata", None)
    return part


def owners(sent: Object, live: Object | None) -> tuple[Managers, bool]:
    """The owners a write starts from, and whether they are other than the stored ones.

    ``[{}]`` resets them. Otherwise those the request carries count, if they can be read and there are any; else the stored ones, so that
    a client that knows nothing of managed fields can't delete them by accident.
    """
    entries = sent.get("metadata", {}).get("managedFields")
    stored = (live or {}).get("metadata", {}).get("managedFields") or []
    if entries == [{}]:
        return {}, bool(stored)
    if entries and entries != stored:
        try:
            return read(entries), True
        except ValueError:
            # What can't be read is not taken over; the request itself is not refused for it.
            return read_stored(stored), False
    return read_stored(stored), False


def update(node: Node, live: Object | None, new: Object, managers: Managers, manager: Manager, time: str) -> Managers:
    """Who owns what after ``manager`` made ``new`` out of ``live`` (None: created it)."""
    after = tracked(new)
    before = _skeleton(node, after) if live is None else tracked(live)
    removed, modified, added = compare(node, before, after)
    touched = union(modified, added)
    if not touched and not removed:
        return managers
    lost = union(removed, touched)
    kept = {other: Owned(difference(owned.fields, lost), owned.time) for other, owned in managers.items() if other != manager}
    own = managers.get(manager)
    fields = touched if own is None else union(difference(own.fields, removed), touched)
    if own is not None and own.fields == fields:
        kept[manager] = own
    elif fields:
        kept[manager] = Owned(fields, time)
    return fold_oldest({other: owned for other, owned in kept.items() if owned.fields}, KEPT_UPDATE_MANAGERS)


def apply(node: Node, live: Object | None, config: Object, managers: Managers, manager: Manager, time: str, *, force: bool) -> Applied:
    """Bring ``config`` into ``live`` (None: it is created). Raises a 409 `StatusError` that names every conflict."""
    if live is None:
        fields = fields_of(node, tracked(config))
        return Applied(config, {manager: Owned(fields, time)} if fields else {})
    if not managers:
        earlier = Manager(BEFORE_FIRST_APPLY, UPDATE, live.get("apiVersion", ""))
        managers = {earlier: Owned(fields_of(node, tracked(live)), time)}
    managers = {other: Owned(reconcile(node, owned.fields), owned.time) for other, owned in managers.items()}
    wanted, before = tracked(config), tracked(live)
    fields = fields_of(node, wanted)
    others: FieldSet = fields
    for other, owned in managers.items():
        if other != manager:
            others = union(others, owned.fields)
    own = managers.get(manager)
    dropped = prunable(difference(own.fields, fields), others) if own is not None else {}
    after = remove(node, merge(node, before, wanted), dropped)
    removed, modified, added = compare(node, before, after)
    touched = union(modified, added)
    if touched and not force:
        _refuse_conflicts(managers, manager, touched)
    lost = union(removed, touched)
    kept = {other: Owned(difference(owned.fields, lost), owned.time) for other, owned in managers.items() if other != manager}
    if fields:
        unchanged = own is not None and own.fields == fields and not lost
        kept[manager] = own if unchanged and own is not None else Owned(fields, time)
    return Applied(_restored(live, after), {other: owned for other, owned in kept.items() if owned.fields})


def _refuse_conflicts(managers: Managers, manager: Manager, touched: FieldSet) -> None:
    conflicts = []
    for other, owned in managers.items():
        if other != manager:
            shared = intersection(owned.fields, touched)
            conflicts += [Conflict(told(other, owned), spell(path)) for path in paths(shared)]
    if conflicts:
        raise conflict_error(conflicts)


def _restored(live: Object, after: Object) -> Object:
    """``after`` with what isn't tracked as it was."""
    whole = {name: live[name] for name in _UNTRACKED if name in live}
    metadata = {name: value for name, value in live["metadata"].items() if name in _UNTRACKED_METADATA}
    whole["metadata"] = {**metadata, **after.get("metadata", {})}
    whole.update((name, value) for name, value in after.items() if name != "metadata")
    return whole


def prunable(gone: FieldSet, held: FieldSet) -> FieldSet:
    """Those of ``gone`` that can be taken away as a whole, because nothing at or below them is held."""
    out: FieldSet = {}
    for element, node in gone.items():
        if element == SELF:
            continue
        other = held.get(element)
        if other is None:
            out[element] = LEAF if is_member(node) else node
        else:
            below = prunable(node, other)
            if below:
                out[element] = below
    return out


def reconcile(node: Node, fields: FieldSet) -> FieldSet:
    """A set from before a type's topology changed: who owned part of what is atomic now owns all of it."""
    if not fields:
        return fields
    if isinstance(node, Atomic):
        return LEAF
    if all(below is LEAF or not below for below in fields.values()) and not isinstance(node, Fields):
        return fields
    changed = False
    out: FieldSet = {}
    for element, below in fields.items():
        fresh = reconcile(_below(node, element), below) if element != SELF else below
        changed = changed or fresh is not below
        out[element] = fresh
    return out if changed else fields


def _below(node: Node, element: str) -> Node:
    if isinstance(node, Items):
        return node.item
    if element.startswith("f:") and isinstance(node, Fields | Entries):
        return node.child(element[2:])
    return node


def _skeleton(node: Node, value: Json) -> Object:
    """The structs an object of its kind consists of, empty: nobody comes to own those by filling them."""
    if not isinstance(node, Fields) or not isinstance(value, dict):
        return {}
    return {
        name: _skeleton(node.child(name), part)
        for name, part in value.items()
        if isinstance(part, dict) and part and isinstance(node.child(name), Fields)
    }
