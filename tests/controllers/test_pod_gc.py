"""Pods that nobody else would ever remove."""

import pytest

from svcsim.controllers.pod_gc import surplus
from svcsim.meta.types import Object
from tests.living import living, name, pod


@pytest.mark.virtual_time
async def test_the_pods_of_a_deleted_node_go_after_a_little_patience():
    async with living() as cluster:
        await cluster.run_pod(pod("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
        await cluster.run_pod(pod("stays", nodeSelector={"kubernetes.io/hostname": "node-1"}))
        await cluster.nodes.delete("node-2")
        await cluster.sleep(30)
        assert len(await cluster.pods.list_all()) == 2
        pods = await cluster.until(lambda pods: len(pods) == 1, within_s=60)
        assert name(pods[0]) == "stays"


def test_only_so_many_finished_pods_are_kept_the_newest():
    def seen(pod_name: str, created: str, phase: str = "Succeeded", **more: str) -> Object:
        metadata = {"name": pod_name, "namespace": "default", "creationTimestamp": created, **more}
        return {"metadata": metadata, "status": {"phase": phase}}

    pods = [
        seen("old", "2026-01-01"),
        seen("new", "2026-01-03", "Failed"),
        seen("middle", "2026-01-02"),
        seen("running", "2025-01-01", "Running"),
        seen("leaving", "2025-01-01", deletionTimestamp="2026-01-04"),
    ]
    assert [name(pod) for pod in surplus(pods, 1)] == ["old", "middle"]
    assert surplus(pods, 3) == []


@pytest.mark.virtual_time
async def test_what_ends_on_a_node_that_is_out_of_service_goes_at_once():
    """A node that was shut down never says that its pods have ended: who knows that it was puts a taint on it."""
    taint = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
    async with living() as cluster:
        for where in ("node-1", "node-2"):
            await cluster.run_pod(pod(f"on-{where}", nodeName=where, tolerations=[{"operator": "Exists"}]))
        cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"kind": "Node", "name": "node-2"}})
        await cluster.nodes.patch("node-1", {"spec": {"taints": [taint]}})
        await cluster.sleep(90)
        await cluster.pods.delete("on-node-2")
        await cluster.sleep(90)
        assert len(await cluster.pods.list_all()) == 2, "it may still run"
        silent = await cluster.nodes.get("node-2")
        await cluster.nodes.patch("node-2", {"spec": {"taints": [*silent["spec"]["taints"], taint]}})
        pods = await cluster.until(lambda pods: len(pods) == 1, within_s=30)
        assert [name(one) for one in pods] == ["on-node-1"], "a node that answers ends its pods itself"
