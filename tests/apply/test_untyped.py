"""Data without a schema: maps merge key by key, lists are atomic, and every key is a field of its own."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, Raw, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

FREE = Struct("Free", Field(1, "free", Raw(granular=True)), Field(2, "whole", Raw()), Field(3, "known", Int()))
SERVED = {"v1": FREE, "v2": FREE, "v3": FREE}


def free(**data: Json) -> Object:
    return {"free": data}


def test_it_merges_by_key_and_its_lists_are_atomic() -> None:
    run(
        FREE,
        Apply("bob", free(a={"b": 1}, list=[1])),
        Apply("ann", free(a={"c": 2})),
        Expect(free(a={"b": 1, "c": 2}, list=[1]), {"bob": [".free.a", ".free.a.b", ".free.list"], "ann": [".free.a", ".free.a.c"]}),
    )


def test_an_applier_changes_and_adds_keys() -> None:
    run(
        FREE,
        Apply("ann", free(n=1, s="x")),
        Apply("ann", free(n=2, s="x", b=False)),
        Expect(free(n=2, s="x", b=False), {"ann": [".free.b", ".free.n", ".free.s"]}),
    )


def test_keys_another_added_are_no_conflict() -> None:
    run(
        FREE,
        Apply("ann", free(n=1, s="x")),
        Update("bot", free(n=1, s="x", b=True)),
        Apply("ann", free(n=2, s="x")),
        Expect(free(n=2, s="x", b=True), {"bot": [".free.b"], "ann": [".free.n", ".free.s"]}),
    )


def test_keys_another_changed_are_a_conflict_until_it_is_forced() -> None:
    run(
        FREE,
        Apply("ann", free(n=1, s="x")),
        Update("bot", free(n=1, s="y", b=True)),
        Apply("ann", free(n=2, s="z"), conflicts=['"bot" using v1 at T2: .free.s']),
        ForceApply("ann", free(n=2, s="z")),
        Expect(free(n=2, s="z", b=True), {"bot": [".free.b"], "ann": [".free.n", ".free.s"]}),
    )


def test_keys_no_longer_applied_go() -> None:
    run(FREE, Apply("ann", free(n=1, s="x", b=False)), Apply("ann", free(s="y")), Expect(free(s="y"), {"ann": [".free.s"]}))


def test_it_goes_with_its_last_key() -> None:
    run(FREE, Apply("ann", free(s="x")), Apply("ann"), Expect({}, {}))


def test_who_lost_everything_is_no_manager_any_more() -> None:
    run(FREE, Apply("ann", free(s="x")), Update("bot", free(s="y")), Expect(free(s="y"), {"bot": [".free.s"]}))


def test_a_list_is_replaced_as_a_whole() -> None:
    run(
        FREE, Apply("ann", free(l=["a", "c"])), Apply("ann", free(l=["a", "d", "c"])), Expect(free(l=["a", "d", "c"]), {"ann": [".free.l"]})
    )


def test_a_list_another_changed_is_taken_back_by_force() -> None:
    run(
        FREE,
        Apply("ann", free(l=["a", "c"])),
        Update("bot", free(l=["a", "b", "c"])),
        ForceApply("ann", free(l=["a", "b"])),
        Expect(free(l=["a", "b"]), {"ann": [".free.l"]}),
    )


@pytest.mark.parametrize(("two", "three"), [("v1", "v1"), ("v2", "v3")])
def test_conflicts_are_told_for_every_key_and_list_however_deep(two: str, three: str) -> None:
    mine: Json = {"c": {"d": 2, "e": [1, 2, 3], "f": [{"name": "n", "value": 1}]}}
    yours: Json = {"c": {"d": 3, "e": [1, 2, 3, 4], "f": [{"name": "n", "value": 2}]}}
    by = f'"bot" using {two} at T2: .free.b.c'
    run(
        SERVED,
        Apply("ann", free(a=1, b=mine)),
        Update("bot", free(a=1, b=yours, g=5), version=two),
        Apply("ann", free(a=2, b=mine), version=three, conflicts=[f"{by}.d", f"{by}.e", f"{by}.f"]),
        ForceApply("ann", free(a=2, b=mine), version=three),
        Expect(free(a=2, b=mine, g=5)),
    )


def nest(*names: str) -> Json:
    return {names[0]: nest(*names[1:])} if names else None


def test_maps_in_maps_by_appliers_and_updaters_of_several_versions() -> None:
    run(
        SERVED | {"v4": FREE},
        Apply("ann", free(r=nest("a"), b=nest("b"))),
        Apply("ben", free(r=None, b=nest("b")), version="v2"),
        Update("bot", free(r=nest("a", "c"), b=nest("b", "d")), version="v3"),
        Update("cat", free(r=nest("a", "c", "e"), b=nest("b", "d", "f")), version="v2"),
        Update("bot", free(r=nest("a", "c", "e", "g"), b=nest("b", "d", "f", "h")), version="v3"),
        Apply("ann", {}, version="v4"),
        Expect(
            free(r={}, b=nest("b", "d", "f", "h")),
            {
                "ben@v2": [".free.b", ".free.b.b", ".free.r"],
                "cat@v2": [".free.b.b.d.f"],
                "bot@v3": [".free.b.b.d", ".free.b.b.d.f.h"],
            },
        ),
    )


def test_fields_the_schema_does_not_know_merge_like_data_without_one() -> None:
    run(
        FREE,
        Apply("ann", {"known": 5, "unknown": "value", "deep": {"a": 1}}),
        Apply("ann", {"known": 6, "unknown": "new", "deep": {"a": 1}}),
        Expect({"known": 6, "unknown": "new", "deep": {"a": 1}}, {"ann": [".deep", ".deep.a", ".known", ".unknown"]}),
        Apply("ben", {"deep": {"b": 2}}),
        Expect({"known": 6, "unknown": "new", "deep": {"a": 1, "b": 2}}),
    )


def test_data_that_is_taken_as_a_whole_has_one_owner() -> None:
    run(
        FREE,
        Apply("ann", {"whole": {"a": 1}}),
        Expect(managed={"ann": [".whole"]}),
        Apply("ben", {"whole": {"b": 2}}, conflicts=['"ann": .whole']),
    )


@pytest.mark.parametrize(("before", "after"), [(1, "1"), ("a", ["a"]), ([1], {"a": 1}), ({"a": 1}, 1), ({"a": 1}, [1])])
def test_a_value_of_another_type_is_a_change_of_the_whole_key(before: Json, after: Json) -> None:
    run(FREE, Apply("ann", free(x=before)), Update("bot", free(x=after)), Expect(managed={"bot": [".free.x"]}))
