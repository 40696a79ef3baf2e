"""Every write that the kinds serve, worked out from what they declare: of an object and through each subresource, in every form it has."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.types import Object
from svcsim.registry.admission import Operation
from svcsim.registry.kind import Kind
from tests.kinds.helpers import KINDS
from tests.kinds.samples.access import FULL
from tests.kinds.samples.admission import FULL as POLICIES

CONTAINER: Object = {"name": "c", "image": "nginx:1.29"}
TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}
WORKLOAD: Object = {"spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}}
ENDING: Object = {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}
ABOUT: Object = {"kind": "Pod", "namespace": "default", "name": "p"}
STORAGE: Object = {"storage": "1Gi"}

NAME = "one"
"""Of the object that is written."""
NAMES: dict[str, str] = {
    "apiextensions/v1 CustomResourceDefinition": "things.example.com",
    "apiregistration/v1 APIService": "v1.example.com",
    "networking/v1 IPAddress": "192.0.2.1",
}
"""Where it can't be that."""

SAMPLES: dict[str, Object] = {
    "v1 ConfigMap": {"data": {"k": "1"}},
    "v1 Endpoints": {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]},
    "v1 Event": {"involvedObject": ABOUT, "reason": "Seen"},
    "v1 LimitRange": {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "2"}}]}},
    "v1 Namespace": {},
    "v1 Node": {"spec": {"unschedulable": True}},
    "v1 PersistentVolumeClaim": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": STORAGE}}},
    "v1 PersistentVolume": {"spec": {"accessModes": ["ReadWriteOnce"], "capacity": STORAGE, "hostPath": {"path": "/tmp"}}},
    "v1 Pod": {"spec": {"containers": [CONTAINER]}},
    "v1 PodTemplate": {"template": TEMPLATE},
    "v1 ResourceQuota": {"spec": {"hard": {"pods": "10"}}},
    "v1 Secret": {"data": {"k": "MQ=="}},
    "v1 ServiceAccount": {"automountServiceAccountToken": False},
    "v1 Service": {"spec": {"type": "ExternalName", "externalName": "example.com"}},
    "v1 ReplicationController": {"spec": {"replicas": 1, "selector": {"a": "b"}, "template": TEMPLATE}},
    "apps/v1 ControllerRevision": {"data": {"spec": {"replicas": 1}}, "revision": 1},
    "apps/v1 DaemonSet": {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}},
    "apps/v1 Deployment": WORKLOAD,
    "apps/v1 ReplicaSet": WORKLOAD,
    "apps/v1 StatefulSet": WORKLOAD,
    "events/v1 Event": {
        "regarding": ABOUT,
        "reason": "Seen",
        "type": "Normal",
        "action": "Looking",
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "reportingController": "example.com/test",
        "reportingInstance": "test-1",
    },
    "autoscaling/v2 HorizontalPodAutoscaler": {"spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}},
    "autoscaling/v1 HorizontalPodAutoscaler": {
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "targetCPUUtilizationPercentage": 50}
    },
    "storage/v1 CSIDriver": {"spec": {"podInfoOnMount": True}},
    "storage/v1 CSINode": {"spec": {"drivers": [{"name": "a.example.com", "nodeID": "n"}]}},
    "storage/v1 CSIStorageCapacity": {"storageClassName": "fast"},
    "storage/v1 StorageClass": {"provisioner": "a.example.com"},
    "storage/v1 VolumeAttachment": {"spec": {"attacher": "a.example.com", "source": {"persistentVolumeName": "v"}, "nodeName": "n"}},
    "storage/v1 VolumeAttributesClass": {"driverName": "a.example.com", "parameters": {"iops": "5"}},
    "networking/v1 IngressClass": {"spec": {"controller": "example.com/ingress"}},
    "networking/v1 Ingress": {"spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}},
    "networking/v1 NetworkPolicy": {"spec": {"podSelector": {}}},
    "policy/v1 PodDisruptionBudget": {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}},
    "policy/v1beta1 PodSecurityPolicy": {
        "spec": {name: {"rule": "RunAsAny"} for name in ("seLinux", "runAsUser", "supplementalGroups", "fsGroup")}
    },
    "scheduling/v1 PriorityClass": {"value": 10},
    "networking/v1 IPAddress": {"spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "web"}}},
    "networking/v1 ServiceCIDR": {"spec": {"cidrs": ["172.20.0.0/24"]}},
    "apiregistration/v1 APIService": {
        "spec": {"group": "example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15}
    },
    "batch/v1 CronJob": {"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": ENDING}}}},
    "batch/v1 Job": {"spec": {"suspend": True, "template": ENDING}},
    "coordination/v1 Lease": {"spec": {"holderIdentity": "one"}},
    "node/v1 RuntimeClass": {"handler": "runc"},
    **POLICIES,
    "authentication/v1 SelfSubjectReview": {},
    "authentication/v1 TokenReview": {"spec": {"token": "t"}},
    "authorization/v1 LocalSubjectAccessReview": {"spec": {"user": "jane", "resourceAttributes": {"namespace": "default", "verb": "get"}}},
    "authorization/v1 SelfSubjectAccessReview": {"spec": {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}}},
    "authorization/v1 SelfSubjectRulesReview": {"spec": {"namespace": "default"}},
    "authorization/v1 SubjectAccessReview": {"spec": {"groups": ["dev"], "resourceAttributes": {"resource": "pods", "verb": "get"}}},
    "certificates/v1 CertificateSigningRequest": FULL["certificates/v1 CertificateSigningRequest"],
    "rbac.authorization/v1 ClusterRoleBinding": {"roleRef": {"kind": "ClusterRole", "name": "view"}},
    "rbac.authorization/v1 ClusterRole": {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}]},
    "rbac.authorization/v1 RoleBinding": {"roleRef": {"kind": "Role", "name": "view"}},
    "rbac.authorization/v1 Role": {"rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]},
    "discovery/v1 EndpointSlice": {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}]},
    "apiextensions/v1 CustomResourceDefinition": {
        "spec": {
            "group": "example.com",
            "names": {"plural": "things", "kind": "Thing"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        }
    },
    "flowcontrol.apiserver/v1 FlowSchema": {"spec": {"priorityLevelConfiguration": {"name": "workload-low"}}},
    "flowcontrol.apiserver/v1 PriorityLevelConfiguration": {"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}},
    "resource/v1 DeviceClass": {"spec": {"selectors": [{"cel": {"expression": "true"}}]}},
    "resource/v1 ResourceClaim": {"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "b"}}]}}},
    "resource/v1 ResourceClaimTemplate": {
        "spec": {"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "b"}}]}}}
    },
    "resource/v1 ResourceSlice": {
        "spec": {"driver": "example.com", "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1}, "allNodes": True}
    },
}
"""What an object of each kind has beside its metadata."""

BODIES: dict[str, tuple[str, Object]] = {
    "pods/binding": ("v1 Binding", {"target": {"kind": "Node", "name": "n"}}),
    "pods/eviction": ("policy/v1 Eviction", {"deleteOptions": {"gracePeriodSeconds": 7}}),
    "serviceaccounts/token": ("authentication/v1 TokenRequest", {"spec": {"audiences": ["a"], "expirationSeconds": 600}}),
    "deployments/scale": ("autoscaling/v1 Scale", {"spec": {"replicas": 3}}),
    "replicasets/scale": ("autoscaling/v1 Scale", {"spec": {"replicas": 3}}),
    "replicationcontrollers/scale": ("autoscaling/v1 Scale", {"spec": {"replicas": 3}}),
    "statefulsets/scale": ("autoscaling/v1 Scale", {"spec": {"replicas": 3}}),
}
"""What is sent to a subresource that doesn't take the object itself."""

CONNECTIONS: dict[str, tuple[str, str, Object]] = {
    "pods/exec": (
        "v1 PodExecOptions",
        "?command=ls&command=-l&container=c&stdin=true&tty=false",
        {"command": ["ls", "-l"], "container": "c", "stdin": True, "tty": False},
    ),
    "pods/attach": ("v1 PodAttachOptions", "?container=c&stdout=1", {"container": "c", "stdout": True}),
    **{
        f"{plural}/proxy": (f"v1 {kind}ProxyOptions", "/index.html?path=/else", {"path": "/index.html"})
        for plural, kind in (("nodes", "Node"), ("pods", "Pod"), ("services", "Service"))
    },
    "pods/portforward": ("v1 PodPortForwardOptions", "?ports=80&ports=443", {"ports": [80, 443]}),
}
"""What is asked of a subresource that connects, and the options that stands for."""

YET_TO_COME: dict[str, Object] = {
    "v1 Namespace": {"spec": {"finalizers": None}},
    "v1 PersistentVolume": {"status": {"lastPhaseTransitionTime": None}},
    "v1 Pod": {"status": {"phase": None, "qosClass": None}},
    "apps/v1 DaemonSet": {"metadata": {"annotations": None}},
    "apiregistration/v1 APIService": {"status": {"conditions": None}},
    "certificates/v1 CertificateSigningRequest": {"spec": {"username": None, "uid": None, "groups": None, "extra": None}},
    "batch/v1 Job": {"metadata": {"labels": None}, "spec": {"selector": None, "template": {"metadata": None}}},
    "apiextensions/v1 CustomResourceDefinition": {"status": {"storedVersions": None}},
}
"""Parts of new objects that the server fills in after the mutating plugins, as a merge patch that takes them away again."""

CHANGE: Object = {"metadata": {"annotations": {"example.com/changed": "yes"}}}
"""What an update, a patch or an apply changes in an object: what may be sent through every window on it."""


class Way(NamedTuple):
    """One form in which a verb is asked for."""

    verb: str
    method: str
    operation: Operation
    options: str = ""
    """The kind of the options object that admission sees."""
    media: str = "application/json"
    on: Literal["object", "collection", "nothing"] = "object"
    """What the path names: the object, the collection it is in, or an object that isn't there yet."""


WAYS: dict[str, Way] = {
    "create": Way("create", "POST", "CREATE", "CreateOptions", on="collection"),
    "update": Way("update", "PUT", "UPDATE", "UpdateOptions"),
    "update that creates": Way("update", "PUT", "CREATE", "CreateOptions", on="nothing"),
    "merge patch": Way("patch", "PATCH", "UPDATE", "PatchOptions", "application/merge-patch+json"),
    "strategic merge patch": Way("patch", "PATCH", "UPDATE", "PatchOptions", "application/strategic-merge-patch+json"),
    "json patch": Way("patch", "PATCH", "UPDATE", "PatchOptions", "application/json-patch+json"),
    "apply": Way("patch", "PATCH", "UPDATE", "PatchOptions", "application/apply-patch+yaml"),
    "apply that creates": Way("patch", "PATCH", "CREATE", "CreateOptions", "application/apply-patch+yaml", on="nothing"),
    "delete": Way("delete", "DELETE", "DELETE", "DeleteOptions"),
    "deletecollection": Way("deletecollection", "DELETE", "DELETE", "DeleteOptions", on="collection"),
}
CONNECT_WAYS = {
    f"connect by {method}": Way(verb, method, "CONNECT")
    for method, verb in (("GET", "get"), ("POST", "create"), ("PUT", "update"), ("PATCH", "patch"), ("DELETE", "delete"))
}


class Write(NamedTuple):
    """One of them: a way, on an object of a kind, or through a subresource of it."""

    kind: Kind
    subresource: str
    way: Way

    @property
    def resource(self) -> str:
        """As discovery and the rules of plugins name it."""
        return f"{self.kind.plural}/{self.subresource}" if self.subresource else self.kind.plural

    @property
    def name(self) -> str:
        """Of the object that is written."""
        return NAMES.get(known_as(self.kind), NAME)

    @property
    def begins_with_nothing(self) -> bool:
        """Whether the object is not there before."""
        return self.way.operation == "CREATE" and not self.subresource

    def api_version(self, dialect: Dialect) -> str:
        """Of the object, as that says it."""
        return f"{self.kind.group.name(dialect)}/{self.kind.group.version}".lstrip("/")

    def sent_kind(self, dialect: Dialect) -> str:
        """Version and kind of what is sent."""
        declared = next((window for window in self.kind.subresources if window.name == self.subresource), None)
        if declared is not None and declared.body is not None and declared.group is not None:
            return f"{declared.group.name(dialect)}/{declared.group.version} {declared.kind}".lstrip("/")
        kind, *_ = BODIES.get(self.resource) or CONNECTIONS.get(self.resource) or (f"{self.api_version(dialect)} {self.kind.name}",)
        return kind

    def sample(self, dialect: Dialect) -> Object:
        """An object of the kind."""
        about: Object = {"apiVersion": self.api_version(dialect), "kind": self.kind.name, "metadata": {"name": self.name}}
        if self.kind.answered:
            del about["metadata"]
        return {**about, **SAMPLES[known_as(self.kind)]}

    def group_version_path(self, dialect: Dialect) -> str:
        """The path of the group version."""
        version = self.api_version(dialect)
        return f"{'/apis' if '/' in version else '/api'}/{version}"

    def collection(self, dialect: Dialect) -> str:
        """The path of the collection the object is in."""
        namespace = "namespaces/default/" if self.kind.namespaced else ""
        return f"{self.group_version_path(dialect)}/{namespace}{self.kind.plural}"

    def path(self, dialect: Dialect) -> str:
        """The path that is asked."""
        collection = self.collection(dialect)
        if self.subresource:
            return f"{collection}/{self.name}/{self.subresource}"
        return collection if self.way.on == "collection" else f"{collection}/{self.name}"


def known_as(kind: Kind) -> str:
    """The key of a kind in ``SAMPLES``; the same in every dialect."""
    return f"{kind.group.base}/{kind.group.version} {kind.name}".lstrip("/")


def _writes() -> Iterator[tuple[str, Write]]:
    for kind in KINDS:
        if kind.stands_for:
            continue  # a write of it is one of what it stands for
        for name, way in WAYS.items():
            if way.verb in kind.verbs and (name != "update that creates" or kind.update_creates):
                yield f"{known_as(kind)}: {name}", Write(kind, "", way)
        for window in kind.subresources:
            ways = {"connect": CONNECT_WAYS, "get": {}, "": WAYS}[window.handler]
            for name, way in ways.items():
                if way.verb in window.verbs and way.on != "nothing":
                    yield f"{known_as(kind)}/{window.name}: {name}", Write(kind, window.name, way)


WRITES = dict(_writes())
