"""Schemas as OpenAPI documents have them."""

import json
import re

import pytest

from svcsim.schema.common import CONDITION, object_struct
from svcsim.schema.openapi import Schemas
from svcsim.schema.type_names import TypeNames
from svcsim.schema.types import Field, Int, List, Map, Raw, Str, Struct, Time
from tests.schema.from_facts import Facts
from tests.schema.shapes import WHOLE


def described(schemas, *names):
    """These types and all they refer to."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name], refers_to = schemas.described(name)
            waiting += refers_to
    return found


def schemas(version=2, schema=WHOLE, package="io.example.v1"):
    names = TypeNames("io.example")
    names.add(schema, package)
    return described(Schemas(version, "x-test-", names), names.name(schema))


def test_a_type_is_described_with_all_it_refers_to():
    found = schemas()
    assert found["io.example.v1.Widget"] == {
        "description": "A thing for tests",
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string", "description": "API group and version of the object"},
            "kind": {"type": "string", "description": "Kind of the object, in CamelCase"},
            "metadata": {"$ref": "#/definitions/io.example.apis.meta.v1.ObjectMeta", "description": "Metadata that all objects have"},
            "spec": {"$ref": "#/definitions/io.example.v1.WidgetSpec", "description": "What is wanted"},
            "status": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }
    assert {"io.example.v1.Part", "io.example.v1.Tree", "io.example.apis.meta.v1.OwnerReference"} <= set(found)


def test_marks_of_fields_become_extensions_with_the_dialects_prefix():
    spec = schemas()["io.example.v1.WidgetSpec"]
    assert spec["required"] == ["parts"]
    assert spec["properties"]["parts"] == {
        "description": "What it is made of",
        "type": "array",
        "items": {"$ref": "#/definitions/io.example.v1.Part"},
        "x-test-list-type": "map",
        "x-test-list-map-keys": ["name"],
        "x-test-patch-merge-key": "name",
        "x-test-patch-strategy": "merge",
    }
    assert spec["properties"]["tags"]["x-test-list-type"] == "set"
    assert spec["properties"]["tags"]["x-test-patch-strategy"] == "merge"
    assert spec["properties"]["strategy"]["x-test-patch-strategy"] == "retainKeys"
    assert spec["properties"]["mode"] == {
        "description": "How it works; defaults to Safe",
        "default": "Safe",
        "enum": ["Fast", "Safe"],
        "type": "string",
    }
    assert spec["properties"]["replicas"] == {
        "description": "How many; defaults to 1",
        "default": 1,
        "type": "integer",
        "format": "int32",
        "minimum": 0,
    }


def test_atomic_maps_and_structs_are_marked():
    atomic = Struct("A", Field(1, "x", Map(Str(), atomic=True)), atomic=True)
    found = schemas(schema=Struct("T", Field(1, "a", atomic)))
    assert found["io.example.v1.A"]["x-test-map-type"] == "atomic"
    assert found["io.example.v1.A"]["properties"]["x"]["x-test-map-type"] == "atomic"


def test_inlined_fields_stand_in_their_parent():
    assert {"command", "httpPath", "name"} <= set(schemas()["io.example.v1.Part"]["properties"])


def test_version_3_wraps_references_that_have_something_beside_them():
    found = schemas(3)
    spec = found["io.example.v1.WidgetSpec"]["properties"]
    assert found["io.example.v1.Widget"]["properties"]["spec"] == {
        "description": "What is wanted",
        "allOf": [{"$ref": "#/components/schemas/io.example.v1.WidgetSpec"}],
    }
    assert spec["tree"] == {"$ref": "#/components/schemas/io.example.v1.Tree"}
    assert spec["range"]["default"] == {}


def test_types_of_two_json_types_are_told_as_each_version_can():
    quantity = "io.example.api.resource.Quantity"
    assert schemas(2)[quantity]["type"] == "string"
    assert schemas(3)[quantity]["oneOf"] == [{"type": "string"}, {"type": "number"}]
    assert schemas(3)["io.example.util.intstr.IntOrString"]["format"] == "int-or-string"


@pytest.mark.parametrize("version", [2, 3])
def test_every_reference_leads_somewhere(version):
    found = schemas(version)
    targets = re.findall(r'"\$ref": "#/(?:definitions|components/schemas)/([^"]*)"', json.dumps(found))
    assert targets
    assert set(targets) <= set(found)


def test_a_type_is_named_after_the_first_to_use_it():
    shared, names = Struct("Shared", Field(1, "x", Str())), TypeNames("lib")
    first, second = Struct("A", Field(1, "s", shared)), Struct("B", Field(1, "s", shared))
    names.add(first, "one")
    names.add(second, "two")
    assert (names.name(first), names.name(second)) == ("one.A", "two.B")
    found = described(Schemas(2, "x-", names), "two.B")
    assert list(found) == ["two.B", "one.Shared"]
    assert found["two.B"]["properties"]["s"] == {"$ref": "#/definitions/one.Shared"}


def test_two_types_of_one_name_are_kept_apart():
    names, first, second = TypeNames("lib"), Struct("A", Field(1, "x", Str())), Struct("A", Field(1, "x", Int()))
    names.add(first, "one")
    names.add(second, "one")
    assert (names.name(first), names.name(second)) == ("one.A", "one.A2")


def test_names_tell_whether_others_before_are_still_good():
    def named(*structs):
        names = TypeNames("lib")
        for struct in structs:
            names.add(struct, "one")
        return names

    first, second, other = Struct("A", Field(1, "x", Str())), Struct("A", Field(1, "x", Int())), Struct("B")
    atomic = Struct("B", atomic=True)
    assert named(other, first, second).keeps(named(first, other)), "one that came changes nothing"
    assert named(other).keeps(named(first, other)), "nor does one that went"
    assert named(second).keeps(named(first)), "nor one in the place of another"
    assert not named(second, first).keeps(named(first)), "it has another name"
    assert not named(atomic, other).keeps(named(other)), "it is described as the other is"


def test_types_that_differ_in_being_atomic_alone_are_one_and_their_fields_say_which():
    atomic, granular = Struct("A", Field(1, "x", Str()), atomic=True), Struct("A", Field(1, "x", Str()))
    found = schemas(schema=Struct("T", Field(1, "a", atomic), Field(2, "b", granular)))
    assert found["io.example.v1.A"]["x-test-map-type"] == "atomic"
    assert found["io.example.v1.T"]["properties"]["a"] == {"$ref": "#/definitions/io.example.v1.A"}
    assert found["io.example.v1.T"]["properties"]["b"] == {"$ref": "#/definitions/io.example.v1.A", "x-test-map-type": "granular"}


def test_words_that_are_only_told_are_an_enumeration_too():
    found = schemas(schema=Struct("T", Field(1, "s", Str(values=("B", "A"))), Field(2, "l", List(Str(values=("C",))))))
    properties = found["io.example.v1.T"]["properties"]
    assert (properties["s"]["enum"], properties["l"]["items"]["enum"]) == (["A", "B"], ["C"])


def test_a_default_is_told_where_it_is_a_value_that_may_be():
    words = Str(values=("A", "B"))
    struct = Struct("T", Field(1, "s", words, default=""), Field(2, "d", words, default="A"), Field(3, "n", Str(), absence=""))
    properties = schemas(schema=struct)["io.example.v1.T"]["properties"]
    assert {name: properties[name].get("default") for name in properties} == {"s": None, "d": "A", "n": ""}


def test_any_json_value_has_a_name_where_it_is_first_met_and_no_type():
    found = schemas(schema=Struct("T", Field(1, "l", List(Raw(json=True))), Field(2, "r", Raw())))
    properties = found["io.example.v1.T"]["properties"]
    assert properties["l"]["items"] == {"$ref": "#/definitions/io.example.v1.JSON"}
    assert properties["r"] == {"$ref": "#/definitions/io.example.runtime.RawExtension"}
    assert "type" not in found["io.example.v1.JSON"]


def test_what_a_kind_is_stands_beside_its_schema():
    names = TypeNames("lib")
    names.add(object_struct(Struct("T")), "one")
    schema, _ = Schemas(3, "x-test-", names).described("one.T", {"group-version-kind": [{"group": "", "version": "v1", "kind": "T"}]})
    assert schema["x-test-group-version-kind"] == [{"group": "", "version": "v1", "kind": "T"}]


def test_moments_and_anything_have_names_clients_know():
    found = schemas(
        schema=Struct("T", Field(1, "t", Time()), Field(2, "m", Time(micro=True)), Field(3, "r", List(Raw())), Field(4, "c", CONDITION))
    )
    assert found["io.example.v1.T"]["properties"]["r"]["items"] == {"$ref": "#/definitions/io.example.runtime.RawExtension"}
    assert found["io.example.apis.meta.v1.Time"]["format"] == "date-time"
    assert found["io.example.apis.meta.v1.MicroTime"]["format"] == "date-time"
    assert "io.example.apis.meta.v1.Condition" in found


def test_markers_of_the_public_api_come_through():
    facts = Facts()
    names = TypeNames("lib")
    names.add(facts.struct("core.v1.Pod"), "core")
    container = Schemas(2, "x-kubernetes-", names).described("core.Container").schema["properties"]
    for name, known in facts.types["core.v1.Container"]["fields"].items():
        marks = {"list": "list-type", "keys": "list-map-keys", "mergeKey": "patch-merge-key", "patch": "patch-strategy"}
        for fact, mark in marks.items():
            assert container[name].get(f"x-kubernetes-{mark}") == known.get(fact), (name, mark)
