"""Maps match as subsets, lists of maps by their merge key, other lists as unordered subsets."""

import pytest

from svcsim.scenario.matching import differences


@pytest.mark.parametrize(
    ("wanted", "actual"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": 1}}, {"a": {"b": 1.0, "c": 3}}),
        ({"a": None}, {"b": 1}),
        ([1, 2], [3, 2, 1]),
        ([{"name": "x", "v": 1}], [{"name": "y"}, {"name": "x", "v": 1, "w": 2}]),
        ([{"type": "Ready", "status": "True"}], [{"type": "Ready", "status": "True", "reason": "r"}]),
        ([{"v": 1}], [{"v": 2}, {"v": 1, "w": 1}]),
        ({"$exact": {"a": 1}}, {"a": 1}),
        ({"a": {"$exact": [1, 2]}}, {"a": [1, 2]}),
    ],
)
def test_it_matches(wanted, actual):
    assert differences(wanted, actual) == []


@pytest.mark.parametrize(
    ("wanted", "actual", "told"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b: wanted 1, is 2"),
        ({"a": 1}, {}, "a: wanted 1, is nothing"),
        ({"a": None}, {"a": 1}, "a: wanted nothing, is 1"),
        ({"a": True}, {"a": 1}, "a: wanted true, is 1"),
        ({"a": {"b": 1}}, {"a": 5}, 'a: wanted {"b":1}, is 5'),
        ([1, 1], [1, 2], "[1]: wanted 1, is nothing"),
        ({"c": [{"name": "x", "v": 1}]}, {"c": [{"name": "x", "v": 2}]}, "c[name=x].v: wanted 1, is 2"),
        ({"c": [{"name": "x"}]}, {"c": []}, 'c[name=x]: wanted {"name":"x"}, is nothing'),
        ({"$exact": {"a": 1}}, {"a": 1, "b": 2}, 'the value: wanted {"a":1}, is {"a":1,"b":2}'),
        ({"a": {"$exact": [1, 2]}}, {"a": [2, 1]}, "a: wanted [1,2], is [2,1]"),
    ],
)
def test_what_differs_is_told_with_its_path(wanted, actual, told):
    assert [str(difference) for difference in differences(wanted, actual)] == [told]
