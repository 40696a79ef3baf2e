"""Preemption in a cluster: what people see of it, and what becomes of it when things change meanwhile."""

import asyncio

import pytest

from svcsim.meta.types import Object
from tests.living import Living, condition, is_ready, living, name, pod


async def with_priorities(cluster: Living) -> None:
    classes = cluster.client.resource("scheduling.k8s.io/v1", "priorityclasses")
    for class_name, value, policy in (("high", 1000, ""), ("higher", 2000, ""), ("patient", 1000, "Never")):
        body: Object = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": class_name}, "value": value}
        await classes.create({**body, **({"preemptionPolicy": policy} if policy else {})})


def vip(pod_name: str = "vip", cpu: str = "7", priority: str = "high", **spec: object) -> Object:
    return pod(pod_name, cpu=cpu, priorityClassName=priority, **spec)


async def is_running(cluster: Living, pod_name: str) -> None:
    await cluster.until(lambda pods: any(name(one) == pod_name and is_ready(one) for one in pods))


@pytest.mark.virtual_time
async def test_a_pod_of_higher_priority_displaces_one_of_lower_and_both_are_told():
    async with living(nodes=1) as cluster:
        await with_priorities(cluster)
        low = await cluster.run_pod(pod("low", cpu="7"))
        await cluster.pods.create(vip())
        await cluster.sleep(0.1)
        waiting, going = await cluster.pods.get("vip"), await cluster.pods.get("low")
        assert waiting["status"]["nominatedNodeName"] == "node-1"
        assert condition(waiting, "PodScheduled")["message"] == "0/1 nodes are available: 1 Insufficient cpu."
        told = condition(going, "DisruptionTarget")
        assert (told["status"], told["reason"]) == ("True", "PreemptionByScheduler")
        assert told["message"] == "default-scheduler: preempting to accommodate a higher priority pod"
        assert going["metadata"]["deletionTimestamp"]
        await is_running(cluster, "vip")
        placed = await cluster.pods.get("vip")
        assert "nominatedNodeName" not in placed["status"]
        event = next(event for event in await cluster.events("low") if event["reason"] == "Preempted")
        assert event["message"] == f"Preempted by pod {placed['metadata']['uid']} on node node-1"
        assert (event["type"], event["action"], event["involvedObject"]["uid"]) == ("Normal", "Preempting", low["metadata"]["uid"])
        assert "FailedScheduling" in await cluster.reasons("vip")


@pytest.mark.virtual_time
async def test_who_never_preempts_waits_until_there_is_room():
    async with living(nodes=1) as cluster:
        await with_priorities(cluster)
        await cluster.run_pod(pod("low", cpu="7"))
        await cluster.pods.create(vip(priority="patient"))
        await cluster.sleep(60)
        waiting = await cluster.pods.get("vip")
        assert condition(waiting, "PodScheduled")["message"].endswith("preemption: not eligible due to preemptionPolicy=Never.")
        assert is_ready(await cluster.pods.get("low"))
        await cluster.pods.delete("low")
        await is_running(cluster, "vip")


@pytest.mark.virtual_time
async def test_the_place_that_is_cleared_isn_t_taken_by_others_and_nobody_more_is_displaced_meanwhile():
    async with living(nodes=2) as cluster:
        await with_priorities(cluster)
        for number in range(2):
            await cluster.run_pod(pod(f"low-{number}", cpu="7", terminationGracePeriodSeconds=30, command=["sleep", "infinity"]))
        await cluster.pods.create(vip())
        await cluster.pods.create(pod("eager", cpu="7"))
        await is_running(cluster, "vip")
        pods = {name(one): one for one in await cluster.pods.list_all()}
        assert len([one for one in pods if one.startswith("low-")]) == 1, "one place was enough"
        assert not pods["eager"]["spec"].get("nodeName")


@pytest.mark.virtual_time
async def test_a_pod_of_still_higher_priority_takes_the_place_over_and_the_first_finds_another():
    async with living(nodes=2) as cluster:
        await with_priorities(cluster)
        for number in range(2):
            await cluster.run_pod(pod(f"low-{number}", cpu="7"))
        await cluster.pods.create(vip("first"))
        await cluster.sleep(0.05)
        await cluster.pods.create(vip("second", priority="higher"))
        for one in ("first", "second"):
            await is_running(cluster, one)
        assert not [one for one in await cluster.pods.list_all() if name(one).startswith("low-")]


@pytest.mark.virtual_time
async def test_disruption_budgets_decide_where_room_is_made():
    async with living(nodes=2) as cluster:
        await with_priorities(cluster)
        guarded = pod("guarded", cpu="7")
        guarded["metadata"]["labels"] = {"app": "db"}
        budget = {"metadata": {"name": "db"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "db"}}}}
        await cluster.client.resource("policy/v1", "poddisruptionbudgets", "default").create(
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", **budget}
        )
        await cluster.run_pod(guarded)
        await cluster.run_pod(pod("free", cpu="7"))
        await cluster.sleep(5)
        await cluster.pods.create(vip())
        await is_running(cluster, "vip")
        assert {name(one) for one in await cluster.pods.list_all()} == {"vip", "guarded"}


@pytest.mark.virtual_time
async def test_a_pod_that_goes_while_its_place_is_cleared_leaves_it_to_others():
    async with living(nodes=1) as cluster:
        await with_priorities(cluster)
        await cluster.run_pod(pod("low", cpu="7"))
        await cluster.pods.create(vip())
        await cluster.sleep(0.05)
        await asyncio.gather(cluster.pods.delete("vip"), cluster.pods.create(pod("next", cpu="7")))
        await is_running(cluster, "next")


@pytest.mark.virtual_time
async def test_a_restart_in_the_middle_of_it_comes_to_the_same(tmp_path):
    async with living(nodes=1, data_dir=tmp_path / "data") as cluster:
        await with_priorities(cluster)
        await cluster.run_pod(pod("low", cpu="7", terminationGracePeriodSeconds=30))
        await cluster.pods.create(vip())
        await cluster.sleep(0.05)
        assert (await cluster.pods.get("vip"))["status"]["nominatedNodeName"] == "node-1"
    async with living(nodes=1, data_dir=tmp_path / "data", start_s=None) as cluster:
        await cluster.pods.create(pod("eager", cpu="7"))
        await is_running(cluster, "vip")
        assert not (await cluster.pods.get("eager"))["spec"].get("nodeName")
