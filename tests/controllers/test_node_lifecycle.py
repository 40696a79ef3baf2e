"""What becomes of a silent node and its pods."""

import pytest

from svcsim.controllers.node_lifecycle.controller import GRACE_S, NodeLifecycle
from svcsim.controllers.node_lifecycle.health import NodeHealth, unknown_conditions, update_health
from svcsim.controllers.node_lifecycle.taints import wanted_taints
from svcsim.dialect import KUBERNETES
from svcsim.meta.objects import is_terminating
from tests.calls import calls
from tests.living import condition, is_ready, living, name, pod

NOW = "2026-01-01T00:00:00Z"
DOWN = {"type": "node-down", "target": {"kind": "Node", "name": "node-2"}}


def node(ready: str = "True", taints: list[dict[str, str]] | None = None, **spec: object) -> dict[str, object]:
    conditions = [{"type": "Ready", "status": ready, "lastHeartbeatTime": "x"}]
    return {"metadata": {"name": "one"}, "spec": {"taints": taints or [], **spec}, "status": {"conditions": conditions}}


def keys(taints: list[dict[str, str]] | None) -> list[tuple[str, str]]:
    return [(taint["key"].removeprefix("node.kubernetes.io/"), taint["effect"]) for taint in taints or []]


def test_only_a_new_sign_of_life_counts_from_now():
    lease = {"spec": {"renewTime": "a"}}
    health = update_health(None, node(), lease, 100.0, is_heard=False)
    assert health == NodeHealth(("a", "x"), 100.0)
    assert update_health(health, node(), lease, 130.0, is_heard=False).at == 100.0
    assert update_health(health, node(), {"spec": {"renewTime": "b"}}, 130.0, is_heard=False).at == 130.0
    assert update_health(health, node(), {"spec": {"renewTime": "b"}}, 130.0, is_heard=True).at == 100.0


def test_a_silent_nodes_conditions_become_unknown_once():
    told = unknown_conditions([{"type": "Ready", "status": "True"}], NOW)
    assert told is not None
    assert {item["type"]: (item["status"], item["reason"]) for item in told} == {
        "Ready": ("Unknown", "NodeStatusUnknown"),
        "MemoryPressure": ("Unknown", "NodeStatusNeverUpdated"),
        "DiskPressure": ("Unknown", "NodeStatusNeverUpdated"),
        "PIDPressure": ("Unknown", "NodeStatusNeverUpdated"),
    }
    assert told[0]["message"] == "Kubelet stopped posting node status."
    assert unknown_conditions(told, NOW) is None


def test_taints_follow_from_conditions_and_others_are_left_alone():
    theirs = {"key": "dedicated", "effect": "NoSchedule"}
    assert wanted_taints(node(), KUBERNETES, NOW, evict=True) is None
    assert keys(wanted_taints(node("Unknown"), KUBERNETES, NOW, evict=True)) == [
        ("unreachable", "NoSchedule"),
        ("unreachable", "NoExecute"),
    ]
    assert keys(wanted_taints(node("False"), KUBERNETES, NOW, evict=True)) == [("not-ready", "NoSchedule"), ("not-ready", "NoExecute")]
    assert keys(wanted_taints(node(unschedulable=True), KUBERNETES, NOW, evict=True)) == [("unschedulable", "NoSchedule")]
    tainted = [theirs, *(wanted_taints(node("Unknown"), KUBERNETES, NOW, evict=True) or [])]
    assert wanted_taints(node("Unknown", tainted), KUBERNETES, NOW, evict=True) is None
    assert wanted_taints(node("True", tainted), KUBERNETES, NOW, evict=True) == [theirs]


@pytest.mark.virtual_time
async def test_a_node_gone_silent_is_tainted_and_its_pods_not_ready_until_it_is_back():
    async with living() as cluster:
        await cluster.run_pod(pod("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
        fault = cluster.cluster.nodes.faults.add(DOWN)
        await cluster.sleep(GRACE_S - 10)
        assert is_ready(await cluster.nodes.get("node-2"))
        await cluster.sleep(20)
        silent = await cluster.nodes.get("node-2")
        assert (condition(silent, "Ready")["status"], condition(silent, "Ready")["message"]) == (
            "Unknown",
            "Kubelet stopped posting node status.",
        )
        assert keys(silent["spec"]["taints"]) == [("unreachable", "NoSchedule"), ("unreachable", "NoExecute")]
        assert not is_ready(await cluster.pods.get("web"))
        assert "NodeNotReady" in await cluster.reasons("node-2")
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.sleep(10)
        back = await cluster.nodes.get("node-2")
        assert is_ready(back)
        assert "taints" not in back["spec"]
        assert is_ready(await cluster.pods.get("web"))
        assert "TaintManagerEviction" in await cluster.reasons("web")


@pytest.mark.virtual_time
async def test_pods_leave_a_node_that_stays_away_and_are_cleaned_up_when_it_returns():
    async with living() as cluster:
        await cluster.run_pod(pod("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
        stays = {"key": "node.kubernetes.io/unreachable", "operator": "Exists"}
        await cluster.run_pod(pod("stays", nodeSelector={"kubernetes.io/hostname": "node-2"}, tolerations=[stays]))
        fault = cluster.cluster.nodes.faults.add(DOWN)
        await cluster.sleep(GRACE_S + 290)
        assert "deletionTimestamp" not in (await cluster.pods.get("web"))["metadata"]
        await cluster.sleep(30)
        leaving = await cluster.pods.get("web")
        assert "deletionTimestamp" in leaving["metadata"]
        assert condition(leaving, "DisruptionTarget")["reason"] == "DeletionByTaintManager"
        event = next(event for event in await cluster.events("web") if event["reason"] == "TaintManagerEviction")
        assert event["message"] == "Marking for deletion Pod default/web"
        cluster.cluster.nodes.faults.remove(fault)
        pods = await cluster.until(lambda pods: len(pods) == 1, within_s=5)
        assert name(pods[0]) == "stays"


@pytest.mark.virtual_time
async def test_a_taint_put_on_by_hand_drives_pods_away_at_once():
    async with living() as cluster:
        await cluster.run_pod(pod("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
        await cluster.nodes.patch("node-2", {"spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}})
        await cluster.until(lambda pods: pods == [], within_s=5)


@pytest.mark.virtual_time
async def test_each_pod_is_driven_away_once():
    async with living() as cluster:
        names = [f"web-{number}" for number in range(3)]
        for each in names:
            await cluster.run_pod(pod(each, nodeName="node-3"))
        page = await cluster.pods.list()
        async with cluster.pods.watch(page.revision, bookmarks=False) as changes:
            await cluster.nodes.patch("node-3", {"spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}})
            marked: dict[str, list[str]] = {each: [] for each in names}
            left = len(names)
            async for change in changes:
                left -= change.type == "DELETED"
                if not left:
                    break
                marked[name(change.object)].append("deletionTimestamp" if is_terminating(change.object) else "marked")
        for each in names:
            evictions = [event for event in await cluster.events(each) if event["reason"] == "TaintManagerEviction"]
            assert [(event["message"], event.get("count")) for event in evictions] == [(f"Marking for deletion Pod default/{each}", 1)]
            assert marked[each].count("marked") == 1, marked[each]


@pytest.mark.virtual_time
async def test_cordon_and_uncordon_are_felt_at_once():
    """The taint follows the mark within a tenth of a second, and a pod that waited for the only node left gets it as fast."""
    async with living(nodes=1) as cluster:
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": True}})
        await cluster.sleep(0.1)
        assert keys((await cluster.nodes.get("node-1"))["spec"]["taints"]) == [("unschedulable", "NoSchedule")]
        await cluster.pods.create(pod("waits"))
        await cluster.sleep(7)
        assert "nodeName" not in (await cluster.pods.get("waits"))["spec"]
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": None}})
        await cluster.sleep(0.1)
        assert "taints" not in (await cluster.nodes.get("node-1"))["spec"]
        assert (await cluster.pods.get("waits"))["spec"]["nodeName"] == "node-1"


@pytest.mark.virtual_time
async def test_nodes_that_come_are_looked_at_a_few_times_each_however_many_there_are():
    nodes = 60
    with calls(NodeLifecycle._last_sign_at) as looks:
        async with living(nodes=nodes):
            pass
    assert nodes <= len(looks) <= 5 * nodes
