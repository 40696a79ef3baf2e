"""The client turns verbs into requests and answers into objects or errors."""

from collections.abc import AsyncIterator

import pytest

from svcsim.client.answers import error_from, read_list_metadata
from svcsim.client.api import Client
from svcsim.client.discovery import read_resources
from svcsim.client.in_process import InProcessTransport
from svcsim.client.paths import asked, query_string, resource_path
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from tests.client.small_server import SmallServer

THING = {"kind": "Thing", "apiVersion": "v1", "metadata": {"name": "a"}}


@pytest.fixture
def server() -> SmallServer:
    return SmallServer()


@pytest.fixture
def client(server: SmallServer) -> Client:
    return Client(InProcessTransport(server.handle, User("admin")), KUBERNETES)


@pytest.mark.parametrize(
    ("body", "metadata"),
    [
        (b'{"kind":"ThingList","metadata":{"continue":"x"},"items":[{"metadata":{"continue":"y"}}]}', {"continue": "x"}),
        (b'{"kind":"ThingList","metadata":{"continue":"x"},"items":[]}', {"continue": "x"}),
        (b'{"items":[{"a":1}],"metadata":{"continue":"x"}}', {"continue": "x"}),
        (b'{"apiVersion":"v1","items":[{"a":1}],"kind":"ThingList","metadata":{"continue":"x"}}', {"continue": "x"}),
        (b'{"metadata":{"continue":",\\"items\\":["},"items":[not read', {"continue": ',"items":['}),
        (b'{"kind":"Status","details":{"a":1,"items":[1]},"metadata":{"continue":"x"}}', {"continue": "x"}),
        (b'{"kind":"Status","status":"Success"}', {}),
        (b"[]", {}),
    ],
)
def test_of_a_list_the_metadata_can_be_read_alone(body, metadata):
    assert read_list_metadata(body) == metadata


def test_a_list_that_is_no_json_is_refused():
    with pytest.raises(StatusError, match="which is no JSON"):
        read_list_metadata(b"not json")


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (("v1", "nodes"), "/api/v1/nodes"),
        (("v1", "pods", "shop"), "/api/v1/namespaces/shop/pods"),
        (("apps/v1", "deployments", "shop", "web"), "/apis/apps/v1/namespaces/shop/deployments/web"),
        (("v1", "pods", "shop", "web", "status"), "/api/v1/namespaces/shop/pods/web/status"),
        (("rbac/v1", "clusterroles", "", "system:x/y"), "/apis/rbac/v1/clusterroles/system:x%2Fy"),
    ],
)
def test_paths(parts, path):
    assert resource_path(*parts) == path


def test_query_strings_leave_out_what_says_nothing():
    assert query_string({"a": "", "b": 0, "c": False, "d": None, "labelSelector": "x in (y,z)", "watch": True}) == (
        "labelSelector=x+in+%28y%2Cz%29&watch=true"
    )


async def test_objects_are_created_read_changed_and_deleted(client):
    things = client.resource("v1", "things", "shop")
    made = await things.create(THING)
    assert (await things.get("a")) == made
    changed = await things.update({**made, "spec": 1})
    assert changed["spec"] == 1
    with pytest.raises(StatusError) as conflict:
        await things.update({**made, "spec": 2})
    assert conflict.value.reason == "Conflict"
    assert (await things.patch("a", {"spec": None})).get("spec") is None
    await things.delete("a")
    with pytest.raises(StatusError) as gone:
        await things.get("a")
    assert (gone.value.code, gone.value.message) == (404, 'things "a" not found')


async def test_patches_say_their_type(client, server):
    things = client.resource("v1", "things", "shop")
    await things.create(THING)
    for kind in ("merge", "json", "strategic", "apply"):
        await things.patch("a", {}, kind, field_manager="me", force=True)
    assert [request.headers["content-type"] for request in server.requests[1:]] == [
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ]
    assert server.requests[1].query == "fieldManager=me&force=true"


async def test_a_delete_says_its_preconditions_and_propagation(client, server):
    things = client.resource("v1", "things", "shop")
    await things.create(THING)
    await things.delete("a", grace_period_s=0, propagation="Orphan", uid="u")
    assert server.requests[-1].body == (
        b'{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Orphan","preconditions":{"uid":"u"}}'
    )


async def test_items_of_a_list_say_what_they_are(client, server):
    await server.put("/api/v1/namespaces/shop/things/a", {"metadata": {"name": "a"}})
    (item,) = await client.resource("v1", "things", "shop").list_all()
    assert (item["kind"], item["apiVersion"]) == ("Thing", "v1")


async def test_a_watch_gives_events_from_a_revision_on(client, server):
    things = client.resource("v1", "things", "shop")
    made = await things.create(THING)
    await things.update({**made, "spec": 1})
    await things.delete("a")
    async with things.watch(made["metadata"]["resourceVersion"]) as events:
        iterator = aiter(events)
        assert [(await anext(iterator)).type for _ in range(2)] == ["MODIFIED", "DELETED"]


async def test_a_watch_cut_off_within_an_event_counts_as_broken():
    async def half_an_event() -> AsyncIterator[bytes]:
        yield b'{"type":"ADDED","obj'

    async def handle(_: Request) -> Response:
        return Response(200, stream=half_an_event())

    client = Client(InProcessTransport(handle, User("admin")), KUBERNETES)
    async with client.resource("v1", "things").watch("1") as events:
        with pytest.raises(ConnectionError, match="broke off within an event"):
            await anext(aiter(events))


async def test_a_watch_that_is_refused_raises_what_the_server_says(client, server):
    server.forget()
    with pytest.raises(StatusError) as raised:
        async with client.resource("v1", "things").watch("1"):
            pass
    assert raised.value.code == 410


def test_an_error_that_is_no_status_is_told_as_kubectl_tells_it():
    error = error_from(502, b"bad <gateway>\nafter that\n")
    message = 'an error on the server ("bad <gateway>\\nafter that") has prevented the request from succeeding'
    assert (error.code, error.reason, error.message) == (502, "InternalError", message)
    unavailable = "the server is currently unable to handle the request"
    assert (error_from(503, b"").message, error_from(503, b"busy\n").message) == (unavailable, unavailable)
    assert error_from(302, b"").message == "the server responded with the status code 302 but did not return more information"
    assert error_from(409, b'{"kind":"Status","reason":"Conflict","message":"m"}').code == 409


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/v1/namespaces/shop/pods/web", "get pods web"),
        ("/api/v1/namespaces/shop/pods/web/log", "get pods web"),
        ("/api/v1/pods", "get pods"),
        ("/apis/apps/v1/namespaces/shop/deployments", "get deployments.apps"),
        ("/apis/ex.dev/v1/gadgets/a%3Ab", "get gadgets.ex.dev a:b"),
        ("/api/v1/namespaces", "get namespaces"),
        ("/api/v1/namespaces/shop", "get namespaces shop"),
        ("/api/v1/namespaces/shop/status", "get namespaces shop"),
        ("/api/v1/namespaces/shop/finalize", "get namespaces shop"),
        ("/apis/ex.dev/v1", ""),
        ("/api", ""),
        ("/openapi/v3/apis/apps/v1", ""),
    ],
)
def test_what_a_request_asks_for_is_told_by_its_path(path, told):
    assert asked("GET", path) == told


def test_subresources_are_no_resources_in_discovery():
    body = {
        "groupVersion": "apps/v1",
        "resources": [
            {"name": "deployments", "kind": "Deployment", "namespaced": True, "verbs": ["get"], "shortNames": ["deploy"]},
            {"name": "deployments/status", "kind": "Deployment", "namespaced": True, "verbs": ["get"]},
        ],
    }
    (found,) = read_resources(body)
    assert (found.plural, found.group, found.short) == ("deployments", "apps", ("deploy",))
