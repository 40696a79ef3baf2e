"""Reading objects: what is kept, in which order, and what is refused with which words."""

import pytest
from hypothesis import given

from svcsim.limits import SCHEMA_SELF_NESTING, UNKNOWN_FIELDS
from svcsim.meta.errors import StatusError
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from svcsim.schema.decode import decoder
from svcsim.schema.types import Bytes, Field, List, Map, Raw, Str, Struct
from tests.schema.shapes import WHOLE, WIDGETS, widget

WIDGET = compile_struct(WHOLE)


def decode(value):
    return WIDGET.decode(value)[0]


def refusal(**spec):
    with pytest.raises(StatusError) as refused:
        WIDGET.decode(widget(**spec))
    assert (refused.value.code, refused.value.reason) == (400, "BadRequest")
    return refused.value.message


def test_declared_fields_come_out_in_declared_order():
    sent = {"spec": {"mode": "Fast", "replicas": 2}, "metadata": {"labels": {"b": "1", "a": "2"}, "resourceVersion": "5", "name": "w"}}
    read = decode({**sent, "apiVersion": "v1", "kind": "Widget"})
    assert list(read) == ["kind", "apiVersion", "metadata", "spec"]
    assert list(read["metadata"]) == ["name", "resourceVersion", "labels"]
    assert list(read["metadata"]["labels"]) == ["b", "a"]
    assert list(read["spec"]) == ["replicas", "mode"]


def test_the_object_that_was_sent_is_left_alone():
    sent = widget(parts=[{"name": "a", "odd": 1, "limits": {"cpu": "1000m"}}])
    read = decode(sent)
    assert sent["spec"]["parts"] == [{"name": "a", "odd": 1, "limits": {"cpu": "1000m"}}]
    assert read["spec"]["parts"] == [{"name": "a", "limits": {"cpu": "1"}}]


def test_unknown_fields_are_dropped_and_told_with_their_paths():
    sent = widget(
        foo=1, parts=[{"name": "a"}, {"name": "b", "bar": None, "ports": [{"port": 1, "x": {}}]}], tree={"children": {"k": {"y": 1}}}
    )
    sent["zip"] = []
    read, unknown = WIDGET.decode(sent)
    assert unknown == ["spec.foo", "spec.parts[1].bar", "spec.parts[1].ports[0].x", "spec.tree.children.k.y", "zip"]
    assert WIDGET.decode(read)[1] == []


def test_only_so_many_unknown_fields_are_told():
    unknown = WIDGET.decode(widget(**{f"x{i}": 1 for i in range(UNKNOWN_FIELDS + 50)}))[1]
    assert len(unknown) == UNKNOWN_FIELDS


def test_nulls_are_absent_in_structs_and_zeros_in_lists_and_maps():
    read = decode(widget(replicas=None, tags=[None, "x"], parts=[None], files={"f": None}, groups={"g": None}))
    assert read["spec"] == {"parts": [{}], "tags": ["", "x"], "files": {"f": ""}, "groups": {"g": []}}


def test_a_null_in_a_list_of_anything_stays():
    kind = compile_struct(Struct("T", Field(1, "items", List(Raw()))))
    assert kind.decode({"items": [None, {"a": None}]})[0] == {"items": [None, {"a": None}]}


def test_inlined_structs_stand_in_their_parent():
    assert decode(widget(parts=[{"httpPath": "/", "name": "a", "command": ["x"]}]))["spec"]["parts"] == [
        {"name": "a", "command": ["x"], "httpPath": "/"}
    ]


def test_a_field_without_presence_loses_its_zero():
    assert "paused" not in decode(widget(paused=False))["spec"]
    assert decode(widget(paused=True))["spec"]["paused"] is True
    assert decode(widget(**{"class": ""}))["spec"]["class"] == ""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"replicas": "x"}, "string into Go struct field WidgetSpec.spec.replicas of type int32"),
        ({"replicas": 1.5}, "number 1.5 into Go struct field WidgetSpec.spec.replicas of type int32"),
        ({"replicas": 2**31}, "number 2147483648 into Go struct field WidgetSpec.spec.replicas of type int32"),
        ({"replicas": True}, "bool into Go struct field WidgetSpec.spec.replicas of type int32"),
        ({"big": -(2**63) - 1}, "number -9223372036854775809 into Go struct field WidgetSpec.spec.big of type int64"),
        ({"mode": 1}, "number into Go struct field WidgetSpec.spec.mode of type string"),
        ({"paused": "true"}, "string into Go struct field WidgetSpec.spec.paused of type bool"),
        ({"ratio": "1"}, "string into Go struct field WidgetSpec.spec.ratio of type float64"),
        ({"blob": 1}, "number into Go struct field WidgetSpec.spec.blob of type []uint8"),
        ({"parts": {}}, "object into Go struct field WidgetSpec.spec.parts of type []v1.Part"),
        ({"parts": ["x"]}, "string into Go struct field WidgetSpec.spec.parts of type v1.Part"),
        ({"parts": [{"ports": [{"port": "x"}]}]}, "string into Go struct field Port.spec.parts.ports.port of type int32"),
        ({"parts": [{"httpPath": 1}]}, "number into Go struct field Part.spec.parts.httpPath of type string"),
        ({"groups": {"a": [1]}}, "number into Go struct field WidgetSpec.spec.groups of type string"),
        ({"groups": []}, "array into Go struct field WidgetSpec.spec.groups of type map[string][]string"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_its_path(spec, message):
    assert refusal(**spec) == f"json: cannot unmarshal {message}"


def test_an_object_that_is_none_is_refused():
    with pytest.raises(StatusError, match=r"^json: cannot unmarshal array into Go value of type v1\.Widget$"):
        WIDGET.decode([])


def test_types_within_themselves_may_be_nested_only_so_deep():
    def nested(levels):
        tree = {}
        for _ in range(levels - 1):
            tree = {"next": tree}
        return compile_struct(object_struct(TREE_HOLDER)).decode({"tree": tree})

    nested(SCHEMA_SELF_NESTING)
    with pytest.raises(StatusError, match="exceeded max depth"):
        nested(SCHEMA_SELF_NESTING + 2)


TREE_HOLDER = Struct("Holder", Field(2, "tree", WHOLE.field("spec").type.field("tree").type))


def test_deep_values_of_no_type_are_not_looked_into():
    deep: object = None
    for _ in range(10_000):
        deep = [deep]
    read = decode(widget(extra=deep))
    WIDGET.default(read)
    assert WIDGET.validate(read) == []
    assert read["spec"]["extra"] is deep


def test_what_needs_no_decision_is_compiled_once():
    schema = Struct("T", Field(1, "a", Map(Str())), Field(2, "b", Map(Bytes())))
    assert object_struct(schema) is object_struct(schema)
    assert decoder(schema) is decoder(schema)
    assert decoder(schema) is not decoder(Struct("T", *schema.fields))


@given(WIDGETS)
def test_what_was_read_reads_as_itself(sent):
    read, unknown = WIDGET.decode(sent)
    assert unknown == []
    assert WIDGET.decode(read) == (read, [])


def test_what_a_change_left_alone_is_shared_and_not_read_again():
    before = decode({**widget(replicas=2), "kind": "Widget", "apiVersion": "v1"})
    changed = {"status": {"phase": "Ready"}, **before, "metadata": {"odd": 1, "name": "w"}}
    read, unknown = WIDGET.decode_changed(changed, before)
    assert read["spec"] is before["spec"]
    assert (read, unknown) == WIDGET.decode(changed)
    assert list(read) == list(WIDGET.decode(changed)[0])


def test_what_a_change_takes_away_is_gone():
    before = decode(widget(replicas=2))
    read, _ = WIDGET.decode_changed({**before, "spec": None, "status": None}, before)
    assert list(read) == ["kind", "apiVersion", "metadata"]
