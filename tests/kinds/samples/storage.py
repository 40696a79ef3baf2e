"""Whole objects of the kinds of storage: every field that can be set together with the others."""

from svcsim.meta.types import Object

_SECRET: Object = {"name": "keys", "namespace": "default"}
_SNAPSHOT: Object = {"apiGroup": "snapshot.storage.{suffix}", "kind": "VolumeSnapshot", "name": "monday"}
_CSI: Object = {
    "driver": "disks.example.com",
    "volumeHandle": "disk-1",
    "readOnly": True,
    "fsType": "ext4",
    "volumeAttributes": {"tier": "gold", "zone": "a"},
    "controllerPublishSecretRef": _SECRET,
    "nodeStageSecretRef": _SECRET,
    "nodePublishSecretRef": _SECRET,
    "controllerExpandSecretRef": _SECRET,
    "nodeExpandSecretRef": _SECRET,
}
_NODES: Object = {
    "required": {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [
                    {"key": "topology.{domain}/zone", "operator": "In", "values": ["a", "b"]},
                    {"key": "disk", "operator": "Exists"},
                ],
                "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}],
            },
            {"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["3"]}]},
        ]
    }
}

FULL: dict[str, Object] = {
    "v1 PersistentVolumeClaim": {
        "spec": {
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
            "resources": {"requests": {"storage": "1Gi"}, "limits": {"storage": "2Gi"}},
            "volumeName": "disk-1",
            "selector": {"matchLabels": {"tier": "gold"}, "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
            "storageClassName": "fast",
            "volumeMode": "Filesystem",
            "dataSource": _SNAPSHOT,
            "dataSourceRef": _SNAPSHOT,
            "volumeAttributesClassName": "gold",
        }
    },
    "v1 PersistentVolume": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "csi": _CSI,
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
            "claimRef": {
                "kind": "PersistentVolumeClaim",
                "namespace": "{ns}",
                "name": "elsewhere",
                "uid": "2d1c1a6e-0000-4000-8000-000000000001",
                "apiVersion": "v1",
                "resourceVersion": "1",
            },
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": "fast",
            "mountOptions": ["ro", "noatime"],
            "volumeMode": "Filesystem",
            "nodeAffinity": _NODES,
            "volumeAttributesClassName": "gold",
        }
    },
    "storage/v1 StorageClass": {
        "metadata": {"annotations": {"example.com/note": "whole", "example.com/more": "x"}},
        "provisioner": "disks.example.com",
        "parameters": {"tier": "gold", "iops": "100"},
        "reclaimPolicy": "Retain",
        "mountOptions": ["ro", "noatime"],
        "allowVolumeExpansion": True,
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowedTopologies": [
            {
                "matchLabelExpressions": [
                    {"key": "topology.{domain}/zone", "values": ["a", "b"]},
                    {"key": "disk", "values": ["ssd"]},
                ]
            },
            {"matchLabelExpressions": [{"key": "disk", "values": ["nvme"]}]},
        ],
    },
    "storage/v1 VolumeAttributesClass": {"driverName": "disks.example.com", "parameters": {"iops": "500"}},
    "storage/v1 VolumeAttachment": {
        "spec": {
            "attacher": "disks.example.com",
            "source": {
                "inlineVolumeSpec": {
                    "csi": _CSI,
                    "accessModes": ["ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Retain",
                    "mountOptions": ["ro"],
                    "volumeMode": "Filesystem",
                    "volumeAttributesClassName": "gold",
                }
            },
            "nodeName": "node-1",
        }
    },
    "storage/v1 CSIDriver": {
        "spec": {
            "attachRequired": False,
            "podInfoOnMount": True,
            "volumeLifecycleModes": ["Persistent", "Ephemeral"],
            "storageCapacity": True,
            "fsGroupPolicy": "File",
            "tokenRequests": [{"audience": "vault", "expirationSeconds": 3600}, {"audience": ""}],
            "requiresRepublish": True,
            "seLinuxMount": True,
            "nodeAllocatableUpdatePeriodSeconds": 60,
            "serviceAccountTokenInSecrets": True,
            "preventPodSchedulingIfMissing": True,
        }
    },
    "storage/v1 CSINode": {
        "spec": {
            "drivers": [
                {
                    "name": "disks.example.com",
                    "nodeID": "i-1",
                    "topologyKeys": ["topology.{domain}/zone", "disk"],
                    "allocatable": {"count": 25},
                },
                {"name": "shares.example.com", "nodeID": "i-1"},
            ]
        }
    },
    "storage/v1 CSIStorageCapacity": {
        "nodeTopology": {"matchLabels": {"disk": "ssd"}, "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
        "storageClassName": "fast",
        "capacity": "100Gi",
        "maximumVolumeSize": "10Gi",
    },
}
"""As in `core`. ``{suffix}`` stands for the suffix of the dialect's groups."""
