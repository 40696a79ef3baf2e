"""Which pods a DaemonSet makes and gives up, in tables."""

import pytest

from svcsim import limits
from svcsim.client.revisions import HASH_LABEL
from svcsim.clock import format_time
from svcsim.controllers.daemonset.placement import DaemonPlacement, Verdict, target_of
from svcsim.controllers.daemonset.plan import make_plan
from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot, by_node
from svcsim.controllers.daemonset.status import available_next_s, make_status, status_patch
from svcsim.controllers.daemonset.template import pinned, template_for, tolerations
from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.meta.objects import name_of
from svcsim.meta.types import Json, Object
from tests.controllers.daemons import daemon_set, surge
from tests.virtual import START_S

NOW = START_S + 10_000
RUNS, STAYS, NEITHER = Verdict(True, True), Verdict(False, True), Verdict(False, False)


def node(name: str = "n1", labels: dict[str, str] | None = None, *taints: tuple[str, str]) -> Object:
    return {
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"taints": [{"key": key, "effect": effect} for key, effect in taints]},
    }


def pod(name: str, on: str = "n1", *, phase: str = "Running", ready_s: float | None = 500, new: bool = True, **metadata: Json) -> Object:
    """A pod of the present template, or of another; ready for so long, or not at all. Names tell their age."""
    conditions = [] if ready_s is None else [{"type": "Ready", "status": "True", "lastTransitionTime": format_time(NOW - ready_s)}]
    return {
        "metadata": {"name": name, "uid": name, "labels": {HASH_LABEL: "new" if new else "old"}, **metadata},
        "spec": {"nodeName": on},
        "status": {"phase": phase, "conditions": conditions},
    }


def unplaced(name: str, on: str, **rest: Json) -> Object:
    found = pod(name, **rest)
    found["spec"] = {"affinity": pinned(None, on)}
    return found


GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def snapshot(
    pods: list[Object], nodes: dict[str, Verdict] | None = None, waiting: dict[str, float] | None = None, **spec: Json
) -> DaemonSetSnapshot:
    return DaemonSetSnapshot(daemon_set(**spec), "new", {"n1": RUNS} if nodes is None else nodes, by_node(pods), waiting or {}, NOW)


def planned(*args: Json, **kwargs: Json) -> tuple[list[str], list[str]]:
    plan = make_plan(snapshot(*args, **kwargs))
    return plan.create, [name_of(item) for item in plan.delete]


# --- where pods belong ---


def on_condition(**condition: Json) -> Object:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [condition]}}}
    return {"affinity": affinity}


SSD = {"key": "disk", "operator": "In", "values": ["ssd"]}


@pytest.mark.parametrize(
    ("spec", "where", "expected"),
    [
        pytest.param({}, node(), RUNS, id="anywhere"),
        pytest.param({"nodeName": "n1"}, node(), RUNS, id="the node it names"),
        pytest.param({"nodeName": "n2"}, node(), NEITHER, id="another than it names"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, node("n1", {"disk": "ssd"}), RUNS, id="selected"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, node("n1", {"disk": "hdd"}), NEITHER, id="not selected"),
        pytest.param(on_condition(matchExpressions=[SSD]), node("n1", {"disk": "ssd"}), RUNS, id="affine"),
        pytest.param(on_condition(matchExpressions=[SSD]), node(), NEITHER, id="not affine"),
        pytest.param(
            on_condition(matchFields=[{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]), node(), NEITHER, id="by name"
        ),
        pytest.param(on_condition(), node(), NEITHER, id="a term without conditions fits nothing"),
        pytest.param({}, node("n1", None, ("mine", "NoSchedule")), STAYS, id="kept away"),
        pytest.param({}, node("n1", None, ("mine", "NoExecute")), NEITHER, id="driven out"),
        pytest.param({}, node("n1", None, ("mine", "PreferNoSchedule")), RUNS, id="not preferred"),
        pytest.param(
            {"tolerations": [{"key": "mine", "operator": "Exists"}]}, node("n1", None, ("mine", "NoExecute")), RUNS, id="tolerated"
        ),
        pytest.param({"nodeSelector": {"a": "b"}}, node("n1", None, ("mine", "NoSchedule")), NEITHER, id="both in the way"),
    ],
)
def test_where_pods_belong(spec: Object, where: Object, expected: Verdict):
    assert DaemonPlacement(daemon_set(pod=spec), KUBERNETES).verdict(where) == expected


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI])
@pytest.mark.parametrize("name", ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"])
def test_daemons_stay_on_nodes_in_trouble(dialect, name):
    effect = "NoExecute" if name in {"not-ready", "unreachable"} else "NoSchedule"
    assert DaemonPlacement(daemon_set(), dialect).verdict(node("n1", None, (dialect.key(name, "node"), effect))) == RUNS


def test_only_those_on_the_nodes_own_network_go_where_there_is_no_other():
    where = node("n1", None, (KUBERNETES.key("network-unavailable", "node"), "NoSchedule"))
    assert DaemonPlacement(daemon_set(), KUBERNETES).verdict(where) == STAYS
    assert DaemonPlacement(daemon_set(pod={"hostNetwork": True}), KUBERNETES).verdict(where) == RUNS


def test_what_daemons_tolerate_takes_the_place_of_the_same_with_other_seconds():
    own = [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        {"key": "node.kubernetes.io/not-ready", "operator": "Equal", "value": "x", "effect": "NoExecute"},
    ]
    found = tolerations({"tolerations": own}, KUBERNETES)
    assert found[0] == own[1]
    assert [one for one in found if one["key"].endswith("not-ready")][1:] == [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    ]
    assert len(found) == 7


def test_what_a_pod_is_pinned_to_takes_the_place_of_what_the_template_requires_of_nodes():
    spec = on_condition(matchExpressions=[SSD])
    spec["affinity"]["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": []}
    wish = daemon_set(pod=spec)
    made = template_for(wish, "n7", "abc", KUBERNETES)
    assert target_of(made) == "n7"
    assert made["spec"]["affinity"]["podAffinity"] == spec["affinity"]["podAffinity"]
    terms = made["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert len(terms) == 1
    assert wish == daemon_set(pod=spec), "the template itself stays as it is"


# --- a pod for each node ---


@pytest.mark.parametrize(
    ("pods", "verdict", "create", "delete"),
    [
        pytest.param([], RUNS, ["n1"], [], id="none yet"),
        pytest.param([], STAYS, [], [], id="none, and none to come"),
        pytest.param([pod("a")], RUNS, [], [], id="one"),
        pytest.param([pod("a")], STAYS, [], [], id="one that may stay"),
        pytest.param([pod("a"), pod("b")], NEITHER, [], ["a", "b"], id="misplaced"),
        pytest.param([pod("a", **GOING)], RUNS, [], [], id="the next comes when it is gone"),
        pytest.param([pod("a", phase="Failed", **GOING)], RUNS, ["n1"], [], id="what has ended and goes is as good as gone"),
        pytest.param([pod("a"), pod("b")], RUNS, [], ["b"], id="the older one stays"),
        pytest.param([unplaced("a", "n1"), pod("b")], RUNS, [], ["a"], id="the one that has its place stays"),
        pytest.param([pod("a", phase="Failed"), pod("b")], RUNS, [], ["a"], id="failed"),
        pytest.param([pod("a", phase="Succeeded")], RUNS, [], ["a"], id="ended"),
    ],
)
def test_a_pod_for_each_node(pods, verdict, create, delete):
    assert planned(pods, {"n1": verdict}) == (create, delete)


def test_pods_pinned_to_nodes_that_are_gone_go_and_those_that_were_on_them_are_left_to_others():
    assert planned([unplaced("a", "gone"), pod("b", "gone"), pod("c")]) == ([], ["a"])


def test_a_failed_pod_is_left_alone_for_a_while():
    plan = make_plan(snapshot([pod("a", phase="Failed")], waiting={"n1": 7.0}))
    assert (plan.create, plan.delete, plan.again_in) == ([], [], 7.0)


def test_of_several_failed_pods_on_a_node_one_goes_at_a_time():
    plan = make_plan(snapshot([pod("a", phase="Failed"), pod("b", phase="Failed")]))
    assert [name_of(item) for item in plan.delete] == ["a"]
    assert plan.failed == plan.delete


def test_no_more_is_done_in_one_go_than_is_allowed():
    most = limits.DAEMON_PODS_AT_ONCE
    nodes = {f"n{number}": RUNS for number in range(most + 10)}
    assert planned([], nodes)[0] == list(nodes)[:most]
    many = [pod(f"p{number}", f"n{number}", phase="Failed") for number in range(most + 10)]
    plan = make_plan(snapshot(many, nodes))
    assert (len(plan.delete), len(plan.failed)) == (most, most)


# --- updates ---


NODES = {f"n{number}": RUNS for number in range(1, 5)}


def old(*numbers: int, ready_s: float | None = 500) -> list[Object]:
    return [pod(f"o{number}", f"n{number}", new=False, ready_s=ready_s) for number in numbers]


def new(*numbers: int, ready_s: float | None = 500) -> list[Object]:
    return [pod(f"p{number}", f"n{number}", ready_s=ready_s) for number in numbers]


@pytest.mark.parametrize(
    ("pods", "spec", "create", "delete"),
    [
        pytest.param(old(1, 2, 3, 4), {}, [], ["o1"], id="one after the other"),
        pytest.param([*new(1, ready_s=None), *old(2, 3, 4)], {}, [], [], id="not before the new one is ready"),
        pytest.param([*new(1), *old(2, 3, 4)], {}, [], ["o2"], id="then the next"),
        pytest.param([*new(1), *old(2, 3, 4)], {"minReadySeconds": 600}, [], ["o2", "o3", "o4"], id="none has been ready for long enough"),
        pytest.param([*old(1, 2, 3), *old(4, ready_s=None)], {}, [], ["o4", "o1"], id="what serves nobody goes besides"),
        pytest.param([pod("o1", "n1", new=False, **GOING), *old(2, 3, 4)], {}, [], [], id="one is going already"),
        pytest.param(old(1, 2, 3, 4), {"updateStrategy": {"type": "OnDelete"}}, [], [], id="on delete"),
        pytest.param(old(1, 2, 3, 4), surge(2), ["n1", "n2"], [], id="two beside the old ones"),
        pytest.param([*old(1, 2, 3, 4), *new(1, 2, ready_s=None)], surge(2), [], [], id="which get ready"),
        pytest.param([*old(1, 2, 3, 4), *new(1), *new(2, ready_s=None)], surge(2), [], ["o1"], id="the old one goes"),
        pytest.param([*old(2, 3, 4), *new(1), *new(2, ready_s=None)], surge(2), ["n3"], [], id="and the next comes"),
        pytest.param([*old(1, ready_s=None), *old(2, 3, 4)], surge(1), ["n1", "n2"], [], id="what serves nobody needs no leave"),
        pytest.param([*old(1, ready_s=None), *old(2, 3, 4), *new(1, ready_s=None)], surge(1), [], ["o1"], id="and goes at once"),
    ],
)
def test_an_updates_next_step(pods, spec, create, delete):
    assert planned(pods, NODES, **spec) == (create, delete)


def test_with_surge_two_stay_on_a_node_one_of_each_template():
    pods = [*old(1), *new(1, ready_s=None), pod("z", new=False), pod("y", ready_s=None)]
    assert planned(pods, **surge(1)) == ([], ["y", "z"])


def test_a_strategy_that_allows_nothing_allows_one():
    nothing = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}}
    assert planned(old(1, 2, 3, 4), NODES, **nothing) == ([], ["o1"])


# --- what is reported ---


def test_the_status_counts_nodes():
    wish = daemon_set(minReadySeconds=100)
    wish["metadata"]["generation"] = 4
    nodes = {**NODES, "n5": STAYS, "n6": NEITHER}
    pods = [*new(1), *new(2, ready_s=50), *new(3, ready_s=None), pod("m", "n5")]
    seen = DaemonSetSnapshot(wish, "new", nodes, by_node(pods), {}, NOW)
    status = make_status(seen, 0, 4)
    assert status == {
        "desiredNumberScheduled": 4, "currentNumberScheduled": 3, "numberMisscheduled": 1, "numberReady": 2, "numberAvailable": 1,
        "numberUnavailable": 3, "updatedNumberScheduled": 3, "observedGeneration": 4, "collisionCount": 0,
    }  # fmt: skip
    assert available_next_s(seen) == 50
    stored = {name: value for name, value in status.items() if value}
    assert status_patch(stored, status) is None
    patch = status_patch({**stored, "numberAvailable": 2}, {**status, "numberAvailable": 0})
    assert patch is not None
    assert patch["numberAvailable"] is None
    assert patch["desiredNumberScheduled"] == stored["desiredNumberScheduled"], "what is counted goes together"


def test_a_pod_counts_as_updated_by_the_number_of_its_template_too():
    wish = daemon_set()
    wish["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "3"}
    item = pod("a", new=False)
    item["metadata"]["labels"]["pod-template-generation"] = "3"
    assert DaemonSetSnapshot(wish, "new", {"n1": RUNS}, by_node([item]), {}, NOW).is_updated(item)
