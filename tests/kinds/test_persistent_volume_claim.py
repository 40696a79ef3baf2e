"""PersistentVolumeClaim: what is filled in, what is wrong with one, what may change of it and of its status, and its line in a table."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import context, created, filled, findings, row, texts
from tests.kinds.storage_cases import ALONE, BETA_CLASS, IMMUTABLE, MODES, SUBDOMAIN, claim

SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
OWN_SNAPSHOT = {**SNAPSHOT, "apiGroup": "snapshot.storage.svcapi.io"}
CLAIM = {"kind": "PersistentVolumeClaim", "name": "c"}
BOOK = {"apiGroup": "example.com", "kind": "Book", "name": "b"}
OF_CORE = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
FIXED = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def sized(size, **more):
    return {"resources": {"requests": {"storage": size}, **more}}


def test_a_claim_is_completed():
    done = created(PERSISTENT_VOLUME_CLAIM, claim())
    assert (done["spec"]["volumeMode"], done["status"]) == ("Filesystem", {"phase": "Pending"})


@pytest.mark.parametrize(
    ("given", "plain", "general"),
    [
        ({}, None, None),
        ({"dataSource": CLAIM}, CLAIM, CLAIM),
        ({"dataSource": SNAPSHOT}, SNAPSHOT, SNAPSHOT),
        ({"dataSource": OWN_SNAPSHOT}, OWN_SNAPSHOT, OWN_SNAPSHOT),
        ({"dataSourceRef": BOOK}, BOOK, BOOK),
        ({"dataSourceRef": CLAIM}, CLAIM, CLAIM),
        ({"dataSource": BOOK}, None, None),
        ({"dataSource": {"kind": "Pod", "name": "p"}}, None, None),
        ({"dataSource": BOOK, "dataSourceRef": SNAPSHOT}, SNAPSHOT, SNAPSHOT),
        ({"dataSourceRef": {**CLAIM, "namespace": "other"}}, None, {**CLAIM, "namespace": "other"}),
        ({"dataSource": CLAIM, "dataSourceRef": SNAPSHOT}, CLAIM, SNAPSHOT),
    ],
)
def test_both_sources_of_data_are_said_where_one_is(given, plain, general):
    spec = filled(PERSISTENT_VOLUME_CLAIM, claim(**given))["spec"]
    assert (spec.get("dataSource"), spec.get("dataSourceRef")) == (plain, general)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"selector": {"matchLabels": {"a": "b"}}, "storageClassName": "", "volumeName": "v"}, []),
        ({"accessModes": None}, ["spec.accessModes: Required value: at least 1 access mode is required"]),
        ({"accessModes": []}, ["spec.accessModes: Required value: at least 1 access mode is required"]),
        ({"accessModes": ["Odd"]}, [f'spec.accessModes[0]: Unsupported value: "Odd": {MODES}']),
        ({"accessModes": ["ReadWriteOncePod"]}, []),
        ({"accessModes": ["ReadWriteOnce", "ReadWriteOncePod"]}, [f"spec.accessModes: Forbidden: {ALONE}"]),
        ({"resources": None}, ["spec.resources[storage]: Required value"]),
        ({"resources": {"requests": {"cpu": "1"}}}, ["spec.resources[storage]: Required value"]),
        (sized("0"), ['spec.resources[storage]: Invalid value: "0": must be greater than zero']),
        (sized("-1Gi"), ['spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero']),
        ({"storageClassName": "-fast-"}, [f'spec.storageClassName: Invalid value: "-fast-": {SUBDOMAIN}']),
        ({"volumeMode": "Block"}, []),
        ({"volumeMode": "Odd"}, ['spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"']),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
            ['spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
        ),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        ({"volumeAttributesClassName": ""}, []),
        ({"volumeAttributesClassName": "G_"}, [f'spec.volumeAttributesClassName: Invalid value: "G_": {SUBDOMAIN}']),
        ({"dataSource": CLAIM}, []),
        (
            {"dataSource": {"kind": "PersistentVolumeClaim"}},
            ["spec.dataSource.name: Required value", "spec.dataSourceRef.name: Required value"],
        ),
        (
            {"dataSourceRef": {"apiGroup": "example.com", "name": "a"}},
            ["spec.dataSource.kind: Required value", "spec.dataSourceRef.kind: Required value"],
        ),
        (
            {"dataSourceRef": {"kind": "Pod", "name": "p"}},
            [f'spec.dataSource: Invalid value: "Pod": {OF_CORE}', f'spec.dataSourceRef: Invalid value: "Pod": {OF_CORE}'],
        ),
        (
            {"dataSourceRef": {"kind": "Pod", "name": "p", "apiGroup": ""}},
            [f'spec.dataSource: Invalid value: "Pod": {OF_CORE}', f'spec.dataSourceRef: Invalid value: "Pod": {OF_CORE}'],
        ),
        (
            {"dataSourceRef": {**BOOK, "apiGroup": "Example_"}},
            [f'spec.{name}.apiGroup: Invalid value: "Example_": {SUBDOMAIN}' for name in ("dataSource", "dataSourceRef")],
        ),
        (
            {"dataSource": CLAIM, "dataSourceRef": SNAPSHOT},
            ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
        ),
        ({"dataSource": CLAIM, "dataSourceRef": {**CLAIM, "apiGroup": ""}}, []),
        ({"dataSourceRef": {**CLAIM, "namespace": "other"}}, []),
        (
            {"dataSourceRef": {**CLAIM, "namespace": "a.b"}},
            ['spec.dataSourceRef.namespace: Invalid value: "a.b": must not contain dots'],
        ),
        (
            {"dataSource": CLAIM, "dataSourceRef": {**CLAIM, "namespace": "other"}},
            ['spec: Invalid value: "spec.dataSource": may not be specified when dataSourceRef.namespace is specified'],
        ),
    ],
)
def test_what_is_wrong_with_a_claim(spec, expected):
    assert findings(PERSISTENT_VOLUME_CLAIM, claim(**spec)) == expected


def stored(spec, annotations, phase, capacity):
    given = claim(**spec)
    given["metadata"]["annotations"] = annotations
    status = {"phase": phase, **({"capacity": {"storage": capacity}} if capacity else {})}
    return filled(PERSISTENT_VOLUME_CLAIM, {**given, "status": status})


def changed(before, after, phase="Bound", capacity="", notes=({}, {}), dialect=KUBERNETES):
    """What is wrong with an update, a line each."""
    old, new = stored(before, notes[0], phase, capacity), stored(after, notes[1], phase, capacity)
    (rule,) = PERSISTENT_VOLUME_CLAIM.strategy.update_rules
    return [text.partition("\n")[0] for text in texts(rule(new, old, context(dialect)))]


SIZE = "spec.resources.requests.storage: Forbidden"


@pytest.mark.parametrize(
    ("before", "after", "more", "expected"),
    [
        ({}, {}, {}, []),
        ({}, {"volumeName": "v"}, {"phase": "Pending"}, []),
        ({"volumeName": "v"}, {"volumeName": "w"}, {}, [FIXED]),
        ({"volumeName": "v"}, {}, {}, [FIXED]),
        ({}, {"accessModes": ["ReadOnlyMany"]}, {}, [FIXED]),
        ({}, {"selector": {"matchLabels": {"a": "b"}}}, {}, [FIXED]),
        ({}, {"dataSource": CLAIM}, {}, [FIXED]),
        ({"dataSourceRef": BOOK}, {"dataSourceRef": {**BOOK, "name": "c"}}, {}, [FIXED]),
        ({}, {"volumeMode": "Block"}, {}, [FIXED, f'spec.volumeMode: Invalid value: "Block": {IMMUTABLE}']),
        # sizes
        ({}, sized("2Gi"), {}, []),
        ({}, sized("2Gi"), {"phase": "Pending"}, [FIXED]),
        ({}, sized("2Gi", limits={"storage": "4Gi"}), {}, [FIXED]),
        ({}, {"resources": {"requests": {"storage": "2Gi", "example.com/iops": "5"}}}, {}, [FIXED]),
        (sized("2Gi"), sized("1Gi"), {"capacity": "1Gi"}, [f"{SIZE}: field can not be less than status.capacity"]),
        (sized("9Gi"), sized("2Gi"), {"capacity": "1Gi"}, []),
        (sized("9Gi"), sized("512Mi"), {"capacity": "1Gi"}, [f"{SIZE}: field can not be less than status.capacity"]),
        (sized("1Gi"), sized("1024Mi"), {"capacity": "1Gi"}, []),
        # attributes classes
        ({}, {"volumeAttributesClassName": "gold"}, {}, []),
        ({}, {"volumeAttributesClassName": "gold"}, {"phase": "Pending"}, [FIXED]),
        ({"volumeAttributesClassName": "gold"}, {"volumeAttributesClassName": "iron"}, {}, []),
        (
            {"volumeAttributesClassName": "gold"},
            {},
            {},
            [FIXED, "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
        ),
        (
            {"volumeAttributesClassName": "gold"},
            {"volumeAttributesClassName": ""},
            {},
            ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden"],
        ),
        # classes
        ({}, {"storageClassName": "fast"}, {}, []),
        ({}, {"storageClassName": ""}, {}, []),
        ({"storageClassName": "fast"}, {"storageClassName": "slow"}, {}, [FIXED]),
        ({"storageClassName": ""}, {"storageClassName": "slow"}, {}, [FIXED]),
        ({"storageClassName": "fast"}, {}, {}, [FIXED]),
        ({}, {"storageClassName": "fast"}, {"notes": ({BETA_CLASS: "fast"}, {BETA_CLASS: "fast"})}, []),
        ({}, {"storageClassName": "fast"}, {"notes": ({BETA_CLASS: "fast"}, {})}, []),
        ({}, {"storageClassName": "slow"}, {"notes": ({BETA_CLASS: "fast"}, {BETA_CLASS: "fast"})}, [FIXED]),
        ({}, {}, {"notes": ({BETA_CLASS: "fast"}, {})}, [f'metadata.annotations.{BETA_CLASS}: Invalid value: "": {IMMUTABLE}']),
        (
            {},
            {},
            {"notes": ({BETA_CLASS: "fast"}, {BETA_CLASS: "slow"})},
            [f'metadata.annotations.{BETA_CLASS}: Invalid value: "slow": {IMMUTABLE}'],
        ),
        ({}, {}, {"notes": ({}, {BETA_CLASS: "slow"})}, [f'metadata.annotations.{BETA_CLASS}: Invalid value: "slow": {IMMUTABLE}']),
        (
            {},
            {},
            {"notes": ({}, {"volume.beta.svcapi.io/storage-class": "a"}), "dialect": SVCAPI},
            [f'metadata.annotations.volume.beta.svcapi.io/storage-class: Invalid value: "a": {IMMUTABLE}'],
        ),
    ],
)
def test_what_may_change_of_a_claim(before, after, more, expected):
    assert changed(before, after, **more) == expected


COMPILED = compile_struct(object_struct(PERSISTENT_VOLUME_CLAIM.schema))
STATUSES = (
    'supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", '
    '"NodeResizePending"'
)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"capacity": {"storage": "1Gi"}, "allocatedResources": {"storage": "2Gi"}}, []),
        ({"capacity": {"storage": "-1"}}, ['status.capacity[storage]: Invalid value: "-1": must be a valid resource quantity']),
        (
            {"allocatedResources": {"storage": "-1"}},
            ['status.allocatedResources[storage]: Invalid value: "-1": must be a valid resource quantity'],
        ),
        ({"allocatedResources": {"cpu": "1"}}, ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"']),
        ({"allocatedResources": {"example.com/disks": "1"}}, []),
        (
            {"allocatedResources": {"kubernetes.io/disks": "1"}},
            ['status.allocatedResources: Unsupported value: "kubernetes.io/disks": supported values: "storage"'],
        ),
        ({"allocatedResourceStatuses": {"storage": "NodeResizePending"}}, []),
        (
            {"allocatedResourceStatuses": {"storage": "Odd"}},
            [f'status.allocatedResourceStatuses[storage]: Unsupported value: "Odd": {STATUSES}'],
        ),
        (
            {"allocatedResourceStatuses": {"cpu": "NodeResizePending"}},
            ['status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"'],
        ),
    ],
)
def test_what_is_wrong_with_the_status_of_a_claim(status, expected):
    resource = filled(PERSISTENT_VOLUME_CLAIM, {**claim(), "status": status})
    assert texts(COMPILED.validate(resource)) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("1Gi", []),
        ("1500m", ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer']),
    ],
)
def test_what_a_claim_warns_of(size, expected):
    given = claim(**sized(size))
    assert [text for warnings in PERSISTENT_VOLUME_CLAIM.strategy.warnings for text in warnings(given)] == expected


def test_a_claim_in_one_line():
    given = claim(volumeName="v", storageClassName="fast", volumeAttributesClassName="gold", volumeMode="Block")
    given["status"] = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    assert row(PERSISTENT_VOLUME_CLAIM, given, wide=True) == {
        "Status": "Bound",
        "Volume": "v",
        "Capacity": "1Gi",
        "Access Modes": "RWO",
        "StorageClass": "fast",
        "VolumeAttributesClass": "gold",
        "Age": "<unknown>",
        "VolumeMode": "Block",
    }


@pytest.mark.parametrize(("spec", "shown"), [({}, ("", "")), ({"volumeName": "v"}, ("0", ""))])
def test_what_a_claim_has_is_told_once_it_has_a_volume(spec, shown):
    cells = row(PERSISTENT_VOLUME_CLAIM, claim(**spec))
    assert (cells["Capacity"], cells["Access Modes"]) == shown
