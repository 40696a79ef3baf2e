"""Whole objects of workloads: every field that can be set together with the others."""

from svcsim.meta.types import Object
from tests.kinds.samples.core import FULL as CORE

_LABELS: Object = {"app": "web", "tier": "front"}
_SELECTOR: Object = {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}]}
_POD: Object = {name: value for name, value in CORE["v1 Pod"]["spec"].items() if name not in ("restartPolicy", "activeDeadlineSeconds")}
_TEMPLATE: Object = {
    "metadata": {"labels": _LABELS, "annotations": {"example.com/note": "pod"}},
    "spec": {**_POD, "restartPolicy": "Always"},
}
_ENDING: Object = {**_TEMPLATE, "spec": {**_POD, "restartPolicy": "Never"}}
_JOB: Object = {
    "parallelism": 3,
    "completions": 5,
    "activeDeadlineSeconds": 600,
    "podFailurePolicy": {
        "rules": [
            {"action": "FailIndex", "onExitCodes": {"containerName": "main", "operator": "In", "values": [1, 42]}},
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        ]
    },
    "successPolicy": {"rules": [{"succeededIndexes": "0,2-4", "succeededCount": 3}]},
    "backoffLimit": 9,
    "backoffLimitPerIndex": 2,
    "maxFailedIndexes": 4,
    "template": _ENDING,
    "ttlSecondsAfterFinished": 60,
    "completionMode": "Indexed",
    "suspend": True,
    "podReplacementPolicy": "Failed",
    "managedBy": "example.com/nobody",
}
_CLAIM: Object = {
    "metadata": {"name": "data", "labels": {"app": "web"}, "annotations": {"example.com/note": "claim"}},
    "spec": {
        "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
        "storageClassName": "slow",
        "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": "1Gi"}, "limits": {"storage": "2Gi"}},
        "selector": {"matchLabels": {"disk": "ssd"}},
    },
}

FULL: dict[str, Object] = {
    "v1 PodTemplate": {"template": _TEMPLATE},
    "v1 ReplicationController": {"spec": {"replicas": 2, "minReadySeconds": 3, "selector": {"app": "web"}, "template": _TEMPLATE}},
    "apps/v1 ControllerRevision": {"revision": 7, "data": {"spec": {"template": {"$patch": "replace", "spec": {"containers": []}}}}},
    "apps/v1 DaemonSet": {
        "spec": {
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "30%", "maxSurge": 0}},
            "minReadySeconds": 3,
            "revisionHistoryLimit": 4,
        }
    },
    "apps/v1 Deployment": {
        "spec": {
            "replicas": 2,
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "30%", "maxSurge": 1}},
            "minReadySeconds": 3,
            "revisionHistoryLimit": 4,
            "paused": True,
            "progressDeadlineSeconds": 60,
        }
    },
    "apps/v1 ReplicaSet": {"spec": {"replicas": 2, "minReadySeconds": 3, "selector": _SELECTOR, "template": _TEMPLATE}},
    "apps/v1 StatefulSet": {
        "spec": {
            "replicas": 2,
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "volumeClaimTemplates": [_CLAIM],
            "serviceName": "web",
            "podManagementPolicy": "Parallel",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1, "maxUnavailable": "30%"}},
            "revisionHistoryLimit": 4,
            "minReadySeconds": 3,
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
            "ordinals": {"start": 5},
        }
    },
    "batch/v1 CronJob": {
        "spec": {
            "schedule": "*/5 1-3 * jan MON-FRI",
            "timeZone": "Europe/Paris",
            "startingDeadlineSeconds": 30,
            "concurrencyPolicy": "Forbid",
            "suspend": True,
            "jobTemplate": {"metadata": {"labels": _LABELS, "annotations": {"example.com/note": "job"}}, "spec": _JOB},
            "successfulJobsHistoryLimit": 5,
            "failedJobsHistoryLimit": 0,
        }
    },
    "batch/v1 Job": {"spec": _JOB},
}
