"""Versions that are there no more: their managers go with the next write, and what they applied stays."""

import pytest

from svcsim.schema.types import Field, Int, List, Raw, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Serve, Update, run

CITY = Struct("City", Field(1, "people", Int()), Field(2, "parks", List(item=Str(), list_type="set")), Field(3, "free", Raw(granular=True)))
FIRST, BOTH, SECOND = {"v1": CITY}, {"v1": CITY, "v2": CITY}, {"v2": CITY, "v3": CITY}


def test_an_updater_in_a_version_that_is_no_more_goes_with_the_next_change() -> None:
    run(
        BOTH,
        Update("old", {"free": {"a": 0}}),
        Update("new", {"free": {"a": 0, "b": 0}}, version="v2"),
        Serve(SECOND),
        Update("next", {"free": {"a": 0, "b": 0, "c": 0}}, version="v3"),
        Expect({"free": {"a": 0, "b": 0, "c": 0}}, {"new@v2": [".free.b"], "next@v3": [".free.c"]}),
    )


def test_an_applier_in_a_version_that_is_no_more_goes_with_the_next_change() -> None:
    run(
        BOTH,
        Apply("old", {"people": 1}),
        Serve(SECOND),
        Apply("new", {"parks": ["north"]}, version="v2"),
        Expect({"people": 1, "parks": ["north"]}, {"new@v2": ['.parks[="north"]']}),
    )


@pytest.mark.parametrize("write", [Apply, ForceApply])
def test_what_was_applied_in_a_version_that_is_no_more_stays(write: type[Apply]) -> None:
    run(
        FIRST,
        Apply("ann", {"parks": ["north", "south", "east"]}),
        Serve(SECOND),
        write("ann", {"parks": ["north"]}, version="v2"),
        Expect({"parks": ["north", "south", "east"]}, {"ann@v2": ['.parks[="north"]']}),
    )


def test_its_managers_conflict_no_more() -> None:
    run(
        FIRST,
        Update("old", {"people": 1}),
        Serve(SECOND),
        Apply("ann", {"people": 2}, version="v2"),
        Expect({"people": 2}, {"ann@v2": [".people"]}),
    )


def test_what_its_managers_own_is_no_reason_to_keep_a_field() -> None:
    run(
        BOTH,
        Apply("ann", {"people": 1, "parks": ["north"]}, version="v2"),
        Apply("old", {"people": 1}),
        Serve(SECOND),
        Apply("ann", {"parks": ["north"]}, version="v3"),
        Expect({"parks": ["north"]}, {"ann@v3": ['.parks[="north"]']}),
    )


@pytest.mark.parametrize("write", [Apply("ann", {"people": 1}, version="v2"), Update("bot", {"people": 1}, version="v2")])
def test_its_managers_go_with_the_next_write_even_one_that_changes_nothing(write: Apply | Update) -> None:
    run(
        BOTH,
        Apply("ann", {"people": 1}, version="v2"),
        Apply("old", {"people": 1}),
        Update("before", {"people": 1, "free": {"a": 0}}),
        Update("after", {"people": 1}, version="v2"),
        Expect(managed={"ann@v2": [".people"], "old": [".people"]}),
        Serve(SECOND),
        write,
        Expect({"people": 1}, {"ann@v2": [".people"]}),
    )


def test_managers_in_versions_that_are_left_stay() -> None:
    run(
        BOTH,
        Apply("ann", {"people": 1}, version="v2"),
        Update("old", {"people": 1, "free": {"a": 0}}),
        Serve(SECOND),
        Update("next", {"people": 1, "free": {"a": 1}}, version="v3"),
        Expect(managed={"ann@v2": [".people"], "next@v3": [".free.a"]}),
    )
