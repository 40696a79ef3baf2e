"""Fields that a write may not change are given back to the object, and owned by nobody who sent them."""

import pytest

from svcsim.apply.conversion import ConversionRequest, Converted
from svcsim.apply.managers import APPLY, UPDATE, ManagedFields, Manager
from svcsim.apply.ownership import apply, update
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import topology
from svcsim.apply.typed_write import TypedWrite
from svcsim.meta.types import Object
from svcsim.schema.common import object_struct
from svcsim.schema.types import Field, Int, List, Map, Str, Struct
from tests.apply.state import run_steps

ITEM = Struct("Item", Field(1, "name", Str()), Field(2, "size", Int()))
THING = Struct(
    "Thing",
    Field(2, "spec", Struct("Spec", Field(1, "size", Int()), Field(2, "items", List(ITEM, list_type="map", keys=("name",))))),
    Field(3, "status", Struct("Status", Field(1, "size", Int()))),
    Field(4, "data", Map(Str())),
)
NODE = topology(object_struct(THING))
ONE, TWO = Manager("one", APPLY, "v1"), Manager("two", APPLY, "v1")


def no_other_versions(wanted: ConversionRequest) -> None:
    raise AssertionError(wanted)


def thing(**fields: object) -> Object:
    metadata = {"name": "t", "resourceVersion": "1", **fields.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Thing", "metadata": metadata, **fields}


@pytest.mark.parametrize(
    ("filtered", "after"),
    [
        (ALL_FIELDS, thing(metadata={"labels": {"new": ""}}, spec={"size": 2}, status={"size": 2})),
        (FieldFilter.of(resets=("status",)), thing(metadata={"labels": {"new": ""}}, spec={"size": 2}, status={"size": 1})),
        (FieldFilter.of(resets=("spec",)), thing(metadata={"labels": {"new": ""}}, spec={"size": 1}, status={"size": 2})),
        (FieldFilter.of(resets=("spec", "metadata.labels")), thing(spec={"size": 1}, status={"size": 2})),
        (FieldFilter.of(writes=("status",)), thing(spec={"size": 1}, status={"size": 2})),
        (FieldFilter.of(writes=("metadata.labels",)), thing(metadata={"labels": {"new": ""}}, spec={"size": 1}, status={"size": 1})),
    ],
)
def test_what_is_not_written_is_as_it_was(filtered: FieldFilter, after: Object):
    old = thing(spec={"size": 1}, status={"size": 1})
    new = thing(metadata={"labels": {"new": ""}}, spec={"size": 2}, status={"size": 2})
    assert filtered.restored(new, old) == after
    assert (old["spec"], new["spec"]) == ({"size": 1}, {"size": 2}), "neither is changed"


def test_what_comes_and_goes_without_being_written_does_neither():
    spec_kept = FieldFilter.of(resets=("spec",))
    assert spec_kept.restored(thing(status={}), thing(spec={"size": 1})) == thing(spec={"size": 1}, status={})
    assert list(spec_kept.restored(thing(status={}), thing(spec={}, status={"size": 1}))) == list(thing(spec={}, status={}))
    assert spec_kept.restored(thing(spec={"size": 1}), thing()) == thing()
    assert FieldFilter.of(writes=("status",)).restored(thing(), thing(status={"size": 1})) == thing()
    deep = FieldFilter.of(resets=("metadata.labels",))
    assert deep.restored(thing(metadata={"labels": {"a": ""}}), thing()) == thing()
    assert deep.restored({"metadata": {}}, {"metadata": {"labels": {"a": ""}}}) == {"metadata": {"labels": {"a": ""}}}


def test_what_the_server_has_written_stays_whatever_may_be_written():
    old, new = thing(metadata={"managedFields": []}), thing(metadata={"managedFields": ["fresh"], "labels": {"a": ""}})
    assert FieldFilter.of(writes=("status",)).restored(new, old)["metadata"] == {
        "name": "t",
        "resourceVersion": "1",
        "managedFields": ["fresh"],
    }


FIELDS = {
    "f:metadata": {"f:annotations": {"f:a": {}}, "f:labels": {".": {}, "f:l": {}}},
    "f:spec": {"f:items": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:size": {}}}, "f:size": {}},
    "f:status": {"f:size": {}},
}


@pytest.mark.parametrize(
    ("filtered", "owned"),
    [
        (ALL_FIELDS, FIELDS),
        (FieldFilter.of(resets=("status",)), {"f:metadata": FIELDS["f:metadata"], "f:spec": FIELDS["f:spec"]}),
        (
            FieldFilter.of(resets=("spec", "metadata.labels")),
            {"f:metadata": {"f:annotations": {"f:a": {}}}, "f:status": {"f:size": {}}},
        ),
        (FieldFilter.of(writes=("status",)), {"f:status": {"f:size": {}}}),
        (FieldFilter.of(writes=("spec.items[*].size",)), {"f:spec": {"f:items": {'k:{"name":"a"}': {"f:size": {}}}}}),
        (FieldFilter.of(writes=("data",)), {}),
    ],
)
def test_a_set_keeps_what_is_written(filtered: FieldFilter, owned: Object):
    assert filtered.owned(FIELDS) == owned
    assert filtered.owned(filtered.owned(FIELDS)) == owned


def test_a_parent_that_is_owned_itself_stays_so_when_all_below_it_is_reset():
    labels = {"f:metadata": {"f:labels": {".": {}, "f:l": {}}}}
    assert FieldFilter.of(resets=("metadata.labels.l",)).owned(labels) == {"f:metadata": {"f:labels": {}}}


def test_an_applier_owns_nothing_that_is_reset_and_conflicts_over_nothing_of_it():
    status = FieldFilter.of(resets=("spec",))
    live = thing(spec={"size": 1}, status={"size": 1})
    owners = {ONE: ManagedFields({"f:spec": {"f:size": {}}})}
    config = thing(spec={"size": 9}, status={"size": 2})
    write = TypedWrite(NODE, live, config, status)
    done = run_steps(apply(write, owners, TWO, "now", force=False), no_other_versions, write)
    assert done.managers[ONE].fields == {"f:spec": {"f:size": {}}}
    assert done.managers[TWO].fields == {"f:status": {"f:size": {}}}


def test_an_applier_that_creates_owns_nothing_that_is_reset():
    write = TypedWrite(NODE, None, thing(spec={"size": 1}, status={"size": 1}), FieldFilter.of(resets=("status",)))
    done = run_steps(apply(write, {}, ONE, "", force=False), no_other_versions)
    assert done.managers[ONE].fields == {"f:spec": {"f:size": {}}}


def test_an_update_takes_nothing_that_is_reset():
    owners = {ONE: ManagedFields({"f:spec": {"f:size": {}}, "f:status": {"f:size": {}}})}
    before, after = thing(spec={"size": 1}, status={"size": 1}), thing(spec={"size": 2}, status={"size": 2})
    writer = Manager("writer", UPDATE, "v1")
    write = TypedWrite(NODE, before, after, FieldFilter.of(resets=("status",)))
    managers = run_steps(update(write, owners, writer, "now"), no_other_versions)
    assert managers[ONE].fields == {"f:status": {"f:size": {}}}
    assert managers[writer].fields == {"f:spec": {"f:size": {}}}


def test_owners_in_another_version_lose_nothing_that_is_reset_there():
    def convert(wanted: ConversionRequest) -> Converted:
        objects = tuple({**obj, "data": obj.get("spec", {})} for obj in wanted.objects)
        return Converted(objects, NODE, FieldFilter.of(resets=("data",)))

    other = Manager("other", APPLY, "v2")
    owners = {other: ManagedFields({"f:data": {"f:size": {}}, "f:spec": {"f:size": {}}})}
    before, after = thing(spec={"size": 1}), thing(spec={"size": 2})
    managers = run_steps(update(TypedWrite(NODE, before, after), owners, Manager("writer", UPDATE, "v1"), "now"), convert)
    assert managers[other].fields == {"f:data": {"f:size": {}}}
