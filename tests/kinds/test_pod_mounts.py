"""What makes mounts and devices of containers wrong."""

import pytest

from tests.kinds.wrong_pods import CONTAINER, check, of_one, pod

CLAIMED = {"name": "c", "persistentVolumeClaim": {"claimName": "c"}}
MOUNTS = [
    ({"volumeMounts": [{"mountPath": "/a"}]}, ["volumeMounts[0].name: Required value"]),
    ({"volumeMounts": [{"name": "v"}]}, ["volumeMounts[0].mountPath: Required value"]),
    ({"volumeMounts": [{"name": "w", "mountPath": "/a"}]}, ['volumeMounts[0].name: Not found: "w"']),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "/abs"}]},
        ['volumeMounts.subPath: Invalid value: "/abs": must be a relative path'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "a/.."}]},
        ["volumeMounts.subPath: Invalid value: \"a/..\": must not contain '..'"],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "a", "subPathExpr": "$(A)"}]},
        ['volumeMounts[0].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive'],
    ),
    (
        {"volumeMounts": [{"name": "i", "mountPath": "/a", "subPath": "x"}]},
        ['volumeMounts[0].subPath: Invalid value: "x": not allowed in image volume sources'],
    ),
    (
        {"volumeMounts": [{"name": "i", "mountPath": "/a", "subPathExpr": "x"}]},
        ['volumeMounts[0].subPathExpr: Invalid value: "x": not allowed in image volume sources'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "mountPropagation": "Unknown"}]},
        ['volumeMounts.mountPropagation: Unsupported value: "Unknown": supported values: "Bidirectional", "HostToContainer", "None"'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled"}]},
        ["volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
    ),
    (
        {
            "volumeMounts": [
                {"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled", "readOnly": True, "mountPropagation": "HostToContainer"}
            ]
        },
        ["volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified"],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "recursiveReadOnly": "x"}]},
        ['volumeMounts.recursiveReadOnly: Unsupported value: "x": supported values: "Disabled", "Enabled", "IfPossible"'],
    ),
    ({"volumeDevices": [{"name": "w", "devicePath": "/a"}]}, ['volumeDevices[0].name: Not found: "w"']),
    (
        {"volumeDevices": [{"name": "v", "devicePath": "/a"}]},
        ['volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'],
    ),
    ({"volumeDevices": [{"name": "c"}]}, ["volumeDevices[0].devicePath: Required value"]),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a/.."}]},
        ["volumeDevices[0].devicePath: Invalid value: \"/a/..\": can not contain backsteps ('..')"],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}, {"name": "c", "devicePath": "/a"}]},
        [
            'volumeDevices[1].name: Invalid value: "c": must be unique',
            'volumeDevices[1].devicePath: Invalid value: "/a": must be unique',
        ],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}], "volumeMounts": [{"name": "c", "mountPath": "/b"}]},
        [
            'volumeMounts[0].name: Invalid value: "c": must not already exist in volumeDevices',
            'volumeDevices[0].name: Invalid value: "c": must not already exist in volumeMounts',
        ],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}], "volumeMounts": [{"name": "v", "mountPath": "/a"}]},
        [
            'volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
            'volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts',
        ],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), MOUNTS)
def test_mounts_and_devices(fields, expected):
    volumes = [{"name": "v"}, CLAIMED, {"name": "i", "image": {"reference": "r"}}]
    check(pod(containers=[{**CONTAINER, **fields}], volumes=volumes), of_one(expected))
