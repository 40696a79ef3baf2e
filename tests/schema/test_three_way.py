"""Strategic patches made of three states: what they say, and what applying them comes to."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.errors import StatusError
from svcsim.schema.strategic import strategic_merge
from svcsim.schema.three_way import conflicting, three_way_patch
from svcsim.schema.types import Field, Int, List, Map, Raw, Ref, Str, Struct

PORT = Struct("Port", Field(1, "port", Int()), Field(2, "name", Str()), Field(3, "protocol", Str()))
SOURCE = Struct("Source", Field(1, "name", Str()), Field(2, "disk", Map(Str())), Field(3, "memory", Map(Str())))
PART = Struct(
    "Part",
    Field(1, "name", Str()),
    Field(2, "image", Str()),
    Field(3, "ports", List(PORT, merge_key="port")),
    Field(4, "args", List(Str())),
)
SPEC = Struct(
    "Spec",
    Field(1, "mode", Str()),
    Field(2, "labels", Map(Str())),
    Field(3, "parts", List(PART, merge_key="name")),
    Field(4, "finalizers", List(Str()), patch="merge"),
    Field(5, "strategy", Map(Raw()), patch="retainKeys"),
    Field(6, "sources", List(SOURCE, merge_key="name"), patch="merge,retainKeys"),
    Field(7, "whole", Map(Str()), patch="replace"),
    Field(8, "inner", Ref(target=lambda: SPEC)),
    Field(9, "extra", Raw()),
)


def patch(original, modified, current):
    states = (original, modified, current)
    before = copy.deepcopy(states)
    made = three_way_patch(original, modified, current, SPEC)
    assert states == before
    return made


def parts(*items):
    return {"parts": [{"name": name, **rest} for name, rest in items]}


def test_nothing_to_do_makes_an_empty_patch():
    live = {"mode": "x", "parts": [{"name": "a", "image": "1", "args": []}], "finalizers": ["f"]}
    assert patch({}, {"mode": "x", "parts": [{"name": "a"}], "finalizers": ["f"]}, live) == {}


def test_what_is_not_applied_any_more_is_taken_away():
    assert patch({"mode": "x", "labels": {"a": "1", "b": "2"}}, {"labels": {"a": "1"}}, {"mode": "x", "labels": {"a": "1", "c": "3"}}) == {
        "mode": None,
        "labels": {"b": None},
    }


def test_a_changed_item_is_told_by_its_key_with_the_order_of_all():
    live = parts(("a", {"image": "1", "args": ["x"]}), ("b", {}))
    assert patch({}, parts(("a", {"image": "2"}), ("b", {})), live) == {
        "$setElementOrder/parts": [{"name": "a"}, {"name": "b"}],
        "parts": [{"name": "a", "image": "2"}],
    }


def test_an_item_that_is_not_applied_any_more_is_deleted_by_its_key():
    assert patch(parts(("a", {}), ("b", {})), parts(("a", {})), parts(("a", {}), ("b", {}), ("theirs", {}))) == {
        "$setElementOrder/parts": [{"name": "a"}],
        "parts": [{"name": "b", "$patch": "delete"}],
    }


def test_another_order_alone_is_told_too():
    assert patch({}, parts(("b", {}), ("a", {})), parts(("a", {}), ("b", {}))) == {"$setElementOrder/parts": [{"name": "b"}, {"name": "a"}]}


def test_items_inside_items_are_merged():
    live = parts(("a", {"ports": [{"port": 80, "protocol": "TCP"}, {"port": 90, "protocol": "TCP"}]}))
    assert patch(parts(("a", {"ports": [{"port": 90}]})), parts(("a", {"ports": [{"port": 80}]})), live) == {
        "$setElementOrder/parts": [{"name": "a"}],
        "parts": [
            {"name": "a", "$setElementOrder/ports": [{"port": 80}], "ports": [{"port": 90, "$patch": "delete"}]},
        ],
    }


def test_merged_values_are_added_and_deleted_one_by_one():
    assert patch({"finalizers": ["a", "b"]}, {"finalizers": ["c", "a"]}, {"finalizers": ["a", "b", "theirs"]}) == {
        "finalizers": ["c"],
        "$deleteFromPrimitiveList/finalizers": ["b"],
        "$setElementOrder/finalizers": ["c", "a"],
    }


def test_lists_without_a_strategy_are_replaced():
    assert patch({}, parts(("a", {"args": ["y"]})), parts(("a", {"args": ["x"]})))["parts"] == [{"name": "a", "args": ["y"]}]


def test_unions_tell_which_keys_may_stay():
    live = {"strategy": {"type": "Rolling", "rolling": {"surge": 1}}}
    assert patch({}, {"strategy": {"type": "Recreate"}}, live) == {"strategy": {"type": "Recreate", "$retainKeys": ["type"]}}
    assert patch({}, {"strategy": {"type": "Rolling"}}, live) == {"strategy": {"$retainKeys": ["type"]}}
    assert patch({}, {"strategy": {"type": "Rolling", "rolling": {}}}, live) == {}


def test_items_that_are_unions_tell_it_too():
    live = {"sources": [{"name": "a", "disk": {"id": "1"}}]}
    made = patch({}, {"sources": [{"name": "a", "memory": {}}]}, live)
    assert made["sources"] == [{"name": "a", "memory": {}, "$retainKeys": ["memory", "name"]}]
    assert strategic_merge(live, made, SPEC) == {"sources": [{"name": "a", "memory": {}}]}


def test_maps_of_the_replace_strategy_are_sent_whole():
    assert patch({}, {"whole": {"a": "1"}}, {"whole": {"b": "2"}}) == {"whole": {"a": "1"}}


def test_a_port_open_for_two_protocols_stays_both():
    ports = [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]
    assert patch({}, parts(("a", {"ports": ports})), parts(("a", {"ports": ports}))) == {}
    assert patch({}, parts(("a", {"ports": ports})), parts(("b", {})))["parts"] == [{"name": "a", "ports": ports}]


def test_an_item_without_its_key_is_refused():
    with pytest.raises(StatusError, match="does not contain declared merge key: name") as refused:
        patch({}, {"parts": [{"image": "x"}]}, parts(("a", {})))
    assert refused.value.code == 422


def test_a_conflict_is_setting_what_others_set_to_something_else():
    original, live = {"mode": "a", "labels": {"x": "1"}}, {"mode": "theirs", "labels": {"x": "1"}}
    assert conflicting(patch(original, {"mode": "mine", "labels": {"x": "1"}}, live), original, live, SPEC)
    assert not conflicting(patch(original, {"mode": "theirs", "labels": {"x": "2"}}, live), original, live, SPEC)


# --- properties ---

texts = st.sampled_from(["x", "y", "z"])
texts_by_key = st.dictionaries(st.sampled_from("abc"), texts, max_size=3)


def items(key, names, **fields):
    optional = {name: value for name, value in fields.items() if name != key}
    item = st.fixed_dictionaries({key: names}, optional=optional)
    return st.lists(item, max_size=3, unique_by=lambda one: one[key])


ports = items("port", st.integers(1, 4), name=texts, protocol=texts)
some_parts = items("name", st.sampled_from("abcd"), image=texts, ports=ports, args=st.lists(texts, max_size=2))
specs = st.fixed_dictionaries(
    {},
    optional={
        "mode": texts,
        "labels": texts_by_key,
        "parts": some_parts,
        "finalizers": st.lists(st.sampled_from("abcd"), max_size=3, unique=True),
        "extra": texts_by_key,
    },
)


def holds(wanted, live):
    """Whether ``live`` has all that ``wanted`` says; items of merged lists may have others between them."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(key in live and holds(value, live[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        key = "port" if "port" in wanted[0] else "name"
        here = {item[key]: item for item in live}
        in_order = [item[key] for item in live if item[key] in [one[key] for one in wanted]]
        return in_order == [one[key] for one in wanted] and all(holds(item, here[item[key]]) for item in wanted)
    if isinstance(wanted, list):
        return [item for item in live if item in wanted] == wanted or live == wanted
    return wanted == live


@given(specs, specs, specs)
def test_applying_the_patch_gives_all_that_is_applied(original, modified, live):
    after = strategic_merge(live, three_way_patch(original, modified, live, SPEC), SPEC)
    assert holds(modified, after)


@given(specs, specs, specs)
def test_applying_it_twice_changes_nothing_more(original, modified, live):
    after = strategic_merge(live, three_way_patch(original, modified, live, SPEC), SPEC)
    again = three_way_patch(modified, modified, after, SPEC)
    assert strategic_merge(after, again, SPEC) == after


@given(specs, specs, specs)
def test_what_others_added_is_kept_and_what_was_dropped_is_gone(original, modified, live):
    after = strategic_merge(live, three_way_patch(original, modified, live, SPEC), SPEC)
    for key, value in live.items():
        if key not in original and key not in modified:
            assert after[key] == value
    assert not [key for key in original if key not in modified and key in after]
    if "parts" in modified:
        mine = {part["name"] for part in modified["parts"]}
        dropped = {part["name"] for part in original.get("parts", [])} - mine
        theirs = {part["name"] for part in live.get("parts", [])} - mine - dropped
        assert {part["name"] for part in after["parts"]} == mine | theirs


@given(specs)
def test_an_object_as_it_was_applied_needs_no_patch(spec):
    assert three_way_patch(spec, spec, spec, SPEC) == {}
