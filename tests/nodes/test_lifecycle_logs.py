"""The order of a pod's life as its own scripts write it down: what each container and each hook says of itself, into files and logs."""

import pytest

from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object
from tests.living import Living, is_ready, living
from tests.nodes.test_processes import log, of_containers, script
from tests.nodes.test_streams import sh
from tests.nodes.test_traps import statuses

NOW = "`date -u +%FT$(nmeter -d0 '%3t' | head -n1)Z`"
"""With milliseconds, as ``busybox`` can tell them."""
MOUNTED: list[Json] = [{"name": "all", "mountPath": "/all"}]


def says(name: str, *, works_s: int = 0, ends_s: int = 0, of: str = "") -> str:
    """A script that says when it begins and ends, also when it is asked to, into its container's log and into a file for all."""
    told = f"| tee -a /all/log >> /proc/1/fd/1; {'' if of else 'touch begun; '}"
    leaves = f"leaves() {{ sleep {ends_s}; echo {NOW} {name} left {told} exit 0; }}; trap leaves TERM; "
    return f"{leaves}echo {NOW} {name} began {told}exec sleep {works_s} & wait $!; echo {NOW} {name} ended {told}exit 0"


def hook(text: str) -> Object:
    return {"exec": {"command": ["sh", "-c", text]}}


async def story(cluster: Living, container: str = "") -> list[str]:
    """What was said, without the times; by one container, or by all."""
    text = await log(cluster, "web", f"container={container}") if container else await sh(cluster, "web", "cat /all/log", "main")
    return [line.partition(" ")[2] for line in text.splitlines()]


@pytest.mark.virtual_time
async def test_init_containers_sidecars_and_hooks_come_in_their_order():
    hooks = {"postStart": hook(says("after", works_s=3, of="main")), "preStop": hook(says("before", works_s=4, of="main"))}
    main = script(says("main", works_s=600, ends_s=2), "main", volumeMounts=MOUNTED, lifecycle=hooks)
    first = script(says("first", works_s=2), "first", volumeMounts=MOUNTED)
    beside = script(says("beside", works_s=600, ends_s=1), "beside", volumeMounts=MOUNTED, restartPolicy="Always")
    async with living(nodes=1) as cluster:
        pod = of_containers(main, initContainers=[first, beside], volumes=[{"name": "all", "emptyDir": {}}])
        pod["metadata"]["finalizers"] = ["example.com/look"]
        await cluster.pods.create(pod)
        await cluster.until(lambda pods: all(map(is_ready, pods)))
        began = ["first began", "first ended", "beside began", "main began", "after began", "after ended"]
        assert await story(cluster) == began
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: all("terminated" in one["state"] for one in statuses(pods[0])))
        ended = ["before began", "before ended", "main left"]
        assert await story(cluster, "main") == [*began[3:], *ended]
        assert await story(cluster, "beside") == ["beside began", "beside left"]
        assert [one["state"]["terminated"]["exitCode"] for one in statuses(await cluster.pods.get("web"))] == [0, 0, 0]


@pytest.mark.virtual_time
async def test_a_hook_may_make_its_container_end():
    main = script(
        "until test -f /tmp/go; do sleep 1; done; echo went; exit 5", "main", lifecycle={"preStop": hook("sleep 2; touch /tmp/go")}
    )
    async with living(nodes=1) as cluster:
        pod = of_containers(main, restartPolicy="Never")
        pod["metadata"]["finalizers"] = ["example.com/look"]
        await cluster.run_pod(pod)
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: all("terminated" in one["state"] for one in statuses(pods[0])))
        assert await log(cluster, "web") == "went\n"


@pytest.mark.virtual_time
async def test_who_is_at_work_in_a_container_may_write_into_its_log():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("echo one; sleep 1000", "main")))
        await sh(cluster, "web", "echo two > /proc/1/fd/1; echo three | tee -a /proc/1/fd/2 >> /tmp/x; cat /tmp/x", "main")
        await cluster.sleep(1)
        assert await log(cluster, "web") == "one\ntwo\nthree\n"


@pytest.mark.virtual_time
async def test_links_to_its_streams_lead_into_its_log():
    links = "mkdir /tmp/n; ln -sf /dev/stdout /tmp/n/access.log; ln -sf /proc/self/fd/2 /tmp/n/error.log; ln -s /proc/1/fd/1 /tmp/n/first; "
    async with living(nodes=1) as cluster:
        said = "echo acc >> /tmp/n/access.log; echo err > /tmp/n/error.log; sleep 1000"
        await cluster.run_pod(of_containers(script(f"{links}{said}", "main")))
        await sh(cluster, "web", "echo two > /tmp/n/first; echo mine >> /tmp/n/access.log", "main")
        await cluster.sleep(1)
        assert await log(cluster, "web") == "acc\nerr\ntwo\n"


@pytest.mark.virtual_time
async def test_who_follows_the_log_reads_that_at_once():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("echo one; sleep 1000", "main")))
        response = await cluster.client.transport.call(Request("GET", "/api/v1/namespaces/default/pods/web/log", "follow=true"))
        assert response.stream is not None
        assert await anext(response.stream) == b"one\n"
        await cluster.sleep(5)
        began = cluster.cluster.clock.now()
        await sh(cluster, "web", "echo two > /proc/1/fd/1", "main")
        assert await anext(response.stream) == b"two\n"
        assert cluster.cluster.clock.now() - began < 1
        await response.stream.aclose()
