"""Fields that are one value: who owns them, and when they go."""

import pytest

from svcsim.meta.types import Object
from svcsim.schema.types import Bool, Field, Int, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

ROOM = Struct("Room", Field(1, "seats", Int()), Field(2, "name", Str()), Field(3, "open", Bool()))
IN_TWO_VERSIONS = {"v1": ROOM, "v2": ROOM}


def test_an_applier_owns_what_it_applies() -> None:
    run(ROOM, Apply("ann", {"seats": 4, "name": "blue"}), Expect({"seats": 4, "name": "blue"}, {"ann": [".name", ".seats"]}))


def test_an_applier_changes_and_adds_fields_of_its_own() -> None:
    run(
        ROOM,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Apply("ann", {"seats": 6, "name": "blue", "open": False}),
        Expect({"seats": 6, "name": "blue", "open": False}, {"ann": [".name", ".open", ".seats"]}),
    )


def test_an_applier_is_the_same_in_another_version() -> None:
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Apply("ann", {"seats": 6, "name": "blue", "open": False}, version="v2"),
        Expect({"seats": 6, "name": "blue", "open": False}, {"ann@v2": [".name", ".open", ".seats"]}),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_fields_another_added_are_no_conflict(version: str) -> None:
    by = "door" if version == "v1" else "door@v2"
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Update("door", {"seats": 4, "name": "blue", "open": True}, version=version),
        Apply("ann", {"seats": 6, "name": "blue"}),
        Expect({"seats": 6, "name": "blue", "open": True}, {by: [".open"], "ann": [".name", ".seats"]}),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_what_another_changed_is_a_conflict_until_it_is_forced(version: str) -> None:
    by = "door" if version == "v1" else "door@v2"
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Update("door", {"seats": 4, "name": "shut", "open": True}, version=version),
        Apply("ann", {"seats": 6, "name": "red"}, conflicts=[f'"door" using {version} at T2: .name']),
        Expect({"seats": 4, "name": "shut", "open": True}, {"ann": [".seats"], by: [".name", ".open"]}),
        ForceApply("ann", {"seats": 6, "name": "red"}),
        Expect({"seats": 6, "name": "red", "open": True}, {by: [".open"], "ann": [".name", ".seats"]}),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_fields_no_longer_applied_go(version: str) -> None:
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"seats": 4, "name": "blue", "open": False}),
        Apply("ann", {"name": "red"}, version=version),
        Expect({"name": "red"}, {"ann" if version == "v1" else "ann@v2": [".name"]}),
    )


def test_a_field_another_took_over_stays_when_it_is_no_longer_applied() -> None:
    run(ROOM, Apply("ann", {"seats": 4}), Update("door", {"seats": 2}), Apply("ann"), Expect({"seats": 2}, {"door": [".seats"]}))


def test_who_lost_everything_is_no_manager_any_more() -> None:
    run(ROOM, Apply("ann", {"name": "blue"}), Update("door", {"name": "red"}), Expect({"name": "red"}, {"door": [".name"]}))


def test_who_applies_nothing_any_more_is_no_manager() -> None:
    run(ROOM, Apply("ann", {"name": "blue"}), Apply("ann"), Expect({}, {}))


def test_what_nobody_else_owns_may_be_applied_and_given_up() -> None:
    run(
        ROOM,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Apply("ben", {"seats": 4}),
        Apply("ben"),
        Expect({"seats": 4, "name": "blue"}, {"ann": [".name", ".seats"]}),
    )


def test_an_update_owns_what_it_makes_anew() -> None:
    run(ROOM, Update("door", {"seats": 4}), Expect(managed={"door": [".seats"]}))


def test_an_update_that_removes_a_field_takes_it_from_its_owner() -> None:
    run(
        ROOM,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Update("door", {"name": "blue"}),
        Expect({"name": "blue"}, {"ann": [".name"]}),
    )


def test_an_update_that_removes_its_own_field_gives_it_up() -> None:
    run(
        ROOM,
        Update("door", {"seats": 4, "name": "blue"}),
        Update("door", {"name": "blue"}),
        Expect({"name": "blue"}, {"door": [".name"]}),
    )


def test_an_update_that_changes_nothing_owns_nothing() -> None:
    run(ROOM, Apply("ann", {"seats": 4}), Update("door", {"seats": 4}), Expect({"seats": 4}, {"ann": [".seats"]}))


def test_a_field_that_was_removed_and_is_applied_again_has_one_owner() -> None:
    run(
        ROOM,
        Apply("ann", {"seats": 4, "name": "blue"}),
        Update("door", {"name": "blue"}),
        Apply("ann", {"seats": 4, "name": "blue"}),
        Expect({"seats": 4, "name": "blue"}, {"ann": [".name", ".seats"]}),
    )


@pytest.mark.parametrize("change", [{"seats": 5}, {"name": "red"}, {"open": True}])
def test_the_type_of_a_value_makes_no_difference(change: Object) -> None:
    (name,) = change
    before: Object = {"seats": 4, "name": "blue", "open": False}
    run(
        ROOM,
        Apply("ann", before),
        Apply("ben", change, conflicts=[f'"ann": .{name}']),
        ForceApply("ben", change),
        Expect({**before, **change}, {"ann": sorted(f".{other}" for other in before if other != name), "ben": [f".{name}"]}),
    )
