"""What happens to placing pods when others act at the same time: schedulers, nodes that go, restarts."""

import asyncio

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.living import Living, condition, is_ready, living, name, pod


async def bind(cluster: Living, pod_name: str, node: str) -> int:
    body: Object = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod_name}, "target": {"kind": "Node", "name": node}}
    try:
        await cluster.pods.create_subresource(pod_name, "binding", body)
    except StatusError as error:
        return error.code
    return 201


def by_node(pods: list[Object]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in pods:
        where = one["spec"].get("nodeName", "")
        counts[where] = counts.get(where, 0) + 1
    return counts


@pytest.mark.virtual_time
async def test_pods_that_a_second_scheduler_binds_are_counted_where_they_are():
    async with living(nodes=2) as cluster:

        async def make_and_bind(number: int) -> int:
            await cluster.pods.create(pod(f"p-{number}", cpu="100m"))
            return await bind(cluster, f"p-{number}", f"node-{number % 2 + 1}")

        codes = await asyncio.gather(*(make_and_bind(number) for number in range(40)))
        assert {*codes} <= {201, 409}
        pods = await cluster.until(lambda pods: sum(map(is_ready, pods)) == 40)
        for node, count in by_node(pods).items():
            left = 7800 - 100 * count
            there = {"nodeSelector": {"kubernetes.io/hostname": node}}
            await cluster.pods.create(pod(f"too-much-{node}", cpu=f"{left + 1}m", **there))
            await cluster.sleep(2)
            assert condition(await cluster.pods.get(f"too-much-{node}"), "PodScheduled")["status"] == "False"
            await cluster.run_pod(pod(f"just-right-{node}", cpu=f"{left}m", **there))


@pytest.mark.virtual_time
async def test_a_node_that_goes_while_pods_are_being_bound_is_made_up_for():
    async with living(nodes=3) as cluster:
        sets = cluster.client.resource("apps/v1", "replicasets", "default")
        template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x")["spec"]}
        spec = {"replicas": 40, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        await sets.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec})
        await cluster.sleep(0.01)
        await cluster.nodes.delete("node-2")
        nodes = {name(node) for node in await cluster.nodes.list_all()}
        await cluster.until(lambda pods: len(pods) == 40 and all(is_ready(one) and one["spec"]["nodeName"] in nodes for one in pods), 300)


@pytest.mark.virtual_time
async def test_a_pod_deleted_and_made_anew_while_it_waits_is_another_pod():
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("web", cpu="64"))
        await cluster.sleep(0.5)
        await cluster.pods.delete("web")
        await cluster.run_pod(pod("web"))


@pytest.mark.virtual_time
async def test_after_a_restart_waiting_pods_wait_and_what_has_room_is_placed(tmp_path):
    async with living(nodes=1, data_dir=tmp_path / "data") as cluster:
        await cluster.run_pod(pod("there", cpu="6"))
        await cluster.pods.create(pod("big", cpu="6"))
        await cluster.sleep(1)
    async with living(nodes=1, data_dir=tmp_path / "data", start_s=None) as cluster:
        await cluster.run_pod(pod("small", cpu="1"))
        big = await cluster.pods.get("big")
        assert condition(big, "PodScheduled")["reason"] == "Unschedulable"
        await cluster.pods.delete("there")
        await cluster.until(lambda pods: any(name(one) == "big" and is_ready(one) for one in pods))


@pytest.mark.virtual_time
async def test_an_unschedulable_pod_is_tried_again_after_five_minutes_whatever_happened():
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("big", cpu="64"))
        await cluster.sleep(200)
        tries = [event for event in await cluster.events("big") if event["reason"] == "FailedScheduling"]
        assert (len(tries), tries[0].get("series")) == (1, None)
        await cluster.sleep(200)
        told = await cluster.cluster.answers.explain_schedule("default", "big")
        assert told["queue"]["attempts"] == 2


@pytest.mark.virtual_time
async def test_a_pod_waits_for_its_gates_and_says_so():
    async with living() as cluster:
        gates = [{"name": "example.com/a"}, {"name": "example.com/b"}]
        await cluster.pods.create(pod("web", schedulingGates=gates))
        await cluster.sleep(30)
        gated = await cluster.pods.get("web")
        told = condition(gated, "PodScheduled")
        assert (told["status"], told["reason"]) == ("False", "SchedulingGated")
        assert told["message"] == "Scheduling is blocked due to non-empty scheduling gates"
        assert await cluster.events("web") == []
        await cluster.pods.patch("web", {"spec": {"schedulingGates": gates[1:]}})
        await cluster.sleep(30)
        assert not (await cluster.pods.get("web"))["spec"].get("nodeName")
        await cluster.pods.patch("web", {"spec": {"schedulingGates": [], "nodeSelector": {"kubernetes.io/hostname": "node-2"}}})
        pods = await cluster.until(lambda pods: is_ready(pods[0]))
        assert pods[0]["spec"]["nodeName"] == "node-2"


@pytest.mark.virtual_time
async def test_each_of_several_schedulers_places_its_pods_in_its_own_name_and_others_wait():
    async with living(scheduler_names=("default-scheduler", "batch")) as cluster:
        for scheduler in ("batch", "nobody"):
            await cluster.pods.create(pod(scheduler, schedulerName=scheduler))
        await cluster.pods.create(pod("big", cpu="64", schedulerName="batch"))
        await cluster.until(lambda pods: any(name(one) == "batch" and is_ready(one) for one in pods))
        event = next(event for event in await cluster.events("batch") if event["reason"] == "Scheduled")
        assert (event["reportingComponent"], event["reportingInstance"]) == ("batch", "batch")
        failed = next(event for event in await cluster.events("big") if event["reason"] == "FailedScheduling")
        assert failed["reportingComponent"] == "batch"
        waiting = await cluster.pods.get("nobody")
        assert not waiting["spec"].get("nodeName")
        assert condition(waiting, "PodScheduled") == {}
        assert await cluster.events("nobody") == []


@pytest.mark.virtual_time
async def test_without_the_default_name_ordinary_pods_wait():
    async with living(scheduler_names=("batch",)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.run_pod(pod("job", schedulerName="batch"))
        assert not (await cluster.pods.get("web"))["spec"].get("nodeName")
