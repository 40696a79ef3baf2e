"""A write as one version of the API shows it, and what it changes there."""

from typing import NamedTuple

from svcsim.apply.conversion import Conversions, converted
from svcsim.apply.fieldset import LEAF, FieldSet, union
from svcsim.apply.managers import Managers
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import Fields, Mapping, Node
from svcsim.apply.typed import compare
from svcsim.meta.objects import CONTAINERS
from svcsim.meta.types import Json, Object

_UNTRACKED = ("apiVersion", "kind")
_UNTRACKED_METADATA = frozenset(
    ("name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion")
)
ALWAYS_HELD: FieldSet = {"f:metadata": {"f:name": LEAF}}
"""Every object has a name, so its metadata never goes as a whole."""


class TypedWrite(NamedTuple):
    """How objects of a version merge, the object before the write (None: there was none) and after it.

    For an apply, ``after`` is the configuration that is applied. ``written`` are the fields that the write may change; what it would change
    beside them is as it was, in ``after`` too.
    """

    node: Node
    before: Object | None
    after: Object
    written: FieldFilter = ALL_FIELDS


class Changes(NamedTuple):
    """What a write changes, as one version shows it."""

    removed: FieldSet
    written: FieldSet
    """What it modifies or adds."""
    lost: FieldSet
    """Both: fields that no other manager owns any longer."""


def tracked(obj: Object) -> Object:
    """The part of an object whose fields have owners."""
    part = {name: value for name, value in obj.items() if name not in _UNTRACKED}
    metadata = {name: value for name, value in obj.get("metadata", {}).items() if name not in _UNTRACKED_METADATA}
    if metadata:
        part["metadata"] = metadata
    else:
        part.pop("metadata", None)
    return part


def with_untracked(part: Object, obj: Object) -> Object:
    """The tracked part of an object, with what isn't tracked as it is in ``obj``."""
    whole = {name: obj[name] for name in _UNTRACKED if name in obj}
    metadata = {name: value for name, value in obj["metadata"].items() if name in _UNTRACKED_METADATA}
    whole["metadata"] = {**metadata, **part.get("metadata", {})}
    whole.update((name, value) for name, value in part.items() if name != "metadata")
    return whole


def changes_of(write: TypedWrite) -> Changes:
    """What a write changes of the fields it may change."""
    after = tracked(write.after)
    before = _first(write.node, after) if write.before is None else tracked(write.before)
    if "metadata" in before or "metadata" in after:  # there always is metadata, also where nothing in it is tracked
        before = {"metadata": {}, **before}
        after = {"metadata": {}, **after}
    removed, modified, added = compare(write.node, before, after)
    written = union(modified, added)
    if write.written is not ALL_FIELDS:
        removed, written = write.written.owned(removed), write.written.owned(written)
    return Changes(removed, written, union(removed, written))


def first_fields(write: TypedWrite) -> FieldSet:
    """The fields that the manager of a new object owns: those that `changes_of` such a write has as written, without comparing anything.

    Most objects are new once, and have nobody else's fields.
    """
    fields: FieldSet = {}
    node, new = write.node, write.after
    assert isinstance(node, Mapping), "an object merges name by name"
    metadata = {name: part for name, part in new.get("metadata", {}).items() if name not in _UNTRACKED_METADATA}
    for name in sorted(new):
        part = new[name]
        if name == "metadata":
            below = node.child(name)
            if isinstance(below, Mapping) and (inside := below.fields_inside(metadata)):
                fields["f:metadata"] = inside
        elif name in _UNTRACKED or (part == {} and _is_struct(node, name)):
            continue
        elif type(part) in CONTAINERS:
            node.add_first(name, part, fields)
        else:
            fields[f"f:{name}"] = LEAF
    return fields if write.written is ALL_FIELDS else write.written.owned(fields)


def changes_by_version(write: TypedWrite, changes: Changes, version: str, managers: Managers) -> Conversions[dict[str, Changes]]:
    """What a write in one version changes as each manager's version shows it."""
    by_version = {version: changes}
    for manager in managers:
        other = manager.api_version
        if other in by_version:
            continue
        objects = (write.after,) if write.before is None else (write.before, write.after)
        there = yield from converted(objects, version, other)
        before = None if write.before is None else there.objects[0]
        by_version[other] = changes_of(TypedWrite(there.node, before, there.objects[-1], there.written))
    return by_version


def _first(node: Node, after: Object) -> Object:
    """What a new object is compared with: one of its kind in which nothing is set. It has its parts (spec, status), be they empty."""
    return {**{name: {} for name, part in after.items() if part == {} and _is_struct(node, name)}, **_skeleton(node, after)}


def _is_struct(node: Node, name: str) -> bool:
    return isinstance(node, Fields) and isinstance(node.child(name), Fields)


def _skeleton(node: Node, value: Json) -> Object:
    """The structs an object of its kind consists of, empty."""
    if not isinstance(node, Fields) or not isinstance(value, dict):
        return {}
    return {name: _skeleton(node.child(name), value[name]) for name in node.consists_of if value.get(name)}
