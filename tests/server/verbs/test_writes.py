"""create, update, patch, apply and delete through the whole pipeline."""

import asyncio
import json
import threading
import types

import pytest

from svcsim import limits
from svcsim.meta import json_patch
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.registry import write_steps
from tests.server.conftest import Server

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def status_of(response: Response) -> Object:
    body = json.loads(response.body)
    assert (body["kind"], body["code"]) == ("Status", response.status)
    return body


def named(name: str, **fields: Json) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **fields}


async def test_create_answers_201_with_what_was_stored(server: Server) -> None:
    response = await server.ask("POST", MAPS, named("one", data={"a": "b"}))
    assert response.status == 201
    assert json.loads(response.body) == await server.get(f"{MAPS}/one")


async def test_kind_and_version_may_be_left_to_the_path(server: Server) -> None:
    created = await server.create(MAPS, "one")
    assert (created["kind"], created["apiVersion"]) == ("ConfigMap", "v1")


async def test_yaml_bodies_are_read(server: Server) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: b\n"
    response = await server.ask("POST", MAPS, body, content_type="application/yaml; charset=utf-8")
    assert response.status == 201
    assert json.loads(response.body)["data"] == {"a": "b"}


WRONG = ' in version "v1" cannot be handled as a ConfigMap: '


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "),
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"{", "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "),
        (b'{"metadata": {"name": "a-long-name"', ' ({"metadata": {"name": "a-long- ...)'),
        (b"metadata: {}", f" ({b'metadata: {}'.hex()})"),
        (b"[]", "cannot unmarshal array into Go value"),
        (b"[]", " (5b5d)"),
        (b'"x"', "cannot unmarshal string into Go value"),
        (b'{"kind": 1}', "cannot unmarshal number into Go struct field .kind of type string"),
        (b"[" * 100_000, "exceeded max depth"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "exceeded max depth"),
        (
            b'{"metadata": 3}',
            f"ConfigMap{WRONG}json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
        ),
        (b'{"metadata": {"name": "x"}, "data": 3}', "data"),
        (
            b'{"kind": "ConfigMap", "apiVersion": "v2"}',
            'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2"',
        ),
        (b'{"kind": "Nope", "apiVersion": "v1"}', 'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered'),
        (
            b'{"kind": "Deployment", "apiVersion": "apps/v1"}',
            f"Deployment{WRONG}converting (v1.Deployment) to (core.ConfigMap): unknown conversion",
        ),
        (
            b'{"metadata": {"name": "x", "namespace": "other"}}',
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ],
)
async def test_a_body_that_is_no_such_object_is_400(server: Server, body: bytes, message: str) -> None:
    response = await server.ask("POST", MAPS, body)
    assert response.status == 400
    assert message in status_of(response)["message"]


LAUGHS = (
    b"a: &a ["
    + b"x, " * 10
    + b"]\n"
    + b"".join(b"%c: &%c [" % (here, here) + b"*%c, " % before * 10 + b"]\n" for before, here in zip(b"abcdefgh", b"bcdefghi", strict=True))
)


@pytest.mark.parametrize("body", [b"a: [", LAUGHS, b"- " * 50_000], ids=["open", "aliases", "nesting"])
async def test_malformed_and_malicious_yaml_is_400(server: Server, body: bytes) -> None:
    response = await server.ask("POST", MAPS, body, content_type="application/yaml")
    assert status_of(response)["reason"] == "BadRequest"


async def test_an_unknown_media_type_is_415(server: Server) -> None:
    response = await server.ask("POST", MAPS, named("one"), content_type="text/html")
    assert response.status == 415
    assert status_of(response)["message"] == (
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, "
        + server.dialect.protobuf_media_type
    )


async def test_a_bad_name_is_422(server: Server) -> None:
    response = await server.ask("POST", MAPS, named("Not_A_Name"))
    assert response.status == 422
    assert status_of(response)["details"]["causes"][0]["field"] == "metadata.name"


async def test_a_taken_name_is_409(server: Server) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("POST", MAPS, named("one"))
    assert (response.status, status_of(response)["reason"]) == (409, "AlreadyExists")


async def test_unknown_fields_are_warned_about(server: Server) -> None:
    response = await server.ask("POST", MAPS, named("one", nope=1, odd={}))
    assert response.status == 201
    assert response.headers["Warning"] == '299 - "unknown field \\"nope\\"", 299 - "unknown field \\"odd\\""'


async def test_fields_that_stand_twice_are_warned_about(server: Server) -> None:
    response = await server.ask("POST", MAPS, b'{"metadata": {"name": "one"}, "data": {"a": "1", "a": "2"}}')
    assert response.status == 201
    assert "duplicate field" in response.headers["Warning"]


async def test_strict_validation_refuses_unknown_and_duplicate_fields(server: Server) -> None:
    response = await server.ask(
        "POST", f"{MAPS}?fieldValidation=Strict", b'{"metadata": {"name": "one"}, "nope": 1, "data": {"a": "1", "a": "2"}}'
    )
    assert response.status == 400
    message = status_of(response)["message"]
    assert "strict decoding error" in message
    assert 'unknown field "nope"' in message
    assert "duplicate field" in message


async def test_what_is_refused_is_warned_of_all_the_same(server: Server) -> None:
    response = await server.ask("POST", MAPS, {"metadata": {"name": "No Name"}, "nope": 1})
    assert (response.status, response.headers["Warning"]) == (422, '299 - "unknown field \\"nope\\""')


async def test_ignored_fields_leave_no_warning(server: Server) -> None:
    response = await server.ask("POST", f"{MAPS}?fieldValidation=Ignore", named("one", nope=1))
    assert (response.status, response.headers) == (201, {})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("dryRun=Some", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'),
        ("fieldManager=" + "m" * 129, "fieldManager: Too long: may not be more than 128 bytes"),
        ("fieldManager=a%07b", "invalid character U+0007 (at position 1)"),
        ("fieldValidation=Maybe", 'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"'),
    ],
)
async def test_bad_options_of_a_write_are_422(server: Server, query: str, message: str) -> None:
    response = await server.ask("POST", f"{MAPS}?{query}", named("one"))
    assert response.status == 422
    seen = status_of(response)
    assert message in seen["message"]
    assert seen["details"]["kind"] == "CreateOptions"
    assert seen["details"]["group"] == server.dialect.group("meta")


async def test_a_dry_run_stores_nothing(server: Server) -> None:
    response = await server.ask("POST", f"{MAPS}?dryRun=All", named("one"))
    assert response.status == 201
    assert (await server.ask("GET", f"{MAPS}/one")).status == 404


async def test_a_dry_run_parameter_without_value_is_none(server: Server) -> None:
    await server.ask("POST", f"{MAPS}?dryRun=", named("one"))
    assert (await server.ask("GET", f"{MAPS}/one")).status == 200


async def test_the_manager_is_named_or_follows_from_the_user_agent(server: Server) -> None:
    await server.ask("POST", f"{MAPS}?fieldManager=me", named("one", data={"a": "b"}))
    await server.ask("POST", MAPS, named("two", data={"a": "b"}), user_agent="kubectl/v1.34 (linux)")
    for name, manager in (("one", "me"), ("two", "kubectl")):
        managed = (await server.get(f"{MAPS}/{name}"))["metadata"]["managedFields"]
        assert [entry["manager"] for entry in managed] == [manager]


async def test_update_replaces(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    response = await server.ask("PUT", f"{MAPS}/one", named("one", data={"c": "d"}))
    assert response.status == 200
    assert (await server.get(f"{MAPS}/one"))["data"] == {"c": "d"}


async def test_an_update_of_an_old_revision_is_a_conflict(server: Server) -> None:
    one = await server.create(MAPS, "one")
    assert (await server.ask("PUT", f"{MAPS}/one", {**one, "data": {"a": "1"}})).status == 200
    response = await server.ask("PUT", f"{MAPS}/one", {**one, "data": {"a": "2"}})
    assert response.status == 409
    assert status_of(response)["message"] == (
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"name": "two"}, "the name of the object (two) does not match the name on the URL (one)"),
        ({}, "the name of the object (one based on URL) was undeterminable: name must be provided"),
        (
            {"name": "one", "namespace": "other"},
            "the namespace of the object (other) does not match the namespace on the request (default)",
        ),
    ],
)
async def test_an_update_has_to_name_what_the_path_names(server: Server, metadata: Object, message: str) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("PUT", f"{MAPS}/one", {"metadata": metadata})
    assert response.status == 400
    assert status_of(response)["message"] == message


async def test_an_update_of_what_is_not_there_is_404(server: Server) -> None:
    assert (await server.ask("PUT", f"{MAPS}/one", named("one"))).status == 404


async def test_status_is_written_through_its_subresource_alone(server: Server) -> None:
    await server.create(DEPLOYMENTS, "d", spec={"replicas": 1}, status={"replicas": 5})
    seen = await server.get(f"{DEPLOYMENTS}/d")
    assert "replicas" not in seen.get("status", {})
    response = await server.ask("PUT", f"{DEPLOYMENTS}/d/status", {**seen, "spec": {"replicas": 9}, "status": {"replicas": 1}})
    assert response.status == 200
    seen = await server.get(f"{DEPLOYMENTS}/d")
    assert (seen["spec"], seen["status"]) == ({"replicas": 1}, {"replicas": 1})


async def test_merge_patch(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "1", "b": "2"})
    response = await server.ask("PATCH", f"{MAPS}/one", {"data": {"a": None, "c": "3"}}, content_type="application/merge-patch+json")
    assert response.status == 200
    assert json.loads(response.body)["data"] == {"b": "2", "c": "3"}


async def test_json_patch(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "1"})
    patch = [{"op": "test", "path": "/data/a", "value": "1"}, {"op": "replace", "path": "/data/a", "value": "2"}]
    response = await server.ask("PATCH", f"{MAPS}/one", patch, content_type="application/json-patch+json")
    assert json.loads(response.body)["data"] == {"a": "2"}


async def test_strategic_merge_patch_merges_lists_by_their_keys(server: Server) -> None:
    await server.create(PODS, "p", spec={"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "two"}]})
    patch = {"spec": {"containers": [{"name": "b", "image": "three"}]}}
    response = await server.ask("PATCH", f"{PODS}/p", patch, content_type="application/strategic-merge-patch+json")
    assert response.status == 200
    containers = json.loads(response.body)["spec"]["containers"]
    assert {container["name"]: container["image"] for container in containers} == {"a": "one", "b": "three"}


async def test_a_subresource_with_a_view_shows_that_and_nothing_else(server: Server) -> None:
    await server.create(DEPLOYMENTS, "d", spec={"replicas": 1})
    seen = await server.get(f"{DEPLOYMENTS}/d/scale")
    assert (seen["kind"], seen["apiVersion"], seen["spec"]) == ("Scale", "autoscaling/v1", {"replicas": 1})
    for method, body, media in (
        ("PUT", {**seen, "spec": {"replicas": 2}}, "application/json"),
        ("PATCH", {"spec": {"replicas": 3}}, "application/merge-patch+json"),
        ("PATCH", {"spec": {"replicas": 4}}, "application/strategic-merge-patch+json"),
    ):
        response = await server.ask(method, f"{DEPLOYMENTS}/d/scale", body, content_type=media)
        assert response.status == 200, response.body
        changed = json.loads(response.body)
        assert (changed["kind"], changed["spec"]) == ("Scale", body["spec"])
    assert (await server.get(f"{DEPLOYMENTS}/d"))["spec"] == {"replicas": 4}


@pytest.mark.parametrize("spec", [3, {"replicas": "many"}, {"replicas": 2**40}])
async def test_a_subresources_body_has_to_be_of_its_shape(server: Server, spec: Json) -> None:
    await server.create(DEPLOYMENTS, "d", spec={"replicas": 1})
    seen = await server.get(f"{DEPLOYMENTS}/d/scale")
    response = await server.ask("PUT", f"{DEPLOYMENTS}/d/scale", {**seen, "spec": spec})
    assert response.status == 400
    assert "cannot be handled as a Scale" in status_of(response)["message"]


async def test_a_version_on_its_way_out_is_warned_of(server: Server) -> None:
    group = server.dialect.group("coordination")
    path = f"/apis/{group}/v1/namespaces/default/leases"
    warning = f'299 - "{group}/v1 Lease is deprecated in v1.30+; use {group}/v2 Lease"'
    response = await server.ask("POST", path, {"metadata": {"name": "l"}, "nope": 1})
    assert response.headers["Warning"] == f'{warning}, 299 - "unknown field \\"nope\\""'
    for _ in range(2):
        assert (await server.ask("GET", path)).headers["Warning"] == warning


async def test_what_is_created_through_a_subresource_is_answered_by_a_status(server: Server) -> None:
    await server.create(PODS, "p")
    binding = {"kind": "Binding", "apiVersion": "v1", "metadata": {"name": "p"}, "target": {"name": "n1"}}
    response = await server.ask("POST", f"{PODS}/p/binding", binding)
    assert (response.status, status_of(response)["status"]) == (201, "Success")
    assert (await server.get(f"{PODS}/p"))["spec"]["nodeName"] == "n1"


@pytest.mark.parametrize(
    ("media", "patch", "code"),
    [
        ("application/json-patch+json", [{"op": "test", "path": "/data/a", "value": "other"}], 422),
        ("application/json-patch+json", {"op": "test"}, 400),
        ("application/json-patch+json", [{"op": "invent", "path": "/a"}], 422),
        ("application/json-patch+json", [{"op": "replace", "path": "", "value": 3}], 400),
        ("application/json-patch+json", [{"op": "add", "path": "/data/a", "value": "x"}] * 10_001, 413),
        ("application/merge-patch+json", ["a"], 400),
        ("application/merge-patch+json", b"{", 400),
        ("application/strategic-merge-patch+json", [], 400),
        ("application/strategic-merge-patch+json", {"data": {"$patch": "invent"}}, 422),
        ("application/merge-patch+json", {"data": {"a": {"b": "c"}}}, 422),
        ("application/json", {"data": {}}, 415),
    ],
)
async def test_patches_that_cannot_be(server: Server, media: str, patch: Json, code: int) -> None:
    await server.create(MAPS, "one", data={"a": "1"})
    response = await server.ask("PATCH", f"{MAPS}/one", patch, content_type=media)
    assert response.status == code, response.body
    assert status_of(response)["status"] == "Failure"


async def test_force_is_for_apply_alone(server: Server) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("PATCH", f"{MAPS}/one?force=true", {}, content_type="application/merge-patch+json")
    assert response.status == 422
    assert "force: Forbidden: may not be specified for non-apply patch" in status_of(response)["message"]


async def test_apply_creates_then_changes(server: Server) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: '1'\n"
    path = f"{MAPS}/one?fieldManager=me"
    assert (await server.ask("PATCH", path, body, content_type="application/apply-patch+yaml")).status == 201
    again = await server.ask("PATCH", path, body.replace(b"1'", b"2'"), content_type="application/apply-patch+yaml")
    assert again.status == 200
    assert json.loads(again.body)["data"] == {"a": "2"}


def owned(obj: Object) -> dict[tuple[str, str], Object]:
    entries = obj["metadata"]["managedFields"]
    return {(entry["manager"], entry.get("subresource", "")): entry["fieldsV1"] for entry in entries}


async def test_a_size_can_be_applied_and_has_an_owner(server: Server) -> None:
    await server.create(DEPLOYMENTS, "d", spec={"replicas": 1})

    async def apply(replicas: int, query: str) -> Response:
        body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"}, "spec": {"replicas": replicas}}
        return await server.ask("PATCH", f"{DEPLOYMENTS}/d/scale?{query}", body, content_type="application/apply-patch+yaml")

    refused = await apply(2, "fieldManager=sizer")
    assert (refused.status, status_of(refused)["details"]["causes"][0]["field"]) == (409, ".spec.replicas")
    done = await apply(2, "fieldManager=sizer&force=true")
    assert (done.status, json.loads(done.body)["spec"]) == (200, {"replicas": 2})
    seen = await server.get(f"{DEPLOYMENTS}/d")
    assert seen["spec"]["replicas"] == 2
    assert owned(seen) == {("sizer", "scale"): {"f:spec": {"f:replicas": {}}}}


async def test_nobody_owns_metadata_itself(server: Server) -> None:
    await server.create(MAPS, "one")
    await server.ask(
        "PATCH", f"{MAPS}/one?fieldManager=m", {"metadata": {"labels": {"a": "b"}}}, content_type="application/merge-patch+json"
    )
    seen = await server.get(f"{MAPS}/one")
    assert owned(seen)["m", ""] == {"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}


@pytest.mark.parametrize(
    ("media", "patch", "told"),
    [
        ("merge-patch+json", b'{"data": {"a": "1", "a": "2"}, "nope": 1}', 'duplicate field "data.a", unknown field "nope"'),
        ("strategic-merge-patch+json", b'{"data": {"a": "1", "a": "2"}}', 'duplicate field "data.a"'),
        (
            "json-patch+json",
            b'[{"op": "add", "path": "/data", "value": {}, "odd": 1, "path": "/data"}]',
            'json patch unknown field "[0].odd", json patch duplicate field "[0].path"',
        ),
        (
            "apply-patch+yaml",
            b"data:\n  a: p\n  a: q\nkind: ConfigMap\napiVersion: v1\n",
            'line 3: key "a" already set in map',
        ),
    ],
)
async def test_unknown_fields_of_a_patch_are_reported_by_path(server: Server, media: str, patch: bytes, told: str) -> None:
    await server.create(MAPS, "one")
    query = "dryRun=All&fieldManager=m&fieldValidation="
    strict = await server.ask("PATCH", f"{MAPS}/one?{query}Strict", patch, content_type=f"application/{media}")
    assert strict.status == 400
    assert status_of(strict)["message"].endswith(f"strict decoding error: {told}")
    warned = await server.ask("PATCH", f"{MAPS}/one?{query}Warn", patch, content_type=f"application/{media}")
    assert (warned.status, warned.headers["Warning"].count("299 - ")) == (200, told.count(", ") + 1)


async def test_an_applied_configuration_says_what_it_is(server: Server) -> None:
    response = await server.ask("PATCH", f"{MAPS}/one?fieldManager=m", b"data: {}", content_type="application/apply-patch+yaml")
    assert response.status == 400
    assert status_of(response)["message"].startswith("Incorrect version specified in apply patch. Specified patch version: , expected: v1")
    other = b"{apiVersion: apps/v1, kind: Deployment}"
    response = await server.ask("PATCH", f"{MAPS}/one?fieldManager=m", other, content_type="application/apply-patch+yaml")
    assert response.status == 400
    assert status_of(response)["message"].startswith(
        "Incorrect version specified in apply patch. Specified patch version: apps/v1, expected: v1"
    )


async def test_empty_maps_and_lists_are_not_kept(server: Server) -> None:
    made = await server.ask("POST", MAPS, {"metadata": {"name": "bare", "labels": {}, "finalizers": []}, "data": {}})
    assert made.status == 201
    shown = json.loads(made.body)
    assert "data" not in shown
    assert not {"labels", "finalizers"} & set(shown["metadata"])


async def test_unknown_fields_of_a_subresources_body_are_reported(server: Server) -> None:
    await server.create(DEPLOYMENTS, "d", spec={"replicas": 1})
    body = {"metadata": {"name": "d"}, "spec": {"replicas": 1, "odd": 2}}
    warned = await server.ask("PUT", f"{DEPLOYMENTS}/d/scale", body)
    assert (warned.status, warned.headers["Warning"]) == (200, '299 - "unknown field \\"spec.odd\\""')
    strict = await server.ask("PUT", f"{DEPLOYMENTS}/d/scale?fieldValidation=Strict", body)
    assert (strict.status, "strict decoding error" in status_of(strict)["message"]) == (400, True)


@pytest.mark.parametrize("patch", [{"kind": "Secret"}, {"apiVersion": "v2"}, {"kind": 1}, {"apiVersion": {"v": 1}}])
async def test_a_patch_leaves_an_object_of_its_kind(server: Server, patch: Object) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("PATCH", f"{MAPS}/one", patch, content_type="application/merge-patch+json")
    assert (response.status, status_of(response)["reason"]) == (422, "Invalid")
    assert status_of(response)["details"]["causes"][0]["field"] == "patch"


async def test_apply_needs_a_manager(server: Server) -> None:
    response = await server.ask("PATCH", f"{MAPS}/one", named("one"), content_type="application/apply-patch+yaml")
    assert response.status == 422
    assert "fieldManager: Required value: is required for apply patch" in status_of(response)["message"]


async def test_a_deleted_object_leaves_a_status(server: Server) -> None:
    one = await server.create(DEPLOYMENTS, "d")
    response = await server.ask("DELETE", f"{DEPLOYMENTS}/d")
    assert response.status == 200
    assert json.loads(response.body) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "d", "group": "apps", "kind": "deployments", "uid": one["metadata"]["uid"]},
    }


async def terminating(server: Server) -> None:
    await server.ask("POST", MAPS, {"metadata": {"name": "one", "finalizers": ["example.com/hold"]}})


@pytest.mark.parametrize(("query", "code"), [("", 200), ("?propagationPolicy=Foreground", 200), ("?orphanDependents=false", 202)])
async def test_a_terminating_object_is_shown(server: Server, query: str, code: int) -> None:
    await terminating(server)
    response = await server.ask("DELETE", f"{MAPS}/one{query}")
    assert response.status == code
    assert json.loads(response.body)["metadata"]["deletionTimestamp"]


async def test_preconditions_stand_in_the_body(server: Server) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("DELETE", f"{MAPS}/one", {"preconditions": {"uid": "other"}})
    assert response.status == 409
    assert (await server.ask("DELETE", f"{MAPS}/one", {"kind": "DeleteOptions", "apiVersion": "v1"})).status == 200


async def test_a_dry_delete_deletes_nothing(server: Server) -> None:
    await server.create(MAPS, "one")
    for query, body in (("?dryRun=All", None), ("", {"dryRun": ["All"]})):
        assert (await server.ask("DELETE", f"{MAPS}/one{query}", body)).status == 200
        assert (await server.ask("GET", f"{MAPS}/one")).status == 200


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("?propagationPolicy=Sideways", None, 422),
        ("?propagationPolicy=Orphan&orphanDependents=true", None, 422),
        ("?gracePeriodSeconds=soon", None, 400),
        ("", {"gracePeriodSeconds": "soon"}, 400),
        ("", {"preconditions": []}, 400),
        ("", {"preconditions": {"uid": 3}}, 400),
        ("", {"dryRun": "All"}, 400),
        ("", {"dryRun": ["Some"]}, 422),
        ("", {"dryRun": [{}]}, 422),
        ("", {"kind": "Pod"}, 400),
        ("", b"[", 400),
    ],
)
async def test_bad_delete_options_are_refused(server: Server, query: str, body: Json, code: int) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("DELETE", f"{MAPS}/one{query}", body)
    assert response.status == code, response.body
    assert (await server.ask("GET", f"{MAPS}/one")).status == 200


async def test_deletecollection_deletes_what_a_list_would_show(server: Server) -> None:
    await server.create(MAPS, "a", labels={"app": "x"})
    await server.create(MAPS, "b")
    response = await server.ask("DELETE", f"{MAPS}?labelSelector=app%3Dx")
    seen = json.loads(response.body)
    assert (response.status, seen["kind"]) == (200, "ConfigMapList")
    assert [item["metadata"]["name"] for item in seen["items"]] == ["a"]
    assert [item["metadata"]["name"] for item in (await server.get(MAPS))["items"]] == ["b"]


async def test_a_field_manager_may_have_all_its_characters(server: Server) -> None:
    manager = "m" * limits.FIELD_MANAGER_CHARS
    assert (await server.ask("POST", f"{MAPS}?fieldManager={manager}", named("one"))).status == 201


async def test_writes_to_a_long_object_that_arrive_together_all_come_to_pass(server: Server) -> None:
    await server.create(MAPS, "long", data={"x": "x" * 4 * limits.ASIDE_BYTES})
    patches = [
        server.ask("PATCH", f"{MAPS}/long", {"data": {f"k{number}": "v"}}, content_type="application/merge-patch+json")
        for number in range(3 * limits.PATCH_RETRIES)
    ]
    assert [answer.status for answer in await asyncio.gather(*patches)] == [200] * len(patches)
    assert len((await server.get(f"{MAPS}/long"))["data"]) == len(patches) + 1


async def test_what_a_patch_multiplies_is_worked_on_beside_the_event_loop(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short patch of a short object may make a long one of it."""
    await server.create(MAPS, "doubled", data={"x": "x" * 1_000})
    on_the_loop: dict[str, bool] = {}

    def watched(module: types.ModuleType, name: str) -> None:
        work = getattr(module, name)

        def noting(*args: object, **kwargs: object) -> object:
            on_the_loop[name] = threading.current_thread() is threading.main_thread()
            return work(*args, **kwargs)

        monkeypatch.setattr(module, name, noting)

    for module, name in ((json_patch, "apply"), (write_steps, "decode"), (write_steps, "fill_defaults"), (write_steps, "validate_update")):
        watched(module, name)
    for copies, beside in ((1, False), (20, True)):
        patch = [{"op": "copy", "from": "/data/x", "path": f"/data/y{number}"} for number in range(copies)]
        answer = await server.ask("PATCH", f"{MAPS}/doubled", patch, content_type="application/json-patch+json")
        assert answer.status == 200
        assert on_the_loop == dict.fromkeys(("apply", "decode", "fill_defaults", "validate_update"), not beside)


async def test_an_object_can_not_grow_past_what_could_be_sent_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "OBJECT_BYTES", 2_000)
    await server.create(MAPS, "a", data={"x": "x" * 1_000})
    grown = {"data": {"y": "y" * 1_000}}
    for query in ("", "?dryRun=All"):
        refused = await server.ask("PATCH", f"{MAPS}/a{query}", grown, content_type="application/merge-patch+json")
        assert (refused.status, json.loads(refused.body)["reason"]) == (413, "RequestEntityTooLarge")
        assert b"the object would take 2" in refused.body
        sent = {"metadata": {"name": "b"}, "data": {"x": "x" * 2_000}}
        assert (await server.ask("POST", f"{MAPS}{query}", sent)).status == 413
    monkeypatch.setattr(limits, "OBJECT_BYTES", 500)
    shrunk = await server.ask("PATCH", f"{MAPS}/a", {"data": {"x": "x" * 900}}, content_type="application/merge-patch+json")
    assert shrunk.status == 200, "what is there and too large may become smaller"
    assert (await server.ask("DELETE", f"{MAPS}/a")).status == 200
