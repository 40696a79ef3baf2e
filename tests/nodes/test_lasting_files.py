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
        there = (await says(cluster, mounting("ls /v", {"hostPath": {"path": "/"}}, "all", node="node-1"))).split()
        assert set(there) > {"data", "etc", "run", "tmp", "usr", "var"}
        hosts: Object = {"hostPath": {"path": "/etc/hosts", "type": "FileOrCreate"}}
        assert (await says(cluster, mounting("cat /v", hosts, "host", node="node-1"))).startswith("127.0.0.1\tlocalhost\n")
        new: Object = {"hostPath": {"path": "/var/new", "type": "FileOrCreate"}}
        assert await says(cluster, mounting("wc -c /v; test -f /v && echo file", new, "new", node="node-1")) == "0 /v\nfile\n"
        files = cluster.cluster.nodes.reach.processes.files
        assert files.used_bytes > 0
        files.nodes.forget("node-1")
        assert files.lasting.get(on_node("node-1")) is None


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


def at(path: str, kind: str) -> Object:
    return {"hostPath": {"path": path, **({"type": kind} if kind else {})}}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("path", "kind", "why"),
    [
        ("/nope", "Directory", "hostPath type check failed: /nope is not a directory"),
        ("/nope", "File", "hostPath type check failed: /nope is not a file"),
        ("/etc", "File", "hostPath type check failed: /etc is not a file"),
        ("/etc/hosts", "DirectoryOrCreate", "hostPath type check failed: /etc/hosts is not a directory"),
        ("/nope", "Socket", "hostPath type check failed: /nope is not a socket file"),
        ("/etc/hosts", "Socket", "hostPath type check failed: /etc/hosts is not a socket file"),
        ("/dev/nope", "CharDevice", "hostPath type check failed: /dev/nope is not a character device"),
        ("/dev/null", "BlockDevice", "hostPath type check failed: /dev/null is not a block device"),
        ("/nope/file", "FileOrCreate", "open /nope/file: no such file or directory"),
    ],
)
async def test_a_pod_waits_for_what_it_wants_of_its_node_to_be_there(path: str, kind: str, why: str):
    async with living() as cluster:
        await cluster.pods.create(mounting("true", at(path, kind), "web", node="node-1"))
        await cluster.sleep(10)
        [status] = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert status["state"]["waiting"]["reason"] == "ContainerCreating"
        troubles = {event["message"] for event in await cluster.events("web") if event["reason"] == "FailedMount"}
        assert troubles == {f'MountVolume.SetUp failed for volume "v" : {why}'}


USUAL = (
    ("/", ""), ("/", "Directory"), ("/etc", "Directory"), ("/var", "Directory"), ("/var/log", "Directory"),
    ("/var/lib/kubelet/pods", "Directory"), ("/var/run", "Directory"), ("/run", "Directory"), ("/proc", "Directory"),
    ("/sys", "Directory"), ("/sys/fs/cgroup", "Directory"),
    ("/dev", "Directory"), ("/tmp", "Directory"), ("/usr", "Directory"), ("/lib/modules", "Directory"), ("/opt/cni/bin", "Directory"),
    ("/home", "Directory"), ("/root", "Directory"), ("/boot", "Directory"), ("/mnt", "Directory"), ("/srv", "Directory"),
    ("/etc/cni/net.d", "DirectoryOrCreate"), ("/run/xtables.lock", "FileOrCreate"), ("/etc/machine-id", "File"),
    ("/dev/fuse", "CharDevice"),
    ("/run/containerd/containerd.sock", "Socket"), ("/var/run/containerd/containerd.sock", "Socket"), ("/dev/sda", "BlockDevice"),
    ("/new/and/deep", "DirectoryOrCreate"), ("/anything", ""),
)  # fmt: skip


@pytest.mark.virtual_time
async def test_what_usual_daemons_mount_is_there():
    async with living() as cluster:
        daemon = mounting("true", at("/", ""), "web", node="node-1")
        daemon["spec"]["volumes"] = [{"name": f"v{number}", **at(*one)} for number, one in enumerate(USUAL)]
        daemon["spec"]["containers"][0]["volumeMounts"] = []
        await ended(cluster, daemon)


@pytest.mark.virtual_time
async def test_what_one_pod_has_made_on_a_node_another_finds_there():
    async with living(nodes=2) as cluster:
        await ended(cluster, mounting("true", at("/made/deep", "DirectoryOrCreate"), "makes", node="node-1"))
        await ended(cluster, mounting("true", at("/made/file", "FileOrCreate"), "makes-file", node="node-1"))
        assert await says(cluster, mounting("ls /v", at("/made", "Directory"), "finds", node="node-1")) == "deep\nfile\n"
        await ended(cluster, mounting("echo x > /v", at("/made/file", "File"), "writes", node="node-1"))
        await cluster.pods.create(mounting("true", at("/made", "Directory"), "elsewhere", node="node-2"))
        await cluster.sleep(5)
        assert "FailedMount" in await cluster.reasons("elsewhere")
