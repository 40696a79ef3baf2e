"""Filling in what was left out."""

import copy

from hypothesis import given

from svcsim.schema.compile import compile_struct
from svcsim.schema.types import Bool, Field, Int, Map, Str, Struct
from tests.schema.shapes import WHOLE, WIDGETS, widget

WIDGET = compile_struct(WHOLE)


def completed(schema, value):
    compile_struct(schema).default(value)
    return value


def test_what_was_left_out_is_filled_in_at_every_level():
    spec = completed(WHOLE, widget(parts=[{"name": "a", "ports": [{"port": 1}]}], tree={"children": {"x": {}}}))["spec"]
    assert spec["replicas"] == 1
    assert spec["mode"] == "Safe"
    assert spec["range"] == {}
    assert spec["parts"] == [{"name": "a", "ports": [{"port": 1, "protocol": "TCP"}], "ready": False, "twin": "a"}]
    assert spec["tree"] == {"label": "leaf", "children": {"x": {"label": "leaf"}}}


def test_what_was_said_stays():
    assert completed(WHOLE, widget(replicas=0, mode="Fast"))["spec"]["replicas"] == 0


def test_an_empty_string_counts_as_left_out_unless_it_means_something():
    spec = completed(WHOLE, widget(mode="", **{"class": ""}))["spec"]
    assert (spec["mode"], spec["class"]) == ("Safe", "")


def test_a_zero_counts_as_left_out_where_its_presence_means_nothing():
    schema = Struct("T", Field(1, "period", Int(), default=10, presence=False), Field(2, "count", Int(), default=3))
    assert completed(schema, {"period": 0, "count": 0}) == {"period": 10, "count": 0}


def test_required_numbers_and_truths_are_zero_if_zero_is_allowed():
    schema = Struct(
        "T",
        Field(1, "ready", Bool(), required=True),
        Field(2, "count", Int(), required=True),
        Field(3, "port", Int(minimum=1), required=True),
        Field(4, "told", Bool(), required=True, presence=True),
        Field(5, "name", Str(), required=True),
    )
    assert completed(schema, {}) == {"ready": False, "count": 0}


def test_defaults_are_not_shared_between_objects():
    first, second = completed(WHOLE, widget()), completed(WHOLE, widget())
    first["spec"]["range"]["from"] = 1
    assert second["spec"]["range"] == {}


def test_a_struct_sees_its_own_constants_but_not_yet_those_of_its_children():
    seen = []
    child = Struct("C", Field(1, "x", Int(), default=1))
    schema = Struct(
        "T", Field(1, "a", Str(), default="A"), Field(2, "child", child, default={}), fill=lambda value: seen.append(copy.deepcopy(value))
    )
    assert completed(schema, {}) == {"a": "A", "child": {"x": 1}}
    assert seen == [{"a": "A", "child": {}}]


def test_completion_of_an_inlined_struct_works_on_its_parent():
    inner = Struct("I", Field(1, "a", Int(), default=1), fill=lambda value: value.setdefault("b", value["a"] + 1))
    schema = Struct("T", Field(1, "inner", inner, inline=True), fill=lambda value: value.setdefault("c", value["b"] + 1))
    assert completed(schema, {}) == {"a": 1, "b": 2, "c": 3}


def test_maps_of_structs_are_completed():
    schema = Struct("T", Field(1, "m", Map(Struct("C", Field(1, "x", Int(), default=1)))))
    assert completed(schema, {"m": {"k": {}}}) == {"m": {"k": {"x": 1}}}


@given(WIDGETS)
def test_completing_twice_is_completing_once(sent):
    once = WIDGET.decode(sent)[0]
    WIDGET.default(once)
    twice = copy.deepcopy(once)
    WIDGET.default(twice)
    assert twice == once


@given(WIDGETS)
def test_what_was_completed_reads_as_itself(sent):
    done = WIDGET.decode(sent)[0]
    WIDGET.default(done)
    assert WIDGET.decode(done) == (done, [])
