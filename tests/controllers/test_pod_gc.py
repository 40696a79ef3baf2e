"""Pods that nobody else would ever remove."""

from svcsim.client.cache import ObjectKey
from svcsim.controllers.pod_gc import Seen, surplus
from tests.living import living, name, pod
from tests.virtual import run_virtual


def test_the_pods_of_a_deleted_node_go_after_a_little_patience():
    async def main():
        async with living() as cluster:
            await cluster.run_pod(pod("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
            await cluster.run_pod(pod("stays", nodeSelector={"kubernetes.io/hostname": "node-1"}))
            await cluster.nodes.delete("node-2")
            await cluster.sleep(30)
            assert len(await cluster.pods.list_all()) == 2
            pods = await cluster.until(lambda pods: len(pods) == 1, within_s=60)
            assert name(pods[0]) == "stays"

    run_virtual(main())


def test_only_so_many_finished_pods_are_kept_the_newest():
    def seen(created: str, **more: bool) -> Seen:
        return Seen("uid", "node-1", more.get("terminating", False), more.get("finished", True), created)

    pods = {
        ObjectKey("default", "old"): seen("2026-01-01"),
        ObjectKey("default", "new"): seen("2026-01-03"),
        ObjectKey("default", "middle"): seen("2026-01-02"),
        ObjectKey("default", "running"): seen("2025-01-01", finished=False),
        ObjectKey("default", "leaving"): seen("2025-01-01", terminating=True),
    }
    assert [key.name for key, _ in surplus(pods, 1)] == ["old", "middle"]
    assert surplus(pods, 3) == []
