"""A kind whose schema changes under its objects: sets of fields from before are made to fit as far as can be."""

import pytest

from svcsim.apply.ownership import reconcile
from svcsim.apply.topology import ATOMIC, Entries, Fields
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, List, Map, Str, Struct, Type
from tests.apply.state import Apply, Expect, ForceApply, Serve, Update, run

PAIR = (Field(1, "left", Int()), Field(2, "right", Str()))
ROW = Struct("Row", Field(1, "name", Str()), Field(2, "id", Int()), Field(3, "value", Int()))
ROW_WITH_DEFAULT = Struct("Row", Field(1, "name", Str()), Field(2, "id", Int(), default=1), Field(3, "value", Int()))


def having(declared: Type) -> Struct:
    return Struct("Sheet", Field(1, "it", declared), Field(2, "other", Int()))


GRANULAR, WHOLE = having(Struct("Pair", *PAIR)), having(Struct("Pair", *PAIR, atomic=True))
BY_NAME = having(List(item=ROW, list_type="map", keys=("name",)))
BY_NAME_AND_ID = having(List(item=ROW, list_type="map", keys=("name", "id")))
BY_NAME_AND_DEFAULT_ID = having(List(item=ROW_WITH_DEFAULT, list_type="map", keys=("name", "id")))


def test_who_owned_a_part_owns_all_of_what_became_atomic() -> None:
    run(
        GRANULAR,
        Apply("ann", {"it": {"left": 1}}),
        Serve(WHOLE),
        Apply("ben", {"it": {"right": "x"}}, conflicts=['"ann": .it']),
        ForceApply("ben", {"it": {"right": "x"}}),
        Expect({"it": {"right": "x"}}, {"ben": [".it"]}),
    )


def test_who_owned_no_part_owns_nothing_of_what_became_atomic() -> None:
    run(
        GRANULAR,
        Apply("ann", {"it": {"left": 1}}),
        ForceApply("ben", {"it": {"left": 2}}),
        Serve(WHOLE),
        Apply("cat", {"it": {"right": "x"}}, conflicts=['"ben": .it']),
        ForceApply("ben", {"it": {"right": "x"}}),
        Expect({"it": {"right": "x"}}, {"ben": [".it"]}),
    )


def test_two_who_owned_parts_both_own_what_became_atomic() -> None:
    run(
        GRANULAR,
        Apply("ann", {"it": {"left": 1}}),
        Apply("ben", {"it": {"right": "x"}}),
        Serve(WHOLE),
        Apply("cat", {"it": {"left": 3}}, conflicts=['"ann": .it', '"ben": .it']),
    )


def test_an_update_of_what_became_atomic_takes_the_parts() -> None:
    run(
        GRANULAR,
        Apply("ann", {"it": {"left": 1}, "other": 1}),
        Serve(WHOLE),
        Update("bot", {"it": {"left": 2}, "other": 1}),
        Expect(managed={"ann": [".other"], "bot": [".it"]}),
    )


def test_what_became_granular_is_no_longer_in_its_owners_way() -> None:
    run(
        WHOLE,
        Apply("ann", {"it": {"left": 1, "right": "a"}}),
        Apply("ben", {"it": {"right": "b"}}, conflicts=['"ann": .it']),
        Serve(GRANULAR),
        Apply("ben", {"it": {"right": "b"}}),
        Expect({"it": {"left": 1, "right": "b"}}, {"ann": [".it"], "ben": [".it.right"]}),
    )


def test_who_applies_what_became_granular_again_owns_its_parts() -> None:
    run(
        WHOLE,
        Apply("ann", {"it": {"left": 1, "right": "a"}}),
        Serve(GRANULAR),
        Apply("ann", {"it": {"left": 1, "right": "a"}}),
        Expect({"it": {"left": 1, "right": "a"}}, {"ann": [".it.left", ".it.right"]}),
    )


BOTH_GRANULAR, BOTH_WHOLE = {"v1": GRANULAR, "v2": GRANULAR}, {"v1": WHOLE, "v2": WHOLE}


def test_who_owned_a_part_in_another_version_owns_all_of_what_became_atomic() -> None:
    run(
        BOTH_GRANULAR,
        Apply("ann", {"it": {"left": 1}}),
        Serve(BOTH_WHOLE),
        Apply("ben", {"it": {"right": "x"}}, version="v2", conflicts=['"ann": .it']),
        Apply("ben", {"other": 1}, version="v2"),
        Expect(managed={"ann": [".it"], "ben@v2": [".other"]}),
    )


def test_a_set_is_made_to_fit_the_schema_of_its_own_version() -> None:
    run(
        BOTH_GRANULAR,
        Apply("ann", {"it": {"left": 1}}),
        Serve({"v1": GRANULAR, "v2": WHOLE}),
        Apply("ben", {"other": 1}, version="v2"),
        Expect(managed={"ann": [".it.left"], "ben@v2": [".other"]}),
    )


def test_an_applier_who_goes_on_in_another_version_gives_up_all_of_what_became_atomic() -> None:
    run(
        BOTH_GRANULAR,
        Apply("ann", {"it": {"left": 1}, "other": 1}),
        Serve(BOTH_WHOLE),
        Apply("ann", {"other": 1}, version="v2"),
        Expect({"other": 1}, {"ann@v2": [".other"]}),
    )


def test_an_updater_who_owned_a_part_owns_all_of_what_became_atomic() -> None:
    run(
        GRANULAR,
        Update("bot", {"it": {"left": 1}}),
        Serve(WHOLE),
        Update("bot", {"it": {"left": 1}, "other": 1}),
        Expect(managed={"bot": [".it", ".other"]}),
        Update("bot", {"other": 1}),
        Expect(managed={"bot": [".other"]}),
    )


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        (List(item=Str(), list_type="set"), List(item=Str(), list_type="atomic"), ["a"]),
        (List(item=ROW, list_type="map", keys=("name",)), List(item=ROW, list_type="atomic"), [{"name": "a"}]),
        (Map(value=Str()), Map(value=Str(), atomic=True), {"a": "1"}),
    ],
)
def test_a_list_or_map_that_becomes_atomic_is_owned_by_who_owned_a_part(before: Type, after: Type, value: Json) -> None:
    run(
        having(before),
        Apply("ann", {"it": value}),
        Serve(having(after)),
        Apply("ben", {"it": type(value)()}, conflicts=['"ann": .it']),
        Apply("ann", {"it": value}),
        Expect({"it": value}, {"ann": [".it"]}),
    )


def test_an_atomic_list_that_becomes_a_set_keeps_its_members() -> None:
    run(
        having(List(item=Str(), list_type="atomic")),
        Apply("ann", {"it": ["a", "b"]}),
        Serve(having(List(item=Str(), list_type="set"))),
        Apply("ben", {"it": ["c"]}),
        Expect({"it": ["a", "b", "c"]}, {"ann": [".it"], "ben": ['.it[="c"]']}),
    )


def test_an_atomic_list_that_becomes_keyed_keeps_its_items() -> None:
    run(
        having(List(item=ROW, list_type="atomic")),
        Apply("ann", {"it": [{"name": "a", "value": 1}]}),
        Serve(BY_NAME),
        Apply("ben", {"it": [{"name": "b", "value": 2}]}),
        Expect(
            {"it": [{"name": "a", "value": 1}, {"name": "b", "value": 2}]},
            {"ann": [".it"], "ben": ['.it[name="b"]', '.it[name="b"].name', '.it[name="b"].value']},
        ),
    )


def test_a_new_field_is_anybodys() -> None:
    before = Struct("Sheet", Field(1, "other", Int()))
    run(
        before,
        Apply("ann", {"other": 1}),
        Serve(GRANULAR),
        Apply("ben", {"it": {"left": 1}}),
        Expect({"other": 1, "it": {"left": 1}}, {"ann": [".other"], "ben": [".it.left"]}),
    )


def test_a_field_that_is_no_longer_declared_is_still_given_up() -> None:
    run(
        GRANULAR,
        Apply("ann", {"it": {"left": 1}, "other": 1}),
        Serve(Struct("Sheet", Field(2, "other", Int()))),
        Apply("ann", {"other": 1}),
        Expect(managed={"ann": [".other"]}),
    )


def row(name: str, row_id: int | None, *fields: str) -> list[str]:
    item = f'.it[name="{name}"]' if row_id is None else f'.it[id={row_id},name="{name}"]'
    return [item, *(f"{item}.{field}" for field in fields)]


def test_a_new_key_with_a_default_tells_items_apart_that_were_one() -> None:
    after: Object = {
        "it": [
            {"name": "a", "value": 2},
            {"name": "b", "id": 1, "value": 2},
            {"name": "c", "value": 1},
            {"name": "c", "id": 2, "value": 2},
        ]
    }
    run(
        BY_NAME,
        Apply("ann", {"it": [{"name": name, "value": 1} for name in "abc"]}),
        Serve(BY_NAME_AND_DEFAULT_ID),
        Apply("ann", after),
        Expect(
            after,
            {
                "ann": [
                    *row("a", 1, "name", "value"),
                    *row("b", 1, "id", "name", "value"),
                    *row("c", 1, "name", "value"),
                    *row("c", 2, "id", "name", "value"),
                ]
            },
        ),
    )


def test_a_new_key_without_a_default_leaves_items_without_it_as_they_were() -> None:
    after: Object = {"it": [{"name": "a", "value": 2}, {"name": "a", "id": 1, "value": 1}]}
    run(
        BY_NAME,
        Apply("ann", {"it": [{"name": "a", "value": 1}]}),
        Serve(BY_NAME_AND_ID),
        Apply("ann", after),
        Expect(after, {"ann": [*row("a", 1, "id", "name", "value"), *row("a", None, "name", "value")]}),
    )


@pytest.mark.parametrize("more", [[], [{"name": "a", "id": 2, "value": 2}]])
def test_a_field_that_becomes_a_key_is_the_items(more: list[Object]) -> None:
    after: Object = {"it": [{"name": "a", "id": 1, "value": 5}, *more]}
    run(
        BY_NAME,
        Apply("ann", {"it": [{"name": "a", "id": 1, "value": 1}]}),
        Serve(BY_NAME_AND_ID),
        Apply("ann", after),
        Expect(after, {"ann": [*row("a", 1, "id", "name", "value"), *(row("a", 2, "id", "name", "value") if more else [])]}),
    )


def test_sets_are_made_to_fit_at_every_level() -> None:
    node = Fields({"spec": Fields({"selector": ATOMIC, "data": Entries(ATOMIC)})})
    before = {"f:spec": {"f:selector": {"f:a": {}}, "f:data": {"f:b": {}}}}
    assert reconcile(node, before) == {"f:spec": {"f:selector": {}, "f:data": {"f:b": {}}}}
