"""The storage that every cluster brings along makes volumes for claims, and lets them go again."""

import pytest

from svcsim.meta.simulated_disks import DRIVER, FAIL_ANNOTATION, FAILS
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, named, storage_class, volume

NOW = {"storageClassName": "now"}


async def immediate(s: Storage, **fields: object) -> None:
    await s.classes.create(storage_class("now", **fields))


@pytest.mark.virtual_time
async def test_a_new_cluster_offers_a_class_of_storage():
    async with running() as r:
        s = Storage(r)
        (found,) = (await s.classes.list()).items
        assert named(found) == "standard"
        assert found["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}
        assert (found["provisioner"], found["reclaimPolicy"], found["volumeBindingMode"], found["allowVolumeExpansion"]) == (
            DRIVER,
            "Delete",
            "WaitForFirstConsumer",
            True,
        )
        made = await s.claims.create(claim())
        assert made["spec"]["storageClassName"] == "standard"


@pytest.mark.virtual_time
async def test_a_claim_of_a_class_that_binds_at_once_gets_a_volume_after_a_moment():
    async with running() as r:
        s = Storage(r)
        await immediate(s, mountOptions=["noatime"])
        made = await s.claims.create(claim(size="4500Mi", **NOW))
        await r.clock.sleep(0.5)
        assert at(await s.claims.get("data")) == "Pending"
        bound = await s.bound()
        assert bound["status"]["capacity"] == {"storage": "5Gi"}
        disk = await s.phase(s.volumes, bound["spec"]["volumeName"], "Bound")
        uid = made["metadata"]["uid"]
        assert named(disk) == f"pvc-{uid}"
        assert disk["spec"]["csi"] == {
            "driver": DRIVER,
            "volumeHandle": f"pvc-{uid}",
            "fsType": "ext4",
            "volumeAttributes": {"storage.kubernetes.io/csiProvisionerIdentity": DRIVER},
        }
        assert disk["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
        assert disk["spec"]["mountOptions"] == ["noatime"]
        (term,) = disk["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        (rule,) = term["matchExpressions"]
        assert rule["key"] == "topology.kubernetes.io/zone"
        assert rule["values"][0] in ("sim-1a", "sim-1b", "sim-1c")
        assert len(rule["values"]) == 1
        assert disk["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] == DRIVER
        assert await s.reasons("data") == ["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]
        assert (await s.messages("data", "Provisioning"))[0].endswith('volume for claim "default/data"')


@pytest.mark.virtual_time
@pytest.mark.parametrize("place", ["volume", "volume.beta"])
async def test_a_binder_of_somebody_elses_may_ask_for_a_volume_in_the_words_of_any_time(place):
    async with running(controllers=("*", "-pv-binder-controller")) as r:
        s = Storage(r)
        await immediate(s)
        asked = {"annotations": {f"{place}.kubernetes.io/storage-provisioner": DRIVER}}
        made = await s.claims.create(claim(meta=asked, **NOW))
        disks = await r.until(lambda items: len(items) == 1, s.volumes)
        assert named(disks[0]) == f"pvc-{made['metadata']['uid']}"


@pytest.mark.virtual_time
async def test_disks_are_spread_over_zones_and_stay_where_the_class_allows_them():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        terms = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["sim-1b"]}]}]
        await s.classes.create(storage_class("b", allowedTopologies=terms))
        elsewhere = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["moon"]}]}]
        await s.classes.create(storage_class("moon", allowedTopologies=elsewhere))
        for number in range(12):
            await s.claims.create(claim(f"data-{number}", **NOW))
        await s.claims.create(claim("in-b", storageClassName="b"))
        await s.claims.create(claim("in-moon", storageClassName="moon"))
        await r.clock.sleep(5)
        zones = {named(one): zone_of(one) for one in (await s.volumes.list()).items}
        names = {named(one): one["spec"].get("volumeName", "") for one in (await s.claims.list()).items}
        assert {zones[names[f"data-{number}"]] for number in range(12)} == {"sim-1a", "sim-1b", "sim-1c"}
        assert zones[names["in-b"]] == "sim-1b"
        assert names["in-moon"] == ""
        assert "no node is in a zone" in (await s.messages("in-moon", "ProvisioningFailed"))[0]


def zone_of(disk: dict) -> str:  # type: ignore[type-arg]
    (term,) = disk["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    zone: str = term["matchExpressions"][0]["values"][0]
    return zone


@pytest.mark.virtual_time
async def test_what_is_shared_is_to_be_had_everywhere():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(modes=("ReadWriteMany",), **NOW))
        bound = await s.bound()
        assert "nodeAffinity" not in (await s.volumes.get(bound["spec"]["volumeName"]))["spec"]


@pytest.mark.virtual_time
async def test_a_disk_is_deleted_with_its_claim_and_kept_where_that_is_said():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.classes.create(storage_class("kept", reclaimPolicy="Retain"))
        await s.claims.create(claim(**NOW))
        await s.claims.create(claim("keep", storageClassName="kept"))
        gone, kept = [(await s.bound(name))["spec"]["volumeName"] for name in ("data", "keep")]
        await s.claims.delete("data")
        await s.claims.delete("keep")
        await s.phase(s.volumes, gone, "Released")
        await r.until_gone(s.volumes, gone)
        await r.clock.sleep(60)
        assert at(await s.volumes.get(kept)) == "Released"
        await s.volumes.delete(kept)
        await r.until_gone(s.volumes, kept)


@pytest.mark.virtual_time
async def test_a_volume_that_is_deleted_first_goes_with_its_claim():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(**NOW))
        name = (await s.bound())["spec"]["volumeName"]
        await s.volumes.delete(name)
        await r.clock.sleep(10)
        assert at(await s.volumes.get(name)) == "Bound"
        await s.claims.delete("data")
        await r.until_gone(s.volumes, name)


@pytest.mark.virtual_time
async def test_making_a_volume_fails_where_that_is_asked_for_and_is_tried_again():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(meta={"annotations": {FAIL_ANNOTATION: "provision: out of disks"}}, **NOW))
        await r.clock.sleep(30)
        assert at(await s.claims.get("data")) == "Pending"
        (message,) = await s.messages("data", "ProvisioningFailed")
        assert message == 'failed to provision volume with StorageClass "now": rpc error: code = ResourceExhausted desc = out of disks'
        (event,) = [one for one in (await r.client.resource("v1", "events").list()).items if one["reason"] == "ProvisioningFailed"]
        assert event["count"] == 5, "after 1, 2, 4 and 8 seconds once more"
        assert event["source"]["component"] == DRIVER
        await s.claims.patch("data", {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
        await s.bound()


@pytest.mark.virtual_time
async def test_no_volume_is_made_for_a_claim_that_selects_among_those_that_are_there():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(selector={"matchLabels": {"tier": "fast"}}, **NOW))
        await s.claims.create(claim("any", selector={}, **NOW))
        await s.bound("any")
        assert at(await s.claims.get("data")) == "Pending"
        (message,) = await s.messages("data", "ProvisioningFailed")
        assert message == 'failed to provision volume with StorageClass "now": claim Selector is not supported'


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({FAILS: "the driver is down"}, "the driver is down"),
        ({"svcsim.dev/seconds": "soon"}, 'must be a number of seconds from 0 to 86400, and is "soon"'),
        ({"svcsim.dev/seconds": "nan"}, "must be a number of seconds"),
        ({"svcsim.dev/seconds": "-1"}, "must be a number of seconds"),
        ({"csi.storage.k8s.io/fstype": "xfs", "fsType": "xfs"}, 'with both "fstype" and "csi.storage.k8s.io/fstype" keys'),
    ],
)
@pytest.mark.virtual_time
async def test_a_class_may_say_that_its_volumes_can_not_be_made(parameters: dict[str, str], why: str):
    async with running() as r:
        s = Storage(r)
        await immediate(s, parameters=parameters)
        await s.claims.create(claim(**NOW))
        await r.clock.sleep(5)
        assert at(await s.claims.get("data")) == "Pending"
        assert why in (await s.messages("data", "ProvisioningFailed"))[0]


@pytest.mark.parametrize(
    ("parameters", "mode", "found"),
    [
        ({}, "Filesystem", "ext4"),
        ({"csi.storage.k8s.io/fstype": "xfs"}, "Filesystem", "xfs"),
        ({"fsType": "btrfs"}, "Filesystem", "btrfs"),
        ({"csi.storage.k8s.io/fstype": ""}, "Filesystem", "ext4"),
        ({"csi.storage.k8s.io/fstype": "xfs"}, "Block", None),
    ],
)
@pytest.mark.virtual_time
async def test_a_class_may_say_which_file_system_is_on_its_volumes(parameters: dict[str, str], mode: str, found: str | None):
    async with running() as r:
        s = Storage(r)
        await immediate(s, parameters=parameters)
        await s.claims.create(claim(volumeMode=mode, **NOW))
        disk = await s.volumes.get((await s.bound())["spec"]["volumeName"])
        assert disk["spec"]["csi"].get("fsType") == found


@pytest.mark.virtual_time
async def test_a_class_may_say_how_long_it_takes():
    async with running() as r:
        s = Storage(r)
        await immediate(s, parameters={"svcsim.dev/seconds": "90"})
        await s.claims.create(claim(**NOW))
        await r.clock.sleep(89)
        assert at(await s.claims.get("data")) == "Pending"
        await s.bound(within_s=2)


@pytest.mark.virtual_time
async def test_an_annotation_that_names_no_step_fails_all_of_them_and_says_so():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(meta={"annotations": {FAIL_ANNOTATION: "provison: x"}}, **NOW))
        await r.clock.sleep(5)
        assert 'names "provison", which is none of provision, delete, attach' in (await s.messages("data", "ProvisioningFailed"))[0]


@pytest.mark.virtual_time
async def test_deleting_a_volume_fails_where_that_is_asked_for():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(**NOW))
        name = (await s.bound())["spec"]["volumeName"]
        await s.volumes.patch(name, {"metadata": {"annotations": {FAIL_ANNOTATION: "delete: in use"}}})
        await s.claims.delete("data")
        await r.clock.sleep(30)
        assert at(await s.volumes.get(name)) == "Released"
        assert await s.messages(name, "VolumeFailedDelete") == ["rpc error: code = Internal desc = in use"]
        await s.volumes.patch(name, {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
        await r.until_gone(s.volumes, name)


@pytest.mark.virtual_time
async def test_a_claim_that_goes_while_its_volume_is_made_leaves_none_behind():
    async with running() as r:
        s = Storage(r)
        await immediate(s)
        await s.claims.create(claim(**NOW))
        await r.clock.sleep(0.5)
        await s.claims.delete("data")
        await r.clock.sleep(30)
        assert (await s.volumes.list()).items == []


@pytest.mark.virtual_time
async def test_a_volume_of_a_users_that_is_there_first_leaves_the_made_one_to_be_deleted():
    async with running() as r:
        s = Storage(r)
        await immediate(s, parameters={"svcsim.dev/seconds": "10"})
        await s.claims.create(claim(**NOW))
        await r.clock.sleep(9.99)
        await s.volumes.create(volume(storageClassName="now"))
        bound = await s.bound()
        assert bound["spec"]["volumeName"] == "disk"
        await r.clock.sleep(30)
        assert [named(one) for one in (await s.volumes.list()).items] == ["disk"]
