"""The scheduler in a cluster: pods get nodes, or an explanation."""

import pytest

from tests.living import condition, is_ready, living, name, phase, pod

FULL = {"requests": {"cpu": "7"}}


@pytest.mark.virtual_time
async def test_a_placed_pod_is_told_of():
    async with living() as cluster:
        placed = await cluster.run_pod(pod("web"))
        assert condition(placed, "PodScheduled")["status"] == "True"
        event = next(event for event in await cluster.events("web") if event["reason"] == "Scheduled")
        assert event["message"] == f"Successfully assigned default/web to {placed['spec']['nodeName']}"
        assert (event["reportingComponent"], event["action"], event["source"]) == ("default-scheduler", "Binding", {})
        assert event["reportingInstance"] == "default-scheduler"
        assert event["eventTime"].startswith("2026-01-01T00:00:01.")
        assert not {"count", "firstTimestamp", "lastTimestamp"} & {name for name, value in event.items() if value}


@pytest.mark.virtual_time
async def test_a_pod_that_fits_nowhere_says_why_in_its_condition_and_an_event():
    async with living() as cluster:
        await cluster.pods.create(pod("big", cpu="64"))
        await cluster.sleep(1)
        big = await cluster.pods.get("big")
        message = (
            "0/3 nodes are available: 3 Insufficient cpu. "
            "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        )
        said = condition(big, "PodScheduled")
        assert (phase(big), said["status"], said["reason"], said["message"]) == ("Pending", "False", "Unschedulable", message)
        event = (await cluster.events("big"))[0]
        assert (event["type"], event["reason"], event["message"]) == ("Warning", "FailedScheduling", message)


@pytest.mark.virtual_time
async def test_without_nodes_pods_wait():
    async with living(nodes=0) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(1)
        assert condition(await cluster.pods.get("web"), "PodScheduled")["message"] == "no nodes available to schedule pods"


@pytest.mark.virtual_time
async def test_a_parked_pod_is_placed_when_room_is_made():
    async with living() as cluster:
        for number in range(3):
            await cluster.run_pod(pod(f"full-{number}", cpu="7"))
        await cluster.pods.create(pod("late", cpu="7"))
        await cluster.sleep(120)
        assert condition(await cluster.pods.get("late"), "PodScheduled")["status"] == "False"
        await cluster.pods.delete("full-1")
        await cluster.until(lambda pods: any(name(item) == "late" and is_ready(item) for item in pods), within_s=20)


@pytest.mark.virtual_time
async def test_a_cordoned_node_takes_nothing_until_it_may_again():
    async with living(nodes=1) as cluster:
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": True}})
        await cluster.sleep(0.1)
        await cluster.pods.create(pod("web"))
        await cluster.sleep(1)
        message = condition(await cluster.pods.get("web"), "PodScheduled")["message"]
        assert message.startswith("0/1 nodes are available: 1 node(s) were unschedulable.")
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": False}})
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=20)


@pytest.mark.virtual_time
async def test_a_pod_that_keeps_away_from_others_is_placed_once_a_node_leaves_their_domain():
    async with living(nodes=1) as cluster:
        await cluster.nodes.patch("node-1", {"metadata": {"labels": {"rack": "a"}}})
        term = {"topologyKey": "rack", "labelSelector": {"matchExpressions": [{"key": "loud", "operator": "Exists"}]}}
        loud = pod("loud")
        await cluster.run_pod({**loud, "metadata": {**loud["metadata"], "labels": {"loud": ""}}})
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        await cluster.pods.create(pod("apart", affinity=apart))
        await cluster.sleep(20)
        assert condition(await cluster.pods.get("apart"), "PodScheduled")["status"] == "False"
        await cluster.nodes.patch("node-1", {"metadata": {"labels": {"rack": None}}})
        await cluster.until(lambda pods: all(map(is_ready, pods)), within_s=20)


@pytest.mark.virtual_time
async def test_gates_hold_a_pod_back_until_they_are_taken_away():
    async with living() as cluster:
        await cluster.pods.create(pod("web", schedulingGates=[{"name": "example.com/wait"}]))
        await cluster.sleep(30)
        assert "nodeName" not in (await cluster.pods.get("web"))["spec"]
        await cluster.pods.patch("web", {"spec": {"schedulingGates": []}})
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=20)


@pytest.mark.virtual_time
async def test_pods_of_another_scheduler_are_left_alone():
    async with living() as cluster:
        await cluster.pods.create(pod("web", schedulerName="mine"))
        await cluster.sleep(30)
        assert "nodeName" not in (await cluster.pods.get("web"))["spec"]


@pytest.mark.virtual_time
async def test_hundreds_of_pods_fill_the_nodes_evenly_and_never_beyond():
    async with living() as cluster:
        for number in range(340):
            await cluster.pods.create(pod(f"p-{number}", cpu="10m"))
        pods = await cluster.until(lambda pods: sum(map(is_ready, pods)) >= 330, within_s=120)
        by_node: dict[str, int] = {}
        for item in pods:
            node = item["spec"].get("nodeName", "")
            by_node[node] = by_node.get(node, 0) + 1
        assert by_node == {"node-1": 110, "node-2": 110, "node-3": 110, "": 10}
        waiting = next(item for item in pods if not item["spec"].get("nodeName"))
        assert condition(waiting, "PodScheduled")["message"].startswith("0/3 nodes are available: 3 Too many pods.")
