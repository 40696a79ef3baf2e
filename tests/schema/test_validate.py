"""Finding all that is wrong, with paths and words as API clients know them."""

import pytest
from hypothesis import given

from svcsim.meta.errors import invalid_value
from svcsim.schema.common import CONDITION, LABEL_SELECTOR, OBJECT_META
from svcsim.schema.compile import compile_struct
from svcsim.schema.quick_check import quick_struct_checker
from svcsim.schema.types import Field, Int, List, Map, Str, Struct
from svcsim.schema.validate import checker
from tests.schema.shapes import WHOLE, WIDGETS, widget

WIDGET = compile_struct(WHOLE)


def findings(schema, value):
    return [f"{finding.path}: {finding.message}" for finding in compile_struct(schema).validate(value)]


def told(**spec):
    sent = WIDGET.decode(widget(**spec))[0]
    WIDGET.default(sent)
    return findings(WHOLE, sent)


def test_a_good_object_has_no_findings():
    assert told() == []


@pytest.mark.parametrize(
    ("spec", "finding"),
    [
        ({"parts": []}, "spec.parts: Required value"),
        ({"parts": [{}]}, "spec.parts[0].name: Required value"),
        ({"parts": [{"name": ""}]}, "spec.parts[0].name: Required value"),
        ({"parts": [{"name": "a", "ports": [{}]}]}, "spec.parts[0].ports[0].port: Required value"),
        ({"mode": "Odd"}, 'spec.mode: Unsupported value: "Odd": supported values: "Fast", "Safe"'),
        ({"replicas": -1}, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (
            {"parts": [{"name": "a", "ports": [{"port": 1}, {"port": 70000}]}]},
            "spec.parts[0].ports[1].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
        ),
        ({"tags": ["a", "b", "a"]}, 'spec.tags[2]: Duplicate value: "a"'),
        ({"parts": [{"name": "a"}, {"name": "a"}]}, 'spec.parts[1].name: Duplicate value: "a"'),
        (
            {"parts": [{"name": "a", "ports": [{"port": 1}, {"port": 1, "protocol": "UDP"}, {"port": 1, "name": "x"}]}]},
            'spec.parts[0].ports[2]: Duplicate value: {"port":1,"protocol":"TCP"}',
        ),
        ({"range": {"from": 1}}, 'spec.range: Invalid value: ["from"]: must have both ends or neither'),
        ({"parts": [{"name": "a", "httpPath": "forbidden"}]}, 'spec.parts[0].httpPath: Invalid value: "forbidden": must not be forbidden'),
    ],
)
def test_a_broken_rule_is_told_with_its_path(spec, finding):
    assert told(**spec) == [finding]


def test_all_findings_are_told_in_the_order_of_the_fields():
    assert [line.split(":")[0] for line in told(mode="Odd", replicas=-1, parts=[{"name": "a"}, {}])] == [
        "spec.replicas",
        "spec.parts[1].name",
        "spec.mode",
    ]


def test_maps_are_told_by_their_keys():
    schema = Struct("T", Field(1, "data", Map(Int(minimum=0))))
    assert findings(schema, {"data": {"a.b": -1}}) == ["data[a.b]: Invalid value: -1: must be greater than or equal to 0"]


def test_rules_of_field_type_and_struct_all_speak():
    def rule(name):
        return lambda value, path: [invalid_value(path, name, "is wrong")]

    schema = Struct("T", Field(1, "a", Str(rules=(rule("type"),)), rules=(rule("field"),)), rules=(rule("struct"),))
    assert [line.split('"')[1] for line in findings(schema, {"a": "x"})] == ["type", "field", "struct"]


def test_a_rule_of_the_whole_object_names_fields_from_the_top():
    schema = Struct("T", rules=(lambda value, path: [invalid_value(f"{path}.spec.x", 1, "is wrong")],))
    assert findings(schema, {}) == ["spec.x: Invalid value: 1: is wrong"]


def test_rules_of_an_inlined_struct_see_the_parent():
    inner = Struct("I", Field(1, "a", Int()), rules=(lambda value, path: [invalid_value(path, value["b"], "is wrong")],))
    schema = Struct("T", Field(1, "t", Struct("P", Field(1, "inner", inner, inline=True), Field(2, "b", Int()))))
    assert findings(schema, {"t": {"b": 7}}) == ["t: Invalid value: 7: is wrong"]


def test_an_empty_string_fails_no_enumeration_unless_it_means_something():
    schema = Struct("T", Field(1, "a", Str(enum=("x",))), Field(2, "b", Str(enum=("x",)), presence=True))
    assert findings(schema, {"a": "", "b": ""}) == ['b: Unsupported value: "": supported values: "x"']


def test_a_required_string_may_be_empty_if_that_is_its_default():
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z", "reason": "R", "message": ""}
    assert findings(CONDITION, condition) == []
    assert findings(CONDITION, {**condition, "reason": ""}) == ["reason: Required value"]


def test_lists_whose_marks_came_late_may_repeat_items():
    assert findings(OBJECT_META, {"finalizers": ["a", "a"]}) == []


def test_numbers_and_truth_values_are_no_duplicates():
    schema = Struct("T", Field(1, "a", List(Struct("I", Field(1, "k", Str())), list_type="map", keys=("k",))))
    assert findings(schema, {"a": [{"k": 1}, {"k": True}, {"k": 1}]}) == ["a[2].k: Duplicate value: 1"]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"operator": "In", "values": ["a"]}, []),
        ({"operator": "In"}, ["matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"]),
        (
            {"operator": "Exists", "values": ["a"]},
            ["matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
        ),
        ({"operator": "Odd"}, ['matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator']),
        ({"operator": ""}, ['matchExpressions[0].operator: Invalid value: "": not a valid selector operator']),
    ],
)
def test_operators_of_selectors_go_with_their_values(requirement, expected):
    assert findings(LABEL_SELECTOR, {"matchExpressions": [{"key": "app", **requirement}]}) == expected


@given(WIDGETS)
def test_validation_never_fails_and_changes_nothing(sent):
    read = WIDGET.decode(sent)[0]
    WIDGET.default(read)
    before = repr(read)
    WIDGET.validate(read)
    assert repr(read) == before


@given(WIDGETS)
def test_the_quick_look_and_the_one_that_tells_agree(sent):
    read, _ = compile_struct(WHOLE).decode(sent)
    found = []
    checker(WHOLE)(read, "", found)
    assert quick_struct_checker(WHOLE)(read) == (not found)


def test_of_a_changed_object_only_what_changed_is_looked_at() -> None:
    schema = compile_struct(Struct("Thing", Field(1, "a", Int(minimum=1)), Field(2, "b", Str(), required=True)))
    assert schema.validate_change({"a": 0, "b": "x"}, {"a": 0, "b": "y"}) == []
    assert [finding.path for finding in schema.validate_change({"a": -1, "b": "x"}, {"a": 0, "b": "x"})] == ["a"]
    assert [finding.path for finding in schema.validate_change({"a": 0}, {"a": 0, "b": "x"})] == ["b"]
