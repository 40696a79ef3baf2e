"""Claims and volumes find each other, are kept to their word, and part, as Kubernetes documents it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from svcsim.meta.types import Json, Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, named, on, storage_class, user_of, volume

NONE = {"storageClassName": ""}
"""Said by a claim that wants a volume without a class."""
CSI = {"driver": "disks.example.com", "volumeHandle": "1"}


@asynccontextmanager
async def storage(**spec: Json) -> AsyncIterator[Storage]:
    async with running(**{"nodes": 0, **spec}) as r:
        yield Storage(r)


@pytest.mark.virtual_time
async def test_a_claim_gets_a_volume_and_both_say_so():
    async with storage() as s:
        await s.volumes.create(volume("disk", "10Gi", modes=("ReadWriteOnce", "ReadOnlyMany")))
        made = await s.claims.create(claim(**NONE))
        found = await s.bound()
        assert found["spec"]["volumeName"] == "disk"
        assert found["status"]["accessModes"] == ["ReadWriteOnce", "ReadOnlyMany"]
        assert found["status"]["capacity"] == {"storage": "10Gi"}
        marks = found["metadata"]["annotations"]
        assert marks == {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
        disk = await s.phase(s.volumes, "disk", "Bound")
        reference = disk["spec"]["claimRef"]
        assert (reference["kind"], reference["namespace"], reference["name"]) == ("PersistentVolumeClaim", "default", "data")
        assert reference["uid"] == made["metadata"]["uid"]
        assert disk["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
        assert disk["status"]["lastPhaseTransitionTime"]


@pytest.mark.virtual_time
async def test_the_words_are_those_of_the_dialect():
    async with storage(dialect="svcapi") as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        found = await s.bound()
        assert found["metadata"]["annotations"] == {"pv.svcapi.io/bind-completed": "yes", "pv.svcapi.io/bound-by-controller": "yes"}


@pytest.mark.virtual_time
async def test_a_volume_that_comes_later_is_taken_at_once():
    async with storage() as s:
        await s.claims.create(claim(**NONE))
        await s.r.clock.sleep(30)
        assert at(await s.claims.get("data")) == "Pending"
        assert await s.messages("data", "FailedBinding") == ["no persistent volumes available for this claim and no storage class is set"]
        await s.volumes.create(volume())
        await s.bound(within_s=1)


@pytest.mark.parametrize(
    ("volumes", "wish", "taken"),
    [
        pytest.param([volume("a", "20Gi"), volume("b", "8Gi"), volume("c", "4Gi")], claim(**NONE), "b", id="smallest that is large enough"),
        pytest.param(
            [volume("a", modes=("ReadWriteOnce", "ReadWriteMany")), volume("b", "9Gi")],
            claim(**NONE),
            "b",
            id="can do no more than asked for",
        ),
        pytest.param(
            [volume("a", modes=("ReadOnlyMany",)), volume("b", modes=("ReadWriteMany",))],
            claim(modes=("ReadWriteMany",), **NONE),
            "b",
            id="access modes",
        ),
        pytest.param([volume("a", volumeMode="Block"), volume("b", "9Gi")], claim(**NONE), "b", id="volume mode"),
        pytest.param([volume("a"), volume("b", "9Gi", volumeMode="Block")], claim(volumeMode="Block", **NONE), "b", id="blocks"),
        pytest.param([volume("a", storageClassName="slow"), volume("b", "9Gi")], claim(**NONE), "b", id="no class"),
        pytest.param([volume("a"), volume("b", "9Gi", storageClassName="slow")], claim(storageClassName="slow"), "b", id="class"),
        pytest.param(
            [volume("a"), volume("b", "9Gi", meta={"labels": {"tier": "gold"}})],
            claim(selector={"matchLabels": {"tier": "gold"}}, **NONE),
            "b",
            id="selector",
        ),
        pytest.param(
            [volume("a", volumeAttributesClassName="fast", csi=CSI), volume("b", "9Gi")], claim(**NONE), "b", id="no attributes class"
        ),
        pytest.param(
            [volume("a"), volume("b", "9Gi", volumeAttributesClassName="fast", csi=CSI)],
            claim(volumeAttributesClassName="fast", **NONE),
            "b",
            id="attributes class",
        ),
        pytest.param(
            [volume("a", "3Gi"), volume("b", "90Gi", claimRef={"namespace": "default", "name": "data"}), volume("c")],
            claim(**NONE),
            "b",
            id="the one that names it",
        ),
        pytest.param(
            [volume("a", claimRef={"namespace": "default", "name": "other"}), volume("b", "9Gi")],
            claim(**NONE),
            "b",
            id="none that names another",
        ),
        pytest.param([volume("a"), volume("b", "9Gi")], claim(volumeName="b", **NONE), "b", id="the one it names"),
    ],
)
@pytest.mark.virtual_time
async def test_which_volume_a_claim_gets(volumes: list[Object], wish: Object, taken: str):
    async with storage() as s:
        for one in volumes:
            await s.volumes.create(one)
        await s.r.clock.sleep(1)
        await s.claims.create(wish)
        assert (await s.bound())["spec"]["volumeName"] == taken
        await s.r.clock.sleep(1)
        assert [named(one) for one in (await s.volumes.list()).items if at(one) == "Bound"] == [taken]


@pytest.mark.parametrize(
    ("one", "wish", "why"),
    [
        (volume(size="1Gi"), claim(volumeName="disk", **NONE), "requested PV is too small"),
        (volume(storageClassName="slow"), claim(volumeName="disk", **NONE), "storageClassName does not match"),
        (volume(volumeMode="Block"), claim(volumeName="disk", **NONE), "incompatible volumeMode"),
        (volume(modes=("ReadOnlyMany",)), claim(volumeName="disk", **NONE), "incompatible accessMode"),
        (volume(volumeAttributesClassName="x", csi=CSI), claim(volumeName="disk", **NONE), "VolumeAttributesClassName does not match"),
    ],
    ids=["size", "class", "mode", "access", "attributes"],
)
@pytest.mark.virtual_time
async def test_a_volume_that_is_asked_for_and_does_not_fit_is_refused_with_why(one: Object, wish: Object, why: str):
    async with storage() as s:
        await s.volumes.create(one)
        await s.claims.create(wish)
        await s.r.clock.sleep(1)
        assert at(await s.claims.get("data")) == "Pending"
        assert await s.messages("data", "VolumeMismatch") == [f'Cannot bind to requested volume "disk": {why}']
        assert at(await s.volumes.get("disk")) == "Available"


@pytest.mark.virtual_time
async def test_a_volume_that_is_asked_for_may_come_later_and_may_be_anothers():
    async with storage() as s:
        await s.claims.create(claim("first", volumeName="disk", **NONE))
        await s.r.clock.sleep(1)
        await s.volumes.create(volume())
        await s.bound("first")
        await s.claims.create(claim("second", volumeName="disk", **NONE))
        await s.r.clock.sleep(1)
        assert at(await s.claims.get("second")) == "Pending"
        assert await s.messages("second", "FailedBinding") == ['volume "disk" already bound to a different claim.']


@pytest.mark.virtual_time
async def test_a_volume_that_names_a_claim_waits_for_it():
    async with storage() as s:
        await s.volumes.create(volume(claimRef={"namespace": "default", "name": "data"}))
        await s.claims.create(claim("other", **NONE))
        await s.phase(s.volumes, "disk", "Available")
        await s.r.clock.sleep(1)
        assert at(await s.claims.get("other")) == "Pending"
        made = await s.claims.create(claim(**NONE))
        await s.bound()
        disk = await s.volumes.get("disk")
        assert disk["spec"]["claimRef"]["uid"] == made["metadata"]["uid"]
        assert "annotations" not in disk["metadata"], "a user has said so"


@pytest.mark.virtual_time
async def test_of_two_claims_one_gets_the_only_volume():
    async with storage() as s:
        await s.volumes.create(volume())
        await s.phase(s.volumes, "disk", "Available")
        for name in ("one", "two", "three"):
            await s.claims.create(claim(name, **NONE))
        await s.r.clock.sleep(2)
        assert sorted(at(one) for one in (await s.claims.list()).items) == ["Bound", "Pending", "Pending"]


@pytest.mark.virtual_time
async def test_a_claim_whose_volume_is_gone_is_lost():
    async with storage() as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.volumes.delete("disk")
        await s.r.clock.sleep(1)
        assert at(await s.claims.get("data")) == "Bound", "it is protected as long as it is bound"
        await s.volumes.patch("disk", {"metadata": {"finalizers": None}})
        lost = await s.phase(s.claims, "data", "Lost")
        assert "capacity" not in lost["status"]
        await s.r.clock.sleep(60)
        assert await s.messages("data", "ClaimLost") == ["Bound claim has lost its PersistentVolume. Data on the volume is lost!"]


@pytest.mark.virtual_time
async def test_a_lost_claim_has_its_volume_again_when_that_comes_back():
    async with storage() as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.volumes.delete("disk")
        await s.volumes.patch("disk", {"metadata": {"finalizers": None}})
        await s.phase(s.claims, "data", "Lost")
        await s.volumes.create(volume())
        found = await s.bound()
        assert found["status"]["capacity"] == {"storage": "5Gi"}
        await s.phase(s.volumes, "disk", "Bound")


@pytest.mark.virtual_time
async def test_a_volume_that_is_kept_is_released_and_nobody_elses_until_somebody_frees_it():
    async with storage() as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        await s.bound()
        since = (await s.volumes.get("disk"))["status"]["lastPhaseTransitionTime"]
        await s.r.clock.sleep(10)
        await s.claims.delete("data")
        released = await s.phase(s.volumes, "disk", "Released")
        assert released["status"]["lastPhaseTransitionTime"] > since
        await s.claims.create(claim(**NONE))
        await s.r.clock.sleep(10)
        assert at(await s.claims.get("data")) == "Pending"
        await s.volumes.patch("disk", {"spec": {"claimRef": None}})
        await s.bound()


@pytest.mark.virtual_time
async def test_a_claim_in_use_outlives_its_deletion_and_so_does_its_volume():
    async with storage(nodes=1) as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.r.pods.create(user_of("data"))
        await s.running()
        await s.claims.delete("data")
        await s.volumes.delete("disk")
        await s.r.clock.sleep(30)
        assert at(await s.volumes.get("disk")) == "Bound"
        await s.r.pods.delete("user")
        await s.r.until_gone(s.claims, "data")
        await s.r.until_gone(s.volumes, "disk")


@pytest.mark.virtual_time
async def test_a_host_path_under_tmp_is_deleted_with_its_claim():
    async with storage() as s:
        await s.volumes.create(volume(persistentVolumeReclaimPolicy="Delete"))
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.claims.delete("data")
        await s.phase(s.volumes, "disk", "Released")
        await s.r.until_gone(s.volumes, "disk")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({"hostPath": {"path": "/data"}}, "host_path deleter only supports /tmp/.+ but received provided /data"),
        (
            {"nfs": {"server": "nfs", "path": "/"}},
            'error getting deleter volume plugin for volume "disk": no deletable volume plugin matched',
        ),
    ],
    ids=["host path", "nfs"],
)
@pytest.mark.virtual_time
async def test_a_volume_that_nobody_can_delete_has_failed(source: Object, why: str):
    async with storage() as s:
        await s.volumes.create(volume(persistentVolumeReclaimPolicy="Delete", **source))
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.claims.delete("data")
        failed = await s.phase(s.volumes, "disk", "Failed")
        assert failed["status"]["message"] == why
        await s.r.clock.sleep(60)
        assert await s.messages("disk", "VolumeFailedDelete") == [why]


@pytest.mark.virtual_time
async def test_a_volume_that_is_recycled_is_free_again():
    async with storage() as s:
        await s.volumes.create(volume(persistentVolumeReclaimPolicy="Recycle"))
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.claims.delete("data")
        free = await s.phase(s.volumes, "disk", "Available")
        assert "claimRef" not in free["spec"]
        assert await s.messages("disk", "VolumeRecycled") == ["Volume recycled"]
        await s.claims.create(claim("next", **NONE))
        await s.bound("next")


@pytest.mark.virtual_time
async def test_what_can_not_be_recycled_has_failed():
    async with storage() as s:
        await s.volumes.create(volume(persistentVolumeReclaimPolicy="Recycle", local={"path": "/mnt"}, nodeAffinity=on("sim-1a")))
        await s.claims.create(claim(**NONE))
        await s.bound()
        await s.claims.delete("data")
        assert (await s.phase(s.volumes, "disk", "Failed"))["status"]["message"] == "No recycler plugin found for the volume!"
        assert await s.messages("disk", "VolumeFailedRecycle") == ["No recycler plugin found for the volume!"]


@pytest.mark.virtual_time
async def test_the_default_class_is_given_to_claims_that_wait_for_one():
    async with storage() as s:
        await s.classes.delete("standard")
        await s.claims.create(claim())
        await s.claims.create(claim("without", **NONE))
        await s.r.clock.sleep(5)
        assert "storageClassName" not in (await s.claims.get("data"))["spec"]
        is_default = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
        await s.classes.create(storage_class("late", meta=is_default))
        await s.r.clock.sleep(5)
        assert (await s.claims.get("data"))["spec"]["storageClassName"] == "late"
        assert (await s.claims.get("without"))["spec"]["storageClassName"] == ""


@pytest.mark.virtual_time
async def test_a_class_that_is_made_the_default_later_is_given_too():
    async with storage() as s:
        await s.classes.delete("standard")
        await s.claims.create(claim())
        await s.classes.create(storage_class("late"))
        await s.r.clock.sleep(1)
        await s.classes.patch("late", {"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}})
        await s.r.clock.sleep(1)
        assert (await s.claims.get("data"))["spec"]["storageClassName"] == "late"


@pytest.mark.virtual_time
async def test_a_provisioner_that_nobody_knows_is_left_to_the_user():
    async with storage() as s:
        await s.classes.create(storage_class("mine", "disks.example.com"))
        await s.claims.create(claim(storageClassName="mine"))
        await s.r.clock.sleep(60)
        found = await s.claims.get("data")
        assert at(found) == "Pending"
        marks = found["metadata"]["annotations"]
        assert (
            marks["volume.kubernetes.io/storage-provisioner"]
            == marks["volume.beta.kubernetes.io/storage-provisioner"]
            == "disks.example.com"
        )
        (message,) = await s.messages("data", "ExternalProvisioning")
        assert message.startswith("Waiting for a volume to be created either by the external provisioner 'disks.example.com' or manually")
        # The user's own provisioner makes one.
        reference = {"namespace": "default", "name": "data", "uid": found["metadata"]["uid"]}
        await s.volumes.create(volume(storageClassName="mine", claimRef=reference))
        await s.bound()


@pytest.mark.virtual_time
async def test_a_class_that_is_not_there_is_told_of_and_may_come_later():
    async with storage() as s:
        await s.claims.create(claim(storageClassName="later"))
        await s.r.clock.sleep(5)
        assert await s.messages("data", "ProvisioningFailed") == ['storageclass.storage.k8s.io "later" not found']
        await s.classes.create(storage_class("later"))
        await s.bound()


@pytest.mark.virtual_time
async def test_a_class_without_provisioner_makes_nothing():
    async with storage() as s:
        await s.classes.create(storage_class("local", "kubernetes.io/no-provisioner"))
        await s.claims.create(claim(storageClassName="local"))
        await s.r.clock.sleep(5)
        assert await s.messages("data", "ProvisioningFailed") == ["no volume plugin matched name: kubernetes.io/no-provisioner"]


@pytest.mark.virtual_time
async def test_a_claim_that_waits_for_its_first_consumer_says_so_once():
    async with storage() as s:
        await s.claims.create(claim())
        await s.r.clock.sleep(60)
        assert await s.messages("data", "WaitForFirstConsumer") == ["waiting for first consumer to be created before binding"]
        assert at(await s.claims.get("data")) == "Pending"


@pytest.mark.virtual_time
async def test_two_volumes_for_one_claim_leave_one_of_them_free():
    async with storage() as s:
        reference = {"namespace": "default", "name": "data"}
        await s.volumes.create(volume("a", claimRef=reference))
        await s.volumes.create(volume("b", claimRef=reference))
        made = await s.claims.create(claim(volumeName="b", **NONE))
        await s.bound()
        await s.volumes.patch("a", {"spec": {"claimRef": {**reference, "uid": made["metadata"]["uid"]}}})
        await s.r.clock.sleep(2)
        one = await s.volumes.get("a")
        assert at(one) == "Available"
        assert "uid" not in one["spec"]["claimRef"], "a user named it: it waits for another life of that claim"


@pytest.mark.virtual_time
async def test_nothing_is_written_once_all_is_said():
    async with storage() as s:
        await s.volumes.create(volume())
        await s.claims.create(claim(**NONE))
        await s.claims.create(claim("waits"))
        await s.bound()
        await s.r.clock.sleep(5)
        before = s.r.cluster.store.revision
        await s.r.clock.sleep(1800)
        assert s.r.cluster.store.revision - before == 0
