"""Why pods are as they are: their nodes, their readiness gates, resizes, and what they tolerate."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import NOW, READY_NODE, RUNNING, SILENT, WAITS, condition, explained, pod


def test_a_pod_on_a_node_that_is_down_is_explained_by_its_node() -> None:
    lost = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "Unknown", "NodeStatusUnknown")]}}
    verdict = explained("", "Pod", pod({"running": {}}), node=[lost])
    assert (verdict.state, verdict.below) == ("is on a node that isn't ready", (lost,))
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-01T00:58:00Z"}
    stays = {"key": taint["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    on_it = pod({"running": {}})
    on_it["spec"]["tolerations"] = [stays]
    assert [coming.at for coming in explained("", "Pod", on_it, node=[{**lost, "spec": {"taints": [taint]}}]).then] == [NOW + 180]
    forbidden = explained("", "Pod", pod({"running": {}}))
    assert all("isn't there" not in text for text in forbidden.because), "what may not be read may be there"


@pytest.mark.parametrize(("seconds", "told"), [(600, ["10m"]), (None, [])])
def test_a_pod_that_is_well_tells_how_long_it_tolerates_a_taint_of_somebody_s_own(seconds: int | None, told: list[str]) -> None:
    well = pod({"running": {}}, ready=True)
    stays = {"key": "maintenance", "operator": "Exists", "effect": "NoExecute"}
    well["spec"]["tolerations"] = [stays if seconds is None else {**stays, "tolerationSeconds": seconds}]
    node = {**READY_NODE, "spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}}
    verdict = explained("", "Pod", well, node=[node])
    assert verdict.fine
    assert [coming.text for coming in verdict.then] == [
        f"it is evicted once it and the taint maintenance have been on its node together for {text}" for text in told
    ]


def test_a_pod_whose_node_is_gone_is_not_well_however_ready_it_was() -> None:
    for ready in (True, False):
        verdict = explained("", "Pod", pod({"running": {}}, ready=ready), node=[])
        assert not verdict.fine
        assert verdict.state == "is on a node that isn't there any more"
        assert verdict.because == ("Nobody knows how it is: its node node-1 is gone.",)
    assert explained("", "Pod", pod({"running": {}}, ready=True), node=[READY_NODE]).fine


def test_of_a_pod_that_its_node_rejected_no_container_is_being_made() -> None:
    whole = pod({})
    whole["status"] = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: Node didn't have enough resource: cpu"}
    assert explained("", "Pod", whole).because == ("OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu.",)
    whole["status"]["containerStatuses"] = [{"name": "c", "state": {"waiting": {"reason": "ContainerCreating"}}}]
    assert len(explained("", "Pod", whole).because) == 1


@pytest.mark.parametrize(
    ("kind", "reason", "message", "told", "fine"),
    [
        ("Pending", "Deferred", "no cpu", "Its node has no room for the resize yet, and looks again (Deferred): no cpu.", False),
        ("Pending", "Infeasible", "", "Its node can't give it what the resize asks for (Infeasible).", False),
        ("InProgress", "", "", "Its resize is under way.", True),
        ("InProgress", "Error", "cgroup", "Its resize is under way, and has failed so far: cgroup.", False),
    ],
)
def test_a_resize_that_is_not_in_force_is_told(kind: str, reason: str, message: str, told: str, *, fine: bool) -> None:
    whole = pod(RUNNING, ready=True)
    whole["status"]["conditions"].append(condition(f"PodResize{kind}", "True", reason, message))
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert (verdict.because, verdict.fine) == ((told,), fine)


def test_what_was_told_of_a_pod_is_of_before_where_nobody_hears_of_its_node() -> None:
    crashing = {"waiting": {"reason": "ErrImageNeverPull", "message": ""}}
    refused = 'The image "shop:1" of the container c can\'t be pulled (ErrImageNeverPull).'
    verdict = explained("", "Pod", pod(crashing), node=[SILENT])
    assert verdict.because == ("Nobody knows how it is: its node node-1 isn't ready.", f"Last heard: {refused}")
    unready = {**SILENT, "status": {"conditions": [condition("Ready", "False")]}}
    assert explained("", "Pod", pod(crashing), node=[unready]).because == ("Its node node-1 isn't ready.", refused)


@pytest.mark.parametrize(
    ("came", "seconds", "then"),
    [
        ("2026-01-01T00:59:50Z", 20, [("having stayed as long as it tolerates that, it is evicted", NOW + 10)]),
        ("2026-01-01T00:00:00Z", 60, [("having stayed as long as it tolerates that, it is evicted", NOW + 30)]),
        ("2026-01-01T00:00:00Z", 0, [("it is evicted, as it doesn't tolerate the taint gone of its node", None)]),
    ],
)
def test_a_pod_stays_on_a_tainted_node_from_when_both_came_together(came: str, seconds: int, then: list[tuple[str, float]]) -> None:
    whole = pod(RUNNING, ready=True)
    tolerations = [{"key": "gone", "operator": "Exists", "tolerationSeconds": seconds}, {"key": "kept", "operator": "Exists"}]
    whole["spec"]["tolerations"] = tolerations
    whole["status"]["conditions"].append(condition("PodScheduled", "True", lastTransitionTime=came))
    taints = [{"key": "gone", "effect": "NoExecute", "timeAdded": "2026-01-01T00:59:30Z"}, {"key": "kept", "effect": "NoExecute"}]
    assert list(explained("", "Pod", whole, node=[{**READY_NODE, "spec": {"taints": taints}}]).then) == then


def test_moments_that_lie_ahead_since_the_clock_was_set_back_say_nothing_of_when() -> None:
    whole = pod(RUNNING, ready=True)
    whole["spec"]["tolerations"] = [{"key": "gone", "operator": "Exists", "tolerationSeconds": 300}]
    taints = [{"key": "gone", "effect": "NoExecute", "timeAdded": "2026-01-01T07:00:00Z"}]
    then = explained("", "Pod", whole, node=[{**READY_NODE, "spec": {"taints": taints}}]).then
    assert then == (("it is evicted once it and the taint gone have been on its node together for 5m", None),)
    ended = {"exitCode": 1, "reason": "Error", "finishedAt": "2026-01-01T07:00:00Z"}
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}
    crashing = explained("", "Pod", pod(waiting, lastState={"terminated": ended}), node=[READY_NODE])
    assert crashing.then == (("the container c is started again", None),)
    again = pod({"running": {"startedAt": "2026-01-01T07:00:00Z"}}, ready=True, lastState={"terminated": ended})
    because = explained("", "Pod", again, node=[READY_NODE]).because
    assert because[0] == "The container c was started again; before that, it ended with exit code 1."


def test_a_stay_on_a_node_that_several_taints_drive_from_is_counted_from_the_first_of_them() -> None:
    whole = pod(RUNNING, ready=True)
    whole["spec"]["tolerations"] = [{"key": key, "operator": "Exists", "tolerationSeconds": 300} for key in ("first", "then")]
    added = {"first": "2026-01-01T00:58:00Z", "then": "2026-01-01T00:59:00Z"}
    taints = [{"key": key, "effect": "NoExecute", "timeAdded": at} for key, at in added.items()]
    then = explained("", "Pod", whole, node=[{**READY_NODE, "spec": {"taints": taints}}]).then
    assert [coming.at for coming in then] == [NOW + 180]


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([], "Its readiness gate a.b/c is closed: nobody has set that condition of it."),
        ([condition("a.b/c", "False", "Warming")], "Its readiness gate a.b/c is closed: a.b/c is False: Warming."),
    ],
)
def test_a_pod_names_its_readiness_gates_that_are_closed(conditions: list[Object], told: str) -> None:
    whole = pod(RUNNING, ready=True)
    whole["spec"]["readinessGates"] = [{"conditionType": "a.b/c"}]
    whole["status"]["conditions"] = [condition("Ready", "False", "ReadinessGatesNotReady"), *conditions]
    assert explained("", "Pod", whole, node=[READY_NODE]).because == (told,)


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([condition("Ready", "False", "Sick", "feels bad")], ("Ready is False: Sick: feels bad.",)),
        ([condition(kind, "False", "Sick", "feels bad") for kind in ("ContainersReady", "Ready")], ("Ready is False: Sick: feels bad.",)),
        ([condition("ContainersReady", "True"), condition("Ready", "False", "ContainersNotReady", "unready: [c]")], ()),
        ([condition("Ready", "False")], ()),
        ([condition("Initialized", "False", "Warming"), condition("Ready", "False")], ("Initialized is False: Warming.",)),
    ],
)
def test_what_somebody_s_own_condition_says_of_an_unready_pod_is_told(conditions: list[Object], told: tuple[str, ...]) -> None:
    whole = pod(RUNNING, ready=True)
    whole["status"]["conditions"] = conditions
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert (verdict.state, verdict.because) == ("runs, but isn't ready", told)


def test_why_a_pod_was_evicted_is_told_once() -> None:
    message = 'Usage of EmptyDir volume "e" exceeds the limit "1Mi".'
    whole = pod({})
    target = condition("DisruptionTarget", "True", "TerminationByKubelet", message)
    whole["status"] = {"phase": "Failed", "reason": "Evicted", "message": message, "conditions": [target]}
    assert explained("", "Pod", whole).because == (f"Evicted: {message}",)


def test_a_pod_whose_volume_is_not_attached_yet_names_it() -> None:
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    waits: Object = {"spec": {**WAITS["spec"], "volumes": volumes}, "status": {"phase": "Pending", "startTime": "2026-01-01T00:00:00Z"}}
    waits["metadata"] = {"name": "it", "namespace": "default", "uid": "u1"}

    def attachment(name: str, node: str, volume: str, *, attached: bool) -> Object:
        spec = {"nodeName": node, "attacher": "x", "source": {"persistentVolumeName": volume}}
        return {"metadata": {"name": name, "uid": name}, "spec": spec, "status": {"attached": attached}}

    ours = attachment("a", "node-1", "pv-1", attached=False)
    others = [attachment("b", "node-2", "pv-1", attached=False), attachment("c", "node-1", "pv-2", attached=False)]
    claim = {"metadata": {"name": "data"}, "spec": {"volumeName": "pv-1"}}
    found = {"node": [READY_NODE], "claim data": [claim]}
    verdict = explained("", "Pod", waits, None, **found, attachments=[*others, ours])
    assert verdict.because[-1] == "1 volume that it mounts is yet to be attached to its node."
    assert verdict.below == (ours,)
    done = explained("", "Pod", waits, None, **found, attachments=[*others, attachment("a", "node-1", "pv-1", attached=True)])
    assert (done.below, [line for line in done.because if "attached" in line]) == ((), [])
