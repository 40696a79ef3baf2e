"""What the walk of the schema over a usual pod of 2 KiB costs: reading, defaults and validation.

    python -m tests.kinds.pod_walk

It prints microseconds, of the quietest moment of many: other work on the machine only ever adds to them.
"""

import json
from collections.abc import Callable

from svcsim.kinds.core.pod import POD
from svcsim.meta.types import Object
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from svcsim.wall import stopwatch

WALK = compile_struct(object_struct(POD.schema))
_ROUNDS = 10_000
_CONTAINER: Object = {
    "name": "web",
    "image": "registry.example.com/team/app:1.2.3",
    "args": ["--port=8080", "--log-level=info", "--cache=/data/cache", "--config=/etc/app/config.yaml"],
    "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
    "env": [
        {"name": "MODE", "value": "production"},
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "database", "key": "password"}}},
    ],
    "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "500m", "memory": "256Mi"}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "config", "mountPath": "/etc/app", "readOnly": True}],
    "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
    "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "initialDelaySeconds": 5},
    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True},
}
_SELECTOR: Object = {"matchLabels": {"app": "web", "tier": "front"}}
_NEAR: Object = {"labelSelector": _SELECTOR, "topologyKey": "kubernetes.io/hostname"}
USUAL_POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web-7d4b9c5f6-x2x9k", "namespace": "default", "labels": {"app": "web", "tier": "front"}},
    "spec": {
        "containers": [_CONTAINER],
        "initContainers": [{"name": "init", "image": "busybox:1.36", "command": ["sh", "-c", "until nslookup database; do sleep 1; done"]}],
        "serviceAccountName": "web",
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
        "volumes": [{"name": "data", "emptyDir": {}}, {"name": "config", "configMap": {"name": "app"}}],
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": _NEAR}]}},
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": _SELECTOR}
        ],
    },
}


def walk() -> Object:
    """One walk; what it makes of the pod."""
    pod, unknown = WALK.decode(USUAL_POD)
    WALK.default(pod)
    assert not unknown
    assert not WALK.validate(pod)
    return pod


def _microseconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(_ROUNDS):
        begun = stopwatch()
        work()
        best = min(best, stopwatch() - begun)
    return best * 1e6


def main() -> None:
    pod = walk()
    print(f"a pod of {len(json.dumps(USUAL_POD))} bytes")
    for name, work in (("reading", lambda: WALK.decode(USUAL_POD)), ("validation", lambda: WALK.validate(pod)), ("the whole walk", walk)):
        print(f"{name}: {_microseconds(work):.0f} µs")


if __name__ == "__main__":
    main()
