"""The kinds of the storage group: what is filled in, what is wrong with each, what may change of it, and its line in a table."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.storage.csi_driver import CSI_DRIVER
from svcsim.kinds.storage.csi_node import CSI_NODE
from svcsim.kinds.storage.csi_storage_capacity import CSI_STORAGE_CAPACITY
from svcsim.kinds.storage.storage_class import STORAGE_CLASS
from svcsim.kinds.storage.volume_attachment import VOLUME_ATTACHMENT
from svcsim.kinds.storage.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import change_findings, context, created, filled, findings, row, texts
from tests.kinds.storage_cases import IMMUTABLE, MODES, QUALIFIED, SUBDOMAIN

TOO_LONG = "Too long: may not be more than"
MANY = {f"k{number}": "v" for number in range(513)}
LARGE = {"k": "v" * 256 * 1024}
TWO_SLASHES = f"a qualified name {QUALIFIED[10:]} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
EMPTY_KEY = 'parameters: Invalid value: "": field can not be empty.'


def changed(given, change):
    """An object with other fields; None takes one away."""
    return {name: value for name, value in {**given, **change}.items() if value is not None}


# StorageClass

SLOW = {"provisioner": "example.com/disk", "parameters": {"tier": "iron"}}


def zones(*values, key="zone"):
    return {"matchLabelExpressions": [{"key": key, "values": list(values)}]}


def test_a_storage_class_is_completed():
    done = filled(STORAGE_CLASS, {"provisioner": "a"})
    assert done == {"provisioner": "a", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"parameters": None, "mountOptions": ["odd one"], "allowVolumeExpansion": True}, []),
        ({"provisioner": None}, ["provisioner: Required value"]),
        ({"provisioner": ""}, ["provisioner: Required value"]),
        ({"provisioner": "Example.com/Disk"}, []),
        ({"provisioner": "a!"}, [f'provisioner: Invalid value: "a!": {QUALIFIED}']),
        ({"provisioner": "/disk"}, ['provisioner: Invalid value: "/disk": prefix part must be non-empty']),
        ({"provisioner": "a/b/c"}, [f'provisioner: Invalid value: "a/b/c": {TWO_SLASHES}']),
        ({"parameters": {}}, []),
        ({"parameters": {"": "v"}}, [EMPTY_KEY]),
        ({"parameters": MANY}, [f"parameters: {TOO_LONG} 512 bytes"]),
        ({"parameters": LARGE}, [f"parameters: {TOO_LONG} 262144 bytes"]),
        ({"reclaimPolicy": "Retain"}, []),
        ({"reclaimPolicy": "Recycle"}, ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"']),
        ({"reclaimPolicy": ""}, []),
        ({"volumeBindingMode": "WaitForFirstConsumer"}, []),
        (
            {"volumeBindingMode": "Odd"},
            ['volumeBindingMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"'],
        ),
        (
            {"volumeBindingMode": ""},
            ['volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"'],
        ),
        ({"allowedTopologies": [zones("a", "b"), zones("c")]}, []),
        ({"allowedTopologies": [{}]}, []),
        ({"allowedTopologies": [zones()]}, ["allowedTopologies[0].matchLabelExpressions[0].values: Required value"]),
        ({"allowedTopologies": [zones("a", key="")]}, ["allowedTopologies[0].matchLabelExpressions[0].key: Required value"]),
        (
            {"allowedTopologies": [zones("a", key="a!")]},
            [f'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "a!": {QUALIFIED}'],
        ),
        (
            {"allowedTopologies": [zones("a", "a")]},
            ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"'],
        ),
        (
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "zone", "values": ["b"]}]}]},
            ['allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'],
        ),
        (
            {"allowedTopologies": [zones("a", "b"), zones("b", "a")]},
            ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
        ),
        ({"allowedTopologies": [zones("a"), zones("a", key="host")]}, []),
    ],
)
def test_what_is_wrong_with_a_storage_class(change, expected):
    assert findings(STORAGE_CLASS, changed(SLOW, change)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"allowVolumeExpansion": True, "mountOptions": ["ro"], "allowedTopologies": [zones("a")]}, []),
        ({"parameters": {"tier": "gold"}}, ["parameters: Forbidden: updates to parameters are forbidden."]),
        ({"parameters": None}, ["parameters: Forbidden: updates to parameters are forbidden."]),
        ({"provisioner": "other"}, ["provisioner: Forbidden: updates to provisioner are forbidden."]),
        ({"reclaimPolicy": "Retain"}, ["reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."]),
        ({"volumeBindingMode": "WaitForFirstConsumer"}, [f'volumeBindingMode: Invalid value: "WaitForFirstConsumer": {IMMUTABLE}']),
    ],
)
def test_what_may_change_of_a_storage_class(change, expected):
    assert change_findings(STORAGE_CLASS, SLOW, changed(SLOW, change)) == expected


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_a_storage_class_warns_of_labels_that_are_on_their_way_out(dialect):
    old, new = dialect.key("zone", "failure-domain.beta"), dialect.key("zone", "topology")
    (warnings,) = STORAGE_CLASS.strategy.warnings
    assert list(warnings({"allowedTopologies": [zones("a", key=new), zones("a", key=old)]})) == [
        f'allowedTopologies[1].matchLabelExpressions[0].key: {old} is deprecated since v1.17; use "{new}" instead'
    ]


@pytest.mark.parametrize(
    ("mark", "value", "shown"),
    [
        ("storageclass.{}/is-default-class", "true", "fast (default)"),
        ("storageclass.beta.{}/is-default-class", "true", "fast (default)"),
        ("storageclass.{}/is-default-class", "false", "fast"),
        ("example.com/{}", "true", "fast"),
    ],
)
@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_the_default_class_is_marked(dialect, mark, value, shown):
    given = {"metadata": {"name": "fast", "annotations": {mark.format(dialect.domain): value}}, **SLOW}
    assert STORAGE_CLASS.columns[0].value(given, context(dialect)) == shown


def test_a_storage_class_in_one_line():
    assert not STORAGE_CLASS.name_column
    given = {"metadata": {"name": "slow"}, **SLOW}
    assert row(STORAGE_CLASS, {**given, "reclaimPolicy": "Retain", "allowVolumeExpansion": True}) == {
        "Name": "slow",
        "Provisioner": "example.com/disk",
        "ReclaimPolicy": "Retain",
        "VolumeBindingMode": "Immediate",
        "AllowVolumeExpansion": True,
        "Age": "<unknown>",
    }
    assert row(STORAGE_CLASS, given)["AllowVolumeExpansion"] is False


# VolumeAttributesClass

GOLD = {"driverName": "disks.example.com", "parameters": {"iops": "500"}}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"driverName": None}, ["driverName: Required value"]),
        ({"driverName": ""}, ["driverName: Required value"]),
        ({"driverName": "a!"}, [f'driverName: Invalid value: "a!": {QUALIFIED}']),
        ({"driverName": "Disks.Example.com"}, []),
        ({"parameters": None}, ["parameters: Required value: must contain at least one key/value pair"]),
        ({"parameters": {}}, ["parameters: Required value: must contain at least one key/value pair"]),
        ({"parameters": {"": "v"}}, [EMPTY_KEY]),
        ({"parameters": MANY}, [f"parameters: {TOO_LONG} 512 bytes"]),
        ({"parameters": LARGE}, [f"parameters: {TOO_LONG} 262144 bytes"]),
    ],
)
def test_what_is_wrong_with_a_volume_attributes_class(change, expected):
    assert findings(VOLUME_ATTRIBUTES_CLASS, changed(GOLD, change)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"driverName": "other"}, ["driverName: Forbidden: updates to driverName are forbidden."]),
        ({"parameters": {"iops": "600"}}, ["parameters: Forbidden: updates to parameters are forbidden."]),
        ({"parameters": {"iops": "500", "more": "1"}}, ["parameters: Forbidden: updates to parameters are forbidden."]),
    ],
)
def test_nothing_changes_of_a_volume_attributes_class(change, expected):
    assert change_findings(VOLUME_ATTRIBUTES_CLASS, GOLD, changed(GOLD, change)) == expected


def test_a_volume_attributes_class_in_one_line():
    assert row(VOLUME_ATTRIBUTES_CLASS, GOLD) == {"DriverName": "disks.example.com", "Age": "<unknown>"}


# VolumeAttachment

INLINE = {"csi": {"driver": "d.example.com", "volumeHandle": "h"}, "accessModes": ["ReadWriteOnce"]}
ATTACH = {"attacher": "d.example.com", "source": {"persistentVolumeName": "v"}, "nodeName": "n"}
NO_INLINE = "may not be specified in the context of inline volumes"
ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def inline(**change):
    return {"source": {"inlineVolumeSpec": changed(INLINE, change)}}


def test_an_attachment_begins_detached():
    done = created(VOLUME_ATTACHMENT, {"spec": ATTACH, "status": {"attached": True}})
    assert done["status"] == {"attached": False}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        (inline(), []),
        ({"attacher": ""}, ["attacher: Required value"]),
        ({"attacher": "a_b"}, [f'attacher: Invalid value: "a_b": {SUBDOMAIN}']),
        ({"attacher": "a" * 64}, [f"attacher: {TOO_LONG} 63 bytes"]),
        ({"attacher": "D.Example.com"}, []),
        ({"nodeName": ""}, ["nodeName: Required value"]),
        ({"nodeName": None}, ["nodeName: Required value"]),
        ({"nodeName": "N_"}, [f'nodeName: Invalid value: "N_": {SUBDOMAIN}']),
        ({"source": None}, [f"source: Required value: {ONE_SOURCE}"]),
        ({"source": {}}, [f"source: Required value: {ONE_SOURCE}"]),
        ({"source": {"persistentVolumeName": "v", "inlineVolumeSpec": INLINE}}, [f"source: Forbidden: {ONE_SOURCE}"]),
        (
            {"source": {"persistentVolumeName": ""}},
            ["source.persistentVolumeName: Required value: must specify non empty persistentVolumeName"],
        ),
        ({"source": {"persistentVolumeName": "V_"}}, [f'source.persistentVolumeName: Invalid value: "V_": {SUBDOMAIN}']),
        (inline(accessModes=None), ["source.inlineVolumeSpec.accessModes: Required value"]),
        (inline(accessModes=["Odd"]), [f'source.inlineVolumeSpec.accessModes[0]: Unsupported value: "Odd": {MODES}']),
        (
            inline(csi=None),
            [
                "source.inlineVolumeSpec: Required value: must specify a volume type",
                "source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes",
            ],
        ),
        (
            inline(csi=None, nfs={"server": "s", "path": "/p"}),
            ["source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes"],
        ),
        (inline(csi={"driver": "d"}), ["source.inlineVolumeSpec.csi.volumeHandle: Required value"]),
        (inline(claimRef={"name": "c"}), [f"source.inlineVolumeSpec.claimRef: Forbidden: {NO_INLINE}"]),
        (inline(capacity={"storage": "1Gi"}), [f"source.inlineVolumeSpec.capacity: Forbidden: {NO_INLINE}"]),
        (inline(storageClassName="fast"), [f"source.inlineVolumeSpec.storageClassName: Forbidden: {NO_INLINE}"]),
        (
            inline(nodeAffinity={"required": {"nodeSelectorTerms": [{}]}}),
            [f"source.inlineVolumeSpec.nodeAffinity: Forbidden: {NO_INLINE}"],
        ),
        (inline(persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem"), []),
        (
            inline(persistentVolumeReclaimPolicy="Delete"),
            [("source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes")],
        ),
        (
            inline(volumeMode="Block"),
            [
                (
                    "source.inlineVolumeSpec.volumeMode: Forbidden: "
                    "may not specify volumeMode other than Filesystem in the context of inline volumes"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_volume_attachment(change, expected):
    assert findings(VOLUME_ATTACHMENT, {"spec": changed(ATTACH, change)}) == [f"spec.{text}" for text in expected]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"attached": True, "attachmentMetadata": {"path": "/dev/a"}, "attachError": {"message": "m", "errorCode": 8}}, []),
        ({"attached": False, "attachmentMetadata": LARGE}, [f"status.attachmentMetadata: {TOO_LONG} 262144 bytes"]),
        ({"attached": False, "attachError": {"message": "m" * 1025}}, [f"status.attachError.message: {TOO_LONG} 1024 bytes"]),
        ({"attached": False, "detachError": {"message": "m" * 1025}}, [f"status.detachError.message: {TOO_LONG} 1024 bytes"]),
        (
            {"attached": False, "detachError": {"errorCode": -1}},
            ["status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
        ),
        ({}, []),
    ],
)
def test_what_is_wrong_with_the_status_of_an_attachment(status, expected):
    given = filled(VOLUME_ATTACHMENT, {"spec": ATTACH, "status": status})
    assert texts(compile_struct(object_struct(VOLUME_ATTACHMENT.schema)).validate(given)) == expected


@pytest.mark.parametrize(
    "change",
    [{"attacher": "other"}, {"nodeName": "m"}, {"source": {"persistentVolumeName": "w"}}, inline()],
)
def test_what_is_attached_stays_the_same(change):
    assert change_findings(VOLUME_ATTACHMENT, {"spec": ATTACH}, {"spec": ATTACH}) == []
    (found,) = change_findings(VOLUME_ATTACHMENT, {"spec": ATTACH}, {"spec": {**ATTACH, **change}})
    assert found.startswith("spec: Invalid value: {")
    assert found.endswith(f": {IMMUTABLE}")


def test_an_attachment_in_one_line():
    assert row(VOLUME_ATTACHMENT, {"spec": ATTACH, "status": {"attached": True}}) == {
        "Attacher": "d.example.com",
        "PV": "v",
        "Node": "n",
        "Attached": True,
        "Age": "<unknown>",
    }
    assert row(VOLUME_ATTACHMENT, {"spec": {**ATTACH, **inline()}})["PV"] == ""


# CSIDriver


def test_a_driver_is_completed():
    assert filled(CSI_DRIVER, {})["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "volumeLifecycleModes": ["Persistent"],
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "requiresRepublish": False,
        "seLinuxMount": False,
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"attachRequired": False, "volumeLifecycleModes": ["Ephemeral", "Persistent"]}, []),
        (
            {"volumeLifecycleModes": ["Odd", "Persistent"]},
            ['volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"'],
        ),
        (
            {"fsGroupPolicy": "Odd"},
            ['fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
        ),
        (
            {"fsGroupPolicy": ""},
            ['fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
        ),
        ({"fsGroupPolicy": "None"}, []),
        ({"tokenRequests": [{"audience": "a", "expirationSeconds": 600}, {"audience": "b"}, {"audience": ""}]}, []),
        ({"tokenRequests": [{"audience": "a"}, {"audience": "a"}]}, ['tokenRequests[1].audience: Duplicate value: "a"']),
        ({"tokenRequests": [{"audience": ""}, {"audience": ""}]}, ['tokenRequests[1].audience: Duplicate value: ""']),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 599}]},
            ["tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"],
        ),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 2**32 + 1}]},
            [("tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds")],
        ),
        ({"nodeAllocatableUpdatePeriodSeconds": 10}, []),
        (
            {"nodeAllocatableUpdatePeriodSeconds": 9},
            ["nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds"],
        ),
    ],
)
def test_what_is_wrong_with_a_driver(spec, expected):
    assert findings(CSI_DRIVER, {"spec": spec}) == [f"spec.{text}" for text in expected]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"storageCapacity": True, "tokenRequests": [{"audience": "a"}], "requiresRepublish": True, "seLinuxMount": True}, []),
        ({"nodeAllocatableUpdatePeriodSeconds": 60, "serviceAccountTokenInSecrets": True}, []),
        ({"attachRequired": False}, [f"spec.attachRequired: Invalid value: false: {IMMUTABLE}"]),
        ({"podInfoOnMount": True}, [f"spec.podInfoOnMount: Invalid value: true: {IMMUTABLE}"]),
        ({"fsGroupPolicy": "File"}, [f'spec.fsGroupPolicy: Invalid value: "File": {IMMUTABLE}']),
        ({"volumeLifecycleModes": ["Ephemeral"]}, [f'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: {IMMUTABLE}']),
    ],
)
def test_what_may_change_of_a_driver(spec, expected):
    assert change_findings(CSI_DRIVER, {"spec": {}}, {"spec": spec}) == expected


@pytest.mark.parametrize(
    ("spec", "generation"),
    [({"storageCapacity": True}, None), ({"requiresRepublish": True}, 1), ({"tokenRequests": [{"audience": ""}]}, 1)],
)
def test_a_driver_counts_what_nodes_have_to_learn(spec, generation):
    old, new = filled(CSI_DRIVER, {"metadata": {}}), filled(CSI_DRIVER, {"metadata": {}, "spec": spec})
    CSI_DRIVER.strategy.update(new, old, context())
    assert new["metadata"].get("generation") == generation


def test_a_driver_in_one_line():
    assert row(CSI_DRIVER, {"spec": {}}) == {
        "AttachRequired": True,
        "PodInfoOnMount": False,
        "StorageCapacity": False,
        "TokenRequests": "<unset>",
        "RequiresRepublish": False,
        "Modes": "<none>",
        "Age": "<unknown>",
    }
    wide = row(CSI_DRIVER, {"spec": {"tokenRequests": [{"audience": "a"}, {"audience": "b"}], "volumeLifecycleModes": ["Persistent"]}})
    assert (wide["TokenRequests"], wide["Modes"]) == ("a,b", "Persistent")


# CSINode

DRIVER = {"name": "d.example.com", "nodeID": "i-1"}


@pytest.mark.parametrize(
    ("drivers", "expected"),
    [
        ([], []),
        ([DRIVER], []),
        ([{**DRIVER, "topologyKeys": ["example.com/zone", "rack"], "allocatable": {"count": 0}}], []),
        ([{"nodeID": "i"}], ["drivers[0].name: Required value"]),
        ([{**DRIVER, "name": "a_b"}], [f'drivers[0].name: Invalid value: "a_b": {SUBDOMAIN}']),
        ([{**DRIVER, "name": "a" * 64}], [f"drivers[0].name: {TOO_LONG} 63 bytes"]),
        ([{**DRIVER, "name": "D.Example.com"}], []),
        ([{"name": "d"}], ["drivers[0].nodeID: Required value"]),
        ([{**DRIVER, "nodeID": "i" * 192}], []),
        ([{**DRIVER, "nodeID": "i" * 193}], [f'drivers[0].nodeID: Invalid value: "{"i" * 193}": must be 192 characters or less']),
        ([DRIVER, DRIVER], ['drivers[1].name: Duplicate value: "d.example.com"']),
        ([{**DRIVER, "topologyKeys": ["a", "a"]}], ['drivers[0].topologyKeys[1]: Duplicate value: "a"']),
        ([{**DRIVER, "topologyKeys": ["a!"]}], [f'drivers[0].topologyKeys[0]: Invalid value: "a!": {QUALIFIED}']),
        (
            [{**DRIVER, "allocatable": {"count": -1}}],
            ["drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0"],
        ),
        ([{**DRIVER, "allocatable": {}}], []),
    ],
)
def test_what_is_wrong_with_the_drivers_of_a_node(drivers, expected):
    assert findings(CSI_NODE, {"spec": {"drivers": drivers}}) == [f"spec.{text}" for text in expected]


def test_a_node_without_drivers_is_told_as_such():
    assert filled(CSI_NODE, {}) == filled(CSI_NODE, {"spec": {"drivers": None}}) == {"spec": {"drivers": None}}


def test_a_topology_key_is_not_empty():
    found = findings(CSI_NODE, {"spec": {"drivers": [{**DRIVER, "topologyKeys": [""]}]}})
    assert found[0] == "spec.drivers[0].topologyKeys[0]: Required value"


@pytest.mark.parametrize(
    ("drivers", "fixed"),
    [
        ([DRIVER], False),
        ([], False),
        ([DRIVER, {"name": "other", "nodeID": "j"}], False),
        ([{**DRIVER, "allocatable": {"count": 5}}], False),
        ([{**DRIVER, "nodeID": "i-2"}], True),
        ([{**DRIVER, "topologyKeys": ["zone"]}], True),
    ],
)
def test_of_a_driver_on_a_node_only_the_room_changes(drivers, fixed):
    found = change_findings(CSI_NODE, {"spec": {"drivers": [DRIVER]}}, {"spec": {"drivers": drivers}})
    assert [text.rpartition(": ")[2] for text in found] == [IMMUTABLE] * fixed
    assert all(text.startswith("spec.drivers[0]: Invalid value: ") for text in found)


def test_a_csi_node_in_one_line():
    assert row(CSI_NODE, {"spec": {"drivers": [DRIVER]}}) == {"Drivers": 1, "Age": "<unknown>"}


# CSIStorageCapacity

ROOM = {"storageClassName": "fast", "nodeTopology": {"matchLabels": {"zone": "a"}}, "capacity": "1Gi"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"nodeTopology": None, "capacity": None, "maximumVolumeSize": "1Gi"}, []),
        ({"nodeTopology": {}}, []),
        ({"storageClassName": None}, ["storageClassName: Required value"]),
        ({"storageClassName": ""}, ["storageClassName: Required value"]),
        ({"storageClassName": "F_"}, [f'storageClassName: Invalid value: "F_": {SUBDOMAIN}']),
        ({"capacity": "0"}, []),
        ({"capacity": "-1"}, ['capacity: Invalid value: "-1": must be greater than or equal to 0']),
        (
            {"nodeTopology": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
            ['nodeTopology.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
        ),
        (
            {"nodeTopology": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            ["nodeTopology.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
        ),
        ({"nodeTopology": {"matchLabels": {"a!": "b"}}}, [f'nodeTopology.matchLabels: Invalid value: "a!": {QUALIFIED}']),
    ],
)
def test_what_is_wrong_with_a_storage_capacity(change, expected):
    assert findings(CSI_STORAGE_CAPACITY, changed(ROOM, change)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"capacity": "2Gi", "maximumVolumeSize": "1Gi"}, []),
        ({"capacity": None}, []),
        ({"storageClassName": "slow"}, [f'storageClassName: Invalid value: "slow": {IMMUTABLE}']),
        ({"nodeTopology": {}}, [f"nodeTopology: Invalid value: {{}}: {IMMUTABLE}"]),
        ({"nodeTopology": None}, [f"nodeTopology: Invalid value: null: {IMMUTABLE}"]),
    ],
)
def test_what_may_change_of_a_storage_capacity(change, expected):
    assert change_findings(CSI_STORAGE_CAPACITY, ROOM, changed(ROOM, change)) == expected


def test_a_storage_capacity_in_one_line():
    assert row(CSI_STORAGE_CAPACITY, ROOM) == {"StorageClassName": "fast", "Capacity": "1Gi"}
    assert row(CSI_STORAGE_CAPACITY, {"storageClassName": "fast"})["Capacity"] == "<unset>"
