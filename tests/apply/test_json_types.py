"""Values that Python takes for equal and JSON doesn't: false is not 0, true is not 1. 1.0 is 1, as for other implementations."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, List, Raw, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

FREE = Struct("Free", Field(1, "free", Raw(granular=True)), Field(2, "whole", Raw()), Field(3, "set", List(item=Raw(), list_type="set")))
DIFFERENT = [(0, False), (False, 0), (1, True), (True, 1), (1.0, True), (0, None), ("", None), ([0], [False]), ({"a": [1]}, {"a": [True]})]
SAME: list[tuple[Json, Json]] = [(1, 1.0), (1.0, 1), ([0], [0.0]), ({"a": 1, "b": True}, {"b": True, "a": 1.0})]


def whole(value: Json) -> Object:
    return {"whole": value}


def inside(value: Json) -> Object:
    return {"free": {"x": [value]}}


@pytest.mark.parametrize("of", [whole, inside])
@pytest.mark.parametrize(("before", "after"), DIFFERENT)
def test_another_type_is_a_change_that_an_update_owns(of, before: Json, after: Json) -> None:
    owner = ".whole" if of is whole else ".free.x"
    run(FREE, Apply("ann", of(before)), Update("bot", of(after)), Expect(of(after), {"bot": [owner]}))


@pytest.mark.parametrize("of", [whole, inside])
@pytest.mark.parametrize(("before", "after"), DIFFERENT)
def test_another_type_is_a_conflict_until_it_is_forced(of, before: Json, after: Json) -> None:
    owner = ".whole" if of is whole else ".free.x"
    run(
        FREE,
        Apply("ann", of(before)),
        Apply("ben", of(after), conflicts=[f'"ann": {owner}']),
        ForceApply("ben", of(after)),
        Expect(of(after), {"ben": [owner]}),
    )


@pytest.mark.parametrize(("before", "after"), SAME)
def test_the_same_number_spelled_otherwise_is_no_change(before: Json, after: Json) -> None:
    run(
        FREE,
        Apply("ann", whole(before)),
        Update("bot", whole(after)),
        Expect(managed={"ann": [".whole"]}),
        Apply("ben", whole(before)),
        Expect(managed={"ann": [".whole"], "ben": [".whole"]}),
    )


def test_a_set_tells_false_from_0_and_takes_1_0_for_1() -> None:
    run(
        FREE,
        Apply("ann", {"set": [0, 1]}),
        Apply("ben", {"set": [False, 1.0]}),
        Expect(managed={"ann": [".set[=0]", ".set[=1]"], "ben": [".set[=1]", ".set[=false]"]}),
    )
