"""PersistentVolume: what is filled in, what is wrong with one, what may change of it, what it warns of, and its line in a table."""

import pytest

from svcsim.kinds.core.persistent_volume import PERSISTENT_VOLUME
from tests.kinds.helpers import change_findings, context, created, findings, row
from tests.kinds.storage_cases import ALONE, BETA_CLASS, IMMUTABLE, IQN, MODES, NFS, ONE_TYPE, SUBDOMAIN, volume

CSI = {"driver": "d.example.com", "volumeHandle": "h"}
LOCAL = {"local": {"path": "/disk"}, "nfs": None}
TERM = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}
TERM_JSON = '{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["n1"]}]}'
SAME_SOURCE = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"


def near(*terms):
    return {"required": {"nodeSelectorTerms": list(terms)}}


def test_a_volume_is_completed():
    done = created(PERSISTENT_VOLUME, volume())
    assert (done["spec"]["persistentVolumeReclaimPolicy"], done["spec"]["volumeMode"]) == ("Retain", "Filesystem")
    assert done["status"] == {"phase": "Pending", "lastPhaseTransitionTime": context().timestamp}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"nfs": None, "hostPath": {"path": "/tmp"}}, []),
        ({"capacity": None}, ["spec.capacity: Required value", 'spec.capacity: Unsupported value: {}: supported values: "storage"']),
        (
            {"capacity": {"cpu": "1"}},
            ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
        ),
        (
            {"capacity": {"storage": "1Gi", "cpu": "1"}},
            ['spec.capacity: Unsupported value: {"storage":"1Gi","cpu":"1"}: supported values: "storage"'],
        ),
        ({"capacity": {"storage": "0"}}, ['spec.capacity[storage]: Invalid value: "0": must be greater than zero']),
        (
            {"capacity": {"storage": "-1"}},
            [
                'spec.capacity[storage]: Invalid value: "-1": must be greater than or equal to 0',
                'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
            ],
        ),
        ({"accessModes": None}, ["spec.accessModes: Required value"]),
        ({"accessModes": ["Odd"]}, [f'spec.accessModes[0]: Unsupported value: "Odd": {MODES}']),
        ({"accessModes": ["ReadWriteOncePod"]}, []),
        ({"accessModes": ["ReadWriteOncePod", "ReadWriteMany"]}, [f"spec.accessModes: Forbidden: {ALONE}"]),
        (
            {"persistentVolumeReclaimPolicy": "Odd"},
            ['spec.persistentVolumeReclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Recycle", "Retain"'],
        ),
        (
            {"nfs": None, "hostPath": {"path": "/"}, "persistentVolumeReclaimPolicy": "Recycle"},
            ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
        ),
        (
            {"nfs": None, "hostPath": {"path": "/a/.."}, "persistentVolumeReclaimPolicy": "Recycle"},
            [
                "spec.hostPath.path: Invalid value: \"/a/..\": must not contain '..'",
                "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
            ],
        ),
        ({"nfs": None, "hostPath": {"path": "/a"}, "persistentVolumeReclaimPolicy": "Recycle"}, []),
        ({"nfs": None}, ["spec: Required value: must specify a volume type"]),
        ({"hostPath": {"path": "/a"}}, [f"spec.nfs: {ONE_TYPE}"]),
        ({"csi": CSI}, [f"spec.csi: {ONE_TYPE}"]),
        ({"storageClassName": "Fast_"}, [f'spec.storageClassName: Invalid value: "Fast_": {SUBDOMAIN}']),
        ({"storageClassName": ""}, []),
        ({"volumeMode": "Block"}, []),
        ({"volumeMode": "Odd"}, ['spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"']),
        ({"volumeMode": ""}, ['spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"']),
        (
            {"volumeAttributesClassName": ""},
            [
                "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
                "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
            ],
        ),
        (
            {"volumeAttributesClassName": "gold"},
            ["spec.csi: Required value: has to be specified when using volumeAttributesClassName"],
        ),
        (
            {"volumeAttributesClassName": "G!", "nfs": None, "csi": CSI},
            [f'spec.volumeAttributesClassName: Invalid value: "G!": {SUBDOMAIN}'],
        ),
        ({"volumeAttributesClassName": "gold", "nfs": None, "csi": CSI}, []),
        (LOCAL, ["spec.nodeAffinity: Required value: Local volume requires node affinity"]),
        (
            {**LOCAL, "nodeAffinity": {}},
            [
                "spec.nodeAffinity.required: Required value: must specify required node constraints",
                "spec.nodeAffinity: Required value: Local volume requires node affinity",
            ],
        ),
        ({**LOCAL, "nodeAffinity": near(TERM)}, []),
        (
            {"nfs": None, "local": {}, "nodeAffinity": near(TERM)},
            ["spec.local.path: Required value"],
        ),
        (
            {"nfs": None, "local": {"path": "/a/../b"}, "nodeAffinity": near(TERM)},
            ["spec.local.path: Invalid value: \"/a/../b\": must not contain '..'"],
        ),
        (
            {"nodeAffinity": near()},
            ["spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term"],
        ),
        (
            {"nodeAffinity": near({"matchExpressions": [{"key": "a", "operator": "Near"}]})},
            [
                (
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: "
                    'Invalid value: "Near": not a valid selector operator'
                )
            ],
        ),
        (
            {"nodeAffinity": {}},
            ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
        ),
    ],
)
def test_what_is_wrong_with_a_volume(spec, expected):
    assert findings(PERSISTENT_VOLUME, volume(**spec)) == expected


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("gcePersistentDisk", {"pdName": "a", "partition": 1}, []),
        ("gcePersistentDisk", {}, ["gcePersistentDisk.pdName: Required value"]),
        (
            "gcePersistentDisk",
            {"pdName": "a", "partition": 256},
            ["gcePersistentDisk.partition: Invalid value: 256: must be between 0 and 255, inclusive"],
        ),
        ("awsElasticBlockStore", {"volumeID": "a"}, []),
        (
            "awsElasticBlockStore",
            {"partition": -1},
            [
                "awsElasticBlockStore.volumeID: Required value",
                "awsElasticBlockStore.partition: Invalid value: -1: must be between 0 and 255, inclusive",
            ],
        ),
        ("hostPath", {}, ["hostPath.path: Required value"]),
        (
            "hostPath",
            {"path": "/a", "type": "Odd"},
            [
                (
                    'hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", '
                    '"DirectoryOrCreate", "File", "FileOrCreate", "Socket"'
                )
            ],
        ),
        ("glusterfs", {"endpoints": "e", "path": "p", "endpointsNamespace": "ns"}, []),
        ("glusterfs", {}, ["glusterfs.endpoints: Required value", "glusterfs.path: Required value"]),
        (
            "glusterfs",
            {"endpoints": "e", "path": "p", "endpointsNamespace": ""},
            [('glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name')],
        ),
        ("nfs", {"server": "s", "path": "x"}, ['nfs.path: Invalid value: "x": must be an absolute path']),
        ("nfs", {}, ["nfs.server: Required value", "nfs.path: Required value"]),
        ("rbd", {"monitors": ["m"], "image": "i"}, []),
        ("rbd", {"monitors": []}, ["rbd.monitors: Required value", "rbd.image: Required value"]),
        ("iscsi", {"targetPortal": "p", "iqn": IQN, "lun": 255}, []),
        ("iscsi", {"targetPortal": "p", "iqn": "eui.0123456789ABCDEF", "lun": 0}, []),
        ("iscsi", {"lun": 0}, ["iscsi.targetPortal: Required value", "iscsi.iqn: Required value"]),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": IQN, "lun": 256},
            ["iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive"],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": "odd", "lun": 0},
            ['iscsi.iqn: Invalid value: "odd": must be valid format starting with iqn, eui, or naa'],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": "naa.1", "lun": 0},
            ['iscsi.iqn: Invalid value: "naa.1": must be valid format'],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": IQN, "lun": 0, "chapAuthDiscovery": True},
            ["iscsi.secretRef: Required value"],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": IQN, "lun": 0, "chapAuthSession": True, "secretRef": {"namespace": "n"}},
            ["iscsi.secretRef.name: Required value"],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": IQN, "lun": 0, "initiatorName": "iqn.x"},
            ['iscsi.initiatorName: Invalid value: "iqn.x": must be valid format'],
        ),
        (
            "iscsi",
            {"targetPortal": "p" * 63, "iqn": IQN, "lun": 0, "initiatorName": IQN},
            [
                (
                    f'iscsi.targetPortal: Invalid value: "{"p" * 63}": Total length of <volume name>:<iscsi.targetPortal> must be under '
                    "64 characters if iscsi.initiatorName is specified."
                )
            ],
        ),
        ("cinder", {"volumeID": "v", "secretRef": {"name": "a", "namespace": "b"}}, []),
        ("cinder", {}, ["cinder.volumeID: Required value"]),
        (
            "cinder",
            {"volumeID": "v", "secretRef": {}},
            ["cinder.secretRef.name: Required value", "cinder.secretRef.namespace: Required value"],
        ),
        ("cephfs", {}, ["cephfs.monitors: Required value"]),
        ("fc", {"targetWWNs": ["w"], "lun": 1}, []),
        ("fc", {}, ["fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"]),
        ("flocker", {}, ["flocker: Required value: one of datasetName and datasetUUID is required"]),
        ("flexVolume", {}, ["flexVolume.driver: Required value"]),
        ("azureFile", {"secretName": "s", "shareName": "s", "secretNamespace": "n"}, []),
        ("azureFile", {}, ["azureFile.secretName: Required value", "azureFile.shareName: Required value"]),
        ("azureFile", {"secretName": "s", "shareName": "s", "secretNamespace": ""}, ["azureFile.secretNamespace: Required value"]),
        ("vsphereVolume", {}, ["vsphereVolume.volumePath: Required value"]),
        ("quobyte", {"volume": "v"}, ["quobyte.registry: Required value"]),
        ("photonPersistentDisk", {}, ["photonPersistentDisk.pdID: Required value"]),
        ("portworxVolume", {}, ["portworxVolume.volumeID: Required value"]),
        (
            "scaleIO",
            {},
            [
                "scaleIO.gateway: Required value",
                "scaleIO.system: Required value",
                "scaleIO.secretRef: Required value",
                "scaleIO.volumeName: Required value",
            ],
        ),
        ("storageos", {"volumeName": "v", "secretRef": {"name": "s", "namespace": "n"}}, []),
        ("storageos", {}, ["storageos.volumeName: Required value"]),
        ("storageos", {"volumeName": "v", "secretRef": {"name": "s"}}, ["storageos.secretRef.namespace: Required value"]),
        ("csi", {}, ["csi.driver: Required value", "csi.volumeHandle: Required value"]),
        ("csi", {**CSI, "driver": "D-1.example.com"}, []),
        ("csi", {**CSI, "driver": "d" * 64}, ["csi.driver: Too long: may not be more than 63 bytes"]),
        ("csi", {**CSI, "driver": "a_b"}, [f'csi.driver: Invalid value: "a_b": {SUBDOMAIN}']),
        *[
            (
                "csi",
                {**CSI, secret: {}},
                [f"csi.{secret}.name: Required value", f"csi.{secret}.namespace: Required value"],
            )
            for secret in ("controllerPublishSecretRef", "nodePublishSecretRef", "controllerExpandSecretRef", "nodeExpandSecretRef")
        ],
        (
            "csi",
            {**CSI, "nodeExpandSecretRef": {"name": "A_", "namespace": "n"}},
            [f'csi.nodeExpandSecretRef.name: Invalid value: "A_": {SUBDOMAIN}'],
        ),
        (
            "csi",
            {**CSI, "nodePublishSecretRef": {"name": "a", "namespace": "a.b"}},
            ['csi.nodePublishSecretRef.namespace: Invalid value: "a.b": must not contain dots'],
        ),
    ],
)
def test_what_is_wrong_with_the_storage_behind_a_volume(name, source, expected):
    assert findings(PERSISTENT_VOLUME, volume(**{"nfs": None, name: source})) == [f"spec.{text}" for text in expected]


SECRET = {"name": "s", "namespace": "n"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"capacity": {"storage": "2Gi"}, "persistentVolumeReclaimPolicy": "Delete", "mountOptions": ["ro"]}, []),
        ({}, {"accessModes": ["ReadWriteMany"], "storageClassName": "fast", "claimRef": {"namespace": "a", "name": "c"}}, []),
        ({}, {"nfs": {**NFS, "path": "/y"}}, [SAME_SOURCE]),
        (
            {},
            {"nfs": None, "csi": CSI},
            [SAME_SOURCE],
        ),
        ({"nfs": None, "csi": CSI}, {"nfs": None, "csi": {**CSI, "controllerExpandSecretRef": SECRET}}, []),
        (
            {"nfs": None, "csi": {**CSI, "controllerExpandSecretRef": SECRET}},
            {"nfs": None, "csi": {**CSI, "controllerExpandSecretRef": {**SECRET, "name": "t"}}},
            [SAME_SOURCE],
        ),
        (
            {"nfs": None, "csi": CSI},
            {"nfs": None, "csi": {**CSI, "nodeExpandSecretRef": SECRET}},
            [SAME_SOURCE],
        ),
        ({}, {"volumeMode": "Block"}, [f'spec.volumeMode: Invalid value: "Block": {IMMUTABLE}']),
        ({}, {"nodeAffinity": near(TERM)}, []),
        (
            {"nodeAffinity": near(TERM)},
            {"nodeAffinity": near(TERM, TERM)},
            [f'spec.nodeAffinity: Invalid value: {{"required":{{"nodeSelectorTerms":[{TERM_JSON},{TERM_JSON}]}}}}: {IMMUTABLE}'],
        ),
        ({"nodeAffinity": near(TERM)}, {}, [f"spec.nodeAffinity: Invalid value: null: {IMMUTABLE}"]),
        (
            {"nfs": None, "csi": CSI, "volumeAttributesClassName": "a"},
            {"nfs": None, "csi": CSI},
            ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
        ),
        ({"nfs": None, "csi": CSI, "volumeAttributesClassName": "a"}, {"nfs": None, "csi": CSI, "volumeAttributesClassName": "b"}, []),
        ({"nfs": None, "csi": CSI}, {"nfs": None, "csi": CSI, "volumeAttributesClassName": "b"}, []),
    ],
)
def test_what_may_change_of_a_volume(before, after, expected):
    found = change_findings(PERSISTENT_VOLUME, volume(**before), volume(**after))
    assert [text.partition("\n")[0] for text in found] == expected


@pytest.mark.parametrize(
    ("metadata", "spec", "expected"),
    [
        ({}, {}, []),
        (
            {BETA_CLASS: "fast"},
            {},
            [f'metadata.annotations[{BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead'],
        ),
        (
            {"volume.beta.kubernetes.io/mount-options": "ro"},
            {},
            [
                (
                    "metadata.annotations[volume.beta.kubernetes.io/mount-options]: "
                    'deprecated since v1.31; use "mountOptions" attribute instead'
                )
            ],
        ),
        (
            {},
            {"persistentVolumeReclaimPolicy": "Recycle"},
            [
                (
                    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
                    "Instead, the recommended approach is to use dynamic provisioning."
                )
            ],
        ),
        (
            {},
            {"nodeAffinity": near({"matchExpressions": [{"key": "failure-domain.beta.kubernetes.io/zone", "operator": "Exists"}]})},
            [
                (
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone "
                    'is deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
                )
            ],
        ),
        ({}, {"cephfs": {"monitors": ["m"]}}, ["spec.cephfs: deprecated in v1.28, non-functional in v1.31+"]),
        ({}, {"photonPersistentDisk": {"pdID": "p"}}, ["spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"]),
        ({}, {"scaleIO": {}}, ["spec.scaleIO: deprecated in v1.16, non-functional in v1.22+"]),
        ({}, {"storageos": {}}, ["spec.storageos: deprecated in v1.22, non-functional in v1.25+"]),
        ({}, {"glusterfs": {}}, ["spec.glusterfs: deprecated in v1.25, non-functional in v1.26+"]),
        ({}, {"rbd": {}}, ["spec.rbd: deprecated in v1.28, non-functional in v1.31+"]),
    ],
)
def test_what_a_volume_warns_of(metadata, spec, expected):
    given = volume(**spec)
    given["metadata"]["annotations"] = metadata
    assert [text for warnings in PERSISTENT_VOLUME.strategy.warnings for text in warnings(given)] == expected


def test_a_volume_in_one_line():
    spec = {"persistentVolumeReclaimPolicy": "Retain", "accessModes": ["ReadWriteMany", "ReadWriteOnce"]}
    given = volume(**spec, claimRef={"namespace": "a", "name": "c"}, storageClassName="fast", volumeMode="Block")
    assert row(PERSISTENT_VOLUME, {**given, "status": {"phase": "Bound", "reason": "R"}}, wide=True) == {
        "Capacity": "1Gi",
        "Access Modes": "RWO,RWX",
        "Reclaim Policy": "Retain",
        "Status": "Bound",
        "Claim": "a/c",
        "StorageClass": "fast",
        "VolumeAttributesClass": "<unset>",
        "Reason": "R",
        "Age": "<unknown>",
        "VolumeMode": "Block",
    }
