"""What people are told about types and fields."""

from svcsim.schema.explain import describe
from tests.schema.shapes import WHOLE


def lines(path):
    return [(below.name, below.type) for below in describe(WHOLE, path).fields()]


def test_a_kind_is_described_with_its_fields_by_name():
    kind = describe(WHOLE)
    assert (kind.type, kind.doc) == ("Widget", "A thing for tests")
    assert lines(()) == [
        ("apiVersion", "string"),
        ("kind", "string"),
        ("metadata", "ObjectMeta"),
        ("spec", "WidgetSpec"),
        ("status", "map[string]string"),
    ]


def test_a_field_is_found_through_lists_maps_and_inlined_structs():
    assert describe(WHOLE, ("spec", "parts")).type == "[]Part"
    assert describe(WHOLE, ("spec", "parts", "ports", "target")).type == "IntOrString"
    assert describe(WHOLE, ("spec", "parts", "command")).type == "[]string"
    assert describe(WHOLE, ("spec", "tree", "children", "next", "label")).type == "string"


def test_each_type_has_a_word():
    types = dict(lines(("spec",)))
    assert types["ratio"] == "number"
    assert types["paused"] == "boolean"
    assert types["since"] == "string"
    assert types["extra"] == "Object"
    assert types["groups"] == "map[string][]string"
    assert dict(lines(("spec", "parts")))["limits"] == "map[string]Quantity"
    assert dict(lines(("metadata", "managedFields")))["fieldsV1"] == "FieldsV1"


def test_requirements_enumerations_and_defaults_are_told():
    assert describe(WHOLE, ("spec", "parts")).required
    mode = describe(WHOLE, ("spec", "mode"))
    assert (mode.enum, mode.default, mode.doc, mode.struct) == (("Fast", "Safe"), "Safe", "How it works", None)
    assert describe(WHOLE, ("spec", "parts", "ports", "protocol")).enum == ("TCP", "UDP")


def test_what_is_not_there_is_not_described():
    assert describe(WHOLE, ("spec", "odd")) is None
    assert describe(WHOLE, ("spec", "mode", "odd")) is None
