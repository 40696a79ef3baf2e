"""What tells how one value differs from another: a patch that makes the other of it, and one that people can read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta import json_patch
from svcsim.meta.json_changes import changes
from svcsim.meta.objects import deep_equal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab~/", max_size=2),
    lambda children: st.lists(children, max_size=5) | st.dictionaries(st.text("ab~/", max_size=2), children, max_size=4),
    max_leaves=20,
)


@given(VALUES, VALUES)
def test_what_is_told_makes_one_of_the_other(before: object, after: object) -> None:
    assert deep_equal(json_patch.apply({"a": before}, changes({"a": before}, {"a": after})), {"a": after})


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["replace /a"]),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, ["add /a/c"]),
        ({"a~b/c": 1}, {}, ["remove /a~0b~1c"]),
        ([1, 2, 3], [1, 9, 2, 3], ["add /1"]),
        ([1, 2, 3, 4], [1, 4], ["remove /1", "remove /1"]),
        ([{"n": "a"}, {"n": "b"}], [{"n": "a", "x": 1}, {"n": "b"}], ["add /0/x"]),
        ([{"n": "a"}], [{"n": "a", "x": 1}, {"n": "b"}], ["add /0/x", "add /1"]),
    ],
)
def test_it_is_short(before: object, after: object, told: list[str]) -> None:
    assert [f"{operation['op']} {operation['path']}" for operation in changes(before, after)] == told
