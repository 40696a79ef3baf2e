"""What a pod's status may become, and how a pod may be resized: the rules of its subresources."""

import copy
from typing import TYPE_CHECKING

import pytest

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import context, created, texts

if TYPE_CHECKING:
    from svcsim.meta.errors import FieldError

CONTAINER = {"name": "a", "image": "a:1"}
ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
ID = "must be between 0 and 2147483647, inclusive"
FAMILIES = "may specify no more than one IP for each IP family"
MIRROR = {"kubernetes.io/config.mirror": "x"}
ARMOR = "container.apparmor.security.beta.kubernetes.io/a"


def pod(status=None, annotations=None, **spec):
    obj = created(POD, {"metadata": {"name": "p", "annotations": annotations or {}}, "spec": {"containers": [CONTAINER], **spec}})
    obj["status"] |= status or {}
    return obj


def found(subresource, new, old):
    window = next(sub for sub in POD.subresources if sub.name == subresource)
    findings: list[FieldError] = [finding for rule in window.update_rules for finding in rule(new, old, context())]
    return texts(findings)


def ended(name="a", code=0):
    return {"name": name, "state": {"terminated": {"exitCode": code}}}


def running(name="a", **fields):
    return {"name": name, "state": {"running": {}}, **fields}


STATUSES = [
    ({"phase": "Running"}, {}, []),
    ({"conditions": [{"type": "example.com/ok", "status": "True"}]}, {}, []),
    (
        {"conditions": [{"type": "/bad", "status": "True"}]},
        {},
        ['status.conditions[0].type: Invalid value: "/bad": prefix part must be non-empty'],
    ),
    ({"nominatedNodeName": "node1"}, {}, []),
    ({"qosClass": "Guaranteed"}, {}, ['status.qosClass: Invalid value: "Guaranteed": field is immutable']),
    ({"podIPs": [{"ip": "1.1.1.1"}, {"ip": "2001::1"}]}, {}, []),
    ({"podIPs": [{"ip": "this-is-not-an-ip"}]}, {}, [f'status.podIPs[0]: Invalid value: "this-is-not-an-ip": {ADDRESS}']),
    (
        {"podIPs": [{"ip": "1.1.1.1"}, {"ip": "8.8.8.8"}]},
        {},
        [f'status.podIPs: Invalid value: [{{"ip":"1.1.1.1"}},{{"ip":"8.8.8.8"}}]: {FAMILIES}'],
    ),
    (
        {"podIPs": [{"ip": "1.1.1.1"}, {"ip": "1.1.1.1"}]},
        {},
        [
            f'status.podIPs: Invalid value: [{{"ip":"1.1.1.1"}},{{"ip":"1.1.1.1"}}]: {FAMILIES}',
            'status.podIPs[1]: Duplicate value: {"ip":"1.1.1.1"}',
        ],
    ),
    ({"hostIP": "1.1.1.1", "hostIPs": [{"ip": "1.1.1.1"}, {"ip": "::1"}]}, {}, []),
    (
        {"hostIP": "1.1.1.1", "hostIPs": [{"ip": "1.1.1.2"}]},
        {},
        ['status.hostIPs[0].ip: Invalid value: "1.1.1.2": must be equal to `hostIP`'],
    ),
    ({"hostIP": "x", "hostIPs": [{"ip": "x"}]}, {}, [f'status.hostIPs[0]: Invalid value: "x": {ADDRESS}']),
    (
        {"containerStatuses": [running(user={"linux": {"uid": -1, "gid": 2**31, "supplementalGroups": [-2]}})]},
        {},
        [
            f"status.containerStatuses[0].linux.uid: Invalid value: -1: {ID}",
            f"status.containerStatuses[0].linux.gid: Invalid value: 2147483648: {ID}",
            f"status.containerStatuses[0].linux.supplementalGroups[0]: Invalid value: -2: {ID}",
        ],
    ),
    (
        {"containerStatuses": [running(user={"linux": {"uid": 0, "gid": 0}})]},
        {"os": {"name": "windows"}},
        ["status.containerStatuses[0].linux: Forbidden: cannot be set for a windows pod"],
    ),
    (
        {"resourceClaimStatuses": [{"name": "no-such-claim", "resourceClaimName": "c"}]},
        {},
        [
            (
                'status.resourceClaimStatuses[0].name: Invalid value: "no-such-claim": '
                "must match the name of an entry in `spec.resourceClaims`"
            )
        ],
    ),
    (
        {"resourceClaimStatuses": [{"name": "c"}, {"name": "c"}]},
        {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]},
        ['status.resourceClaimStatuses[1].name: Duplicate value: "c"'],
    ),
    (
        {"containerStatuses": [running(allocatedResourcesStatus=[{"name": "example.com/gpu", "resources": [{"resourceID": "1"}]}])]},
        {},
        [
            (
                'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "example.com/gpu": '
                "must match one of the container's resource requests"
            ),
            (
                'status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported value: "": '
                'supported values: "Healthy", "Unhealthy", "Unknown"'
            ),
        ],
    ),
    (
        {"containerStatuses": [running(allocatedResourcesStatus=[{"name": "claim:x"}])]},
        {},
        [
            (
                'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "claim:x": '
                "must match one of the container's resource claims in a format "
                "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
            )
        ],
    ),
    (
        {
            "containerStatuses": [
                running(
                    "gone",
                    allocatedResourcesStatus=[
                        {"name": "x", "resources": [{"resourceID": "1", "health": "Healthy"}, {"resourceID": "1", "health": "Healthy"}]}
                    ],
                )
            ]
        },
        {},
        ['status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].resourceID: Duplicate value: "1"'],
    ),
    (
        {"ephemeralContainerStatuses": [running("e", allocatedResourcesStatus=[{"name": "x"}])]},
        {},
        ["status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified in container status"],
    ),
]


@pytest.mark.parametrize(("status", "spec", "expected"), STATUSES)
def test_a_status_that_can_or_can_not_be(status, spec, expected):
    assert found("status", pod(status, **spec), pod(**spec)) == expected


def test_a_node_that_can_not_be_is_not_nominated():
    (finding,) = found("status", pod({"nominatedNodeName": "A b"}), pod())
    assert finding.startswith('status.nominatedNodeName: Invalid value: "A b": a lowercase RFC 1123 subdomain must consist of')


SIDECAR = {"name": "s", "image": "s", "restartPolicy": "Always"}
STAYS = "Forbidden: may not be transitioned to non-terminated state"
TRANSITIONS = [
    ("containerStatuses", "Always", ended(), running(), []),
    ("containerStatuses", "Never", ended(), running(), [f"status.containerStatuses[0].state: {STAYS}"]),
    ("containerStatuses", "Never", ended(code=1), running(), [f"status.containerStatuses[0].state: {STAYS}"]),
    ("containerStatuses", "OnFailure", ended(code=1), running(), []),
    ("containerStatuses", "OnFailure", ended(), running(), [f"status.containerStatuses[0].state: {STAYS}"]),
    ("containerStatuses", "Never", ended(), ended(), []),
    ("initContainerStatuses", "Never", ended("i"), running("i"), [f"status.initContainerStatuses[0].state: {STAYS}"]),
    ("initContainerStatuses", "Never", ended("s"), running("s"), []),
    ("ephemeralContainerStatuses", "Always", ended("e", 1), running("e"), [f"status.ephemeralContainerStatuses[0].state: {STAYS}"]),
]


@pytest.mark.parametrize(("name", "policy", "before", "after", "expected"), TRANSITIONS)
def test_what_has_ended_stays_so_unless_it_restarts(name, policy, before, after, expected):
    spec = {"restartPolicy": policy, "initContainers": [{"name": "i", "image": "i"}, SIDECAR]}
    assert found("status", pod({name: [after]}, **spec), pod({name: [before]}, **spec)) == expected


ANNOTATIONS = [
    ({}, MIRROR, "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation"),
    (MIRROR, {}, "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation"),
    ({}, {ARMOR: "unconfined"}, f"metadata.annotations[{ARMOR}]: Forbidden: may not add AppArmor annotations"),
    (
        {ARMOR: "unconfined"},
        {ARMOR: "runtime/default"},
        f"metadata.annotations[{ARMOR}]: Forbidden: may not remove or update AppArmor annotations",
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), ANNOTATIONS)
def test_annotations_of_how_a_pod_was_started_stay(before, after, expected):
    new, old = pod(annotations=after), pod(annotations=before)
    assert found("status", new, old) == [expected]
    assert texts([finding for rule in POD.strategy.update_rules for finding in rule(new, old, context())]) == [expected]


# Resize


def sized(containers=None, init=(), **spec):
    return pod(containers=containers or [{**CONTAINER, "resources": {"requests": {"cpu": "1"}}}], initContainers=list(init), **spec)


def amounts(**resources):
    return {**CONTAINER, "resources": resources}


def changed(obj, path, value):
    copied = copy.deepcopy(obj)
    part = copied
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return copied


MUTABLE = "spec: Forbidden: only cpu and memory resources are mutable"
SIZED_INIT = {"name": "i", "image": "i", "resources": {"requests": {"cpu": "1"}}}
SIZED_SIDECAR = {**SIDECAR, "resources": {"requests": {"cpu": "1"}}}
RESIZES = [
    (sized(), sized([amounts(requests={"cpu": "2"})]), []),
    (sized(), sized([amounts(requests={"cpu": "1", "memory": "1Gi"})]), []),
    (
        sized([CONTAINER]),
        sized([amounts(requests={"memory": "40Mi"})]),
        ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    ),
    (
        sized([amounts(requests={"cpu": "1"}, limits={"cpu": "2", "memory": "1Gi"})]),
        sized([amounts(requests={"cpu": "1"}, limits={"cpu": "2"})]),
        # the request for memory follows from its limit, and goes with it
        [
            "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
            "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
        ],
    ),
    (sized(), sized([amounts(requests={"cpu": "1", "ephemeral-storage": "1Gi"})]), [MUTABLE]),
    (sized(), changed(sized(), ("spec", "containers", 0, "image"), "b"), [MUTABLE]),
    (
        sized(),
        changed(sized(), ("spec", "containers", 0, "resizePolicy"), [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]),
        [MUTABLE],
    ),
    (
        sized(init=[SIZED_INIT]),
        sized(init=[{**SIZED_INIT, "resources": {"requests": {"cpu": "2"}}}]),
        ["spec: Forbidden: resources for non-sidecar init containers are immutable"],
    ),
    (sized(init=[SIZED_SIDECAR]), sized(init=[{**SIZED_SIDECAR, "resources": {"requests": {"cpu": "2"}}}]), []),
    (
        sized(init=[SIZED_SIDECAR]),
        sized(init=[{**SIZED_SIDECAR, "resources": {"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}}}]),
        ["spec: Forbidden: only cpu and memory resources for sidecar containers are mutable"],
    ),
    (
        sized(init=[SIZED_SIDECAR]),
        sized(init=[SIDECAR]),
        ["spec.initContainers[0].resources.requests: Forbidden: resource requests cannot be removed"],
    ),
    (sized(annotations=MIRROR, nodeName="n"), sized(annotations=MIRROR, nodeName="n"), ["[]: Forbidden: static pods cannot be resized"]),
    (sized(os={"name": "windows"}), sized(os={"name": "windows"}), ["[]: Forbidden: windows pods cannot be resized"]),
    (
        sized(status={"containerStatuses": [running()]}),
        sized([amounts(requests={"cpu": "2"})]),
        ["spec: Forbidden: Pod running on node without support for resize"],
    ),
    (
        sized(status={"containerStatuses": [running(resources={})]}),
        sized([amounts(requests={"cpu": "2"})]),
        [],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), RESIZES)
def test_a_resize(before, after, expected):
    assert found("resize", after, before) == expected


# Gated pods, and those that mirror others

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"


def gated(*terms, **spec):
    affinity = {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}} if terms else {}
    return pod(schedulingGates=[{"name": "g"}], **affinity, **spec)


def term(*keys):
    return {"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}


def said(*keys):
    items = ",".join(f'{{"key":"{key}","operator":"Exists"}}' for key in keys)
    return f'{{"matchExpressions":[{items}]}}'


GATED = [
    (gated(), gated(nodeSelector={"a": "b"}), []),
    (gated(nodeSelector={"a": "b"}), gated(nodeSelector={"a": "b", "c": "d"}), []),
    (
        gated(nodeSelector={"a": "b"}),
        gated(nodeSelector={"a": "c"}),
        ['spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)'],
    ),
    (gated(), gated(term("a")), []),
    (gated(term("a")), gated(term("a", "b")), []),
    (
        gated(term("a")),
        gated(term("b")),
        [f"{TERMS}[0]: Invalid value: {said('b')}: only additions are allowed (no mutations or deletions)"],
    ),
    (
        gated(term("a")),
        gated(term("a"), term("b")),
        [f"{TERMS}: Invalid value: [{said('a')},{said('b')}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed"],
    ),
    (gated(term("a")), gated(), [f"{TERMS}: Invalid value: []: no additions/deletions to non-empty NodeSelectorTerms list are allowed"]),
    (gated({}), gated(term("a")), [f"{TERMS}[0]: Invalid value: {said('a')}: only additions are allowed (no mutations or deletions)"]),
]


@pytest.mark.parametrize(("before", "after", "expected"), GATED)
def test_a_gated_pods_choice_of_nodes_is_narrowed_alone(before, after, expected):
    assert texts([finding for rule in POD.strategy.update_rules for finding in rule(after, before, context())]) == expected


def test_a_static_pod_has_no_ephemeral_containers():
    old = pod(annotations=MIRROR, nodeName="n")
    assert found("ephemeralcontainers", old, old) == ["[]: Forbidden: static pods do not support ephemeral containers"]
