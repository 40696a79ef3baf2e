"""Policies for pods beside webhooks, which come after them, and in the audit log."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from tests.audit_log import logged
from tests.wire.admitting import Hooks, admitting, patched
from tests.wire.test_pod_security_policy import MUST, User, let_in_by, made, policy, refused


@pytest.fixture(params=list(DIALECTS))
def hooks(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hooks]:
    (tmp_path / "policy.yaml").write_text(
        json.dumps({"apiVersion": f"audit.{DIALECTS[request.param].group_suffix}/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]})
    )
    audit = ("--audit-policy-file", str(tmp_path / "policy.yaml"), "--audit-log-path", str(tmp_path / "audit.log"))
    with admitting(tmp_path, request.param, "--enable-admission-plugins", "PodSecurityPolicy", *audit) as hooks:
        yield hooks


def test_what_webhooks_make_of_a_pod_is_held_to_the_policy(hooks: Hooks) -> None:
    user = User(hooks.wire, policy(hooks.wire, runAsUser=MUST))
    privileged = patched({"op": "add", "path": "/spec/containers/0/securityContext/privileged", "value": True})
    hooks.configure("mutating", "m", hooks.webhook(privileged, resources=("pods",), namespaceSelector={}))
    told = "spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed"
    refused(user.create(), told)  # policies are asked once more after webhooks that change something
    (asked,) = hooks.asked["/hook"]
    assert asked["object"]["spec"]["containers"][0]["securityContext"] == {"runAsUser": 5}, "they see what was filled in"


def test_another_policy_may_let_in_what_a_webhook_made(hooks: Hooks) -> None:
    policy(hooks.wire, "a", runAsUser=MUST)
    policy(hooks.wire, "b", privileged=True, readOnlyRootFilesystem=True)
    policy(hooks.wire, "c", privileged=True)
    user = User(hooks.wire, "a", "c")
    privileged = patched({"op": "add", "path": "/spec/containers/0/securityContext", "value": {"privileged": True}})
    hooks.configure("mutating", "m", hooks.webhook(privileged, resources=("pods",), namespaceSelector={}, reinvocationPolicy="IfNeeded"))
    assert made(user.create())["spec"]["containers"][0]["securityContext"] == {"privileged": True}


def test_the_audit_log_says_which_policy_let_a_pod_in(hooks: Hooks, tmp_path: Path) -> None:
    wire = hooks.wire
    user = User(wire, policy(wire))
    assert let_in_by(wire, user.create("told")) == "policy"
    assert user.change({"metadata": {"labels": {"a": "b"}}}, "told").status == 200
    note = f"podsecuritypolicy.policy.{wire.dialect.group_suffix}"
    events = logged(tmp_path / "audit.log")
    notes = [event.get("annotations") or {} for event in events if event["requestURI"].startswith(user.pods)]
    found = [own for one in notes if (own := {key: value for key, value in one.items() if key.startswith(note)})]
    assert found == [{f"{note}/admit-policy": "policy", f"{note}/validate-policy": "policy"}, {f"{note}/validate-policy": "policy"}]
