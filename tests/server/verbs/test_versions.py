"""One object in several versions and groups: written through one, read, watched, applied and owned through the others."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.storage.store import LmdbStore
from tests.kinds.helpers import KINDS
from tests.server.conftest import Server

V1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
V2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
MEMORY = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "100Mi"}}}


def cpu(percent: int) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}


@pytest.fixture(params=list(DIALECTS))
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Server]:
    """A server of all kinds, with the namespace ``default``."""
    store = LmdbStore.open(tmp_path / "store", dialect=request.param, durability="none")
    made = Server(store, request.param, KINDS)
    await made.create("/api/v1/namespaces", "default")
    yield made
    await store.close()


async def create(server: Server, path: str = V2, **spec: Json) -> Object:
    return await server.create(path, "web", spec={"scaleTargetRef": TARGET, "maxReplicas": 5, **spec})


async def patch(server: Server, path: str, change: Object, manager: str = "m") -> Object:
    media = "application/merge-patch+json"
    response = await server.ask("PATCH", f"{path}?fieldManager={manager}", change, content_type=media)
    assert response.status == 200, response.body
    return json.loads(response.body)


async def try_apply(server: Server, collection: str, manager: str, spec: Object, options: str = "") -> Response:
    version = collection.split("/")[3]
    obj = {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": spec}
    path = f"{collection}/web?fieldManager={manager}{options}"
    return await server.ask("PATCH", path, obj, content_type="application/apply-patch+yaml")


async def apply(server: Server, collection: str, manager: str, options: str = "", **spec: Json) -> Object:
    response = await try_apply(server, collection, manager, spec, options)
    assert response.status in (200, 201), response.body
    return json.loads(response.body)


def owned(obj: Object) -> dict[str, Json]:
    """Fields of the spec by who owns them, in which version."""
    return {f"{e['manager']} {e['apiVersion']}": sorted(e["fieldsV1"].get("f:spec", {})) for e in obj["metadata"]["managedFields"]}


# reading and writing


async def test_each_version_shows_the_same_object(server: Server):
    made = await create(server, V2, metrics=[cpu(50), MEMORY])
    shown = await server.get(f"{V1}/web")
    assert (shown["apiVersion"], shown["metadata"]["uid"]) == ("autoscaling/v1", made["metadata"]["uid"])
    assert shown["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert shown["spec"] == {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 5, "targetCPUUtilizationPercentage": 50}
    assert shown["status"] == {"currentReplicas": 0, "desiredReplicas": 0}
    listed = await server.get(V1)
    assert (listed["kind"], listed["apiVersion"]) == ("HorizontalPodAutoscalerList", "autoscaling/v1")
    assert [item["spec"] for item in listed["items"]] == [shown["spec"]]


async def test_what_is_created_in_one_version_gets_the_defaults_of_the_stored_one(server: Server):
    shown = await create(server, V1)
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 80
    assert (await server.get(f"{V2}/web"))["spec"]["metrics"] == [cpu(80)]


async def test_an_update_keeps_what_its_version_has_no_fields_for(server: Server):
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    made = await create(server, V2, metrics=[MEMORY, cpu(50)], behavior=behavior)
    shown = await server.get(f"{V1}/web")
    response = await server.ask("PUT", f"{V1}/web", {**shown, "spec": {**shown["spec"], "targetCPUUtilizationPercentage": 60}})
    assert json.loads(response.body)["apiVersion"] == "autoscaling/v1"
    spec = (await server.get(f"{V2}/web"))["spec"]
    assert spec["metrics"] == [MEMORY, cpu(60)]
    assert spec["behavior"] == made["spec"]["behavior"]
    await patch(server, f"{V1}/web", {"spec": {"maxReplicas": 9}})
    assert (await server.get(f"{V2}/web"))["spec"] == {**spec, "maxReplicas": 9}


async def test_an_unchanged_object_written_through_another_version_is_not_written(server: Server):
    await create(server, V2, metrics=[MEMORY, cpu(50)])
    shown = await server.get(f"{V1}/web")
    response = await server.ask("PUT", f"{V1}/web", shown)
    assert json.loads(response.body)["metadata"]["resourceVersion"] == shown["metadata"]["resourceVersion"]


async def test_a_dry_run_answers_in_the_version_asked_for(server: Server):
    sent = {"metadata": {"name": "web"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5}}
    answer = json.loads((await server.ask("POST", f"{V1}?dryRun=All", sent)).body)
    assert (answer["apiVersion"], "resourceVersion" in answer["metadata"]) == ("autoscaling/v1", False)
    assert (await server.ask("GET", f"{V1}/web")).status == 404


async def test_status_stays_apart_in_every_version(server: Server):
    made = await create(server)
    conditions = [{"type": "AbleToScale", "status": "True"}]
    await patch(server, f"{V2}/web/status", {"status": {"desiredReplicas": 2, "conditions": conditions}})
    bare = {"metadata": {"name": "web"}, "spec": made["spec"], "status": {"desiredReplicas": 7}}
    del bare["spec"]["metrics"]
    assert (await server.ask("PUT", f"{V1}/web", bare)).status == 200
    assert (await server.get(f"{V2}/web"))["status"] == {"desiredReplicas": 2, "currentMetrics": None, "conditions": conditions}
    await patch(server, f"{V1}/web/status", {"status": {"desiredReplicas": 3, "currentReplicas": 1}, "spec": {"maxReplicas": 1}})
    now = await server.get(f"{V2}/web")
    assert now["status"] == {"currentReplicas": 1, "desiredReplicas": 3, "currentMetrics": None, "conditions": conditions}
    assert now["spec"]["maxReplicas"] == 5


async def test_what_is_wrong_is_told_whichever_version_it_came_in(server: Server):
    response = await server.ask("POST", V1, {"metadata": {"name": "web"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 0}})
    told = json.loads(response.body)
    assert response.status == 422
    assert told["message"].startswith('HorizontalPodAutoscaler.autoscaling "web" is invalid: [spec.maxReplicas: Invalid value: 0')


async def test_a_table_is_the_same_in_every_version(server: Server):
    await create(server, V2, metrics=[MEMORY, cpu(50)])
    accept = f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}"
    older, newer = [await server.get(f"{path}?includeObject=Object", accept=accept) for path in (V1, V2)]
    columns = [column["name"] for column in older["columnDefinitions"]]
    assert columns == ["Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"]
    assert older["rows"][0]["cells"] == newer["rows"][0]["cells"]
    assert older["rows"][0]["cells"][2] == "memory: <unknown>/100Mi, cpu: <unknown>/50%"
    assert older["rows"][0]["object"]["apiVersion"] == "autoscaling/v1"


async def test_each_version_is_watched_and_deleted_through(server: Server):
    streams = {path: await server.ask("GET", f"{path}?watch=true&timeoutSeconds=3600&resourceVersion=1") for path in (V1, V2)}
    await create(server, V2)
    deleted = await server.ask("DELETE", f"{V1}/web")
    assert json.loads(deleted.body)["details"]["kind"] == "horizontalpodautoscalers"
    for path, answer in streams.items():
        seen: list[Object] = []
        assert answer.stream is not None
        async for piece in answer.stream:
            seen += [json.loads(line) for line in piece.splitlines()]
            if len(seen) == 2:
                break
        assert [event["type"] for event in seen] == ["ADDED", "DELETED"]
        assert {event["object"]["apiVersion"] for event in seen} == {f"autoscaling/{path.split('/')[3]}"}
        assert seen[1]["object"]["spec"] == seen[0]["object"]["spec"]


async def test_the_preferred_version_comes_first(server: Server):
    group = await server.get("/apis/autoscaling")
    assert group["preferredVersion"]["version"] == "v2"
    assert [one["version"] for one in group["versions"]] == ["v2", "v1"]
    accept = f"application/json;g={server.dialect.group('apidiscovery')};v=v2;as=APIGroupDiscoveryList"
    groups = {item["metadata"]["name"]: item for item in (await server.get("/apis", accept=accept))["items"]}
    assert [version["version"] for version in groups["autoscaling"]["versions"]] == ["v2", "v1"]
    assert groups[server.dialect.group("events")]["versions"][0]["resources"][0]["resource"] == "events"


# ownership


async def test_a_conflict_is_seen_through_another_version(server: Server):
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, targetCPUUtilizationPercentage=50)
    refused = await try_apply(server, V2, "new", {"maxReplicas": 7, "metrics": [cpu(60)]})
    assert refused.status == 409
    causes = json.loads(refused.body)["details"]["causes"]
    assert {cause["field"] for cause in causes} == {".spec.maxReplicas", ".spec.targetCPUUtilizationPercentage"}
    assert {cause["message"] for cause in causes} == {'conflict with "old"'}
    forced = await apply(server, V2, "new", "&force=true", maxReplicas=7, metrics=[cpu(60)])
    assert owned(forced) == {"old autoscaling/v1": ["f:scaleTargetRef"], "new autoscaling/v2": ["f:maxReplicas", "f:metrics"]}
    assert (await server.get(f"{V1}/web"))["spec"]["targetCPUUtilizationPercentage"] == 60


async def test_appliers_of_several_versions_own_what_they_agree_on(server: Server):
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, targetCPUUtilizationPercentage=50)
    both = await apply(server, V2, "new", maxReplicas=5, metrics=[cpu(50)])
    assert owned(both) == {
        "new autoscaling/v2": ["f:maxReplicas", "f:metrics"],
        "old autoscaling/v1": ["f:maxReplicas", "f:scaleTargetRef", "f:targetCPUUtilizationPercentage"],
    }
    less = await apply(server, V1, "old", scaleTargetRef=TARGET)
    assert (less["spec"]["maxReplicas"], less["spec"]["targetCPUUtilizationPercentage"]) == (5, 50)
    assert owned(less) == {"new autoscaling/v2": ["f:maxReplicas", "f:metrics"], "old autoscaling/v1": ["f:scaleTargetRef"]}


async def test_what_nobody_else_owns_goes_and_the_rest_stays(server: Server):
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, minReplicas=3, targetCPUUtilizationPercentage=50)
    await apply(server, V2, "new", metrics=[cpu(50)])
    less = await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5)
    assert less["spec"] == {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 5, "targetCPUUtilizationPercentage": 50}


async def test_what_an_owner_in_another_version_sees_as_one_stays_whole(server: Server):
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, targetCPUUtilizationPercentage=50)
    await apply(server, V2, "new", metrics=[MEMORY, cpu(50)])
    less = await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5)
    assert (await server.get(f"{V2}/web"))["spec"]["metrics"] == [MEMORY, cpu(50)]
    assert owned(less) == {"new autoscaling/v2": ["f:metrics"], "old autoscaling/v1": ["f:maxReplicas", "f:scaleTargetRef"]}


async def test_an_applier_is_the_same_in_every_version(server: Server):
    await apply(server, V1, "me", scaleTargetRef=TARGET, maxReplicas=5, minReplicas=3, targetCPUUtilizationPercentage=50)
    now = await apply(server, V2, "me", scaleTargetRef=TARGET, maxReplicas=7)
    assert owned(now) == {"me autoscaling/v2": ["f:maxReplicas", "f:scaleTargetRef"]}
    assert (now["spec"]["minReplicas"], now["spec"]["metrics"]) == (1, [cpu(80)])
    kept = await apply(server, V1, "me", scaleTargetRef=TARGET, maxReplicas=7)
    assert owned(kept) == {"me autoscaling/v1": ["f:maxReplicas", "f:scaleTargetRef"]}


async def test_an_update_takes_fields_from_owners_in_other_versions(server: Server):
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, targetCPUUtilizationPercentage=50)
    await patch(server, f"{V2}/web", {"spec": {"metrics": [MEMORY]}}, "updater")
    now = await patch(server, f"{V2}/web", {"spec": {"minReplicas": 2}}, "updater")
    assert owned(now) == {
        "old autoscaling/v1": ["f:maxReplicas", "f:scaleTargetRef"],
        "updater autoscaling/v2": ["f:metrics", "f:minReplicas"],
    }
    conflict = await try_apply(server, V1, "old", {"scaleTargetRef": TARGET, "maxReplicas": 5, "targetCPUUtilizationPercentage": 50})
    assert '"updater" using autoscaling/v2' in json.loads(conflict.body)["message"]


async def test_an_apply_that_changes_nothing_writes_nothing_in_any_version(server: Server):
    spec = {"scaleTargetRef": TARGET, "maxReplicas": 5, "targetCPUUtilizationPercentage": 50}
    await create(server, V2, metrics=[MEMORY, cpu(50)])
    first = await apply(server, V1, "me", "&force=true", **spec)
    again = await apply(server, V1, "me", "&force=true", **spec)
    assert again["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


# groups


def event(server: Server, name: str = "e", **fields: Json) -> Object:
    return {
        "metadata": {"name": name},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "example.com/c",
        "reportingInstance": "c-1",
        "action": "Binding",
        "reason": "Bound",
        "type": "Normal",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "note": "it did",
        **fields,
    }


def paths(server: Server) -> tuple[str, str]:
    return "/api/v1/namespaces/default/events", f"/apis/{server.dialect.group('events')}/v1/namespaces/default/events"


async def test_an_event_is_the_same_in_both_groups(server: Server):
    core, newer = paths(server)
    watch = await server.ask("GET", f"{core}?watch=true&timeoutSeconds=3600&resourceVersion=1")
    made = await server.ask("POST", newer, event(server))
    assert made.status == 201, made.body
    shown = await server.get(f"{core}/e")
    assert (shown["apiVersion"], shown["message"], shown["involvedObject"]["name"]) == ("v1", "it did", "p")
    assert shown["metadata"]["uid"] == json.loads(made.body)["metadata"]["uid"]
    assert watch.stream is not None
    async for piece in watch.stream:
        assert json.loads(piece) == {"type": "ADDED", "object": shown}
        break
    await patch(server, f"{core}/e", {"message": "it did again", "count": 2})
    back = await server.get(f"{newer}/e")
    assert (back["kind"], back["apiVersion"], back["note"], back["deprecatedCount"]) == (
        "Event",
        f"{server.dialect.group('events')}/v1",
        "it did again",
        2,
    )
    assert [item["note"] for item in (await server.get(newer))["items"]] == ["it did again"]


async def test_each_group_selects_by_its_own_names(server: Server):
    core, newer = paths(server)
    for name in ("p", "q"):
        await server.ask("POST", newer, event(server, name, regarding={"kind": "Pod", "name": name, "namespace": "default"}))
    for path, field in ((core, "involvedObject.name"), (newer, "regarding.name")):
        found = await server.get(f"{path}?fieldSelector={field}%3Dq")
        assert [item["metadata"]["name"] for item in found["items"]] == ["q"]
    for path, field in ((newer, "involvedObject.name"), (core, "regarding.name")):
        refused = await server.ask("GET", f"{path}?fieldSelector={field}%3Dq")
        assert (refused.status, json.loads(refused.body)["message"]) == (400, f"field label not supported: {field}")
    await server.ask("DELETE", f"{newer}?fieldSelector=regarding.name%3Dq")
    assert [item["metadata"]["name"] for item in (await server.get(core))["items"]] == ["p"]


async def test_each_group_has_its_own_rules(server: Server):
    core, newer = paths(server)
    old = {"metadata": {"name": "o"}, "involvedObject": {"namespace": "default"}, "reason": "r"}
    assert (await server.ask("POST", core, old)).status == 201
    refused = await server.ask("POST", newer, {"metadata": {"name": "n"}, "regarding": {"namespace": "default"}})
    told = json.loads(refused.body)
    group = server.dialect.group("events")
    assert refused.status == 422
    assert told["message"] == f'Event.{group} "n" is invalid: [eventTime: Required value, type: Invalid value: "": has invalid value: ]'
    await server.ask("POST", newer, event(server))
    changed = await server.ask("PUT", f"{newer}/e", event(server, note="it did not"))
    assert changed.status == 422
    assert (await server.ask("PUT", f"{newer}/o", {**await server.get(f"{newer}/o"), "note": "x"})).status == 422


async def test_errors_name_the_group_that_was_asked(server: Server):
    core, newer = paths(server)
    await server.ask("POST", newer, event(server))
    group = server.dialect.group("events")
    for path, resource in ((core, "events"), (newer, f"events.{group}")):
        for method, one in (("GET", "nope"), ("DELETE", "nope")):
            answer = await server.ask(method, f"{path}/{one}")
            assert json.loads(answer.body)["message"] == f'{resource} "nope" not found'
    again = await server.ask("POST", newer, event(server))
    assert json.loads(again.body)["message"] == f'events.{group} "e" already exists'
    unsure = await server.ask("DELETE", f"{newer}/e", {"preconditions": {"uid": "other"}})
    assert (
        f'on events.{group} "e": the UID in the precondition (other) does not match the UID in record ('
        in json.loads(unsure.body)["message"]
    )


# what is on its way out, and what is switched off


async def test_users_of_a_deprecated_version_are_warned(server: Server):
    path = "/api/v1/namespaces/default/endpoints"
    use = f"use {server.dialect.group('discovery')}/v1 EndpointSlice"
    warning = f'299 - "v1 Endpoints is deprecated in v1.33+; {use}"'
    for method, at, body in (("GET", path, None), ("POST", path, {"metadata": {"name": "e"}}), ("GET", f"{path}/nope", None)):
        assert (await server.ask(method, at, body)).headers["Warning"] == warning
    unknown = await server.ask("POST", path, {"metadata": {"name": "f"}, "odd": 1})
    assert unknown.headers["Warning"] == f'{warning}, 299 - "unknown field \\"odd\\""'
    assert "Warning" not in (await server.ask("GET", "/api/v1/namespaces/default/services")).headers


async def switched(tmp_path: Path, config: str) -> Server:
    return Server(LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none"), "kubernetes", KINDS, config)


async def test_a_version_that_is_switched_off_is_not_there(tmp_path: Path):
    server = await switched(tmp_path, "autoscaling/v2=false")
    await server.create("/api/v1/namespaces", "default")
    assert (await server.ask("GET", V2)).status == 404
    assert (await server.ask("GET", "/apis/autoscaling/v2")).status == 404
    assert (await server.get("/apis/autoscaling"))["preferredVersion"]["version"] == "v1"
    assert (await create(server, V1, targetCPUUtilizationPercentage=50))["apiVersion"] == "autoscaling/v1"
    assert (await server.get(f"{V1}/web"))["spec"]["targetCPUUtilizationPercentage"] == 50
    await server.core.store.close()


async def test_a_single_resource_is_switched_off(tmp_path: Path):
    server = await switched(tmp_path, "api/v1/endpoints=false,events.k8s.io/v1/events=false")
    assert (await server.ask("GET", "/api/v1/endpoints")).status == 404
    assert "endpoints" not in [resource["name"] for resource in (await server.get("/api/v1"))["resources"]]
    assert "events.k8s.io" not in [group["name"] for group in (await server.get("/apis"))["groups"]]
    assert (await server.ask("GET", "/api/v1/events")).status == 200
    await server.core.store.close()


async def test_owners_in_a_version_that_is_switched_off_still_own(tmp_path: Path):
    server = await switched(tmp_path, "")
    await server.create("/api/v1/namespaces", "default")
    await apply(server, V1, "old", scaleTargetRef=TARGET, maxReplicas=5, targetCPUUtilizationPercentage=50)
    await server.core.store.close()
    server = await switched(tmp_path, "autoscaling/v1=false")
    refused = await try_apply(server, V2, "new", {"metrics": [cpu(60)]})
    assert json.loads(refused.body)["details"]["causes"][0]["field"] == ".spec.targetCPUUtilizationPercentage"
    await server.core.store.close()
