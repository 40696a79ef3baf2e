"""A node mounts no volume that isn't to be had there, and none that another of its pods has for itself, whoever has put the pod there."""

from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, on, storage_class, user_of, volume
from tests.virtual import run_virtual

IN_USE = 'MountVolume.SetUp failed for volume "{}" : volume uses the ReadWriteOncePod access mode and is already in use by another pod'
ELSEWHERE = 'MountVolume.NodeAffinity check failed for volume "{}" : no matching NodeSelectorTerms'


def on_node(node: str, name: str, claim_name: str = "data") -> Object:
    return user_of(claim_name, name, nodeName=node)


def at_host(operator: str) -> Object:
    expression = {"key": "kubernetes.io/hostname", "operator": operator, "values": ["node-2"]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def waits(pod: Object) -> bool:
    (status,) = pod["status"]["containerStatuses"]
    found: bool = (at(pod), status["state"]) == ("Pending", {"waiting": {"reason": "ContainerCreating"}})
    return found


@pytest.mark.virtual_time
async def test_what_one_pod_has_for_itself_is_mounted_for_another_when_that_has_gone():
    async with running(nodes=1) as r:  # so that the disk is in its zone
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim(modes=("ReadWriteOncePod",), storageClassName="now"))
        disk = (await s.bound())["spec"]["volumeName"]
        await r.pods.create(on_node("node-1", "first"))
        await s.running("first")
        await r.pods.create(on_node("node-1", "second"))
        await r.clock.sleep(20)
        assert waits(await r.pods.get("second"))
        assert set(await s.messages("second", "FailedMount")) == {IN_USE.format(disk)}
        await r.pods.delete("first")
        await s.running("second", 150)
        assert "FailedMount" not in await s.reasons("first")


@pytest.mark.virtual_time
async def test_a_pod_that_has_done_its_work_has_its_volume_no_more():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(modes=("ReadWriteOncePod",)))
        await s.claims.create(claim(modes=("ReadWriteOncePod",), storageClassName=""))
        first = on_node("node-1", "first")
        first["spec"] |= {"restartPolicy": "Never"}
        first["spec"]["containers"][0] |= {"image": "busybox:1", "command": ["sleep", "5"]}
        await r.pods.create(first)
        await s.phase(r.pods, "first", "Succeeded")
        await r.pods.create(on_node("node-1", "second"))
        await s.running("second", 5)


def test_who_has_a_volume_for_itself_is_known_again_after_a_restart(tmp_path: Path):
    async def before() -> None:
        async with running(data_dir=tmp_path / "data") as r:
            s = Storage(r)
            await s.volumes.create(volume(modes=("ReadWriteOncePod",)))
            await s.claims.create(claim(modes=("ReadWriteOncePod",), storageClassName=""))
            await r.pods.create(on_node("node-1", "first"))
            await s.running("first")

    async def after() -> None:
        async with running(data_dir=tmp_path / "data", start_s=None) as r:
            await r.clock.sleep(5)
            await r.pods.create(on_node("node-1", "second"))
            await r.clock.sleep(5)
            assert waits(await r.pods.get("second"))

    run_virtual(before())
    run_virtual(after())


@pytest.mark.virtual_time
async def test_a_volume_of_another_place_is_not_mounted():
    async with running() as r:
        s = Storage(r)
        await r.clock.sleep(5)
        await s.claims.create(claim())
        await r.pods.create(user_of("data", "first"))
        node = (await s.running("first"))["spec"]["nodeName"]
        disk = (await s.claims.get("data"))["spec"]["volumeName"]
        await r.pods.delete("first")
        await r.clock.sleep(60)
        other = next(one for one in ("node-1", "node-2", "node-3") if one != node)
        await r.pods.create(on_node(other, "second"))
        await r.clock.sleep(30)
        assert waits(await r.pods.get("second"))
        assert set(await s.messages("second", "FailedMount")) == {ELSEWHERE.format(disk)}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("affinity", "runs"), [(at_host("In"), False), (at_host("NotIn"), True), (on("elsewhere"), False)])
async def test_a_local_volume_is_mounted_where_it_is(affinity: Object, runs: bool):
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(local={"path": "/mnt/x"}, nodeAffinity=affinity))
        await s.claims.create(claim(storageClassName=""))
        await s.bound()
        await r.pods.create(on_node("node-1", "user"))
        await r.clock.sleep(10)
        assert at(await r.pods.get("user")) == ("Running" if runs else "Pending")
        assert set(await s.messages("user", "FailedMount")) == (set() if runs else {ELSEWHERE.format("disk")})


@pytest.mark.virtual_time
async def test_a_claim_that_is_made_for_a_pod_alone_keeps_it_waiting_as_any_other():
    async with running() as r:
        wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "none"}
        scratch = {"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": wanted}}}
        await r.pods.create(user_of("", "user", nodeName="node-1", volumes=[scratch]))
        await r.clock.sleep(20)
        assert waits(await r.pods.get("user"))
        assert "FailedMount" in await Storage(r).reasons("user")
