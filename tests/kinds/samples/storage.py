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
}
"""As in `core`. ``{suffix}`` stands for the suffix of the dialect's groups."""
