"""Structs, maps and lists in each other: which levels have owners, and what goes with what."""

import pytest

from svcsim.meta.types import Object
from svcsim.schema.types import Field, Int, List, Map, Ref, Str, Struct
from tests.apply.state import Apply, Expect, Update, run


def _branch() -> Struct:
    return BRANCH


WORDS = List(item=Str(), list_type="set")
TEXTS = Map(value=Str())
HEAD = Struct("Head", Field(1, "name", Str()), Field(2, "size", Int()))
BRANCH = Struct("Branch", Field(1, "twigs", Map(value=Ref(target=_branch))), Field(2, "leaves", Int()))
TREE = Struct(
    "Tree",
    Field(
        1, "wordLists", List(item=Struct("WordList", Field(1, "name", Str()), Field(2, "words", WORDS)), list_type="map", keys=("name",))
    ),
    Field(
        2, "textLists", List(item=Struct("TextList", Field(1, "name", Str()), Field(2, "texts", TEXTS)), list_type="map", keys=("name",))
    ),
    Field(3, "words", Map(value=WORDS)),
    Field(4, "texts", Map(value=TEXTS)),
    Field(5, "branch", BRANCH),
    Field(6, "head", HEAD),
    Field(7, "heads", Map(value=HEAD)),
)


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_set_in_an_item(name: str) -> None:
    item = f'.wordLists[name="{name}"]'
    after: Object = {"wordLists": [{"name": name, "words": ["x", "z"]}]}
    run(
        TREE,
        Apply("ann", {"wordLists": [{"name": "a", "words": ["y", "z"]}]}),
        Apply("ann", after),
        Expect(after, {"ann": [item, f"{item}.name", f'{item}.words[="x"]', f'{item}.words[="z"]']}),
    )


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_map_in_an_item(name: str) -> None:
    item = f'.textLists[name="{name}"]'
    after: Object = {"textLists": [{"name": name, "texts": {"x": "1", "z": "3"}}]}
    run(
        TREE,
        Apply("ann", {"textLists": [{"name": "a", "texts": {"y": "1", "z": "2"}}]}),
        Apply("ann", after),
        Expect(after, {"ann": [item, f"{item}.name", f"{item}.texts.x", f"{item}.texts.z"]}),
    )


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_set_in_a_map_and_the_key_it_is_under(name: str) -> None:
    after: Object = {"words": {name: ["x", "z"]}}
    run(
        TREE,
        Apply("ann", {"words": {"a": ["y", "z"]}}),
        Apply("ann", after),
        Expect(after, {"ann": [f".words.{name}", f'.words.{name}[="x"]', f'.words.{name}[="z"]']}),
    )


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_map_in_a_map_and_the_key_it_is_under(name: str) -> None:
    after: Object = {"texts": {name: {"x": "1", "z": "3"}}}
    run(
        TREE,
        Apply("ann", {"texts": {"a": {"y": "1", "z": "2"}}}),
        Apply("ann", after),
        Expect(after, {"ann": [f".texts.{name}", f".texts.{name}.x", f".texts.{name}.z"]}),
    )


def test_a_struct_in_a_map_and_the_key_it_is_under() -> None:
    run(TREE, Apply("ann", {"heads": {"a": {"size": 1}}}), Expect(managed={"ann": [".heads.a", ".heads.a.size"]}))


def test_a_key_in_the_middle_of_a_type_that_contains_itself() -> None:
    after: Object = {"branch": {"twigs": {"a": {"twigs": {"d": {"leaves": 2}}}}}}
    run(
        TREE,
        Apply("ann", {"branch": {"twigs": {"a": {"twigs": {"b": {"leaves": 1}}}}}}),
        Apply("ann", after),
        Expect(
            after,
            {"ann": [".branch.twigs.a", ".branch.twigs.a.twigs.d", ".branch.twigs.a.twigs.d.leaves"]},
        ),
    )


def test_a_struct_goes_with_its_last_field() -> None:
    run(TREE, Apply("ann", {"head": {"name": "a", "size": 1}}), Apply("ann"), Expect({}, {}))


@pytest.mark.parametrize("rest", [{}, None])
def test_a_struct_that_is_still_applied_stays_when_its_fields_go(rest: Object | None) -> None:
    run(
        TREE,
        Apply("ann", {"head": {"name": "a"}}),
        Apply("ann", {"head": rest}),
        Expect({"head": {}}, {"ann": [".head"]}),
    )


@pytest.mark.parametrize("config", [{}, {"head": {}}, {"head": None}])
def test_fields_of_a_struct_that_another_added_stay(config: Object) -> None:
    run(
        TREE,
        Apply("ann", {"head": {"name": "a"}}),
        Update("bot", {"head": {"name": "a", "size": 1}}),
        Apply("ann", config),
        Expect({"head": {"size": 1}}, {"bot": [".head.size"], **({"ann": [".head"]} if config else {})}),
    )


@pytest.mark.parametrize("config", [{}, {"head": {}}, {"head": None}])
def test_fields_of_a_struct_that_another_took_over_stay(config: Object) -> None:
    run(
        TREE,
        Apply("ann", {"head": {"name": "a"}}),
        Update("bot", {"head": {"name": "b", "size": 1}}),
        Apply("ann", config),
        Expect({"head": {"name": "b", "size": 1}}, {"bot": [".head.name", ".head.size"], **({"ann": [".head"]} if config else {})}),
    )


def test_an_updater_owns_every_level_it_makes() -> None:
    run(
        TREE,
        Apply("ann", {"head": {"name": "a"}}),
        Update("bot", {"head": {"name": "a"}, "texts": {"x": {"y": "1"}}, "wordLists": [{"name": "a", "words": ["z"]}]}),
        Expect(
            managed={
                "ann": [".head.name"],
                "bot": [
                    ".texts",
                    ".texts.x",
                    ".texts.x.y",
                    ".wordLists",
                    '.wordLists[name="a"]',
                    '.wordLists[name="a"].name',
                    '.wordLists[name="a"].words',
                    '.wordLists[name="a"].words[="z"]',
                ],
            }
        ),
    )


def test_an_updater_owns_only_the_levels_that_were_not_there() -> None:
    run(
        TREE,
        Apply("ann", {"texts": {"x": {"y": "1"}}}),
        Update("bot", {"texts": {"x": {"y": "1", "z": "2"}}}),
        Expect(managed={"ann": [".texts.x", ".texts.x.y"], "bot": [".texts.x.z"]}),
    )


def test_removing_a_level_takes_everything_in_it_from_everybody() -> None:
    run(
        TREE,
        Apply("ann", {"texts": {"x": {"y": "1"}}, "head": {"size": 1}}),
        Apply("ben", {"texts": {"x": {"z": "2"}}, "head": {"name": "b"}}),
        Update("bot", {"head": {"size": 1, "name": "b"}}),
        Expect(managed={"ann": [".head.size"], "ben": [".head.name"]}),
    )


def test_a_conflict_names_the_field_and_not_what_holds_it() -> None:
    run(
        TREE,
        Apply("ann", {"texts": {"x": {"y": "1"}}}),
        Apply("ben", {"texts": {"x": {"y": "2", "z": "3"}}}, conflicts=['"ann": .texts.x.y']),
    )
