"""``${…}`` in strings: alone it is the value itself, elsewhere its text."""

import pytest

from svcsim.scenario.interpolation import expand, holes

VALUES = {"n": 3, "on": True, "none": None, "map": {"a": 1}, "name": "web"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${n}", 3),
        ("${map}", {"a": 1}),
        ("${name}-${n}", "web-3"),
        ("is ${on}, ${none}, ${map}", 'is true, , {"a":1}'),
        ("$${n} is ${n}", "${n} is 3"),
        ("$${n}", "${n}"),
        ("$n {n}", "$n {n}"),
        ({"a": ["${n}", {"b": "x${n}"}]}, {"a": [3, {"b": "x3"}]}),
    ],
)
def test_holes_are_filled(text, value):
    assert expand(text, VALUES.__getitem__) == value


def test_holes_know_where_they_begin():
    assert holes("a ${n} $${x} ${name}") == [("n", 4), ("name", 15)]
