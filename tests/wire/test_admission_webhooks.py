"""Webhooks that are asked about requests: what they are told, what they may do, and what follows where they can't be asked."""

import base64
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler

import pytest

from svcsim import limits
from svcsim.meta.annotation_places import BOUND_TO
from svcsim.meta.types import Object
from tests.wire.admitting import ALLOWED, Hooks, labelled, patched
from tests.wire.policies import ABOUT_MAPS, BoundPolicies
from tests.wire.raw import MERGE, Answer
from tests.wire.reviewing import hang_up, send

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
NOBODY_S = {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}
"""What a pod is whose status the scheduler doesn't write meanwhile."""


def config_map(name: str, **metadata: object) -> Object:
    return {"metadata": {"name": name, **metadata}, "data": {"k": "1"}}


def make(hooks: Hooks, name: str = "", **metadata: object) -> Answer:
    return hooks.wire.ask("POST", MAPS, config_map(name or hooks.wire.fresh("map"), **metadata))


# --- What they are told ---


def test_a_webhook_is_told_of_a_request(hooks: Hooks) -> None:
    wire, group = hooks.wire, hooks.wire.dialect.group("meta")
    operations = ["CREATE", "UPDATE", "DELETE"]
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, operations=operations))
    name = wire.fresh("map")
    made = wire.ask("POST", f"{MAPS}?fieldManager=me", config_map(name)).json
    wire.ask("PATCH", f"{MAPS}/{name}", {"data": {"k": "2"}}, content_type=MERGE)
    wire.ask("DELETE", f"{MAPS}/{name}")
    created, updated, deleted = hooks.asked["/hook"]
    resource, kind = {"group": "", "version": "v1", "resource": "configmaps"}, {"group": "", "version": "v1", "kind": "ConfigMap"}
    about = {"kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "name": name, "namespace": "default"}
    user = created["userInfo"]
    assert set(user) <= {"username", "uid", "groups", "extra"}
    assert "system:masters" in user["groups"]
    assert len({one["uid"] for one in (created, updated, deleted)}) == 3
    fields = {"dryRun": False, "userInfo": user}
    options = {"kind": "CreateOptions", "apiVersion": f"{group}/v1", "fieldManager": "me"}
    shown = {**created["object"], "metadata": {**created["object"]["metadata"], "resourceVersion": made["metadata"]["resourceVersion"]}}
    assert shown == made
    assert created == {
        "uid": created["uid"], **about, "operation": "CREATE", "object": created["object"], "oldObject": None, "options": options, **fields
    }  # fmt: skip
    assert (updated["oldObject"]["data"], updated["object"]["data"], updated["operation"]) == ({"k": "1"}, {"k": "2"}, "UPDATE")
    assert (deleted["oldObject"]["data"], deleted["object"], deleted["operation"]) == ({"k": "2"}, None, "DELETE")
    assert deleted["options"]["kind"] == "DeleteOptions"
    assert hooks.reviews[0]["apiVersion"] == f"{wire.dialect.group('admission')}/v1"
    assert hooks.reviews[0]["kind"] == "AdmissionReview"
    assert hooks.remote.paths[-1] == "/hook?timeout=10s"


def test_and_of_subresources_and_connections(hooks: Hooks) -> None:
    wire = hooks.wire
    hooks.configure(
        "validating",
        "v",
        hooks.webhook(ALLOWED, resources=("deployments/scale", "pods/exec", "pods/status"), operations=["*"]),
    )
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    name = wire.fresh("web")
    wire.create(
        DEPLOYMENTS, {"metadata": {"name": name}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
    )
    assert wire.ask("PATCH", f"{DEPLOYMENTS}/{name}/scale", {"spec": {"replicas": 0, "selector": None}}, content_type=MERGE).status == 200
    (scaled,) = hooks.asked["/hook"]
    assert (scaled["subResource"], scaled["requestSubResource"]) == ("scale", "scale")
    assert scaled["kind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert scaled["resource"] == {"group": "apps", "version": "v1", "resource": "deployments"}
    assert scaled["object"]["kind"] == "Scale"
    pod = wire.fresh("pod")
    wire.create(PODS, {"metadata": {"name": pod}, "spec": NOBODY_S})
    wire.ask("POST", f"{PODS}/{pod}/exec?command=ls&container=c")
    connected = hooks.asked["/hook"][-1]
    assert (connected["operation"], connected["subResource"], connected["options"]) == ("CONNECT", "exec", None)
    assert (connected["object"]["kind"], connected["object"]["command"], connected["oldObject"]) == ("PodExecOptions", ["ls"], None)


def test_the_older_version_of_the_question(hooks: Hooks) -> None:
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, admissionReviewVersions=["v7", "v1beta1", "v1"]))
    assert make(hooks).status == 201
    assert hooks.reviews[0]["apiVersion"] == f"{hooks.wire.dialect.group('admission')}/v1beta1"


# --- What they may do ---

DENIALS = (
    ({"message": "no maps here"}, 400, "", "denied the request: no maps here"),
    ({}, 400, "", "denied the request without explanation"),
    (None, 400, "", "denied the request without explanation"),
    ({"reason": "Forbidden"}, 400, "Forbidden", "denied the request: Forbidden"),
    ({"code": 418, "message": "teapot"}, 418, "", "denied the request: teapot"),
    ({"code": 200, "message": "odd"}, 400, "", "denied the request: odd"),
    ({"code": 403, "reason": "Forbidden", "message": "no", "details": {"name": "x"}}, 403, "Forbidden", "denied the request: no"),
)


@pytest.mark.parametrize("kind", ["validating", "mutating"])
@pytest.mark.parametrize(("status", "code", "reason", "words"), DENIALS)
def test_a_denial_is_answered_in_its_words(hooks: Hooks, kind: str, status: Object | None, code: int, reason: str, words: str) -> None:
    hooks.configure(kind, "c", hooks.webhook({"allowed": False, "status": status}))
    name = hooks.wire.fresh("map")
    answer = make(hooks, name)
    assert (answer.status, answer.json["code"], answer.json.get("reason", "")) == (code, code, reason)
    assert answer.message == f'admission webhook "hook.hooks.example.com" {words}'
    assert answer.json.get("details") == ((status or {}).get("details"))
    assert hooks.wire.ask("GET", f"{MAPS}/{name}").status == 404


def test_what_nobody_knows_of_a_denial_is_not_answered(hooks: Hooks) -> None:
    causes = [{"reason": "FieldValueInvalid", "message": "no", "own": 7}]
    details = {"name": "x", "causes": causes, "retryAfterSeconds": 7, "own": {}}
    hooks.configure(
        "validating", "c", hooks.webhook({"allowed": False, "own": 1, "status": {"details": details, "message": "no", "own": []}})
    )
    answer = make(hooks)
    assert answer.status == 400
    assert answer.json["details"] == {
        "name": "x",
        "causes": [{"reason": "FieldValueInvalid", "message": "no"}],
        "retryAfterSeconds": 7,
    }


UNREADABLE = {
    "uid": (7, "number", "AdmissionResponse.response.uid", "string"),
    "allowed": ("yes", "string", "AdmissionResponse.response.allowed", "bool"),
    "warnings": ("w", "string", "AdmissionResponse.response.warnings", "[]string"),
    "auditAnnotations": ({"k": 1}, "number", "AdmissionResponse.response.auditAnnotations", "string"),
    "patch": ([], "array", "AdmissionResponse.response.patch", "[]uint8"),
    "patchType": (True, "bool", "AdmissionResponse.response.patchType", "string"),
    "status": ("no", "string", "AdmissionResponse.response.status", "v1.Status"),
    "status.code": ("403", "string", "Status.response.status.code", "int32"),
    "status.code.of.parts": (403.5, "number 403.5", "Status.response.status.code", "int32"),
    "status.code.of.many.digits": (1 << 31, f"number {1 << 31}", "Status.response.status.code", "int32"),
    "status.message": (7, "number", "Status.response.status.message", "string"),
    "status.reason": ([1], "array", "Status.response.status.reason", "string"),
    "status.status": (False, "bool", "Status.response.status.status", "string"),
    "status.metadata": ("m", "string", "Status.response.status.metadata", "v1.ListMeta"),
    "status.details": ([], "array", "Status.response.status.details", "v1.StatusDetails"),
    "status.details.name": (7, "number", "StatusDetails.response.status.details.name", "string"),
    "status.details.retryAfterSeconds": ("soon", "string", "StatusDetails.response.status.details.retryAfterSeconds", "int32"),
    "status.details.causes": (["odd"], "string", "StatusDetails.response.status.details.causes", "v1.StatusCause"),
}
"""By the place in a response: a value of another type than what stands there, and what is told of it."""


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("place", UNREADABLE)
def test_an_answer_in_which_a_value_has_another_type_is_none(hooks: Hooks, place: str, *, allowed: bool) -> None:
    value, got, field, wanted = UNREADABLE[place]
    names = place.partition(".of.")[0].split(".")
    told: object = value
    for name in reversed(names):
        told = {name: told}
    answer = answering(**{"allowed": allowed, **told})
    words = f"failed to call webhook: json: cannot unmarshal {got} into Go struct field {field} of type {wanted}"
    _fails(hooks, "validating", answer, words, 'Internal error occurred: failed calling webhook "hook.hooks.example.com": ')


def test_an_answer_without_end_is_not_read_to_its_end(hooks: Hooks) -> None:
    def endless(handler: BaseHTTPRequestHandler, _review: Object) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(3 * 1024**3))
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(3 * 1024):
                handler.wfile.write(b" " * 1024**2)
        handler.close_connection = True

    hooks.configure("validating", "c", hooks.webhook(ALLOWED))
    hooks.remote.answer = endless
    assert "the answer is longer than 8388608 bytes" in make(hooks).message


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_warnings_reach_the_client(hooks: Hooks, kind: str) -> None:
    hooks.configure(kind, "c", hooks.webhook({"allowed": True, "warnings": ["this is old", "and slow"]}))
    answer = make(hooks)
    assert answer.status == 201
    assert answer.headers["warning"] == '299 - "this is old", 299 - "and slow"'


def test_keys_of_audit_annotations_that_can_not_be_are_told_in_one_line(hooks: Hooks) -> None:
    """However many there are and however long: the log is not the webhook's."""
    keys = ["bad key " + "x" * 1_000, *(f"bad key {number}" for number in range(5_000))]
    hooks.configure("validating", "v", hooks.webhook({"allowed": True, "auditAnnotations": dict.fromkeys(keys, "v")}))
    before = len(hooks.wire.server.log)
    assert make(hooks).status == 201
    (line,) = [line for line in hooks.wire.server.log[before:].splitlines() if "bad key" in line]
    assert line.endswith('x" and 5000 more')
    assert len(line) < 500


@pytest.mark.parametrize("how", ["remove", "replace", "add", "the whole"])
def test_what_a_patch_makes_null_is_gone(hooks: Hooks, how: str) -> None:
    """Of a new object and of one that is there; what has to be there isn't, then."""

    def answer(handler: BaseHTTPRequestHandler, review: Object) -> None:
        obj = review["request"]["object"]
        part = "spec" if obj["kind"] == "Pod" else "data"
        change = {"op": how, "path": f"/{part}", "value": None}
        if how == "the whole":
            change = {"op": "replace", "path": "", "value": {**obj, part: None}}
        answering(patch=base64_of(json.dumps([change])), patchType="JSONPatch")(handler, review)

    name = hooks.wire.fresh("map")
    hooks.configure("mutating", "m", hooks.webhook(ALLOWED, resources=("configmaps", "pods")))
    hooks.remote.answer = answer
    assert "data" not in make(hooks, name).json
    sent = {"metadata": {"name": name}, "data": {"k": "2"}}
    assert "data" not in hooks.wire.ask("PUT", f"{MAPS}/{name}", sent).json
    assert "data" not in hooks.wire.ask("GET", f"{MAPS}/{name}").json
    pods = MAPS.replace("configmaps", "pods")
    refused = hooks.wire.ask("POST", pods, {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    assert (refused.status, refused.reason) == (422, "Invalid")


def test_a_patch_changes_what_is_stored(hooks: Hooks) -> None:
    hooks.configure("mutating", "m", hooks.webhook(labelled("seen")))
    name = hooks.wire.fresh("map")
    assert make(hooks, name, labels={"own": "1"}).json["metadata"]["labels"] == {"own": "1", "seen": "yes"}
    assert hooks.wire.ask("GET", f"{MAPS}/{name}").json["metadata"]["labels"] == {"own": "1", "seen": "yes"}


def test_each_sees_what_those_before_it_have_made(hooks: Hooks) -> None:
    first, second = hooks.webhook(labelled("first"), "/first"), hooks.webhook(labelled("second"), "/second")
    hooks.configure("mutating", "b", second)
    hooks.configure("mutating", "a", first)
    check = hooks.webhook(ALLOWED, "/check")
    hooks.configure("validating", "v", check)
    make(hooks, labels={"own": "1"})
    assert [sorted(hooks.asked[path][0]["object"]["metadata"]["labels"]) for path in ("/first", "/second", "/check")] == [
        ["own"],
        ["first", "own"],
        ["first", "own", "second"],
    ]


def test_what_a_patch_adds_is_completed_before_the_next_sees_it(hooks: Hooks) -> None:
    added = {"op": "add", "path": "/spec/containers/-", "value": {"name": "side", "image": "side:1"}}
    hooks.configure("mutating", "a", hooks.webhook(patched(added), "/add", resources=("pods",), operations=["CREATE"]))
    hooks.configure("mutating", "b", hooks.webhook(ALLOWED, "/look", resources=("pods",), operations=["CREATE"]))
    name = hooks.wire.fresh("pod")
    made = hooks.wire.create(PODS, {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    side = hooks.asked["/look"][0]["object"]["spec"]["containers"][1]
    assert (side["imagePullPolicy"], side["terminationMessagePath"]) == ("IfNotPresent", "/dev/termination-log")
    assert [one["name"] for one in made["spec"]["containers"]] == ["c", "side"]


def test_who_wishes_it_is_asked_again_after_a_change_by_others(hooks: Hooks) -> None:
    again = {"reinvocationPolicy": "IfNeeded"}
    hooks.configure("mutating", "a", hooks.webhook(ALLOWED, "/wishes", **again), hooks.webhook(ALLOWED, "/not"))
    hooks.configure("mutating", "b", hooks.webhook(labelled("late"), "/late", **again))
    make(hooks, labels={"own": "1"})
    assert {path: len(asked) for path, asked in hooks.asked.items()} == {"/wishes": 2, "/not": 1, "/late": 1}
    assert "late" in hooks.asked["/wishes"][1]["object"]["metadata"]["labels"]


def test_policies_are_asked_again_before_webhooks_and_those_after_what_they_change(hooks: Hooks) -> None:
    """A policy that has changed the object sees it once more, and no third time, whatever webhooks do with it."""
    policies = BoundPolicies(hooks.wire, "mutating")
    mark = "Object{data: {'asked': object.?data[?'asked'].orValue('') + '+'}}"
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": mark}}
    about = {"matchConstraints": {"resourceRules": ABOUT_MAPS}, "mutations": [mutation], "reinvocationPolicy": "IfNeeded"}
    policies.bind(about, {})
    late = hooks.webhook(labelled("late"), "/late")
    hooks.configure("mutating", "a", hooks.webhook(ALLOWED, "/wishes", reinvocationPolicy="IfNeeded"), late)
    try:
        assert make(hooks, labels={"own": "1"}).json["data"]["asked"] == "++"
    finally:
        policies.forget()
    assert [asked["object"]["data"]["asked"] for asked in hooks.asked["/wishes"]] == ["+", "++"]
    assert len(hooks.asked["/late"]) == 1


def test_the_identity_of_an_object_is_not_a_webhooks_to_change(hooks: Hooks) -> None:
    hooks.configure("mutating", "m", hooks.webhook(patched({"op": "replace", "path": "/metadata/namespace", "value": "kube"})))
    assert make(hooks).status == 400
    hooks.configure("mutating", "m", hooks.webhook(patched({"op": "add", "path": "/metadata/uid", "value": "made-up"})))
    answer = make(hooks)
    assert (answer.status, answer.json["metadata"]["uid"] != "made-up") == (201, True)


def test_an_owner_that_a_webhook_names_once_more_is_named_once(hooks: Hooks) -> None:
    """Dry runs, because owners that aren't there take what they own with them."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}
    again = {"op": "add", "path": "/metadata/ownerReferences/-", "value": owner}
    hooks.configure("mutating", "m", hooks.webhook(patched(again, again)))
    made = hooks.wire.ask("POST", MAPS, config_map(hooks.wire.fresh("map"), ownerReferences=[owner]), dryRun="All")
    assert made.json["metadata"]["ownerReferences"] == [owner]
    assert ".metadata.ownerReferences contains duplicate entries after mutating admission happens; " in made.headers["warning"]
    assert "duplicate UID(s) observed: 1, 1" in made.headers["warning"]


# --- Which requests they are asked about ---


def asked_about(hooks: Hooks) -> list[str]:
    return [f"{one['operation']} {one['resource']['resource']} {one['name']}" for one in hooks.asked.get("/hook", ())]


def test_rules_choose_requests(hooks: Hooks) -> None:
    wire = hooks.wire
    one, other = wire.fresh("map"), wire.fresh("map")
    wire.create(MAPS, config_map(one))
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, operations=["DELETE"], groups=[""], versions=["v1"]))
    wire.create(MAPS, config_map(other))
    wire.ask("DELETE", f"{MAPS}/{one}")
    assert asked_about(hooks) == [f"DELETE configmaps {one}"]
    hooks.asked.clear()
    for more in ({"groups": ["apps"]}, {"versions": ["v2"]}, {"resources": ("secrets",)}, {"scope": "Cluster"}):
        hooks.configure("validating", "v", hooks.webhook(ALLOWED, operations=["*"], **more))
        make(hooks)
    assert asked_about(hooks) == []


def test_all_resources_are_not_their_subresources(hooks: Hooks) -> None:
    wire, name = hooks.wire, hooks.wire.fresh("pod")
    wire.create(PODS, {"metadata": {"name": name}, "spec": NOBODY_S})
    for resources, count in ((("*",), 0), (("*/*",), 1), (("*/status",), 1), (("pods/*",), 1), (("pods/status",), 1), (("pods",), 0)):
        hooks.asked.clear()
        hooks.configure("validating", "v", hooks.webhook(ALLOWED, operations=["UPDATE"], groups=[""], resources=resources))
        wire.ask("PATCH", f"{PODS}/{name}/status", {"status": {"message": "/".join(resources)}}, content_type=MERGE)
        assert len(hooks.asked.get("/hook", ())) == count, resources


def test_a_binding_is_a_resource_of_its_own(hooks: Hooks) -> None:
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, "/own", resources=("bindings",)))
    hooks.configure("validating", "w", hooks.webhook(ALLOWED, "/below", resources=("pods/binding",)))
    names = [hooks.wire.create(PODS, {"metadata": {"generateName": "p-"}, "spec": NOBODY_S})["metadata"]["name"] for _ in range(2)]
    for name, path in zip(names, ("/api/v1/namespaces/default/bindings", f"{PODS}/{names[1]}/binding"), strict=True):
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"kind": "Node", "name": "far"}}
        assert hooks.wire.ask("POST", path, body).status == 201
    (own,), (below,) = hooks.asked["/own"], hooks.asked["/below"]
    assert (own["resource"]["resource"], own.get("subResource"), own["name"], own["kind"]["kind"]) == (
        "bindings",
        None,
        names[0],
        "Binding",
    )
    assert (below["resource"]["resource"], below["subResource"], below["name"]) == ("pods", "binding", names[1])
    assert own["object"]["target"] == below["object"]["target"]
    assert own["object"]["metadata"]["namespace"] == below["object"]["metadata"]["namespace"] == "default"


def test_labels_choose_objects_and_namespaces(hooks: Hooks) -> None:
    wire, space = hooks.wire, hooks.wire.fresh("space")
    wire.create("/api/v1/namespaces", {"metadata": {"name": space, "labels": {"watched": "yes"}}})
    watched = {"namespaceSelector": {"matchLabels": {"watched": "yes"}}}
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, **watched))
    make(hooks)
    wire.create(f"/api/v1/namespaces/{space}/configmaps", config_map("m"))
    assert "CREATE configmaps m" in asked_about(hooks)
    assert {one["namespace"] for one in hooks.asked["/hook"]} == {space}
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, objectSelector={"matchLabels": {"nobody": "has"}}))
    hooks.asked.clear()
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, objectSelector={"matchExpressions": [{"key": "a", "operator": "Exists"}]}))
    make(hooks)
    name = make(hooks, labels={"a": "1"}).json["metadata"]["name"]
    wire.ask("PATCH", f"{MAPS}/{name}", {"metadata": {"labels": None}}, content_type=MERGE)
    wire.ask("PATCH", f"{MAPS}/{name}", {"data": {"k": "3"}}, content_type=MERGE)
    assert asked_about(hooks) == [f"CREATE configmaps {name}", f"UPDATE configmaps {name}"]
    hooks.asked.clear()
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, resources=("namespaces",), **watched))
    wire.create("/api/v1/namespaces", {"metadata": {"name": (unseen := wire.fresh("space"))}})
    wire.create("/api/v1/namespaces", {"metadata": {"name": (seen := wire.fresh("space")), "labels": {"watched": "yes"}}})
    assert [one["name"] for one in hooks.asked["/hook"]] == [seen]
    assert unseen != seen


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_conditions_choose_requests(hooks: Hooks, kind: str) -> None:
    conditions = [
        {"name": "named", "expression": "object.metadata.name.startsWith('chosen')"},
        {"name": "allowed", "expression": "authorizer.group('').resource('configmaps').check('create').allowed()"},
    ]
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, matchConditions=conditions))
    name = hooks.wire.fresh("chosen")
    assert (make(hooks).status, make(hooks, name).status) == (201, 201)
    assert asked_about(hooks) == [f"CREATE configmaps {name}"]
    hooks.asked.clear()
    broken = [{"name": "broken", "expression": "object.none == 'x'"}]
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, matchConditions=broken))
    answer = make(hooks)
    assert (answer.status, answer.message.rpartition("forbidden: ")[2]) == (
        403,
        "expression 'object.none == 'x'' resulted in error: no such key: none",
    )
    no = [*broken, {"name": "no", "expression": "false"}]
    hooks.configure(kind, "c", hooks.webhook({"allowed": False}, matchConditions=no))
    assert make(hooks).status == 201
    hooks.configure(kind, "c", hooks.webhook({"allowed": False}, matchConditions=broken, failurePolicy="Ignore"))
    assert make(hooks).status == 201
    assert asked_about(hooks) == []


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_conditions_know_nothing_of_the_namespace(hooks: Hooks, kind: str) -> None:
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, matchConditions=[{"name": "none", "expression": "namespaceObject == null"}]))
    name = hooks.wire.fresh("map")
    assert make(hooks, name).status == 201
    assert asked_about(hooks) == [f"CREATE configmaps {name}"]
    there = [{"name": "there", "expression": "has(namespaceObject.metadata)"}]
    hooks.configure(kind, "c", hooks.webhook({"allowed": False}, matchConditions=there))
    assert make(hooks).status == 201
    named = [{"name": "named", "expression": "namespaceObject.metadata.name == 'default'"}]
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, matchConditions=named))
    assert make(hooks).message.endswith("resulted in error: no such key: metadata")


def test_requests_in_other_versions_are_converted(hooks: Hooks) -> None:
    wire = hooks.wire
    path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
    body = {
        "metadata": {"name": ""},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "w"}, "targetCPUUtilizationPercentage": 50},
    }
    matching = {"resources": ("horizontalpodautoscalers",), "groups": ["autoscaling"], "versions": ["v2"]}
    more = patched({"op": "replace", "path": "/spec/metrics/0/resource/target/averageUtilization", "value": 70})
    hooks.configure("mutating", "m", hooks.webhook(more, **matching))
    body["metadata"]["name"] = wire.fresh("scaler")
    made = wire.create(path, body)
    assert made["spec"]["targetCPUUtilizationPercentage"] == 70
    (asked,) = hooks.asked["/hook"]
    assert (asked["kind"]["version"], asked["requestKind"]["version"]) == ("v2", "v1")
    assert (asked["resource"]["version"], asked["requestResource"]["version"]) == ("v2", "v1")
    assert (asked["object"]["apiVersion"], "metrics" in asked["object"]["spec"]) == ("autoscaling/v2", True)
    hooks.configure("mutating", "m", hooks.webhook(more, matchPolicy="Exact", **matching))
    body["metadata"]["name"] = wire.fresh("scaler")
    assert wire.create(path, body)["spec"]["targetCPUUtilizationPercentage"] == 50


def test_nobody_is_asked_about_webhooks_and_policies(hooks: Hooks) -> None:
    everything = {"resources": ("*/*",), "operations": ["*"]}
    hooks.configure("validating", "locked", hooks.webhook({"allowed": False}, **everything))
    hooks.configure("mutating", "locked", hooks.webhook({"allowed": False}, "/other", **everything))
    assert make(hooks).status == 400
    hooks.configure("validating", "locked", hooks.webhook(ALLOWED, **everything))
    hooks.configure("mutating", "locked", hooks.webhook(ALLOWED, "/other", **everything))
    assert make(hooks).status == 201
    assert not any("admissionregistration" in one["resource"]["group"] for one in hooks.asked["/hook"])


# --- Trying ---


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_a_trial_asks_only_who_has_no_effects(hooks: Hooks, kind: str) -> None:
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, sideEffects="NoneOnDryRun"))
    trial = f"{MAPS}?dryRun=All"
    assert hooks.wire.ask("POST", trial, config_map(hooks.wire.fresh("map"))).status == 201
    assert hooks.asked["/hook"][0]["dryRun"] is True


# --- Where they fail ---


def rubbish(handler: object, _review: Object, body: bytes = b"{}", status: int = 200, **headers: str) -> None:
    send(handler, status, body, **headers)


def answering(**change: object):
    def answer(handler: object, review: Object) -> None:
        response = {"uid": review["request"]["uid"], "allowed": True, **change}
        send(handler, 200, json.dumps({"kind": "AdmissionReview", "apiVersion": review["apiVersion"], "response": response}).encode())

    return answer


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FAILURES = {
    "nothing": (hang_up, "failed to call webhook: Post"),
    "an empty object": (rubbish, "received invalid webhook response: webhook response was absent"),
    "no json": (
        lambda handler, review: rubbish(handler, review, b"hello"),
        "failed to call webhook: couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value",
    ),
    "no body": (
        lambda handler, review: rubbish(handler, review, b""),
        "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
    ),
    "a version without a group": (
        lambda handler, review: rubbish(
            handler, review, json.dumps({**review, "apiVersion": "v1", "response": {"uid": review["request"]["uid"]}}).encode()
        ),
        "/v1, Kind=AdmissionReview, got /v1, Kind=AdmissionReview",
    ),
    "an error": (lambda handler, review: rubbish(handler, review, b"oops", 500), "failed to call webhook: an error on the server"),
    "a redirect": (
        lambda handler, review: rubbish(handler, review, b"", 302, Location="https://127.0.0.1:1/"),
        "failed to call webhook: the server responded with the status code 302",
    ),
    "another type": (
        lambda handler, review: rubbish(handler, review, b"{}", **{"Content-Type": "text/html; charset=utf-8"}),
        "failed to call webhook: the answer is said to be text/html, not application/json",
    ),
    "half a body": (
        lambda handler, review: rubbish(handler, review, b'{"kind": "Admission'),
        "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input",
    ),
    "too much": (answering(x=[{}] * limits.OBJECT_VALUES), "failed to call webhook: the answer is too much: "),
    "another's uid": (answering(uid="other"), 'received invalid webhook response: expected response.uid="'),
    "no response": (
        lambda handler, review: rubbish(handler, review, b'{"response":"yes"}'),
        "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionReview.response of type v1.AdmissionResponse",
    ),
    "another question": (
        lambda handler, review: rubbish(handler, review, b'{"request":"what?"}'),
        "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionReview.request of type v1.AdmissionRequest",
    ),
    "a bare response": (
        lambda handler, review: rubbish(
            handler, review, json.dumps({"response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        ),
        "/v1, Kind=AdmissionReview, got /, Kind=",
    ),
}
BROKEN_PATCHES = {
    "no type": (answering(patch=base64_of("[]")), "webhook returned response.patch but not response.patchType"),
    "no patch": (answering(patchType="JSONPatch"), "webhook returned response.patchType but not response.patch"),
    "another type": (answering(patch="W10=", patchType="Merge"), 'invalid response.patchType of "Merge"'),
    "no base64": (answering(patch="?", patchType="JSONPatch"), "failed to call webhook: illegal base64 data at input byte 0"),
    "no list": (answering(patch=base64_of("{}"), patchType="JSONPatch"), "returned a patch that can't be applied"),
    "no such place": (
        answering(patch=base64_of('[{"op":"replace","path":"/nowhere/x","value":1}]'), patchType="JSONPatch"),
        "returned a patch that can't be applied: replace operation does not apply",
    ),
    "a wrong value": (
        answering(patch=base64_of('[{"op":"replace","path":"/data","value":7}]'), patchType="JSONPatch"),
        "returned a patch that can't be applied",
    ),
    "another kind": (
        answering(patch=base64_of('[{"op":"replace","path":"/kind","value":"Secret"}]'), patchType="JSONPatch"),
        "changed the kind or the apiVersion of the object",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["validating", "mutating"])
@pytest.mark.parametrize("failure", FAILURES)
def test_its_failure_policy_says_what_follows(hooks: Hooks, kind: str, failure: str) -> None:
    answer, words = FAILURES[failure]
    _fails(hooks, kind, answer, words, 'Internal error occurred: failed calling webhook "hook.hooks.example.com": ')


@pytest.mark.parametrize("failure", BROKEN_PATCHES)
def test_and_so_it_does_of_patches(hooks: Hooks, failure: str) -> None:
    answer, words = BROKEN_PATCHES[failure]
    _fails(hooks, "mutating", answer, words, "Internal error occurred: ")


def _fails(hooks: Hooks, kind: str, answer: object, words: str, start: str) -> None:
    hooks.configure(kind, "c", hooks.webhook(ALLOWED))
    hooks.remote.answer = answer
    refused = make(hooks)
    assert (refused.status, refused.reason) == (500, "InternalError")
    assert refused.message.startswith(start), refused.message
    assert words in refused.message, refused.message
    hooks.configure(kind, "c", hooks.webhook(ALLOWED, failurePolicy="Ignore"))
    assert make(hooks).status == 201


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_validating_webhooks_bring_no_patches(hooks: Hooks, kind: str) -> None:
    hooks.configure(kind, "c", hooks.webhook(labelled("seen")))
    answer = make(hooks, labels={"own": "1"})
    if kind == "mutating":
        assert answer.status == 201
    else:
        assert "validating webhook may not return response.patch" in answer.message


def test_who_hangs_is_waited_for_no_longer_than_said_and_nobody_else_waits(hooks: Hooks) -> None:
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, timeoutSeconds=1, objectSelector={"matchLabels": {"slow": "yes"}}))
    release = threading.Event()

    def hang(handler: object, _review: Object) -> None:
        release.wait(30)
        hang_up(handler, _review)

    hooks.remote.answer = hang
    answers: list[Answer] = []
    waiting = threading.Thread(target=lambda: answers.append(make(hooks, labels={"slow": "yes"})))
    waiting.start()
    assert make(hooks).status == 201
    waiting.join()
    release.set()
    assert answers[0].status == 500
    assert answers[0].message.endswith('/hook?timeout=1s": context deadline exceeded')


def test_nobody_is_there(hooks: Hooks) -> None:
    away = {"url": "https://127.0.0.1:1/hook"}
    hooks.configure("validating", "v", {**hooks.webhook(ALLOWED), "clientConfig": away})
    assert 'failed to call webhook: Post "https://127.0.0.1:1/hook?timeout=10s": ' in make(hooks).message
    nameless = {"service": {"namespace": "default", "name": "nobody", "path": "/hook"}}
    hooks.configure("validating", "v", {**hooks.webhook(ALLOWED), "clientConfig": nameless})
    assert 'service "nobody" not found' in make(hooks).message


def test_a_service_without_a_path_is_called_at_its_root(hooks: Hooks) -> None:
    service = {"service": {"namespace": "none", "name": "svc"}}
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, clientConfig=service))
    assert make(hooks).message.endswith('failed to call webhook: Post "https://svc.none.svc:443/?timeout=10s": service "svc" not found')


def test_a_webhook_is_called_by_its_service(hooks: Hooks) -> None:
    wire = hooks.wire
    bound = {BOUND_TO: f"443=127.0.0.1:{hooks.remote.port}"}
    ports = [{"port": 443}]
    wire.create("/api/v1/namespaces/default/services", {"metadata": {"name": "hooks", "annotations": bound}, "spec": {"ports": ports}})
    service = {"service": {"namespace": "default", "name": "hooks", "path": "/hook"}, "caBundle": hooks.client("")["caBundle"]}
    hooks.configure("mutating", "m", {**hooks.webhook(labelled("seen")), "clientConfig": service})
    assert make(hooks, labels={"own": "1"}).json["metadata"]["labels"]["seen"] == "yes"
    assert hooks.remote.heads[-1]["host"] == "hooks.default.svc:443"


def test_who_says_nothing_of_a_decision_has_not_let_it_through(hooks: Hooks) -> None:
    for kind in ("validating", "mutating"):
        hooks.configure(kind, "c", hooks.webhook({"warnings": ["", "mind"]}, failurePolicy="Ignore"))
        answer = make(hooks)
        assert (answer.status, answer.message.rpartition('" ')[2]) == (400, "denied the request without explanation")
        assert answer.headers["warning"] == '299 - "mind"'
        hooks.forget()
