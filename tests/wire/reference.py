"""Statements about single kinds, each as an object that is taken as it is said, or refused where it is said to be wrong.

``{g}`` stands for the suffix of groups and ``{d}`` for the domain of keys in the dialect, ``{ns}`` for a namespace.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.meta.types import Json, Object


class Taken(NamedTuple):
    """A statement of what a field may say, or says by itself: what is to stand at paths in the answer."""

    about: str
    path: str
    obj: Object
    found: Mapping[str, Json] = MappingProxyType({})


class Refused(NamedTuple):
    """A statement of what may not be: the fields that the refusal names."""

    about: str
    path: str
    obj: Object
    fields: tuple[str, ...]


class Changed(NamedTuple):
    """A statement of what may be changed of an object, or may not: then the fields that the refusal names."""

    about: str
    path: str
    obj: Object
    changes: Object
    fields: tuple[str, ...] = ()


NAMESPACE = "/api/v1/namespaces/{ns}"
STORAGE = "/apis/storage.{g}/v1"
RBAC = "/apis/rbac.authorization.{g}/v1"
_MAPS, _SECRETS, _CLAIMS = f"{NAMESPACE}/configmaps", f"{NAMESPACE}/secrets", f"{NAMESPACE}/persistentvolumeclaims"
_MIB = "x" * (1024 * 1024)
_SNAPSHOT = {"apiGroup": "snapshot.storage.{g}", "kind": "VolumeSnapshot", "name": "s"}
_CLAIM = {"kind": "PersistentVolumeClaim", "name": "p"}
_OTHER = {"apiGroup": "example.com", "kind": "Thing", "name": "t"}


def claim(**spec: Json) -> Object:
    return {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}}


def volume(**spec: Json) -> Object:
    sourced = any(isinstance(part, dict) and name != "nodeAffinity" for name, part in spec.items())
    return {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            **({} if sourced else {"hostPath": {"path": "/x"}}),
            **spec,
        }
    }


def affinity(*terms: Object) -> Object:
    return {"required": {"nodeSelectorTerms": [*terms]}}


_ON = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
CONFIG = (
    Taken("keys: letters, digits, -, _, .", _MAPS, {"data": {"aZ0-_.": "v"}}, {"data": {"aZ0-_.": "v"}}),
    Refused("no other keys in data", _MAPS, {"data": {"a b": "v"}}, ("data[a b]",)),
    Refused("no other keys in binaryData", _MAPS, {"binaryData": {"a/b": "AA=="}}, ("binaryData[a/b]",)),
    Taken("bytes that aren't UTF-8", _MAPS, {"binaryData": {"a": "//4="}}, {"binaryData": {"a": "//4="}}),
    Refused("keys overlap", _MAPS, {"data": {"a": "v"}, "binaryData": {"a": "AA=="}}, ("data[a]", "binaryData[a]")),
    Taken("immutable is unset by default", _MAPS, {}, {"immutable": None}),
    Refused("a ConfigMap over the size limit", _MAPS, {"data": {"a": _MIB, "b": "v"}}, ("[]",)),
    Taken(
        "stringData is merged over data and never returned",
        _SECRETS,
        {"data": {"a": "YQ==", "b": "Yg=="}, "stringData": {"a": "c"}},
        {"data": {"a": "Yw==", "b": "Yg=="}, "stringData": None, "immutable": None},
    ),
    Taken("a type of one's own", _SECRETS, {"type": "example.com/mine"}, {"type": "example.com/mine"}),
    Taken("the type of bootstrap tokens", _SECRETS, {"type": "bootstrap.{d}/token"}, {"type": "bootstrap.{d}/token"}),
    Taken("a type, unless one is said", _SECRETS, {}, {"type": "Opaque"}),
    Refused(
        "an account's token belongs to an account",
        _SECRETS,
        {"type": "{d}/service-account-token"},
        ("metadata.annotations[{d}/service-account.name]",),
    ),
    Refused("a Secret over the size limit", _SECRETS, {"stringData": {"a": _MIB, "b": "v"}}, ("data",)),
)
CLAIMS = (
    Taken("a filesystem unless it says", _CLAIMS, claim(), {"spec.volumeMode": "Filesystem"}),
    Taken("a snapshot", _CLAIMS, claim(dataSource=_SNAPSHOT), {"spec.dataSource": _SNAPSHOT, "spec.dataSourceRef": _SNAPSHOT}),
    Taken("a claim", _CLAIMS, claim(dataSource=_CLAIM), {"spec.dataSource": _CLAIM, "spec.dataSourceRef": _CLAIM}),
    Taken("a reference to either", _CLAIMS, claim(dataSourceRef=_CLAIM), {"spec.dataSource": _CLAIM, "spec.dataSourceRef": _CLAIM}),
    Taken("any object that isn't of the core", _CLAIMS, claim(dataSourceRef=_OTHER), {"spec.dataSourceRef": _OTHER}),
    Taken("both the same", _CLAIMS, claim(dataSource=_CLAIM, dataSourceRef=_CLAIM), {"spec.dataSourceRef": _CLAIM}),
    Refused("one unlike the other", _CLAIMS, claim(dataSource=_CLAIM, dataSourceRef=_SNAPSHOT), ("spec",)),
    Taken("a source that may not be is dropped", _CLAIMS, claim(dataSource=_OTHER), {"spec.dataSource": None, "spec.dataSourceRef": None}),
    Refused(
        "a reference that may not be", _CLAIMS, claim(dataSourceRef={"kind": "Pod", "name": "p"}), ("spec.dataSource", "spec.dataSourceRef")
    ),
)
_VOLUMES = "/api/v1/persistentvolumes"
_SECRET_REF = {"name": "a", "namespace": "b"}
VOLUMES = (
    Taken(
        "kept, a filesystem and of no class unless it says",
        _VOLUMES,
        volume(),
        {"spec.persistentVolumeReclaimPolicy": "Retain", "spec.volumeMode": "Filesystem", "spec.storageClassName": None},
    ),
    *(Taken(f"policy {one}", _VOLUMES, volume(persistentVolumeReclaimPolicy=one)) for one in ("Retain", "Delete", "Recycle")),
    Refused("no other policy", _VOLUMES, volume(persistentVolumeReclaimPolicy="Burn"), ("spec.persistentVolumeReclaimPolicy",)),
    Taken("a raw block device", _VOLUMES, volume(volumeMode="Block"), {"spec.volumeMode": "Block"}),
    Taken("terms of nodes", _VOLUMES, volume(nodeAffinity=affinity(_ON, {})), {"spec.nodeAffinity": affinity(_ON, {})}),
    Refused("at least one term", _VOLUMES, volume(nodeAffinity={"required": {}}), ("spec.nodeAffinity.required.nodeSelectorTerms",)),
    Taken(
        "a local disk", _VOLUMES, volume(local={"path": "/a", "fsType": "xfs"}, nodeAffinity=affinity(_ON)), {"spec.local.fsType": "xfs"}
    ),
    Refused("a local disk is somewhere", _VOLUMES, volume(local={}, nodeAffinity=affinity(_ON)), ("spec.local.path",)),
    Taken(
        "secrets of other namespaces",
        _VOLUMES,
        volume(scaleIO={"gateway": "g", "system": "s", "secretRef": _SECRET_REF, "volumeName": "v"}),
        {"spec.scaleIO.secretRef": _SECRET_REF, "spec.scaleIO.fsType": "xfs"},
    ),
    Refused("one source", _VOLUMES, volume(hostPath={"path": "/x"}, nfs={"server": "a", "path": "/"}), ("spec.nfs",)),
    Refused("a source", _VOLUMES, {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}}, ("spec",)),
)
_PODS, _V = f"{NAMESPACE}/pods", "spec.volumes[0]"


def pod(**source: Json) -> Object:
    return {"spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v", **source}]}}


def _refused(about: str, *fields: str, **source: Json) -> Refused:
    return Refused(about, _PODS, pod(**source), tuple(f"{_V}.{field}" for field in fields))


def _taken(about: str, found: dict[str, Json], **source: Json) -> Taken:
    return Taken(about, _PODS, pod(**source), {f"spec.volumes.0.{path}": value for path, value in found.items()})


def _projected(**source: Json) -> Object:
    return {"sources": [source]}


_PROJECTED = "projected.sources[0]"
SOURCES = (
    _taken("mode of a configMap", {"configMap.defaultMode": 0o644}, configMap={"name": "a"}),
    _taken("mode of a secret", {"secret.defaultMode": 0o644}, secret={"secretName": "a", "optional": True}),
    _taken("mode of a downwardAPI", {"downwardAPI.defaultMode": 0o644}, downwardAPI={}),
    _taken("mode of projected", {"projected.defaultMode": 0o644}, projected={"sources": []}),
    *(_refused(f"{mode} is no mode", "configMap.defaultMode", configMap={"name": "a", "defaultMode": mode}) for mode in (-1, 512)),
    *(_taken(f"{mode} is a mode", {"secret.defaultMode": mode}, secret={"secretName": "a", "defaultMode": mode}) for mode in (0, 511)),
    _refused("a key", "configMap.items[0].key", configMap={"name": "a", "items": [{"path": "p"}]}),
    _refused("a path", "secret.items[0].path", secret={"secretName": "a", "items": [{"key": "k"}]}),
    *(
        _refused(f"{path} is no path", "configMap.items[0].path", configMap={"name": "a", "items": [{"key": "k", "path": path}]})
        for path in ("/a", "a/../b", "..a")
    ),
    _refused("a mode", "configMap.items[0].mode", configMap={"name": "a", "items": [{"key": "k", "path": "p", "mode": 512}]}),
    _refused("a path below", "downwardAPI.items[0].path", downwardAPI={"items": [{"fieldRef": {"fieldPath": "metadata.name"}}]}),
    *(
        _taken(f"field {path}", {}, downwardAPI={"items": [{"path": "p", "fieldRef": {"fieldPath": path}}]})
        for path in ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace")
    ),
    _refused(
        "another field",
        "downwardAPI.items[0].fieldRef.fieldPath",
        downwardAPI={"items": [{"path": "p", "fieldRef": {"fieldPath": "spec.nodeName"}}]},
    ),
    *(
        _taken(f"resource {one}", {}, downwardAPI={"items": [{"path": "p", "resourceFieldRef": {"containerName": "c", "resource": one}}]})
        for one in ("limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
    ),
    _refused(
        "another resource",
        "downwardAPI.items[0].resourceFieldRef.resource",
        downwardAPI={"items": [{"path": "p", "resourceFieldRef": {"containerName": "c", "resource": "limits.gpu"}}]},
    ),
    _taken(
        "a token lasts an hour",
        {"projected.sources.0.serviceAccountToken.expirationSeconds": 3600},
        projected=_projected(serviceAccountToken={"path": "t"}),
    ),
    _refused("a token somewhere", f"{_PROJECTED}.serviceAccountToken.path", projected=_projected(serviceAccountToken={})),
    _refused(
        "a token for less than ten minutes",
        f"{_PROJECTED}.serviceAccountToken.expirationSeconds",
        projected=_projected(serviceAccountToken={"path": "t", "expirationSeconds": 599}),
    ),
    _refused(
        "one source at a time",
        _PROJECTED,
        projected=_projected(configMap={"name": "a"}, secret={"name": "b"}),
    ),
    _refused("a disk of Amazon", "awsElasticBlockStore.volumeID", awsElasticBlockStore={}),
    _refused("a disk of Azure", "azureDisk.diskName", "azureDisk.diskURI", "azureDisk.diskURI", azureDisk={}),
    _taken(
        "a disk of Azure is shared",
        {"azureDisk.kind": "Shared", "azureDisk.readOnly": False, "azureDisk.fsType": "ext4"},
        azureDisk={"diskName": "a", "diskURI": "https://blob/a.vhd"},
    ),
    _refused("a cache of Azure", "azureDisk.cachingMode", azureDisk={"diskName": "a", "diskURI": "https://b/a", "cachingMode": "All"}),
    _refused("a file of Azure", "azureFile.secretName", "azureFile.shareName", azureFile={}),
    _refused("a driver", "csi.driver", csi={}),
    _taken(
        "all of csi",
        {"csi.volumeAttributes": {"a": "b"}},
        csi={
            "driver": "d.example.com",
            "fsType": "xfs",
            "readOnly": True,
            "nodePublishSecretRef": {"name": "s"},
            "volumeAttributes": {"a": "b"},
        },
    ),
    _refused("fc by both", "fc.targetWWNs", fc={"targetWWNs": ["a"], "lun": 1, "wwids": ["b"]}),
    _refused("fc by neither", "fc.targetWWNs", fc={}),
    _refused("fc without a number", "fc.lun", fc={"targetWWNs": ["a"]}),
    _refused("flex", "flexVolume.driver", flexVolume={}),
    _refused("flocker by neither", "flocker", flocker={}),
    _refused("flocker by both", "flocker", flocker={"datasetName": "a", "datasetUUID": "b"}),
    _refused("iscsi", "iscsi.targetPortal", "iscsi.iqn", iscsi={"lun": 0}),
    _taken(
        "iscsi by its usual transport",
        {"iscsi.iscsiInterface": "default"},
        iscsi={"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:a", "lun": 0},
    ),
    _refused("photon", "photonPersistentDisk.pdID", photonPersistentDisk={}),
    _refused("portworx", "portworxVolume.volumeID", portworxVolume={}),
    _refused("quobyte", "quobyte.registry", "quobyte.volume", quobyte={}),
    _refused("quobyte's hosts", "quobyte.registry", quobyte={"registry": "host", "volume": "v"}),
    _taken("quobyte's list of hosts", {}, quobyte={"registry": "a:1,b:2", "volume": "v"}),
    _refused("scaleIO", "scaleIO.gateway", "scaleIO.system", "scaleIO.volumeName", scaleIO={"secretRef": {"name": "s"}}),
    _taken(
        "scaleIO's defaults",
        {"scaleIO.fsType": "xfs", "scaleIO.storageMode": "ThinProvisioned"},
        scaleIO={"gateway": "g", "system": "s", "secretRef": {"name": "s"}, "volumeName": "v"},
    ),
    _taken("storageos", {}, storageos={"volumeName": "v", "volumeNamespace": "n", "readOnly": True, "secretRef": {"name": "s"}}),
    _refused("vsphere", "vsphereVolume.volumePath", vsphereVolume={}),
    _refused("a template", "ephemeral.volumeClaimTemplate", ephemeral={}),
    _taken(
        "labels and annotations of a template",
        {},
        ephemeral={"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}, **claim()}},
    ),
    _refused(
        "no other metadata of a template",
        "ephemeral.volumeClaimTemplate.metadata.name",
        ephemeral={"volumeClaimTemplate": {"metadata": {"name": "a"}, **claim()}},
    ),
    _refused("git", "gitRepo.repository", gitRepo={}),
)
_CLASSES, _ATTACHMENTS, _DRIVERS, _CSI_NODES = (
    f"{STORAGE}/{plural}" for plural in ("storageclasses", "volumeattachments", "csidrivers", "csinodes")
)
_CAPACITIES = f"{STORAGE}/namespaces/{{ns}}/csistoragecapacities"
_INLINE = {"accessModes": ["ReadWriteOnce"], "csi": {"driver": "d.example.com", "volumeHandle": "v"}}
_BY = {"attacher": "d.example.com", "nodeName": "n"}
STORAGES = (
    Taken(
        "deletes and binds at once unless it says",
        _CLASSES,
        {"provisioner": "d.example.com"},
        {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
    ),
    Refused(
        "a topology has a key",
        _CLASSES,
        {"provisioner": "p", "allowedTopologies": [{"matchLabelExpressions": [{"values": ["a"]}]}]},
        ("allowedTopologies[0].matchLabelExpressions[0].key",),
    ),
    Refused(
        "a topology has values",
        _CLASSES,
        {"provisioner": "p", "allowedTopologies": [{"matchLabelExpressions": [{"key": "a"}]}]},
        ("allowedTopologies[0].matchLabelExpressions[0].values",),
    ),
    Taken(
        "options and parameters", _CLASSES, {"provisioner": "p", "mountOptions": ["rw"], "parameters": {"a": "b"}}, {"mountOptions": ["rw"]}
    ),
    Taken("a volume is attached", _ATTACHMENTS, {"spec": {**_BY, "source": {"persistentVolumeName": "v"}}}, {"status.attached": False}),
    Taken("a volume inline", _ATTACHMENTS, {"spec": {**_BY, "source": {"inlineVolumeSpec": _INLINE}}}),
    Refused("by whom and where", _ATTACHMENTS, {"spec": {"source": {"persistentVolumeName": "v"}}}, ("spec.attacher", "spec.nodeName")),
    Refused("what", _ATTACHMENTS, {"spec": {**_BY, "source": {}}}, ("spec.source",)),
    Refused(
        "not two of them",
        _ATTACHMENTS,
        {"spec": {**_BY, "source": {"persistentVolumeName": "v", "inlineVolumeSpec": _INLINE}}},
        ("spec.source",),
    ),
    Taken(
        "a driver as it is unless it says",
        _DRIVERS,
        {"spec": {}},
        {
            "spec.attachRequired": True,
            "spec.fsGroupPolicy": "ReadWriteOnceWithFSType",
            "spec.podInfoOnMount": False,
            "spec.requiresRepublish": False,
            "spec.storageCapacity": False,
            "spec.volumeLifecycleModes": ["Persistent"],
        },
    ),
    Taken(
        "tokens for others, one of them for the API server",
        _DRIVERS,
        {"spec": {"tokenRequests": [{"audience": ""}, {"audience": "a", "expirationSeconds": 600}]}},
        {"spec.tokenRequests.1.audience": "a"},
    ),
    Refused(
        "audiences differ",
        _DRIVERS,
        {"spec": {"tokenRequests": [{"audience": "a"}, {"audience": "a"}]}},
        ("spec.tokenRequests[1].audience",),
    ),
    Refused(
        "one empty audience",
        _DRIVERS,
        {"spec": {"tokenRequests": [{"audience": ""}, {"audience": ""}]}},
        ("spec.tokenRequests[1].audience",),
    ),
    Taken("lives of volumes", _DRIVERS, {"spec": {"volumeLifecycleModes": ["Persistent", "Ephemeral"]}}),
    Refused("no other lives", _DRIVERS, {"spec": {"volumeLifecycleModes": ["Odd"]}}, ("spec.volumeLifecycleModes",)),
    Refused("policies of groups", _DRIVERS, {"spec": {"fsGroupPolicy": "Odd"}}, ("spec.fsGroupPolicy",)),
    Taken(
        "drivers of a node",
        _CSI_NODES,
        {"spec": {"drivers": [{"name": "a", "nodeID": "b", "allocatable": {"count": 3}, "topologyKeys": ["c"]}]}},
        {"spec.drivers.0.allocatable.count": 3},
    ),
    Refused("names of drivers", _CSI_NODES, {"spec": {"drivers": [{"nodeID": "b", "topologyKeys": []}]}}, ("spec.drivers[0].name",)),
    Refused("ids of nodes", _CSI_NODES, {"spec": {"drivers": [{"name": "a", "topologyKeys": []}]}}, ("spec.drivers[0].nodeID",)),
    Taken(
        "room",
        _CAPACITIES,
        {"storageClassName": "a", "capacity": "1Gi", "maximumVolumeSize": "1Gi", "nodeTopology": {}},
        {"nodeTopology": {}, "capacity": "1Gi"},
    ),
    Taken("unknown room, nowhere", _CAPACITIES, {"storageClassName": "a"}, {"nodeTopology": None, "capacity": None}),
    Refused("of a class", _CAPACITIES, {}, ("storageClassName",)),
    Refused("a name of a class", _CAPACITIES, {"storageClassName": "A_"}, ("storageClassName",)),
)
_INGRESS, _REVISIONS = "/apis/networking.{g}/v1/ingressclasses", "/apis/apps/v1/namespaces/{ns}/controllerrevisions"
_SCALERS = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
_PRIORITIES = "/apis/scheduling.{g}/v1/priorityclasses"
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}


def ingress_class(**parameters: Json) -> Object:
    return {"spec": {"controller": "a.b/c", "parameters": {"kind": "K", "name": "n", **parameters}}}


_LONG_PATH = "a.b/" + "c" * 246
WORKLOADS = (
    Taken("250 characters", _INGRESS, {"spec": {"controller": _LONG_PATH}}, {"spec.controller": _LONG_PATH}),
    Refused("251 characters", _INGRESS, {"spec": {"controller": _LONG_PATH + "c"}}, ("spec.controller",)),
    Refused("a path with a domain", _INGRESS, {"spec": {"controller": "path"}}, ("spec.controller",)),
    Taken("a scope unless it says", _INGRESS, ingress_class(), {"spec.parameters.scope": "Cluster"}),
    Taken("in a namespace", _INGRESS, ingress_class(scope="Namespace", namespace="a"), {"spec.parameters.namespace": "a"}),
    Refused("in which namespace", _INGRESS, ingress_class(scope="Namespace"), ("spec.parameters.namespace",)),
    Refused("in no namespace", _INGRESS, ingress_class(scope="Cluster", namespace="a"), ("spec.parameters.namespace",)),
    Refused("another scope", _INGRESS, ingress_class(scope="Odd"), ("spec.parameters.scope",)),
    Refused("what kind", _INGRESS, ingress_class(kind=""), ("spec.parameters.kind",)),
    Refused("what name", _INGRESS, ingress_class(name=""), ("spec.parameters.name",)),
    Taken("any state", _REVISIONS, {"revision": 3, "data": {"a": [1]}}, {"data": {"a": [1]}, "revision": 3}),
    Taken("one at least unless it says", _SCALERS, {"spec": {"maxReplicas": 1, "scaleTargetRef": _TARGET}}, {"spec.minReplicas": 1}),
    Refused("at most", _SCALERS, {"spec": {"scaleTargetRef": _TARGET}}, ("spec.maxReplicas", "spec.maxReplicas")),
    Refused(
        "at most less than at least",
        _SCALERS,
        {"spec": {"minReplicas": 2, "maxReplicas": 1, "scaleTargetRef": _TARGET}},
        ("spec.maxReplicas",),
    ),
    Refused("none", _SCALERS, {"spec": {"minReplicas": 0, "maxReplicas": 1, "scaleTargetRef": _TARGET}}, ("spec.minReplicas",)),
    Taken(
        "a percentage",
        _SCALERS,
        {"spec": {"maxReplicas": 1, "scaleTargetRef": _TARGET, "targetCPUUtilizationPercentage": 50}},
        {"spec.targetCPUUtilizationPercentage": 50},
    ),
    Taken("preempts unless it says", _PRIORITIES, {"value": 5}, {"preemptionPolicy": "PreemptLowerPriority", "globalDefault": None}),
    Taken(
        "never preempts",
        _PRIORITIES,
        {"value": -5, "preemptionPolicy": "Never", "description": "d"},
        {"preemptionPolicy": "Never", "value": -5},
    ),
    Refused("another policy", _PRIORITIES, {"value": 5, "preemptionPolicy": "Odd"}, ("preemptionPolicy",)),
)
_ROLES, _BINDINGS = f"{RBAC}/namespaces/{{ns}}/roles", f"{RBAC}/namespaces/{{ns}}/rolebindings"
_CLUSTER_ROLES, _CLUSTER_BINDINGS = f"{RBAC}/clusterroles", f"{RBAC}/clusterrolebindings"
_REF = {"apiGroup": "rbac.authorization.{g}", "kind": "ClusterRole", "name": "r"}


def binding(**subject: Json) -> Object:
    return {"roleRef": _REF, "subjects": [subject]}


def rules(**rule: Json) -> Object:
    return {"rules": [{"verbs": ["*"], **rule}]}


ACCESS = (
    Taken("everything", _ROLES, rules(apiGroups=["*"], resources=["*"], resourceNames=["a"]), {"rules.0.verbs": ["*"]}),
    Refused("verbs", _ROLES, rules(apiGroups=[""], resources=["*"], verbs=[]), ("rules[0].verbs",)),
    Refused("no paths in a namespace", _ROLES, rules(nonResourceURLs=["/a"]), ("rules[0].nonResourceURLs",)),
    Refused(
        "resources or paths",
        _CLUSTER_ROLES,
        rules(apiGroups=[""], resources=["pods"], nonResourceURLs=["/a"]),
        ("rules[0].nonResourceURLs",),
    ),
    *(Taken(f"path {url}", _CLUSTER_ROLES, rules(nonResourceURLs=[url])) for url in ("/a", "/a/*", "/*", "*", "/a/")),
    *(
        Refused(f"path {url}", _CLUSTER_ROLES, rules(nonResourceURLs=[url]), ("rules[0].nonResourceURLs[0]",))
        for url in ("/a*", "/*/a", "/a/**")
    ),
    *(
        Taken(f"a {kind}", _BINDINGS, binding(kind=kind, name="a"), {"subjects.0.apiGroup": "rbac.authorization.{g}"})
        for kind in ("User", "Group")
    ),
    Taken("an account", _BINDINGS, binding(kind="ServiceAccount", name="a", namespace="b"), {"subjects.0.apiGroup": None}),
    *(
        Refused(f"a {kind} of a namespace", path, binding(kind=kind, name="a", namespace="b"), ("subjects[0].namespace",))
        for kind in ("User", "Group")
        for path in (_BINDINGS, _CLUSTER_BINDINGS)
    ),
    Refused("an unknown kind", _BINDINGS, binding(kind="Robot", name="a"), ("subjects[0].kind",)),
    Refused("a name", _BINDINGS, binding(kind="User"), ("subjects[0].name",)),
    Refused("the role's name", _BINDINGS, {"roleRef": {**_REF, "name": ""}}, ("roleRef.name",)),
    Refused("the role's kind", _BINDINGS, {"roleRef": {**_REF, "kind": "Pod"}}, ("roleRef.kind",)),
    Refused("a Role isn't of the cluster", _CLUSTER_BINDINGS, {"roleRef": {**_REF, "kind": "Role"}}, ("roleRef.kind",)),
)
_RANGES = f"{NAMESPACE}/limitranges"
_POLICIES = "/apis/policy/v1beta1/podsecuritypolicies"
_ANY = {"rule": "RunAsAny"}


def limit(**limit: Json) -> Object:
    return {"spec": {"limits": [{"type": "Container", **limit}]}}


def policy(**spec: Json) -> Object:
    return {"spec": {"runAsUser": _ANY, "fsGroup": _ANY, "supplementalGroups": _ANY, "seLinux": _ANY, **spec}}


def _unsafe(about: str, *fields: str, **spec: Json) -> Refused:
    return Refused(about, _POLICIES, policy(**spec), tuple(f"spec.{field}" for field in fields))


POLICY = (
    Taken(
        "all of a limit",
        _RANGES,
        limit(default={"cpu": "2"}, defaultRequest={"cpu": "1"}, max={"cpu": "3"}, min={"cpu": "1"}, maxLimitRequestRatio={"cpu": "2"}),
        {"spec.limits.0.maxLimitRequestRatio": {"cpu": "2"}},
    ),
    Refused("a type", _RANGES, {"spec": {"limits": [{"max": {"cpu": "1"}}]}}, ("spec.limits[0].type", "spec.limits[0].type")),
    Refused(
        "a ratio that can't be",
        _RANGES,
        limit(max={"cpu": "2"}, min={"cpu": "1"}, maxLimitRequestRatio={"cpu": "3"}),
        ("spec.limits[0].maxLimitRequestRatio[cpu]",),
    ),
    Refused("a ratio below one", _RANGES, limit(maxLimitRequestRatio={"cpu": "500m"}), ("spec.limits[0].maxLimitRequestRatio[cpu]",)),
    Refused(
        "least above most",
        _RANGES,
        limit(max={"cpu": "1"}, min={"cpu": "2"}),
        ("spec.limits[0].min[cpu]", "spec.limits[0].defaultRequest[cpu]", "spec.limits[0].default[cpu]"),
    ),
    Taken("rights grow unless it says", _POLICIES, policy(), {"spec.allowPrivilegeEscalation": True, "spec.runAsGroup": None}),
    Refused(
        "what is demanded",
        _POLICIES,
        {"spec": {}},
        ("spec.seLinux.rule", "spec.runAsUser.rule", "spec.supplementalGroups.rule", "spec.fsGroup.rule"),
    ),
    _unsafe("a range the wrong way", "runAsUser.ranges[0].min", runAsUser={"rule": "MustRunAs", "ranges": [{"min": 2, "max": 1}]}),
    _unsafe("ranges of those who must", "runAsUser.ranges", runAsUser={"rule": "MustRunAs"}),
    Refused(
        "both allowed and dropped", _POLICIES, policy(allowedCapabilities=["A"], requiredDropCapabilities=["A"]), ("allowedCapabilities",)
    ),
    Refused(
        "both added and dropped",
        _POLICIES,
        policy(defaultAddCapabilities=["A"], requiredDropCapabilities=["A"]),
        ("defaultAddCapabilities",),
    ),
    _unsafe("no driver", "allowedFlexVolumes[0].driver", allowedFlexVolumes=[{}]),
    _unsafe("no name", "allowedCSIDrivers[0].name", allowedCSIDrivers=[{}]),
    _unsafe("no stars in paths", "allowedHostPaths[0]", allowedHostPaths=[{"pathPrefix": "/a*"}]),
    _unsafe("one star alone", "runtimeClass.allowedRuntimeClassNames", runtimeClass={"allowedRuntimeClassNames": ["*", "a"]}),
    *(
        Taken(f"sysctls {names}", _POLICIES, policy(allowedUnsafeSysctls=names), {"spec.allowedUnsafeSysctls": names})
        for names in (["kernel.msg*"], ["*"], ["net.core.somaxconn"])
    ),
    _unsafe("a star within", "forbiddenSysctls[0]", forbiddenSysctls=["a*b"]),
    *(Taken(f"volumes {names}", _POLICIES, policy(volumes=names)) for names in (["*"], ["configMap", "secret"], [])),
    _unsafe("an unknown source", "volumes", volumes=["odd"]),
)
_SERVICES = "/apis/apiregistration.{g}/v1/apiservices"


def api_service(name: str = "v1.statements.example", **spec: Json) -> Object:
    own = {"group": "statements.example", "version": "v1", "groupPriorityMinimum": 2000, "versionPriority": 10}
    return {"metadata": {"name": name}, "spec": {**own, **spec}}


_SOMEWHERE = {"name": "a", "namespace": "b"}
AGGREGATION = (
    Taken("handled here without a service", _SERVICES, api_service(), {"spec.service": None}),
    Taken("the port of HTTPS unless it says", _SERVICES, api_service(service=_SOMEWHERE), {"spec.service.port": 443}),
    *(
        Refused(f"port {port}", _SERVICES, api_service(service={**_SOMEWHERE, "port": port}), ("spec.service.port",))
        for port in (-1, 0, 65536)
    ),
    Refused("another name", _SERVICES, api_service("v2.statements.example"), ("metadata.name",)),
    Refused("a priority above zero", _SERVICES, api_service(versionPriority=0), ("spec.versionPriority",)),
    Refused("no priority", _SERVICES, api_service(groupPriorityMinimum=None), ("spec.groupPriorityMinimum",)),
    Taken("trust in everybody", _SERVICES, api_service(service=_SOMEWHERE, insecureSkipTLSVerify=True)),
)
_LEASES = "/apis/coordination.{g}/v1/namespaces/{ns}/leases"
_TIME = "2026-01-02T03:04:05.123456Z"
OTHERS = (
    Taken(
        "all of a lease",
        _LEASES,
        {"spec": {"acquireTime": _TIME, "renewTime": _TIME, "holderIdentity": "me", "leaseDurationSeconds": 5, "leaseTransitions": 0}},
        {"spec.acquireTime": _TIME, "spec.renewTime": _TIME, "spec.leaseTransitions": 0},
    ),
    Refused("how long", _LEASES, {"spec": {"leaseDurationSeconds": 0}}, ("spec.leaseDurationSeconds",)),
    Refused("how often", _LEASES, {"spec": {"leaseTransitions": -1}}, ("spec.leaseTransitions",)),
)
STATEMENTS = {
    f"{section}: {'' if isinstance(one, Taken) else 'not '}{one.about}": one
    for section, rows in (
        ("2.2-2.3", CONFIG),
        ("2.4", CLAIMS),
        ("2.5", VOLUMES),
        ("2.6", SOURCES),
        ("2.7-2.11", STORAGES),
        ("2.12-2.15", WORKLOADS),
        ("2.17", ACCESS),
        ("2.18-2.19", POLICY),
        ("2.21", AGGREGATION),
        ("2.22", OTHERS),
    )
    for one in rows
}

_FIXED_MAP = {"data": {"a": "b"}, "immutable": True}
_FIXED_SECRET = {"data": {"a": "Yg=="}, "immutable": True}
_DRIVER = {"spec": {"attachRequired": True, "tokenRequests": [{"audience": "a"}, {"audience": "b"}]}}
_ROOM = {"storageClassName": "a", "capacity": "1Gi", "nodeTopology": {"matchLabels": {"a": "b"}}}
_CHANGES = (
    Changed("data of a ConfigMap", _MAPS, {"data": {"a": "b"}}, {"data": {"a": "c"}}),
    Changed("labels of an immutable ConfigMap", _MAPS, _FIXED_MAP, {"metadata": {"labels": {"a": "b"}}}),
    Changed("data of an immutable ConfigMap", _MAPS, _FIXED_MAP, {"data": {"a": "c"}}, ("data",)),
    Changed("bytes of an immutable ConfigMap", _MAPS, _FIXED_MAP, {"binaryData": {"b": "AA=="}}, ("binaryData",)),
    Changed("what is immutable stays so", _MAPS, _FIXED_MAP, {"immutable": False}, ("immutable",)),
    Changed("data of a Secret", _SECRETS, {"data": {"a": "Yg=="}}, {"data": {"a": "Yw=="}}),
    Changed("labels of an immutable Secret", _SECRETS, _FIXED_SECRET, {"metadata": {"labels": {"a": "b"}}}),
    Changed("data of an immutable Secret", _SECRETS, _FIXED_SECRET, {"data": {"a": "Yw=="}}, ("data",)),
    Changed("data of an immutable Secret as text", _SECRETS, _FIXED_SECRET, {"stringData": {"a": "c"}}, ("data",)),
    Changed("the attaching of a driver", _DRIVERS, _DRIVER, {"spec": {"attachRequired": False}}, ("spec.attachRequired",)),
    Changed("the groups of a driver", _DRIVERS, _DRIVER, {"spec": {"fsGroupPolicy": "None"}}, ("spec.fsGroupPolicy",)),
    Changed("the pods of a driver", _DRIVERS, _DRIVER, {"spec": {"podInfoOnMount": True}}, ("spec.podInfoOnMount",)),
    Changed("the lives of a driver", _DRIVERS, _DRIVER, {"spec": {"volumeLifecycleModes": ["Ephemeral"]}}, ("spec.volumeLifecycleModes",)),
    Changed("the republishing of a driver", _DRIVERS, _DRIVER, {"spec": {"requiresRepublish": True}}),
    Changed("the capacity of a driver", _DRIVERS, _DRIVER, {"spec": {"storageCapacity": True}}),
    Changed("the tokens of a driver", _DRIVERS, _DRIVER, {"spec": {"tokenRequests": [{"audience": "c"}]}}),
    Changed("how much room", _CAPACITIES, _ROOM, {"capacity": "2Gi", "maximumVolumeSize": "1Gi"}),
    Changed("whose room", _CAPACITIES, _ROOM, {"storageClassName": "b"}, ("storageClassName",)),
    Changed("where there is room", _CAPACITIES, _ROOM, {"nodeTopology": {"matchLabels": {"a": "c"}}}, ("nodeTopology",)),
    Changed("a controller", _INGRESS, ingress_class(), {"spec": {"controller": "a.b/d"}}, ("spec.controller",)),
    Changed("parameters", _INGRESS, ingress_class(), {"spec": {"parameters": {"name": "m"}}}),
    Changed("the number of a state", _REVISIONS, {"revision": 1, "data": {"a": 1}}, {"revision": 2}),
    Changed("a state", _REVISIONS, {"revision": 1, "data": {"a": 1}}, {"data": {"a": 2}}, ("data",)),
    Changed(
        "an attachment", _ATTACHMENTS, {"spec": {**_BY, "source": {"persistentVolumeName": "v"}}}, {"spec": {"nodeName": "m"}}, ("spec",)
    ),
    Changed("a value", _PRIORITIES, {"value": 5}, {"value": 6}, ("value",)),
    Changed("a policy", _PRIORITIES, {"value": 5}, {"preemptionPolicy": "Never"}, ("preemptionPolicy",)),
    Changed("a role that is bound", _BINDINGS, {"roleRef": _REF}, {"roleRef": {"name": "s"}}, ("roleRef",)),
    Changed("who is bound", _BINDINGS, {"roleRef": _REF}, {"subjects": [{"kind": "ServiceAccount", "name": "a"}]}),
)
CHANGES = {f"{'not ' if one.fields else ''}{one.about}": one for one in _CHANGES}
