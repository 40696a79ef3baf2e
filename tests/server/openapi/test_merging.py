"""Two OpenAPI documents become one."""

from svcsim.meta.types import GroupVersion
from svcsim.server.openapi.merging import merged

OWN = {"swagger": "2.0", "info": {}, "paths": {"/b": {}}, "definitions": {"Same": {"a": 1}, "Else": {"a": 1}}}
GROUP_VERSION = GroupVersion("g", "v1")


def ref(name):
    return {"$ref": f"#/definitions/{name}"}


def test_types_of_one_name_are_told_apart_unless_they_are_the_same():
    other = {
        "paths": {"/apis/g/v1/things": [ref("Same"), ref("Else")], "/apis/g/v1": {}, "/apis/g/v11/no": {}, "/api/v1/no": {}},
        "definitions": {"Same": {"a": 1}, "Else": {"b": [ref("Deep")]}, "Deep": ref("Else"), "Unused": {}},
    }
    assert merged(OWN, {GROUP_VERSION: other}) == {
        "swagger": "2.0",
        "info": {},
        "paths": {"/apis/g/v1": {}, "/apis/g/v1/things": [ref("Same"), ref("Else_v2")], "/b": {}},
        "definitions": {"Same": {"a": 1}, "Else": {"a": 1}, "Else_v2": {"b": [ref("Deep")]}, "Deep": ref("Else_v2")},
    }


def test_what_is_no_document_adds_nothing():
    for other in ({}, {"paths": []}, {"paths": {"/apis/g/v1/x": None}, "definitions": 1}):
        assert merged(OWN, {GROUP_VERSION: other})["definitions"] == OWN["definitions"]
