"""A dry run tells its way through admission: who was asked, what each changed, warned of and refused."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.admitting import ALLOWED, Hooks, labelled
from tests.wire.policies import ABOUT_MAPS, BoundPolicies
from tests.wire.raw import APPLY, MERGE, Answer

TRACE = {"dryRun": "All", "svcsimTrace": "admission"}
PODS = "/api/v1/namespaces/default/pods"
SETTINGS = "/api/v1/namespaces/default/configmaps"


def pod(**spec: Json) -> Object:
    return {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "a"}], **spec}}


def told(answer: Answer) -> Object:
    assert answer.status == 200, answer.json
    assert (answer.json["kind"], answer.json["apiVersion"]) == ("AdmissionTrace", "svcsim/v1")
    return answer.json


def step(trace: Object, name: str, phase: str = "mutating") -> Object:
    [found] = [one for one in trace["steps"] if (one["name"], one["phase"], one["round"]) == (name, phase, 0)]
    return found


def paths(found: Object) -> list[str]:
    return [f"{change['op']} {change['path']}" for change in found.get("changes", [])]


def test_each_plugin_is_told_with_what_it_changed(hooks: Hooks) -> None:
    trace = told(hooks.wire.ask("POST", PODS, pod(), **TRACE))
    names = [one["name"] for one in trace["steps"] if one["phase"] == "mutating"]
    assert names.index("NamespaceLifecycle") < names.index("LimitRanger") < names.index("ServiceAccount")
    assert step(trace, "NamespaceLifecycle")["result"] == "let through"
    account = step(trace, "ServiceAccount")
    assert account["result"] == "changed"
    assert "add /spec/serviceAccountName" in paths(account)
    assert step(trace, "PodSecurity", "validating")["seconds"] >= 0
    assert trace["object"]["spec"]["serviceAccountName"] == "default"
    assert "refusal" not in trace
    assert "notAsked" not in trace
    assert hooks.wire.ask("GET", f"{PODS}/web").status == 404


def test_webhooks_are_steps_of_their_plugin(hooks: Hooks) -> None:
    hooks.configure("mutating", "m", hooks.webhook(labelled("one"), name="one.example.com"))
    hooks.configure(
        "validating",
        "v",
        hooks.webhook({"allowed": True, "warnings": ["careful"]}, "/warns", name="warns.example.com"),
        hooks.webhook({"allowed": False, "status": {"message": "not today"}}, "/refuses", name="refuses.example.com"),
        hooks.webhook(ALLOWED, "/other", name="other.example.com", objectSelector={"matchLabels": {"app": "other"}}),
    )
    made = {"metadata": {"name": "x", "labels": {"a": "b"}}}
    trace = told(hooks.wire.ask("POST", SETTINGS, made, **TRACE))
    [mutating] = step(trace, "MutatingAdmissionWebhook")["steps"]
    assert (mutating["type"], mutating["name"], mutating["result"]) == ("webhook", "one.example.com", "changed")
    assert mutating["changes"] == [{"op": "add", "path": "/metadata/labels/one", "value": "yes"}]
    validating = step(trace, "ValidatingAdmissionWebhook", "validating")
    assert validating["result"] == "refused"
    by_name = {one["name"]: one for one in validating["steps"]}
    assert by_name["warns.example.com"]["warnings"] == ["careful"]
    assert by_name["refuses.example.com"]["refusal"]["message"] == 'admission webhook "refuses.example.com" denied the request: not today'
    assert (by_name["other.example.com"]["result"], by_name["other.example.com"]["why"]) == ("not asked", "its selectors don't match")
    assert trace["refusal"] == by_name["refuses.example.com"]["refusal"]
    assert "object" not in trace


def test_who_comes_after_a_refusal_is_told_too(hooks: Hooks) -> None:
    trace = told(hooks.wire.ask("POST", "/api/v1/namespaces/nowhere/pods", pod(), **TRACE))
    assert [(one["name"], one["result"]) for one in trace["steps"]] == [("NamespaceLifecycle", "refused")]
    assert trace["refusal"]["message"] == 'namespaces "nowhere" not found'
    assert trace["notAsked"][0] == {"phase": "mutating", "name": "LimitRanger"}
    assert {"phase": "validating", "name": "PodSecurity"} in trace["notAsked"]


@pytest.mark.parametrize(("policy", "result"), [("Ignore", "failed"), ("Fail", "refused")])
@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_failures_are_told(hooks: Hooks, kind: str, policy: str, result: str) -> None:
    hooks.configure(kind, "w", hooks.webhook({"allowed": True, "patch": "?"}, name="w.example.com", failurePolicy=policy))
    hooks.remote.answer = lambda handler, _review: handler.send_error(500)
    trace = told(hooks.wire.ask("POST", SETTINGS, {"metadata": {"name": "x"}}, **TRACE))
    found = step(trace, f"{kind.capitalize()}AdmissionWebhook", kind)["steps"][0]
    assert found["result"] == result
    assert 'failed calling webhook "w.example.com"' in (found.get("why") or found["refusal"]["message"])


def test_policies_are_steps(hooks: Hooks) -> None:
    policies = BoundPolicies(hooks.wire, "validating")
    constraints = {"matchConstraints": {"resourceRules": ABOUT_MAPS}}
    refuses = policies.bind({**constraints, "validations": [{"expression": "false", "message": "never"}]}, {"validationActions": ["Deny"]})
    conditional = {"matchConditions": [{"name": "big", "expression": "false"}], "validations": [{"expression": "false"}]}
    passes = policies.bind({**constraints, **conditional}, {"validationActions": ["Deny"]})
    trace = told(hooks.wire.ask("POST", SETTINGS, {"metadata": {"name": "x"}}, **TRACE))
    policies.forget()
    found = {one["name"]: one for one in step(trace, "ValidatingAdmissionPolicy", "validating")["steps"]}
    refused, passed = found[f"{refuses} by binding {refuses}-b"], found[f"{passes} by binding {passes}-b"]
    assert (refused["type"], refused["result"]) == ("policy", "refused")
    assert refused["refusal"]["message"].endswith("denied request: never")
    assert (passed["result"], passed["why"]) == ("not asked", 'its condition "big" doesn\'t hold')


def test_mutating_policies_are_steps(hooks: Hooks) -> None:
    policies = BoundPolicies(hooks.wire, "mutating")
    change = {"patchType": "JSONPatch", "jsonPatch": {"expression": '[JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]'}}
    spec = {"matchConstraints": {"resourceRules": ABOUT_MAPS}, "reinvocationPolicy": "Never", "mutations": [change]}
    name = policies.bind(spec, {})
    trace = told(hooks.wire.ask("POST", SETTINGS, {"metadata": {"name": "x"}}, **TRACE))
    policies.forget()
    [found] = step(trace, "MutatingAdmissionPolicy")["steps"]
    assert (found["name"], found["result"], paths(found)) == (f"{name} by binding {name}-b", "changed", ["add /data"])


def test_changes_and_deletions_are_told_too(hooks: Hooks) -> None:
    name = hooks.wire.fresh()
    assert hooks.wire.ask("POST", SETTINGS, {"metadata": {"name": name, "labels": {"a": "b"}}}).status == 201
    hooks.configure("mutating", "m", hooks.webhook(labelled("one"), name="one.example.com"))
    path = f"{SETTINGS}/{name}"
    trace = told(hooks.wire.ask("PATCH", path, {"data": {"a": "b"}}, content_type=MERGE, **TRACE))
    assert step(trace, "MutatingAdmissionWebhook")["steps"][0]["result"] == "changed"
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"c": "d"}}
    trace = told(hooks.wire.ask("PATCH", path, applied, content_type=APPLY, fieldManager="me", **TRACE))
    assert trace["object"]["data"] == {"c": "d"}
    trace = told(hooks.wire.ask("DELETE", path, **TRACE))
    assert "refusal" not in trace
    found = hooks.wire.ask("GET", path).json
    assert "data" not in found
    assert found["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize(
    "query",
    [
        {"svcsimTrace": "admission"},
        {"dryRun": "All", "svcsimTrace": "everything"},
        {"dryRun": "", "svcsimTrace": "admission"},
    ],
)
def test_nothing_is_written_and_nothing_else_told(hooks: Hooks, query: dict[str, str]) -> None:
    name = hooks.wire.fresh()
    answer = hooks.wire.ask("POST", SETTINGS, {"metadata": {"name": name}}, **query)
    assert (answer.status, answer.reason) == (400, "BadRequest")
    assert answer.message.startswith("svcsimTrace")
    assert hooks.wire.ask("GET", f"{SETTINGS}/{name}").status == 404


def test_what_is_no_write_has_no_way(hooks: Hooks) -> None:
    assert hooks.wire.ask("GET", SETTINGS, **TRACE).status == 400
    assert hooks.wire.ask("DELETE", SETTINGS, **TRACE).status == 400
    answer = hooks.wire.ask("DELETE", f"{SETTINGS}/x", {"kind": "DeleteOptions", "apiVersion": "v1"}, **TRACE)
    assert answer.status == 400
