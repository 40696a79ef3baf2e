"""Volumes grow, and get other attributes, while they are in use."""

import pytest

from svcsim.meta.objects import finalizers_of, is_terminating
from svcsim.meta.simulated_disks import DRIVER, FAIL_ANNOTATION
from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, claim, named, storage_class, user_of, volume


def asks(size: str) -> Object:
    return {"spec": {"resources": {"requests": {"storage": size}}}}


async def with_disk(s: Storage, **spec: object) -> str:
    await s.classes.create(storage_class("now", allowVolumeExpansion=True))
    await s.claims.create(claim(storageClassName="now", **spec))
    name: str = (await s.bound())["spec"]["volumeName"]
    return name


def conditions(found: Object) -> list[str]:
    return [one["type"] for one in found["status"].get("conditions") or ()]


@pytest.mark.virtual_time
async def test_a_volume_grows_while_a_pod_uses_it():
    async with running() as r:
        s = Storage(r)
        disk = await with_disk(s)
        await r.pods.create(user_of("data"))
        await s.running()
        await s.claims.patch("data", asks("20Gi"))
        await r.clock.sleep(0.5)
        found = await s.claims.get("data")
        assert conditions(found) == ["Resizing"]
        assert found["status"]["conditions"][0]["reason"] == "ResizeStarted"
        assert found["status"]["allocatedResources"] == {"storage": "20Gi"}
        assert found["status"]["allocatedResourceStatuses"] == {"storage": "ControllerResizeInProgress"}
        assert found["status"]["capacity"] == {"storage": "5Gi"}
        await r.until(lambda items: items[0]["status"]["capacity"] == {"storage": "20Gi"}, s.claims)
        found = await s.claims.get("data")
        assert conditions(found) == []
        assert "allocatedResourceStatuses" not in found["status"]
        assert (await s.volumes.get(disk))["spec"]["capacity"] == {"storage": "20Gi"}
        assert (await s.reasons("data"))[-4:] == [
            "ExternalExpanding",
            "Resizing",
            "FileSystemResizeRequired",
            "FileSystemResizeSuccessful",
        ]
        node = (await r.pods.get("user"))["spec"]["nodeName"]
        assert await s.messages("user", "FileSystemResizeSuccessful") == [
            f'MountVolume.NodeExpandVolume succeeded for volume "{disk}" {node}'
        ]


@pytest.mark.virtual_time
async def test_what_is_on_it_grows_when_a_pod_starts():
    async with running() as r:
        s = Storage(r)
        await with_disk(s)
        await s.claims.patch("data", asks("20Gi"))
        await r.clock.sleep(60)
        found = await s.claims.get("data")
        assert conditions(found) == ["FileSystemResizePending"]
        assert found["status"]["capacity"] == {"storage": "5Gi"}
        assert found["status"]["allocatedResourceStatuses"] == {"storage": "NodeResizePending"}
        await r.pods.create(user_of("data"))
        await r.until(lambda items: items[0]["status"]["capacity"] == {"storage": "20Gi"}, s.claims)


@pytest.mark.virtual_time
async def test_a_volume_of_blocks_has_nothing_on_it_that_could_grow():
    async with running() as r:
        s = Storage(r)
        await with_disk(s, volumeMode="Block")
        await s.claims.patch("data", asks("20Gi"))
        await r.until(lambda items: items[0]["status"]["capacity"] == {"storage": "20Gi"}, s.claims)
        assert (await s.reasons("data"))[-1] == "VolumeResizeSuccessful"


@pytest.mark.virtual_time
async def test_growing_fails_where_that_is_asked_for_and_less_may_be_asked_for():
    async with running() as r:
        s = Storage(r)
        disk = await with_disk(s)
        await r.pods.create(user_of("data"))
        await s.running()
        await s.claims.patch("data", {"metadata": {"annotations": {FAIL_ANNOTATION: "resize: too large"}}})
        await s.claims.patch("data", asks("1Ti"))
        await r.clock.sleep(30)
        assert await s.messages("data", "VolumeResizeFailed") == [
            f'resize volume "{disk}" by resizer "{DRIVER}" failed: rpc error: code = Internal desc = too large'
        ]
        assert conditions(await s.claims.get("data")) == ["Resizing", "ControllerResizeError"]
        await s.claims.patch("data", {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
        await s.claims.patch("data", asks("6Gi"))
        await r.until(lambda items: items[0]["status"]["capacity"] == {"storage": "6Gi"}, s.claims)
        assert conditions(await s.claims.get("data")) == []


@pytest.mark.virtual_time
async def test_more_may_be_asked_for_while_it_grows():
    async with running() as r:
        s = Storage(r)
        await with_disk(s)
        await s.claims.patch("data", asks("10Gi"))
        await r.clock.sleep(0.5)
        await s.claims.patch("data", asks("20Gi"))
        await r.clock.sleep(20)
        await s.claims.patch("data", asks("30Gi"))
        await r.pods.create(user_of("data"))
        await r.until(lambda items: items[0]["status"]["capacity"] == {"storage": "30Gi"}, s.claims)


@pytest.mark.virtual_time
async def test_a_volume_of_a_driver_nobody_knows_is_grown_by_its_own():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("theirs", "disks.example.com", allowVolumeExpansion=True))
        await s.volumes.create(volume("theirs", storageClassName="theirs", csi={"driver": "disks.example.com", "volumeHandle": "1"}))
        await s.claims.create(claim(storageClassName="theirs"))
        await s.bound()
        await s.claims.patch("data", asks("20Gi"))
        await r.clock.sleep(30)
        assert (await s.reasons("data"))[-1] == "ExternalExpanding"
        assert conditions(await s.claims.get("data")) == []


@pytest.mark.virtual_time
async def test_a_volume_gets_other_attributes():
    async with running() as r:
        s = Storage(r)
        disk = await with_disk(s)
        api = f"{r.dialect.group('storage')}/v1"
        classes = r.client.resource(api, "volumeattributesclasses")
        await s.claims.patch("data", {"spec": {"volumeAttributesClassName": "fast"}})
        await r.clock.sleep(5)
        found = await s.claims.get("data")
        assert found["status"]["modifyVolumeStatus"] == {"targetVolumeAttributesClassName": "fast", "status": "Pending"}
        assert await s.messages("data", "VolumeModifyFailed") == ['VAC "fast" does not exist']
        fast = {"apiVersion": api, "kind": "VolumeAttributesClass", "metadata": {"name": "fast"}, "driverName": DRIVER}
        await classes.create({**fast, "parameters": {"iops": "4000"}})
        await r.clock.sleep(0.5)
        assert conditions(await s.claims.get("data")) == ["ModifyingVolume"]
        await r.until(lambda items: items[0]["status"].get("currentVolumeAttributesClassName") == "fast", s.claims)
        found = await s.claims.get("data")
        assert conditions(found) == []
        assert "modifyVolumeStatus" not in found["status"]
        assert (await s.volumes.get(disk))["spec"]["volumeAttributesClassName"] == "fast"
        assert (await s.reasons("data"))[-2:] == ["VolumeModify", "VolumeModifySuccessful"]


@pytest.mark.virtual_time
async def test_a_class_of_attributes_stays_until_no_claim_and_no_volume_names_it():
    async with running() as r:
        s = Storage(r)
        api = f"{r.dialect.group('storage')}/v1"
        classes = r.client.resource(api, "volumeattributesclasses")
        for name in ("silver", "gold", "unused"):
            made = await classes.create({"metadata": {"name": name}, "driverName": DRIVER, "parameters": {"iops": "1"}})
            assert finalizers_of(made) == ["kubernetes.io/vac-protection"]
        await classes.delete("unused")
        await r.until_gone(classes, "unused")
        await with_disk(s, volumeAttributesClassName="silver")
        await classes.delete("silver")
        await r.clock.sleep(60)
        assert is_terminating(await classes.get("silver"))
        await s.claims.patch("data", {"spec": {"volumeAttributesClassName": "gold"}})
        await r.clock.sleep(0.5)
        assert await r.exists(classes, "silver"), "the disk still has its attributes"
        await r.until_gone(classes, "silver")
        assert (await s.claims.get("data"))["status"]["currentVolumeAttributesClassName"] == "gold"
        await classes.delete("gold")
        await r.clock.sleep(60)
        assert finalizers_of(await classes.get("gold")) == ["kubernetes.io/vac-protection"]
        await s.claims.delete("data")
        await r.until_gone(classes, "gold")
        assert (await s.volumes.list()).items == []


@pytest.mark.virtual_time
async def test_a_class_of_attributes_that_has_lost_its_finalizer_gets_it_again():
    async with running() as r:
        classes = r.client.resource(f"{r.dialect.group('storage')}/v1", "volumeattributesclasses")
        await classes.create({"metadata": {"name": "fast"}, "driverName": DRIVER, "parameters": {"iops": "1"}})
        await classes.patch("fast", {"metadata": {"finalizers": None}})
        await r.until(lambda items: finalizers_of(items[0]) == ["kubernetes.io/vac-protection"], classes)


@pytest.mark.virtual_time
async def test_a_claim_may_name_attributes_from_the_start():
    async with running() as r:
        s = Storage(r)
        disk = await with_disk(s, volumeAttributesClassName="fast")
        await r.clock.sleep(30)
        found = await s.claims.get("data")
        assert found["status"]["currentVolumeAttributesClassName"] == "fast"
        assert "modifyVolumeStatus" not in found["status"]
        assert named(await s.volumes.get(disk)) == disk
