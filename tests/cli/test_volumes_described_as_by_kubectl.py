"""Volumes of every sort, described by svcsim and by kubectl: what both say must be the same."""

import shutil
from collections.abc import Iterator

import pytest

from svcsim.meta.types import Object
from tests.cli.test_described_as_by_kubectl import without_ages
from tests.process import served
from tests.waiting import until
from tests.wire.raw import Wire
from tests.wire.test_kubectl import Kubectl

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")

_IQN = "iqn.2015-02.example.com:test"
_NAMED: Object = {"name": "keys"}
_FAR: Object = {"name": "keys", "namespace": "ns"}
_BLOB = "https://a.blob.core.windows.net/b/c.vhd"
_ISCSI: Object = {"targetPortal": "p", "iqn": _IQN, "lun": 3, "fsType": "ext4", "portals": ["a", "b"], "initiatorName": _IQN}

EITHER: dict[str, Object] = {
    "awsElasticBlockStore": {"volumeID": "v", "fsType": "ext4", "partition": 2, "readOnly": True},
    "azureDisk": {"diskName": "d", "diskURI": _BLOB, "readOnly": True},
    "fc": {"targetWWNs": ["a", "b"], "lun": 3, "fsType": "ext4", "readOnly": True},
    "flocker": {"datasetName": "d"},
    "gcePersistentDisk": {"pdName": "p", "fsType": "ext4", "partition": 2, "readOnly": True},
    "hostPath": {"path": "/p", "type": "Directory"},
    "nfs": {"server": "s", "path": "/p", "readOnly": True},
    "photonPersistentDisk": {"pdID": "p", "fsType": "ext4"},
    "portworxVolume": {"volumeID": "v", "fsType": "ext4", "readOnly": True},
    "quobyte": {"registry": "h:1", "volume": "v", "readOnly": True, "user": "u", "group": "g"},
    "vsphereVolume": {"volumePath": "p", "fsType": "ext4", "storagePolicyName": "s", "storagePolicyID": "i"},
}
"""Sources that are the same in a pod and in a persistent volume."""
PERSISTENT: dict[str, Object] = {
    **EITHER,
    "azureFile": {"secretName": "s", "shareName": "t", "secretNamespace": "ns", "readOnly": True},
    "cephfs": {"monitors": ["a", "b"], "path": "/p", "user": "u", "secretFile": "f", "secretRef": _FAR, "readOnly": True},
    "cinder": {"volumeID": "v", "fsType": "ext4", "secretRef": _FAR, "readOnly": True},
    "csi": {"driver": "d", "volumeHandle": "h"},
    "flexVolume": {"driver": "d", "fsType": "ext4", "secretRef": _FAR, "readOnly": True, "options": {"b": "2", "a": "1"}},
    "glusterfs": {"endpoints": "e", "path": "p", "endpointsNamespace": "ns", "readOnly": True},
    "iscsi": {**_ISCSI, "chapAuthDiscovery": True, "chapAuthSession": True, "secretRef": _FAR},
    "local": {"path": "/p", "fsType": "ext4"},
    "rbd": {"monitors": ["a", "b"], "image": "i", "fsType": "ext4", "secretRef": _FAR, "readOnly": True},
    "scaleIO": {"gateway": "g", "system": "s", "secretRef": _FAR, "volumeName": "v", "storagePool": "p", "protectionDomain": "d"},
    "storageos": {"volumeName": "v", "volumeNamespace": "n", "fsType": "ext4", "readOnly": True},
}
IN_PODS: dict[str, Object] = {
    **EITHER,
    "azureFile": {"secretName": "s", "shareName": "t", "readOnly": True},
    "cephfs": {"monitors": ["a", "b"], "secretRef": _NAMED},
    "cinder": {"volumeID": "v", "fsType": "ext4", "secretRef": _NAMED},
    "configMap": {"name": "c", "optional": True},
    "csi": {"driver": "d", "fsType": "ext4", "readOnly": True, "volumeAttributes": {"b": "2", "a": "1"}},
    "downwardAPI": {
        "items": [
            {"path": "f", "fieldRef": {"fieldPath": "metadata.name"}},
            {"path": "g", "resourceFieldRef": {"containerName": "a", "resource": "limits.cpu"}},
        ]
    },
    "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"},
    "ephemeral": {
        "volumeClaimTemplate": {
            "metadata": {"labels": {"b": "2", "a": "1"}, "annotations": {"note": "short"}},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": "fast",
                "dataSource": {"kind": "PersistentVolumeClaim", "name": "c"},
            },
        }
    },
    "flexVolume": {"driver": "d"},
    "gitRepo": {"repository": "r", "revision": "v"},
    "glusterfs": {"endpoints": "e", "path": "p", "readOnly": True},
    "image": {"reference": "nginx:1", "pullPolicy": "Always"},
    "iscsi": {**_ISCSI, "initiatorName": None},
    "persistentVolumeClaim": {"claimName": "c", "readOnly": True},
    "projected": {
        "sources": [
            {"secret": {"name": "s"}},
            {"configMap": {"name": "c"}},
            {"downwardAPI": {"items": [{"path": "f", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {"serviceAccountToken": {"path": "t", "expirationSeconds": 600}},
        ]
    },
    "rbd": {"monitors": ["a", "b"], "image": "i", "fsType": "ext4"},
    "scaleIO": {"gateway": "g", "system": "s", "secretRef": _NAMED, "volumeName": "v"},
    "secret": {"secretName": "s"},
    "storageos": {"volumeName": "v", "fsType": "ext4"},
}
_TERM: Object = {"matchExpressions": [{"key": "host", "operator": "In", "values": ["n1"]}]}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """A cluster without nodes, in which nothing moves."""
    with served(tmp_path_factory.mktemp("volumes"), "kubernetes", "--durability", "process", "--nodes", "0", "--seed", "1") as server:
        wire = Wire(server)
        yield Kubectl(wire, tmp_path_factory.mktemp("kubectl"), "default")
        wire.close()


def both_say_the_same(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch, path: str, obj: Object) -> None:
    name = obj["metadata"]["name"]
    answer = cluster.wire.ask("POST", path, obj)
    assert answer.status == 201, answer.body.decode()
    if obj["kind"] == "PersistentVolume":
        until(lambda: cluster.wire.ask("GET", f"{path}/{name}").json["status"]["phase"] == "Available")
    monkeypatch.setenv("KUBECONFIG", str(cluster.wire.server.kubeconfig))
    theirs, ours = cluster.run("describe", obj["kind"], name), run(["describe", obj["kind"], name])
    assert ours.status == 0, ours.err
    assert without_ages(ours.out) == without_ages(theirs)


@pytest.mark.parametrize("source", PERSISTENT)
def test_what_is_behind_a_persistent_volume(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch, source: str):
    spec: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], source: PERSISTENT[source]}
    if source == "local":
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [_TERM, {}]}}
    obj = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": source.lower()}, "spec": spec}
    both_say_the_same(cluster, run, monkeypatch, "/api/v1/persistentvolumes", obj)


@pytest.mark.parametrize("source", IN_PODS)
def test_what_is_behind_a_volume_of_a_pod(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch, source: str):
    spec: Object = {
        "schedulerName": "nobody",
        "containers": [{"name": "a", "image": "a"}],
        "volumes": [{"name": "v", source: IN_PODS[source]}],
    }
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": source.lower()}, "spec": spec}
    both_say_the_same(cluster, run, monkeypatch, "/api/v1/namespaces/default/pods", obj)


def test_what_is_behind_a_volume_of_a_template(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch):
    volumes = [{"name": name.lower(), name: source} for name, source in IN_PODS.items()]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "a"}], "volumes": volumes}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    obj = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "all"}, "spec": spec}
    both_say_the_same(cluster, run, monkeypatch, "/apis/apps/v1/namespaces/default/replicasets", obj)


def test_a_claim_and_a_volume_that_are_going(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch):
    metadata: Object = {
        "name": "going",
        "finalizers": ["example.com/hold"],
        "annotations": {"volume.beta.kubernetes.io/storage-class": "old"},
    }
    modes: Object = {"accessModes": ["ReadWriteOncePod"]}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {**modes, "resources": {"requests": {"storage": "1Gi"}}},
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": metadata,
        "spec": {**modes, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/p"}},
    }
    for path, obj in (("/api/v1/namespaces/default/persistentvolumeclaims", claim), ("/api/v1/persistentvolumes", volume)):
        both_say_the_same(cluster, run, monkeypatch, path, obj)
        assert cluster.wire.ask("DELETE", f"{path}/going").status == 200
        theirs, ours = cluster.run("describe", obj["kind"], "going"), run(["describe", obj["kind"], "going"])
        assert "Terminating (lasts" in theirs
        assert without_ages(ours.out) == without_ages(theirs)


def test_a_volume_attributes_class(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch):
    """Asked for by kubectl in a version that no server has by now: this is what it says of one from a server that does."""
    monkeypatch.setenv("KUBECONFIG", str(cluster.wire.server.kubeconfig))
    obj: Object = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttributesClass",
        "metadata": {"name": "gold", "annotations": {"a": "b"}},
    }
    cluster.wire.create(
        "/apis/storage.k8s.io/v1/volumeattributesclasses", {**obj, "driverName": "d", "parameters": {"iops": "5", "b": "c"}}
    )
    assert [line.split() for line in run("describe vac gold").out.splitlines()] == [
        ["Name:", "gold"],
        ["Annotations:", "a=b"],
        ["DriverName:", "d"],
        ["Parameters:", "b=c,iops=5"],
        ["Events:", "<none>"],
    ]


@pytest.mark.parametrize(("annotations", "shown"), [({}, "No"), ({"storageclass.kubernetes.io/is-default-class": "true"}, "Yes")])
def test_a_storage_class_that_may_be_the_default(cluster: Kubectl, run, monkeypatch: pytest.MonkeyPatch, annotations: Object, shown: str):
    metadata: Object = {"name": f"default-{shown.lower()}", "annotations": annotations}
    obj: Object = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata, "provisioner": "a.b"}
    both_say_the_same(cluster, run, monkeypatch, "/apis/storage.k8s.io/v1/storageclasses", {**obj, "allowedTopologies": [{}]})
    assert ["IsDefaultClass:", shown] in [line.split() for line in run(["describe", "sc", metadata["name"]]).out.splitlines()]
