"""Whatever comes in, nothing is a 500, and every refusal is a Status."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svcsim.meta.http import Request
from svcsim.meta.types import Json
from svcsim.storage.store import LmdbStore
from tests.server.conftest import ADMIN, Server

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
SETTINGS = settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

SEGMENTS = ("api", "apis", "v1", "namespaces", "default", "configmaps", "pods", "one", "status", "scale", "apps", "deployments", "%zz")
LISTING = ("watch", "limit", "continue", "resourceVersion", "resourceVersionMatch", "labelSelector", "fieldSelector", "timeoutSeconds")
WRITING = ("dryRun", "fieldManager", "fieldValidation", "force", "pretty", "gracePeriodSeconds", "propagationPolicy", "includeObject")
VALUES = ("", "0", "true", "All", "-1", "metadata.name=one", "a in (b)", "a=b,", "!", "Exact")
PATCHES = ("application/merge-patch+json", "application/json-patch+json", "application/strategic-merge-patch+json")
FORMS = ("", "*/*", "text/x;;q", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
FIELDS = ("kind", "apiVersion", "metadata", "spec", "data", "status", "name", "labels", "containers", "finalizers", "op", "path", "$patch")

methods = st.sampled_from(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))
paths = st.lists(st.sampled_from(SEGMENTS) | st.text(max_size=5), max_size=8).map(lambda parts: "/" + "/".join(parts))
parameters = st.tuples(st.sampled_from((*LISTING, *WRITING)), st.sampled_from(VALUES) | st.text(max_size=8)).map("=".join)
queries = st.lists(parameters, max_size=3).map("&".join)
media = st.sampled_from((*FORMS, *PATCHES, "application/apply-patch+yaml"))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
keys = st.sampled_from(FIELDS) | st.text(max_size=5)
bodies = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12)


def run(play: Callable[[Server], Coroutine[Any, Any, None]]) -> None:
    """A fresh server for one example."""

    async def main() -> None:
        with tempfile.TemporaryDirectory() as directory:
            store = LmdbStore.open(Path(directory) / "store", dialect="kubernetes", durability="none", threads=False, map_bytes=2**24)
            server = Server(store, "kubernetes")
            await server.create("/api/v1/namespaces", "default")
            await server.create(MAPS, "one", data={"a": "b"})
            await server.create(PODS, "one", spec={"containers": [{"name": "a"}]})
            await play(server)
            await store.close()

    asyncio.run(main())


async def check(server: Server, request: Request) -> None:
    response = await server.pipeline.handle(request)
    assert response.status < 500, (request, response.body)
    if response.status >= 400 and response.content_type == "application/json":
        assert json.loads(response.body)["kind"] == "Status"
    if response.stream is not None:
        await response.stream.aclose()


@SETTINGS
@given(st.lists(st.tuples(methods, paths | st.sampled_from((MAPS, f"{MAPS}/one", PODS, f"{PODS}/one")), queries, media, media), max_size=8))
def test_any_request_line_is_answered(requests: list[tuple[str, str, str, str, str]]) -> None:
    async def play(server: Server) -> None:
        for method, path, query, accept, sent in requests:
            await check(server, Request(method, path, query, {"accept": accept, "content-type": sent}, b"{}", ADMIN))

    run(play)


@SETTINGS
@given(st.lists(st.tuples(methods, media, bodies), max_size=8))
def test_any_json_body_is_answered(requests: list[tuple[str, str, Json]]) -> None:
    async def play(server: Server) -> None:
        for method, sent, body in requests:
            for path in (MAPS, f"{MAPS}/one", f"{PODS}/one", f"{PODS}/one/status", f"{PODS}/one/binding"):
                headers = {"content-type": sent}
                await check(server, Request(method, path, "fieldManager=me", headers, json.dumps(body).encode(), ADMIN))

    run(play)


@SETTINGS
@given(st.lists(st.tuples(media, st.binary(max_size=40) | st.text(max_size=40).map(str.encode)), max_size=8))
def test_any_bytes_are_answered(sent: list[tuple[str, bytes]]) -> None:
    async def play(server: Server) -> None:
        for form, body in sent:
            for data in (body, b"k8s\0" + body, b'{"data":' + body, b'"\\u' + body):
                for method, path in (("POST", MAPS), ("PATCH", f"{MAPS}/one"), ("DELETE", f"{PODS}/two")):
                    await check(server, Request(method, path, "fieldManager=me", {"content-type": form}, data, ADMIN))

    run(play)
