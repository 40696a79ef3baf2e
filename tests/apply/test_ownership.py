"""Server-side apply as scripts: who writes what, and who owns what afterwards."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.apply import managers as managed
from svcsim.apply.fieldset import paths, spell
from svcsim.apply.managers import APPLY, UPDATE, Manager, Managers
from svcsim.apply.ownership import Sight, apply, owners, reconcile, update
from svcsim.apply.topology import ATOMIC, Entries, Fields, topology
from svcsim.limits import UPDATE_MANAGERS_KEPT
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.schema.common import object_struct
from svcsim.schema.types import Field, Int, List, Map, Raw, Str, Struct

PORT = Struct("Port", Field(1, "port", Int()), Field(2, "protocol", Str(), default="TCP"), Field(3, "name", Str()))
ITEM = Struct("Item", Field(1, "name", Str()), Field(2, "value", Str()))
SPEC = Struct(
    "Spec",
    Field(1, "replicas", Int()),
    Field(2, "items", List(item=ITEM, kind="map", keys=("name",))),
    Field(3, "ports", List(item=PORT, kind="map", keys=("port", "protocol"))),
    Field(4, "tags", List(item=Str(), kind="set")),
    Field(5, "args", List(item=Str(), kind="atomic")),
    Field(6, "selector", Map(value=Str(), atomic=True)),
    Field(7, "data", Map(value=Str())),
    Field(8, "free", Raw(granular=True)),
)
NODE = topology(object_struct(Struct("Thing", Field(2, "spec", SPEC))))


class World:
    """One object, the writes to it, and its owners."""

    def __init__(self) -> None:
        self.obj: Object | None = None
        self.managers: Managers = {}
        self.ticks = 0

    def tick(self) -> str:
        self.ticks += 1
        return f"2026-01-01T00:00:{self.ticks:02d}Z"

    def apply(self, who: str, spec: Object, *, force: bool = False) -> None:
        config = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}, **({"spec": spec} if spec else {})}
        done = apply(Sight(NODE, self.obj, config), self.managers, Manager(who, APPLY, "v1"), self.tick(), force=force)
        self.obj, self.managers = done.obj, done.managers

    def update(self, who: str, spec: Object) -> None:
        new = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}
        self.managers = update(Sight(NODE, self.obj, new), self.managers, Manager(who, UPDATE, "v1"), self.tick())
        self.obj = new

    @property
    def spec(self) -> Object:
        assert self.obj is not None
        return self.obj.get("spec", {})

    def owned(self, who: str) -> list[str]:
        return sorted(spell(path) for manager, owned in self.managers.items() if manager.name == who for path in paths(owned.fields))

    def who(self) -> list[str]:
        return [manager.name for manager in self.managers]


@pytest.fixture
def world() -> Iterator[World]:
    return World()


def test_an_applier_owns_what_it_applies(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    assert world.owned("bob") == [".spec.data.a", ".spec.replicas"]


def test_changing_what_another_applied_is_a_conflict_that_names_field_and_owner(world: World) -> None:
    world.apply("bob", {"replicas": 1})
    with pytest.raises(StatusError) as refused:
        world.apply("alice", {"replicas": 2})
    error = refused.value
    assert error.code == 409
    assert error.message == 'Apply failed with 1 conflict: conflict with "bob": .spec.replicas'
    assert error.details == {"causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "bob"', "field": ".spec.replicas"}]}
    assert world.spec == {"replicas": 1}


def test_several_conflicts_are_listed_by_owner(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.update("kubectl", {"replicas": 1, "data": {"a": "1", "b": "2"}})
    with pytest.raises(StatusError) as refused:
        world.apply("alice", {"replicas": 2, "data": {"a": "x", "b": "x"}})
    assert refused.value.message == (
        'Apply failed with 3 conflicts: conflicts with "bob":\n- .spec.data.a\n- .spec.replicas\n'
        'conflicts with "kubectl" using v1 at 2026-01-01T00:00:02Z:\n- .spec.data.b'
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"tags": ["a", "b", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        ({"items": [{"name": "a"}, {"name": "a", "value": "x"}]}, '.spec.items: duplicate entries for key [name="a"]'),
        ({"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}, '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]'),
    ],
)
def test_what_is_applied_names_no_item_twice(world: World, spec: Object, told: str) -> None:
    with pytest.raises(StatusError) as refused:
        world.apply("me", spec)
    assert refused.value.code == 400
    assert str(refused.value).endswith(told)
    world.update("you", spec)
    assert world.spec == spec


def test_force_takes_the_field_from_all_others(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.apply("alice", {"replicas": 2}, force=True)
    assert world.spec["replicas"] == 2
    assert world.owned("alice") == [".spec.replicas"]
    assert world.owned("bob") == [".spec.data.a"]


def test_the_same_value_is_owned_together_and_then_neither_may_change_it(world: World) -> None:
    world.apply("bob", {"replicas": 1})
    world.apply("alice", {"replicas": 1})
    assert world.owned("bob") == world.owned("alice") == [".spec.replicas"]
    for who in ("bob", "alice"):
        with pytest.raises(StatusError):
            world.apply(who, {"replicas": 5})


def test_a_field_no_longer_applied_goes_when_nobody_else_owns_it(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1", "b": "2"}})
    world.apply("bob", {"data": {"a": "1"}})
    assert world.spec == {"data": {"a": "1"}}
    assert world.owned("bob") == [".spec.data.a"]


def test_a_field_no_longer_applied_stays_when_another_owns_it(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.apply("alice", {"replicas": 1})
    world.apply("bob", {"data": {"a": "1"}})
    assert world.spec["replicas"] == 1
    assert world.owned("alice") == [".spec.replicas"]


def test_an_owner_of_nothing_vanishes(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.apply("handover", {"replicas": 1})
    world.apply("handover", {})
    assert world.who() == ["bob"]


def test_an_update_takes_over_what_it_changes_and_never_fails(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.update("curl", {"replicas": 2, "data": {"a": "1"}})
    assert world.owned("curl") == [".spec.replicas"]
    assert world.owned("bob") == [".spec.data.a"]


def test_an_update_that_removes_a_field_takes_it_from_its_owners(world: World) -> None:
    world.apply("bob", {"replicas": 1, "data": {"a": "1"}})
    world.update("curl", {"data": {"a": "1"}})
    assert world.owned("bob") == [".spec.data.a"]
    assert "curl" not in world.who()


def test_items_of_a_keyed_list_have_owners_of_their_own(world: World) -> None:
    world.apply("bob", {"items": [{"name": "a", "value": "1"}]})
    world.apply("alice", {"items": [{"name": "b", "value": "2"}]})
    assert world.spec["items"] == [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]
    world.apply("bob", {"items": []})
    assert world.spec["items"] == [{"name": "b", "value": "2"}]


def test_an_item_another_adds_to_is_kept_with_the_others_part(world: World) -> None:
    world.apply("bob", {"items": [{"name": "a", "value": "1"}]})
    world.apply("alice", {"items": [{"name": "a"}]})
    world.apply("bob", {})
    assert world.spec["items"] == [{"name": "a"}]


def test_a_key_field_left_out_counts_as_its_default(world: World) -> None:
    world.apply("bob", {"ports": [{"port": 80, "protocol": "TCP", "name": "web"}]})
    with pytest.raises(StatusError, match=r"name"):
        world.apply("alice", {"ports": [{"port": 80, "name": "other"}]})
    world.apply("alice", {"ports": [{"port": 80, "protocol": "UDP", "name": "dns"}]})
    assert len(world.spec["ports"]) == 2


def test_members_of_a_set_are_merged_one_by_one(world: World) -> None:
    world.apply("bob", {"tags": ["x", "y"]})
    world.apply("alice", {"tags": ["z"]})
    assert world.spec["tags"] == ["x", "y", "z"]
    world.apply("bob", {"tags": ["y"]})
    assert world.spec["tags"] == ["y", "z"]


@pytest.mark.parametrize(("field", "mine", "yours"), [("args", ["a"], ["b"]), ("selector", {"a": "1"}, {"b": "2"})])
def test_what_is_atomic_is_owned_as_a_whole(world: World, field: str, mine: object, yours: object) -> None:
    world.apply("bob", {field: mine})
    assert world.owned("bob") == [f".spec.{field}"]
    with pytest.raises(StatusError, match=rf"conflict with \"bob\": \.spec\.{field}$"):
        world.apply("alice", {field: yours})
    world.apply("alice", {field: yours}, force=True)
    assert world.spec[field] == yours
    assert world.who() == ["alice"]


def test_data_without_a_schema_merges_by_key_and_its_lists_are_atomic(world: World) -> None:
    world.apply("bob", {"free": {"a": {"b": 1}, "list": [1]}})
    world.apply("alice", {"free": {"a": {"c": 2}}})
    assert world.spec["free"] == {"a": {"b": 1, "c": 2}, "list": [1]}
    assert world.owned("bob") == [".spec.free.a.b", ".spec.free.list"]


def test_items_keep_the_appliers_order_and_others_stay_where_they_stood(world: World) -> None:
    world.apply("bob", {"items": [{"name": n} for n in "abcd"]})
    world.update("curl", {"items": [{"name": n} for n in "axbcyd"]})
    world.apply("bob", {"items": [{"name": n} for n in "dcba"]})
    assert "".join(item["name"] for item in world.spec["items"]) == "xydcba"


def test_applying_the_same_again_changes_nothing_not_even_the_time(world: World) -> None:
    world.apply("bob", {"replicas": 1, "items": [{"name": "a"}]})
    before, stamp = world.obj, managed.write(world.managers)
    world.apply("bob", {"replicas": 1, "items": [{"name": "a"}]})
    assert world.obj == before
    assert managed.write(world.managers) == stamp


def test_an_object_nobody_was_recorded_for_belongs_to_before_first_apply(world: World) -> None:
    world.update("curl", {"replicas": 1})
    world.managers = {}
    with pytest.raises(StatusError, match="before-first-apply"):
        world.apply("bob", {"replicas": 2})


def test_a_reset_forgets_all_owners_and_an_empty_list_none() -> None:
    stored = managed.write({Manager("bob", APPLY, "v1"): managed.Owned({"f:spec": {"f:a": {}}}, "t")})
    live = {"metadata": {"managedFields": stored}}
    assert owners({"metadata": {"managedFields": [{}]}}, live) == ({}, True)
    kept, changed = owners({"metadata": {"managedFields": []}}, live)
    assert [manager.name for manager in kept] == ["bob"]
    assert not changed


@pytest.mark.parametrize(
    "nonsense", [[{"operation": "Dance"}], [{"operation": "Apply", "fieldsV1": {"x": 1}}], [{"operation": "Apply", "fieldsType": "V9"}]]
)
def test_managed_fields_that_make_no_sense_are_passed_over(nonsense: list[Object]) -> None:
    stored = managed.write({Manager("bob", APPLY, "v1"): managed.Owned({"f:spec": {"f:a": {}}}, "t")})
    kept, changed = owners({"metadata": {"managedFields": nonsense}}, {"metadata": {"managedFields": stored}})
    assert [manager.name for manager in kept] == ["bob"]
    assert not changed


def test_a_set_from_outside_is_brought_into_canonical_order() -> None:
    mixed = {"f:z": {"f:b": {}, "f:a": {}}, "f:a": {}}
    sent = [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": mixed}]
    taken, _ = owners({"metadata": {"managedFields": sent}}, None)
    (entry,) = managed.write(taken)
    assert list(entry["fieldsV1"]) == ["f:a", "f:z"]
    assert list(entry["fieldsV1"]["f:z"]) == ["f:a", "f:b"]


def test_old_owners_by_update_are_folded_into_one(world: World) -> None:
    for number in range(UPDATE_MANAGERS_KEPT + 5):
        world.update(f"m{number}", {"data": {f"k{n}": "v" for n in range(number + 1)}})
    assert len(world.who()) == UPDATE_MANAGERS_KEPT
    assert managed.ANCIENT_CHANGES in world.who()
    everything = [field for who in world.who() for field in world.owned(who)]
    assert all(f".spec.data.k{number}" in everything for number in range(UPDATE_MANAGERS_KEPT + 5))


def test_who_owned_a_part_of_what_became_atomic_owns_all_of_it() -> None:
    node = Fields({"spec": Fields({"selector": ATOMIC, "data": Entries(ATOMIC)})})
    before = {"f:spec": {"f:selector": {"f:a": {}}, "f:data": {"f:b": {}}}}
    assert reconcile(node, before) == {"f:spec": {"f:selector": {}, "f:data": {"f:b": {}}}}


values = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(0, 2),
        "data": st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"), max_size=3),
        "tags": st.lists(st.sampled_from("stu"), unique=True, max_size=3),
        "items": st.lists(st.sampled_from("pqr"), unique=True, max_size=3).map(lambda names: [{"name": n} for n in names]),
        "args": st.lists(st.sampled_from("ab"), max_size=2),
    },
)


@given(st.lists(st.tuples(st.sampled_from(["bob", "alice"]), values), min_size=1, max_size=6))
def test_after_a_forced_apply_the_object_says_what_was_applied_and_the_applier_owns_exactly_that(
    writes: list[tuple[str, Object]],
) -> None:
    world = World()
    for who, spec in writes:
        world.apply(who, spec, force=True)
        for name, value in spec.items():
            live = world.spec.get(name)
            if isinstance(value, dict):
                assert {key: (live or {}).get(key) for key in value} == value
            elif name in ("tags", "items"):
                assert all(item in (live or []) for item in value)
            else:
                assert live == value
        again = World()
        again.apply(who, spec)
        assert world.owned(who) == again.owned(who)


@given(values, values)
def test_one_applier_alone_gets_just_what_it_applies(first: Object, second: Object) -> None:
    world = World()
    world.apply("bob", first)
    world.apply("bob", second)
    shown = {name: value for name, value in world.spec.items() if value not in ({}, [])}
    wanted = {name: value for name, value in second.items() if value not in ({}, [])}
    assert {k: sorted(v, key=str) if isinstance(v, list) and k != "args" else v for k, v in shown.items()} == {
        k: sorted(v, key=str) if isinstance(v, list) and k != "args" else v for k, v in wanted.items()
    }
