"""Which processes a container sees: its own, or with a shared namespace those of all containers of its pod."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.nodes.streams.namespaces import command_of
from tests.living import Living, living, pod
from tests.nodes.test_streams import sh

NGINX = "nginx: master process nginx -g daemon off;"


def two(**spec: Json) -> Object:
    made = pod("web", **spec)
    loop = ["sh", "-c", "while true; do sleep 1; done"]
    made["spec"]["containers"].append({"name": "loop", "image": "busybox:1", "command": loop, "securityContext": {"runAsUser": 7}})
    return made


async def seen(cluster: Living, container: str) -> list[tuple[str, ...]]:
    lines = (await sh(cluster, "web", "ps", container)).splitlines()[1:]
    return [tuple(line.split(maxsplit=3)) for line in lines]


@pytest.mark.virtual_time
async def test_containers_that_share_their_processes_see_those_of_all():
    async with living() as cluster:
        await cluster.run_pod(two(shareProcessNamespace=True))
        expected = [
            ("1", "65535", "0:00", "/pause"),
            ("7", "root", "0:00", NGINX),
            ("13", "7", "0:00", "sh -c while true; do sleep 1; done"),
        ]
        assert await seen(cluster, "loop") == [*expected, ("19", "7", "0:00", "ps")]
        assert await seen(cluster, "main") == [*expected, ("19", "root", "0:00", "ps")]


@pytest.mark.parametrize(
    ("container", "shown"),
    [
        ({"image": "busybox:1.28"}, "sh"),
        ({"image": "registry.k8s.io/pause:3.1"}, "/pause"),
        ({"image": "registry.k8s.io/nginx-slim:0.21"}, NGINX),
        ({"image": "registry.example:5000/team/web:1.2"}, "web"),
        ({"image": "nginx", "args": ["nginx", "-t"]}, "nginx -t"),
        ({"image": "busybox", "command": ["sleep"], "args": ["9"]}, "sleep 9"),
        ({"image": "agnhost:2"}, "/agnhost pause"),
        ({"image": "agnhost:2", "args": ["netexec"]}, "/agnhost netexec"),
    ],
)
def test_a_container_is_shown_by_what_it_runs_and_not_by_its_image(container: Object, shown: str):
    assert command_of(container) == shown


@pytest.mark.virtual_time
async def test_others_see_their_own_alone():
    async with living() as cluster:
        await cluster.run_pod(two())
        assert await seen(cluster, "main") == [("1", "root", "0:00", NGINX), ("7", "root", "0:00", "ps")]


@pytest.mark.virtual_time
async def test_a_process_of_another_container_can_be_killed_where_it_is_seen():
    async with living() as cluster:
        await cluster.run_pod(two(shareProcessNamespace=True))
        await sh(cluster, "web", "kill 13", "main")
        [found] = await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][1]["restartCount"] == 1)
        main, loop = found["status"]["containerStatuses"]
        assert (main["restartCount"], loop["lastState"]["terminated"]["exitCode"]) == (0, 143)


@pytest.mark.virtual_time
async def test_a_container_for_a_look_at_another_sees_its_processes():
    async with living() as cluster:
        await cluster.run_pod(two())
        debug = {"name": "debug", "image": "busybox:1", "targetContainerName": "main", "command": ["sleep", "1000"]}
        await cluster.pods.patch("web", {"spec": {"ephemeralContainers": [debug]}}, subresource="ephemeralcontainers")
        await cluster.until(lambda pods: "running" in pods[0]["status"].get("ephemeralContainerStatuses", [{"state": {}}])[0]["state"])
        assert await seen(cluster, "debug") == [
            ("1", "root", "0:00", NGINX),
            ("7", "root", "0:00", "sleep 1000"),
            ("13", "root", "0:00", "ps"),
        ]
