"""What those leave whom mutating plugins ask is looked at like what a client sends: nothing broken is stored, nor ends in a traceback."""

import json
from collections.abc import AsyncIterator, Callable
from functools import reduce
from pathlib import Path

import pytest

from svcsim.admission.chain import Chain
from svcsim.admission.plugin import ANY, Rule
from svcsim.meta.errors import forbidden
from svcsim.meta.http import Response
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.store import LmdbStore
from tests.kinds.helpers import KINDS
from tests.server.conftest import Server

MAPS, PODS = "/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/pods"
MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
USED = ("namespaces", "pods", "configmaps", "deployments")
POD: Object = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}

Change = Callable[[AdmissionRequest], object]


class Doing:
    """Does something to whatever is sent."""

    name = "Doing"
    asks_others = True
    rules = (Rule(("CREATE", "UPDATE", "CONNECT"), ("*/*",), ANY),)

    def __init__(self, change: Change) -> None:
        self._change = change

    async def admit(self, request: AdmissionRequest) -> None:
        self._change(request)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none")
    made = Server(store, "kubernetes", tuple(kind for kind in KINDS if kind.plural in USED))
    await made.create("/api/v1/namespaces", "default")
    await made.create(MAPS, "m", data={"k": "1"})
    await made.create(PODS, "p", spec=POD["spec"])
    yield made
    await store.close()


def create(server: Server):
    return server.ask("POST", MAPS, {"metadata": {"name": "new", "labels": {"l": ""}}, "data": {"k": "1"}})


def update(server: Server):
    return server.ask("PUT", f"{MAPS}/m", {"metadata": {"name": "m"}, "data": {"k": "2"}})


def patch(server: Server):
    return server.ask("PATCH", f"{MAPS}/m", {"data": {"k": "2"}}, content_type=MERGE)


def apply(server: Server):
    return server.ask("PATCH", f"{MAPS}/m?fieldManager=me&force=true", {**CONFIG, "data": {"k": "2"}}, content_type=APPLY)


def bind(server: Server):
    return server.ask("POST", f"{PODS}/p/binding", {"metadata": {"name": "p"}, "target": {"name": "n"}})


CONFIG: Object = {"apiVersion": "v1", "kind": "ConfigMap"}


def apply_new(server: Server):
    return server.ask("PATCH", f"{MAPS}/n?fieldManager=me", {**CONFIG, "data": {"k": "2"}}, content_type=APPLY)


WAYS = (create, update, patch, apply)


async def done(server: Server, way: Callable[[Server], object], change: Change) -> Response:
    server.core.admission = Chain((Doing(change),))
    return await way(server)


def put(path: str, value: object) -> Change:
    *above, last = path.split(".")

    def change(request: AdmissionRequest) -> None:
        place = request.obj
        for name in above:
            place = place[name]
        place[last] = value

    return change


def replaced(value: object) -> Change:
    return lambda request: setattr(request, "obj", value)


BROKEN: dict[str, Change] = {
    "a value of another type": put("data", "x"),
    "a value of another type further down": put("data.k", {"x": "y"}),
    "metadata that are none": put("metadata", "x"),
    "no metadata": lambda request: request.obj.pop("metadata"),
    "labels that are none": put("metadata.labels", ["x"]),
    "no object": replaced(None),
    "a list": replaced([]),
    "what JSON has no form for": put("data.k", object()),
    "a key that is none": lambda request: request.obj["data"].update({1: "x"}),
    "what nests too deep": lambda request: request.obj.update(data=reduce(lambda inner, _: {"k": inner}, range(300), {})),
    "itself": lambda request: request.obj.update(one=request.obj, other=[request.obj, request.obj["data"]]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
async def test_what_is_no_such_object_is_a_clear_error_and_never_stored(server: Server, way: Callable, change: Change):
    revision = server.core.store.revision
    response = await done(server, way, change)
    status = json.loads(response.body)
    assert (response.status, status["reason"]) == (500, "InternalError")
    assert status["message"].startswith('Internal error occurred: admission plugin "Doing" returned an invalid ConfigMap: ')
    assert server.core.store.revision == revision


async def test_a_body_is_looked_at_too(server: Server):
    status = json.loads((await done(server, bind, put("target", "n"))).body)
    assert 'admission plugin "Doing" returned an invalid Binding: ' in status["message"]
    assert (await done(server, bind, put("target.colour", "red"))).status == 201


@pytest.mark.parametrize("way", WAYS)
async def test_unknown_fields_are_dropped(server: Server, way: Callable):
    def change(request: AdmissionRequest) -> None:
        request.obj["colour"] = request.obj["metadata"]["colour"] = "red"
        request.obj["data"]["added"] = "yes"

    stored = json.loads((await done(server, way, change)).body)
    assert "colour" not in stored
    assert "colour" not in stored["metadata"]
    assert stored["data"]["added"] == "yes"


async def test_what_is_added_is_completed(server: Server):
    def change(request: AdmissionRequest) -> None:
        request.obj["spec"]["containers"].append({"name": "sidecar", "image": "s"})

    def run(server: Server):
        return server.ask("POST", PODS, {**POD, "metadata": {"name": "q"}})

    stored = json.loads((await done(server, run, change)).body)
    assert stored["spec"]["containers"][1]["imagePullPolicy"] == "Always"
    assert stored["spec"]["containers"][1]["terminationMessagePath"] == "/dev/termination-log"


@pytest.mark.parametrize("way", WAYS)
async def test_another_namespace_is_refused(server: Server, way: Callable):
    response = await done(server, way, put("metadata.namespace", "other"))
    assert response.status == 400
    assert "the namespace of the provided object does not match the namespace sent on the request" in response.body.decode()
    assert (await server.ask("GET", "/api/v1/namespaces/other/configmaps/m")).status == 404


@pytest.mark.parametrize(("way", "status"), [(update, 422), (patch, 422), (apply, 422), (apply_new, 400)])
async def test_another_name_is_refused(server: Server, way: Callable, status: int):
    response = await done(server, way, put("metadata.name", "other"))
    words = {400: "the name of the object (other) does not match the name on the URL (n)", 422: "metadata.name: Invalid value"}
    assert (response.status, words[status] in response.body.decode()) == (status, True)


async def test_a_plugin_may_name_what_is_new(server: Server):
    assert json.loads((await done(server, create, put("metadata.name", "other"))).body)["metadata"]["name"] == "other"
    assert (await done(server, create, put("metadata.name", "No Name"))).status == 422
    assert (await done(server, create, lambda request: request.obj["metadata"].pop("name"))).status == 422


async def test_what_the_server_says_of_an_object_is_not_a_plugins_to_change(server: Server):
    def change(request: AdmissionRequest) -> None:
        metadata = request.obj["metadata"]
        for name in ("uid", "creationTimestamp", "namespace"):
            metadata.pop(name, None)
        metadata["generation"] = 7

    old = (await server.get(f"{MAPS}/m"))["metadata"]
    for way in WAYS:
        metadata = json.loads((await done(server, way, change)).body)["metadata"]
        assert metadata["namespace"] == "default"
        assert metadata["uid"] == old["uid"] or way is create
        assert metadata["creationTimestamp"]
        assert "generation" not in metadata


GOOD = {"manager": "good", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:k": {}}}}
UNREADABLE = ("x", [7], [{**GOOD, "operation": "Odd"}], [{**GOOD, "fieldsV1": {"odd": {}}}], [{**GOOD, "manager": 7}])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "entries", ["x", [7], [{**GOOD, "operation": "Odd"}], [{**GOOD, "fieldsV1": {"odd": {}}}], [{**GOOD, "manager": 7}]]
)
async def test_owners_that_cannot_be_read_are_kept_as_they_were_with_a_warning(server: Server, way: Callable, entries: object):
    seen: list[object] = []

    def change(request: AdmissionRequest) -> None:
        seen.append(copy_json(request.obj["metadata"]["managedFields"]))
        request.obj["metadata"]["managedFields"] = entries

    response = await done(server, way, change)
    assert json.loads(response.body)["metadata"]["managedFields"] == seen[0]
    assert ".metadata.managedFields was in an invalid state after admission" in response.headers["Warning"]


@pytest.mark.parametrize("way", WAYS)
async def test_owners_that_can_be_read_are_the_plugins_to_change(server: Server, way: Callable):
    response = await done(server, way, lambda request: request.obj["metadata"].update(managedFields=[GOOD]))
    assert json.loads(response.body)["metadata"]["managedFields"] == [GOOD]
    assert "Warning" not in response.headers


def execute(server: Server):
    return server.ask("POST", f"{PODS}/p/exec?command=ls&container=c&tty=true")


OPTIONS = {"kind": "PodExecOptions", "apiVersion": "v1", "command": ["ls"], "container": "c", "tty": True}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda _: None, OPTIONS),
        (put("container", "other"), {**OPTIONS, "container": "other"}),
        (replaced({"command": ["sh"], "colour": "red"}), {"kind": "PodExecOptions", "apiVersion": "v1", "command": ["sh"]}),
        (put("command", "ls"), None),
        (put("command", [1]), None),
        (put("tty", "yes"), None),
        (replaced(None), None),
    ],
)
async def test_a_connection_is_made_with_the_options_plugins_leave(server: Server, change: Change, expected: Object | None):
    response = await done(server, execute, change)
    assert server.executed == ([] if expected is None else [expected])
    if expected is None:
        assert 'admission plugin "Doing" returned an invalid PodExecOptions: ' in json.loads(response.body)["message"]


@pytest.mark.parametrize("way", [*WAYS, bind, execute])
async def test_a_warning_reaches_the_client_of_a_request_that_is_refused(server: Server, way: Callable):
    def change(request: AdmissionRequest) -> None:
        request.warn("think again")
        raise forbidden(request.resource.group_resource, request.name, "no")

    response = await done(server, way, change)
    assert (response.status, response.headers["Warning"]) == (403, '299 - "think again"')


async def test_a_warning_reaches_the_client_of_a_request_that_failed(server: Server):
    def change(request: AdmissionRequest) -> None:
        request.warn("think again")
        raise LookupError

    response = await done(server, create, change)
    assert (response.status, response.headers["Warning"]) == (500, '299 - "think again"')
