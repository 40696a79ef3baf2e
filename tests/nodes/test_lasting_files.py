"""What is on persistent volumes, and on the disks of nodes, outlives the pods that have put it there."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.nodes.streams.lasting import on_node
from tests.living import Living, living, name, pod
from tests.nodes.test_processes import ONCE, ended, exit_code, log, of_containers, script
from tests.nodes.test_streams import of, run, sh


def mounting(text: str, volume: Object, pod_name: str, *, node: str = "", **mount: Json) -> Object:
    one = script(text, volumeMounts=[{"name": "v", "mountPath": "/v", **mount}])
    wanted = of_containers(one, pod_name=pod_name, volumes=[{"name": "v", **volume}], **ONCE)
    return wanted if not node else {**wanted, "spec": {**wanted["spec"], "nodeName": node}}


async def claim(cluster: Living, claim_name: str) -> None:
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    await cluster.client.resource("v1", "persistentvolumeclaims", "default").create(of("PersistentVolumeClaim", claim_name, spec=spec))


def claimed(claim_name: str, **more: Json) -> Object:
    return {"persistentVolumeClaim": {"claimName": claim_name, **more}}


async def says(cluster: Living, wanted: Object) -> str:
    await ended(cluster, wanted)
    return await log(cluster, name(wanted))


@pytest.mark.virtual_time
async def test_files_on_a_volume_are_there_for_the_next_pod_until_the_volume_is_gone():
    async with living(nodes=2) as cluster:
        await claim(cluster, "data")
        await claim(cluster, "other")
        assert exit_code(await ended(cluster, mounting("echo kept > /v/f; mkdir /v/d", claimed("data"), "first"))) == 0
        await cluster.pods.delete("first")
        await cluster.until(lambda pods: not pods)
        assert await says(cluster, mounting("cat /v/f; ls /v", claimed("data"), "second")) == "kept\nd\nf\n"
        assert await says(cluster, mounting("ls /v", claimed("other"), "third")) == ""
        assert await says(cluster, mounting("ls /v", {"emptyDir": {}}, "fourth")) == ""
        files = cluster.cluster.nodes.reach.processes.files
        assert files.used_bytes > 0
        for pod_name in ("second", "third", "fourth"):
            await cluster.pods.delete(pod_name)
        claims = cluster.client.resource("v1", "persistentvolumeclaims", "default")
        await claims.delete("data")
        await cluster.sleep(60)
        assert [name(one) for one in await claims.list_all()] == ["other"]
        assert files.used_bytes == 0


@pytest.mark.virtual_time
async def test_pods_at_the_same_volume_see_what_the_others_write():
    async with living(nodes=2) as cluster:
        await claim(cluster, "data")
        for number, more in enumerate(({}, {"subPath": "sub"}, {})):
            wanted = pod(f"web-{number}")
            wanted["spec"]["volumes"] = [{"name": "v", **claimed("data", readOnly=number == 2)}]
            wanted["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v", **more}]
            await cluster.run_pod(wanted)
        assert await sh(cluster, "web-1", "echo one > /v/f") == ""
        assert await sh(cluster, "web-0", "cat /v/sub/f; echo two >> /v/sub/f") == "one\n"
        assert await sh(cluster, "web-1", "cat /v/f") == "one\ntwo\n"
        done = await run(cluster, "web-2", "sh", "-c", "cat /v/sub/f; echo three > /v/sub/f")
        assert done.out == "one\ntwo\n"
        assert "Read-only file system" in done.err


@pytest.mark.virtual_time
async def test_what_is_on_the_disk_of_a_node_is_there_for_its_pods_until_it_is_removed():
    async with living(nodes=2) as cluster:
        await ended(cluster, mounting("echo here > /v/f", {"hostPath": {"path": "/data/web"}}, "writes", node="node-1"))
        await cluster.pods.delete("writes")
        await cluster.until(lambda pods: not pods)
        within: Object = {"hostPath": {"path": "/data"}}
        assert await says(cluster, mounting("cat /v/web/f", within, "reads", node="node-1")) == "here\n"
        assert await says(cluster, mounting("ls /v", within, "elsewhere", node="node-2")) == ""
        assert await says(cluster, mounting("ls /v", {"hostPath": {"path": "/"}}, "all", node="node-1")) == "data\netc\ntmp\n"
        hosts: Object = {"hostPath": {"path": "/etc/hosts", "type": "FileOrCreate"}}
        assert (await says(cluster, mounting("cat /v", hosts, "host", node="node-1"))).startswith("127.0.0.1\tlocalhost\n")
        new: Object = {"hostPath": {"path": "/var/new", "type": "FileOrCreate"}}
        assert await says(cluster, mounting("wc -c /v; test -f /v && echo file", new, "new", node="node-1")) == "0 /v\nfile\n"
        files = cluster.cluster.nodes.reach.processes.files
        before = files.used_bytes
        files.lasting.forget(on_node("node-1"))
        assert 0 < files.used_bytes < before


@pytest.mark.virtual_time
async def test_a_disk_that_is_full_takes_nothing_more_and_is_empty_once_it_is_gone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("svcsim.limits.SIMULATED_DISK_BYTES", 3_000)
    monkeypatch.setattr("svcsim.limits.LASTING_DISKS", 1)
    async with living(nodes=2) as cluster:
        disk: Object = {"hostPath": {"path": "/data"}}
        text = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo x > /v/$i || exit 3; done"
        assert exit_code(await ended(cluster, mounting(text, disk, "fills", node="node-1"))) == 3
        assert "No space left on device" in await log(cluster, "fills")
        assert await says(cluster, mounting("ls /v", disk, "elsewhere", node="node-2")) == ""
        assert await says(cluster, mounting("ls /v", disk, "again", node="node-1")) == "", "no more than one is kept"
