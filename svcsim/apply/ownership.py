"""Server-side apply itself: what a write does to an object and to the ownership of its fields.

`starting_managers` returns the owners at the beginning of a write. `update` is called with the final object of a create, update or patch:
it records who changed which fields, and never fails; `entries_after` gives what is to be stored of that, and for most new objects
`first_managers` gives the same result at less cost. `apply` is called with the applied configuration, and merges it into the object; fields
that the configuration no longer has are removed if no other manager owns them, and changing fields of other managers is a conflict unless
forced.

`update` and `apply` are pure. Where managers wrote in other versions of the API they ask for conversions: see `conversion`.
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.apply.conversion import ConversionRequest, Conversions, kept
from svcsim.apply.fieldset import LEAF, FieldSet, difference, intersection, paths, recursive_difference, spell, union
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
from svcsim.apply.managers import write as managed_fields
from svcsim.apply.pruning import pruned
from svcsim.apply.reset_fields import ALL_FIELDS
from svcsim.apply.topology import ATOMIC, Node
from svcsim.apply.typed import RepeatedError, fields_of, merge, spelled_out
from svcsim.apply.typed_write import Changes, TypedWrite, changes_by_version, changes_of, first_fields, tracked, with_untracked
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Object


class Applied(NamedTuple):
    """The object after an apply, and its managers."""

    obj: Object
    managers: Managers
    changed: bool = True
    """Whether anything of the object changes that the apply may change."""


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


def first_managers(write: TypedWrite, manager: Manager, time: str) -> Managers:
    """The managers of a new object, where nobody but ``manager`` has written to it: as `update` tells, which then needs no conversion."""
    fields = first_fields(write)
    return {manager: ManagedFields(fields, time)} if fields else {}


def entries_after(write: TypedWrite, sent: Object, manager: Manager, time: str) -> Conversions[list[Object] | None]:
    """``managedFields`` after ``manager`` wrote to what was there, as `update` tells; None where they stay as they are stored."""
    started, changed = starting_managers(sent, write.before)
    owners = yield from update(write, started, manager, time)
    return managed_fields(owners) if changed or owners is not started else None


def update(write: TypedWrite, managers: Managers, manager: Manager, time: str) -> Conversions[Managers]:
    """The managers after ``manager`` wrote. To be called once the object is final, for every write that isn't an apply.

    Managers in other versions of the API lose what the write changed as their version shows it; those in versions that no longer exist
    lose everything.
    """
    nodes = yield from _nodes_by_version(write.node, manager.api_version, managers)
    known = {other: owned for other, owned in managers.items() if other.api_version in nodes}
    changes = changes_of(write)
    if not changes.lost:
        return managers if len(known) == len(managers) else known
    own = known.pop(manager, None)
    by_version = yield from changes_by_version(write, changes, manager.api_version, known)
    left = _without_lost_fields(known, by_version)
    fields = changes.written
    if own is not None:
        before = difference(reconcile(write.node, own.fields), changes.removed)
        fields = write.written.owned(union(before, changes.written))
    if fields:
        left[manager] = ManagedFields(fields, time if own is None or changes.written else own.time)
    return fold_oldest(left, limits.UPDATE_MANAGERS_KEPT)


def apply(
    write: TypedWrite,
    managers: Managers,
    manager: Manager,
    time: str,
    *,
    stored: Object | None = None,
    waived: FieldSet = LEAF,
    force: bool,
) -> Conversions[Applied]:
    """Bring the configuration ``write.after`` into the object ``write.before``. To be called before anything else changes that.

    An applier is the same in whichever version of the API it applies. ``stored`` is what would be stored of the configuration, where that
    is less than it says: nulls and zeros are applied, owned and conflict like any value, though no conversion keeps them. Conflicts over
    fields that are ``waived`` are none. Raises a 409 `StatusError` that names every conflict, and a 400 for a list that names an item
    twice: nobody could tell whose is which.
    """
    node, live, config, written = write
    try:
        fields = fields_of(node, tracked(config), strict=True)
    except RepeatedError as error:
        raise unfit_configuration(config, [error.told]) from None
    if written is not ALL_FIELDS:
        fields = written.owned(fields)
    if live is None:
        return Applied(config, {manager: ManagedFields(fields, time)} if fields else {})
    managers = yield from _known_managers(write, managers, manager, time)
    if stored is not None:
        live = with_untracked(spelled_out(node, tracked(live), tracked(config), tracked(stored)), live)
    earlier = next((known for known in managers if known._replace(api_version=manager.api_version) == manager), manager)
    own = managers.get(earlier)
    others = {other: owned for other, owned in managers.items() if other != earlier}
    merged = with_untracked(merge(node, tracked(live), tracked(config)), live)
    if own is not None:
        after = {**others, manager: ManagedFields(fields)}
        merged = yield from pruned(node, merged, manager.api_version, own.fields, earlier.api_version, after)
        if stored is not None:
            merged = with_untracked(spelled_out(node, tracked(merged), tracked(config), tracked(stored)), merged)
    stays = yield from kept(merged)
    done = TypedWrite(node, live, stays.objects[0], stays.written)
    if stays.written is not written:
        fields = stays.written.owned(fields)
    changes = changes_of(done)
    left = others
    if changes.lost:
        by_version = yield from changes_by_version(done, changes, manager.api_version, others)
        if not force:
            _refuse_conflicts(others, by_version, waived)
        left = _without_lost_fields(others, by_version)
    if fields:
        unchanged = own is not None and earlier == manager and own.fields == fields and not changes.lost
        left[manager] = own if unchanged and own is not None else ManagedFields(fields, time)
    return Applied(merged, left, changed=bool(changes.lost))


def _nodes_by_version(node: Node, version: str, managers: Managers) -> Conversions[dict[str, Node]]:
    """How objects merge in each manager's version, as far as that is there still."""
    nodes = {version: node}
    gone: dict[str, None] = {}
    for manager in managers:
        other = manager.api_version
        if other not in nodes and other not in gone:
            there = yield ConversionRequest((), version, other)
            if there is None:
                gone[other] = None
            else:
                nodes[other] = there.node
    return nodes


def _known_managers(write: TypedWrite, managers: Managers, manager: Manager, time: str) -> Conversions[Managers]:
    """The managers of the object before the write; if none are recorded, an unknown earlier one.

    Managers in versions that no longer exist are dropped. Sets from before a change of their version's schema are made to fit.
    """
    node, live = write.node, write.before
    if not managers and live is not None:
        earlier = Manager(BEFORE_FIRST_APPLY, UPDATE, live.get("apiVersion", ""))
        return {earlier: ManagedFields(fields_of(node, tracked(live)), time)}
    nodes = yield from _nodes_by_version(node, manager.api_version, managers)
    return {
        other: ManagedFields(reconcile(nodes[other.api_version], owned.fields), owned.time)
        for other, owned in managers.items()
        if other.api_version in nodes
    }


def _without_lost_fields(managers: Managers, by_version: dict[str, Changes]) -> Managers:
    """The managers without the fields that a write took from them; those without any fields left are dropped."""
    left: Managers = {}
    for manager, owned in managers.items():
        fields = recursive_difference(owned.fields, by_version[manager.api_version].lost)
        if fields:
            left[manager] = ManagedFields(fields, owned.time)
    return left


def _refuse_conflicts(managers: Managers, by_version: dict[str, Changes], waived: FieldSet) -> None:
    """Raise for what others own and the write changes or adds, as their version shows it. What goes just goes: nobody is overruled."""
    conflicts = []
    for manager, owned in managers.items():
        shared = difference(intersection(owned.fields, by_version[manager.api_version].written), waived)
        conflicts += [Conflict(name_in_conflicts(manager, owned), spell(path)) for path in paths(shared)]
    if conflicts:
        raise conflict_error(conflicts)


def unfit_configuration(config: Object, findings: list[str]) -> StatusError:
    """400 for a configuration that can't be applied, whatever there is to apply it to."""
    metadata = config.get("metadata") or {}
    api_version = config.get("apiVersion") or ""
    version = api_version if "/" in api_version else f"/{api_version}"
    what = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {version}, Kind={config.get('kind')}"
    listed = findings[0] if len(findings) == 1 else "\n  ".join(("errors:", *findings))
    return bad_request(f"failed to create typed patch object ({what}): {listed}")


def reconcile(node: Node, fields: FieldSet) -> FieldSet:
    """A set from before a change of the schema: who owned part of what is atomic now owns all of it.

    The other way round nothing can be done: a set doesn't say whether what it has as a leaf was empty or atomic.
    """
    if not fields:
        return fields
    if node is ATOMIC:
        return LEAF
    changed: FieldSet = {}
    for element, below in fields.items():
        if below:
            fresh = reconcile(node.below(element), below)
            if fresh is not below:
                changed[element] = fresh
    return {**fields, **changed} if changed else fields
