"""Mutating policies and their bindings in v1beta1: the same objects as in v1, under the version they had before."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.policies import ABOUT_MAPS, MAPS
from tests.wire.raw import APPLY, MERGE, Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl

KINDS = {"mutatingadmissionpolicies": "MutatingAdmissionPolicy", "mutatingadmissionpolicybindings": "MutatingAdmissionPolicyBinding"}
LABEL = 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}'
SPECS: dict[str, Object] = {
    "mutatingadmissionpolicies": {
        "matchConstraints": {"resourceRules": ABOUT_MAPS},
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": LABEL}}],
        "reinvocationPolicy": "Never",
    },
    "mutatingadmissionpolicybindings": {"policyName": "p"},
}


@pytest.fixture(scope="module", params=DIALECTS)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--nodes", "0", "--durability", "process") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


@pytest.fixture
def wire(cluster: Wire) -> Iterator[Wire]:
    yield cluster
    for plural in KINDS:
        assert cluster.ask("DELETE", path(cluster, plural)).status == 200


@pytest.fixture(params=KINDS)
def plural(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def path(wire: Wire, plural: str, version: str = "v1beta1", name: str = "") -> str:
    root = f"/apis/{wire.dialect.group('admissionregistration')}/{version}/{plural}"
    return f"{root}/{name}" if name else root


def test_both_versions_show_the_same_object(wire: Wire, plural: str) -> None:
    answer = wire.ask("POST", path(wire, plural), {"metadata": {"name": "p"}, "spec": SPECS[plural]})
    group = wire.dialect.group("admissionregistration")
    assert (answer.status, answer.json["apiVersion"], answer.json["kind"]) == (201, f"{group}/v1beta1", KINDS[plural])
    assert "warning" not in answer.headers
    in_v1 = wire.get(path(wire, plural, "v1", "p"))
    assert in_v1 == {**answer.json, "apiVersion": f"{group}/v1"}
    assert [one["metadata"]["uid"] for one in wire.get(path(wire, plural))["items"]] == [in_v1["metadata"]["uid"]]


def test_every_way_to_write_does(wire: Wire, plural: str) -> None:
    version = f"{wire.dialect.group('admissionregistration')}/v1beta1"
    body = {"apiVersion": version, "kind": KINDS[plural], "metadata": {"name": "p"}, "spec": SPECS[plural]}
    here = path(wire, plural, name="p")
    made = wire.ask("PATCH", here, body, content_type=APPLY, fieldManager="me")
    assert made.status == 201
    merged = wire.ask("PATCH", here, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    assert (merged.status, merged.json["metadata"]["labels"], merged.json["spec"]) == (200, {"a": "b"}, made.json["spec"])
    put = wire.ask("PUT", here, {**merged.json, "metadata": {**merged.json["metadata"], "labels": {"c": "d"}}})
    assert (put.status, put.json["metadata"]["labels"]) == (200, {"c": "d"})
    assert wire.ask("DELETE", here).status == 200


def test_a_watch_in_one_version_sees_what_is_written_in_the_other(wire: Wire, plural: str) -> None:
    with wire.watch(path(wire, plural)) as events:
        wire.create(path(wire, plural, "v1"), {"metadata": {"name": "p"}, "spec": SPECS[plural]})
        [event] = events.take(1)
    assert (event["type"], event["object"]["apiVersion"]) == ("ADDED", f"{wire.dialect.group('admissionregistration')}/v1beta1")


def test_what_is_wrong_is_wrong_here_too(wire: Wire) -> None:
    def refused(plural: str, spec: Object) -> list[str]:
        answer = wire.ask("POST", path(wire, plural), {"metadata": {"name": "p"}, "spec": spec})
        assert answer.status == 422
        return [cause["field"] for cause in answer.json["details"]["causes"]]

    policy = SPECS["mutatingadmissionpolicies"]
    assert refused("mutatingadmissionpolicies", {**policy, "failurePolicy": "Odd"}) == ["spec.failurePolicy"]
    assert refused("mutatingadmissionpolicies", {**policy, "mutations": []}) == ["spec.mutations"]
    assert refused("mutatingadmissionpolicybindings", {"policyName": ""}) == ["spec.policyName"]


def test_they_count(wire: Wire) -> None:
    for plural, spec in SPECS.items():
        wire.create(path(wire, plural), {"metadata": {"name": "p"}, "spec": spec})
    assert wire.create(MAPS, {"metadata": {"name": wire.fresh()}})["metadata"]["labels"] == {"by": "policy"}


def test_discovery_and_openapi_have_them(wire: Wire, plural: str) -> None:
    group = wire.dialect.group("admissionregistration")
    served = wire.get(f"/apis/{group}/v1beta1")["resources"]
    [found] = [one for one in served if one["name"] == plural]
    assert (found["kind"], found["namespaced"]) == (KINDS[plural], False)
    [newer] = [one for one in wire.get(f"/apis/{group}/v1")["resources"] if one["name"] == plural]
    assert found["storageVersionHash"] == newer["storageVersionHash"]
    for version in ("v1", "v1beta1"):
        schemas = wire.get(f"/openapi/v3/apis/{group}/{version}")["components"]["schemas"]
        [described] = [one for name, one in schemas.items() if name.endswith(f"admissionregistration.{version}.{KINDS[plural]}")]
        [said] = described[f"{wire.dialect.extension_prefix}group-version-kind"]
        assert said == {"group": group, "version": version, "kind": KINDS[plural]}


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
def test_kubectl_reads_both_versions(kubernetes_server: Wire, tmp_path: Path, plural: str) -> None:
    kubectl, group, name = Kubectl(kubernetes_server, tmp_path, "default"), "admissionregistration.k8s.io", kubernetes_server.fresh("p")
    body = {"apiVersion": f"{group}/v1beta1", "kind": KINDS[plural], "metadata": {"name": name}, "spec": SPECS[plural]}
    assert kubectl.run("create", "-f", "-", sent=body) == f"{KINDS[plural].lower()}.{group}/{name} created\n"
    for version in ("v1beta1", "v1"):
        told = json.loads(kubectl.run("get", f"{plural}.{version}.{group}", name, "-o", "json"))
        assert told["apiVersion"] == f"{group}/{version}"
    assert kubectl.run("get", f"{plural}.v1beta1.{group}").splitlines()[0] == kubectl.run("get", plural).splitlines()[0]
    kubectl.run("delete", f"{plural}.v1beta1.{group}", name)
