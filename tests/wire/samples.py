"""One small object of every kind, good enough to be created: what it has beside apiVersion, kind and metadata."""

from ipaddress import ip_address

from svcsim.meta.types import Json, Object
from tests.kinds.samples.access import FULL
from tests.kinds.samples.admission import FULL as POLICIES

_LABELS = {"app": "web"}
_SELECTOR = {"matchLabels": _LABELS}
_POD_SPEC = {"schedulerName": "nobody", "containers": [{"name": "main", "image": "nginx:1.29"}]}
_TEMPLATE = {"metadata": {"labels": _LABELS}, "spec": _POD_SPEC}
_JOB_TEMPLATE = {"metadata": {"labels": _LABELS}, "spec": {**_POD_SPEC, "restartPolicy": "Never"}}
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}

SAMPLES: dict[str, Object] = {
    "APIService": {"spec": {"group": "{group}", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15}},
    **{key.partition(" ")[2]: fields for key, fields in POLICIES.items()},
    "CertificateSigningRequest": FULL["certificates/v1 CertificateSigningRequest"],
    "ConfigMap": {"data": {"a": "1"}},
    "ControllerRevision": {"revision": 1, "data": {"spec": {}}},
    "ClusterRole": {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
    "ClusterRoleBinding": {"roleRef": {"apiGroup": "{rbac}", "kind": "ClusterRole", "name": "view"}},
    "CronJob": {"spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": _JOB_TEMPLATE}}}},
    "CustomResourceDefinition": {
        "spec": {
            "group": "{group}",
            "names": {"plural": "{plural}", "kind": "{plural}"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        }
    },
    "DaemonSet": {"spec": {"selector": _SELECTOR, "template": _TEMPLATE}},
    "Deployment": {"spec": {"replicas": 0, "selector": _SELECTOR, "template": _TEMPLATE}},
    "DeviceClass": {"spec": {"selectors": [{"cel": {"expression": "true"}}]}},
    "EndpointSlice": {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}], "ports": [{"name": "http", "port": 80}]},
    "Endpoints": {"subsets": [{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}]},
    "Event": {"involvedObject": {"kind": "Pod", "namespace": "{ns}", "name": "a"}, "reason": "Tested", "message": "m", "type": "Normal"},
    "Event.events": {
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "example.com/tests",
        "reportingInstance": "tests-1",
        "action": "Testing",
        "regarding": {"kind": "Pod", "namespace": "{ns}", "name": "a"},
        "reason": "Tested",
        "note": "m",
        "type": "Normal",
    },
    "FlowSchema": {"spec": {"priorityLevelConfiguration": {"name": "workload-low"}}},
    "HorizontalPodAutoscaler": {"spec": {"maxReplicas": 3, "scaleTargetRef": _TARGET}},
    "Ingress": {"spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}},
    "IngressClass": {"spec": {"controller": "example.com/ingress"}},
    "IPAddress": {"spec": {"parentRef": {"resource": "services", "namespace": "{ns}", "name": "web"}}},
    "Job": {"spec": {"suspend": True, "template": _JOB_TEMPLATE}},
    "Lease": {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 10}},
    "LimitRange": {"spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}},
    "Namespace": {},
    "NetworkPolicy": {"spec": {"podSelector": {}}},
    "Node": {},
    "PersistentVolume": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/data"},
            "storageClassName": "none",
        }
    },
    "PersistentVolumeClaim": {
        # Of a class that no volume here has: bound to a claim that another test left, one couldn't be deleted any more.
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "other", "resources": {"requests": {"storage": "1Gi"}}}
    },
    "Pod": {"spec": _POD_SPEC},
    "PodDisruptionBudget": {"spec": {"minAvailable": 1, "selector": _SELECTOR}},
    "PodSecurityPolicy": {"spec": {name: {"rule": "RunAsAny"} for name in ("seLinux", "runAsUser", "supplementalGroups", "fsGroup")}},
    "PodTemplate": {"template": _TEMPLATE},
    "PriorityLevelConfiguration": {"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}},
    "PriorityClass": {"value": 1000},
    "ReplicaSet": {"spec": {"replicas": 0, "selector": _SELECTOR, "template": _TEMPLATE}},
    "ReplicationController": {"spec": {"replicas": 0, "selector": _LABELS, "template": _TEMPLATE}},
    "ResourceClaim": {"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "b"}}]}}},
    "ResourceClaimTemplate": {"spec": {"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "b"}}]}}}},
    "ResourceSlice": {"spec": {"driver": "example.com", "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1}, "allNodes": True}},
    "ResourceQuota": {"spec": {"hard": {"services": "100"}}},
    "Role": {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
    "RoleBinding": {"roleRef": {"apiGroup": "{rbac}", "kind": "ClusterRole", "name": "view"}},
    "RuntimeClass": {"handler": "none"},
    "Secret": {"stringData": {"password": "s3cret"}},
    "Service": {"spec": {"type": "LoadBalancer", "selector": _LABELS, "ports": [{"port": 80}]}},
    "ServiceAccount": {},
    "ServiceCIDR": {"spec": {"cidrs": ["198.19.0.0/24"]}},
    "StatefulSet": {"spec": {"replicas": 0, "serviceName": "web", "selector": _SELECTOR, "template": _TEMPLATE}},
    "CSIDriver": {"spec": {"attachRequired": False}},
    "CSINode": {"spec": {"drivers": [{"name": "disks.example.com", "nodeID": "n"}]}},
    "CSIStorageCapacity": {"storageClassName": "fast", "capacity": "1Gi"},
    "StorageClass": {"provisioner": "example.com/disk"},
    "VolumeAttachment": {"spec": {"attacher": "disks.example.com", "source": {"persistentVolumeName": "v"}, "nodeName": "n"}},
    "VolumeAttributesClass": {"driverName": "disks.example.com", "parameters": {"iops": "5"}},
}
"""By kind; ``Kind.group`` where the same kind looks different in another group."""

FIRST_FREE = ip_address("198.18.0.0")

STATUSES: dict[str, Object] = {
    "CustomResourceDefinition": {"storedVersions": ["v1"]},
    "Deployment": {"replicas": 3},
    "Ingress": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
    "Namespace": {"phase": "Active"},
    "Node": {"phase": "Running"},
    "PersistentVolume": {"phase": "Available"},
    "PersistentVolumeClaim": {"phase": "Pending"},
    "Pod": {"phase": "Running"},
    "ReplicaSet": {"replicas": 3},
    "VolumeAttachment": {"attached": True},
    "Service": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1", "ipMode": "VIP"}]}},
    "StatefulSet": {"collisionCount": 0},  # as its controller says at once, which nobody may take back
}


def named(kind: str, fresh: str) -> str:
    """A fresh name as one of the kind can have it, where it says what the object is about."""
    if kind == "IPAddress":
        return str(FIRST_FREE + int(fresh.rpartition("-")[2]))
    if kind == "APIService":
        return f"v1.{fresh}.example.com"
    return f"{fresh}.example.com" if kind == "CustomResourceDefinition" else fresh


def sample(kind: str, group: str) -> Object | None:
    """The object of a kind, if there is one."""
    return SAMPLES.get(f"{kind}.{group}", SAMPLES.get(kind))


def filled(value: Json, **words: str) -> Json:
    """The value with ``{ns}``, ``{rbac}``, ``{group}`` and the like in its strings and in the names of its fields replaced."""
    if isinstance(value, dict):
        return {filled(name, **words): filled(item, **words) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, **words) for item in value]
    if isinstance(value, str):
        for word, meaning in words.items():
            value = value.replace(f"{{{word}}}", meaning)
    return value
