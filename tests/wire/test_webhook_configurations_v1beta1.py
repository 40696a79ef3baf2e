"""Webhook configurations in v1beta1: the same objects, of which what is left out means something else, and with whom less is demanded."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.admitting import ALLOWED, Hooks, labelled
from tests.wire.raw import APPLY, MERGE, STRATEGIC

MAPS = "/api/v1/namespaces/default/configmaps"
KINDS = {"mutating": "MutatingWebhookConfiguration", "validating": "ValidatingWebhookConfiguration"}
DEFAULTS: Object = {
    "failurePolicy": "Ignore",
    "matchPolicy": "Exact",
    "timeoutSeconds": 30,
    "sideEffects": "Unknown",
    "admissionReviewVersions": ["v1beta1"],
    "namespaceSelector": {},
    "objectSelector": {},
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def path(hooks: Hooks, kind: str, version: str = "v1beta1", name: str = "") -> str:
    root = f"/apis/{hooks.wire.dialect.group('admissionregistration')}/{version}/{kind}webhookconfigurations"
    return f"{root}/{name}" if name else root


def warning(hooks: Hooks, kind: str) -> str:
    group, name = hooks.wire.dialect.group("admissionregistration"), KINDS[kind]
    return f"{group}/v1beta1 {name} is deprecated in v1.16+, unavailable in v1.22+; use {group}/v1 {name}"


def webhook(hooks: Hooks, name: str = "one.example.com", **more: Json) -> Object:
    return {"name": name, "clientConfig": hooks.client("/hook"), **more}


def test_what_is_left_out_is_lenient(hooks: Hooks, kind: str) -> None:
    answer = hooks.wire.ask("POST", path(hooks, kind), {"metadata": {"name": "c"}, "webhooks": [webhook(hooks)]})
    assert (answer.status, answer.json["apiVersion"]) == (201, f"{hooks.wire.dialect.group('admissionregistration')}/v1beta1")
    assert f'299 - "{warning(hooks, kind)}"' in answer.headers["warning"]
    more = {"reinvocationPolicy": "Never"} if kind == "mutating" else {}
    [made] = answer.json["webhooks"]
    assert {name: made[name] for name in made if name not in ("name", "clientConfig")} == {**DEFAULTS, **more}


def test_both_versions_show_the_same_object(hooks: Hooks, kind: str) -> None:
    made = hooks.wire.create(path(hooks, kind), {"metadata": {"name": "c"}, "webhooks": [webhook(hooks)]})
    answer = hooks.wire.ask("GET", path(hooks, kind, "v1", "c"))
    assert "warning" not in answer.headers
    assert answer.json["webhooks"] == made["webhooks"]
    assert answer.json["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert hooks.wire.ask("GET", path(hooks, kind, name="c")).json["webhooks"] == made["webhooks"]
    assert [one["metadata"]["name"] for one in hooks.wire.ask("GET", path(hooks, kind)).json["items"]] == ["c"]


def test_every_way_to_write_does(hooks: Hooks, kind: str) -> None:
    wire, version = hooks.wire, f"{hooks.wire.dialect.group('admissionregistration')}/v1beta1"
    body = {"apiVersion": version, "kind": KINDS[kind], "metadata": {"name": "c"}, "webhooks": [webhook(hooks)]}
    here = path(hooks, kind, name="c")
    assert wire.ask("PATCH", here, body, content_type=APPLY, fieldManager="me").status == 201
    patched = wire.ask("PATCH", here, {"webhooks": [webhook(hooks, "two.example.com", timeoutSeconds=3)]}, content_type=STRATEGIC)
    assert [one["name"] for one in patched.json["webhooks"]] == ["two.example.com", "one.example.com"]
    merged = wire.ask("PATCH", here, {"webhooks": [webhook(hooks, sideEffects="Some")]}, content_type=MERGE)
    assert [one["sideEffects"] for one in merged.json["webhooks"]] == ["Some"]
    put = wire.ask("PUT", here, {**merged.json, "webhooks": [webhook(hooks, failurePolicy="Fail")]})
    assert (put.status, put.json["webhooks"][0]["failurePolicy"], put.json["metadata"]["generation"]) == (200, "Fail", 4)
    assert wire.ask("DELETE", here).status == 200


def test_less_is_demanded(hooks: Hooks, kind: str) -> None:
    twice = [webhook(hooks, sideEffects="Some"), webhook(hooks, sideEffects="Unknown")]
    hooks.wire.create(path(hooks, kind), {"metadata": {"name": "c"}, "webhooks": twice})
    v1 = [{**one, "admissionReviewVersions": ["v1"]} for one in twice]
    answer = hooks.wire.ask("POST", path(hooks, kind, "v1"), {"metadata": {"name": "d"}, "webhooks": v1})
    assert answer.status == 422
    assert [cause["field"] for cause in answer.json["details"]["causes"]] == [
        "webhooks[0].sideEffects", "webhooks[1].sideEffects", "webhooks[1].name",
    ]  # fmt: skip


def test_what_was_let_in_so_can_be_changed_in_v1(hooks: Hooks, kind: str) -> None:
    here = path(hooks, kind, "v1", "c")
    hooks.wire.create(path(hooks, kind), {"metadata": {"name": "c"}, "webhooks": [webhook(hooks), webhook(hooks)]})
    change = {"metadata": {"labels": {"a": "b"}}}
    assert hooks.wire.ask("PATCH", here, change, content_type=MERGE).status == 200
    better = [webhook(hooks, sideEffects="None", admissionReviewVersions=["v1"])]
    assert hooks.wire.ask("PATCH", here, {"webhooks": better}, content_type=MERGE).status == 200
    worse = [webhook(hooks, sideEffects="Some", admissionReviewVersions=["v1"])]
    refused = hooks.wire.ask("PATCH", here, {"webhooks": worse}, content_type=MERGE)
    assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (422, "webhooks[0].sideEffects")
    assert hooks.wire.ask("PATCH", path(hooks, kind, name="c"), {"webhooks": worse}, content_type=MERGE).status == 200


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"sideEffects": "Maybe"}, "webhooks[0].sideEffects"),
        ({"admissionReviewVersions": ["v7"]}, "webhooks[0].admissionReviewVersions"),
        ({"name": "short"}, "webhooks[0].name"),
        ({"timeoutSeconds": 31}, "webhooks[0].timeoutSeconds"),
        ({"failurePolicy": "Perhaps"}, "webhooks[0].failurePolicy"),
    ],
)
def test_what_is_wrong_is_wrong_here_too(hooks: Hooks, kind: str, wrong: Object, field: str) -> None:
    answer = hooks.wire.ask("POST", path(hooks, kind), {"metadata": {"name": "c"}, "webhooks": [{**webhook(hooks), **wrong}]})
    assert (answer.status, [cause["field"] for cause in answer.json["details"]["causes"]]) == (422, [field])


def test_they_count(hooks: Hooks) -> None:
    given = hooks.webhook(labelled("seen"), versions=["v1"])
    for name in ("sideEffects", "admissionReviewVersions"):
        del given[name]
    hooks.wire.create(path(hooks, "mutating"), {"metadata": {"name": "c"}, "webhooks": [given]})
    made = hooks.wire.create(MAPS, {"metadata": {"name": hooks.wire.fresh(), "labels": {"a": "b"}}})
    assert made["metadata"]["labels"]["seen"] == "yes"
    [review] = hooks.reviews
    assert review["apiVersion"] == f"{hooks.wire.dialect.group('admission')}/v1beta1"
    tried = hooks.wire.ask("POST", MAPS, {"metadata": {"name": hooks.wire.fresh(), "labels": {"a": "b"}}}, dryRun="All")
    assert (tried.status, tried.message) == (400, f'admission webhook "{given["name"]}" does not support dry run')


def test_who_fails_is_ignored(hooks: Hooks) -> None:
    given = hooks.webhook(ALLOWED)
    for name in ("sideEffects", "admissionReviewVersions"):
        del given[name]
    hooks.wire.create(path(hooks, "validating"), {"metadata": {"name": "c"}, "webhooks": [given]})
    hooks.remote.answer = lambda handler, _review: handler.send_error(500)
    assert hooks.wire.ask("POST", MAPS, {"metadata": {"name": hooks.wire.fresh()}}).status == 201


def test_v1_is_preferred(hooks: Hooks) -> None:
    name = hooks.wire.dialect.group("admissionregistration")
    [group] = [one for one in hooks.wire.ask("GET", "/apis").json["groups"] if one["name"] == name]
    assert [one["version"] for one in group["versions"]] == ["v1", "v1beta1"]
    assert group["preferredVersion"]["version"] == "v1"
    served = hooks.wire.ask("GET", f"/apis/{name}/v1beta1").json["resources"]
    assert [one["name"] for one in served if "webhook" in one["name"]] == [
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
    ]
