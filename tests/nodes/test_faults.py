"""Breaking things on purpose, and mending them without a trace."""

import pytest

from svcsim.chance import Chance
from svcsim.clock import turn
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition_is
from svcsim.meta.times import parse_time
from svcsim.nodes.machines.faults import NODE_DOWN, Faults, Standing
from svcsim.nodes.machines.machine import LEASE_S
from tests.living import condition, is_ready, living, name, pod


def faults_of_nodes(*names):
    faults = Faults(Chance(0))
    faults.find_targets((NODE_DOWN,), Standing(lambda fault: [name for name in names if fault.hits(name)], lambda: "none"))
    return faults


def test_a_node_is_down_for_as_long_as_its_fault_is_in_force():
    faults = faults_of_nodes("node-1", "node-2")
    fault = faults.add({"type": "node-down", "target": {"kind": "Node", "name": "node-1"}})
    assert faults.node_down("node-1")
    assert not faults.node_down("node-2")
    assert faults.all() == [{"type": "node-down", "target": {"kind": "Node", "name": "node-1"}, "id": fault}]
    assert faults.remove(fault) == 1
    assert not faults.node_down("node-1")
    assert faults.remove(fault) is None


@pytest.mark.parametrize(("percent", "down"), [(100, 4), (75, 3), (30, 2), (25, 1), (0.1, 1)])
def test_a_percentage_of_nodes_is_so_many_of_them_rounded_up(percent, down):
    names = ["node-1", "node-2", "node-3", "node-4"]
    faults = faults_of_nodes(*names, "other")
    fault = faults.add({"type": "node-down", "target": {"name": "node-*"}, "percent": percent})
    assert sum(map(faults.node_down, names)) == down
    assert not faults.node_down("other")
    assert faults.remove(fault) == down


@pytest.mark.parametrize("percent", [0, -1, 100.5, "50", True, None, {}])
def test_a_percentage_of_nothing_or_of_more_than_all_is_refused(percent):
    with pytest.raises(StatusError, match="percent must be a number above 0 up to 100"):
        faults_of_nodes("node-1").add({"type": "node-down", "target": {"name": "node-1"}, "percent": percent})


def test_a_fault_tells_how_often_it_struck():
    faults = Faults(Chance(0))
    hit, missed = (faults.add({"type": "slow-start", "target": {"name": name}}) for name in ("web-*", "db-*"))
    for _ in range(3):
        faults.slow_start("nginx", "default", "web-1", {})
    assert (faults.remove(hit), faults.remove(missed)) == (3, 0)


@pytest.mark.parametrize(
    ("target", "hit"),
    [
        ({}, True),
        ({"name": "web-*"}, True),
        ({"name": "db"}, False),
        ({"namespace": "default"}, True),
        ({"namespace": "other"}, False),
        ({"selector": "app=web"}, True),
        ({"selector": {"matchLabels": {"app": "db"}}}, False),
        ({"labels": {"app": "web"}}, True),
    ],
)
def test_targets_are_named_or_selected(target, hit):
    faults = Faults(Chance(0))
    faults.add({"type": "image-pull-failure", "target": target})
    assert bool(faults.pull_failure("nginx", "default", "web-1", {"app": "web"})) is hit


def test_percent_hits_some():
    faults = Faults(Chance(0))
    faults.add({"type": "image-pull-failure", "percent": 30})
    hits = sum(bool(faults.pull_failure("nginx", "default", "web", {})) for _ in range(1000))
    assert 200 < hits < 400


def test_what_is_no_fault_of_nodes_is_refused():
    with pytest.raises(StatusError, match='unknown fault type "flood"'):
        Faults(Chance(0)).add({"type": "flood"})


@pytest.mark.virtual_time
async def test_crashing_pods_restart():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.run_pod(pod("other"))
        await cluster.sleep(60)
        cluster.cluster.nodes.faults.add({"type": "pod-crash", "target": {"name": "web"}, "exitCode": 139})
        await cluster.sleep(20)
        restarts = {
            name(item): (status["restartCount"], status["ready"])
            for item in await cluster.pods.list_all()
            for status in item["status"]["containerStatuses"]
        }
        assert restarts == {"web": (1, True), "other": (0, True)}
        last = (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["lastState"]
        assert last["terminated"]["exitCode"] == 139


@pytest.mark.virtual_time
async def test_a_node_that_is_cut_off_hears_of_new_pods_when_it_is_back():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(pod("before"))
        fault = cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": "node-1"}})
        batch = pod("batch", image="busybox:1", command=["sleep", "20"], nodeName="node-1", restartPolicy="Never")
        await cluster.pods.create(batch)
        await cluster.sleep(30)
        assert (await cluster.pods.get("batch"))["status"]["phase"] == "Pending"
        back_at = cluster.cluster.clock.now()
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.until(lambda pods: any(one["status"]["phase"] == "Succeeded" for one in pods))
        status = (await cluster.pods.get("batch"))["status"]
        ended = status["containerStatuses"][0]["state"]["terminated"]
        assert status["podIP"]
        assert parse_time(ended["startedAt"]) >= int(back_at)
        assert parse_time(ended["finishedAt"]) - parse_time(ended["startedAt"]) >= 19
        assert (await cluster.pods.get("before"))["status"]["phase"] == "Running"


@pytest.mark.virtual_time
async def test_a_failure_that_is_over_before_the_node_notices_does_not_silence_it():
    async with living(nodes=1) as cluster:
        faults = cluster.cluster.nodes.faults
        for turns in range(12):
            for turns_after in range(6):
                fault = faults.add({"type": "node-down", "target": {"name": "node-1"}})
                for _ in range(turns):
                    await turn()
                faults.remove(fault)
                for _ in range(turns_after):
                    await turn()
                faults.remove(faults.add({"type": "node-down", "target": {"name": "node-1"}}))
                await cluster.sleep(30)
                assert condition_is(await cluster.nodes.get("node-1"), "Ready")
                heard = cluster.cluster.nodes.heartbeat.heard("node-1")
                assert cluster.cluster.clock.now() - heard <= LEASE_S, (turns, turns_after)


@pytest.mark.virtual_time
async def test_a_node_that_fails_while_it_registers_anew_says_nothing():
    async with living(nodes=1) as cluster:
        faults = cluster.cluster.nodes.faults
        for turns in range(1, 40):
            faults.remove(faults.add({"type": "node-down", "target": {"name": "node-1"}}))
            for _ in range(turns):
                await turn()
            fault, failed_at = faults.add({"type": "node-down", "target": {"name": "node-1"}}), cluster.cluster.clock.now()
            await cluster.sleep(30)
            assert cluster.cluster.nodes.heartbeat.heard("node-1") <= failed_at, turns
            faults.remove(fault)
            await cluster.sleep(1)


@pytest.mark.virtual_time
async def test_a_pull_failure_holds_new_pods_up_until_it_is_mended():
    async with living() as cluster:
        fault = cluster.cluster.nodes.faults.add({"type": "image-pull-failure", "image": "nginx*"})
        await cluster.pods.create(pod("web"))
        await cluster.sleep(12)
        status = (await cluster.pods.get("web"))["status"]
        assert status["phase"] == "Pending"
        assert status["containerStatuses"][0]["state"]["waiting"]["reason"] == "ImagePullBackOff"
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Running", within_s=30)


@pytest.mark.virtual_time
async def test_a_node_short_of_memory_says_so_and_takes_no_more_pods():
    async with living(nodes=1) as cluster:
        fault = cluster.cluster.nodes.faults.add({"type": "node-pressure", "target": {"name": "node-1"}, "resource": "memory"})
        await cluster.sleep(10)
        node = await cluster.nodes.get("node-1")
        assert condition(node, "MemoryPressure")["reason"] == "KubeletHasInsufficientMemory"
        assert "NodeHasInsufficientMemory" in await cluster.reasons("node-1")
        await cluster.pods.create(pod("web"))
        await cluster.sleep(1)
        message = condition(await cluster.pods.get("web"), "PodScheduled")["message"]
        assert message.startswith("0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/memory-pressure: }.")
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=30)
