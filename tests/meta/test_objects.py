"""The words for what every object has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta import objects
from svcsim.meta.codec import same_json

VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)

JSON = st.recursive(
    st.sampled_from([None, False, True, 0, 1, 0.0, 1.0, 2, "", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
"""Few values, so that two of them are often equal for Python."""


def test_readers_answer_with_the_empty_value():
    assert (objects.name_of({}), objects.namespace_of({}), objects.uid_of({"metadata": None})) == ("", "", "")
    assert (objects.labels_of({}), objects.owner_references({}), objects.revision_of({})) == ({}, [], 0)
    assert objects.controller_of({}) is None
    assert not objects.is_terminating({})


def test_the_controller_is_the_owner_marked_so():
    owners = [{"uid": "1"}, {"uid": "2", "controller": True}]
    assert objects.controller_of({"metadata": {"ownerReferences": owners}}) == owners[1]


@pytest.mark.parametrize(("version", "gvk"), [("v1", ("", "v1", "Pod")), ("apps/v1", ("apps", "v1", "Pod"))])
def test_group_version_kind(version, gvk):
    assert objects.gvk_of({"apiVersion": version, "kind": "Pod"}) == gvk


def test_paths_are_read_and_written():
    obj = {}
    objects.set_path(obj, "spec.nodeName", "n1")
    assert obj == {"spec": {"nodeName": "n1"}}
    assert objects.get_path(obj, "spec.nodeName") == "n1"
    assert objects.get_path(obj, "spec.nodeName.deeper", 7) == 7


def test_a_transition_is_a_change_of_status():
    conditions = []
    assert objects.set_condition(conditions, {"type": "Ready", "status": "False"}, "t1")
    assert objects.set_condition(conditions, {"type": "Ready", "status": "False", "reason": "Why"}, "t2")
    assert conditions == [{"lastTransitionTime": "t1", "type": "Ready", "status": "False", "reason": "Why"}]
    assert objects.set_condition(conditions, {"type": "Ready", "status": "True"}, "t3")
    assert conditions[0]["lastTransitionTime"] == "t3"
    assert not objects.set_condition(conditions, {"type": "Ready", "status": "True"}, "t4")
    assert objects.condition_is({"status": {"conditions": conditions}}, "Ready")


@given(VALUES)
def test_a_copy_is_equal_and_shares_nothing(value):
    copy = objects.copy_json(value)
    assert objects.deep_equal(copy, value)
    assert copy is not value or not isinstance(value, dict | list)


@pytest.mark.parametrize(("left", "right", "same"), [(1, 1.0, True), (True, 1, False), ([0], [False], False), ({"a": None}, {}, False)])
def test_equality_is_that_of_json(left, right, same):
    assert objects.deep_equal(left, right) is same


@given(JSON, JSON)
def test_the_quick_equality_is_the_same(left, right):
    assert same_json(left, right) == objects.deep_equal(left, right)
    assert same_json(left, objects.copy_json(left))


def test_metadata_has_a_canonical_order():
    ordered = objects.order_metadata({"labels": {}, "strange": 1, "resourceVersion": "5", "name": "a"})
    assert list(ordered) == ["name", "resourceVersion", "labels", "strange"]


def test_labels_stand_in_one_line_in_the_order_of_their_texts() -> None:
    """So ``a-b=w`` comes before ``a=x``: what clients sort are the pairs, not their names."""
    assert objects.pairs_text({"a": "x", "a-b": "w", "a.c": "z"}) == "a-b=w,a.c=z,a=x"
    assert objects.pairs_text({}) == ""
