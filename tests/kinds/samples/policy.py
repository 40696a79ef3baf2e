"""What bounds, ranks and shares out: quotas, limits, priorities, budgets, flow control, devices."""

from svcsim.meta.types import Object

FULL: dict[str, Object] = {
    "v1 LimitRange": {
        "spec": {
            "limits": [
                {
                    "type": "Container",
                    "max": {"cpu": "4", "memory": "4Gi"},
                    "min": {"cpu": "500m", "memory": "128Mi"},
                    "default": {"cpu": "2", "memory": "1Gi"},
                    "defaultRequest": {"cpu": "1", "memory": "512Mi"},
                    "maxLimitRequestRatio": {"cpu": "4"},
                },
                {"type": "Pod", "max": {"cpu": "8"}, "min": {"cpu": "1"}},
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
    "scheduling/v1 PriorityClass": {
        "value": 1000,
        "globalDefault": True,
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
}
"""What an object of each kind has beside its metadata."""
