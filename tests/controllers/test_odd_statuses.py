"""Statuses that others write as odd as the API takes them: no controller stumbles over one, and who owns it puts it right."""

import logging
from pathlib import Path

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of
from svcsim.meta.types import Json, Object
from tests.controllers.batch import cron_job
from tests.controllers.jobs import job
from tests.controllers.running import Running, config_map, deployment, running, template

MEASURED: Object = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
VOLUME: Object = {
    "capacity": {"storage": "1Gi"},
    "accessModes": ["ReadWriteOnce"],
    "hostPath": {"path": "/x"},
    "storageClassName": "x",
}
CREATES_PODS: Object = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
TERMINATED: Object = {"name": "main", "image": "", "imageID": "", "ready": False, "restartCount": 0}


def named(name: str, **fields: Json) -> Object:
    return {"metadata": {"name": name}, **fields}


def sets(kind: str, **spec: Json) -> Object:
    return named(
        "odd", kind=kind, apiVersion="apps/v1", spec={"selector": {"matchLabels": {"app": "odd"}}, "template": template("odd"), **spec}
    )


CONDITIONS: tuple[Json, ...] = ([{}], [{"type": "Ready"}], [{"status": "True"}], None)


def conditions(*kinds: str) -> list[Json]:
    return [*CONDITIONS, *([{"type": kind, **said}] for kind in kinds for said in ({}, {"status": "True"}, {"status": "False"}))]


ODD: dict[str, tuple[str, str, Object, dict[str, list[Json]]]] = {
    "cronjobs": (
        "batch/v1",
        "default",
        cron_job("odd"),
        {
            "active": [[{}], [{"name": "x"}], [{"uid": "u"}], [{"namespace": "default", "name": "x", "uid": "u"}], [{}, {}], None],
            "lastScheduleTime": ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", None],
        },
    ),
    "jobs": (
        "batch/v1",
        "default",
        job("odd", "sleep 30"),
        {
            "conditions": conditions("Suspended", "SuccessCriteriaMet", "FailureTarget"),
            "uncountedTerminatedPods": [{}, {"succeeded": ["u"]}, {"failed": ["u"]}, None],
            "completedIndexes": ["x", None],
        },
    ),
    "deployments": (
        "apps/v1",
        "default",
        deployment("odd", 1),
        {"conditions": conditions("Progressing", "Available", "ReplicaFailure"), "collisionCount": [2**31 - 1, None], "replicas": [7]},
    ),
    "replicasets": ("apps/v1", "default", sets("ReplicaSet"), {"conditions": conditions("ReplicaFailure"), "replicas": [9]}),
    "statefulsets": (
        "apps/v1",
        "default",
        sets("StatefulSet", serviceName="x"),
        {"conditions": conditions("X"), "currentRevision": ["", "x", None], "updateRevision": ["y"], "collisionCount": [2**31 - 1]},
    ),
    "daemonsets": ("apps/v1", "default", sets("DaemonSet"), {"conditions": conditions("X"), "collisionCount": [2**31 - 1, None]}),
    "replicationcontrollers": (
        "v1",
        "default",
        named("odd", spec={"selector": {"app": "rc"}, "template": template("rc")}),
        {"conditions": conditions("ReplicaFailure")},
    ),
    "poddisruptionbudgets": (
        "policy/v1",
        "default",
        named("odd", spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "odd"}}}),
        {"conditions": conditions("DisruptionAllowed"), "disruptedPods": [{"x": None}, {"x": "9999-12-31T23:59:59Z"}, None]},
    ),
    "horizontalpodautoscalers": (
        "autoscaling/v2",
        "default",
        named(
            "odd",
            spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}, "maxReplicas": 3, "metrics": [MEASURED]},
        ),
        {"conditions": conditions("AbleToScale"), "currentMetrics": [[{}], [{"type": "Resource"}], None], "lastScaleTime": [None]},
    ),
    "pods": (
        "v1",
        "default",
        named("odd", spec={**template("odd")["spec"], "readinessGates": [{"conditionType": "example.com/odd"}]}),
        {
            "conditions": conditions("Ready", "ContainersReady", "PodScheduled", "DisruptionTarget", "example.com/odd"),
            "containerStatuses": [
                [{}],
                [{**TERMINATED, "state": {"running": {}}}],
                [{**TERMINATED, "state": {"terminated": {}}}],
                [{**TERMINATED, "state": {"waiting": {}}, "lastState": {"terminated": {}}}],
                [{**TERMINATED, "state": None}],
                None,
            ],
            "startTime": [None],
            "podIPs": [[{}], None],
            "phase": ["", "Unknown", "Odd"],
        },
    ),
    "namespaces": ("v1", "", named("odd"), {"conditions": conditions("NamespaceContentRemaining"), "phase": ["", "Odd", None]}),
    "nodes": (
        "v1",
        "",
        named("odd"),
        {
            "conditions": conditions("Ready", "MemoryPressure", "NetworkUnavailable"),
            "addresses": [[{}], None],
            "volumesAttached": [[{}], None],
            "capacity": [None],
            "allocatable": [None],
            "images": [[{}], [{"names": None}], None],
        },
    ),
    "persistentvolumeclaims": (
        "v1",
        "default",
        named("odd", spec=CLAIM),
        {
            "conditions": conditions("Resizing"),
            "capacity": [{}, None],
            "phase": ["", "Bound", "Lost"],
            "modifyVolumeStatus": [{}, {"status": "InProgress"}, None],
            "allocatedResourceStatuses": [{"storage": "Odd"}, None],
        },
    ),
    "persistentvolumes": (
        "v1",
        "",
        named("odd", spec=VOLUME),
        {"phase": ["", "Bound", "Odd"]},
    ),
    "apiservices": (
        "apiregistration.k8s.io/v1",
        "",
        named(
            "v1.odd.example.com",
            spec={
                "group": "odd.example.com",
                "version": "v1",
                "groupPriorityMinimum": 1,
                "versionPriority": 1,
                "service": {"namespace": "x", "name": "x"},
            },
        ),
        {"conditions": conditions("Available")},
    ),
    "customresourcedefinitions": (
        "apiextensions.k8s.io/v1",
        "",
        named(
            "odds.example.com",
            spec={
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "odds", "kind": "Odd"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
            },
        ),
        {
            "conditions": conditions("Established", "NamesAccepted"),
            "acceptedNames": [{}, {"plural": "", "kind": ""}, None],
            "storedVersions": [["v1"], None],
        },
    ),
    "volumeattachments": (
        "storage.k8s.io/v1",
        "",
        named("odd", spec={"attacher": "x", "nodeName": "node-1", "source": {"persistentVolumeName": "odd"}}),
        {"attached": [True, False], "attachError": [{}, None], "attachmentMetadata": [{"a": None}, None]},
    ),
    "servicecidrs": ("networking.k8s.io/v1", "", named("odd", spec={"cidrs": ["10.99.0.0/24"]}), {"conditions": conditions("Ready")}),
    "resourcequotas": ("v1", "default", named("odd", spec={"hard": {"pods": "99"}}), {"hard": [{}, None], "used": [{}, None]}),
    "services": (
        "v1",
        "default",
        named("odd", spec={"selector": {"app": "odd"}, "ports": [{"port": 80}]}),
        {"conditions": conditions("X"), "loadBalancer": [{"ingress": [{}]}, {}, None]},
    ),
    "validatingadmissionpolicies": (
        "admissionregistration.k8s.io/v1",
        "",
        named(
            "odd",
            spec={
                "validations": [{"expression": "true"}],
                "matchConstraints": {"resourceRules": [CREATES_PODS]},
            },
        ),
        {"conditions": conditions("X"), "typeChecking": [{}, {"expressionWarnings": [{}]}, None]},
    ),
}


FORESEEN = ("svcsim.kinds.apiextensions.custom_types",)
"""Who says of definitions that are no longer what they were that they define nothing."""


async def write_oddly(r: Running, plural: str) -> tuple[int, list[str]]:
    """Bring each of the odd values into the status of an object that is there; how many were taken, and the others' refusals."""
    version, namespace, obj, fields = ODD[plural]
    collection = r.client.resource(version, plural, namespace)
    name = name_of(await collection.create(obj))
    await r.clock.sleep(5)
    taken, refusals = 0, list[str]()
    for field, values in fields.items():
        for value in values:
            for settle_s in (0.0, 20.0):
                try:
                    await collection.patch(name, {"status": {field: value}}, subresource="status")
                except StatusError as error:
                    if error.code != 422:
                        raise
                    refusals.append(f"{field} {value}: {error.message}")
                    break
                taken += 1
                await r.clock.sleep(settle_s)
    return taken, refusals


@pytest.mark.parametrize("plural", ODD)
@pytest.mark.virtual_time
async def test_no_controller_stumbles_over_an_odd_status(plural: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    async with running() as r:
        taken, refusals = await write_oddly(r, plural)
        assert taken, refusals
        probe = await r.config_maps.create(config_map("still-there"))
        assert name_of(probe) == "still-there"
        await r.clock.sleep(120)
    told = [(record.name, record.getMessage(), record.exc_info) for record in caplog.records if record.name not in FORESEEN]
    assert told == []


@pytest.mark.parametrize("field", ["containerStatuses", "conditions", "startTime", "podIPs"])
@pytest.mark.virtual_time
async def test_a_pod_with_an_odd_status_is_taken_up_at_the_next_start(field: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    values = ODD["pods"][3][field]
    spec: dict[str, Json] = {"data_dir": tmp_path / "c", "durability": "process"}
    async with running(**spec) as r:
        taken = []
        for number, value in enumerate(values):
            pod = await r.pods.create(named(f"odd-{number}", spec={**template("odd")["spec"], "nodeName": "node-1"}))
            await r.clock.sleep(5)
            try:
                await r.pods.patch(name_of(pod), {"status": {field: value}}, subresource="status")
            except StatusError as error:
                if error.code != 422:
                    raise
            else:
                taken.append(name_of(pod))
        assert taken
    async with running(start_s=None, **spec) as r:
        await r.clock.sleep(60)
        pods = await r.pods.list_all()
        assert {one["status"].get("phase") for one in pods if name_of(one) in taken} <= {"Running", "Succeeded", "Failed"}
    assert [(record.name, record.getMessage(), record.exc_info) for record in caplog.records] == []


ODD_OBJECTS: tuple[tuple[str, str, str, Object], ...] = (
    ("coordination.k8s.io/v1", "kube-node-lease", "leases", named("node-1", spec={})),
    ("coordination.k8s.io/v1", "kube-node-lease", "leases", named("elsewhere", spec={"holderIdentity": "x"})),
    ("v1", "default", "endpoints", named("odd", subsets=[{"addresses": [{"ip": "10.1.2.3"}]}])),
    ("v1", "default", "endpoints", named("odd", subsets=[{}])),
    ("v1", "default", "services", named("odd", spec={"ports": [{"port": 80}]})),
    ("v1", "default", "events", named("odd", involvedObject={"namespace": "default"})),
    ("v1", "kube-system", "secrets", named("bootstrap-token-abcdef", type="bootstrap.kubernetes.io/token", data={})),
    ("v1", "default", "secrets", named("odd", type="kubernetes.io/dockercfg", data={".dockercfg": "e30="})),
    ("rbac.authorization.k8s.io/v1", "", "clusterroles", named("odd", aggregationRule={"clusterRoleSelectors": [{}]})),
    ("discovery.k8s.io/v1", "default", "endpointslices", named("odd", addressType="IPv4", endpoints=[])),
    ("apps/v1", "default", "controllerrevisions", named("odd", revision=-1, data=None)),
    ("scheduling.k8s.io/v1", "", "priorityclasses", named("odd", value=1)),
    ("storage.k8s.io/v1", "", "csinodes", named("node-1", spec={"drivers": []})),
    ("storage.k8s.io/v1", "", "storageclasses", named("odd", provisioner="x", allowedTopologies=[{}])),
    ("v1", "", "nodes", named("odd", spec={"taints": [{"key": "x", "effect": "NoExecute"}], "podCIDRs": None})),
    ("v1", "default", "pods", named("odd", spec={**template("odd")["spec"], "nodeName": "nowhere", "tolerations": [{}]})),
    ("v1", "default", "pods", named("odd", spec={**template("odd")["spec"], "volumes": [{"name": "x"}]})),
)


@pytest.mark.virtual_time
async def test_no_controller_stumbles_over_objects_that_say_next_to_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    refused = []
    async with running() as r:
        for version, namespace, plural, obj in ODD_OBJECTS:
            collection = r.client.resource(version, plural, namespace)
            try:
                made = await collection.create(obj)
            except StatusError as error:
                if error.code not in {409, 422}:
                    raise
                refused.append((plural, error.message))
                continue
            await r.clock.sleep(30)
            await collection.delete(name_of(made))
            await r.clock.sleep(30)
        assert len(refused) < len(ODD_OBJECTS) // 2, refused
    assert [(record.name, record.getMessage(), record.exc_info) for record in caplog.records] == []
