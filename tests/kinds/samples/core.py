"""Whole objects of the core group's kinds, of autoscalers, events and leases: every field that can be set together with the others."""

from svcsim.meta.types import Object

_PROBE: Object = {"initialDelaySeconds": 1, "timeoutSeconds": 2, "periodSeconds": 3, "successThreshold": 1, "failureThreshold": 4}
_RESOURCES: Object = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "64Mi"}}
_CONTAINER: Object = {
    "name": "main",
    "image": "nginx:1.29",
    "command": ["nginx"],
    "args": ["-g", "daemon off;"],
    "workingDir": "/srv",
    "ports": [{"name": "http", "containerPort": 8080, "hostPort": 8080, "hostIP": "10.0.0.1", "protocol": "TCP"}],
    "envFrom": [
        {"prefix": "CM_", "configMapRef": {"name": "settings", "optional": True}},
        {"secretRef": {"name": "keys", "optional": True}},
    ],
    "env": [
        {"name": "PLAIN", "value": "1"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
        {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"containerName": "main", "resource": "limits.cpu", "divisor": "1"}}},
        {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a", "optional": True}}},
        {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "b", "optional": False}}},
    ],
    "resources": _RESOURCES,
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch", "subPath": "a", "readOnly": True, "mountPropagation": "None"}],
    "livenessProbe": {**_PROBE, "httpGet": {"path": "/live", "port": "http", "host": "example.com", "scheme": "HTTP"}},
    "readinessProbe": {**_PROBE, "tcpSocket": {"port": 8080}},
    "startupProbe": {**_PROBE, "exec": {"command": ["true"]}},
    "lifecycle": {"postStart": {"exec": {"command": ["true"]}}, "preStop": {"sleep": {"seconds": 1}}},
    "terminationMessagePath": "/dev/end",
    "terminationMessagePolicy": "FallbackToLogsOnError",
    "imagePullPolicy": "Always",
    "securityContext": {
        "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]},
        "privileged": False,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "runAsNonRoot": True,
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "procMount": "Default",
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "stdin": True,
    "stdinOnce": True,
    "tty": True,
}
_NODE_TERM: Object = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
_POD_TERM: Object = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone", "namespaces": ["default"]}

FULL: dict[str, Object] = {
    "v1 ConfigMap": {"data": {"a": "1", "b": "two\nlines\n"}, "binaryData": {"c": "AAE="}, "immutable": True},
    "v1 Secret": {"data": {"username": "YQ==", "password": "Yg=="}, "type": "{domain}/basic-auth", "immutable": True},
    "v1 Namespace": {},
    "v1 Event": {
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "{ns}", "name": "web", "fieldPath": "spec.containers{main}"},
        "reason": "Pulled",
        "message": "Pulled the image",
        "source": {"component": "kubelet", "host": "node-1"},
        "firstTimestamp": "2026-01-02T03:04:05Z",
        "lastTimestamp": "2026-01-02T03:05:05Z",
        "count": 3,
        "type": "Normal",
        "reportingComponent": "kubelet",
        "reportingInstance": "node-1",
    },
    "v1 Node": {
        "spec": {
            "podCIDR": "10.244.9.0/24",
            "podCIDRs": ["10.244.9.0/24"],
            "providerID": "sim://one",
            "unschedulable": True,
            "taints": [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}],
        }
    },
    "v1 Pod": {
        "spec": {
            "volumes": [{"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}],
            "initContainers": [{"name": "prepare", "image": "busybox:1.37", "resources": _RESOURCES}],
            "containers": [_CONTAINER],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 5,
            "activeDeadlineSeconds": 3600,
            "dnsPolicy": "None",
            "dnsConfig": {"nameservers": ["10.0.0.10"], "searches": ["example.com"], "options": [{"name": "ndots", "value": "2"}]},
            "nodeSelector": {"disk": "ssd"},
            "serviceAccountName": "default",
            "automountServiceAccountToken": False,
            "shareProcessNamespace": True,
            "securityContext": {
                "runAsUser": 1000,
                "runAsGroup": 1000,
                "runAsNonRoot": True,
                "supplementalGroups": [2000],
                "fsGroup": 2000,
                "fsGroupChangePolicy": "OnRootMismatch",
                "sysctls": [{"name": "net.core.somaxconn", "value": "1024"}],
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "imagePullSecrets": [{"name": "registry"}],
            "hostname": "web",
            "subdomain": "pods",
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_NODE_TERM]},
                    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "preference": _NODE_TERM}],
                },
                "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": _POD_TERM}]},
                "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_POD_TERM]},
            },
            "schedulerName": "nobody",
            "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoExecute", "tolerationSeconds": 60}],
            "hostAliases": [{"ip": "10.0.0.2", "hostnames": ["db"]}],
            "readinessGates": [{"conditionType": "example.com/ready"}],
            "enableServiceLinks": False,
            "preemptionPolicy": "PreemptLowerPriority",
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                }
            ],
            "setHostnameAsFQDN": False,
            "os": {"name": "linux"},
            "schedulingGates": [{"name": "example.com/wait"}],
        }
    },
    "events/v1 Event": {
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "series": {"count": 2, "lastObservedTime": "2026-01-02T03:05:05.000006Z"},
        "reportingController": "example.com/tests",
        "reportingInstance": "tests-1",
        "action": "Testing",
        "reason": "Tested",
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": "{ns}", "name": "web"},
        "related": {"apiVersion": "v1", "kind": "Node", "name": "node-1"},
        "note": "Tried it",
        "type": "Warning",
    },
    "autoscaling/v2 HorizontalPodAutoscaler": {
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2,
            "maxReplicas": 9,
            "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}},
                {
                    "type": "ContainerResource",
                    "containerResource": {"name": "memory", "container": "main", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
                },
                {
                    "type": "Object",
                    "object": {
                        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "web"},
                        "metric": {"name": "hits", "selector": {"matchLabels": {"a": "b"}}},
                        "target": {"type": "Value", "value": "100"},
                    },
                },
                {"type": "Pods", "pods": {"metric": {"name": "busy"}, "target": {"type": "AverageValue", "averageValue": "3"}}},
                {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "30"}}},
            ],
            "behavior": {
                "scaleUp": {
                    "stabilizationWindowSeconds": 5,
                    "selectPolicy": "Max",
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
                },
                "scaleDown": {
                    "stabilizationWindowSeconds": 300,
                    "selectPolicy": "Min",
                    "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}],
                },
            },
        }
    },
    "autoscaling/v1 HorizontalPodAutoscaler": {
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2,
            "maxReplicas": 9,
            "targetCPUUtilizationPercentage": 70,
        }
    },
    "coordination/v1 Lease": {
        "spec": {
            "holderIdentity": "me",
            "leaseDurationSeconds": 15,
            "acquireTime": "2026-01-02T03:04:05.000006Z",
            "renewTime": "2026-01-02T03:05:05.000006Z",
            "leaseTransitions": 2,
        }
    },
}
"""What each has beside apiVersion, kind and metadata. ``{ns}`` stands for its namespace, ``{domain}`` for the domain of the dialect."""
