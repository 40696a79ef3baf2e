"""Cells that tables of many kinds have."""

import pytest

from svcsim.kinds.shared.columns import labels_at, length_at, number_at, selector_at, text_at
from tests.kinds.helpers import context


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (3, "3"), ("25%", "25%"), (False, "false"), (True, "true"), ("", "N/A"), (None, "N/A")]
)
def test_a_text_is_missing_only_where_there_is_none(value, shown):
    assert text_at("spec.minAvailable", "N/A")({"spec": {"minAvailable": value}}, context()) == shown


def test_a_text_is_missing_where_the_field_or_what_it_stands_in_is():
    assert text_at("spec.minAvailable", "N/A")({"spec": {}}, context()) == "N/A"
    assert text_at("spec.minAvailable")({}, context()) == ""


def test_a_number_that_is_not_there_is_zero():
    cell = number_at("status.replicas")
    assert [cell(obj, context()) for obj in ({"status": {"replicas": 0}}, {"status": {"replicas": 2}}, {"status": {}}, {})] == [0, 2, 0, 0]


def test_lengths_of_several_fields_add_up():
    cell = length_at("data", "binaryData")
    assert [cell(obj, context()) for obj in ({"data": {"a": ""}, "binaryData": {"b": ""}}, {"data": {}}, {})] == [2, 0, 0]


def test_selectors_and_labels_are_shown_as_they_are_typed():
    obj = {"spec": {"selector": {"matchLabels": {"b": "2", "a": "1"}}, "labels": {"b": "2", "a": "1"}}}
    assert selector_at("spec.selector")(obj, context()) == "a=1,b=2"
    assert labels_at("spec.labels")(obj, context()) == "a=1,b=2"
    assert selector_at("spec.selector")({}, context()) == "<none>"
    assert selector_at("spec.selector")({"spec": {"selector": {}}}, context()) == "<none>"
    assert labels_at("spec.labels")({}, context()) == "<none>"
