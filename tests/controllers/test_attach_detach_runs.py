"""Volumes are attached to the nodes whose pods use them, and nowhere else."""

from pathlib import Path

import pytest

from svcsim.meta.simulated_disks import DRIVER, FAIL_ANNOTATION
from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, named, storage_class, user_of, volume
from tests.virtual import run_virtual

RWX = ("ReadWriteMany",)
LEAD = "Unable to attach or mount volumes: unmounted volumes"


async def disk_of(s: Storage, name: str = "data", **spec: object) -> str:
    """A claim with a volume that is to be had on every node; gives the volume's name."""
    for node in await s.r.until(lambda items: len(items) >= 3, s.nodes):
        await s.nodes.patch(named(node), {"metadata": {"labels": {"topology.kubernetes.io/zone": "here"}}})
    if not any(named(one) == "now" for one in (await s.classes.list()).items):
        await s.classes.create(storage_class("now"))
    await s.claims.create(claim(name, storageClassName="now", **spec))
    made: str = (await s.bound(name))["spec"]["volumeName"]
    return made


def on_node(node: str, name: str = "user", claim_name: str = "data", **spec: object) -> Object:
    return user_of(claim_name, name, nodeName=node, **spec)


@pytest.mark.virtual_time
async def test_a_pod_waits_for_its_volume_to_be_attached():
    async with running() as r:
        s = Storage(r)
        disk = await disk_of(s)
        await r.pods.create(on_node("node-1"))
        await s.running()
        (attachment,) = (await s.attachments.list()).items
        assert attachment["spec"] == {"attacher": DRIVER, "nodeName": "node-1", "source": {"persistentVolumeName": disk}}
        assert attachment["status"]["attached"] is True
        assert attachment["metadata"]["name"].startswith("csi-")
        assert attachment["metadata"]["finalizers"] == ["external-attacher/disk-csi-svcsim-dev"]
        assert await s.messages("user", "SuccessfulAttachVolume") == [f'AttachVolume.Attach succeeded for volume "{disk}" ']
        node = await s.nodes.get("node-1")
        name = f"kubernetes.io/csi/{DRIVER}^{disk}"
        assert node["status"]["volumesAttached"] == [{"name": name, "devicePath": ""}]
        assert node["status"]["volumesInUse"] == [name]
        reasons = await s.reasons("user")
        assert reasons.index("SuccessfulAttachVolume") < reasons.index("Pulling")
        assert "FailedMount" not in reasons


@pytest.mark.virtual_time
async def test_a_volume_is_detached_when_the_last_pod_on_the_node_has_gone():
    async with running() as r:
        s = Storage(r)
        await disk_of(s)
        for name in ("one", "two"):
            await r.pods.create(on_node("node-1", name))
            await s.running(name)
        await r.pods.delete("one")
        await r.until_gone(r.pods, "one")
        await r.clock.sleep(10)
        assert len((await s.attachments.list()).items) == 1
        assert len((await s.nodes.get("node-1"))["status"]["volumesInUse"]) == 1
        await r.pods.delete("two")
        await r.until(lambda items: not items, s.attachments)
        await r.clock.sleep(1)
        status = (await s.nodes.get("node-1"))["status"]
        assert ("volumesAttached" in status, "volumesInUse" in status) == (False, False)


@pytest.mark.virtual_time
async def test_a_pod_that_has_finished_lets_go_of_its_volume():
    async with running() as r:
        s = Storage(r)
        await disk_of(s)
        pod = on_node("node-1", restartPolicy="Never")
        pod["spec"]["containers"][0] |= {"image": "busybox:1", "command": ["sleep", "5"]}
        await r.pods.create(pod)
        await s.phase(r.pods, "user", "Succeeded")
        await r.until(lambda items: not items, s.attachments)
        assert "volumesInUse" not in (await s.nodes.get("node-1"))["status"]


def test_what_is_in_use_is_known_again_after_a_restart(tmp_path: Path):
    async def started() -> None:
        async with running(data_dir=tmp_path / "data") as r:
            s = Storage(r)
            await disk_of(s)
            await r.pods.create(on_node("node-1"))
            await s.running()

    async def started_again() -> None:
        async with running(data_dir=tmp_path / "data", start_s=None) as r:
            s = Storage(r)
            await r.clock.sleep(30)
            status = (await s.nodes.get("node-1"))["status"]
            assert status["volumesInUse"] == [one["name"] for one in status["volumesAttached"]]
            await r.pods.delete("user")
            await r.until_gone(r.pods, "user")
            await r.clock.sleep(5)
            assert "volumesInUse" not in (await s.nodes.get("node-1"))["status"]

    run_virtual(started())
    run_virtual(started_again())


def test_what_is_in_use_is_known_again_after_a_restart_also_where_a_claim_is_on_its_way_out(tmp_path: Path):
    async def started() -> None:
        async with running(data_dir=tmp_path / "data") as r:
            s = Storage(r)
            await disk_of(s)
            pod = on_node("node-1")
            await s.claims.create(claim("second", storageClassName="now"))
            pod["spec"]["volumes"].append({"name": "second", "persistentVolumeClaim": {"claimName": "second"}})
            await r.pods.create(pod)
            await s.running()
            await s.claims.delete("data")

    async def started_again() -> None:
        async with running(data_dir=tmp_path / "data", start_s=None) as r:
            s = Storage(r)
            await r.clock.sleep(30)
            assert "deletionTimestamp" in (await s.claims.get("data"))["metadata"]
            status = (await s.nodes.get("node-1"))["status"]
            assert len(status["volumesInUse"]) == 2
            assert status["volumesInUse"] == [one["name"] for one in status["volumesAttached"]]
            await r.pods.delete("user")
            await r.until_gone(r.pods, "user")
            await r.clock.sleep(5)
            assert "volumesInUse" not in (await s.nodes.get("node-1"))["status"]

    run_virtual(started())
    run_virtual(started_again())


@pytest.mark.virtual_time
async def test_a_volume_is_on_one_node_at_a_time():
    async with running() as r:
        s = Storage(r)
        disk = await disk_of(s)
        await r.pods.create(on_node("node-1", "first"))
        await s.running("first")
        await r.pods.create(on_node("node-2", "second"))
        await r.clock.sleep(300)
        assert (await r.pods.get("second"))["status"]["phase"] == "Pending"
        assert await s.messages("second", "FailedAttachVolume") == [
            f'Multi-Attach error for volume "{disk}" Volume is already used by pod(s) first'
        ]
        assert await s.messages("second", "FailedMount") == [
            f"{LEAD}=[data], unattached volumes=[data], failed to process volumes=[]: timed out waiting for the condition"
        ]
        await r.pods.delete("first")
        await s.running("second")
        (attachment,) = (await s.attachments.list()).items
        assert attachment["spec"]["nodeName"] == "node-2"


@pytest.mark.virtual_time
async def test_what_is_shared_is_attached_to_many():
    async with running() as r:
        s = Storage(r)
        await disk_of(s, modes=RWX)
        for number in (1, 2, 3):
            await r.pods.create(on_node(f"node-{number}", f"user-{number}"))
        for number in (1, 2, 3):
            await s.running(f"user-{number}")
        assert len((await s.attachments.list()).items) == 3


@pytest.mark.virtual_time
async def test_pods_that_come_to_two_nodes_at_once_have_it_one_after_the_other():
    async with running() as r:
        s = Storage(r)
        await disk_of(s)
        for number in (1, 2, 3):
            await r.pods.create(on_node(f"node-{number}", f"user-{number}"))
        await r.clock.sleep(20)
        phases = [pod["status"]["phase"] for pod in (await r.pods.list()).items]
        assert sorted(phases) == ["Pending", "Pending", "Running"]
        assert len((await s.attachments.list()).items) == 1


@pytest.mark.virtual_time
async def test_a_silent_node_keeps_a_volume_for_six_minutes_after_its_pod_has_gone():
    async with running() as r:
        s = Storage(r)
        await disk_of(s)
        await r.pods.create(on_node("node-1", "first"))
        await s.running("first")
        r.cluster.nodes.faults.add({"type": "node-down", "target": {"name": "node-1"}})
        await r.clock.sleep(60)
        await r.pods.delete("first", grace_period_s=0)
        await r.pods.create(on_node("node-2", "second"))
        await r.clock.sleep(350)
        assert (await r.pods.get("second"))["status"]["phase"] == "Pending"
        assert "already exclusively attached to one node" in (await s.messages("second", "FailedAttachVolume"))[0]
        await s.running("second", within_s=30)


@pytest.mark.virtual_time
@pytest.mark.parametrize("lets_go", ["by itself", "silent", "out of service", "removed"])
async def test_a_volume_stays_while_its_node_says_that_it_is_in_use(lets_go: str):
    async with running(controllers=("*", "-node-lifecycle-controller", "-taint-eviction-controller")) as r:
        s = Storage(r)
        disk = await disk_of(s)
        ready = {"type": "Ready", "status": "True"}
        await s.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "theirs"}, "status": {"conditions": [ready]}})
        await r.pods.create(on_node("theirs"))
        await r.until(lambda items: [one["status"]["attached"] for one in items if "status" in one] == [True], s.attachments)
        in_use = [f"kubernetes.io/csi/{DRIVER}^{disk}"]
        await s.nodes.patch("theirs", {"status": {"volumesInUse": in_use}}, subresource="status")
        await r.pods.delete("user", grace_period_s=0)
        await r.clock.sleep(400)
        (attachment,) = (await s.attachments.list()).items
        assert "deletionTimestamp" not in attachment["metadata"]
        if lets_go == "by itself":
            await s.nodes.patch("theirs", {"status": {"volumesInUse": None}}, subresource="status")
        elif lets_go == "silent":
            await s.nodes.patch("theirs", {"status": {"conditions": [{**ready, "status": "Unknown"}]}}, "strategic", subresource="status")
        elif lets_go == "out of service":
            out = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
            await s.nodes.patch("theirs", {"spec": {"taints": [out]}})
        else:
            await s.nodes.delete("theirs")
        await r.until(lambda items: not items, s.attachments, within_s=10)


@pytest.mark.virtual_time
async def test_a_node_that_is_out_of_service_lets_go_at_once():
    async with running() as r:
        s = Storage(r)
        await disk_of(s)
        await r.pods.create(on_node("node-1", "first"))
        await s.running("first")
        r.cluster.nodes.faults.add({"type": "node-down", "target": {"name": "node-1"}})
        await r.clock.sleep(60)
        await r.pods.delete("first")
        await r.pods.create(on_node("node-2", "second"))
        await r.clock.sleep(60)
        assert len((await r.pods.list()).items) == 2
        taints = (await s.nodes.get("node-1"))["spec"]["taints"]
        out = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
        await s.nodes.patch("node-1", {"spec": {"taints": [*taints, out]}})
        await s.running("second", within_s=60)
        assert [named(pod) for pod in (await r.pods.list()).items] == ["second"]


@pytest.mark.virtual_time
async def test_attaching_and_detaching_fail_where_that_is_asked_for():
    async with running() as r:
        s = Storage(r)
        disk = await disk_of(s)
        await s.volumes.patch(disk, {"metadata": {"annotations": {FAIL_ANNOTATION: "attach: no such machine; detach: device busy"}}})
        await r.pods.create(on_node("node-1"))
        await r.clock.sleep(20)
        (attachment,) = (await s.attachments.list()).items
        assert attachment["status"]["attachError"]["message"] == "rpc error: code = Internal desc = no such machine"
        assert await s.messages("user", "FailedAttachVolume") == [
            f'AttachVolume.Attach failed for volume "{disk}" : rpc error: code = Internal desc = no such machine'
        ]
        await s.volumes.patch(disk, {"metadata": {"annotations": {FAIL_ANNOTATION: "detach: device busy"}}})
        await s.running()
        await r.pods.delete("user")
        await r.until_gone(r.pods, "user")
        await r.clock.sleep(20)
        (attachment,) = (await s.attachments.list()).items
        assert attachment["status"]["detachError"]["message"] == "rpc error: code = Internal desc = device busy"
        await s.volumes.patch(disk, {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
        await r.until(lambda items: not items, s.attachments)


@pytest.mark.virtual_time
async def test_a_volume_that_is_attached_is_deleted_only_after_that():
    async with running() as r:
        s = Storage(r)
        disk = await disk_of(s)
        await s.volumes.patch(disk, {"metadata": {"annotations": {FAIL_ANNOTATION: "detach: device busy"}}})
        await r.pods.create(on_node("node-1"))
        await s.running()
        await s.claims.delete("data")
        await r.pods.delete("user")
        await r.until_gone(s.claims, "data")
        await r.clock.sleep(10)
        assert await s.messages(disk, "VolumeFailedDelete") == [f"persistentvolume {disk} is still attached to node node-1"]
        await s.volumes.patch(disk, {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
        await r.until_gone(s.volumes, disk)


@pytest.mark.virtual_time
async def test_a_driver_may_need_no_attaching_and_volumes_without_driver_never_do():
    async with running() as r:
        s = Storage(r)
        api = f"{r.dialect.group('storage')}/v1"
        driver = {"apiVersion": api, "kind": "CSIDriver", "metadata": {"name": "nfs.example.com"}, "spec": {"attachRequired": False}}
        await r.client.resource(api, "csidrivers").create(driver)
        await s.volumes.create(volume("nfs", csi={"driver": "nfs.example.com", "volumeHandle": "1"}))
        await s.volumes.create(volume("local"))
        await s.claims.create(claim(volumeName="nfs", storageClassName=""))
        await s.claims.create(claim("other", volumeName="local", storageClassName=""))
        await r.pods.create(on_node("node-1"))
        await r.pods.create(on_node("node-1", "second", "other"))
        await s.running()
        await s.running("second")
        assert (await s.attachments.list()).items == []


@pytest.mark.virtual_time
async def test_the_attacher_of_a_driver_nobody_knows_is_the_users():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume("theirs", csi={"driver": "disks.example.com", "volumeHandle": "1"}))
        await s.claims.create(claim(volumeName="theirs", storageClassName=""))
        await r.pods.create(on_node("node-1"))
        (attachment,) = await r.until(bool, s.attachments)
        await r.clock.sleep(30)
        assert (await r.pods.get("user"))["status"]["phase"] == "Pending"
        await s.attachments.patch(named(attachment), {"status": {"attached": True}}, subresource="status")
        await s.running(within_s=10)


@pytest.mark.virtual_time
async def test_an_attachment_that_a_user_makes_is_acted_on_and_left_alone():
    async with running() as r:
        s = Storage(r)
        disk = await disk_of(s)
        spec = {"attacher": DRIVER, "nodeName": "node-3", "source": {"persistentVolumeName": disk}}
        api = f"{r.dialect.group('storage')}/v1"
        await s.attachments.create({"apiVersion": api, "kind": "VolumeAttachment", "metadata": {"name": "mine"}, "spec": spec})
        await r.clock.sleep(60)
        assert (await s.attachments.get("mine"))["status"]["attached"] is True
        await s.attachments.delete("mine")
        await r.until_gone(s.attachments, "mine")


@pytest.mark.virtual_time
async def test_a_pod_with_a_claim_that_can_not_be_mounted_says_why_and_starts_once_it_can():
    async with running() as r:
        s = Storage(r)
        await r.pods.create(on_node("node-1"))
        await r.clock.sleep(3)
        lead = f"{LEAD}=[data], unattached volumes=[], failed to process volumes=[data]"
        assert await s.messages("user", "FailedMount") == [
            f'{lead}: error processing PVC default/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found'
        ]
        await s.claims.create(claim(storageClassName=""))
        await r.clock.sleep(15)
        assert (await s.messages("user", "FailedMount"))[-1] == f"{lead}: error processing PVC default/data: PVC is not bound"
        await s.volumes.create(volume())
        await s.running()


@pytest.mark.virtual_time
async def test_pods_without_claims_cost_nothing():
    async with running() as r:
        await r.clock.sleep(5)
        before = r.cluster.store.revision
        pod = on_node("node-1")
        del pod["spec"]["volumes"], pod["spec"]["containers"][0]["volumeMounts"]
        await r.pods.create(pod)
        await Storage(r).running()
        await r.clock.sleep(1)
        events = len((await r.client.resource("v1", "events", "default").list()).items)
        assert r.cluster.store.revision - before <= events + 6
        assert (await Storage(r).attachments.list()).items == []


@pytest.mark.parametrize("config", ["storage.k8s.io/v1=false", "v1/persistentvolumes=false", "v1/persistentvolumeclaims=false"])
@pytest.mark.virtual_time
async def test_a_cluster_that_serves_no_storage_runs_pods(config: str):
    async with running(runtime_config=(config,)) as r:
        pod = on_node("node-1")
        del pod["spec"]["nodeName"], pod["spec"]["volumes"], pod["spec"]["containers"][0]["volumeMounts"]
        await r.pods.create(pod)
        await Storage(r).running()


@pytest.mark.parametrize(
    ("mode", "used", "wrong"),
    [
        ("Block", {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}, "volumeMounts"),
        ("Filesystem", {"volumeDevices": [{"name": "data", "devicePath": "/dev/xvda"}]}, "volumeDevices"),
    ],
)
@pytest.mark.virtual_time
async def test_a_volume_is_used_as_what_it_is(mode: str, used: Object, wrong: str):
    async with running() as r:
        s = Storage(r)
        await s.claims.create(claim(volumeMode=mode))
        user = user_of("data")
        user["spec"]["containers"] = [{"name": "main", "image": "nginx:1", **used}]
        await r.pods.create(user)
        await s.bound()
        await r.clock.sleep(30)
        assert at(await r.pods.get("user")) == "Pending"
        (told,) = await s.messages("user", "FailedMount")
        assert told.endswith(f"volume data has volumeMode {mode}, but is specified in {wrong}")
