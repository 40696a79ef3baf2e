"""What another server's OpenAPI document adds to our own."""

from svcsim.meta.types import GroupVersion
from svcsim.server.openapi.merging import additions

OWN = {"Same": {"a": 1}, "Else": {"a": 1}}
GROUP_VERSION = GroupVersion("g", "v1")


def ref(name):
    return {"$ref": f"#/definitions/{name}"}


def test_types_of_one_name_are_told_apart_unless_they_are_the_same():
    other = {
        "paths": {"/apis/g/v1/things": [ref("Same"), ref("Else")], "/apis/g/v1": {}, "/apis/g/v11/no": {}, "/api/v1/no": {}},
        "definitions": {"Same": {"a": 1}, "Else": {"b": [ref("Deep")]}, "Deep": ref("Else"), "Unused": {}},
    }
    added = additions(OWN.get, {GROUP_VERSION: other})
    assert added.paths == {"/apis/g/v1": {}, "/apis/g/v1/things": [ref("Same"), ref("Else_v2")]}
    assert added.definitions == {"Same": {"a": 1}, "Else_v2": {"b": [ref("Deep")]}, "Deep": ref("Else_v2")}


def test_types_of_two_others_are_told_apart_too():
    def other(group, type_):
        return {"paths": {f"/apis/{group}/v1/x": ref("T")}, "definitions": {"T": type_}}

    one, two = GroupVersion("one", "v1"), GroupVersion("two", "v1")
    added = additions(OWN.get, {one: other("one", {"a": 1}), two: other("two", {"a": 2})})
    assert added.definitions == {"T": {"a": 1}, "T_v2": {"a": 2}}
    assert added.paths == {"/apis/one/v1/x": ref("T"), "/apis/two/v1/x": ref("T_v2")}


def test_what_is_no_document_adds_nothing():
    for other in ({}, {"paths": []}, {"paths": {"/apis/g/v1/x": None}, "definitions": 1}):
        assert additions(OWN.get, {GROUP_VERSION: other}).definitions == {}
