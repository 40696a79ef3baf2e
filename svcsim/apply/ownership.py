"""Server-side apply itself: what a write does to an object and to the ownership of its fields.

Two operations. `update` records that somebody changed an object, by whatever means, and never fails. `apply` brings an applier's
configuration into the object: fields it no longer has go if nobody else owns them, and changing what others own is a conflict unless
forced. Both are pure.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim import limits
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
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import ATOMIC, Fields, Mapping, Node
from svcsim.apply.typed import RepeatedError, compare, fields_of, merge, remove
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Json, Object

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
    """A write as one version of the API shows it: how its objects merge, the object before (None: there was none) and after.

    ``written`` are the fields that the write may change there; what it changes beside them is reset before it is stored.
    """

    node: Node
    before: Object | None
    after: Object
    written: FieldFilter = ALL_FIELDS


class Elsewhere(NamedTuple):
    """Another version of the API: how its objects merge, and how objects, or parts of them, come there and back.

    ``written`` are the fields that the write in question may change as that version shows them.
    """

    node: Node
    there: Callable[[Object], Object]
    back: Callable[[Object], Object]
    written: FieldFilter = ALL_FIELDS

    def sight(self, sight: Sight) -> Sight:
        """The same write as that version shows it."""
        return Sight(self.node, None if sight.before is None else self.there(sight.before), self.there(sight.after), self.written)


Versions = Callable[[str], Elsewhere | None]
"""Other versions by name; None for one there isn't."""


def _no_others(version: str) -> Elsewhere | None:  # noqa: ARG001 - what is asked of versions
    return None


def update(sight: Sight, managers: Managers, manager: Manager, time: str, versions: Versions = _no_others) -> Managers:
    """Who owns what after ``manager`` made ``sight.after`` out of ``sight.before``.

    Owners in other versions of the API lose what the write changed as their version shows it.
    """
    removed, touched = _differences(sight)
    if not touched and not removed:
        return managers
    kept = _losing(managers, manager, _LossIn(sight, manager.api_version, union(removed, touched), versions))
    own = managers.get(manager)
    fields = touched if own is None else sight.written.owned(union(difference(own.fields, removed), touched))
    if own is not None and own.fields == fields:
        kept[manager] = own
    elif fields:
        kept[manager] = Owned(fields, time)
    return fold_oldest({other: owned for other, owned in kept.items() if owned.fields}, limits.UPDATE_MANAGERS_KEPT)


def _differences(sight: Sight) -> tuple[FieldSet, FieldSet]:
    """What went, and what changed or came, of the fields that are written."""
    after = tracked(sight.after)
    before = _skeleton(sight.node, after) if sight.before is None else tracked(sight.before)
    if "metadata" in before or "metadata" in after:  # there always is metadata, also where nothing in it is tracked
        before = {"metadata": {}, **before}
        after = {"metadata": {}, **after}
    removed, modified, added = compare(sight.node, before, after)
    touched = union(modified, added)
    if sight.written is ALL_FIELDS:
        return removed, touched
    return sight.written.owned(removed) if removed else removed, sight.written.owned(touched)


class _LossIn:
    """What a write takes from other owners, as each one's version of the API shows it."""

    def __init__(self, sight: Sight, version: str, lost: FieldSet, versions: Versions) -> None:
        self._sight = sight
        self._versions = versions
        self._own = lost
        self._known = {version: lost}

    def __call__(self, version: str) -> FieldSet:
        if version not in self._known:
            other = self._versions(version)
            self._known[version] = self._own if other is None else union(*_differences(other.sight(self._sight)))
        return self._known[version]


def _losing(managers: Managers, writer: Manager, loss: _LossIn) -> Managers:
    """All owners but the writer, without what they lost."""
    return {
        other: Owned(difference(owned.fields, loss(other.api_version)), owned.time) for other, owned in managers.items() if other != writer
    }


def apply(sight: Sight, managers: Managers, manager: Manager, time: str, *, force: bool, versions: Versions = _no_others) -> Applied:
    """Bring the configuration ``sight.after`` into ``sight.before`` (None: it is created).

    An applier is the same in whichever version of the API it applies. Raises a 409 `StatusError` that names every conflict, and a 400 for
    a list that names an item twice: nobody could tell whose is which.
    """
    node, live, config, written = sight
    try:
        fields = fields_of(node, tracked(config), strict=True)
    except RepeatedError as error:
        raise _ambiguous(config, error) from None
    if written is not ALL_FIELDS:
        fields = written.owned(fields)
    if live is None:
        return Applied(config, {manager: Owned(fields, time)} if fields else {})
    managers = _known_owners(sight, managers, manager, time)
    earlier = next((known for known in managers if known._replace(api_version=manager.api_version) == manager), manager)
    own = managers.get(earlier)
    others = {other: owned for other, owned in managers.items() if other != earlier}
    merged = merge(node, tracked(live), tracked(config))
    if own is not None:
        merged = _pruned(
            sight._replace(after=merged), {**others, manager: Owned(fields)}, own.fields, earlier.api_version, manager, versions
        )
    done = sight._replace(after=_restored(live, merged))
    removed, touched = _differences(done)
    if touched and not force:
        _refuse_conflicts(others, _LossIn(done, manager.api_version, touched, versions))
    kept = _losing(others, manager, _LossIn(done, manager.api_version, union(removed, touched), versions))
    if fields:
        unchanged = own is not None and earlier == manager and own.fields == fields and not removed and not touched
        kept[manager] = own if unchanged and own is not None else Owned(fields, time)
    return Applied(done.after, {other: owned for other, owned in kept.items() if owned.fields})


def _ambiguous(config: Object, error: RepeatedError) -> StatusError:
    metadata = config.get("metadata") or {}
    what = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {config.get('apiVersion')}, Kind={config.get('kind')}"
    where, key = spell(tuple(reversed(error.within))), spell((error.element,))
    return bad_request(f"failed to create typed patch object ({what}): {where}: duplicate entries for key {key}")


def _known_owners(sight: Sight, managers: Managers, manager: Manager, time: str) -> Managers:
    """The owners to reckon with: where none are recorded, somebody before; sets from before a change of the type's topology made to fit."""
    node, live = sight.node, sight.before
    if not managers and live is not None:
        earlier = Manager(BEFORE_FIRST_APPLY, UPDATE, live.get("apiVersion", ""))
        return {earlier: Owned(fields_of(node, tracked(live)), time)}
    return {
        other: Owned(reconcile(node, owned.fields), owned.time) if other.api_version == manager.api_version else owned
        for other, owned in managers.items()
    }


def _pruned(sight: Sight, managers: Managers, gone: FieldSet, version: str, applier: Manager, versions: Versions) -> Object:
    """What was merged, without those fields in ``gone``, of that version, that nobody owns now.

    What they were is judged in the version they were applied in; owners in other versions keep what they own as those show it.
    """
    held: dict[str, FieldSet] = {version: {}}
    for manager, owned in managers.items():
        held[manager.api_version] = union(held.get(manager.api_version, {}), owned.fields)
    here = Elsewhere(sight.node, _as_it_is, _as_it_is)
    pruned: Object | None = None
    for name, fields in held.items():
        place = here if name == applier.api_version else versions(name)
        if place is None:
            continue
        merged = tracked(place.there(sight.after))
        if name == version:
            left = remove(place.node, merged, prunable(difference(gone, fields), fields))
        elif pruned is not None:
            left = _kept_by(place.node, merged, tracked(place.there(pruned)), fields)
        else:
            break  # the version they were applied in is there no more: nobody knows what they were
        pruned = place.back(left)
    return sight.after if pruned is None else pruned


def _as_it_is(obj: Object) -> Object:
    return obj


def _kept_by(node: Node, before: Object, after: Object, held: FieldSet) -> Object:
    """``after``, with what it lacks of ``before`` and somebody holds."""
    removed, modified, _ = compare(node, before, after)
    kept: Object = remove(node, before, prunable(removed, held))
    if intersection(modified, held):
        return kept
    whole: Object = merge(node, kept, after)
    return whole


def _refuse_conflicts(others: Managers, touched: _LossIn) -> None:
    conflicts = []
    for other, owned in others.items():
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
    if node is ATOMIC:
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
    return node.child(element[2:]) if isinstance(node, Mapping) else node.inner


def _skeleton(node: Node, value: Json) -> Object:
    """The structs an object of its kind consists of, empty: nobody comes to own those by filling them."""
    if not isinstance(node, Fields) or not isinstance(value, dict):
        return {}
    return {
        name: _skeleton(node.child(name), part)
        for name, part in value.items()
        if isinstance(part, dict) and part and isinstance(node.child(name), Fields)
    }
