"""Who counts as one manager, how many there may be, their times, and what clients may send of them."""

import pytest

from svcsim.apply import managers as managed
from svcsim.apply.managers import APPLY, UPDATE, ManagedFields, Manager
from svcsim.apply.ownership import starting_managers
from svcsim.limits import UPDATE_MANAGERS_KEPT
from svcsim.meta.types import Object
from svcsim.schema.types import Field, Int, List, Map, Str, Struct
from tests.apply.state import Apply, Expect, State, Step, Update, run

NOTE = Struct("Note", Field(1, "name", Str()))
BOOK = Struct(
    "Book",
    Field(1, "pages", Int()),
    Field(2, "notes", List(item=NOTE, list_type="map", keys=("name",))),
    Field(3, "data", Map(value=Str())),
)
IN_TWO_VERSIONS = {"v1": BOOK, "v2": BOOK}


def times(state: State) -> dict[str, str]:
    return {f"{manager.name} {manager.operation}": owned.time for manager, owned in state.managers.items()}


def test_one_name_by_apply_and_by_update_is_two_managers() -> None:
    state = run(BOOK, Apply("ann", {"pages": 1}), Update("ann", {"pages": 1, "data": {"a": "1"}}))
    assert {manager.operation: list(owned.fields["f:spec"]) for manager, owned in state.managers.items()} == {
        APPLY: ["f:pages"],
        UPDATE: ["f:data"],
    }


def test_one_name_by_update_in_two_versions_is_two_managers() -> None:
    run(
        IN_TWO_VERSIONS,
        Update("bot", {"pages": 1}),
        Update("bot", {"pages": 1, "data": {"a": "1"}}, version="v2"),
        Expect(managed={"bot": [".pages"], "bot@v2": [".data", ".data.a"]}),
    )


def test_one_name_by_apply_in_two_versions_is_one_manager() -> None:
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"pages": 1}),
        Apply("ann", {"data": {"a": "1"}}, version="v2"),
        Expect({"data": {"a": "1"}}, {"ann@v2": [".data.a"]}),
    )


@pytest.mark.parametrize("write", [Apply, Update])
def test_one_name_through_a_subresource_is_another_manager(write: type[Apply] | type[Update]) -> None:
    changed: Object = {"pages": 1, "data": {"a": "1"}}
    state = run(BOOK, Apply("ann", {"pages": 1}), write("ann", changed, subresource="status"))
    assert list(state.owned()) == ["ann", "ann/status"]


def test_an_updater_gathers_what_it_changes() -> None:
    run(
        BOOK,
        Update("bot", {"pages": 1}),
        Update("bot", {"pages": 1, "data": {"a": "1"}}),
        Update("bot", {"pages": 2, "data": {"a": "1"}}),
        Expect(managed={"bot": [".data", ".data.a", ".pages"]}),
    )


def test_an_applier_owns_just_what_it_last_applied() -> None:
    run(BOOK, Apply("ann", {"pages": 1}), Apply("ann", {"data": {"a": "1"}}), Expect({"data": {"a": "1"}}, {"ann": [".data.a"]}))


def test_a_manager_has_the_time_of_its_last_change() -> None:
    state = run(BOOK, Update("bot", {"pages": 1}), Update("cat", {"pages": 1, "data": {"a": "1"}}), Update("bot", {"pages": 1, "data": {}}))
    assert times(state) == {"cat Update": "T2", "bot Update": "T1"}


def test_a_manager_that_changes_what_it_owns_has_a_new_time() -> None:
    assert times(run(BOOK, Update("bot", {"pages": 1}), Update("bot", {"pages": 2}))) == {"bot Update": "T2"}


def test_a_manager_that_loses_a_field_keeps_its_time() -> None:
    state = run(BOOK, Update("bot", {"pages": 1, "data": {"a": "1"}}), Update("cat", {"pages": 2, "data": {"a": "1"}}))
    assert times(state) == {"bot Update": "T1", "cat Update": "T2"}


def test_an_applier_that_changes_a_value_has_a_new_time() -> None:
    assert times(run(BOOK, Apply("ann", {"pages": 1}), Apply("ann", {"pages": 2}))) == {"ann Apply": "T2"}


def test_applying_the_same_again_changes_nothing_not_even_the_time() -> None:
    state = run(BOOK, Apply("bob", {"pages": 1, "notes": [{"name": "a"}]}))
    before, stamp = state.obj, managed.write(state.managers)
    Apply("bob", {"pages": 1, "notes": [{"name": "a"}]}).run(state)
    assert state.obj == before
    assert managed.write(state.managers) == stamp


def test_appliers_come_first_and_each_half_by_time() -> None:
    state = run(BOOK, Update("bot", {"pages": 1}), Apply("ben", {"data": {"a": "1"}}), Apply("ann", {"data": {"b": "2"}}))
    assert [entry["manager"] for entry in managed.write(state.managers)] == ["ben", "ann", "bot"]


def test_an_object_nobody_was_recorded_for_belongs_to_before_first_apply() -> None:
    state = run(BOOK, Update("curl", {"pages": 1, "data": {"a": "1"}}))
    state.managers = {}
    Apply("bob", {"pages": 2}, conflicts=['"before-first-apply" using v1 at T2: .pages']).run(state)
    Apply("bob", {"pages": 1}).run(state)
    Expect(managed={"before-first-apply": [".data.a", ".pages"], "bob": [".pages"]}).run(state)


def test_an_update_of_an_object_nobody_was_recorded_for_owns_what_it_changes() -> None:
    state = run(BOOK, Update("curl", {"pages": 1}))
    state.managers = {}
    Update("bot", {"pages": 2}).run(state)
    Expect(managed={"bot": [".pages"]}).run(state)


def test_old_managers_by_update_are_folded_into_one() -> None:
    count = UPDATE_MANAGERS_KEPT + 5
    writes: list[Step] = [Update(f"m{number}", {"data": {f"k{n}": "v" for n in range(number + 1)}}) for number in range(count)]
    owned = run(BOOK, *writes).owned()
    assert len(owned) == UPDATE_MANAGERS_KEPT
    assert managed.ANCIENT_CHANGES in owned
    everything = [field for fields in owned.values() for field in fields]
    assert all(f".data.k{number}" in everything for number in range(count))


def test_appliers_and_subresources_are_never_folded() -> None:
    appliers: list[Step] = [Apply(f"a{number}", {"data": {f"a{number}": "v"}}) for number in range(UPDATE_MANAGERS_KEPT + 5)]
    state = run(BOOK, *appliers)
    for number in range(UPDATE_MANAGERS_KEPT + 5):
        Update(f"m{number}", {"data": {**state.spec["data"], f"m{number}": "v"}}, subresource="status").run(state)
    assert len(state.managers) == 2 * (UPDATE_MANAGERS_KEPT + 5)


def test_what_was_folded_is_given_up_like_anything() -> None:
    count = UPDATE_MANAGERS_KEPT + 2
    writes: list[Step] = [Update(f"m{number}", {"data": {f"k{n}": "v" for n in range(number + 1)}}) for number in range(count)]
    run(
        BOOK,
        *writes,
        Apply("ann", {"data": {"k0": "x"}}, conflicts=['"ancient-changes" using v1 at T3: .data.k0']),
        Update("bot", {}),
        Expect({}, {}),
    )


STORED = managed.write({Manager("bob", APPLY, "v1"): ManagedFields({"f:spec": {"f:a": {}}}, "t")})


def test_a_reset_forgets_all_managers_and_an_empty_list_none() -> None:
    live = {"metadata": {"managedFields": STORED}}
    assert starting_managers({"metadata": {"managedFields": [{}]}}, live) == ({}, True)
    kept, changed = starting_managers({"metadata": {"managedFields": []}}, live)
    assert [manager.name for manager in kept] == ["bob"]
    assert not changed


@pytest.mark.parametrize(
    "nonsense", [[{"operation": "Dance"}], [{"operation": "Apply", "fieldsV1": {"x": 1}}], [{"operation": "Apply", "fieldsType": "V9"}]]
)
def test_managed_fields_that_make_no_sense_are_passed_over(nonsense: list[Object]) -> None:
    kept, changed = starting_managers({"metadata": {"managedFields": nonsense}}, {"metadata": {"managedFields": STORED}})
    assert [manager.name for manager in kept] == ["bob"]
    assert not changed


def test_a_set_from_outside_is_brought_into_canonical_order() -> None:
    mixed = {"f:z": {"f:b": {}, "f:a": {}}, "f:a": {}}
    sent = [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": mixed}]
    taken, _ = starting_managers({"metadata": {"managedFields": sent}}, None)
    (entry,) = managed.write(taken)
    assert list(entry["fieldsV1"]) == ["f:a", "f:z"]
    assert list(entry["fieldsV1"]["f:z"]) == ["f:a", "f:b"]
