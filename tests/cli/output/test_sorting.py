"""``--sort-by``."""

import pytest

from svcsim.cli.failure import CommandError
from svcsim.cli.output.sorting import sort_objects


def order(values, expression=".v"):
    return [obj["v"] for obj in sort_objects([{"v": value} for value in values], expression)]


def test_numbers_sort_as_numbers():
    assert order([10, 9, 2.5]) == [2.5, 9, 10]


def test_texts_sort_letter_by_letter():
    assert order(["web-2", "v9", "web-10", "v10", "v02", "web-1", "V1"]) == ["V1", "v02", "v10", "v9", "web-1", "web-10", "web-2"]


def test_a_quantity_beside_another_text_is_text():
    assert order(["x", "10"]) == ["10", "x"]
    assert order(["100m", "!"]) == ["!", "100m"]


def test_quantities_sort_by_what_they_amount_to():
    assert order(["1Gi", "100m", "2", "1Mi"]) == ["100m", "2", "1Mi", "1Gi"]


def test_times_sort_in_time():
    assert order(["2024-02-01T00:00:00Z", "2024-01-31T00:00:00Z"]) == ["2024-01-31T00:00:00Z", "2024-02-01T00:00:00Z"]


def test_what_has_no_value_comes_first():
    assert [obj.get("v") for obj in sort_objects([{"v": 1}, {}], "{.v}")] == [None, 1]


def test_those_without_a_value_are_in_reverse_as_kubectl_has_them():
    objects = [{"n": 1}, {"n": 2, "v": 1}, {"n": 3}, {"n": 4, "v": 0}]
    assert [obj["n"] for obj in sort_objects(objects, "{.v}")] == [3, 1, 4, 2]


def test_equal_ones_keep_their_order():
    objects = [{"v": 1, "n": i} for i in range(5)]
    assert sort_objects(objects, ".v") == objects


def test_a_field_that_nobody_has_is_told():
    with pytest.raises(CommandError, match="couldn't find any field with path"):
        sort_objects([{"v": 1}], ".nope")


def test_maps_cannot_be_sorted():
    with pytest.raises(CommandError, match=r"unsortable type: map\[string\]interface \{\}"):
        sort_objects([{"v": {}}, {"v": {}}], ".v")
