"""Volumes whose claims were made anew, or haven't been seen yet: nothing is taken from anybody by mistake."""

import pytest

from svcsim.controllers.attach_detach.controller import AttachDetach
from svcsim.controllers.volume_binder.controller import VolumeBinder
from svcsim.meta.http import Request
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object
from tests.controllers.beside import beside, without_controller
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, storage_class, user_of, volume

DELETED: Object = {"persistentVolumeReclaimPolicy": "Delete"}


@pytest.mark.virtual_time
async def test_a_volume_that_was_made_anew_is_not_deleted_for_the_one_before_it(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, VolumeBinder)
    made: Object = {}

    async def before(request: Request) -> None:
        if request.method == "DELETE" and request.path.endswith("/persistentvolumes/disk") and not made:
            await s.volumes.patch("disk", {"metadata": {"finalizers": None}})
            await s.volumes.delete("disk")
            made.update(await s.volumes.create(volume()))

    async with running(nodes=0) as r, beside(r, maker=VolumeBinder, before=before):
        s = Storage(r)
        await s.volumes.create(volume(**DELETED))
        await s.claims.create(claim(storageClassName=""))
        await s.bound()
        await s.claims.delete("data")
        await r.clock.sleep(60)
        assert made, "it was about to be deleted"
        there = await s.volumes.get("disk")
        assert (uid_of(there), at(there)) == (uid_of(made), "Available")


@pytest.mark.virtual_time
async def test_a_volume_is_not_released_whose_claim_the_cache_has_not_seen(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, VolumeBinder)
    async with running(nodes=0) as r, beside(r, maker=VolumeBinder, behind_s={"persistentvolumeclaims": 60.0}):
        s = Storage(r)
        await r.clock.sleep(5)
        made = await s.claims.create(claim(storageClassName="", volumeName="disk"))
        reference = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data", "uid": uid_of(made)}
        disk = await s.volumes.create(volume(claimRef=reference, **DELETED))
        for _ in range(50):
            await r.clock.sleep(1)
            assert at(await s.volumes.get("disk")) in {"Available", "Pending", "Bound"}
        await s.bound(within_s=200)
        assert uid_of(await s.volumes.get("disk")) == uid_of(disk)


@pytest.mark.virtual_time
async def test_a_claim_that_was_made_anew_has_its_own_volume_attached_and_not_the_former_one_s():
    async with running(nodes=1) as r:
        s = Storage(r)
        await s.classes.create(storage_class("kept", reclaimPolicy="Retain"))
        disks: list[str] = []
        for _ in range(2):
            await s.claims.create(claim(storageClassName="kept"))
            disks.append((await s.bound())["spec"]["volumeName"])
            await r.pods.create(user_of("data"))
            await s.running()
            for disk in disks:  # whatever has it looked at again
                await s.volumes.patch(disk, {"metadata": {"annotations": {"looked-at": f"with {len(disks)}"}}})
            await r.clock.sleep(5)
            attached = [one["spec"]["source"]["persistentVolumeName"] for one in (await s.attachments.list()).items]
            assert attached == disks[-1:]
            await r.pods.delete("user")
            await s.claims.delete("data")
            await r.until_gone(s.claims, "data")
            await r.until(lambda items: not items, s.attachments)
        assert len({*disks}) == 2


@pytest.mark.virtual_time
async def test_a_volume_stays_attached_as_long_as_its_node_says_that_it_is_in_use(monkeypatch: pytest.MonkeyPatch):
    """Or what is still to be written would be lost."""
    without_controller(monkeypatch, AttachDetach)
    in_use: list[bool] = []

    async def before(request: Request) -> None:
        if request.method == "DELETE" and "/volumeattachments/" in request.path:
            in_use.append("volumesInUse" in (await s.nodes.get("node-1"))["status"])

    async with running(nodes=1) as r, beside(r, maker=AttachDetach, before=before):
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim(storageClassName="now"))
        await r.pods.create(user_of("data"))
        await s.running()
        await r.until(lambda nodes: "volumesInUse" in nodes[0]["status"], s.nodes)
        await r.pods.delete("user", grace_period_s=0)
        await r.until(lambda items: not items, s.attachments)
        assert in_use == [False]
