"""What claims are to be filled from: a clone is made of a claim that is there and fits, and nobody gets an empty volume instead."""

import pytest

from svcsim.meta.claims import reference_to
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Json, Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, at, claim, named, storage_class, user_of, volume

OF_DATA = {"kind": "PersistentVolumeClaim", "name": "data"}
FOO = {"apiGroup": "example.com", "kind": "Foo", "name": "f"}
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
AS_LARGE = "error, new PVC request must be greater than or equal in size to the specified PVC data source"
SAME_MODE = "the source PVC and destination PVCs must have the same volume mode for cloning."
NO_SNAPSHOTS = "CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability is not reported"
OTHER_NAMESPACE = "dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled"
NO_POPULATOR = "The datasource for this PVC does not match any registered VolumePopulator"

POPULATOR_GROUP = "populator.storage.k8s.io"
POPULATORS: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"volumepopulators.{POPULATOR_GROUP}", "annotations": {"api-approved.kubernetes.io": "unapproved"}},
    "spec": {
        "group": POPULATOR_GROUP,
        "scope": "Cluster",
        "names": {"plural": "volumepopulators", "kind": "VolumePopulator"},
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def copy(name: str = "copy", size: str = "5Gi", *, source: Object = OF_DATA, **spec: Json) -> Object:
    return claim(name, size, **{"storageClassName": "now", "dataSource": source, **spec})


async def prepared(s: Storage, **source: Json) -> None:
    """A class that makes volumes at once, and a claim of it that is bound."""
    await s.classes.create(storage_class("now"))
    await s.claims.create(claim(storageClassName="now", **source))
    await s.bound()


def failed(why: str, storage_class_name: str = "now") -> str:
    handle = "error getting handle for DataSource Type PersistentVolumeClaim by Name data: "
    return f'failed to provision volume with StorageClass "{storage_class_name}": {handle}{why}'


@pytest.mark.virtual_time
async def test_a_clone_is_a_volume_of_its_own_that_says_what_it_is_a_copy_of():
    async with running() as r:
        s = Storage(r)
        await prepared(s)
        await s.claims.create(copy(size="8Gi"))
        bound = await s.bound("copy")
        made, original = [await s.volumes.get(one["spec"]["volumeName"]) for one in (bound, await s.claims.get("data"))]
        assert made["spec"]["csi"]["volumeAttributes"]["svcsim.dev/clone-of"] == named(original)
        assert named(made) != named(original)
        assert bound["status"]["capacity"] == {"storage": "8Gi"}
        assert await s.reasons("copy") == ["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]


@pytest.mark.virtual_time
async def test_a_clone_waits_for_its_source_and_is_tried_again_each_time_later():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(copy())
        await r.clock.sleep(20)
        assert at(await s.claims.get("copy")) == "Pending"
        assert await s.messages("copy", "ProvisioningFailed") == [
            failed('error getting PVC data (namespace "default") from api server: persistentvolumeclaim "data" not found')
        ]
        await s.claims.create(claim(storageClassName="standard"))
        await r.clock.sleep(60)
        assert (await s.messages("copy", "ProvisioningFailed"))[1:] == [
            failed("the PVC DataSource data must have a status of Bound.  Got Pending")
        ]
        await r.pods.create(user_of("data"))
        await s.bound("copy", within_s=300)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("source", "wanted", "why"),
    [
        ({}, {"size": "3Gi"}, f"{AS_LARGE}, requested 3221225472 but source is 5368709120"),
        ({"volumeMode": "Block"}, {}, f"{SAME_MODE}  Source is Block, but new PVC requested Filesystem"),
        ({}, {"volumeMode": "Block"}, f"{SAME_MODE}  Source is Filesystem, but new PVC requested Block"),
    ],
)
async def test_a_clone_has_to_be_as_large_and_of_the_same_mode(source, wanted, why):
    async with running() as r:
        s = Storage(r)
        await prepared(s, **source)
        await s.claims.create(copy(**wanted))
        await r.clock.sleep(10)
        assert at(await s.claims.get("copy")) == "Pending"
        assert await s.messages("copy", "ProvisioningFailed") == [failed(why)]


@pytest.mark.virtual_time
async def test_only_volumes_of_the_same_provisioner_are_cloned():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.volumes.create(volume(storageClassName="by-hand"))
        await s.claims.create(claim(storageClassName="by-hand"))
        await s.bound()
        await s.claims.create(copy())
        await r.clock.sleep(10)
        assert await s.messages("copy", "ProvisioningFailed") == [failed("claim in dataSource not bound or invalid")]
        assert len((await s.volumes.list()).items) == 1


@pytest.mark.virtual_time
async def test_a_claim_that_is_being_deleted_is_not_cloned():
    async with running() as r:
        s = Storage(r)
        await prepared(s)
        await r.pods.create(user_of("data"))
        await s.running()
        await s.claims.delete("data")
        await s.claims.create(copy())
        await r.clock.sleep(10)
        assert await s.messages("copy", "ProvisioningFailed") == [failed("the PVC DataSource data is currently being deleted")]


@pytest.mark.virtual_time
async def test_a_clone_of_a_class_that_waits_for_a_pod_is_made_once_there_is_one():
    async with running() as r:
        s = Storage(r)
        await prepared(s)
        await s.claims.create(copy(storageClassName="standard"))
        await r.clock.sleep(10)
        assert await s.reasons("copy") == ["WaitForFirstConsumer"]
        await r.pods.create(user_of("copy"))
        await s.running()
        made = await s.volumes.get((await s.claims.get("copy"))["spec"]["volumeName"])
        assert "svcsim.dev/clone-of" in made["spec"]["csi"]["volumeAttributes"]


@pytest.mark.virtual_time
async def test_what_populators_fill_is_left_to_them_and_it_is_told_that_none_is_registered():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim("foo", storageClassName="now", dataSourceRef=FOO))
        await r.clock.sleep(30)
        assert at(await s.claims.get("foo")) == "Pending"
        assert await s.reasons("foo") == ["ExternalProvisioning", "Provisioning", "Provisioning", "UnrecognizedDataSourceKind"]
        assert (await s.messages("foo", "Provisioning"))[1] == "Assuming an external populator will provision the volume"
        assert await s.messages("foo", "UnrecognizedDataSourceKind") == [NO_POPULATOR]


@pytest.mark.virtual_time
async def test_nobody_misses_a_populator_that_is_registered():
    async with running() as r:
        s = Storage(r)
        await r.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").create(POPULATORS)
        await r.clock.sleep(5)
        registered = {"apiVersion": f"{POPULATOR_GROUP}/v1beta1", "kind": "VolumePopulator", "metadata": {"name": "foos"}}
        populators = r.client.resource(f"{POPULATOR_GROUP}/v1beta1", "volumepopulators")
        await populators.create({**registered, "sourceKind": {"group": "example.com", "kind": "Foo"}})
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim("foo", storageClassName="now", dataSourceRef=FOO))
        await s.claims.create(claim("bar", storageClassName="now", dataSourceRef={**FOO, "kind": "Bar"}))
        await r.clock.sleep(30)
        assert await s.messages("foo", "UnrecognizedDataSourceKind") == []
        assert await s.messages("bar", "UnrecognizedDataSourceKind") == [NO_POPULATOR]


@pytest.mark.virtual_time
async def test_a_populator_gives_its_volume_to_the_claim():
    async with running() as r:
        s = Storage(r)
        await prepared(s)
        await s.claims.create(claim("foo", storageClassName="now", dataSourceRef=FOO))
        filled = await s.volumes.get((await s.claims.get("data"))["spec"]["volumeName"])
        await s.volumes.update({**filled, "spec": {**filled["spec"], "persistentVolumeReclaimPolicy": "Retain"}})
        reference = reference_to(await s.claims.get("foo"))
        filled = await s.volumes.get(named(filled))
        await s.volumes.update({**filled, "spec": {**filled["spec"], "claimRef": reference}})
        assert (await s.bound("foo"))["spec"]["volumeName"] == named(filled)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"dataSource": SNAPSHOT}, NO_SNAPSHOTS),
        ({"dataSourceRef": {**OF_DATA, "namespace": "kube-public"}}, OTHER_NAMESPACE),
    ],
)
async def test_what_nobody_makes_volumes_from_is_told(spec, why):
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim("from", storageClassName="now", **spec))
        await r.clock.sleep(10)
        assert at(await s.claims.get("from")) == "Pending"
        (message,) = await s.messages("from", "ProvisioningFailed")
        assert message.startswith(f'failed to provision volume with StorageClass "now": {why}')


@pytest.mark.virtual_time
@pytest.mark.parametrize("mode", ["Immediate", "WaitForFirstConsumer"])
@pytest.mark.parametrize("source", [FOO, SNAPSHOT, OF_DATA])
async def test_an_empty_volume_that_is_free_is_no_volume_for_a_claim_that_is_to_be_filled(mode, source):
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("by-hand", "kubernetes.io/no-provisioner", volumeBindingMode=mode))
        await s.volumes.create(volume(storageClassName="by-hand"))
        await s.claims.create(claim("copy", storageClassName="by-hand", dataSourceRef=source))
        await r.pods.create(user_of("copy"))
        await r.clock.sleep(30)
        assert at(await s.claims.get("copy")) == "Pending"
        assert at(await s.volumes.get("disk")) == "Available"


@pytest.mark.virtual_time
async def test_whoever_names_the_volume_himself_has_it():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(storageClassName="by-hand"))
        await s.claims.create(claim("copy", storageClassName="by-hand", dataSourceRef=FOO, volumeName="disk"))
        assert (await s.bound("copy"))["spec"]["volumeName"] == "disk"


@pytest.mark.virtual_time
async def test_a_clone_of_another_drivers_class_is_left_to_that_driver():
    async with running() as r:
        s = Storage(r)
        await prepared(s)
        await s.classes.create(storage_class("theirs", "csi.example.com"))
        await s.claims.create(copy(storageClassName="theirs"))
        await r.clock.sleep(10)
        assert await s.reasons("copy") == ["ExternalProvisioning"]
        assert DRIVER not in (await s.claims.get("copy"))["metadata"]["annotations"].values()
