"""Lists that are sets: every member has owners of its own, and the applier's order counts."""

import pytest

from svcsim.schema.types import Field, Int, List, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

TRIP = Struct("Trip", Field(1, "stops", List(item=Str(), list_type="set")), Field(2, "rooms", List(item=Int(), list_type="set")))
IN_TWO_VERSIONS = {"v1": TRIP, "v2": TRIP}


def stops(*names: str) -> list[str]:
    return [f'.stops[="{name}"]' for name in sorted(names)]


def test_an_applier_adds_members() -> None:
    run(
        TRIP,
        Apply("ann", {"stops": ["rome", "oslo"]}),
        Apply("ann", {"stops": ["rome", "bern", "oslo", "kyiv"]}),
        Expect({"stops": ["rome", "bern", "oslo", "kyiv"]}, {"ann": stops("rome", "bern", "oslo", "kyiv")}),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_members_another_added_stay_where_they_stood(version: str) -> None:
    by = "bus" if version == "v1" else "bus@v2"
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"stops": ["rome", "oslo"]}),
        Update("bus", {"stops": ["rome", "bern", "oslo", "kyiv"]}, version=version),
        Apply("ann", {"stops": ["rome", "ulm", "oslo", "york"]}),
        Expect(
            {"stops": ["rome", "bern", "ulm", "oslo", "kyiv", "york"]},
            {by: stops("bern", "kyiv"), "ann": stops("rome", "ulm", "oslo", "york")},
        ),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_members_both_name_are_owned_by_both(version: str) -> None:
    by = "bus" if version == "v1" else "bus@v2"
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"stops": ["rome", "oslo"]}),
        Update("bus", {"stops": ["rome", "bern", "oslo", "kyiv"]}, version=version),
        Apply("ann", {"stops": ["rome", "bern", "oslo"]}),
        Expect({"stops": ["rome", "bern", "oslo", "kyiv"]}, {by: stops("bern", "kyiv"), "ann": stops("rome", "bern", "oslo")}),
    )


def test_the_applier_says_the_order() -> None:
    run(
        TRIP,
        Apply("ann", {"stops": ["rome", "bern", "oslo", "kyiv"]}),
        Apply("ann", {"stops": ["rome", "kyiv", "oslo", "bern"]}),
        Expect({"stops": ["rome", "kyiv", "oslo", "bern"]}, {"ann": stops("rome", "bern", "oslo", "kyiv")}),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_an_order_another_chose_is_no_ownership(version: str) -> None:
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"stops": ["rome", "bern", "oslo", "kyiv"]}),
        Update("bus", {"stops": ["rome", "kyiv", "oslo", "bern"]}),
        Expect({"stops": ["rome", "kyiv", "oslo", "bern"]}, {"ann": stops("rome", "bern", "oslo", "kyiv")}),
        Apply("ann", {"stops": ["rome", "bern", "oslo", "kyiv"]}, version=version),
        Expect(
            {"stops": ["rome", "bern", "oslo", "kyiv"]},
            {"ann" if version == "v1" else "ann@v2": stops("rome", "bern", "oslo", "kyiv")},
        ),
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_members_no_longer_applied_go(version: str) -> None:
    run(
        IN_TWO_VERSIONS,
        Apply("ann", {"stops": ["rome", "bern", "oslo", "kyiv"]}),
        Apply("ann", {"stops": ["rome", "oslo", "ulm"]}, version=version),
        Expect({"stops": ["rome", "oslo", "ulm"]}, {"ann" if version == "v1" else "ann@v2": stops("rome", "oslo", "ulm")}),
    )


def test_a_member_another_names_stays() -> None:
    run(
        TRIP,
        Apply("ann", {"stops": ["rome", "oslo"]}),
        Apply("ben", {"stops": ["oslo", "bern"]}),
        Apply("ann", {"stops": ["rome"]}),
        Expect({"stops": ["rome", "oslo", "bern"]}, {"ann": stops("rome"), "ben": stops("oslo", "bern")}),
    )


def test_a_member_an_update_removed_has_no_owner() -> None:
    run(TRIP, Apply("ann", {"stops": ["rome", "oslo"]}), Update("bus", {"stops": ["oslo"]}), Expect(managed={"ann": stops("oslo")}))


def test_members_never_conflict() -> None:
    run(
        TRIP,
        Apply("ann", {"stops": ["rome"]}),
        Apply("ben", {"stops": ["bern"]}),
        Expect({"stops": ["rome", "bern"]}, {"ann": stops("rome"), "ben": stops("bern")}),
    )


def test_numbers_are_members_by_value() -> None:
    run(
        TRIP,
        Apply("ann", {"rooms": [3, 1]}),
        Apply("ben", {"rooms": [1, 2]}),
        Expect({"rooms": [3, 1, 2]}, {"ann": [".rooms[=1]", ".rooms[=3]"], "ben": [".rooms[=1]", ".rooms[=2]"]}),
    )


def test_an_updater_owns_a_set_it_makes_and_its_members() -> None:
    run(TRIP, Update("bus", {"stops": ["rome"]}), Expect(managed={"bus": [".stops", '.stops[="rome"]']}))


def test_an_updater_owns_only_the_members_it_adds_to_a_set_that_was_there() -> None:
    run(
        TRIP,
        Apply("ann", {"stops": ["rome"]}),
        Update("bus", {"stops": ["bern", "rome"]}),
        Expect(managed={"ann": stops("rome"), "bus": stops("bern")}),
    )


@pytest.mark.parametrize(
    ("live", "config", "merged"),
    [
        ("abc", "de", "abcde"),
        ("abc", "abd", "abcd"),
        ("abc", "bad", "bcad"),
        ("abcd", "dba", "cdba"),
        ("abcde", "edba", "cedba"),
        ("abcde", "adbe", "acdbe"),
        ("abc", "axyzb", "axyzbc"),
        ("abcdef", "fb", "acdefb"),
        ("xay", "an", "xayn"),
        ("", "ab", "ab"),
    ],
)
def test_the_applied_order_is_kept_and_the_others_stand_between_as_early_as_their_own_allows(live: str, config: str, merged: str) -> None:
    run(TRIP, Update("bus", {"stops": list(live)}), ForceApply("ann", {"stops": list(config)}), Expect({"stops": list(merged)}))
