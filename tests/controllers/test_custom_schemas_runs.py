"""What the schemas of custom resources let objects keep, and demand of what all objects have: fields nobody named, nulls, metadata."""

import json
from typing import Any

import pytest

from svcsim.client.api import Collection
from svcsim.meta.types import Object
from tests.controllers.running import Running
from tests.controllers.test_custom_resources_runs import (
    cluster,
    defined,
    definition,
    definitions,
    in_both_dialects,
    redefined,
    refusal,
    spelled,
    widget,
    widgets,
)

OPEN: Object = {"type": "object", "x-PREFIX-preserve-unknown-fields": True}


def version(r: Running, schema: Object, **more: Any) -> Object:
    """A version whose objects have this schema, and nothing else to them."""
    return {"schema": {"openAPIV3Schema": spelled(schema, r)}, "subresources": {}, "selectableFields": [], **more}


def whole(name: str = "one", version: str = "v1", metadata: Object | None = None, **fields: Any) -> Object:
    """A widget with these fields, and no others."""
    made = widget(name, version)
    del made["spec"]
    return {**made, **fields, "metadata": {**made["metadata"], **(metadata or {})}}


async def strictly(collection: Collection, obj: Object) -> Object:
    """Create an object that has no fields but those that are kept."""
    path = f"/apis/{collection.api_version}/namespaces/{collection.namespace}/{collection.plural}"
    return await collection.client.request("POST", path, "fieldValidation=Strict", obj)


@pytest.mark.virtual_time
@in_both_dialects
async def test_an_open_schema_keeps_fields_that_it_does_not_name(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, OPEN)))
        sent = {"spec": {"a": 1, "none": None}, "data": "x", "list": [{"b": None}], "nothing": None}
        made = await strictly(widgets(r), whole(**sent))
        assert {name: made[name] for name in sent} == sent
        assert (await widgets(r).get("one"))["data"] == "x"
        patched = await widgets(r).patch("one", {"more": {"c": []}, "data": None})
        assert ("data" in patched, patched["more"], patched["metadata"]["generation"]) == (False, {"c": []}, 2)
        applied = await widgets(r).patch("one", whole(own={"d": 1}), "apply", field_manager="me", force=True)
        assert (applied["own"], applied["spec"]["a"]) == ({"d": 1}, 1)


@pytest.mark.virtual_time
@in_both_dialects
async def test_an_open_schema_holds_for_the_fields_it_names(dialect: str):
    spec = {"type": "object", "properties": {"size": {"type": "integer", "default": 2}}}
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, {**OPEN, "properties": {"spec": spec}})))
        made = await widgets(r).create(whole(spec={"colour": "red"}, data="x"))
        assert (made["spec"], made["data"]) == ({"size": 2}, "x")
        newer = (await r.client.get_json("/openapi/v3/apis/acme.io/v1"))["components"]["schemas"]["io.acme.v1.Widget"]
        assert newer[f"{r.dialect.extension_prefix}preserve-unknown-fields"] is True
        assert sorted(newer["properties"]) == ["apiVersion", "kind", "metadata", "spec"]
        older = (await r.client.get_json("/openapi/v2"))["definitions"]["io.acme.v1.Widget"]
        assert "properties" not in older, "clients would take those for all there are"


@pytest.mark.virtual_time
async def test_what_an_open_schema_keeps_passes_between_versions():
    async with cluster("kubernetes") as r:
        stored, other = version(r, OPEN, name="v1"), version(r, OPEN, name="v2", storage=False)
        await defined(r, definition(r, stored, other))
        assert (await widgets(r, "v2").create(whole(version="v2", data={"a": 1})))["data"] == {"a": 1}
        assert (await widgets(r).get("one"))["data"] == {"a": 1}
        await redefined(r, version(r, {"type": "object"}, name="v1"), version(r, {"type": "object"}, name="v2", storage=False))
        assert "data" not in await widgets(r).get("one")


@pytest.mark.virtual_time
@in_both_dialects
async def test_nulls_of_nullable_fields_stay_wherever_they_stand(dialect: str):
    nullable = {"type": "string", "nullable": True}
    spec = {"type": "object", "nullable": True, "default": {"a": 3}, "properties": {"a": {"type": "integer", "default": 4}}}
    schema = {
        "type": "object",
        "required": ["bar"],
        "properties": {
            "bar": nullable,
            "spec": spec,
            "in": {"type": "object", "properties": {"bar": nullable}},
            "list": {"type": "array", "items": nullable},
            "plain": {"type": "string"},
            "filled": {"type": "string", "default": "x"},
        },
    }
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, schema)))
        nulls = {"bar": None, "spec": None, "in": {"bar": None}, "list": [None, "a"]}
        made = await strictly(widgets(r), whole(**nulls, plain=None, filled=None))
        assert {name: made[name] for name in nulls} == nulls
        assert ("plain" in made, made["filled"]) == (False, "x")
        got = await widgets(r).get("one")
        assert {name: got[name] for name in nulls} == nulls
        assert (await widgets(r).update({**got, "bar": "a"}))["metadata"]["generation"] == 2
        assert (await widgets(r).update({**await widgets(r).get("one"), "bar": None}))["metadata"]["generation"] == 3
        assert await refusal(widgets(r).create(whole("two"))) == ["bar: Required value"]


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_status_without_a_sub_resource_counts_as_a_change(dialect: str):
    schema = {"type": "object", "properties": {"spec": OPEN, "data": OPEN, "status": OPEN}}
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, schema)))
        await widgets(r).create(whole())

        async def generation_after(patch: Object, **how: Any) -> int:
            return (await widgets(r).patch("one", patch, **how))["metadata"]["generation"]

        assert await generation_after({"status": {"a": 1}}) == 2
        assert await generation_after({"metadata": {"labels": {"a": "b"}}}) == 2
        assert await generation_after({"data": {"a": 1}}) == 3
        made = await definitions(r).get("widgets.acme.io")
        made["spec"]["versions"][0]["subresources"] = {"status": {}}
        await definitions(r).update(made)
        assert await generation_after({"status": {"a": 2}}) == 3
        assert await generation_after({"status": {"a": 2}}, subresource="status") == 3


NAMED: Object = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["Widget"]},
        "metadata": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"},
                "generateName": {"type": "string", "maxLength": 3},
            },
        },
    },
}


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_schema_may_say_which_names_objects_have(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, NAMED)))
        assert await refusal(widgets(r).create(whole("much-too-long"))) == [
            "metadata.name: Too long: may not be more than 9 bytes",
            "metadata.name: Invalid value: \"much-too-long\": metadata.name in body should match '^[a-z]+$'",
        ]
        generated = whole(metadata={"generateName": "abcd"})
        del generated["metadata"]["name"]
        assert (await refusal(widgets(r).create(generated)))[0] == "metadata.generateName: Too long: may not be more than 3 bytes"
        await widgets(r).create(whole())
        narrower = spelled(NAMED, r)
        narrower["properties"]["metadata"]["properties"]["name"]["maxLength"] = 1
        await redefined(r, version(r, narrower))
        assert (await widgets(r).patch("one", {"metadata": {"labels": {"a": "b"}}}))["metadata"]["labels"] == {"a": "b"}


@pytest.mark.virtual_time
@in_both_dialects
@pytest.mark.parametrize(
    "metadata", [None, {"type": "object"}, {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}}]
)
async def test_rules_may_ask_what_any_object_is_called(dialect: str, metadata: Object | None):
    rules = [
        {"rule": "self.metadata.name == 'default'", "message": "there is but one"},
        {"rule": "!has(self.metadata.generateName)", "message": "it has a name of its own"},
        {"rule": "self.kind == 'Widget' && self.apiVersion.startsWith('acme.io/')"},
        {"rule": "!has(self.made) || self.made.metadata.name != 'bad' && self.made.kind == 'Pod'", "message": "makes a bad one"},
    ]
    properties = {
        "made": {
            **OPEN,
            "x-PREFIX-embedded-resource": True,
            "x-PREFIX-validations": [{"rule": "!has(self.metadata) || !has(self.metadata.generateName)", "message": "is named"}],
        },
        **({} if metadata is None else {"metadata": metadata}),
    }
    schema = {"type": "object", "properties": properties, "x-PREFIX-validations": rules}
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, schema)))
        assert await refusal(widgets(r).create(whole("one"))) == ['<nil>: Invalid value: "object": there is but one']
        made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}}
        assert await refusal(widgets(r).create(whole("default", made=made))) == ['<nil>: Invalid value: "object": makes a bad one']
        named = {**made, "metadata": {"name": "good", "generateName": "g"}}
        assert await refusal(widgets(r).create(whole("default", made=named))) == ['made: Invalid value: "object": is named']
        assert (await widgets(r).create(whole("default", made={**made, "metadata": {"name": "good"}})))["made"]["kind"] == "Pod"


@pytest.mark.virtual_time
@pytest.mark.parametrize(("rule", "field"), [("self.metadata.labels.size() > 0", "labels"), ("self.spec.metadata == ''", "metadata")])
async def test_rules_may_ask_nothing_else_of_metadata(rule: str, field: str):
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "x-PREFIX-validations": [{"rule": rule}],
    }
    async with cluster("kubernetes") as r:
        (finding,) = await refusal(definitions(r).create(definition(r, version(r, schema))))
        assert f"undefined field '{field}'" in finding


EMBEDDED = [
    ({"metadata": {"labels": {"a b": "c"}}}, "made.metadata.labels: Invalid value: "),
    ({"metadata": {"labels": {"a": 1}}}, "made.metadata: Invalid value: "),
    ({"metadata": 5}, "made.metadata: Invalid value: "),
    ({"metadata": {"name": "a/b"}}, "made.metadata.name: Invalid value: \"a/b\": may not contain '/'"),
    ({"metadata": {"name": 5}}, "made.metadata: Invalid value: "),
    ({"metadata": {"finalizers": ["no good"]}}, "made.metadata.finalizers: Invalid value: "),
    ({"metadata": {"annotations": 5}}, "made.metadata: Invalid value: "),
    ({"metadata": {"ownerReferences": [None]}}, "made.metadata.ownerReferences[0]."),
    ({"metadata": {"creationTimestamp": "zz"}}, "made.metadata: Invalid value: "),
    ({"metadata": {"namespace": "A"}}, "made.metadata.namespace: Invalid value: "),
    ({"apiVersion": "a/b/c"}, 'made.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'),
    ({"apiVersion": ""}, 'made.apiVersion: Invalid value: "": must not be empty'),
    ({"apiVersion": None}, "made.apiVersion: Required value: must not be empty"),
    ({"apiVersion": 1}, "made.apiVersion: Invalid value: 1: must be a string"),
    ({"kind": "No_Good"}, 'made.kind: Invalid value: "No_Good": may have mixed case, but should otherwise match: '),
]


@pytest.mark.virtual_time
@in_both_dialects
async def test_embedded_objects_are_what_objects_are(dialect: str):
    made = {**OPEN, "x-PREFIX-embedded-resource": True, "properties": {"metadata": {"type": "object"}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}, "namespace": "x"}, "spec": {"a": None}}
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, {"type": "object", "properties": {"made": made}})))
        for wrong, expected in EMBEDDED:
            told = await refusal(widgets(r).create(whole(made={**pod, **wrong})))
            assert told[0].startswith(expected), (wrong, told)
        unknown = {**pod, "metadata": {**pod["metadata"], "bogus": 1, "creationTimestamp": None}}
        assert 'unknown field "made.metadata.bogus"' in (await refusal(strictly(widgets(r), whole(made=unknown))))[0]
        assert (await widgets(r).create(whole(made=unknown)))["made"] == pod


@pytest.mark.virtual_time
async def test_objects_that_embed_what_they_may_no_longer_can_be_read():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, version(r, {"type": "object", "properties": {"made": OPEN, "data": OPEN}})))
        made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}}
        await widgets(r).create(whole(made=made))
        embedded = {**OPEN, "x-PREFIX-embedded-resource": True}
        await redefined(r, version(r, {"type": "object", "properties": {"made": embedded, "data": OPEN}}))
        assert (await widgets(r).get("one"))["made"] == made
        assert (await widgets(r).patch("one", {"data": {"a": 1}}))["made"] == made, "what hasn't changed isn't looked at again"
        await widgets(r).patch("one", {"made": {"metadata": {"labels": {"a": "b"}}}})


@pytest.mark.virtual_time
@in_both_dialects
@pytest.mark.parametrize("query", ["", "pretty=true", "limit=1"])
async def test_items_of_a_list_say_what_they_are(dialect: str, query: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, OPEN)))
        made = await widgets(r).create(whole(data="x"))
        listed = await r.client.get_json("/apis/acme.io/v1/namespaces/default/widgets", query)
        assert listed["items"] == [made]


@pytest.mark.virtual_time
async def test_patterns_may_be_longer_than_expressions():
    either = "|".join(f"w{index}" for index in range(60_000))
    texts = {"any": {"type": "string", "pattern": f"^({either})$"}, "long": {"type": "string", "pattern": "a" * 200_000}}
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, version(r, {"type": "object", "properties": {"any": texts["any"]}})))
        assert (await widgets(r).create(whole(any="w59999")))["any"] == "w59999"
        (finding,) = await refusal(widgets(r).create(whole("two", any="w60000")))
        assert finding.startswith('any: Invalid value: "w60000": any in body should match ')
        await redefined(r, version(r, {"type": "object", "properties": texts}))


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "schema", [{"type": "object"}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}], ids=["closed", "open"]
)
@pytest.mark.parametrize("dialect", ["kubernetes", "svcapi"])
async def test_a_schema_needs_not_say_what_its_status_sub_resource_writes(dialect: str, schema: Object):
    schema = {name.replace("x-kubernetes-", "x-svcapi-") if dialect == "svcapi" else name: value for name, value in schema.items()}
    async with cluster(dialect) as r:
        await defined(r, definition(r, {**version(r, schema), "subresources": {"status": {}}}))
        await widgets(r).create(whole())
        written = await widgets(r).patch("one", {"status": {"a": 1}, "spec": {"kept": "as it was"}}, subresource="status")
        assert written.get("status") == ({"a": 1} if len(schema) > 1 else None)
        assert (written.get("spec") or {}).get("kept") is None


FLOATS: Object = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "number": {"type": "number", "enum": [1, 2.0, 2.5], "default": 2.0},
        "any": OPEN,
        "list": {"type": "array", "items": {"type": "number"}, "x-PREFIX-list-type": "set"},
        "map": {"type": "object", "additionalProperties": {"x-PREFIX-preserve-unknown-fields": True}, "default": {"a": [3.0]}},
        "top": {"x-PREFIX-preserve-unknown-fields": True},
    },
}
SPELLED = """{"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": "one", "namespace": "default"},
 "n": 1.0, "any": {"y": 1e3, "z": [1e30, {"w": -0.0}], "u": 1.5e0, "big": 18446744073709551615, "most": 4611686018427387904.0},
 "list": [7.0, 1e-7, 1e15], "top": 2.0, "own": 5.0}"""


@pytest.mark.virtual_time
@in_both_dialects
async def test_whole_numbers_are_kept_without_a_point(dialect: str):
    async with cluster(dialect) as r:
        made = await defined(r, definition(r, version(r, {**FLOATS, **OPEN})))
        parts = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
        assert repr((parts["number"]["enum"], parts["number"]["default"], parts["map"]["default"])) == "([1, 2, 2.5], 2, {'a': [3]})"
        created = await widgets(r).create(json.loads(SPELLED))
        any_ = {"y": 1000, "z": [1e30, {"w": 0}], "u": 1.5, "big": 18446744073709551616.0, "most": 4611686018427388000}
        kept = {"n": 1, "any": any_, "list": [7, 1e-7, 10**15], "top": 2, "own": 5, "number": 2, "map": {"a": [3]}}
        assert repr({name: created[name] for name in kept}) == repr(kept)
        assert created["metadata"]["managedFields"][0]["fieldsV1"]["f:list"] == {".": {}, "v:7": {}, "v:1e-7": {}, "v:1000000000000000": {}}
        same = await widgets(r).patch("one", {"n": 1.0, "any": {"u": 1.5}, "number": 2.0})
        assert same["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
        merged = await widgets(r).patch("one", {"any": {"y": 2e3}, "number": 1.0})
        assert repr((merged["any"]["y"], merged["number"])) == "(2000, 1)"
        patched = await widgets(r).patch("one", [{"op": "replace", "path": "/n", "value": 4.0}], "json")
        assert repr(patched["n"]) == "4"
        wanted = {**json.loads(SPELLED), "n": 6.0, "list": [7.0, 8.0], "any": {"y": 5e2}}
        applied = await widgets(r).patch("one", wanted, "apply", field_manager="me", force=True)
        assert repr((applied["n"], applied["list"], applied["any"]["y"])) == "(6, [7, 1e-07, 1000000000000000, 8], 500)"
        (finding,) = await refusal(widgets(r).patch("one", {"n": 1.5}))
        assert finding.startswith('n: Invalid value: "number"')


@pytest.mark.virtual_time
async def test_bounds_of_a_schema_are_written_without_a_point():
    async with cluster("kubernetes") as r:
        bounds = {"type": "number", "minimum": 1.0, "maximum": 1e3, "multipleOf": 0.5}
        made = await defined(r, definition(r, version(r, {"type": "object", "properties": {"n": bounds}})))
        kept = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["n"]
        assert repr(sorted(kept.items())) == "[('maximum', 1000), ('minimum', 1), ('multipleOf', 0.5), ('type', 'number')]"


@pytest.mark.virtual_time
@in_both_dialects
async def test_an_integer_is_no_float_that_stands_for_several(dialect: str):
    either: Object = {"x-PREFIX-int-or-string": True}
    schema: Object = {"type": "object", "properties": {"n": {"type": "integer"}, "in": {"type": "object", "properties": {"e": either}}}}
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, schema)))
        await widgets(r).create(whole(n=9007199254740991.0))
        assert repr((await widgets(r).get("one"))["n"]) == "9007199254740991"
        for number in (1e300, 1e21, 12345678901234567890, 9223372036854775808, 9007199254740992.0, -1e18):
            told = 'Invalid value: "number": {0} in body must be of type {1}: "number"'
            assert await refusal(widgets(r).patch("one", {"n": number})) == ["n: " + told.format("n", "integer")]
            (finding,) = await refusal(widgets(r).patch("one", {"in": {"e": number}}))
            assert finding == "in.e: " + told.format("in.e", "integer,string")
        for whole_number in (9223372036854775807, -9223372036854775808, 9007199254740993):
            assert (await widgets(r).patch("one", {"n": whole_number, "in": {"e": whole_number}}))["n"] == whole_number


TEXTS: Object = {"type": "array", "items": {"type": "string"}}
ENTRIES: Object = {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "string"}}}}


@pytest.mark.virtual_time
@in_both_dialects
async def test_what_a_list_held_twice_before_it_became_a_set_is_mended_step_by_step(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, {"type": "object", "properties": {"l": TEXTS, "m": ENTRIES}})))
        twice = {"l": ["x", "x", "y"], "m": [{"k": "a"}, {"k": "a"}]}
        await widgets(r).create(whole(**twice))
        keyed = {**ENTRIES, "x-PREFIX-list-type": "map", "x-PREFIX-list-map-keys": ["k"]}
        keyed["items"] = {**keyed["items"], "required": ["k"]}
        stricter = {"l": {**TEXTS, "x-PREFIX-list-type": "set"}, "m": keyed}
        await redefined(r, version(r, {"type": "object", "properties": stricter}))
        assert (await widgets(r).patch("one", {"l": ["x", "x", "z"]}))["l"] == ["x", "x", "z"]
        assert (await widgets(r).patch("one", {"m": [{"k": "a", "v": "1"}, {"k": "a"}]}))["m"][0]["v"] == "1"
        assert (await widgets(r).patch("one", {"l": ["z"]}))["l"] == ["z"]
        assert (await widgets(r).patch("one", {"l": ["z", "z"]}))["l"] == ["z", "z"]  # the other list is still to be mended
        await widgets(r).patch("one", {"l": ["z"], "m": [{"k": "a"}]})
        assert await refusal(widgets(r).patch("one", {"l": ["z", "z"]})) == ['l[1]: Duplicate value: "z"']
        assert await refusal(widgets(r).create(whole("two", **twice))) != []


SIZED: Object = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"replicas": {"type": "integer"}, "more": {"type": "integer", "default": 3}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    },
}
SCALED = {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}


@pytest.mark.virtual_time
@in_both_dialects
async def test_what_a_scale_makes_room_for_is_filled_in(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, SIZED, subresources=SCALED)))
        await widgets(r).create(whole())
        (told,) = await refusal(widgets(r).get("one", subresource="scale"))
        assert told == '500 Internal error occurred: the spec replicas field ".spec.replicas" does not exist'
        scale = await widgets(r).patch("one", {"spec": {"replicas": 2}}, subresource="scale")
        assert scale["spec"] == {"replicas": 2}
        assert (await widgets(r).get("one"))["spec"] == {"replicas": 2, "more": 3}
        assert (await widgets(r).get("one", subresource="scale"))["spec"] == {"replicas": 2}
