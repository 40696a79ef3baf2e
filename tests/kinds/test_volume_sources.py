"""The sources of a pod's volumes: what is wrong with each, what excludes what, and what they warn of."""

import pytest

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import findings
from tests.kinds.storage_cases import IQN, LABEL, ONE_TYPE, QUALIFIED, SUBDOMAIN

AMOUNTS = (
    'supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", '
    '"requests.memory"'
)
MODE = "must be a number between 0 and 0777 (octal), both inclusive"
RELATIVE, BACKSTEP, DOTS = "must be a relative path", "must not contain '..'", "must not start with '..'"
FILE_FIELDS = 'supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"'
PORTS = "must be a host:port pair or multiple pairs separated by commas"
BLOB = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
MANAGED = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
TWICE = "conflicting duplicate paths"
SIGNER = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
ROOM = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
ISCSI = {"targetPortal": "p", "iqn": IQN, "lun": 0}
DISK = {"diskName": "d", "diskURI": "https://a.blob.core.windows.net/b/c.vhd"}
CERTIFICATE = {"signerName": "example.com/s", "keyType": "ED25519", "credentialBundlePath": "b.pem"}
TEMPLATE = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


def with_volumes(*volumes, name="p"):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "a", "image": "a"}], "volumes": list(volumes)}}


def item(path, **more):
    return {"items": [{"key": "k", "path": path, **more}]}


def shown(**file):
    return {"items": [{"path": "f", **file}]}


def from_field(path):
    return shown(fieldRef={"fieldPath": path})


def from_amount(resource, container="a"):
    return shown(resourceFieldRef={"resource": resource, "containerName": container})


def projected(*sources, **more):
    return {"sources": list(sources), **more}


PLAIN = [
    ("emptyDir", {}, []),
    ("emptyDir", {"sizeLimit": "1Gi", "medium": "Memory"}, []),
    ("emptyDir", {"sizeLimit": "-1"}, ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"]),
    ("hostPath", {"path": "/a", "type": "Directory"}, []),
    ("hostPath", {}, ["hostPath.path: Required value"]),
    ("hostPath", {"path": "/a/../b"}, [f'hostPath.path: Invalid value: "/a/../b": {BACKSTEP}']),
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
    ("gitRepo", {"repository": "r", "directory": "d"}, []),
    ("gitRepo", {}, ["gitRepo.repository: Required value"]),
    ("gitRepo", {"repository": "r", "directory": "/d"}, [f'gitRepo.directory: Invalid value: "/d": {RELATIVE}']),
    ("gitRepo", {"repository": "r", "directory": "../d"}, [f'gitRepo.directory: Invalid value: "../d": {BACKSTEP}']),
    ("secret", {"secretName": "s", "defaultMode": 0, **item("a", mode=0o777)}, []),
    ("secret", {}, ["secret.secretName: Required value"]),
    ("secret", {"secretName": "s", "defaultMode": 512}, [f"secret.defaultMode: Invalid value: 512: {MODE}"]),
    ("secret", {"secretName": "s", "defaultMode": -1}, [f"secret.defaultMode: Invalid value: -1: {MODE}"]),
    ("secret", {"secretName": "s", **item("a", mode=512)}, [f"secret.items[0].mode: Invalid value: 512: {MODE}"]),
    ("secret", {"secretName": "s", **item("/a")}, [f'secret.items[0].path: Invalid value: "/a": {RELATIVE}']),
    ("secret", {"secretName": "s", **item("a/../b")}, [f'secret.items[0].path: Invalid value: "a/../b": {BACKSTEP}']),
    ("secret", {"secretName": "s", **item("..a")}, [f'secret.items[0].path: Invalid value: "..a": {DOTS}']),
    ("secret", {"secretName": "s", **item("")}, ["secret.items[0].path: Required value"]),
    ("secret", {"secretName": "s", "items": [{"path": "a"}]}, ["secret.items[0].key: Required value"]),
    ("configMap", {"name": "c", **item("a", mode=0)}, []),
    ("configMap", {}, ["configMap.name: Required value"]),
    ("configMap", {"name": "c", "defaultMode": 512}, [f"configMap.defaultMode: Invalid value: 512: {MODE}"]),
    ("configMap", {"name": "c", **item("a", mode=-1)}, [f"configMap.items[0].mode: Invalid value: -1: {MODE}"]),
    ("configMap", {"name": "c", **item("../a")}, [f'configMap.items[0].path: Invalid value: "../a": {BACKSTEP}']),
    ("configMap", {"name": "c", "items": [{}]}, ["configMap.items[0].key: Required value", "configMap.items[0].path: Required value"]),
    ("downwardAPI", from_field("metadata.labels"), []),
    ("downwardAPI", from_field("metadata.annotations['a/b']"), []),
    ("downwardAPI", from_amount("limits.cpu"), []),
    ("downwardAPI", from_amount("requests.hugepages-2Mi"), []),
    ("downwardAPI", {"defaultMode": 512}, [f"downwardAPI.defaultMode: Invalid value: 512: {MODE}"]),
    (
        "downwardAPI",
        from_field("spec.nodeName"),
        [f'downwardAPI.items[0].fieldRef.fieldPath: Unsupported value: "spec.nodeName": {FILE_FIELDS}'],
    ),
    (
        "downwardAPI",
        from_field("spec.odd"),
        [
            (
                'downwardAPI.items[0].fieldRef.fieldPath: Invalid value: "spec.odd": error converting fieldPath: '
                "field label not supported: spec.odd"
            )
        ],
    ),
    ("downwardAPI", from_field(""), ["downwardAPI.items[0].fieldRef.fieldPath: Required value"]),
    (
        "downwardAPI",
        from_field("metadata.labels['a!']"),
        [f'downwardAPI.items[0].fieldRef: Invalid value: "a!": {QUALIFIED}'],
    ),
    (
        "downwardAPI",
        from_amount("limits.gpu"),
        [f'downwardAPI.items[0].resourceFieldRef.resource: Unsupported value: "limits.gpu": {AMOUNTS}'],
    ),
    ("downwardAPI", from_amount("limits.cpu", ""), ["downwardAPI.items[0].resourceFieldRef.containerName: Required value"]),
    ("downwardAPI", from_amount(""), ["downwardAPI.items[0].resourceFieldRef.resource: Required value"]),
    ("downwardAPI", shown(), ["downwardAPI.items[0]: Required value: one of fieldRef and resourceFieldRef is required"]),
    (
        "downwardAPI",
        shown(fieldRef={"fieldPath": "metadata.name"}, resourceFieldRef={"containerName": "a", "resource": "limits.cpu"}),
        ['downwardAPI.items[0]: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously'],
    ),
    (
        "downwardAPI",
        {"items": [{"path": "..f", "mode": 512, "fieldRef": {"fieldPath": "metadata.name"}}]},
        [
            f'downwardAPI.items[0].path: Invalid value: "..f": {DOTS}',
            f"downwardAPI.items[0].mode: Invalid value: 512: {MODE}",
        ],
    ),
    ("persistentVolumeClaim", {"claimName": "c", "readOnly": True}, []),
    ("persistentVolumeClaim", {}, ["persistentVolumeClaim.claimName: Required value"]),
    ("image", {"reference": "nginx", "pullPolicy": "Never"}, []),
    ("image", {}, ["image.reference: Required value"]),
    (
        "image",
        {"reference": "a", "pullPolicy": "Odd"},
        ['image.pullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"'],
    ),
    ("csi", {"driver": "d.example.com", "nodePublishSecretRef": {"name": "s"}}, []),
    ("csi", {}, ["csi.driver: Required value"]),
    ("csi", {"driver": "d_e"}, [f'csi.driver: Invalid value: "d_e": {SUBDOMAIN}']),
    ("csi", {"driver": "d" * 64}, ["csi.driver: Too long: may not be more than 63 bytes"]),
    ("csi", {"driver": "d", "nodePublishSecretRef": {}}, ["csi.nodePublishSecretRef.name: Required value"]),
    (
        "csi",
        {"driver": "d", "nodePublishSecretRef": {"name": "S_"}},
        [f'csi.nodePublishSecretRef.name: Invalid value: "S_": {SUBDOMAIN}'],
    ),
]
STORAGE_SYSTEMS = [
    (
        "gcePersistentDisk",
        {"partition": 256},
        [
            "gcePersistentDisk.pdName: Required value",
            "gcePersistentDisk.partition: Invalid value: 256: must be between 0 and 255, inclusive",
        ],
    ),
    (
        "awsElasticBlockStore",
        {"volumeID": "v", "partition": -1},
        ["awsElasticBlockStore.partition: Invalid value: -1: must be between 0 and 255, inclusive"],
    ),
    ("awsElasticBlockStore", {}, ["awsElasticBlockStore.volumeID: Required value"]),
    ("nfs", {"server": "s", "path": "/p"}, []),
    ("nfs", {"path": "/p"}, ["nfs.server: Required value"]),
    ("nfs", {"server": "s"}, ["nfs.path: Required value"]),
    ("nfs", {"server": "s", "path": "p"}, ['nfs.path: Invalid value: "p": must be an absolute path']),
    ("iscsi", ISCSI, []),
    ("iscsi", {**ISCSI, "iqn": "eui.0123456789ABCDEF"}, []),
    ("iscsi", {**ISCSI, "iqn": "naa." + "A" * 32}, []),
    ("iscsi", {**ISCSI, "targetPortal": ""}, ["iscsi.targetPortal: Required value"]),
    ("iscsi", {**ISCSI, "iqn": ""}, ["iscsi.iqn: Required value"]),
    ("iscsi", {**ISCSI, "iqn": "iqn.2015-02.example.com"}, ['iscsi.iqn: Invalid value: "iqn.2015-02.example.com": must be valid format']),
    ("iscsi", {**ISCSI, "iqn": "eui.0123"}, ['iscsi.iqn: Invalid value: "eui.0123": must be valid format']),
    ("iscsi", {**ISCSI, "iqn": "odd"}, ['iscsi.iqn: Invalid value: "odd": must be valid format starting with iqn, eui, or naa']),
    ("iscsi", {**ISCSI, "lun": -1}, ["iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive"]),
    ("iscsi", {**ISCSI, "lun": 256}, ["iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive"]),
    ("iscsi", {**ISCSI, "chapAuthDiscovery": True}, ["iscsi.secretRef: Required value"]),
    ("iscsi", {**ISCSI, "chapAuthSession": True, "secretRef": {"name": "s"}}, []),
    (
        "iscsi",
        {**ISCSI, "initiatorName": "odd"},
        ['iscsi.initiatorName: Invalid value: "odd": must be valid format starting with iqn, eui, or naa'],
    ),
    ("iscsi", {**ISCSI, "targetPortal": "p" * 63, "initiatorName": IQN}, [f'name: Invalid value: "v": {ROOM}']),
    ("glusterfs", {"path": "p"}, ["glusterfs.endpoints: Required value"]),
    ("glusterfs", {"endpoints": "e"}, ["glusterfs.path: Required value"]),
    ("flocker", {"datasetName": "d"}, []),
    ("flocker", {}, ["flocker: Required value: one of datasetName and datasetUUID is required"]),
    (
        "flocker",
        {"datasetName": "d", "datasetUUID": "u"},
        ['flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously'],
    ),
    ("flocker", {"datasetName": "a/b"}, ["flocker.datasetName: Invalid value: \"a/b\": must not contain '/'"]),
    ("rbd", {"image": "i"}, ["rbd.monitors: Required value"]),
    ("rbd", {"monitors": ["m"]}, ["rbd.image: Required value"]),
    ("cinder", {"volumeID": "v"}, []),
    ("cinder", {}, ["cinder.volumeID: Required value"]),
    ("cinder", {"volumeID": "v", "secretRef": {}}, ["cinder.secretRef.name: Required value"]),
    ("cephfs", {}, ["cephfs.monitors: Required value"]),
    ("quobyte", {"registry": "h:1,[::1]:2", "volume": "v"}, []),
    ("quobyte", {"registry": "h", "volume": "v"}, [f'quobyte.registry: Invalid value: "h": {PORTS}']),
    ("quobyte", {"registry": "h:1,i", "volume": "v"}, [f'quobyte.registry: Invalid value: "h:1,i": {PORTS}']),
    ("quobyte", {"volume": "v"}, ["quobyte.registry: Required value"]),
    ("quobyte", {"registry": "h:1"}, ["quobyte.volume: Required value"]),
    (
        "quobyte",
        {"registry": "h:1", "volume": "v", "tenant": "t" * 65},
        ["quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters"],
    ),
    ("fc", {"wwids": ["w"]}, []),
    ("fc", {}, ["fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"]),
    (
        "fc",
        {"targetWWNs": ["t"], "wwids": ["w"], "lun": 1},
        ['fc.targetWWNs: Invalid value: ["t"]: targetWWNs and wwids can not be specified simultaneously'],
    ),
    ("fc", {"targetWWNs": ["t"]}, ["fc.lun: Required value: lun is required if targetWWNs is specified"]),
    ("fc", {"targetWWNs": ["t"], "lun": 256}, ["fc.lun: Invalid value: 256: must be between 0 and 255, inclusive"]),
    ("flexVolume", {"driver": "d", "options": {"a": "b", "example.com/x": "y"}}, []),
    ("flexVolume", {}, ["flexVolume.driver: Required value"]),
    *[
        (
            "flexVolume",
            {"driver": "d", "options": {key: "1"}},
            [f'flexVolume.options[{key}]: Invalid value: "{key}": kubernetes.io and k8s.io namespaces are reserved'],
        )
        for key in ("kubernetes.io/a", "a.KUBERNETES.io/b", "k8s.io/a", "x.k8s.io", "k8s.io")
    ],
    (
        "flexVolume",
        {"driver": "d", "options": {"a.svcapi.io/b": "1"}},
        ['flexVolume.options[a.svcapi.io/b]: Invalid value: "a.svcapi.io/b": svcapi.io namespace is reserved'],
    ),
    ("azureFile", {"shareName": "s"}, ["azureFile.secretName: Required value"]),
    ("azureFile", {"secretName": "s"}, ["azureFile.shareName: Required value"]),
    ("azureDisk", DISK, []),
    ("azureDisk", {**DISK, "kind": "Managed", "diskURI": "/subscriptions/a"}, []),
    (
        "azureDisk",
        {},
        [
            "azureDisk.diskName: Required value",
            "azureDisk.diskURI: Required value",
            f'azureDisk.diskURI: Unsupported value: "": supported values: "{BLOB}"',
        ],
    ),
    (
        "azureDisk",
        {**DISK, "kind": "Managed"},
        [f'azureDisk.diskURI: Unsupported value: "{DISK["diskURI"]}": supported values: "{MANAGED}"'],
    ),
    ("azureDisk", {**DISK, "diskURI": "/a"}, [f'azureDisk.diskURI: Unsupported value: "/a": supported values: "{BLOB}"']),
    (
        "azureDisk",
        {**DISK, "cachingMode": "Odd"},
        ['azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"'],
    ),
    (
        "azureDisk",
        {**DISK, "kind": "Odd"},
        ['azureDisk.kind: Unsupported value: "Odd": supported values: "Dedicated", "Managed", "Shared"'],
    ),
    ("vsphereVolume", {}, ["vsphereVolume.volumePath: Required value"]),
    ("photonPersistentDisk", {}, ["photonPersistentDisk.pdID: Required value"]),
    ("portworxVolume", {}, ["portworxVolume.volumeID: Required value"]),
    ("scaleIO", {"gateway": "g", "system": "s", "secretRef": {"name": "s"}, "volumeName": "v"}, []),
    (
        "scaleIO",
        {"secretRef": {"name": "s"}},
        ["scaleIO.gateway: Required value", "scaleIO.system: Required value", "scaleIO.volumeName: Required value"],
    ),
    ("storageos", {"volumeName": "v", "volumeNamespace": "n"}, []),
    ("storageos", {}, ["storageos.volumeName: Required value"]),
    ("storageos", {"volumeName": "V_"}, [f'storageos.volumeName: Invalid value: "V_": {LABEL}']),
    (
        "storageos",
        {"volumeName": "v", "volumeNamespace": "a.b"},
        ['storageos.volumeNamespace: Invalid value: "a.b": must not contain dots'],
    ),
    ("storageos", {"volumeName": "v", "secretRef": {}}, ["storageos.secretRef.name: Required value"]),
]
PROJECTED = [
    (projected(), []),
    (
        projected(
            {"secret": {"name": "s", **item("a")}}, {"configMap": {"name": "c", **item("b")}}, {"downwardAPI": from_field("metadata.name")}
        ),
        [],
    ),
    (projected(defaultMode=512), [f"projected.defaultMode: Invalid value: 512: {MODE}"]),
    (projected({}), ["projected.sources[0]: Required value: at least one source must be specified"]),
    (
        projected({"secret": {"name": "s"}, "configMap": {"name": "c"}}),
        ["projected.sources[0]: Forbidden: may not specify more than 1 volume type per source"],
    ),
    (projected({"secret": {}}), ["projected.sources[0].secret.name: Required value"]),
    (projected({"configMap": {}}), ["projected.sources[0].configMap.name: Required value"]),
    (projected({"secret": {"name": "s", **item("/a")}}), [f'projected.sources[0].secret.items[0].path: Invalid value: "/a": {RELATIVE}']),
    (
        projected({"downwardAPI": from_field("spec.nodeName")}),
        [f'projected.sources[0].downwardAPI.items[0].fieldRef.fieldPath: Unsupported value: "spec.nodeName": {FILE_FIELDS}'],
    ),
    (
        projected({"secret": {"name": "s", **item("a")}}, {"secret": {"name": "t", **item("a")}}),
        [f'projected: Invalid value: "t": {TWICE}'],
    ),
    (
        projected({"secret": {"name": "s", **item("f")}}, {"configMap": {"name": "c", **item("f")}}),
        [f'projected: Invalid value: "c": {TWICE}'],
    ),
    (
        projected({"secret": {"name": "s", **item("f")}}, {"downwardAPI": from_field("metadata.name")}),
        [f'projected: Invalid value: "f": {TWICE}'],
    ),
    (projected({"serviceAccountToken": {"path": "t", "expirationSeconds": 600}}), []),
    (projected({"serviceAccountToken": {}}), ["projected.sources[0].serviceAccountToken.path: Required value"]),
    (
        projected({"serviceAccountToken": {"path": "t", "expirationSeconds": 599}}),
        [
            (
                "projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: "
                "may not specify a duration less than 10 minutes"
            )
        ],
    ),
    (
        projected({"serviceAccountToken": {"path": "t", "expirationSeconds": 2**32 + 1}}),
        [
            (
                "projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: "
                "may not specify a duration larger than 2^32 seconds"
            )
        ],
    ),
    (
        projected({"serviceAccountToken": {"path": "../t"}}),
        [f'projected.sources[0].serviceAccountToken.path: Invalid value: "../t": {BACKSTEP}'],
    ),
    (projected({"clusterTrustBundle": {"name": "example.com:s:b", "path": "f"}}), []),
    (projected({"clusterTrustBundle": {"signerName": "example.com/s", "labelSelector": {}, "path": "f"}}), []),
    (
        projected({"clusterTrustBundle": {"path": "f"}}),
        ["projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified"],
    ),
    (
        projected({"clusterTrustBundle": {"name": "b", "signerName": "example.com/s", "path": "f"}}),
        [
            (
                'projected.sources[0].clusterTrustBundle: Invalid value: {"name":"b","signerName":"example.com/s","path":"f"}: '
                "only one of name and signerName may be used"
            )
        ],
    ),
    (
        projected({"clusterTrustBundle": {"name": "b", "labelSelector": {"matchLabels": {"a": "b"}}, "path": "f"}}),
        [
            (
                'projected.sources[0].clusterTrustBundle.labelSelector: Invalid value: {"matchLabels":{"a":"b"}}: '
                "labelSelector must be unset if name is specified"
            )
        ],
    ),
    (
        projected({"clusterTrustBundle": {"name": "B_", "path": "f"}}),
        [f'projected.sources[0].clusterTrustBundle.name: Invalid value: "B_": not a valid clustertrustbundlename: {SUBDOMAIN}'],
    ),
    (
        projected({"clusterTrustBundle": {"signerName": "", "path": "f"}}),
        ["projected.sources[0].clusterTrustBundle.signerName: Required value: must be a valid signer name"],
    ),
    (
        projected({"clusterTrustBundle": {"signerName": "odd", "path": "f"}}),
        [f'projected.sources[0].clusterTrustBundle.signerName: Invalid value: "odd": {SIGNER}'],
    ),
    (
        projected({"clusterTrustBundle": {"signerName": "odd/a", "path": "f"}}),
        [
            (
                'projected.sources[0].clusterTrustBundle.signerName: Invalid value: "odd": '
                "should be a domain with at least two segments separated by dots"
            )
        ],
    ),
    (projected({"clusterTrustBundle": {"name": "b"}}), ["projected.sources[0].clusterTrustBundle.path: Required value"]),
    (
        projected({"clusterTrustBundle": {"name": "b", "path": "f"}}, {"clusterTrustBundle": {"name": "c", "path": "f"}}),
        [f'projected: Invalid value: "f": {TWICE}'],
    ),
    (projected({"podCertificate": CERTIFICATE}), []),
    (
        projected({"podCertificate": {"credentialBundlePath": "b"}}),
        ["projected.sources[0].podCertificate.signerName: Required value", "projected.sources[0].podCertificate.keyType: Required value"],
    ),
    (
        projected({"podCertificate": {**CERTIFICATE, "signerName": "odd"}}),
        [f'projected.sources[0].podCertificate.signerName: Invalid value: "odd": {SIGNER}'],
    ),
    (
        projected({"podCertificate": {**CERTIFICATE, "keyType": "DSA"}}),
        [
            (
                'projected.sources[0].podCertificate.keyType: Unsupported value: "DSA": supported values: "RSA3072", "RSA4096", '
                '"ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"'
            )
        ],
    ),
    (
        projected({"podCertificate": {**CERTIFICATE, "maxExpirationSeconds": 3599}}),
        [
            (
                "projected.sources[0].podCertificate.maxExpirationSeconds: Invalid value: 3599: "
                "if provided, maxExpirationSeconds must be greater than or equal to 3600"
            )
        ],
    ),
    (
        projected({"podCertificate": {**CERTIFICATE, "credentialBundlePath": ""}}),
        [
            (
                "projected.sources[0].podCertificate: Required value: "
                "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
            )
        ],
    ),
    (
        projected({"podCertificate": {**CERTIFICATE, "keyPath": "/k"}}),
        [f'projected.sources[0].podCertificate.keyPath: Invalid value: "/k": {RELATIVE}'],
    ),
    (projected({"podCertificate": {**CERTIFICATE, "keyPath": "b.pem"}}), [f'projected: Invalid value: "b.pem": {TWICE}']),
]
WHERE = "ephemeral.volumeClaimTemplate"
EPHEMERAL = [
    ({"volumeClaimTemplate": {**TEMPLATE, "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}}, []),
    ({}, ["ephemeral.volumeClaimTemplate: Required value"]),
    ({"volumeClaimTemplate": {}}, [f"{WHERE}.spec: Required value"]),
    ({"volumeClaimTemplate": {**TEMPLATE, "metadata": {"name": "n"}}}, [f"{WHERE}.metadata.name: Forbidden: cannot be set"]),
    (
        {"volumeClaimTemplate": {**TEMPLATE, "metadata": {"namespace": "n", "finalizers": ["a/b"]}}},
        [f"{WHERE}.metadata.namespace: Forbidden: cannot be set", f"{WHERE}.metadata.finalizers: Forbidden: cannot be set"],
    ),
    (
        {"volumeClaimTemplate": {**TEMPLATE, "metadata": {"labels": {"a!": "b"}}}},
        [f'{WHERE}.metadata.labels: Invalid value: "a!": {QUALIFIED}'],
    ),
    (
        {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "0"}}}}},
        [
            f"{WHERE}.spec.accessModes: Required value: at least 1 access mode is required",
            f'{WHERE}.spec.resources[storage]: Invalid value: "0": must be greater than zero',
        ],
    ),
]


@pytest.mark.parametrize(("source", "value", "expected"), [*PLAIN, *STORAGE_SYSTEMS])
def test_what_is_wrong_with_a_source(source, value, expected):
    assert findings(POD, with_volumes({"name": "v", source: value})) == [f"spec.volumes[0].{text}" for text in expected]


@pytest.mark.parametrize(("value", "expected"), PROJECTED)
def test_what_is_wrong_with_a_projected_volume(value, expected):
    assert findings(POD, with_volumes({"name": "v", "projected": value})) == [f"spec.volumes[0].{text}" for text in expected]


@pytest.mark.parametrize(("value", "expected"), EPHEMERAL)
def test_what_is_wrong_with_an_ephemeral_volume(value, expected):
    assert findings(POD, with_volumes({"name": "v", "ephemeral": value})) == [f"spec.volumes[0].{text}" for text in expected]


def test_the_claim_of_an_ephemeral_volume_needs_a_name_that_is_not_too_long():
    pod = with_volumes({"name": "v", "ephemeral": {"volumeClaimTemplate": TEMPLATE}}, name="p" * 252)
    claim = "p" * 252 + "-v"
    assert findings(POD, pod) == [f'spec.volumes[0].name: Invalid value: "v": PVC name "{claim}": must be no more than 253 characters']


@pytest.mark.parametrize(
    ("volumes", "expected"),
    [
        ([{"name": "v"}], []),
        ([{"name": "v", "emptyDir": {}, "hostPath": {"path": "/x"}}], [f"spec.volumes[0].hostPath: {ONE_TYPE}"]),
        (
            [{"name": "v", "nfs": {"server": "s", "path": "/x"}, "secret": {"secretName": "s"}, "configMap": {"name": "c"}}],
            [f"spec.volumes[0].nfs: {ONE_TYPE}", f"spec.volumes[0].configMap: {ONE_TYPE}"],
        ),
        ([{"name": "v"}, {"name": "v"}], ['spec.volumes[1].name: Duplicate value: "v"']),
        ([{}], ["spec.volumes[0].name: Required value"]),
        ([{"name": "V_"}], [f'spec.volumes[0].name: Invalid value: "V_": {LABEL}']),
        ([{"name": "a.b"}], ['spec.volumes[0].name: Invalid value: "a.b": must not contain dots']),
    ],
)
def test_what_is_wrong_with_volumes(volumes, expected):
    assert findings(POD, with_volumes(*volumes)) == expected


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({"emptyDir": {}}, []),
        ({"gitRepo": {}}, ["gitRepo: deprecated in v1.11, and disabled by default in v1.33+"]),
        ({"photonPersistentDisk": {}}, ["photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"]),
        ({"scaleIO": {}}, ["scaleIO: deprecated in v1.16, non-functional in v1.22+"]),
        ({"flocker": {}}, ["flocker: deprecated in v1.22, non-functional in v1.25+"]),
        ({"storageos": {}}, ["storageos: deprecated in v1.22, non-functional in v1.25+"]),
        ({"quobyte": {}}, ["quobyte: deprecated in v1.22, non-functional in v1.25+"]),
        ({"glusterfs": {}}, ["glusterfs: deprecated in v1.25, non-functional in v1.26+"]),
        ({"cephfs": {}}, ["cephfs: deprecated in v1.28, non-functional in v1.31+"]),
        ({"rbd": {}}, ["rbd: deprecated in v1.28, non-functional in v1.31+"]),
        (
            {"ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "1500m"}}}}}},
            [
                (
                    'ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, '
                    "must be an integer"
                )
            ],
        ),
    ],
)
def test_what_volumes_warn_of(volume, expected):
    pod = with_volumes({"name": "v", **volume})
    found = [text for warnings in POD.strategy.warnings for text in warnings(pod)]
    assert found == [f"spec.volumes[0].{text}" for text in expected]
