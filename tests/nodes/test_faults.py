"""Breaking things on purpose, and mending them without a trace."""

import pytest

from svcsim.clock import Chance
from svcsim.meta.errors import StatusError
from svcsim.nodes.faults import Faults
from tests.living import condition, is_ready, living, name, pod


def test_a_node_is_down_for_as_long_as_its_fault_is_in_force():
    faults = Faults(Chance(0))
    fault = faults.add({"type": "node-down", "target": {"kind": "Node", "name": "node-1"}})
    assert faults.node_down("node-1")
    assert not faults.node_down("node-2")
    assert faults.all() == [{"type": "node-down", "target": {"kind": "Node", "name": "node-1"}, "id": fault}]
    assert faults.remove(fault)
    assert not faults.node_down("node-1")
    assert not faults.remove(fault)


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
