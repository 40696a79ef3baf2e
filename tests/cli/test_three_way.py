"""The arithmetic of client-side apply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.cli.apply import parse_last_applied, with_last_applied
from svcsim.cli.three_way import merge
from svcsim.meta import merge_patch

KEY = "kubectl.svcapi.io/last-applied-configuration"


@pytest.mark.parametrize(
    ("original", "modified", "current", "result"),
    [
        pytest.param({}, {"a": 1}, {"b": 2}, {"b": 2, "a": 1}, id="what others set stays"),
        pytest.param({"a": 1}, {}, {"a": 1, "b": 2}, {"b": 2}, id="what is no longer applied goes"),
        pytest.param({"a": 1}, {}, {"b": 2}, {"b": 2}, id="what is gone already stays gone"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, id="what is applied wins over a change by others"),
        pytest.param(
            {"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"x": 1, "y": 2, "z": 3}}, {"a": {"x": 1, "z": 3}}, id="inside maps too"
        ),
        pytest.param({}, {"a": None}, {"a": 1}, {}, id="null takes a field away"),
        pytest.param({"l": [1, 2]}, {"l": [1, 3]}, {"l": [1, 2, 9]}, {"l": [1, 3]}, id="lists without keys are replaced"),
    ],
)
def test_maps_merge_three_ways(original, modified, current, result):
    assert merge(original, modified, current) == result


def containers(*items):
    return {"containers": [{"name": name, **rest} for name, rest in items]}


def test_items_with_a_name_are_merged_one_by_one():
    current = containers(("web", {"image": "a", "policy": "default"}), ("injected", {"image": "x"}))
    assert merge(containers(("web", {"image": "a"})), containers(("web", {"image": "b"})), current) == containers(
        ("web", {"image": "b", "policy": "default"}), ("injected", {"image": "x"})
    )


def test_an_item_that_is_no_longer_applied_goes_and_one_of_others_stays():
    before = containers(("web", {}), ("old", {}))
    current = containers(("injected", {}), ("web", {}), ("old", {}))
    assert merge(before, containers(("web", {})), current) == containers(("injected", {}), ("web", {}))


def test_items_come_in_the_order_in_which_they_are_applied_now():
    current = containers(("a", {}), ("b", {}), ("others", {}))
    assert merge(None, containers(("b", {}), ("a", {})), current) == containers(("b", {}), ("a", {}), ("others", {}))


def test_new_items_come_last():
    assert merge(None, containers(("a", {}), ("c", {})), containers(("a", {}), ("b", {}))) == containers(("a", {}), ("b", {}), ("c", {}))


def test_ports_that_their_key_does_not_tell_apart_are_replaced():
    dns = {"ports": [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]}
    assert merge(None, dns, {"ports": [{"containerPort": 53, "protocol": "TCP"}]}) == dns


def test_the_annotation_holds_the_object_without_itself():
    obj = {"kind": "ConfigMap", "metadata": {"name": "a", "annotations": {"x": "<y>"}}}
    once = with_last_applied(obj, KEY)
    assert with_last_applied(once, KEY) == once
    assert parse_last_applied(once["metadata"]["annotations"][KEY]) == obj


def test_an_annotation_that_cannot_be_read_counts_as_none():
    assert parse_last_applied("{") == parse_last_applied("[]") == parse_last_applied(None) == {}


VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3)


@given(OBJECTS, OBJECTS)
def test_applying_to_what_was_applied_gives_what_is_applied_now(original, modified):
    assert merge(original, modified, original) == modified


@given(OBJECTS, OBJECTS, OBJECTS)
def test_applying_again_changes_nothing(original, modified, current):
    once = merge(original, modified, current)
    assert merge(modified, modified, once) == once


@given(OBJECTS, OBJECTS, OBJECTS)
def test_the_patch_that_is_sent_makes_the_result(original, modified, current):
    wanted = merge(original, modified, current)
    assert merge_patch.apply(current, merge_patch.diff(current, wanted)) == wanted
