"""What is taken as a whole: lists, maps and structs that are atomic, wherever their type is used."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, List, Map, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run

POINT = (Field(1, "x", Int()), Field(2, "y", Int()))
SIGN = Struct("Sign", Field(1, "name", Str()), Field(2, "value", Int()))
MAP = Struct(
    "Map",
    Field(1, "route", List(item=Str(), list_type="atomic")),
    Field(2, "plain", List(item=Str())),
    Field(3, "legend", Map(value=Str(), atomic=True)),
    Field(4, "origin", Struct("Point", *POINT, atomic=True)),
    Field(5, "centre", Struct("Point", *POINT)),
    Field(6, "signs", List(item=SIGN, list_type="atomic")),
    Field(7, "marks", List(item=SIGN, list_type="map", keys=("name",))),
    Field(8, "names", List(item=Str(), list_type="set")),
    Field(9, "layers", Map(value=Map(value=Str(), atomic=True))),
    Field(10, "corners", List(item=Struct("Corner", Field(1, "name", Str()), *POINT, atomic=True), list_type="map", keys=("name",))),
)

WHOLES: list[tuple[str, Json, Json]] = [
    ("route", ["a"], ["b"]),
    ("plain", ["a"], ["b"]),
    ("legend", {"a": "1"}, {"b": "2"}),
    ("origin", {"x": 1}, {"y": 2}),
    ("signs", [{"name": "a"}], [{"name": "b", "value": 2}]),
]


@pytest.mark.parametrize(("name", "mine", "yours"), WHOLES)
def test_it_has_one_owner_and_is_replaced_as_a_whole(name: str, mine: Json, yours: Json) -> None:
    run(
        MAP,
        Apply("ann", {name: mine}),
        Expect(managed={"ann": [f".{name}"]}),
        Apply("ben", {name: yours}, conflicts=[f'"ann": .{name}']),
        ForceApply("ben", {name: yours}),
        Expect({name: yours}, {"ben": [f".{name}"]}),
    )


@pytest.mark.parametrize(("name", "mine", "yours"), WHOLES)
def test_its_owner_changes_it(name: str, mine: Json, yours: Json) -> None:
    run(
        MAP,
        Apply("ann", {name: mine}),
        Apply("ben", {name: yours}, conflicts=[f'"ann": .{name}']),
        Apply("ann", {name: yours}),
        Expect({name: yours}, {"ann": [f".{name}"]}),
    )


@pytest.mark.parametrize(("name", "mine", "yours"), WHOLES)
def test_an_update_takes_it_over_as_a_whole(name: str, mine: Json, yours: Json) -> None:
    run(MAP, Apply("ann", {name: mine}), Update("bot", {name: yours}), Expect(managed={"bot": [f".{name}"]}))


@pytest.mark.parametrize(("name", "mine", "yours"), WHOLES)
def test_it_goes_as_a_whole(name: str, mine: Json, yours: Json) -> None:
    run(MAP, Apply("ann", {name: mine}), Apply("ann"), Expect({}, {}))


@pytest.mark.parametrize(("name", "mine", "yours"), WHOLES)
def test_both_may_apply_the_same(name: str, mine: Json, yours: Json) -> None:
    run(MAP, Apply("ann", {name: mine}), Apply("ben", {name: mine}), Expect({name: mine}, {"ann": [f".{name}"], "ben": [f".{name}"]}))


def test_the_order_of_an_atomic_list_counts() -> None:
    run(MAP, Apply("ann", {"route": ["a", "b"]}), Apply("ben", {"route": ["b", "a"]}, conflicts=['"ann": .route']))


@pytest.mark.parametrize(
    ("name", "mine", "yours", "both", "owned"),
    [
        ("centre", {"x": 1}, {"y": 2}, {"x": 1, "y": 2}, ([".centre.x"], [".centre.y"])),
        ("names", ["a"], ["b"], ["a", "b"], (['.names[="a"]'], ['.names[="b"]'])),
        (
            "marks",
            [{"name": "a"}],
            [{"name": "b"}],
            [{"name": "a"}, {"name": "b"}],
            (['.marks[name="a"]', '.marks[name="a"].name'], ['.marks[name="b"]', '.marks[name="b"].name']),
        ),
    ],
)
def test_the_same_type_used_elsewhere_merges_as_that_place_says(
    name: str, mine: Json, yours: Json, both: Json, owned: tuple[list[str], list[str]]
) -> None:
    run(MAP, Apply("ann", {name: mine}), Apply("ben", {name: yours}), Expect({name: both}, {"ann": owned[0], "ben": owned[1]}))


def test_atomic_maps_in_a_map_are_told_apart_by_name() -> None:
    run(
        MAP,
        Apply("ann", {"layers": {"road": {"a": "1"}}}),
        Apply("ben", {"layers": {"rail": {"b": "2"}}}),
        Expect({"layers": {"road": {"a": "1"}, "rail": {"b": "2"}}}, {"ann": [".layers.road"], "ben": [".layers.rail"]}),
        Apply("ben", {"layers": {"road": {"a": "2"}}}, conflicts=['"ann": .layers.road']),
    )


def test_an_atomic_item_of_a_keyed_list_is_one_field() -> None:
    before: Object = {"corners": [{"name": "north", "x": 1}]}
    run(
        MAP,
        Apply("ann", before),
        Expect(managed={"ann": ['.corners[name="north"]']}),
        Apply("ben", {"corners": [{"name": "north", "y": 2}]}, conflicts=['"ann": .corners[name="north"]']),
        ForceApply("ben", {"corners": [{"name": "north", "y": 2}]}),
        Expect({"corners": [{"name": "north", "y": 2}]}, {"ben": ['.corners[name="north"]']}),
    )
