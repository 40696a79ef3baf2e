"""What OpenAPI documents tell of definitions, and of the kinds that they define."""

import pytest

from svcsim.meta.types import Object
from tests.controllers.test_custom_resources_runs import (
    cluster,
    defined,
    definition,
    definitions,
    in_both_dialects,
    spelled,
    widget,
    widgets,
)

PACKAGES = {
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("group", "kind"), [("apiextensions", "CustomResourceDefinition"), ("apiregistration", "APIService")])
async def test_types_are_named_as_clients_know_them(group: str, kind: str):
    async with cluster("kubernetes") as r:
        types = (await r.client.get_json(f"/openapi/v3/apis/{group}.k8s.io/v1"))["components"]["schemas"]
        told = types[f"{PACKAGES[group]}.{kind}"]["x-kubernetes-group-version-kind"]
        assert told == [{"group": f"{group}.k8s.io", "kind": kind, "version": "v1"}]
        assert not [name for name in types if name.startswith("io.k8s.api.")]


@pytest.mark.virtual_time
async def test_defaults_and_words_of_a_schema_may_be_of_any_type():
    async with cluster("kubernetes") as r:
        types = (await r.client.get_json("/openapi/v2"))["definitions"]
        properties = types[f"{PACKAGES['apiextensions']}.JSONSchemaProps"]["properties"]
        name = f"{PACKAGES['apiextensions']}.JSON"
        assert [properties["default"]["$ref"], properties["example"]["$ref"], properties["enum"]["items"]["$ref"]] == [
            f"#/definitions/{name}"
        ] * 3
        assert "type" not in types[name]


@pytest.mark.virtual_time
async def test_a_schema_of_the_server_makes_a_definition():
    async with cluster("kubernetes") as r:
        types = (await r.client.get_json("/openapi/v3/api/v1"))["components"]["schemas"]
        name = "io.k8s.api.core.v1.{}".format
        secrets = types[name("PodSpec")]["properties"]["imagePullSecrets"]
        secrets["items"] = types[name("LocalObjectReference")]
        spec = {"type": "object", "properties": {"imagePullSecrets": secrets}}
        schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
        await defined(r, definition(r, {"schema": schema, "subresources": {}, "selectableFields": []}))
        made = await widgets(r).create(widget(imagePullSecrets=[{"name": "a"}, {}]))
        assert made["spec"]["imagePullSecrets"] == [{"name": "a"}, {"name": ""}]


EMBEDDED: Object = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "open": {"type": "object", "x-PREFIX-embedded-resource": True, "x-PREFIX-preserve-unknown-fields": True},
                "closed": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "x-PREFIX-embedded-resource": True,
                        "required": ["data"],
                        "properties": {"data": {"type": "string"}, "metadata": {"type": "object"}},
                    },
                },
                "size": {"type": "integer"},
            },
        }
    },
}


@pytest.mark.virtual_time
@in_both_dialects
async def test_embedded_objects_are_described_as_objects(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, {"schema": {"openAPIV3Schema": spelled(EMBEDDED, r)}, "subresources": {}, "selectableFields": []}))
        newer = (await r.client.get_json("/openapi/v3/apis/acme.io/v1"))["components"]["schemas"]
        whole = newer["io.acme.v1.Widget"]["properties"]
        spec = whole["spec"]["properties"]
        for one, required in ((spec["open"], ["kind", "apiVersion"]), (spec["closed"]["items"], ["data", "kind", "apiVersion"])):
            assert one["required"] == required
            assert {name: one["properties"][name] for name in ("apiVersion", "kind", "metadata")} == {
                name: whole[name] for name in ("apiVersion", "kind", "metadata")
            }
        assert whole["metadata"]["allOf"][0]["$ref"].rpartition("/")[2] in newer
        assert spec["closed"]["items"]["properties"]["data"] == {"type": "string"}
        assert spec["size"] == {"type": "integer"}
        stored = await r.client.resource(f"{r.dialect.group('apiextensions')}/v1", "customresourcedefinitions").get("widgets.acme.io")
        assert stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == spelled(EMBEDDED, r)
        older = (await r.client.get_json("/openapi/v2"))["definitions"]["io.acme.v1.Widget"]["properties"]["spec"]["properties"]
        assert "properties" not in older["open"], "clients would take those for all there are"
        assert older["closed"]["items"]["required"] == ["data", "kind", "apiVersion"]
        assert older["closed"]["items"]["properties"]["metadata"]["$ref"].startswith("#/definitions/")


@pytest.mark.virtual_time
@in_both_dialects
async def test_fields_that_objects_are_selected_by_are_told_of_each_version(dialect: str):
    async with cluster(dialect) as r:

        async def told(version: str) -> list[Object]:
            newer = (await r.client.get_json(f"/openapi/v3/apis/acme.io/{version}"))["components"]["schemas"][f"io.acme.{version}.Widget"]
            older = (await r.client.get_json("/openapi/v2"))["definitions"][f"io.acme.{version}.Widget"]
            extension = f"{r.dialect.extension_prefix}selectable-fields"
            return [newer.get(extension), older.get(extension)]

        other = {"name": "v2", "storage": False, "selectableFields": [{"jsonPath": ".spec.size"}]}
        made = await defined(r, definition(r, {}, other))
        assert await told("v1") == [[{"fieldPath": "spec.colour"}]] * 2
        assert await told("v2") == [[{"fieldPath": "spec.size"}]] * 2
        made["spec"]["versions"][0]["selectableFields"].append({"jsonPath": ".spec.size"})
        del made["spec"]["versions"][1]["selectableFields"]
        await definitions(r).update(made)
        await r.clock.sleep(1)
        assert await told("v1") == [[{"fieldPath": "spec.colour"}, {"fieldPath": "spec.size"}]] * 2
        assert await told("v2") == [None] * 2
