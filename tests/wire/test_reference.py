"""What the reference says of single kinds holds, statement by statement, in both dialects."""

import json

import pytest

from svcsim.meta.types import Json
from tests.kinds.helpers import BY_NAME
from tests.wire.raw import MERGE, STRATEGIC, Wire
from tests.wire.reference import CHANGES, STATEMENTS, Changed, Refused, Taken
from tests.wire.test_verbs import Served


def in_words_of(wire: Wire, ns: str, said: Json) -> Json:
    text = json.dumps(said).replace("{g}", wire.dialect.group_suffix).replace("{d}", wire.dialect.domain).replace("{ns}", ns)
    return json.loads(text)


def at(obj: Json, path: str) -> Json:
    for step in path.split("."):
        if obj is None:
            return None
        obj = obj[int(step)] if isinstance(obj, list) else obj.get(step)
    return obj


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=list(STATEMENTS))
def test_what_an_object_says(wire: Wire, ns: str, statement: Taken | Refused):
    taken = isinstance(statement, Taken)
    path, obj, expected = in_words_of(wire, ns, [*statement[1:3], dict(statement.found) if taken else statement.fields])
    answer = wire.ask("POST", path, {"metadata": {"name": "a"}, **obj}, dryRun="All")
    if taken:
        assert answer.status == 201, answer.body
        assert {path: at(answer.json, path) for path in expected} == expected
    else:
        assert (answer.status, answer.reason) == (422, "Invalid"), answer.body
        assert [cause["field"] for cause in answer.json["details"]["causes"]] == expected


@pytest.mark.parametrize("statement", CHANGES.values(), ids=list(CHANGES))
def test_what_of_an_object_may_change(wire: Wire, ns: str, statement: Changed):
    path, obj, changes, fields = in_words_of(wire, ns, [*statement[1:]])
    name = (obj.get("metadata") or {}).get("name") or wire.fresh("a")
    wire.create(path, {**obj, "metadata": {**(obj.get("metadata") or {}), "name": name}})
    answer = wire.ask("PATCH", f"{path}/{name}", changes, content_type=MERGE)
    wire.delete(f"{path}/{name}", {"gracePeriodSeconds": 0})
    assert answer.status == (422 if fields else 200), answer.body
    assert [cause["field"] for cause in answer.json.get("details", {}).get("causes", [])] == fields
    if not fields:
        assert in_words_of(wire, ns, changes) == _like(changes, answer.json), "what was changed is changed"


def _like(part: Json, whole: Json) -> Json:
    """Of the whole, what the part speaks of."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return {name: _like(value, whole.get(name)) for name, value in part.items()}
    return whole


STATUSES = (
    *("ConfigMap", "Secret", "LimitRange", "CSIStorageCapacity", "IngressClass", "ControllerRevision", "HorizontalPodAutoscaler"),
    *("PriorityClass", "Role", "RoleBinding", "ClusterRoleBinding", "APIService", "Lease"),
)
OBJECTS = (*("PersistentVolumeClaim", "PersistentVolume", "StorageClass", "VolumeAttachment", "CSIDriver", "CSINode", "PodSecurityPolicy"),)


@pytest.mark.parametrize("name", [*STATUSES, *OBJECTS])
def test_what_a_delete_answers(wire: Wire, ns: str, name: str):
    served = Served(wire, BY_NAME[name], ns)
    made = served.create()
    answer = wire.ask("DELETE", served.path_of(made), dryRun="All")
    assert (answer.status, answer.json["kind"]) == (200, name if name in OBJECTS else "Status")
    if name in OBJECTS:
        held = bool(made["metadata"].get("finalizers"))
        assert ("deletionTimestamp" in answer.json["metadata"]) == held, "what is simply gone is shown as it was"
    answer = wire.ask("DELETE", served.path_of(made))
    assert (answer.status, answer.json["kind"]) == (200, name if name in OBJECTS else "Status")


HAVE_A_STATUS = ("PersistentVolumeClaim", "PersistentVolume", "Namespace", "VolumeAttachment", "HorizontalPodAutoscaler", "APIService")


@pytest.mark.parametrize("name", [*HAVE_A_STATUS, "ConfigMap", "ServiceAccount", "Role", "Lease", "CSIDriver", "StorageClass"])
def test_which_kinds_have_a_status_of_its_own(wire: Wire, ns: str, name: str):
    served = Served(wire, BY_NAME[name], ns)
    path = served.path_of(served.create())
    for method, body in (("GET", None), ("PATCH", {})):
        assert wire.ask(method, f"{path}/status", body, content_type=MERGE).status == (200 if name in HAVE_A_STATUS else 404)


@pytest.mark.parametrize("name", [*STATUSES, *OBJECTS, "ServiceAccount", "Namespace", "RuntimeClass"])
def test_who_is_not_known_is_not_answered(wire: Wire, ns: str, name: str):
    served = Served(wire, BY_NAME[name], ns)
    for method, path in (("GET", served.path), ("GET", f"{served.path}/a"), ("POST", served.path), ("DELETE", f"{served.path}/a")):
        answer = wire.ask(method, path, {} if method == "POST" else None, token="nobody")
        assert (answer.status, answer.reason) == (401, "Unauthorized")


def test_the_status_of_a_claim(wire: Wire, ns: str):
    served = Served(wire, BY_NAME["PersistentVolumeClaim"], ns)
    path = f"{served.path_of(served.create())}/status"
    condition = {
        "type": "ResizeStarted",
        "status": "True",
        "reason": "ResizeStarted",
        "message": "m",
        "lastProbeTime": "2026-01-02T03:04:05Z",
    }
    said = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "allocatedResources": {"storage": "2Gi"}}
    stored = wire.patch(path, {"status": {**said, "resizeStatus": "ControllerExpansionInProgress", "conditions": [condition]}})["status"]
    assert {**stored, "conditions": None} == {**said, "resizeStatus": "ControllerExpansionInProgress", "conditions": None}
    more = wire.patch(path, {"status": {"conditions": [{"type": "Other", "status": "Unknown"}]}}, STRATEGIC)["status"]["conditions"]
    assert [one["type"] for one in more] == ["Other", "ResizeStarted"], "conditions are told apart by their types"
    assert wire.patch(path, {"status": {"resizeStatus": ""}})["status"]["resizeStatus"] == ""


@pytest.mark.parametrize("name", ["Namespace", "APIService"])
def test_conditions_are_told_apart_by_their_types(wire: Wire, ns: str, name: str):
    served = Served(wire, BY_NAME[name], ns)
    path = f"{served.path_of(served.create())}/status"
    for kind in ("One", "Two", "One"):
        conditions = wire.patch(path, {"status": {"conditions": [{"type": kind, "status": "Unknown"}]}}, STRATEGIC)["status"]["conditions"]
    assert sorted(one["type"] for one in conditions if one["type"] in ("One", "Two")) == ["One", "Two"]


def test_a_node_is_told_its_drivers_by_their_names(wire: Wire, ns: str):
    path = f"/apis/storage.{wire.dialect.group_suffix}/v1/csinodes/{wire.fresh('node')}"
    collection, _, name = path.rpartition("/")
    wire.create(collection, {"metadata": {"name": name}, "spec": {"drivers": [{"name": "a", "nodeID": "1", "topologyKeys": []}]}})
    changed = wire.patch(path, {"spec": {"drivers": [{"name": "b", "nodeID": "2", "topologyKeys": []}]}}, STRATEGIC)
    assert sorted(driver["name"] for driver in changed["spec"]["drivers"]) == ["a", "b"]


def test_a_namespace_is_finalized(wire: Wire, ns: str):
    path = f"/api/v1/namespaces/{ns}"
    namespace = wire.get(path)
    answer = wire.ask("PUT", f"{path}/finalize", {**namespace, "spec": {"finalizers": ["example.com/mine"]}}, dryRun="All", pretty="true")
    assert (answer.status, answer.json["spec"]) == (200, {"finalizers": ["example.com/mine"]})
    assert wire.get(path)["spec"] == namespace["spec"]


@pytest.mark.parametrize(
    ("spec", "status", "told"),
    [
        ({"expirationSeconds": 599}, 422, "may not specify a duration less than 10 minutes"),
        ({"boundObjectRef": {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}}, 400, "cannot bind token to object of type"),
        ({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "missing"}}, 404, "not found"),
    ],
)
def test_what_a_token_can_not_be(wire: Wire, ns: str, spec: Json, status: int, told: str):
    accounts = f"/api/v1/namespaces/{ns}/serviceaccounts"
    wire.create(accounts, {"metadata": {"name": "robot"}})
    answer = wire.ask("POST", f"{accounts}/robot/token", {"spec": {"audiences": ["a"], **spec}})
    assert answer.status == status
    assert told in answer.message
