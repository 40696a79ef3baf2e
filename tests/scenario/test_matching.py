"""Maps match as subsets, lists of maps by their merge key, other lists as unordered subsets."""

import pytest

from svcsim.scenario.matching import contrast, differences, fits


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


@pytest.mark.parametrize(
    ("pattern", "text", "is_so"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*c", "abc", True),
        ("a*c", "ac", True),
        ("a*a", "a", False),
        ("*b*", "abc", True),
        ("*b*b*", "abc", False),
        ("a*b*c", "axxbyyc", True),
        ("[a-c]b?", "abc", False),
        ("is [a-z0-9]([-a-z0-9]*[a-z0-9])?", "is [a-z0-9]([-a-z0-9]*[a-z0-9])?", True),
        ("list [a b] is it?", "list [a b] is it?", True),
        ("two\nlines*", "two\nlines\nand more", True),
    ],
)
def test_only_a_star_stands_for_anything(pattern, text, is_so):
    assert fits(pattern, text) is is_so


def test_of_long_values_that_begin_alike_the_first_difference_is_shown():
    told = contrast("x" * 500 + "wanted", "x" * 500 + "actual")
    assert told == f'wanted …{"x" * 40}wanted", is …{"x" * 40}actual"'
    assert contrast("a" * 500, "b") == f'wanted "{"a" * 196}…, is "b"'
