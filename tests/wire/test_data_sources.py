"""What claims are to be filled from, as clients say it and see it; and a clone as somebody with kubectl makes one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl, of_its_own

OF_DATA: Object = {"kind": "PersistentVolumeClaim", "name": "data"}
FOO: Object = {"apiGroup": "example.com", "kind": "Foo", "name": "f"}


def claim(name: str, **spec: Json) -> Object:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "now", **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}


def sources(obj: Object) -> tuple[Json, Json]:
    return obj["spec"].get("dataSource"), obj["spec"].get("dataSourceRef")


def test_each_of_the_two_fields_is_filled_in_from_the_other_and_stays_as_it_is(wire: Wire, ns: str) -> None:
    claims = f"/api/v1/namespaces/{ns}/persistentvolumeclaims"
    snapshot = {"apiGroup": wire.dialect.group("snapshot.storage"), "kind": "VolumeSnapshot", "name": "s"}
    for name, source in (("clone", OF_DATA), ("restored", snapshot)):
        assert sources(wire.create(claims, claim(name, dataSource=source))) == (source, source)
    assert sources(wire.create(claims, claim("populated", dataSourceRef=FOO))) == (FOO, FOO)
    assert sources(wire.create(claims, claim("dropped", dataSource=FOO))) == (None, None)
    elsewhere = {**OF_DATA, "namespace": "kube-public"}
    assert sources(wire.create(claims, claim("elsewhere", dataSourceRef=elsewhere))) == (None, elsewhere)
    refused = wire.ask("POST", claims, claim("both", dataSource=OF_DATA, dataSourceRef=elsewhere))
    assert (refused.status, "may not be specified when dataSourceRef.namespace is specified" in refused.message) == (422, True)
    refused = wire.ask("POST", claims, claim("of-the-core", dataSourceRef={"kind": "ConfigMap", "name": "c"}))
    assert (refused.status, "must be 'PersistentVolumeClaim' when referencing the default apiGroup" in refused.message) == (422, True)
    for changed in ({"dataSource": None, "dataSourceRef": None}, {"dataSource": {"name": "x"}, "dataSourceRef": {"name": "x"}}):
        refused = wire.ask("PATCH", f"{claims}/clone", {"spec": changed}, content_type="application/merge-patch+json")
        assert (refused.status, "spec is immutable after creation" in refused.message) == (422, True)


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Kubectl]:
    with of_its_own(tmp_path, "--seed", "1", "--clock", "x20") as found:
        yield found


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
def test_a_clone_has_the_files_of_its_source(kubectl: Kubectl) -> None:
    def run(name: str, of_claim: str) -> None:
        container = {"name": "c", "image": "busybox", "command": ["sleep", "1000"], "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": of_claim}}]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container], "volumes": volumes}}
        kubectl.run("apply", "-f", "-", sent=pod)
        kubectl.run("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")

    bound = ("--for=jsonpath={.status.phase}=Bound", "--timeout=60s")
    made = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "now"}, "provisioner": "disk.csi.svcsim.dev"}
    kubectl.run("apply", "-f", "-", sent=made)
    kubectl.run("apply", "-f", "-", sent=claim("clone", dataSource=OF_DATA))
    failed = ("--field-selector=involvedObject.name=clone,reason=ProvisioningFailed", "-o", "jsonpath={.items[0].message}")
    kubectl.wire.until(
        "/api/v1/namespaces/default/events", lambda found: any(one["reason"] == "ProvisioningFailed" for one in found["items"])
    )
    assert kubectl.run("get", "events", *failed).endswith('from api server: persistentvolumeclaim "data" not found')
    kubectl.run("delete", "pvc", "clone")
    kubectl.run("apply", "-f", "-", sent=claim("data"))
    run("first", "data")
    kubectl.run("exec", "first", "--", "sh", "-c", "mkdir /v/d; echo old > /v/d/f")
    kubectl.run("apply", "-f", "-", sent=claim("clone", dataSource=OF_DATA))
    kubectl.run("wait", "pvc/clone", *bound)
    kubectl.run("exec", "first", "--", "sh", "-c", "echo new > /v/d/f; echo new > /v/g")
    run("second", "clone")
    assert kubectl.run("exec", "second", "--", "sh", "-c", "cat /v/d/f; ls /v") == "old\nd\n"
    assert kubectl.run("apply", "-f", "-", sent=claim("clone", dataSource=OF_DATA)) == "persistentvolumeclaim/clone unchanged\n"
