"""The kinds of identity and access over the wire: whole objects in both dialects, what may not change, and kubectl beside svcsim."""

import base64
import json
import subprocess
from pathlib import Path

import pytest

from svcsim.dialect import Dialect
from svcsim.meta.names import label_value
from svcsim.meta.types import Object
from tests.admission.writes import known_as
from tests.kinds.helpers import KINDS
from tests.kinds.samples import access, admission
from tests.kinds.samples.access import CERTIFICATE
from tests.process import SVCSIM, answered, environment
from tests.wire.raw import Wire
from tests.wire.test_kubectl import KUBECTL

BY_KEY = {known_as(kind): kind for kind in KINDS}
FULL = {key: full for key, full in {**access.FULL, **admission.FULL}.items() if key in BY_KEY}
"""Of the kinds that are served without being switched on."""
NO_POLICY = ({"spec": {"policyName": ""}}, "spec.policyName", "Required value")
NO_CALL = ({"webhooks": [{"name": "a.b.c"}]}, "webhooks[0].sideEffects", "Required value: must specify one of None, NoneOnDryRun")
NO_ADDRESS = ({"webhooks": [{"name": "a.b.c"}]}, "webhooks[0].clientConfig", "Required value: exactly one of url or service is required")
NO_FAILURE = (
    {"spec": {"failurePolicy": "Odd"}},
    "spec.failurePolicy",
    'Unsupported value: "Odd": supported values: "Fail", "Ignore"',
)
CHANGES: dict[str, tuple[Object, str, str]] = {
    "admissionregistration/v1 MutatingAdmissionPolicy": NO_FAILURE,
    "admissionregistration/v1 MutatingAdmissionPolicyBinding": NO_POLICY,
    "admissionregistration/v1 MutatingWebhookConfiguration": NO_CALL,
    "admissionregistration/v1 ValidatingAdmissionPolicy": NO_FAILURE,
    "admissionregistration/v1 ValidatingAdmissionPolicyBinding": NO_POLICY,
    "admissionregistration/v1 ValidatingWebhookConfiguration": NO_CALL,
    "admissionregistration/v1beta1 MutatingAdmissionPolicy": NO_FAILURE,
    "admissionregistration/v1beta1 MutatingAdmissionPolicyBinding": NO_POLICY,
    "admissionregistration/v1beta1 MutatingWebhookConfiguration": NO_ADDRESS,
    "admissionregistration/v1beta1 ValidatingWebhookConfiguration": NO_ADDRESS,
    "certificates/v1 CertificateSigningRequest": (
        {"metadata": {"labels": {"a": "b c"}}},
        "metadata.labels",
        f'Invalid value: "b c": {label_value("b c")[0]}',
    ),
    "rbac.authorization/v1 ClusterRoleBinding": (
        {"roleRef": {"name": "other"}},
        "roleRef",
        'Invalid value: {"apiGroup":"GROUP","kind":"ClusterRole","name":"other"}: cannot change roleRef',
    ),
    "rbac.authorization/v1 ClusterRole": ({"rules": [{}]}, "rules[0].verbs", "Required value: verbs must contain at least one value"),
    "rbac.authorization/v1 RoleBinding": (
        {"roleRef": {"name": "other"}},
        "roleRef",
        'Invalid value: {"apiGroup":"GROUP","kind":"Role","name":"other"}: cannot change roleRef',
    ),
    "rbac.authorization/v1 Role": ({"rules": [{}]}, "rules[0].verbs", "Required value: verbs must contain at least one value"),
}
"""Of each kind a merge patch that is refused, and its first cause."""


def collection(key: str, dialect: Dialect, namespace: str) -> str:
    kind = BY_KEY[key]
    scope = f"namespaces/{namespace}/" if kind.namespaced else ""
    return f"/apis/{kind.group.name(dialect)}/{kind.group.version}/{scope}{kind.plural}"


def whole(key: str, dialect: Dialect, name: str) -> Object:
    kind = BY_KEY[key]
    return {"apiVersion": f"{kind.group.name(dialect)}/{kind.group.version}", "kind": kind.name, "metadata": {"name": name}, **FULL[key]}


def holds(sent: object, got: object) -> bool:
    """Whether what was sent is in what came back, which may have more fields."""
    if isinstance(sent, dict) and isinstance(got, dict):
        return all(name in got and holds(value, got[name]) for name, value in sent.items())
    if isinstance(sent, list) and isinstance(got, list):
        return len(sent) == len(got) and all(holds(*pair) for pair in zip(sent, got, strict=True))
    return sent == got


@pytest.mark.parametrize("key", FULL)
def test_a_whole_object_lives(wire: Wire, ns: str, key: str):
    where, name = collection(key, wire.dialect, ns), wire.fresh()
    sent = whole(key, wire.dialect, name)
    created = wire.create(where, sent, fieldValidation="Strict")
    if created["kind"] == "ValidatingAdmissionPolicy":  # its expressions are looked at
        created = wire.settled(f"{where}/{name}")
    assert holds({name: value for name, value in FULL[key].items() if name != "status"}, created)
    if "aggregationRule" not in created:  # its controller takes the rules away that no other role has
        assert wire.get(f"{where}/{name}") == created
    assert wire.patch(f"{where}/{name}", {"metadata": {"labels": {"a": "b"}}})["metadata"]["labels"] == {"a": "b"}
    table = wire.ask("GET", where, headers={"Accept": "application/json;as=Table;v=v1;g=" + wire.dialect.group("meta")}).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", *(column.name for column in BY_KEY[key].columns)]
    assert name in [row["cells"][0] for row in table["rows"]]
    change, field, message = CHANGES[key]
    refused = wire.ask("PATCH", f"{where}/{name}", change, content_type="application/merge-patch+json")
    assert (refused.status, refused.reason) == (422, "Invalid")
    cause = refused.json["details"]["causes"][0]
    assert (cause["field"], cause["message"]) == (field, message.replace("GROUP", wire.dialect.group("rbac.authorization")))
    wire.delete(f"{where}/{name}")
    assert wire.ask("GET", f"{where}/{name}").status == 404


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
@pytest.mark.parametrize("key", FULL)
def test_kubectl_and_svcsim_show_the_same(kubernetes_server: Wire, tmp_path: Path, key: str):
    wire, kind = kubernetes_server, BY_KEY[key]
    resource, name, namespace = f"{kind.plural}.{kind.group.name(wire.dialect)}", wire.fresh(), wire.namespace()
    (tmp_path / "whole.json").write_text(json.dumps(whole(key, wire.dialect, name)))

    def told(program: str, command: str) -> str:
        line = [program, "--kubeconfig", str(wire.server.kubeconfig), "-n", namespace, *command.split()]
        done = answered(line, environment(wire.server.home), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    theirs, ours = "kubectl", SVCSIM
    assert told(theirs, "create -f whole.json") == f"{kind.name.lower()}.{kind.group.name(wire.dialect)}/{name} created\n"
    if kind.name == "ValidatingAdmissionPolicy":
        wire.settled(f"{collection(key, wire.dialect, namespace)}/{name}")
    for command in (f"describe {resource} {name}", f"explain {resource} --recursive"):
        assert told(ours, command) == told(theirs, command)
    for line in told(theirs, f"get {resource} {name} -o wide --no-headers").splitlines():
        assert line.startswith(name)
    told(theirs, f"delete {resource} {name}")


def test_a_request_is_approved_and_issued_by_two_rights(wire: Wire):
    key, name = "certificates/v1 CertificateSigningRequest", wire.fresh()
    where = f"{collection(key, wire.dialect, '')}/{name}"
    made = wire.create(
        collection(key, wire.dialect, ""), {**whole(key, wire.dialect, name), "status": {"conditions": [{"type": "Approved"}]}}
    )
    assert (made["status"], made["spec"]["username"]) == ({}, wire.dialect.administrator)
    assert wire.patch(where, {"spec": {"signerName": "example.com/other"}})["spec"] == made["spec"]
    approved = {"type": "Approved", "status": "True", "reason": "Looked"}
    refused = wire.ask("PATCH", f"{where}/status", {"status": {"conditions": [approved]}}, content_type="application/merge-patch+json")
    assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (422, "status.conditions")
    certificate = base64.b64encode(CERTIFICATE).decode()
    got = wire.patch(f"{where}/approval", {"status": {"conditions": [approved], "certificate": certificate}})["status"]
    assert "certificate" not in got
    assert {**got["conditions"][0], **approved} == got["conditions"][0]
    assert got["conditions"][0]["lastUpdateTime"] == got["conditions"][0]["lastTransitionTime"]
    assert wire.patch(f"{where}/status", {"status": {"certificate": certificate}})["status"] == {**got, "certificate": certificate}
    assert wire.get(where)["metadata"].get("generation") is None
    wire.delete(where)


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
@pytest.mark.parametrize(("word", "condition"), [("approve", "Approved"), ("deny", "Denied")])
def test_kubectl_decides_about_a_request(kubernetes_server: Wire, tmp_path: Path, word: str, condition: str):
    wire, key = kubernetes_server, "certificates/v1 CertificateSigningRequest"
    name = wire.fresh()
    wire.create(collection(key, wire.dialect, ""), whole(key, wire.dialect, name))
    line = ["kubectl", "--kubeconfig", str(wire.server.kubeconfig)]
    for command in (f"certificate {word} {name}", f"get csr {name} --no-headers"):
        done = subprocess.run(
            [*line, *command.split()], capture_output=True, text=True, env=environment(wire.server.home), cwd=tmp_path, check=True
        )
    assert done.stdout.split()[-1] == condition
    wire.delete(f"{collection(key, wire.dialect, '')}/{name}")
