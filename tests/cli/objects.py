"""The fixed objects that golden tests show to svcsim and to kubectl."""

from copy import deepcopy


def make(kind, name, api_version="v1", **parts):
    """An object; ``metadata`` is merged with the name."""
    metadata = {"name": name, **parts.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


T0 = "2124-01-31T12:00:00Z"
T1 = "2124-01-31T12:00:05Z"
"""In the future, so that every age is ``<invalid>``, today and tomorrow."""

CONTAINER = {
    "name": "app",
    "image": "nginx:1.25",
    "imagePullPolicy": "IfNotPresent",
    "command": ["sh", "-c"],
    "args": ["echo hello\nsleep 1"],
    "ports": [{"name": "http", "containerPort": 80, "protocol": "TCP"}, {"containerPort": 8443, "protocol": "TCP"}],
    "env": [
        {"name": "PLAIN", "value": "x y"},
        {"name": "MULTI", "value": "one\ntwo"},
        {"name": "FROM_FIELD", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
        {"name": "FROM_SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
        {"name": "FROM_CM", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
        {"name": "FROM_RES", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "c"}}, {"prefix": "P_", "secretRef": {"name": "s", "optional": True}}],
    "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}, "requests": {"cpu": "250m", "memory": "64Mi"}},
    "livenessProbe": {
        "httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"},
        "initialDelaySeconds": 3, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
    },
    "readinessProbe": {
        "exec": {"command": ["cat", "/tmp/ready"]}, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
    },
    "startupProbe": {"tcpSocket": {"port": 80}, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 30},
    "volumeMounts": [
        {"name": "data", "mountPath": "/data", "subPath": "sub"},
        {"name": "kube-api-access-abcde", "mountPath": "/var/run/secrets", "readOnly": True},
    ],
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}  # fmt: skip

POD = make(
    "Pod",
    "web-1",
    metadata={
        "labels": {"app": "web", "tier": "front"},
        "annotations": {"example.com/note": "short", "example.com/long": "line one\nline two"},
        "uid": "11111111-0000-4000-8000-000000000001",
        "generateName": "web-",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}],
    },
    spec={
        "nodeName": "node-1",
        "serviceAccountName": "default",
        "priority": 0,
        "priorityClassName": "high",
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "dedicated", "operator": "Equal", "value": "web", "effect": "NoSchedule"},
            {"operator": "Exists"},
        ],
        "initContainers": [{"name": "init", "image": "busybox", "resources": {}, "command": ["true"]}],
        "containers": [CONTAINER, {"name": "side", "image": "busybox:1", "resources": {}}],
        "volumes": [
            {"name": "data", "emptyDir": {}},
            {"name": "cfg", "configMap": {"name": "c", "defaultMode": 420}},
            {"name": "sec", "secret": {"secretName": "s", "defaultMode": 420}},
            {"name": "host", "hostPath": {"path": "/tmp", "type": ""}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "pvc"}},
            {"name": "down", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}], "defaultMode": 420}},
            {
                "name": "kube-api-access-abcde",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
                    ],
                    "defaultMode": 420,
                },
            },
        ],
    },
    status={
        "phase": "Running",
        "qosClass": "Burstable",
        "hostIP": "10.0.0.1",
        "podIP": "10.1.0.7",
        "podIPs": [{"ip": "10.1.0.7"}],
        "startTime": T0,
        "conditions": [
            {"type": "Initialized", "status": "True"},
            {"type": "Ready", "status": "True"},
            {"type": "ContainersReady", "status": "True"},
            {"type": "PodScheduled", "status": "True"},
        ],
        "initContainerStatuses": [
            {
                "name": "init", "image": "busybox", "imageID": "busybox@sha256:1", "containerID": "containerd://1", "ready": True, "restartCount": 0,
                "state": {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": T0, "finishedAt": T1}},
            }
        ],
        "containerStatuses": [
            {
                "name": "app", "image": "nginx:1.25", "imageID": "nginx@sha256:2", "containerID": "containerd://2", "ready": True, "restartCount": 2,
                "state": {"running": {"startedAt": T1}},
                "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "message": "killed", "startedAt": T0, "finishedAt": T1}},
            },
            {
                "name": "side", "image": "busybox:1", "imageID": "", "ready": False, "restartCount": 0,
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
            },
        ],
    },
)  # fmt: skip

PENDING_POD = make(
    "Pod",
    "web-2",
    metadata={"labels": {"app": "web"}, "uid": "11111111-0000-4000-8000-000000000002"},
    spec={"containers": [{"name": "app", "image": "nginx", "resources": {}}], "restartPolicy": "Never"},
    status={
        "phase": "Pending",
        "qosClass": "BestEffort",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}],
    },
)

NODE = make(
    "Node",
    "node-1",
    metadata={
        "labels": {"kubernetes.io/hostname": "node-1", "node-role.kubernetes.io/worker": ""},
        "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        "uid": "22222222-0000-4000-8000-000000000001",
    },
    spec={
        "podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"], "providerID": "svcsim://node-1", "unschedulable": True,
        "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, {"key": "dedicated", "value": "web", "effect": "NoExecute"}],
    },
    status={
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": "node-1"}],
        "capacity": {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"},
        "allocatable": {"cpu": "3900m", "memory": "15Gi", "ephemeral-storage": "90Gi", "pods": "110"},
        "conditions": [
            {"type": "MemoryPressure", "status": "False", "lastHeartbeatTime": T1, "lastTransitionTime": T0, "reason": "KubeletHasSufficientMemory", "message": "kubelet has sufficient memory available"},
            {"type": "Ready", "status": "True", "lastHeartbeatTime": T1, "lastTransitionTime": T0, "reason": "KubeletReady", "message": "kubelet is posting ready status"},
        ],
        "nodeInfo": {
            "machineID": "m", "systemUUID": "s", "bootID": "b", "kernelVersion": "6.1.0", "osImage": "Debian 12", "operatingSystem": "linux",
            "architecture": "amd64", "containerRuntimeVersion": "containerd://1.7", "kubeletVersion": "v1.34.0", "kubeProxyVersion": "v1.34.0",
        },
    },
)  # fmt: skip

LEASE = make(
    "Lease",
    "node-1",
    "coordination.k8s.io/v1",
    metadata={"namespace": "kube-node-lease"},
    spec={"holderIdentity": "node-1", "leaseDurationSeconds": 40, "renewTime": "2124-01-31T12:00:05.123456Z"},
)

DEPLOYMENT = make(
    "Deployment",
    "web",
    "apps/v1",
    metadata={"labels": {"app": "web"}, "annotations": {"deployment.kubernetes.io/revision": "2"}, "generation": 2, "uid": "33333333-0000-4000-8000-000000000001"},
    spec={
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["front", "back"]}]},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
        "minReadySeconds": 5,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "template": {
            "metadata": {"labels": {"app": "web"}, "annotations": {"a": "b"}},
            "spec": {"serviceAccountName": "bot", "containers": [CONTAINER], "volumes": [{"name": "data", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}]},
        },
    },
    status={
        "observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 2, "availableReplicas": 2, "unavailableReplicas": 1,
        "conditions": [
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "ok", "lastUpdateTime": T0, "lastTransitionTime": T0},
            {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "ok", "lastUpdateTime": T0, "lastTransitionTime": T0},
        ],
    },
)  # fmt: skip


def replica_set(name, revision, replicas):
    """A ReplicaSet of the deployment."""
    template = deepcopy(DEPLOYMENT["spec"]["template"])
    template["metadata"]["labels"]["pod-template-hash"] = name.removeprefix("web-")
    if revision == 2:
        pass
    else:
        template["spec"]["containers"][0]["image"] = "nginx:1.24"
    return make(
        "ReplicaSet",
        name,
        "apps/v1",
        metadata={
            "labels": {"app": "web", "pod-template-hash": name.removeprefix("web-"), "tier": "front"},
            "annotations": {"deployment.kubernetes.io/revision": str(revision), "deployment.kubernetes.io/desired-replicas": "3"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "web",
                    "uid": "33333333-0000-4000-8000-000000000001",
                    "controller": True,
                }
            ],
        },
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web", "pod-template-hash": name.removeprefix("web-")}},
            "template": template,
        },
        status={"replicas": replicas, "readyReplicas": replicas},
    )


SERVICE = make(
    "Service",
    "web",
    metadata={"labels": {"app": "web"}},
    spec={
        "type": "NodePort", "clusterIP": "10.96.0.10", "clusterIPs": ["10.96.0.10"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
        "selector": {"app": "web", "tier": "front"}, "sessionAffinity": "None", "internalTrafficPolicy": "Cluster", "externalTrafficPolicy": "Cluster",
        "ports": [
            {"name": "http", "port": 80, "targetPort": "http", "nodePort": 30080, "protocol": "TCP"},
            {"name": "tls", "port": 443, "targetPort": 8443, "nodePort": 30443, "protocol": "TCP"},
        ],
    },
    status={"loadBalancer": {}},
)  # fmt: skip

EVENTS = [
    make(
        "Event",
        "web-1.1",
        involvedObject={"kind": "Pod", "namespace": "default", "name": "web-1", "uid": "11111111-0000-4000-8000-000000000001", "apiVersion": "v1", "fieldPath": "spec.containers{app}"},
        type="Normal", reason="Pulled", message="Container image already present", source={"component": "kubelet", "host": "node-1"},
        firstTimestamp=T0, lastTimestamp=T1, count=3,
    ),
    make(
        "Event",
        "web-1.2",
        involvedObject={"kind": "Pod", "namespace": "default", "name": "web-1", "uid": "11111111-0000-4000-8000-000000000001", "apiVersion": "v1"},
        type="Warning", reason="BackOff", message="Back-off restarting\nfailed container", source={"component": "kubelet", "host": "node-1"},
        firstTimestamp=T1, lastTimestamp=T1, count=1,
    ),
    make(
        "Event",
        "web-1.3",
        involvedObject={"kind": "Pod", "namespace": "default", "name": "web-1", "uid": "11111111-0000-4000-8000-000000000001", "apiVersion": "v1"},
        type="Normal", reason="Scheduled", message="Successfully assigned default/web-1 to node-1", reportingComponent="default-scheduler", source={},
        eventTime="2124-01-31T12:00:00.500000Z", firstTimestamp=None, lastTimestamp=None,
    ),
]  # fmt: skip

OBJECTS = [
    *(make("Namespace", name, spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"}) for name in ("default", "kube-system")),
    make("Namespace", "labelled", metadata={"labels": {"team": "a"}, "annotations": {"x": "y"}}, status={"phase": "Terminating", "conditions": [
        {"type": "NamespaceContentRemaining", "status": "True", "lastTransitionTime": T0, "reason": "SomeResourcesRemain", "message": "pods. has 1 resource instances"}]}),
    POD,
    PENDING_POD,
    NODE,
    LEASE,
    DEPLOYMENT,
    replica_set("web-aaaa", 1, 0),
    replica_set("web-bbbb", 2, 3),
    SERVICE,
    make("Service", "headless", metadata={}, spec={"type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"], "sessionAffinity": "None", "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]}, status={"loadBalancer": {}}),
    make("Endpoints", "web", subsets=[{"addresses": [{"ip": "10.1.0.7"}, {"ip": "10.1.0.8"}], "notReadyAddresses": [{"ip": "10.1.0.9"}], "ports": [{"name": "http", "port": 80, "protocol": "TCP"}, {"name": "tls", "port": 8443, "protocol": "TCP"}]}]),
    make("EndpointSlice", "web-xyz", "discovery.k8s.io/v1", metadata={"labels": {"kubernetes.io/service-name": "web"}}, addressType="IPv4",
         endpoints=[{"addresses": ["10.1.0.7"], "conditions": {"ready": True}}, {"addresses": ["10.1.0.8"], "conditions": {"ready": True}}],
         ports=[{"name": "http", "port": 80, "protocol": "TCP"}, {"name": "tls", "port": 8443, "protocol": "TCP"}]),
    make("ConfigMap", "c", metadata={"labels": {"app": "web"}}, data={"k": "v", "multi": "one\ntwo\n", "empty": ""}, binaryData={"bin": "AAEC"}),
    make("ConfigMap", "kube-root-ca.crt", data={"ca.crt": "PEM"}),
    make("Secret", "s", type="Opaque", data={"longer": "MTIzNDU2Nzg5MA=="}),
    make("ServiceAccount", "default"),
    make("ServiceAccount", "bot", secrets=[{"name": "bot-token"}], imagePullSecrets=[{"name": "registry"}]),
    make("Widget", "w", "example.com/v1", metadata={"labels": {"a": "b"}, "managedFields": [{"manager": "m"}]}, spec={"size": 3, "tags": ["x", "y"], "deepName": {"innerURL": "u", "flag": True, "none": None}, "parts": [{"name": "p", "ports": [1, 2]}, {"name": "q"}], "empty": {}, "none": []}, status={"phase": "Ready"}),
    *EVENTS,
]  # fmt: skip

LOGS = {
    ("default", "web-1", "app"): "line one\nline two\n",
    ("default", "web-1", "side"): "side\n",
    ("default", "web-2", "app"): "two\n",
}
"""By namespace, pod and container."""
