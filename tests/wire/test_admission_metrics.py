"""What the server's page of metrics tells of admission: its passes, webhooks and validating policies."""

import re

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.admitting import ALLOWED, Hooks
from tests.wire.raw import Answer
from tests.wire.reviewing import send

MAPS = "/api/v1/namespaces/default/configmaps"
STEP = "apiserver_admission_step_admission_duration_seconds"
WEBHOOK = "apiserver_admission_webhook"
CHECKS = "apiserver_validating_admission_policy_check"


def metrics(hooks: Hooks, prefix: str, **labels: str) -> dict[str, float]:
    """Series that begin so and have these labels, by what stands before their value."""
    page = hooks.wire.ask("GET", "/metrics").body.decode()
    found = (line.rpartition(" ") for line in page.splitlines() if line.startswith(prefix))
    return {name: float(value) for name, _, value in found if all(f'{key}="{text}"' in name for key, text in labels.items())}


def make(hooks: Hooks, **metadata: object) -> Answer:
    return hooks.wire.ask("POST", MAPS, {"metadata": {"name": hooks.wire.fresh("map"), **metadata}})


def test_passes_are_timed(hooks: Hooks) -> None:
    def counts() -> dict[tuple[str, str], float]:
        return {
            (step, rejected): sum(metrics(hooks, f"{STEP}_count", type=step, operation="CREATE", rejected=rejected).values())
            for step in ("admit", "validate")
            for rejected in ("false", "true")
        }

    before = counts()
    assert make(hooks).status == 201
    assert hooks.wire.ask("POST", "/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "a"}}).status == 404
    after = counts()
    assert after["admit", "false"] > before["admit", "false"]
    assert after["validate", "false"] > before["validate", "false"]
    assert after["admit", "true"] > before["admit", "true"]
    bounds = [
        re.search(r'le="(.*?)"', name)[1] for name in metrics(hooks, f"{STEP}_bucket", type="admit", operation="CREATE", rejected="false")
    ]
    assert bounds == ["0.005", "0.025", "0.1", "0.5", "1", "2.5", "+Inf"]


@pytest.mark.parametrize(("kind", "type_"), [("mutating", "admit"), ("validating", "validating")])
def test_webhooks_are_counted(hooks: Hooks, kind: str, type_: str) -> None:
    denied = {"allowed": False, "status": {"code": 418}}

    def asked(answer: Object, name: str, **more: Json) -> Answer:
        hooks.configure(kind, name, hooks.webhook(answer, f"/{name}", **more))
        return make(hooks)

    def labels(name: str) -> dict[str, str]:
        return {"name": f"{name}.hooks.example.com", "type": type_, "operation": "CREATE"}

    def series(name: str, metric: str) -> list[float]:
        found = metrics(hooks, f"{WEBHOOK}_{metric}", name=f"{name}.hooks.example.com", type=type_)
        return list(found.values())

    def kept(name: str) -> None:
        assert series(name, "request_total")
        hooks.forget()
        assert not metrics(hooks, WEBHOOK, name=f"{name}.hooks.example.com"), "a webhook that is gone"

    assert asked(ALLOWED, "good").status == 201
    assert list(metrics(hooks, f"{WEBHOOK}_request_total", **labels("good"), code="200", rejected="false").values()) == [1]
    assert list(metrics(hooks, f"{WEBHOOK}_admission_duration_seconds_count", **labels("good"), rejected="false").values()) == [1]
    assert series("good", "rejection_count") == series("good", "fail_open_count") == []
    kept("good")
    assert asked(denied, "no").status == 418
    assert list(metrics(hooks, f"{WEBHOOK}_request_total", **labels("no"), code="418", rejected="true").values()) == [1]
    told = {"error_type": "no_error", "rejection_code": "418"}
    assert list(metrics(hooks, f"{WEBHOOK}_rejection_count", **labels("no"), **told).values()) == [1]
    kept("no")
    gone = {"clientConfig": {"url": "https://127.0.0.1:1/"}}
    assert asked(ALLOWED, "gone", **gone).status == 500
    told = {"error_type": "calling_webhook_error", "rejection_code": "503"}
    assert list(metrics(hooks, f"{WEBHOOK}_rejection_count", **labels("gone"), **told).values()) == [1]
    kept("gone")
    assert asked(ALLOWED, "open", **gone, failurePolicy="Ignore").status == 201
    assert series("open", "fail_open_count") == [1]
    assert list(metrics(hooks, f"{WEBHOOK}_request_total", **labels("open"), code="503", rejected="false").values()) == [1]
    assert series("open", "rejection_count") == []
    kept("open")
    hooks.remote.answer = lambda handler, _review: send(handler, 429, b"busy")
    assert asked(ALLOWED, "busy").status == 500
    told = {"error_type": "calling_webhook_error", "rejection_code": "429"}
    assert list(metrics(hooks, f"{WEBHOOK}_rejection_count", **labels("busy"), **told).values()) == [1]


def test_validating_policies_are_counted(hooks: Hooks) -> None:
    wire, group = hooks.wire, hooks.wire.dialect.group("admissionregistration")
    root = f"/apis/{group}/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "object.metadata.name != 'bad'"}]}
    wire.create(f"{root}/validatingadmissionpolicies", {"metadata": {"name": "counted"}, "spec": spec})
    bound = {"policyName": "counted", "validationActions": ["Warn", "Audit"]}
    wire.create(f"{root}/validatingadmissionpolicybindings", {"metadata": {"name": "bound"}, "spec": bound})
    try:
        assert make(hooks).status == 201
        assert metrics(hooks, CHECKS, policy="counted") == {}
        assert make(hooks, name="bad").status == 201
        labels = {"policy": "counted", "policy_binding": "bound", "error_type": "no_error"}
        for action in ("warn", "audit"):
            assert list(metrics(hooks, f"{CHECKS}_total", **labels, enforcement_action=action).values()) == [1]
            assert list(metrics(hooks, f"{CHECKS}_duration_seconds_count", **labels, enforcement_action=action).values()) == [1]
    finally:
        wire.delete(f"{root}/validatingadmissionpolicybindings/bound")
        wire.delete(f"{root}/validatingadmissionpolicies/counted")
    assert metrics(hooks, CHECKS, policy="counted") == {}
