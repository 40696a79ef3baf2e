"""Protobuf bodies in and out."""

import json

import pytest

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.schema.common import DELETE_OPTIONS, STATUS, list_struct, object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_envelope, encode_message
from svcsim.schema.types import Struct
from svcsim.schema.wire import fields
from tests.server.conftest import Server
from tests.server.small_kinds import CONFIG_MAP, SCALE

MAPS = "/api/v1/namespaces/default/configmaps"
SCHEMA = object_struct(CONFIG_MAP.schema)


def message(kind: str, obj: Object, schema: Struct, api_version: str = "v1") -> bytes:
    return encode_envelope(api_version, kind, encode_message(obj, schema))


def read(response: Response, schema: Struct) -> Object:
    return decode_message(decode_envelope(response.body).raw, schema)


async def test_objects_are_read_and_answered(server: Server) -> None:
    media = server.dialect.protobuf_media_type
    body = message("ConfigMap", {"metadata": {"name": "one"}, "data": {"a": "b"}}, SCHEMA)
    response = await server.ask("POST", MAPS, body, content_type=media, accept=f"{media}, application/json")
    assert (response.status, response.content_type) == (201, media)
    assert decode_envelope(response.body)[:2] == ("v1", "ConfigMap")
    seen = read(response, SCHEMA)
    stored = await server.get(f"{MAPS}/one")
    assert (seen["metadata"]["uid"], seen["data"]) == (stored["metadata"]["uid"], {"a": "b"})


async def test_the_form_of_body_and_answer_may_differ(server: Server) -> None:
    body = message("ConfigMap", {"metadata": {"name": "one"}}, SCHEMA)
    response = await server.ask("POST", MAPS, body, content_type=server.dialect.protobuf_media_type)
    assert json.loads(response.body)["metadata"]["name"] == "one"


async def test_lists(server: Server) -> None:
    for name in ("a", "b"):
        await server.create(MAPS, name, data={"x": name})
    response = await server.ask("GET", f"{MAPS}?limit=1", accept=server.dialect.protobuf_media_type)
    seen = read(response, list_struct(CONFIG_MAP.schema, CONFIG_MAP.list_name))
    assert decode_envelope(response.body)[:2] == ("v1", "ConfigMapList")
    assert [item["data"] for item in seen["items"]] == [{"x": "a"}]
    assert seen["metadata"]["remainingItemCount"] == 1


async def test_a_watch_is_a_series_of_frames(server: Server) -> None:
    media = server.dialect.protobuf_media_type
    for name in ("a", "b"):
        await server.create(MAPS, name)
    response = await server.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=1", accept=f"{media};stream=watch")
    assert response.content_type == f"{media};stream=watch"
    data = b"".join([piece async for piece in response.stream])
    names = []
    while data:
        size = int.from_bytes(data[:4], "big")
        event = {number: payload for number, _, payload in fields(data[4 : 4 + size])}
        data = data[4 + size :]
        assert event[1] == b"ADDED"
        (raw,) = [payload for number, _, payload in fields(event[2]) if number == 1]
        names.append(decode_message(decode_envelope(raw).raw, SCHEMA)["metadata"]["name"])
    assert names == ["a", "b"]


async def test_statuses(server: Server) -> None:
    media = server.dialect.protobuf_media_type
    missing = await server.ask("GET", f"{MAPS}/none", accept=f"{media},application/json")
    assert (missing.status, missing.content_type) == (404, media)
    assert read(missing, STATUS)["reason"] == "NotFound"
    await server.create(MAPS, "one")
    options = message("DeleteOptions", {"preconditions": {"uid": "other"}}, DELETE_OPTIONS)
    assert (await server.ask("DELETE", f"{MAPS}/one", options, content_type=media)).status == 409
    gone = await server.ask("DELETE", f"{MAPS}/one", accept=media)
    assert read(gone, STATUS)["status"] == "Success"


async def test_bodies_of_a_subresource(server: Server) -> None:
    path = "/apis/apps/v1/namespaces/default/deployments"
    await server.create(path, "d", spec={"replicas": 1})
    media = server.dialect.protobuf_media_type
    seen = await server.get(f"{path}/d/scale")
    schema = object_struct(SCALE.body)
    body = message("Scale", {**seen, "spec": {"replicas": 7}}, schema, "autoscaling/v1")
    response = await server.ask("PUT", f"{path}/d/scale", body, content_type=media, accept=media)
    assert response.status == 200
    assert read(response, schema)["spec"] == {"replicas": 7}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"k8s\x01" + message("ConfigMap", {}, SCHEMA)[4:],
        message("ConfigMap", {}, SCHEMA)[:-20] + b"\xff\xff\xff",
        message("Nope", {}, SCHEMA),
        message("ConfigMap", {}, SCHEMA, "v2"),
    ],
)
async def test_what_is_no_such_message_is_400(server: Server, body: bytes) -> None:
    response = await server.ask("POST", MAPS, body, content_type=server.dialect.protobuf_media_type)
    assert response.status == 400, response.body
