"""Items and members that can't be told apart. Nobody may apply such lists, but updates and older objects have them."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, List, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

ITEM = Struct("Item", Field(1, "name", Str()), Field(2, "left", Int()), Field(3, "right", Int()))
BOX = Struct(
    "Box",
    Field(1, "items", List(item=ITEM, list_type="map", keys=("name",))),
    Field(2, "numbers", List(item=Int(), list_type="set")),
    Field(3, "other", Int()),
)
TWICE: list[Json] = [{"name": "a", "left": 1}, {"name": "a", "left": 2}, {"name": "b", "left": 3}]


def numbers(*members: int) -> list[str]:
    return [f".numbers[={member}]" for member in members]


def item(name: str, *fields: str) -> list[str]:
    return [f'.items[name="{name}"]', *(f'.items[name="{name}"].{field}' for field in fields)]


def test_a_member_that_is_there_twice_is_owned_once() -> None:
    run(BOX, Update("bot", {"numbers": [1, 1, 3]}), Expect(managed={"bot": [".numbers", *numbers(1, 3)]}))


def test_who_adds_a_member_again_owns_it() -> None:
    run(
        BOX,
        Update("bot", {"numbers": [1, 3]}),
        Update("cat", {"numbers": [1, 1, 3]}),
        Expect(managed={"bot": [".numbers", *numbers(3)], "cat": numbers(1)}),
    )


def test_who_removes_one_of_two_members_owns_the_other() -> None:
    run(
        BOX,
        Update("bot", {"numbers": [1, 1, 3]}),
        Update("cat", {"numbers": [1, 3]}),
        Expect(managed={"bot": [".numbers", *numbers(3)], "cat": numbers(1)}),
    )


def test_repeating_a_member_once_more_is_a_change_of_it() -> None:
    run(
        BOX,
        Update("bot", {"numbers": [1, 1, 3]}),
        Update("cat", {"numbers": [1, 1, 1, 3]}),
        Expect(managed={"bot": [".numbers", *numbers(3)], "cat": numbers(1)}),
    )


def test_who_removes_both_members_owns_nothing() -> None:
    run(BOX, Update("bot", {"numbers": [1, 1, 3]}), Update("cat", {"numbers": [3]}), Expect(managed={"bot": [".numbers", *numbers(3)]}))


def test_applying_a_repeated_member_puts_one_in_the_place_of_both() -> None:
    run(
        BOX,
        Update("bot", {"numbers": [1, 1, 3]}),
        Apply("ann", {"numbers": [1]}, conflicts=['"bot" using v1 at T1: .numbers[=1]']),
        ForceApply("ann", {"numbers": [1]}),
        Expect({"numbers": [1, 3]}, {"bot": [".numbers", *numbers(3)], "ann": numbers(1)}),
    )


def test_applying_another_member_leaves_repeated_ones_alone() -> None:
    run(
        BOX,
        Update("bot", {"numbers": [1, 3, 1]}),
        Apply("ann", {"numbers": [5]}),
        Expect({"numbers": [1, 3, 1, 5]}, {"bot": [".numbers", *numbers(1, 3)], "ann": numbers(5)}),
    )


def test_removing_another_member_leaves_repeated_ones_alone() -> None:
    run(
        BOX,
        Apply("ann", {"numbers": [5]}),
        Update("bot", {"numbers": [1, 5, 1]}),
        Apply("ann"),
        Expect({"numbers": [1, 1]}, {"bot": numbers(1)}),
    )


def test_an_item_that_is_there_twice_is_owned_once_and_as_a_whole() -> None:
    run(BOX, Update("bot", {"items": TWICE}), Expect(managed={"bot": [".items", *item("a"), *item("b", "left", "name")]}))


@pytest.mark.parametrize(
    "after",
    [
        [{"name": "a", "left": 1}, {"name": "a", "left": 5}, {"name": "b", "left": 3}],
        [{"name": "a", "left": 1}, {"name": "a", "left": 2, "right": 4}, {"name": "b", "left": 3}],
        [{"name": "a", "left": 2}, {"name": "a", "left": 1}, {"name": "b", "left": 3}],
        [*TWICE, {"name": "a"}],
    ],
)
def test_whatever_is_changed_in_repeated_items_is_a_change_of_all_of_them(after: Json) -> None:
    run(
        BOX,
        Update("bot", {"items": TWICE}),
        Update("cat", {"items": after}),
        Expect(managed={"bot": [".items", *item("b", "left", "name")], "cat": item("a")}),
    )


def test_who_adds_an_item_again_owns_both() -> None:
    run(
        BOX,
        Update("bot", {"items": [{"name": "a", "left": 1}, {"name": "b", "left": 3}]}),
        Update("cat", {"items": [{"name": "a", "left": 1}, {"name": "a", "right": 2}, {"name": "b", "left": 3}]}),
        Expect(managed={"bot": [".items", *item("b", "left", "name")], "cat": item("a")}),
    )


def test_who_removes_one_of_two_items_owns_the_other_with_all_that_is_in_it() -> None:
    run(
        BOX,
        Update("bot", {"items": TWICE}),
        Update("cat", {"items": [{"name": "a", "left": 1}, {"name": "b", "left": 3}]}),
        Expect(managed={"bot": [".items", *item("b", "left", "name")], "cat": item("a", "left", "name")}),
    )


def test_an_item_added_beside_repeated_ones_changes_nothing_for_those() -> None:
    run(
        BOX,
        Update("bot", {"items": TWICE[:2]}),
        Update("cat", {"items": TWICE}),
        Expect(managed={"bot": [".items", *item("a")], "cat": item("b", "left", "name")}),
    )


def test_applying_another_field_leaves_repeated_items_alone() -> None:
    run(
        BOX,
        Update("bot", {"items": TWICE}),
        Apply("ann", {"other": 5}),
        Expect({"items": TWICE, "other": 5}, {"bot": [".items", *item("a"), *item("b", "left", "name")], "ann": [".other"]}),
    )


@pytest.mark.parametrize("left", [1, 2, 5])
def test_applying_a_repeated_item_puts_the_applied_one_in_the_place_of_both(left: int) -> None:
    config: Object = {"items": [{"name": "a", "left": left}]}
    run(
        BOX,
        Update("bot", {"items": TWICE}),
        Apply("ann", config, conflicts=['"bot" using v1 at T1: .items[name="a"]']),
        ForceApply("ann", config),
        Expect(
            {"items": [{"name": "a", "left": left}, {"name": "b", "left": 3}]},
            {"bot": [".items", *item("b", "left", "name")], "ann": item("a", "left", "name")},
        ),
    )


def test_applying_another_item_leaves_repeated_ones_alone() -> None:
    run(
        BOX,
        Update("bot", {"items": TWICE}),
        ForceApply("ann", {"items": [{"name": "b", "left": 4}]}),
        Expect(
            {"items": [*TWICE[:2], {"name": "b", "left": 4}]},
            {"bot": [".items", *item("a"), *item("b", "name")], "ann": item("b", "left", "name")},
        ),
    )


def test_an_item_somebody_repeated_is_theirs_and_stays_when_it_is_no_longer_applied() -> None:
    run(
        BOX,
        Apply("ann", {"items": [{"name": "a", "left": 1}, {"name": "b", "left": 3}]}),
        Update("bot", {"items": TWICE}),
        Expect(managed={"ann": item("b", "left", "name"), "bot": item("a")}),
        Apply("ann", {"items": [{"name": "b", "left": 3}]}),
        Expect({"items": TWICE}, {"bot": item("a"), "ann": item("b", "left", "name")}),
    )


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"numbers": [1, 2, 1]}, ".spec.numbers: duplicate entries for key [=1]"),
        ({"items": [{"name": "a"}, {"name": "a", "left": 1}]}, '.spec.items: duplicate entries for key [name="a"]'),
    ],
)
def test_nobody_applies_a_list_with_duplicates_but_anybody_may_update_to_one(config: Object, why: str) -> None:
    run(BOX, Apply("ann", config, refused=why), Update("bot", config), Expect(config))
