"""Pods that write more than they may are evicted by their node, which looks every ten seconds at those in which something was written."""

import pytest

from svcsim.meta.objects import condition
from svcsim.meta.types import Json, Object
from tests.living import Living, living, pod
from tests.nodes.test_streams import sh

THREE_MIB = "dd if=/dev/zero of={} bs=1024 count=3072"
SLEEP = ["sh", "-c", "sleep 100000"]


def writer(command: list[str], limit: str = "", **volume: Json) -> Object:
    made = pod("web", image="busybox:1", command=command)
    made["spec"]["volumes"] = [{"name": "cache", "emptyDir": volume}]
    made["spec"]["containers"][0]["volumeMounts"] = [{"name": "cache", "mountPath": "/cache"}]
    if limit:
        made["spec"]["containers"][0]["resources"] = {"limits": {"ephemeral-storage": limit}}
    return made


async def evicted(cluster: Living) -> str:
    """Wait until a pod has been evicted; gives what is told of that."""
    [found] = await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Failed")
    message: str = found["status"]["message"]
    assert found["status"]["reason"] == "Evicted"
    target = condition(found, "DisruptionTarget")
    assert target is not None
    assert (target["status"], target["reason"], target["message"]) == ("True", "TerminationByKubelet", message)
    assert [event["message"] for event in await cluster.events("web") if event["reason"] == "Evicted"] == [message]
    return message


@pytest.mark.virtual_time
async def test_a_volume_in_which_more_is_than_may_be_has_its_pod_evicted():
    async with living() as cluster:
        await cluster.run_pod(writer(SLEEP, sizeLimit="1Mi"))
        await sh(cluster, "web", THREE_MIB.format("/cache/f"))
        assert await evicted(cluster) == 'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". '
        [status] = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert "terminated" in status["state"]


@pytest.mark.virtual_time
async def test_what_a_container_writes_of_itself_counts():
    async with living() as cluster:
        await cluster.run_pod(
            writer(["sh", "-c", f"while true; do {THREE_MIB} 2>/dev/null; sleep 5; done".format("/cache/f")], sizeLimit="1Mi")
        )
        assert await evicted(cluster) == 'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". '


@pytest.mark.virtual_time
@pytest.mark.parametrize("path", ["/f", "/cache/f"])
async def test_a_pod_that_writes_more_than_all_its_containers_may_is_evicted(path: str):
    async with living() as cluster:
        await cluster.run_pod(writer(SLEEP, "1Mi"))
        await sh(cluster, "web", THREE_MIB.format(path))
        assert await evicted(cluster) == "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. "


@pytest.mark.virtual_time
async def test_a_container_that_writes_more_than_it_may_has_its_pod_evicted_although_others_may_write_more():
    async with living() as cluster:
        made = writer(SLEEP, "1Mi")
        limits = {"limits": {"ephemeral-storage": "1Gi"}}
        made["spec"]["containers"].append({"name": "side", "image": "busybox:1", "command": SLEEP, "resources": limits})
        await cluster.run_pod(made)
        await sh(cluster, "web", THREE_MIB.format("/f"), "main")
        assert await evicted(cluster) == 'Container main exceeded its local ephemeral storage limit "1Mi". '


@pytest.mark.virtual_time
async def test_what_is_within_its_limits_stays_and_what_is_in_memory_counts_for_none_but_its_own():
    async with living() as cluster:
        await cluster.run_pod(writer(SLEEP, "1Mi", medium="Memory", sizeLimit="5Mi"))
        await sh(cluster, "web", THREE_MIB.format("/cache/f") + "; echo a > /f")
        await cluster.sleep(60)
        assert (await cluster.pods.get("web"))["status"]["phase"] == "Running"
        await sh(cluster, "web", THREE_MIB.format("/cache/g"))
        assert await evicted(cluster) == 'Usage of EmptyDir volume "cache" exceeds the limit "5Mi". '
