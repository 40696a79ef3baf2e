"""Schemas of custom resources are parsed as far as somebody looks."""

import pytest

from svcsim.apply.topology import ATOMIC, DEDUCED, Fields, topology
from svcsim.meta.types import Object
from svcsim.schema.common import object_struct
from svcsim.schema.structural import as_struct, parse
from svcsim.schema.structural_reading import Fill, Filling, structural_filler
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


def test_how_fields_merge_is_found_out_as_far_as_objects_reach():
    few, many = (object_struct(as_struct("Widget", parse(schema(fields), PREFIX))) for fields in (2, 500))
    assert steps_of(lambda: topology(many)) == steps_of(lambda: topology(few))
    spec = topology(many).child("spec")
    assert isinstance(spec, Fields)
    deep = spec.child("field7")
    assert isinstance(deep, Fields)
    assert deep is spec.child("field7")
    assert (deep.child("deep"), deep.child("nowhere"), "field499" in spec.known, "field500" in spec.known) == (ATOMIC, DEDUCED, True, False)


def nested(levels: int) -> Structural:
    """A schema with one default, so many levels below."""
    document: Object = {"type": "string", "default": "x"}
    for _ in range(levels):
        document = {"type": "object", "properties": {"below": document, "beside": {"type": "string"}}}
    return parse(document, PREFIX)


def test_defaults_are_searched_for_once():
    few, many = (steps_of(lambda levels=levels: structural_filler(nested(levels))) for levels in (10, 100))
    assert many < 12 * few


def test_defaults_of_many_fields_are_looked_at_where_there_is_something_to_fill_in():
    def filler_of(fields: int) -> Fill | None:
        document = schema(fields)
        for below in document["properties"]["spec"]["properties"].values():
            below["properties"]["deep"]["default"] = "x"
        node = parse(document, PREFIX)
        fill = structural_filler(node)
        parsed.append(len(node.properties["spec"].properties._made))
        return fill

    parsed: list[int] = []
    fill = filler_of(500)
    assert fill is not None
    assert parsed == [0]
    value: Object = {"spec": {"field7": {}, "field8": {"deep": "y"}, "other": {}}}
    fill(value, Filling())
    assert value == {"spec": {"field7": {"deep": "x"}, "field8": {"deep": "y"}, "other": {}}}


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
