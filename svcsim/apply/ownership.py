"""Server-side apply itself: what a write does to an object and to the ownership of its fields (spec document 1, sections 2.7 and 3.2).

Two operations. `update` records that somebody changed an object, by whatever means, and never fails. `apply` brings an applier's
configuration into the object: fields it no longer has go if nobody else owns them, and changing what others own is a conflict unless
forced. Both are pure.
"""

from collections.abc import Callable
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


class Sight(NamedTuple):
    """A write as one version of the API shows it: how its objects merge, the object before (None: there was none) and after."""

    node: Node
    before: Object | None
    after: Object


Elsewhere = Callable[[Sight, str], Sight | None]
"""The same write as another version shows it; None where that version isn't served any more."""


def update(sight: Sight, managers: Managers, manager: Manager, time: str, elsewhere: Elsewhere | None = None) -> Managers:
    """Who owns what after ``manager`` made ``sight.after`` out of ``sight.before``.

    Owners in other versions of the API lose what the write changed as their version shows it: ``elsewhere`` says how that looks.
    """
    removed, touched = _differences(sight)
    if not touched and not removed:
        return managers
    kept = _losing(managers, manager, _LossIn(sight, manager.api_version, union(removed, touched), elsewhere))
    own = managers.get(manager)
    fields = touched if own is None else union(difference(own.fields, removed), touched)
    if own is not None and own.fields == fields:
        kept[manager] = own
    elif fields:
        kept[manager] = Owned(fields, time)
    return fold_oldest({other: owned for other, owned in kept.items() if owned.fields}, KEPT_UPDATE_MANAGERS)


def _differences(sight: Sight) -> tuple[FieldSet, FieldSet]:
    """What went, and what changed or came."""
    after = tracked(sight.after)
    before = _skeleton(sight.node, after) if sight.before is None else tracked(sight.before)
    removed, modified, added = compare(sight.node, before, after)
    return removed, union(modified, added)


class _LossIn:
    """What a write takes from other owners, as each one's version of the API shows it."""

    def __init__(self, sight: Sight, version: str, lost: FieldSet, elsewhere: Elsewhere | None) -> None:
        self._sight = sight
        self._elsewhere = elsewhere
        self._own = lost
        self._known = {version: lost}

    def __call__(self, version: str) -> FieldSet:
        if version not in self._known:
            other = self._elsewhere(self._sight, version) if self._elsewhere is not None else None
            self._known[version] = self._own if other is None else union(*_differences(other))
        return self._known[version]


def _losing(managers: Managers, writer: Manager, loss: _LossIn) -> Managers:
    """All owners but the writer, without what they lost."""
    return {
        other: Owned(difference(owned.fields, loss(other.api_version)), owned.time) for other, owned in managers.items() if other != writer
    }


def apply(sight: Sight, managers: Managers, manager: Manager, time: str, *, force: bool, elsewhere: Elsewhere | None = None) -> Applied:
    """Bring the configuration ``sight.after`` into ``sight.before`` (None: it is created).

    Raises a 409 `StatusError` that names every conflict.
    """
    node, live, config = sight
    fields = fields_of(node, tracked(config))
    if live is None:
        return Applied(config, {manager: Owned(fields, time)} if fields else {})
    managers = _known_owners(sight, managers, manager, time)
    merged = merge(node, tracked(live), tracked(config))
    done = Sight(node, live, _restored(live, remove(node, merged, _dropped(managers, manager, fields))))
    if elsewhere is not None and _held_elsewhere(done, managers, manager, elsewhere):
        done = Sight(node, live, _restored(live, merged))
    removed, touched = _differences(done)
    if touched and not force:
        _refuse_conflicts(managers, manager, _LossIn(done, manager.api_version, touched, elsewhere))
    own = managers.get(manager)
    kept = _losing(managers, manager, _LossIn(done, manager.api_version, union(removed, touched), elsewhere))
    if fields:
        unchanged = own is not None and own.fields == fields and not removed and not touched
        kept[manager] = own if unchanged and own is not None else Owned(fields, time)
    return Applied(done.after, {other: owned for other, owned in kept.items() if owned.fields})


def _known_owners(sight: Sight, managers: Managers, manager: Manager, time: str) -> Managers:
    """The owners to reckon with: where none are recorded, somebody before; sets from before a change of the type's topology made to fit."""
    node, live, _ = sight
    if not managers and live is not None:
        earlier = Manager(BEFORE_FIRST_APPLY, UPDATE, live.get("apiVersion", ""))
        return {earlier: Owned(fields_of(node, tracked(live)), time)}
    return {
        other: Owned(reconcile(node, owned.fields), owned.time) if other.api_version == manager.api_version else owned
        for other, owned in managers.items()
    }


def _dropped(managers: Managers, manager: Manager, fields: FieldSet) -> FieldSet:
    """What the applier owned, applies no more, and nobody else in its version owns."""
    own = managers.get(manager)
    if own is None:
        return {}
    held = fields
    for other, owned in managers.items():
        if other != manager and other.api_version == manager.api_version:
            held = union(held, owned.fields)
    return prunable(difference(own.fields, fields), held)


def _held_elsewhere(done: Sight, managers: Managers, manager: Manager, elsewhere: Elsewhere) -> bool:
    """Whether an owner in another version would lose what the applier merely stops applying: then all of that stays."""
    for other, owned in managers.items():
        if other.api_version != manager.api_version:
            sight = elsewhere(done, other.api_version)
            if sight is not None and intersection(owned.fields, _differences(sight)[0]):
                return True
    return False


def _refuse_conflicts(managers: Managers, manager: Manager, touched: _LossIn) -> None:
    conflicts = []
    for other, owned in managers.items():
        if other != manager:
            shared = intersection(owned.fields, touched(other.api_version))
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
