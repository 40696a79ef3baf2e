"""Server-side apply itself: what a write does to an object and to the ownership of its fields.

Three functions. `starting_managers` says who owns what when a write begins. `update` is called with the final object of a create, update
or patch: it records who changed what, and never fails. `apply` is called with the configuration that somebody applies: it brings that
into the object; fields it no longer has go if nobody else owns them, and changing what others own is a conflict unless forced.

`update` and `apply` are pure. Where managers wrote in other versions of the API they ask for conversions: see `conversion`.
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.apply.conversion import Conversions
from svcsim.apply.fieldset import LEAF, SELF, FieldSet, difference, intersection, paths, recursive_difference, spell, union
from svcsim.apply.managers import (
    BEFORE_FIRST_APPLY,
    UPDATE,
    Conflict,
    ManagedFields,
    Manager,
    Managers,
    conflict_error,
    fold_oldest,
    name_in_conflicts,
    read,
    read_stored,
)
from svcsim.apply.pruning import pruned
from svcsim.apply.reset_fields import ALL_FIELDS
from svcsim.apply.topology import ATOMIC, Fields, Node
from svcsim.apply.typed import RepeatedError, fields_of, merge
from svcsim.apply.typed_write import Changes, TypedWrite, changes_by_version, changes_of, tracked, with_untracked
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Object


class Applied(NamedTuple):
    """The object after an apply, and its managers."""

    obj: Object
    managers: Managers


def starting_managers(sent: Object, live: Object | None) -> tuple[Managers, bool]:
    """The managers a write starts from, and whether they are other than the stored ones.

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


def update(write: TypedWrite, managers: Managers, manager: Manager, time: str) -> Conversions[Managers]:
    """The managers after ``manager`` wrote. To be called once the object is final, for every write that isn't an apply.

    Managers in other versions of the API lose what the write changed as their version shows it; those in versions that are there no more
    lose everything.
    """
    changes = changes_of(write)
    if not changes.lost:
        return managers
    others = {other: owned for other, owned in managers.items() if other != manager}
    by_version = yield from changes_by_version(write, changes, manager.api_version, others)
    kept = _without_lost_fields(others, by_version)
    own = managers.get(manager)
    fields = changes.written if own is None else write.written.owned(union(difference(own.fields, changes.removed), changes.written))
    if own is not None and own.fields == fields:
        kept[manager] = own
    elif fields:
        kept[manager] = ManagedFields(fields, time)
    return fold_oldest(kept, limits.UPDATE_MANAGERS_KEPT)


def apply(write: TypedWrite, managers: Managers, manager: Manager, time: str, *, force: bool) -> Conversions[Applied]:
    """Bring the configuration ``write.after`` into the object ``write.before``. To be called before anything else changes that.

    An applier is the same in whichever version of the API it applies. Raises a 409 `StatusError` that names every conflict, and a 400 for
    a list that names an item twice: nobody could tell whose is which.
    """
    node, live, config, written = write
    try:
        fields = fields_of(node, tracked(config), strict=True)
    except RepeatedError as error:
        raise _ambiguous(config, error) from None
    if written is not ALL_FIELDS:
        fields = written.owned(fields)
    if live is None:
        return Applied(config, {manager: ManagedFields(fields, time)} if fields else {})
    managers = _known_managers(write, managers, manager, time)
    earlier = next((known for known in managers if known._replace(api_version=manager.api_version) == manager), manager)
    own = managers.get(earlier)
    others = {other: owned for other, owned in managers.items() if other != earlier}
    merged = with_untracked(merge(node, tracked(live), tracked(config)), live)
    if own is not None:
        after = {**others, manager: ManagedFields(fields)}
        merged = yield from pruned(node, merged, manager.api_version, own.fields, earlier.api_version, after)
    done = write._replace(after=merged)
    changes = changes_of(done)
    kept = others
    if changes.lost:
        by_version = yield from changes_by_version(done, changes, manager.api_version, others)
        if changes.written and not force:
            _refuse_conflicts(others, by_version, manager.api_version)
        kept = _without_lost_fields(others, by_version)
    if fields:
        unchanged = own is not None and earlier == manager and own.fields == fields and not changes.lost
        kept[manager] = own if unchanged and own is not None else ManagedFields(fields, time)
    return Applied(done.after, kept)


def _known_managers(write: TypedWrite, managers: Managers, manager: Manager, time: str) -> Managers:
    """The managers to reckon with: where none are recorded, somebody before; sets from before a change of the schema made to fit."""
    node, live = write.node, write.before
    if not managers and live is not None:
        earlier = Manager(BEFORE_FIRST_APPLY, UPDATE, live.get("apiVersion", ""))
        return {earlier: ManagedFields(fields_of(node, tracked(live)), time)}
    return {
        other: ManagedFields(reconcile(node, owned.fields), owned.time) if other.api_version == manager.api_version else owned
        for other, owned in managers.items()
    }


def _without_lost_fields(managers: Managers, by_version: dict[str, Changes | None]) -> Managers:
    """Managers without what a write took from them; who has nothing left is no manager any more."""
    kept: Managers = {}
    for manager, owned in managers.items():
        changes = by_version[manager.api_version]
        if changes is None:
            continue
        fields = recursive_difference(owned.fields, changes.lost)
        if fields:
            kept[manager] = ManagedFields(fields, owned.time)
    return kept


def _refuse_conflicts(managers: Managers, by_version: dict[str, Changes | None], version: str) -> None:
    """Raise for what others own and the write changes. What it makes disappear from another version is a change, too."""
    conflicts = []
    for manager, owned in managers.items():
        changes = by_version[manager.api_version]
        if changes is not None:
            shared = intersection(owned.fields, changes.written if manager.api_version == version else changes.lost)
            conflicts += [Conflict(name_in_conflicts(manager, owned), spell(path)) for path in paths(shared)]
    if conflicts:
        raise conflict_error(conflicts)


def _ambiguous(config: Object, error: RepeatedError) -> StatusError:
    metadata = config.get("metadata") or {}
    what = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {config.get('apiVersion')}, Kind={config.get('kind')}"
    where, key = spell(tuple(reversed(error.within))), spell((error.element,))
    return bad_request(f"failed to create typed patch object ({what}): {where}: duplicate entries for key {key}")


def reconcile(node: Node, fields: FieldSet) -> FieldSet:
    """A set from before a change of the schema: who owned part of what is atomic now owns all of it.

    The other way round nothing can be done: a set doesn't say whether what it has as a leaf was empty or atomic.
    """
    if not fields:
        return fields
    if node is ATOMIC:
        return LEAF
    if all(below is LEAF or not below for below in fields.values()) and not isinstance(node, Fields):
        return fields
    changed = False
    out: FieldSet = {}
    for element, below in fields.items():
        fresh = reconcile(node.below(element), below) if element != SELF else below
        changed = changed or fresh is not below
        out[element] = fresh
    return out if changed else fields
