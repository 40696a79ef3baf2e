"""OpenAPI documents: built when asked for, complete, and free of loose ends."""

import json
from collections.abc import Iterator

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.wire import fields
from tests.server.conftest import Server


def references(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for child in value.values():
            yield from references(child)
    elif isinstance(value, list):
        for child in value:
            yield from references(child)


def resolve(document: Object, reference: str) -> Json:
    found: Json = document
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


async def documents(server: Server) -> list[Object]:
    index = await server.get("/openapi/v3")
    return [await server.get("/openapi/v2"), *[await server.get(entry["serverRelativeURL"]) for entry in index["paths"].values()]]


async def test_each_version_of_a_group_has_its_document(server: Server) -> None:
    index = await server.get("/openapi/v3")
    coordination = f"apis/coordination.{server.dialect.group_suffix}"
    of_versions = ["api/v1", "apis/apps/v1", f"{coordination}/v1"]
    assert list(index["paths"]) == sorted(["api", "apis", "apis/apps", coordination, *of_versions, "version"])
    assert (await server.get("/openapi/v3/apis/apps/v1"))["openapi"] == "3.0.0"
    assert (await server.ask("GET", "/openapi/v3/apis/none/v1")).status == 404


async def test_all_references_lead_somewhere(server: Server) -> None:
    for document in await documents(server):
        found = list(references(document))
        assert found
        for reference in found:
            assert resolve(document, reference)["type" if "type" in resolve(document, reference) else "oneOf"]


async def test_kinds_are_found_by_their_extension(server: Server) -> None:
    mark = f"{server.dialect.extension_prefix}group-version-kind"
    seen = await server.get("/openapi/v2")
    kinds = {entry["kind"] for schema in seen["definitions"].values() for entry in schema.get(mark, ())}
    assert {"Pod", "PodList", "Deployment", "Scale", "Lease", "Binding"} <= kinds


async def test_operations_say_what_they_are_on_and_take(server: Server) -> None:
    seen = await server.get("/openapi/v3/apis/apps/v1")
    prefix = server.dialect.extension_prefix
    item = seen["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    assert [method for method in item if method != "parameters"] == ["get", "put", "patch", "delete"]
    assert [parameter["name"] for parameter in item["parameters"]] == ["namespace", "name"]
    patch = item["patch"]
    assert patch[f"{prefix}group-version-kind"] == {"group": "apps", "kind": "Deployment", "version": "v1"}
    assert "fieldValidation" in [parameter["name"] for parameter in patch["parameters"]]
    assert "application/apply-patch+yaml" in patch["requestBody"]["content"]


DISCOVERY = {
    "/api/": ("getCoreAPIVersions", "core", "apis.meta.v1.APIVersions"),
    "/api/v1/": ("getCoreV1APIResources", "core_v1", "apis.meta.v1.APIResourceList"),
    "/apis/": ("getAPIVersions", "apis", "apis.meta.v1.APIGroupList"),
    "/apis/apps/": ("getAppsAPIGroup", "apps", "apis.meta.v1.APIGroup"),
    "/apis/apps/v1/": ("getAppsV1APIResources", "apps_v1", "apis.meta.v1.APIResourceList"),
    "/version/": ("getCodeVersion", "version", "version.Info"),
}


async def test_what_there_is_can_be_asked_by_clients_made_of_a_document(server: Server) -> None:
    whole = await server.get("/openapi/v2")
    library = ".".join(reversed(server.dialect.group_suffix.split("."))) + ".apimachinery.pkg"
    for path, (operation, tag, answered) in DISCOVERY.items():
        place = path.strip("/")
        document = await server.get(f"/openapi/v3/{place}")
        for described in (whole, document):
            item = described["paths"][path]
            assert (list(item), item["get"]["operationId"], item["get"]["tags"]) == (["get"], operation, [tag])
        (reference,) = references(whole["paths"][path])
        assert reference == f"#/definitions/{library}.{answered}"
        (reference, *_) = references(document["paths"][path])
        assert reference == f"#/components/schemas/{library}.{answered}"
        said = await server.get(path)
        properties, required = (resolve(document, reference)[part] for part in ("properties", "required"))
        assert set(said) <= set(properties), "each field of the answer is described"
        assert set(required) <= set(said)
    assert (await server.ask("GET", "/openapi/v3/apis/none")).status == 404


async def test_operation_ids_are_unique(server: Server) -> None:
    for document in await documents(server):
        ids = [
            operation["operationId"] for item in document["paths"].values() for method, operation in item.items() if method != "parameters"
        ]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/api/v1"])
async def test_a_document_that_did_not_change_is_not_sent_again(server: Server, path: str) -> None:
    first = await server.ask("GET", path)
    again = await server.ask("GET", path, if_none_match=first.headers["ETag"])
    assert (first.status, again.status, again.body) == (200, 304, b"")
    hash_ = (await server.get("/openapi/v3"))["paths"]["api/v1"]["serverRelativeURL"].partition("hash=")[2]
    assert json.loads(first.body)
    assert path == "/openapi/v2" or first.headers["ETag"] == f'"{hash_}"'


async def test_as_protobuf_it_says_the_same(server: Server) -> None:
    answer = await server.ask("GET", "/openapi/v2", accept="application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
    found: dict[int, list[bytes]] = {}
    for number, _, payload in fields(answer.body):
        assert isinstance(payload, bytes)
        found.setdefault(number, []).append(payload)
    document = await server.get("/openapi/v2")
    definitions = [{number: payload for number, _, payload in fields(next(fields(entry))[2])} for entry in found[9]]
    assert found[1] == [b"2.0"]
    assert [definition[1].decode() for definition in definitions] == list(document["definitions"])
    assert len(found[8]) == len(document["paths"])
