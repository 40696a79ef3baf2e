"""Lists whose items have keys: items are told apart by them, key fields with a default may be left out."""

import pytest

from svcsim.meta.types import Object
from svcsim.schema.types import Field, Int, List, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

SHELF = Struct("Shelf", Field(1, "label", Str()), Field(2, "books", Int()), Field(3, "colour", Str()))
SEAT = Struct("Seat", Field(1, "row", Int()), Field(2, "side", Str(), default="left"), Field(3, "guest", Str()))
LINE = Struct("Line", Field(1, "page", Int(), default=2), Field(2, "row", Int(), default=3), Field(3, "text", Str()))
CHAPTER = Struct(
    "Chapter",
    Field(1, "number", Int(), default=1),
    Field(2, "part", Str(), default="one"),
    Field(3, "lines", List(item=LINE, list_type="map", keys=("page", "row"))),
)
HALL = Struct(
    "Hall",
    Field(1, "shelves", List(item=SHELF, list_type="map", keys=("label",))),
    Field(2, "seats", List(item=SEAT, list_type="map", keys=("row", "side"))),
    Field(3, "chapters", List(item=CHAPTER, list_type="map", keys=("number", "part"))),
)


def shelf(label: str, *fields: str) -> list[str]:
    item = f'.shelves[label="{label}"]'
    return [item, *(f"{item}.{name}" for name in sorted((*fields, "label")))]


def seat(row: int, side: str, *fields: str) -> list[str]:
    item = f'.seats[row={row},side="{side}"]'
    return [item, *(f"{item}.{name}" for name in sorted((*fields, "row")))]


def test_an_item_no_longer_applied_goes_and_another_comes() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Apply("ann", {"shelves": [{"label": "low", "books": 2}]}),
        Expect({"shelves": [{"label": "low", "books": 2}]}, {"ann": shelf("low", "books")}),
    )


def test_items_have_owners_of_their_own() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Apply("ben", {"shelves": [{"label": "low", "books": 2}]}),
        Expect(
            {"shelves": [{"label": "top", "books": 1}, {"label": "low", "books": 2}]},
            {"ann": shelf("top", "books"), "ben": shelf("low", "books")},
        ),
        Apply("ann", {"shelves": []}),
        Expect({"shelves": [{"label": "low", "books": 2}]}, {"ben": shelf("low", "books")}),
    )


def test_two_appliers_share_an_item_field_by_field() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Apply("ben", {"shelves": [{"label": "top", "colour": "red"}]}),
        Expect(
            {"shelves": [{"label": "top", "books": 1, "colour": "red"}]},
            {"ann": shelf("top", "books"), "ben": shelf("top", "colour")},
        ),
        Apply("ann"),
        Expect({"shelves": [{"label": "top", "colour": "red"}]}, {"ben": shelf("top", "colour")}),
    )


def test_a_conflict_names_the_item_by_its_keys() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Apply("ben", {"shelves": [{"label": "top", "books": 2}]}, conflicts=['"ann": .shelves[label="top"].books']),
        ForceApply("ben", {"shelves": [{"label": "top", "books": 2}]}),
        Expect({"shelves": [{"label": "top", "books": 2}]}, {"ann": shelf("top"), "ben": shelf("top", "books")}),
    )


def test_an_updater_owns_an_item_it_adds_with_all_that_is_in_it() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top"}]}),
        Update("bot", {"shelves": [{"label": "top"}, {"label": "low", "books": 2}]}),
        Expect(managed={"ann": shelf("top"), "bot": shelf("low", "books")}),
    )


def test_an_updater_owns_just_the_field_of_an_item_it_changes() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Update("bot", {"shelves": [{"label": "top", "books": 2}]}),
        Expect(managed={"ann": shelf("top"), "bot": ['.shelves[label="top"].books']}),
    )


def test_an_item_an_update_removed_has_no_owner() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top"}, {"label": "low"}]}),
        Update("bot", {"shelves": [{"label": "low"}]}),
        Expect({"shelves": [{"label": "low"}]}, {"ann": shelf("low")}),
    )


def test_renaming_an_item_is_another_item() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top", "books": 1}]}),
        Update("bot", {"shelves": [{"label": "low", "books": 1}]}),
        Expect(managed={"bot": shelf("low", "books")}),
    )


def test_an_items_place_is_no_ownership() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": "top"}, {"label": "low"}]}),
        Update("bot", {"shelves": [{"label": "low"}, {"label": "top"}]}),
        Expect(managed={"ann": sorted(shelf("low")) + sorted(shelf("top"))}),
    )


def test_items_keep_the_appliers_order_and_others_stay_where_they_stood() -> None:
    run(
        HALL,
        Apply("ann", {"shelves": [{"label": n} for n in "abcd"]}),
        Update("bot", {"shelves": [{"label": n} for n in "axbcyd"]}),
        Apply("ann", {"shelves": [{"label": n} for n in "dcba"]}),
        Expect({"shelves": [{"label": n} for n in "xydcba"]}),
    )


def test_a_key_left_out_counts_as_its_default_and_is_not_owned() -> None:
    run(HALL, Apply("ann", {"seats": [{"row": 8}]}), Expect({"seats": [{"row": 8}]}, {"ann": seat(8, "left")}))


def test_items_that_differ_in_one_key_are_two() -> None:
    run(
        HALL,
        Apply("ann", {"seats": [{"row": 8}, {"row": 8, "side": "right"}]}),
        Expect({"seats": [{"row": 8}, {"row": 8, "side": "right"}]}, {"ann": [*seat(8, "left"), *seat(8, "right", "side")]}),
    )


def test_a_default_key_finds_the_item_that_spells_it_out() -> None:
    run(
        HALL,
        Apply("ann", {"seats": [{"row": 8, "side": "left", "guest": "eve"}]}),
        Apply("ben", {"seats": [{"row": 8, "guest": "tom"}]}, conflicts=['"ann": .seats[row=8,side="left"].guest']),
        Apply("ben", {"seats": [{"row": 8, "side": "right", "guest": "tom"}]}),
        Expect(
            {"seats": [{"row": 8, "side": "left", "guest": "eve"}, {"row": 8, "side": "right", "guest": "tom"}]},
            {"ann": seat(8, "left", "guest", "side"), "ben": seat(8, "right", "guest", "side")},
        ),
    )


def test_spelling_a_default_key_out_later_is_the_same_item() -> None:
    run(
        HALL,
        Apply("ann", {"seats": [{"row": 8, "guest": "eve"}]}),
        Apply("ann", {"seats": [{"row": 8, "side": "left", "guest": "eve"}]}),
        Expect({"seats": [{"row": 8, "side": "left", "guest": "eve"}]}, {"ann": seat(8, "left", "guest", "side")}),
    )


def test_keys_may_all_be_defaults_at_every_level() -> None:
    chapter = '.chapters[number=1,part="one"]'
    line = f"{chapter}.lines[page=2,row=3]"
    run(
        HALL,
        Apply("ann", {"chapters": [{"lines": [{"text": "once"}]}]}),
        Expect({"chapters": [{"lines": [{"text": "once"}]}]}, {"ann": [chapter, line, f"{line}.text"]}),
        Apply("ann", {"chapters": [{"lines": [{"text": "once", "page": 2}]}]}),
        Expect({"chapters": [{"lines": [{"text": "once", "page": 2}]}]}, {"ann": [chapter, line, f"{line}.page", f"{line}.text"]}),
    )


def test_a_key_that_has_no_default_may_be_missing_beside_another() -> None:
    run(
        HALL,
        Apply("ann", {"seats": [{"side": "right"}]}),
        Expect({"seats": [{"side": "right"}]}, {"ann": ['.seats[side="right"]', '.seats[side="right"].side']}),
    )


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"shelves": [{"label": "a"}, {"label": "a", "books": 1}]}, '.spec.shelves: duplicate entries for key [label="a"]'),
        ({"seats": [{"row": 8}, {"row": 8}]}, '.spec.seats: duplicate entries for key [row=8,side="left"]'),
        ({"seats": [{"row": 8}, {"row": 8, "side": "left"}]}, '.spec.seats: duplicate entries for key [row=8,side="left"]'),
        (
            {"chapters": [{"lines": [{"text": "a"}, {"text": "b"}]}]},
            '.spec.chapters[number=1,part="one"].lines: duplicate entries for key [page=2,row=3]',
        ),
    ],
)
def test_what_is_applied_names_no_item_twice(config: Object, why: str) -> None:
    run(HALL, Apply("ann", config, refused=why), Expect({}, {}))
