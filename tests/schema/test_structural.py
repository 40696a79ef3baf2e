"""Schemas of custom resources are parsed as far as somebody looks."""

import pytest

from svcsim.meta.types import Object
from svcsim.schema.structural import as_struct, parse
from svcsim.schema.types import Structural
from tests.steps import steps_of

PREFIX = "x-kubernetes-"


def schema(fields: int) -> Object:
    """Of objects whose spec has so many fields."""
    below = {f"field{number}": {"type": "object", "properties": {"deep": {"type": "string"}}} for number in range(fields)}
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": below}}}


def test_a_schema_of_many_fields_costs_no_more_than_one_of_few_until_they_are_looked_at():
    few, many = (schema(fields) for fields in (2, 500))
    assert steps_of(lambda: as_struct("Widget", parse(many, PREFIX))) == steps_of(lambda: as_struct("Widget", parse(few, PREFIX)))


def test_a_property_is_parsed_once():
    properties = parse(schema(2), PREFIX).properties["spec"].properties
    assert list(properties) == ["field0", "field1"]
    assert len(properties) == 2
    assert properties["field0"] is properties["field0"] is properties.get("field0")
    assert properties["field0"].properties["deep"].type == "string"


def test_what_is_no_property_is_not_there():
    properties = parse(schema(1), PREFIX).properties["spec"].properties
    assert "field1" not in properties
    assert properties.get("field1", Structural(type="", document={})).type == ""
    with pytest.raises(KeyError):
        properties["field1"]
