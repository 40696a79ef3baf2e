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
