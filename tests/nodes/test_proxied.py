"""Whom requests below proxy paths reach, and whom they don't: on virtual time, through the API."""

import json

import pytest

from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from tests.living import Living, living, pod

PODS = "/api/v1/namespaces/default/pods"


async def ask(cluster: Living, path: str, method: str = "GET") -> Response:
    return await cluster.client.transport.call(Request(method, path))


async def told(cluster: Living, path: str) -> Object:
    answer = await ask(cluster, path)
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


@pytest.mark.virtual_time
async def test_a_node_that_is_down_answers_nobody():
    async with living() as cluster:
        made = await cluster.run_pod(pod("web"))
        node, ip = made["spec"]["nodeName"], made["status"]["podIP"]
        assert (await ask(cluster, f"/api/v1/nodes/{node}/proxy/healthz")).body == b"ok"
        cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": node}})
        for path, why in (
            (f"{PODS}/web:80/proxy/", f"dial tcp {ip}:80: i/o timeout"),
            (f"/api/v1/nodes/{node}/proxy/healthz", ":10250: i/o timeout"),
            (f"/api/v1/nodes/{node}:9100/proxy/", ":10250: i/o timeout"),
        ):
            answer = await ask(cluster, path)
            status = json.loads(answer.body)
            assert (answer.status, status["reason"]) == (503, "ServiceUnavailable")
            assert status["message"].startswith("error trying to reach service: dial tcp ")
            assert status["message"].endswith(why)


@pytest.mark.virtual_time
async def test_processor_time_is_the_sum_of_what_was_used():
    async with living() as cluster:
        busy = pod("busy")
        busy["metadata"]["annotations"] = {"svcsim.dev/cpu": "500m"}
        made = await cluster.run_pod(busy)
        node = f"/api/v1/nodes/{made['spec']['nodeName']}/proxy"

        async def used_s() -> float:
            found = await told(cluster, f"{node}/stats/summary")
            mine = next(one for one in found["pods"] if one["podRef"]["name"] == "busy")
            return mine["containers"][0]["cpu"]["usageCoreNanoSeconds"] / 1e9

        first = await used_s()
        await cluster.sleep(100)
        second = await used_s()
        assert second - first == pytest.approx(50, abs=1)
        changed = {"metadata": {"annotations": {"svcsim.dev/cpu": "0"}}}
        await cluster.pods.patch("busy", changed)
        third = await used_s()
        assert third >= second
        await cluster.sleep(1000)
        assert await used_s() == pytest.approx(third)
