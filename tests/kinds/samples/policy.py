"""What bounds, ranks and shares out: quotas, limits, priorities, budgets, flow control, devices."""

from svcsim.meta.types import Object

_SELECTORS: list[Object] = [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]
_CONFIG: Object = {"opaque": {"driver": "gpu.example.com", "parameters": {"mode": "shared"}}}
_TOLERATIONS: list[Object] = [
    {"key": "broken", "operator": "Equal", "value": "yes", "effect": "NoExecute", "tolerationSeconds": 5},
    {"operator": "Exists"},
]
_EXACTLY: Object = {
    "deviceClassName": "gpu.example.com",
    "selectors": _SELECTORS,
    "allocationMode": "ExactCount",
    "count": 2,
    "adminAccess": False,
    "tolerations": _TOLERATIONS,
    "capacity": {"requests": {"memory": "1Gi"}},
}
_CLAIM: Object = {
    "devices": {
        "requests": [
            {"name": "gpu", "exactly": _EXACTLY},
            {
                "name": "either",
                "firstAvailable": [
                    {"name": "big", "deviceClassName": "big.example.com", "allocationMode": "All", "selectors": _SELECTORS},
                    {"name": "small", "deviceClassName": "small.example.com", "allocationMode": "ExactCount", "count": 1},
                ],
            },
        ],
        "constraints": [
            {"requests": ["gpu", "either/big"], "matchAttribute": "gpu.example.com/numa"},
            {"distinctAttribute": "gpu.example.com/slot"},
        ],
        "config": [{"requests": ["gpu"], **_CONFIG}],
    }
}

FULL: dict[str, Object] = {
    "v1 LimitRange": {
        "spec": {
            "limits": [
                {
                    "type": "Container",
                    "max": {"cpu": "4", "memory": "4Gi"},
                    "min": {"cpu": "50m", "memory": "32Mi"},
                    "default": {"cpu": "2", "memory": "1Gi"},
                    "defaultRequest": {"cpu": "1", "memory": "512Mi"},
                    "maxLimitRequestRatio": {"cpu": "4"},
                },
                {"type": "Pod", "max": {"cpu": "8"}, "min": {"cpu": "100m"}},
                {"type": "PersistentVolumeClaim", "max": {"storage": "10Gi"}, "min": {"storage": "1Gi"}},
            ]
        }
    },
    "v1 ResourceQuota": {
        "spec": {
            "hard": {"cpu": "10", "limits.memory": "20Gi", "pods": "10"},
            "scopes": ["NotTerminating"],
            "scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high", "low"]}]},
        }
    },
    "policy/v1 PodDisruptionBudget": {
        "spec": {
            "minAvailable": "50%",
            "selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        }
    },
    "policy/v1beta1 PodSecurityPolicy": {
        "spec": {
            "privileged": True,
            "defaultAddCapabilities": ["CHOWN"],
            "requiredDropCapabilities": ["SYS_ADMIN"],
            "allowedCapabilities": ["NET_ADMIN", "NET_RAW"],
            "volumes": ["configMap", "csi"],
            "hostNetwork": True,
            "hostPorts": [{"min": 8000, "max": 8080}],
            "hostPID": True,
            "hostIPC": True,
            "seLinux": {"rule": "MustRunAs", "seLinuxOptions": {"user": "u", "role": "r", "type": "t", "level": "s0"}},
            "runAsUser": {"rule": "MustRunAsNonRoot"},
            "runAsGroup": {"rule": "MayRunAs", "ranges": [{"min": 1, "max": 9}]},
            "supplementalGroups": {"rule": "MustRunAs", "ranges": [{"min": 1, "max": 1}]},
            "fsGroup": {"rule": "RunAsAny"},
            "readOnlyRootFilesystem": True,
            "defaultAllowPrivilegeEscalation": True,
            "allowPrivilegeEscalation": True,
            "allowedHostPaths": [{"pathPrefix": "/var", "readOnly": True}],
            "allowedFlexVolumes": [{"driver": "example.com/flex"}],
            "allowedCSIDrivers": [{"name": "csi.example.com"}],
            "allowedUnsafeSysctls": ["kernel.msg*"],
            "forbiddenSysctls": ["net.ipv4.route.min_pmtu"],
            "allowedProcMountTypes": ["Default", "Unmasked"],
            "runtimeClass": {"allowedRuntimeClassNames": ["gvisor", "runc"], "defaultRuntimeClassName": "runc"},
        }
    },
    "scheduling/v1 PriorityClass": {
        "value": 1000,
        "description": "For what must be there soon",
        "preemptionPolicy": "Never",
    },
    "node/v1 RuntimeClass": {
        "handler": "gvisor",
        "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}},
        "scheduling": {
            "nodeSelector": {"runtime": "gvisor"},
            "tolerations": [{"key": "runtime", "operator": "Equal", "value": "gvisor", "effect": "NoExecute", "tolerationSeconds": 60}],
        },
    },
    "flowcontrol.apiserver/v1 FlowSchema": {
        "spec": {
            "priorityLevelConfiguration": {"name": "workload-low"},
            "matchingPrecedence": 2000,
            "distinguisherMethod": {"type": "ByNamespace"},
            "rules": [
                {
                    "subjects": [
                        {"kind": "User", "user": {"name": "jane"}},
                        {"kind": "Group", "group": {"name": "*"}},
                        {"kind": "ServiceAccount", "serviceAccount": {"namespace": "default", "name": "robot"}},
                    ],
                    "resourceRules": [
                        {
                            "verbs": ["get", "list"],
                            "apiGroups": ["apps"],
                            "resources": ["*"],
                            "clusterScope": True,
                            "namespaces": ["default"],
                        }
                    ],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz", "/metrics/*"]}],
                }
            ],
        }
    },
    "flowcontrol.apiserver/v1 PriorityLevelConfiguration": {
        "spec": {
            "type": "Limited",
            "limited": {
                "nominalConcurrencyShares": 100,
                "limitResponse": {"type": "Queue", "queuing": {"queues": 512, "handSize": 4, "queueLengthLimit": 100}},
                "lendablePercent": 50,
                "borrowingLimitPercent": 200,
            },
        }
    },
    "resource/v1 DeviceClass": {
        "spec": {"selectors": _SELECTORS, "config": [_CONFIG], "extendedResourceName": "example.com/gpu"},
    },
    "resource/v1 ResourceClaim": {"spec": _CLAIM},
    "resource/v1 ResourceClaimTemplate": {
        "spec": {"metadata": {"labels": {"a": "b"}, "annotations": {"example.com/c": "d"}}, "spec": _CLAIM},
    },
    "resource/v1 ResourceSlice": {
        "spec": {
            "driver": "gpu.example.com",
            "pool": {"name": "node-1/gpus", "generation": 3, "resourceSliceCount": 1},
            "nodeName": "node-1",
            "devices": [
                {
                    "name": "gpu-0",
                    "attributes": {"slot": {"int": 0}, "gpu.example.com/driver": {"version": "1.2.3-rc.1"}, "ecc": {"bool": True}},
                    "capacity": {
                        "memory": {
                            "value": "16Gi",
                            "requestPolicy": {"default": "1Gi", "validRange": {"min": "1Gi", "max": "16Gi", "step": "1Gi"}},
                        }
                    },
                    "consumesCounters": [{"counterSet": "shared", "counters": {"memory": {"value": "8Gi"}}}],
                    "taints": [{"key": "old", "value": "yes", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}],
                    "bindsToNode": True,
                    "bindingConditions": ["example.com/ready"],
                    "bindingFailureConditions": ["example.com/failed"],
                    "allowMultipleAllocations": True,
                }
            ],
        }
    },
}
"""What an object of each kind has beside its metadata."""
