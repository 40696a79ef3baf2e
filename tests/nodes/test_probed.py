"""Probes find what a client's command has left in a container."""

import pytest

from svcsim.meta.types import Json, Object
from tests.living import Living, is_ready, living, name, pod
from tests.nodes.test_streams import Done, run

SERVERS = [("nginx:1.29", "/usr/share/nginx/html"), ("httpd:2.4", "/usr/local/apache2/htdocs"), ("caddy:2", "/usr/share/caddy")]
OFTEN = {"periodSeconds": 1, "failureThreshold": 1}


def probed(kind: str, image: str = "busybox:1", command: list[str] | None = None, **probe: Json) -> Object:
    made = pod("web", image=image, command=command)
    made["spec"]["terminationGracePeriodSeconds"] = 1
    made["spec"]["containers"][0][f"{kind}Probe"] = {**OFTEN, **probe}
    return made


async def done(cluster: Living, script: str) -> Done:
    return await run(cluster, "web", "sh", "-c", script)


async def until_ready(cluster: Living, wanted: bool) -> None:
    await cluster.until(lambda pods: is_ready(pods[0]) is wanted, 10)


async def complaints(cluster: Living) -> list[str]:
    return [event["message"] for event in await cluster.events("web") if event["reason"] == "Unhealthy"]


def restarts(obj: Object) -> int:
    count: int = obj["status"]["containerStatuses"][0]["restartCount"]
    return count


@pytest.mark.virtual_time
@pytest.mark.parametrize(("image", "root"), SERVERS)
async def test_a_page_that_is_moved_away_is_missed_until_it_is_back(image: str, root: str):
    async with living() as cluster:
        await cluster.run_pod(probed("readiness", image, httpGet={"path": "/index.html", "port": 80}))
        assert (await done(cluster, f"mv -v {root}/index.html /tmp/")).code == 0
        await until_ready(cluster, False)
        assert await complaints(cluster) == ["Readiness probe failed: HTTP probe failed with statuscode: 404"]
        assert (await done(cluster, f"mv -v /tmp/index.html {root}/")).code == 0
        await until_ready(cluster, True)
        await cluster.sleep(60)
        assert len(await complaints(cluster)) == 1
        assert restarts((await cluster.pods.list_all())[0]) == 0


@pytest.mark.virtual_time
async def test_a_directory_without_a_page_is_refused():
    async with living() as cluster:
        await cluster.run_pod(probed("readiness", "nginx:1.29", httpGet={"port": 80}))
        await done(cluster, "rm /usr/share/nginx/html/index.html")
        await until_ready(cluster, False)
        assert await complaints(cluster) == ["Readiness probe failed: HTTP probe failed with statuscode: 403"]


@pytest.mark.virtual_time
@pytest.mark.parametrize("command", [["cat", "/tmp/healthy"], ["sh", "-c", "test -f /tmp/healthy || { echo gone; false; }"]])
async def test_a_file_that_a_client_removes_costs_a_container_its_life(command: list[str]):
    async with living() as cluster:
        await cluster.run_pod(probed("liveness", command=["sh", "-c", "touch /tmp/healthy; sleep 3600"], exec={"command": command}))
        await done(cluster, "echo nothing has changed")
        await cluster.sleep(30)
        assert await complaints(cluster) == []
        await done(cluster, "rm /tmp/healthy")
        (ended,) = await cluster.until(lambda pods: restarts(pods[0]) == 1, 30)
        (told,) = await complaints(cluster)
        assert told.startswith("Liveness probe failed: ")
        assert "gone" in told or "/tmp/healthy" in told
        await cluster.sleep(300)
        (now,) = await cluster.pods.list_all()
        assert (restarts(now), name(now)) == (1, name(ended)), "in its next run the file is there again"


@pytest.mark.virtual_time
@pytest.mark.parametrize("image", ["nginx:1.29", "somebody/server:1"])
async def test_a_command_that_makes_no_difference_is_none_to_probes(image: str):
    """Whatever the program has that runs there: of that nobody knows."""
    async with living() as cluster:
        await cluster.run_pod(probed("readiness", image, exec={"command": ["test", "-f", "/run/ready"]}))
        await done(cluster, "ls /run; rm /run/ready; touch /run/other")
        await cluster.sleep(10)
        await until_ready(cluster, True)
        await done(cluster, "touch /run/ready")
        await cluster.sleep(10)
        await until_ready(cluster, True)
        await done(cluster, "rm /run/ready")
        await until_ready(cluster, False)
        await done(cluster, "ls /run")
        await cluster.sleep(10)
        await until_ready(cluster, False)


@pytest.mark.virtual_time
async def test_what_the_containers_own_script_does_later_counts_again():
    async with living() as cluster:
        script = ["sh", "-c", "sleep 20; touch /tmp/ready; sleep 3600"]
        await cluster.pods.create(probed("readiness", command=script, exec={"command": ["cat", "/tmp/ready"]}))
        await cluster.until(lambda pods: bool((pods[0]["status"].get("containerStatuses") or [{}])[0].get("started")))
        await done(cluster, "touch /tmp/ready")
        await until_ready(cluster, True)
        await done(cluster, "rm /tmp/ready")
        await until_ready(cluster, False)
        await cluster.until(lambda pods: is_ready(pods[0]), 30)


@pytest.mark.virtual_time
@pytest.mark.parametrize("command", [["sh", "-c", "test -f /tmp/x || sleep 5"], ["sh", "-c", "until test -f /tmp/x; do true; done"]])
async def test_a_command_that_takes_too_long_fails(command: list[str]):
    async with living() as cluster:
        await cluster.run_pod(probed("readiness", command=["sh", "-c", "touch /tmp/x; sleep 3600"], exec={"command": command}))
        await done(cluster, "rm /tmp/x")
        await until_ready(cluster, False)
        assert "timed out after 1s" in (await complaints(cluster))[0]


@pytest.mark.virtual_time
async def test_an_annotation_has_the_last_word():
    async with living() as cluster:
        await cluster.run_pod(probed("readiness", "nginx:1.29", httpGet={"path": "/", "port": 80}))
        await done(cluster, "true")
        mark = {"metadata": {"annotations": {"svcsim.dev/failing-probes": "readiness"}}}
        await cluster.pods.patch("web", mark)
        await until_ready(cluster, False)
        await cluster.pods.patch("web", {"metadata": {"annotations": {"svcsim.dev/failing-probes": None}}})
        await until_ready(cluster, True)


@pytest.mark.virtual_time
async def test_a_file_that_is_removed_through_another_container_is_missed_too():
    async with living() as cluster:
        wanted = probed("liveness", command=["sleep", "3600"], exec={"command": ["cat", "/v/there"]})
        mounts: list[Json] = [{"name": "v", "mountPath": "/v"}]
        (web,) = wanted["spec"]["containers"]
        wanted["spec"]["containers"] = [{**web, "volumeMounts": mounts}, {"name": "other", "image": "nginx:1.29", "volumeMounts": mounts}]
        init: Object = {"name": "init", "image": "busybox:1", "command": ["touch", "/v/there"], "volumeMounts": mounts}
        wanted["spec"].update(volumes=[{"name": "v", "emptyDir": {}}], initContainers=[init])
        await cluster.run_pod(wanted)
        await cluster.sleep(30)
        assert await complaints(cluster) == []
        assert (await run(cluster, "web", "rm", "/v/there", container="other")).code == 0
        await cluster.until(lambda pods: restarts(pods[0]) >= 1, 30)
        assert (await complaints(cluster))[0].startswith("Liveness probe failed: cat: can't open '/v/there'")
