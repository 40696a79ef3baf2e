"""Admission plugins about where pods run and what they may take, and TaintNodesByCondition, which is about nodes."""

import json
from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import MERGE, Answer, Wire

ASKED_FOR = ("PodNodeSelector", "PodTolerationRestriction")


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "0", "--enable-admission-plugins", ",".join(ASKED_FOR))
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def space(wire: Wire, **annotations: object) -> str:
    """The path of a namespace's own."""
    name = wire.fresh("space")
    noted = {key: value if isinstance(value, str) else json.dumps(value) for key, value in annotations.items()}
    wire.create("/api/v1/namespaces", {"metadata": {"name": name, "annotations": noted}})
    return f"/api/v1/namespaces/{name}"


def pod(name: str, *resources: Object, **spec: object) -> Object:
    containers = [{"name": f"c{index}", "image": "i", "resources": one} for index, one in enumerate(resources or ({},))]
    return {"metadata": {"name": name}, "spec": {"containers": containers, **spec}}


def refused(answer: Answer, why: str, what: str = 'pods "p"') -> None:
    assert (answer.status, answer.json.get("message")) == (403, f"{what} is forbidden: {why}")


# --- LimitRanger ---


def limited(wire: Wire, *limits: Object) -> str:
    path = space(wire)
    for index, limit in enumerate(limits):
        wire.create(f"{path}/limitranges", {"metadata": {"name": f"l{index}"}, "spec": {"limits": [limit]}})
    return f"{path}/pods"


def test_containers_are_given_what_goes_without_saying(wire: Wire) -> None:
    pods = limited(wire, {"type": "Container", "default": {"cpu": "500m", "memory": "1Gi"}, "defaultRequest": {"cpu": "100m"}})
    first = {"initContainers": [{"name": "first", "image": "i"}]}
    made = wire.create(pods, pod("p", {}, {"requests": {"cpu": "1m"}, "limits": {"cpu": "2m"}}, **first))
    one, other = (container["resources"] for container in made["spec"]["containers"])
    assert one == {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "500m", "memory": "1Gi"}}
    assert other == {"requests": {"cpu": "1m", "memory": "1Gi"}, "limits": {"cpu": "2m", "memory": "1Gi"}}
    assert made["spec"]["initContainers"][0]["resources"] == one
    assert made["metadata"]["annotations"][wire.dialect.key("limit-ranger")] == (
        "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; "
        "memory request for container c1; memory limit for container c1; "
        "cpu, memory request for init container first; cpu, memory limit for init container first"
    )


def both(name: str, request: str = "", limit: str = "") -> Object:
    parts = (("requests", request), ("limits", limit))
    return {part: {name: amount} for part, amount in parts if amount}


LIMITS = (
    ({"min": {"cpu": "100m"}}, both("cpu", "50m", "1"), "minimum cpu usage per Container is 100m, but request is 50m"),
    ({"min": {"cpu": "100m"}}, both("cpu", "100m", "100m"), ""),
    ({"max": {"cpu": "1"}}, both("cpu", "1", "1500m"), "maximum cpu usage per Container is 1, but limit is 1500m"),
    ({"max": {"memory": "1Gi"}}, both("memory", "1Gi", "1Gi"), ""),
    (
        {"maxLimitRequestRatio": {"cpu": "2"}},
        both("cpu", "100m", "300m"),
        "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
    ),
    ({"maxLimitRequestRatio": {"cpu": "2"}}, both("cpu", "100m", "200m"), ""),
    (
        {"maxLimitRequestRatio": {"cpu": "2"}},
        both("cpu", "100m"),
        "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
    ),
    (
        {"maxLimitRequestRatio": {"cpu": "2"}},
        {},
        "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    ),
)


@pytest.mark.parametrize(("limit", "resources", "why"), LIMITS)
def test_containers_keep_to_limits(wire: Wire, limit: Object, resources: Object, why: str) -> None:
    answer = wire.ask("POST", limited(wire, {"type": "Container", **limit}), pod("p", resources))
    if why:
        refused(answer, why)
    else:
        assert answer.status == 201, answer.json


def test_pods_keep_to_limits_altogether_and_all_is_told(wire: Wire) -> None:
    pods = limited(wire, {"type": "Pod", "max": {"cpu": "1", "memory": "1Gi"}})
    half = {"requests": {"cpu": "600m"}, "limits": {"cpu": "600m"}}
    why = "[maximum cpu usage per Pod is 1, but limit is 1200m, maximum memory usage per Pod is 1Gi.  No limit is specified]"
    refused(wire.ask("POST", pods, pod("p", half, half)), why)
    fits = {"cpu": "500m", "memory": "512Mi"}
    made = wire.create(pods, pod("p", {"limits": fits}, {"limits": fits}))
    labelled = wire.ask("PATCH", f"{pods}/p", {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    assert (labelled.status, made["metadata"]["name"]) == (200, "p")


def test_claims_keep_to_limits(wire: Wire) -> None:
    path = space(wire)
    limit = {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "5Gi"}}
    wire.create(f"{path}/limitranges", {"metadata": {"name": "l"}, "spec": {"limits": [limit]}})

    def ask(size: str) -> Answer:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
        return wire.ask("POST", f"{path}/persistentvolumeclaims", {"metadata": {"name": "c"}, "spec": spec})

    what = 'persistentvolumeclaims "c"'
    refused(ask("512Mi"), "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi", what)
    refused(ask("6Gi"), "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi", what)
    assert ask("5Gi").status == 201


# --- Priority ---


def test_pods_have_the_priority_of_their_class(wire: Wire) -> None:
    path, classes = f"{space(wire)}/pods", f"/apis/{wire.dialect.group('scheduling')}/v1/priorityclasses"
    spec = wire.create(path, pod("plain"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"], "priorityClassName" in spec) == (0, "PreemptLowerPriority", False)
    wire.create(classes, {"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"})
    spec = wire.create(path, pod("high", priorityClassName="high"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (1000, "Never")
    refused(wire.ask("POST", path, pod("p", priorityClassName="none")), "no PriorityClass with name none was found")
    why = "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given "
    refused(wire.ask("POST", path, pod("p", priorityClassName="high", priority=5)), f"{why}PriorityClass name")
    why = "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller"
    answer = wire.ask("POST", path, pod("p", priorityClassName="high", preemptionPolicy="PreemptLowerPriority"))
    refused(answer, f"{why} computed Never from the given PriorityClass name")
    wire.create(path, pod("same", priorityClassName="high", priority=1000))
    wire.create(classes, {"metadata": {"name": "usual"}, "value": 7, "globalDefault": True})
    spec = wire.create(path, pod("default"))["spec"]
    assert (spec["priority"], spec["priorityClassName"]) == (7, "usual")
    answer = wire.ask("POST", classes, {"metadata": {"name": "other"}, "value": 8, "globalDefault": True})
    what = f'priorityclasses.{wire.dialect.group("scheduling")} "other"'
    refused(answer, "PriorityClass usual is already marked as default. Only one default can exist", what)
    assert wire.ask("PATCH", f"{classes}/usual", {"description": "x"}, content_type=MERGE).status == 200
    assert wire.ask("DELETE", f"{classes}/usual").status == 200


# --- RuntimeClass ---


def test_pods_take_from_their_runtime_class_what_it_costs_and_where_it_runs(wire: Wire) -> None:
    path, classes = f"{space(wire)}/pods", f"/apis/{wire.dialect.group('node')}/v1/runtimeclasses"
    toleration = {"key": "sandbox", "operator": "Exists"}
    scheduling = {"nodeSelector": {"sandbox": "yes"}, "tolerations": [toleration]}
    name = wire.fresh("runs")
    overhead = {"podFixed": {"cpu": "250m", "memory": "120Mi"}}
    wire.create(classes, {"metadata": {"name": name}, "handler": "h", "overhead": overhead, "scheduling": scheduling})
    spec = wire.create(path, pod("placed", runtimeClassName=name, nodeSelector={"disk": "fast"}))["spec"]
    assert spec["overhead"] == overhead["podFixed"]
    assert spec["nodeSelector"] == {"disk": "fast", "sandbox": "yes"}
    assert toleration in spec["tolerations"]
    why = "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no"
    refused(wire.ask("POST", path, pod("p", runtimeClassName=name, nodeSelector={"sandbox": "no"})), why)
    refused(wire.ask("POST", path, pod("p", runtimeClassName="none")), 'pod rejected: RuntimeClass "none" not found')
    why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    refused(wire.ask("POST", path, pod("p", runtimeClassName=name, overhead={"cpu": "1"})), why)
    why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
    refused(wire.ask("POST", path, pod("p", overhead={"cpu": "1"})), why)
    why = "pod rejected: Pod Overhead is set by the pod itself; leave it out, so that its RuntimeClass sets it"
    refused(wire.ask("POST", path, pod("p", runtimeClassName=name, overhead=overhead["podFixed"])), why)
    narrow = [{"key": "sandbox", "operator": "Exists", "effect": "NoSchedule"}]
    tolerated = wire.create(path, pod("narrow", runtimeClassName=name, tolerations=narrow))["spec"]["tolerations"]
    assert [one for one in tolerated if one.get("key") == "sandbox"] == [toleration]
    plain = wire.fresh("runs")
    wire.create(classes, {"metadata": {"name": plain}, "handler": "h"})
    assert "overhead" not in wire.create(path, pod("plain", runtimeClassName=plain))["spec"]


# --- PodNodeSelector ---


def test_pods_run_on_the_nodes_of_their_namespace(wire: Wire) -> None:
    path = f"{space(wire, **{wire.dialect.key('node-selector', 'scheduler.alpha'): 'zone=a, disk=fast'})}/pods"
    assert wire.create(path, pod("plain"))["spec"]["nodeSelector"] == {"zone": "a", "disk": "fast"}
    spec = wire.create(path, pod("more", nodeSelector={"zone": "a", "cpu": "x"}))["spec"]
    assert spec["nodeSelector"] == {"zone": "a", "disk": "fast", "cpu": "x"}
    why = "pod node label selector conflicts with its namespace node label selector"
    refused(wire.ask("POST", path, pod("p", nodeSelector={"zone": "b"})), why)
    assert "nodeSelector" not in wire.create(f"{space(wire)}/pods", pod("p"))["spec"]
    odd = f"{space(wire, **{wire.dialect.key('node-selector', 'scheduler.alpha'): 'nonsense'})}/pods"
    assert "of its namespace has nonsense, which should read like zone=a" in wire.ask("POST", odd, pod("p")).message


# --- PodTolerationRestriction ---


def test_pods_tolerate_what_their_namespace_says(wire: Wire) -> None:
    key = wire.dialect.key
    defaults = [{"key": "team", "operator": "Equal", "value": "blue", "effect": "NoSchedule"}]
    path = f"{space(wire, **{key('defaultTolerations', 'scheduler.alpha'): defaults})}/pods"
    assert defaults[0] in wire.create(path, pod("plain"))["spec"]["tolerations"]
    everything = [{"operator": "Exists"}]
    assert wire.create(path, pod("wide", tolerations=everything))["spec"]["tolerations"][:1] == everything
    pressure = {"key": key("memory-pressure", "node"), "operator": "Exists", "effect": "NoSchedule"}
    assert pressure in wire.create(path, pod("asks", {"requests": {"cpu": "1"}}))["spec"]["tolerations"]
    assert pressure not in wire.create(path, pod("none", {"requests": {"cpu": "0"}}))["spec"]["tolerations"]


def test_tolerations_of_a_namespace_that_are_no_json_are_told_as_go_tells_it(wire: Wire) -> None:
    key = wire.dialect.key("defaultTolerations", "scheduler.alpha")
    odd = f"{space(wire, **{key: 'nope'})}/pods"
    told = f"the annotation {key} of its namespace is no JSON"
    refused(wire.ask("POST", odd, pod("p")), f"{told}: invalid character 'o' in literal null (expecting 'u')")
    deep = wire.ask("POST", f"{space(wire, **{key: '[' * 5000})}/pods", pod("p"))
    assert f"{told}: exceeded max depth" in deep.message


def test_a_pod_and_its_namespace_may_not_conflict(wire: Wire) -> None:
    key = wire.dialect.key
    defaults = [{"key": "team", "operator": "Equal", "value": "blue", "effect": "NoSchedule"}]
    path = f"{space(wire, **{key('defaultTolerations', 'scheduler.alpha'): defaults})}/pods"
    why = "namespace tolerations and pod tolerations conflict"
    refused(wire.ask("POST", path, pod("p", tolerations=[{"key": "team", "value": "red", "effect": "NoSchedule"}])), why)
    for other in ({"value": "blue", "effect": "NoSchedule"}, {"operator": "Exists"}, {"value": "red", "effect": "NoExecute"}):
        wire.create(path, pod(wire.fresh("p"), tolerations=[{"key": "team", **other}]))


def test_and_nothing_that_it_does_not_allow(wire: Wire) -> None:
    key = wire.dialect.key
    nodes = [{"key": key(name, "node"), "operator": "Exists", "effect": "NoExecute"} for name in ("not-ready", "unreachable")]
    allowed = [*nodes, {"key": "team", "operator": "Exists"}]
    path = f"{space(wire, **{key('tolerationsWhitelist', 'scheduler.alpha'): allowed})}/pods"
    wire.create(path, pod("plain"))
    wire.create(path, pod("team", tolerations=[{"key": "team", "value": "blue", "effect": "NoSchedule"}]))
    why = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist"
    refused(wire.ask("POST", path, pod("p", tolerations=[{"key": "other", "operator": "Exists"}])), why)
    refused(wire.ask("POST", path, pod("p", tolerations=[{"operator": "Exists"}])), why)
    odd = f"{space(wire, **{key('tolerationsWhitelist', 'scheduler.alpha'): '{'})}/pods"
    assert "of its namespace is no JSON" in wire.ask("POST", odd, pod("p")).message


# --- TaintNodesByCondition ---


def test_new_nodes_take_no_pods_yet(wire: Wire) -> None:
    taint = {"key": wire.dialect.key("not-ready", "node"), "effect": "NoSchedule"}
    own = {"key": "own", "effect": "NoExecute"}
    one = wire.create("/api/v1/nodes", {"metadata": {"name": wire.fresh("node")}})
    other = wire.create("/api/v1/nodes", {"metadata": {"name": wire.fresh("node")}, "spec": {"taints": [own, taint]}})
    assert (one["spec"]["taints"], other["spec"]["taints"]) == ([taint], [own, taint])


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        (
            '[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1.5}]',
            "number 1.5 into Go struct field Toleration",
        ),
        ('[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": "5"}]', "of type int64"),
        ('[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1e2}]', "of type int64"),
        ('[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1000000000000000000000}]', "of type int64"),
        ('[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": true}]', "cannot unmarshal bool"),
        (
            '[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1e400}]',
            "is no list of tolerations: number is inf",
        ),
        ('[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": NaN}]', "is no JSON: invalid character 'N'"),
        ('[{"key": "a", "value": 0}]', "cannot unmarshal number into Go struct field Toleration.value of type string"),
        ('[{"key": 5}]', "cannot unmarshal number into Go struct field Toleration.key of type string"),
        ('[{"key": "\\ud800", "operator": "Exists"}]', "is no list of tolerations: "),
        ("[5]", "into Go value of type v1.Toleration"),
        ("{}", "json: cannot unmarshal object into Go value of type []v1.Toleration"),
    ],
)
@pytest.mark.parametrize("annotation", ["defaultTolerations", "tolerationsWhitelist"])
def test_what_is_no_toleration_is_put_into_no_pod(wire: Wire, annotation: str, listed: str, why: str) -> None:
    key = wire.dialect.key(annotation, "scheduler.alpha")
    path = f"{space(wire, **{key: listed})}/pods"
    answer = wire.ask("POST", path, pod("p"))
    assert (answer.status, answer.message.partition(" of its namespace ")[0]) == (403, f'pods "p" is forbidden: the annotation {key}')
    assert why in answer.message
    assert wire.ask("GET", path, headers={"Accept": wire.dialect.protobuf_media_type}).status == 200


def test_of_a_namespaces_tolerations_what_nobody_declares_is_left_out(wire: Wire) -> None:
    key = wire.dialect.key("defaultTolerations", "scheduler.alpha")
    here = f"{space(wire, **{key: [{'keys': 5, 'key': 'a', 'operator': 'Exists', 'value': '', 'tolerationSeconds': None}]})}/pods"
    assert {"key": "a", "operator": "Exists"} in wire.create(here, pod("p"))["spec"]["tolerations"]
    for wrong in ({"key": "a", "operator": "Bogus"}, {"key": "a", "effect": "Bogus"}, None):
        there = f"{space(wire, **{key: [wrong]})}/pods"
        assert wire.ask("POST", there, pod("p")).status == 422
