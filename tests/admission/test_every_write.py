"""Everything the kinds serve that writes, in each form a client has for it, and the whole request that admission is shown.

`test_what_is_asked.py` has what is special about some of it.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from svcsim.admission.chain import Chain
from svcsim.dialect import DIALECTS
from svcsim.meta import merge_patch
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object, User
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.store import LmdbStore
from tests.admission.spy import Spy
from tests.admission.writes import BODIES, CHANGE, CONNECTIONS, WRITES, YET_TO_COME, Write, known_as
from tests.kinds.helpers import KINDS
from tests.server.conftest import Server

WRITER = User("writer", ("system:masters", "writers"), "u-1", {"team": ("one", "two")})
GIVEN: Object = {"fieldManager": "tester", "fieldValidation": "Strict"}
FORCED: Object = {**GIVEN, "force": True}
DELETING: Object = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
READING = ("get", "list", "watch")


class Seen(NamedTuple):
    """All that a plugin can see of a request."""

    operation: str
    resource: str
    kind: str
    namespace: str
    name: str
    obj: Object | None
    old: Object | None
    options: Object | None
    user: User
    dry_run: bool
    again: bool = False


def seen(request: AdmissionRequest) -> Seen:
    """A request as a plugin sees it."""
    subresource = f"/{request.subresource}" if request.subresource else ""
    return Seen(
        request.operation,
        f"{request.resource.group_version} {request.resource.kind.plural}{subresource}",
        f"{request.kind.group_version} {request.kind.kind}",
        request.namespace,
        request.name,
        request.obj,
        request.old,
        request.options,
        request.user,
        request.dry_run,
        request.is_reinvocation,
    )


NO_IDENTITY = {"metadata": dict.fromkeys(("uid", "creationTimestamp", "generation"))}
"""What a new object gets once all that may change it have seen it."""
STAND_INS = {kind.plural for kind in KINDS if kind.stands_for}


@pytest.fixture(params=list(DIALECTS))
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Server]:
    """One that serves everything."""
    store = LmdbStore.open(tmp_path / "store", dialect=request.param, durability="none")
    made = Server(store, request.param, KINDS)
    await made.create("/api/v1/namespaces", "default")
    yield made
    await store.close()


def options_of(write: Write) -> Object:
    """The options that a write is asked with."""
    if write.way.method == "DELETE":
        return DELETING
    return FORCED if write.way.media.startswith("application/apply") else GIVEN


def body_of(write: Write, server: Server, old: Object | None) -> Json:
    """What is sent."""
    if write.way.operation == "DELETE":
        return {"kind": "DeleteOptions", "apiVersion": "v1", **DELETING}
    if write.way.operation == "CONNECT":
        return None
    if old is None:
        _, body = BODIES.get(write.resource, ("", None))
        return write.sample(server.dialect) if body is None else {"metadata": {"name": write.name}, **body}
    change, changed = change_of(write), merged(write, old)
    forms: dict[str, Json] = {
        "application/json": changed,
        "application/json-patch+json": [{"op": "add", "path": f"/{name}", "value": changed[name]} for name in change],
        "application/apply-patch+yaml": {"apiVersion": old["apiVersion"], "kind": old["kind"], **change},
    }
    return forms.get(write.way.media, change)


def change_of(write: Write) -> Object:
    """What an update of any form changes."""
    _, change = BODIES.get(write.resource, ("", CHANGE))
    return change


def merged(write: Write, old: Object) -> Object:
    """The object with the change."""
    changed: Object = merge_patch.apply(old, change_of(write))
    return changed


async def ask(server: Server, write: Write, body: Json, *, dry_run: bool) -> Response:
    """Ask it, in earnest or not."""
    query = urlencode({name: "true" if value is True else value for name, value in options_of(write).items()})
    if write.way.operation == "CONNECT":
        _, asked, _ = CONNECTIONS[write.resource]
        return await server.ask(write.way.method, f"{write.path(server.dialect)}{asked}", body, user=WRITER)
    if write.way.operation == "DELETE":
        query = ""
        body = {**body, "dryRun": ["All"]} if dry_run else body
    elif dry_run:
        query += "&dryRun=All"
    path = f"{write.path(server.dialect)}?{query}"
    return await server.ask(write.way.method, path, body, user=WRITER, content_type=write.way.media)


async def shown_before(server: Server, write: Write) -> Object | None:
    """What a client is shown of what will be written, where that shows."""
    if write.way.operation not in ("UPDATE", "DELETE"):
        return None
    here = f"{write.collection(server.dialect)}/{write.name}"
    answer = await server.ask("GET", f"{here}/{write.subresource}" if write.subresource else here)
    return json.loads(answer.body) if answer.status == 200 else await server.get(here)


def of_revision(answer: Object, old: Object | None) -> Object:
    """What was answered, before it took a revision: plugins see that of what was there."""
    metadata = dict(answer["metadata"])
    metadata.pop("resourceVersion", None)
    if old is not None:
        metadata["resourceVersion"] = old["metadata"]["resourceVersion"]
    return {**answer, "metadata": metadata}


def expected_objects(write: Write, server: Server, body: Json, old: Object | None, answer: Object) -> tuple[Object | None, Object | None]:
    """What the mutating plugins see, and the validating ones."""
    if write.way.operation == "DELETE":
        return None, None
    if write.way.operation == "UPDATE":
        assert old is not None
        first = merged(write, old)
        if "managedFields" in answer["metadata"]:  # who wrote what is settled before admission
            first = merge_patch.apply(first, {"metadata": {"managedFields": answer["metadata"]["managedFields"]}})
        return first, of_revision(answer, old)
    if write.kind.answered and not write.subresource:
        asked = {name: value for name, value in answer.items() if name != "status"}
        return asked, asked
    if not write.subresource:
        whole = of_revision(answer, None)
        return merge_patch.apply(merge_patch.apply(whole, YET_TO_COME.get(known_as(write.kind), {})), NO_IDENTITY), whole
    api_version, kind = write.sent_kind(server.dialect).split()
    fields = CONNECTIONS[write.resource][2] if write.way.operation == "CONNECT" else body
    sent = {"kind": kind, "apiVersion": api_version, **fields}
    if write.way.operation == "CREATE" and write.kind.namespaced:
        sent["metadata"] = {**sent["metadata"], "namespace": "default"}
    return sent, sent


def expected_options(write: Write, server: Server, *, dry_run: bool) -> Object | None:
    """The options object, as plugins see it."""
    if not write.way.options:
        return None
    given = {name: value for name, value in options_of(write).items() if name != "force"}
    asked = {**given, "dryRun": ["All"]} if dry_run else given
    kind = "UpdateOptions" if write.way.options == "PatchOptions" else write.way.options  # an update is told as one
    return {**asked, "kind": kind, "apiVersion": f"{server.dialect.group('meta')}/v1"}


def expected(write: Write, server: Server, obj: Object | None, old: Object | None, *, dry_run: bool) -> Seen:
    """What plugins see."""
    namespace = "default" if write.kind.namespaced else write.name if write.kind.plural == "namespaces" else ""
    resource = f"{write.api_version(server.dialect)} {write.resource}"
    options = expected_options(write, server, dry_run=dry_run)
    name = "" if write.kind.answered and not write.subresource else write.name
    return Seen(write.way.operation, resource, write.sent_kind(server.dialect), namespace, name, obj, old, options, WRITER, dry_run)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
async def test_admission_is_shown_the_whole_request(server: Server, write: Write):
    spy, connects = Spy(), write.way.operation == "CONNECT"
    if not write.begins_with_nothing:
        made = await server.ask("POST", write.collection(server.dialect), write.sample(server.dialect))
        assert made.status == 201, made.body
    server.core.admission = Chain((spy,))
    old = await shown_before(server, write)
    body = body_of(write, server, old)
    for dry_run in (False,) if connects else (True, False):
        spy.forget()
        response = await ask(server, write, body, dry_run=dry_run)
        assert connects or response.status in (200, 201), response.body
        obj, outcome = expected_objects(write, server, body, old, {} if connects else json.loads(response.body))
        assert [seen(request) for request in spy.admitted] == [expected(write, server, obj, old, dry_run=dry_run)]
        assert [seen(request) for request in spy.validated] == [expected(write, server, outcome, old, dry_run=dry_run)]


async def test_what_stands_for_a_subresource_is_asked_about_as_what_it_is(server: Server):
    write, shown = WRITES["v1 Pod/binding: create"], []
    await server.ask("POST", write.collection(server.dialect), write.sample(server.dialect))
    spy = Spy()
    server.core.admission = Chain((spy,))
    body = {"apiVersion": "v1", "kind": "Binding", **body_of(write, server, None)}
    for path in (write.path(server.dialect), "/api/v1/namespaces/default/bindings"):
        assert (await server.ask("POST", f"{path}?dryRun=All", body)).status == 201
        shown.append([seen(request) for request in (*spy.admitted, *spy.validated)])
        spy.forget()
    assert len(shown[0]) == 2
    assert [one.resource for one in (*shown[0], *shown[1])] == ["v1 pods/binding"] * 2 + ["v1 bindings"] * 2
    assert [one._replace(resource="v1 bindings") for one in shown[0]] == shown[1]


async def test_that_is_all_that_discovery_shows(server: Server):
    served = []
    for path in dict.fromkeys(write.group_version_path(server.dialect) for write in WRITES.values()):
        document = await server.get(path)
        served += [
            (document["groupVersion"], entry["name"], verb)
            for entry in document["resources"]
            for verb in entry["verbs"]
            if (verb not in READING or entry["name"] in CONNECTIONS) and entry["name"] not in STAND_INS
        ]
    covered = [(write.api_version(server.dialect), write.resource, write.way.verb) for write in WRITES.values()]
    assert sorted(set(covered)) == sorted(set(served))


async def test_every_media_type_of_a_patch_is_there(server: Server):
    document = json.loads((await server.ask("GET", "/openapi/v2", accept="application/json")).body)
    action = f"{server.dialect.extension_prefix}action"
    described = [operations["patch"] for operations in document["paths"].values() if "patch" in operations]
    patches = [operation["consumes"] for operation in described if operation[action] == "patch"]
    for write in WRITES.values():
        if write.way.verb == "patch" and write.way.operation != "CONNECT":
            asked = {other.way.media for other in WRITES.values() if other.kind is write.kind and other.subresource == write.subresource}
            assert all({media for media in asked if "patch" in media} == set(told) for told in patches)
