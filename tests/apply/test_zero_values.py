"""Null, "", 0, false, [] and {}: what is there and empty is something else than what is absent."""

import pytest

from svcsim.meta.types import Json
from svcsim.schema.types import Bool, Field, Int, List, Map, Raw, Str, Struct
from tests.apply.state import Apply, Expect, Update, run

POINT = Struct("Point", Field(1, "x", Int()), Field(2, "y", Int()))
BLANK = Struct(
    "Blank",
    Field(1, "text", Str()),
    Field(2, "number", Int()),
    Field(3, "flag", Bool()),
    Field(4, "list", List(item=Str(), list_type="atomic")),
    Field(5, "names", List(item=Str(), list_type="set")),
    Field(6, "points", List(item=Struct("Named", Field(1, "name", Str())), list_type="map", keys=("name",))),
    Field(7, "map", Map(value=Str())),
    Field(8, "whole", Map(value=Str(), atomic=True)),
    Field(9, "point", POINT),
    Field(10, "free", Raw(granular=True)),
    Field(11, "sets", Map(value=List(item=Str(), list_type="set"))),
)

ZEROES: list[tuple[str, Json]] = [
    ("text", ""),
    ("number", 0),
    ("flag", False),
    ("list", []),
    ("map", {}),
    ("whole", {}),
    ("point", {}),
    ("free", {}),
]
NULLS = ["text", "number", "flag", "list", "names", "points", "map", "whole", "point", "free"]
VALUES: dict[str, Json] = {
    "text": "a",
    "number": 1,
    "flag": True,
    "list": ["a"],
    "names": ["a"],
    "points": [{"name": "a"}],
    "map": {"a": "1"},
    "whole": {"a": "1"},
    "point": {"x": 1},
    "free": {"a": 1},
}
MERGED = ("names", "points", "map", "point", "free")
"""What is merged part by part."""


@pytest.mark.parametrize(("name", "zero"), ZEROES)
def test_an_applied_zero_is_owned(name: str, zero: Json) -> None:
    run(BLANK, Apply("ann", {name: zero}), Expect({name: zero}, {"ann": [f".{name}"]}))


@pytest.mark.parametrize("name", ["names", "points"])
def test_an_empty_list_of_items_is_there_but_nobodys(name: str) -> None:
    run(BLANK, Apply("ann", {name: []}), Expect({name: []}, {}))


def test_an_empty_list_under_a_key_is_the_keys_value() -> None:
    run(BLANK, Apply("ann", {"sets": {"a": []}}), Expect({"sets": {"a": []}}, {"ann": [".sets.a"]}))


@pytest.mark.parametrize("name", NULLS)
def test_an_applied_null_is_owned(name: str) -> None:
    run(BLANK, Apply("ann", {name: None}), Expect({name: None}, {"ann": [f".{name}"]}))


@pytest.mark.parametrize(("name", "zero"), [*ZEROES, ("names", []), ("points", [])])
def test_an_updated_zero_is_owned(name: str, zero: Json) -> None:
    state = run(BLANK, Update("bot", {"number": 9} if name != "number" else {"text": "x"}))
    Update("cat", {**state.spec, name: zero}).run(state)
    assert state.owned()["cat"] == [f".{name}"]


@pytest.mark.parametrize("name", NULLS)
def test_an_updated_null_is_owned(name: str) -> None:
    state = run(BLANK, Update("bot", {"number": 9} if name != "number" else {"text": "x"}))
    Update("cat", {**state.spec, name: None}).run(state)
    assert state.owned()["cat"] == [f".{name}"]


@pytest.mark.parametrize(("name", "zero"), [("text", ""), ("number", 0), ("flag", False), ("list", []), ("whole", {})])
def test_a_value_set_to_zero_is_changed(name: str, zero: Json) -> None:
    run(
        BLANK,
        Apply("ann", {name: VALUES[name]}),
        Apply("ben", {name: zero}, conflicts=[f'"ann": .{name}']),
        Update("bot", {name: zero}),
        Expect({name: zero}, {"bot": [f".{name}"]}),
    )


@pytest.mark.parametrize(("name", "zero"), [("names", []), ("points", []), ("map", {}), ("point", {}), ("free", {})])
def test_applying_nothing_of_what_is_merged_changes_nothing(name: str, zero: Json) -> None:
    run(BLANK, Apply("ann", {name: VALUES[name]}), Apply("ben", {name: zero}), Expect({name: VALUES[name]}))


@pytest.mark.parametrize("name", MERGED)
def test_applying_null_to_what_is_merged_changes_nothing(name: str) -> None:
    run(BLANK, Apply("ann", {name: VALUES[name]}), Apply("ben", {name: None}), Expect({name: VALUES[name]}))


@pytest.mark.parametrize("name", [name for name in NULLS if name not in MERGED])
def test_applying_null_to_a_whole_value_changes_it(name: str) -> None:
    run(BLANK, Apply("ann", {name: VALUES[name]}), Apply("ben", {name: None}, conflicts=[f'"ann": .{name}']))


@pytest.mark.parametrize("name", MERGED)
@pytest.mark.parametrize("empty", [None, "empty"])
def test_emptying_what_is_merged_takes_its_parts_and_is_no_ownership(name: str, empty: str | None) -> None:
    nothing: Json = None if empty is None else type(VALUES[name])()
    run(BLANK, Apply("ann", {name: VALUES[name]}), Update("bot", {name: nothing}), Expect(managed={}))


@pytest.mark.parametrize("name", MERGED)
def test_filling_a_null_is_ownership_of_the_parts_alone(name: str) -> None:
    state = run(BLANK, Update("bot", {name: None}), Update("cat", {name: VALUES[name]}))
    assert f".{name}" not in state.owned()["cat"]
    assert state.owned()["bot"] == [f".{name}"]


@pytest.mark.parametrize("name", MERGED)
def test_from_null_to_empty_is_a_change(name: str) -> None:
    state = run(BLANK, Update("bot", {name: None}), Update("cat", {name: type(VALUES[name])()}))
    assert state.owned() == {"cat": [f".{name}"]}


@pytest.mark.parametrize(("name", "zero"), [("text", ""), ("number", 0), ("flag", False)])
def test_a_zero_goes_like_any_value(name: str, zero: Json) -> None:
    run(BLANK, Apply("ann", {name: zero}), Apply("ann"), Expect({}, {}))


@pytest.mark.parametrize(("before", "after"), [("", None), (0, ""), ([], {}), ([], None), ({}, None)])
def test_values_of_different_types_differ_though_they_are_as_empty(before: Json, after: Json) -> None:
    run(
        BLANK,
        Apply("ann", {"free": {"a": before}}),
        Apply("ben", {"free": {"a": after}}, conflicts=['"ann": .free.a']),
    )
