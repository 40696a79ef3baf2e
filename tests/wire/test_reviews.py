"""Reviews and requests for tokens over the wire: the answers of the cluster's own authenticators and authorizers."""

import subprocess
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.process import environment
from tests.wire.raw import Wire
from tests.wire.test_kubectl import KUBECTL


def ask(wire: Wire, group: str, plural: str, spec: Object | None = None, namespace: str = "") -> Object:
    path = f"/apis/{wire.dialect.group(group)}/v1/{f'namespaces/{namespace}/' if namespace else ''}{plural}"
    return wire.create(path, {} if spec is None else {"spec": spec, "status": {}})


def administrator(wire: Wire) -> Object:
    return {"username": wire.dialect.administrator, "groups": ["system:masters", "system:authenticated"]}


def api(wire: Wire) -> str:
    return f"https://{wire.dialect.default_service}.default.svc.cluster.local"


def test_whose_a_token_is(wire: Wire):
    known = ask(wire, "authentication", "tokenreviews", {"token": wire.token})
    assert known["status"] == {"authenticated": True, "user": administrator(wire), "audiences": [api(wire)]}
    assert known["spec"] == {"token": wire.token}
    unknown = ask(wire, "authentication", "tokenreviews", {"token": "what"})
    assert unknown["status"] == {"user": {}, "error": "invalid bearer token"}
    meant = ask(wire, "authentication", "tokenreviews", {"token": wire.token, "audiences": ["other", api(wire)]})
    assert meant["status"]["audiences"] == [api(wire)]
    elsewhere = ask(wire, "authentication", "tokenreviews", {"token": wire.token, "audiences": ["other"]})
    assert elsewhere["status"] == {"user": {}, "error": "invalid bearer token"}
    path = f"/apis/{wire.dialect.group('authentication')}/v1/tokenreviews"
    refused = wire.ask("POST", path, {"spec": {}})
    assert (refused.status, refused.message) == (400, "token is required for TokenReview in authentication")
    assert wire.ask("GET", path).status == 405


def test_who_asks(wire: Wire):
    answer = ask(wire, "authentication", "selfsubjectreviews")
    assert answer["status"]["userInfo"] == administrator(wire)
    assert answer["kind"] == "SelfSubjectReview"


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"user": "jane", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}, False),
        ({"user": "jane", "groups": ["system:masters"], "resourceAttributes": {"verb": "*", "resource": "*", "group": "*"}}, True),
        ({"groups": ["system:authenticated"], "nonResourceAttributes": {"path": "/apis/apps", "verb": "get"}}, True),
        ({"groups": ["system:authenticated"], "nonResourceAttributes": {"path": "/apis", "verb": "post"}}, False),
        ({"user": "jane", "nonResourceAttributes": {"path": "/healthz", "verb": "get"}}, True),
    ],
)
def test_whether_somebody_may(wire: Wire, spec: Object, allowed: bool):
    answer = ask(wire, "authorization", "subjectaccessreviews", spec)
    assert (answer["status"]["allowed"], answer["spec"]) == (allowed, spec)


def test_whether_somebody_may_here(wire: Wire, ns: str):
    resource = {"verb": "get", "resource": "pods", "namespace": ns}
    answer = ask(wire, "authorization", "localsubjectaccessreviews", {"user": "jane", "resourceAttributes": resource}, ns)
    assert answer["status"] == {"allowed": False}
    path = f"/apis/{wire.dialect.group('authorization')}/v1/namespaces/{ns}/localsubjectaccessreviews"
    refused = wire.ask("POST", path, {"spec": {"user": "jane", "resourceAttributes": {**resource, "namespace": "other"}}})
    assert [cause["field"] for cause in refused.json["details"]["causes"]] == ["spec.resourceAttributes.namespace"]
    assert (refused.status, refused.reason) == (422, "Invalid")


def test_whether_one_may_oneself(wire: Wire):
    selectors = {
        "fieldSelector": {"requirements": [{"key": "spec.nodeName", "operator": "In", "values": ["a"]}]},
        "labelSelector": {"rawSelector": "a=b"},
    }
    spec = {"resourceAttributes": {"verb": "list", "resource": "pods", **selectors}}
    assert ask(wire, "authorization", "selfsubjectaccessreviews", spec)["status"] == {"allowed": True}


def test_what_one_may(wire: Wire):
    status = ask(wire, "authorization", "selfsubjectrulesreviews", {"namespace": "default"})["status"]
    assert {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]} in status["resourceRules"]
    assert {"verbs": ["*"], "nonResourceURLs": ["*"]} in status["nonResourceRules"]
    assert status["incomplete"] is False
    path = f"/apis/{wire.dialect.group('authorization')}/v1/selfsubjectrulesreviews"
    refused = wire.ask("POST", path, {"spec": {}})
    assert (refused.status, refused.message) == (400, "no namespace on request")


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ({"expirationSeconds": 1}, 422, "spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes"),
        ({"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "gone"}}, 404, 'pods "gone" not found'),
        ({"boundObjectRef": {"kind": "Node", "apiVersion": "v1", "name": "gone"}}, 404, 'nodes "gone" not found'),
        (
            {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "a"}},
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
        (
            {"boundObjectRef": {"kind": "Deployment", "apiVersion": "apps/v1", "name": "a"}},
            400,
            "cannot bind token to object of type apps/v1, Kind=Deployment",
        ),
        ({"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "s", "uid": "other"}}, 409, "does not match the UID in record"),
        ({"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p"}}, 400, "to pod running with different serviceaccount name."),
    ],
)
def test_what_a_token_may_be_asked_for(wire: Wire, ns: str, spec: Object, code: int, said: str):
    wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})
    wire.create(f"/api/v1/namespaces/{ns}/secrets", {"metadata": {"name": "s"}})
    pod = {"containers": [{"name": "a", "image": "a"}], "schedulerName": "none"}
    wire.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": pod})
    refused = wire.ask("POST", f"/api/v1/namespaces/{ns}/serviceaccounts/robot/token", {"spec": spec, "status": {"token": ""}})
    assert refused.status == code
    assert said in refused.message


def test_an_account_that_is_not_there_has_no_token(wire: Wire, ns: str):
    refused = wire.ask("POST", f"/api/v1/namespaces/{ns}/serviceaccounts/gone/token", {"spec": {}})
    assert (refused.status, refused.message) == (404, 'serviceaccounts "gone" not found')


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("auth can-i get pods", "yes"),
        ("auth whoami", "kubernetes-admin"),
        ("auth can-i --list", "*.*"),
        ("explain tokenreviews.spec", "KIND:       TokenReview"),
        ("create role a --verb=get --resource=pods -o name", "role.rbac.authorization.k8s.io/a"),
    ],
)
def test_kubectl_asks(kubernetes_server: Wire, tmp_path: Path, command: str, said: str):
    line = ["kubectl", "--kubeconfig", str(kubernetes_server.server.kubeconfig), "-n", kubernetes_server.namespace(), *command.split()]
    told = subprocess.run(line, capture_output=True, text=True, env=environment(kubernetes_server.server.home), cwd=tmp_path, check=True)
    assert said in told.stdout
