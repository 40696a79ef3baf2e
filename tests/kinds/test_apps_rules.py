"""What is wrong with StatefulSets, DaemonSets, ReplicaSets, ReplicationControllers and ControllerRevisions, in the usual words."""

import pytest

from svcsim.kinds.apps.controller_revision import CONTROLLER_REVISION
from svcsim.kinds.apps.daemon_set import DAEMON_SET
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.apps.stateful_set import STATEFUL_SET
from svcsim.kinds.core.pod_template import POD_TEMPLATE
from svcsim.kinds.core.replication_controller import REPLICATION_CONTROLLER
from tests.kinds.helpers import change_findings, context, created, findings, status_findings
from tests.kinds.workload_rules import (
    LABELS,
    MISMATCH,
    NEGATIVE,
    PERCENT,
    TEMPLATE,
    counted,
    template,
    workload,
    wrong_counts,
    wrong_parts,
    wrong_pods,
    wrong_templates,
)

NEAR = {"matchExpressions": [{"key": "app", "operator": "Near"}]}
NO_OPERATOR = 'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'
NEAR_JSON = '{"matchExpressions":[{"key":"app","operator":"Near"}]}'
UNSELECTED = f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}'
OTHER = {"matchLabels": {"app": "other"}}


def controller(**spec):
    """The same as a replication controller has it."""
    return workload(**{"selector": LABELS, **spec})


def updating(kind="RollingUpdate", **rolling):
    return workload(updateStrategy={"type": kind, **({"rollingUpdate": rolling} if rolling else {})})


SOMETIMES = '{"Type":"Sometimes","RollingUpdate":null}'
ROLLING = "spec.updateStrategy.rollingUpdate"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (workload(), []),
        (workload(replicas=-1), [f"spec.replicas: Invalid value: -1: {NEGATIVE}"]),
        (workload(minReadySeconds=-1), [f"spec.minReadySeconds: Invalid value: -1: {NEGATIVE}"]),
        (workload(ordinals={"start": -2}), [f"spec.ordinals.start: Invalid value: -2: {NEGATIVE}"]),
        (workload(revisionHistoryLimit=-1), []),
        (workload(selector=None), ["spec.selector: Required value", UNSELECTED]),
        (workload(selector={}), ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"]),
        (workload(selector=OTHER), [UNSELECTED]),
        (workload(selector=NEAR), [NO_OPERATOR, f"spec.selector: Invalid value: {NEAR_JSON}"]),
        (workload(template=None), [f"spec.template.metadata.labels: Invalid value: null: {MISMATCH}"]),
        (workload(template=template(labels={})), [f"spec.template.metadata.labels: Invalid value: null: {MISMATCH}"]),
        *[(workload(template=wrong), expected) for wrong, expected in wrong_templates("StatefulSet")],
        (workload(template=template(containers=[])), []),
        (workload(template=template(containers=[{"name": "a", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}])), []),
        (workload(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": {}}]), []),
        (
            workload(podManagementPolicy="Sideways"),
            ["spec.podManagementPolicy: Invalid value: \"Sideways\": must be 'OrderedReady' or 'Parallel'"],
        ),
        (workload(podManagementPolicy="Parallel"), []),
        (
            updating("Sometimes"),
            ['spec.updateStrategy: Invalid value: {"Type":"Sometimes","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\''],
        ),
        (updating("OnDelete"), []),
        (
            updating("OnDelete", partition=1),
            [f"{ROLLING}: Invalid value: {{\"partition\":1}}: only allowed for updateStrategy 'RollingUpdate'"],
        ),
        (updating(partition=-1), [f"{ROLLING}.partition: Invalid value: -1: {NEGATIVE}"]),
        (updating(maxUnavailable=0), [f"{ROLLING}.maxUnavailable: Invalid value: 0: cannot be 0"]),
        (updating(maxUnavailable="0%"), [f'{ROLLING}.maxUnavailable: Invalid value: "0%": cannot be 0']),
        (
            updating(maxUnavailable=-1),
            [f"{ROLLING}.maxUnavailable: Invalid value: -1: {NEGATIVE}"],
        ),
        (updating(maxUnavailable="101%"), [f'{ROLLING}.maxUnavailable: Invalid value: "101%": must not be greater than 100%']),
        (updating(maxUnavailable="3"), [f'{ROLLING}.maxUnavailable: Invalid value: "3": {PERCENT}']),
        (
            workload(persistentVolumeClaimRetentionPolicy={"whenDeleted": "x"}),
            ['spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "x": supported values: "Retain", "Delete"'],
        ),
        (
            workload(persistentVolumeClaimRetentionPolicy={"whenScaled": "x"}),
            ['spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "x": supported values: "Retain", "Delete"'],
        ),
    ],
)
def test_what_is_wrong_with_a_stateful_set(obj, expected):
    assert findings(STATEFUL_SET, obj) == expected


STATEFUL_CHANGES = (
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"replicas": 3}, []),
        ({"ordinals": {"start": 3}}, []),
        ({"template": template(hostname="x")}, []),
        ({"updateStrategy": {"type": "OnDelete"}}, []),
        ({"revisionHistoryLimit": 3}, []),
        ({"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}, []),
        ({"minReadySeconds": 3}, []),
        ({"selector": OTHER}, [STATEFUL_CHANGES]),
        ({"serviceName": "other"}, [STATEFUL_CHANGES]),
        ({"podManagementPolicy": "Parallel"}, [STATEFUL_CHANGES]),
        ({"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}, [STATEFUL_CHANGES]),
    ],
)
def test_what_may_change_of_a_stateful_set(changed, expected):
    assert change_findings(STATEFUL_SET, workload(), workload(**changed)) == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (workload(), []),
        (workload(minReadySeconds=-1), [f"spec.minReadySeconds: Invalid value: -1: {NEGATIVE}"]),
        (workload(revisionHistoryLimit=-1), [f"spec.revisionHistoryLimit: Invalid value: -1: {NEGATIVE}"]),
        (workload(selector=None), [UNSELECTED]),
        (workload(selector={}), ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"]),
        (workload(selector=OTHER), [UNSELECTED]),
        (workload(selector=NEAR), [NO_OPERATOR]),
        *[(workload(template=wrong), expected) for wrong, expected in [*wrong_templates("DaemonSet"), *wrong_pods()]],
        (
            updating("Sometimes"),
            [f'spec.updateStrategy: Unsupported value: {SOMETIMES}: supported values: "RollingUpdate", "OnDelete"'],
        ),
        (updating("OnDelete"), []),
        (updating(maxSurge=1, maxUnavailable=0), []),
        (updating(maxSurge="20%", maxUnavailable="0%"), []),
        (updating(maxUnavailable=0), [f"{ROLLING}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"]),
        (updating(maxUnavailable="0%"), [f"{ROLLING}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"]),
        (
            updating(maxUnavailable=1, maxSurge=1),
            [f"{ROLLING}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
        ),
        (updating(maxUnavailable=-1), [f"{ROLLING}.maxUnavailable: Invalid value: -1: {NEGATIVE}"]),
        (
            updating(maxUnavailable=0, maxSurge=-1),
            [f"{ROLLING}.maxSurge: Invalid value: -1: {NEGATIVE}"],
        ),
        (updating(maxUnavailable="101%"), [f'{ROLLING}.maxUnavailable: Invalid value: "101%": must not be greater than 100%']),
        (
            updating(maxUnavailable=0, maxSurge="101%"),
            [f'{ROLLING}.maxSurge: Invalid value: "101%": must not be greater than 100%'],
        ),
        (
            updating(maxUnavailable="some"),
            [
                f'{ROLLING}.maxUnavailable: Invalid value: "some": {PERCENT}',
                f"{ROLLING}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
            ],
        ),
        (updating(maxUnavailable=0, maxSurge="5"), [f'{ROLLING}.maxSurge: Invalid value: "5": {PERCENT}']),
    ],
)
def test_what_is_wrong_with_a_daemon_set(obj, expected):
    assert findings(DAEMON_SET, obj) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"template": template(hostname="x")}, []),
        ({"updateStrategy": {"type": "OnDelete"}}, []),
        ({"revisionHistoryLimit": 3}, []),
        ({"minReadySeconds": 3}, []),
        ({"selector": OTHER}, ['spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable']),
    ],
)
def test_what_may_change_of_a_daemon_set(changed, expected):
    assert change_findings(DAEMON_SET, workload(), workload(**changed)) == expected


@pytest.mark.parametrize("kind", [DEPLOYMENT, REPLICA_SET], ids=lambda kind: kind.name)
@pytest.mark.parametrize(("wrong", "expected"), [*wrong_templates("ReplicaSet"), *wrong_pods()])
def test_what_is_wrong_with_the_template_of_a_deployment_or_replica_set(kind, wrong, expected):
    assert findings(kind, workload(template=wrong)) == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (workload(), []),
        (workload(replicas=-1), [f"spec.replicas: Invalid value: -1: {NEGATIVE}"]),
        (workload(minReadySeconds=-1), [f"spec.minReadySeconds: Invalid value: -1: {NEGATIVE}"]),
        (workload(selector=None), ["spec.selector: Required value", UNSELECTED]),
        (workload(selector={}), ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]),
        (workload(selector=OTHER), [UNSELECTED]),
        (workload(selector=NEAR), [NO_OPERATOR, f"spec.selector: Invalid value: {NEAR_JSON}: invalid label selector"]),
    ],
)
def test_what_is_wrong_with_a_replica_set(obj, expected):
    assert findings(REPLICA_SET, obj) == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (controller(), []),
        (controller(selector=None), []),
        (controller(replicas=-1), [f"spec.replicas: Invalid value: -1: {NEGATIVE}"]),
        (controller(minReadySeconds=-1), [f"spec.minReadySeconds: Invalid value: -1: {NEGATIVE}"]),
        (controller(template=None), ["spec.template: Required value"]),
        (controller(template=None, selector=None), ["spec.selector: Required value", "spec.template: Required value"]),
        (controller(selector=None, template=template(labels={})), ["spec.selector: Required value"]),
        (controller(selector={"app": "other"}), [UNSELECTED]),
        (controller(template=template(labels={})), [f"spec.template.metadata.labels: Invalid value: null: {MISMATCH}"]),
        *[(controller(template=wrong), expected) for wrong, expected in [*wrong_templates("ReplicationController"), *wrong_pods()]],
    ],
)
def test_what_is_wrong_with_a_replication_controller(obj, expected):
    assert findings(REPLICATION_CONTROLLER, obj) == expected


def test_a_replication_controller_may_select_others():
    other = controller(selector={"app": "other"}, template=template(labels={"app": "other"}))
    assert change_findings(REPLICATION_CONTROLLER, controller(), other) == []


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (TEMPLATE, []),
        (None, ["template.spec.containers: Required value"]),
        *[(wrong, [expected.removeprefix("spec.") for expected in said]) for wrong, said in [*wrong_pods(), *wrong_templates("")[3:]]],
    ],
)
def test_what_is_wrong_with_a_pod_template(template, expected):
    assert findings(POD_TEMPLATE, {"metadata": {"name": "t"}, **({"template": template} if template else {})}) == expected


PARTS = ("readyReplicas", "currentReplicas", "updatedReplicas")
UNREADY = (
    counted(readyReplicas=-1),
    [
        f"status.readyReplicas: Invalid value: -1: {NEGATIVE}",
        "status.availableReplicas: Invalid value: 0: cannot be greater than status.readyReplicas",
    ],
)
COLLISIONS = [
    ({"collisionCount": 2}, {"collisionCount": 2}, []),
    ({"collisionCount": 2}, {"collisionCount": 3}, []),
    ({}, {"collisionCount": 1}, []),
    ({"collisionCount": 2}, {"collisionCount": 1}, ["status.collisionCount: Invalid value: 1: cannot be decremented"]),
    ({"collisionCount": 2}, {}, ["status.collisionCount: Invalid value: 0: cannot be decremented"]),
]


@pytest.mark.parametrize(
    ("kind", "obj", "expected"),
    [
        *[
            (STATEFUL_SET, obj, expected)
            for obj, expected in [
                (counted(replicas=3, readyReplicas=3, currentReplicas=1, updatedReplicas=2, availableReplicas=3), []),
                *wrong_counts("currentReplicas", "updatedReplicas", "observedGeneration", "collisionCount"),
                UNREADY,
                *wrong_parts(*PARTS),
                (
                    counted(replicas=2, readyReplicas=1, availableReplicas=2),
                    ["status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas"],
                ),
            ]
        ],
        *[
            (DAEMON_SET, obj, expected)
            for obj, expected in [
                (counted(desiredNumberScheduled=3, currentNumberScheduled=1, numberReady=7), []),
                *wrong_counts(
                    *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration"),
                    *("updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"),
                ),
            ]
        ],
        *[
            (DEPLOYMENT, obj, expected)
            for obj, expected in [
                (counted(replicas=3, updatedReplicas=3, readyReplicas=2, availableReplicas=1, unavailableReplicas=2), []),
                *wrong_counts("observedGeneration", "updatedReplicas", "unavailableReplicas", "collisionCount"),
                *wrong_parts("updatedReplicas", "readyReplicas"),
                (
                    counted(replicas=2, readyReplicas=1, availableReplicas=2),
                    ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"],
                ),
            ]
        ],
        *[
            (kind, {**obj, "spec": spec}, expected)
            for kind, spec in ((REPLICA_SET, workload()["spec"]), (REPLICATION_CONTROLLER, controller()["spec"]))
            for obj, expected in [
                (counted(replicas=3, fullyLabeledReplicas=3, readyReplicas=2, availableReplicas=1), []),
                *wrong_counts("fullyLabeledReplicas", "availableReplicas", "observedGeneration"),
                (
                    counted(readyReplicas=-1),
                    [
                        f"status.readyReplicas: Invalid value: -1: {NEGATIVE}",
                        "status.availableReplicas: Invalid value: 0: cannot be greater than readyReplicas",
                    ],
                ),
                *wrong_parts("fullyLabeledReplicas", "readyReplicas"),
                (
                    counted(replicas=2, readyReplicas=1, availableReplicas=2),
                    ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"],
                ),
                (
                    counted(replicas=1, readyReplicas=1, availableReplicas=2),
                    [
                        "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
                        "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
                    ],
                ),
            ]
        ],
        *[
            (kind, {**counted(**after), "before": counted(**before)}, expected)
            for kind in (STATEFUL_SET, DAEMON_SET, DEPLOYMENT)
            for before, after, expected in COLLISIONS
        ],
    ],
)
def test_what_is_wrong_with_the_status_of_a_workload(kind, obj, expected):
    before = obj.get("before", {"spec": obj["spec"]})
    assert status_findings(kind, before, {name: value for name, value in obj.items() if name != "before"}) == expected


def revision(**fields):
    return {"metadata": {"name": "r"}, "revision": 1, "data": {"a": 1}, **fields}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (revision(), []),
        (revision(revision=0), []),
        (revision(revision=-1), [f"revision: Invalid value: -1: {NEGATIVE}"]),
        (revision(data=None), ["data: Required value: data is mandatory"]),
        (revision(data="text"), ["data: Required value: data must be a valid JSON object"]),
        (revision(data=[1]), ["data: Required value: data must be a valid JSON object"]),
        (revision(data=7), ["data: Required value: data must be a valid JSON object"]),
    ],
)
def test_what_is_wrong_with_a_controller_revision(obj, expected):
    assert findings(CONTROLLER_REVISION, obj) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"revision": 2}, []),
        ({"data": {"a": 2}}, ['data: Invalid value: {"a":2}: field is immutable']),
    ],
)
def test_what_may_change_of_a_controller_revision(changed, expected):
    assert change_findings(CONTROLLER_REVISION, revision(), revision(**changed)) == expected


def warnings_of(kind, obj):
    return [text for warnings in kind.strategy.warnings for text in warnings(created(kind, obj))]


LABEL = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: [must not contain dots]"
)


@pytest.mark.parametrize("kind", [DEPLOYMENT, REPLICA_SET, REPLICATION_CONTROLLER], ids=lambda kind: kind.name)
def test_a_name_that_is_no_host_name_is_warned_of(kind):
    obj = {**(controller() if kind is REPLICATION_CONTROLLER else workload()), "metadata": {"name": "a.b"}}
    assert warnings_of(kind, obj) == [LABEL]
    assert warnings_of(kind, {**obj, "metadata": {"name": "a-b"}}) == []


def test_a_stateful_set_that_keeps_everything_is_warned_of():
    said = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
    assert warnings_of(STATEFUL_SET, workload(revisionHistoryLimit=-1)) == [said]
    assert warnings_of(STATEFUL_SET, workload()) == []
    assert STATEFUL_SET.name_rule("a.b") == ["must not contain dots"]


def test_the_templates_of_a_daemon_set_are_counted():
    count = "deprecated.daemonset.template.generation"
    old = created(DAEMON_SET, workload())
    assert old["metadata"]["annotations"] == {count: "1"}
    for changed, expected in ((workload(minReadySeconds=3), "1"), (workload(template=template(hostname="x")), "2")):
        new = created(DAEMON_SET, changed)
        new["metadata"]["annotations"] = {"own": "note"}
        DAEMON_SET.strategy.update(new, old, context())
        assert new["metadata"]["annotations"] == {"own": "note", count: expected}


def test_what_a_stateful_set_fills_in():
    obj = created(STATEFUL_SET, workload(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]))
    spec = obj["spec"]
    assert {name: spec[name] for name in ("replicas", "podManagementPolicy", "revisionHistoryLimit")} == {
        "replicas": 1,
        "podManagementPolicy": "OrderedReady",
        "revisionHistoryLimit": 10,
    }
    assert spec["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}}
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}
    (claim,) = spec["volumeClaimTemplates"]
    assert (claim["apiVersion"], claim["kind"], claim["spec"]["volumeMode"]) == ("v1", "PersistentVolumeClaim", "Filesystem")
    assert claim["status"] == {"phase": "Pending"}
    assert obj["status"] == {"replicas": 0, "availableReplicas": 0}


def test_what_other_workloads_fill_in():
    daemons = created(DAEMON_SET, workload())
    assert daemons["spec"]["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
    assert daemons["spec"]["revisionHistoryLimit"] == 10
    obj = created(REPLICATION_CONTROLLER, controller(selector=None))
    assert (obj["spec"]["replicas"], obj["spec"]["selector"], obj["metadata"]["labels"]) == (1, LABELS, LABELS)
