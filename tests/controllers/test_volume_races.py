"""Storage where something comes between: deaths at every single step, caches that are behind, two of each, restarts of the server."""

import asyncio
from pathlib import Path

import pytest

from svcsim.controllers.attach_detach.controller import AttachDetach
from svcsim.controllers.simulated_disks.attaching import DiskAttacher
from svcsim.controllers.simulated_disks.modifying import DiskModifier
from svcsim.controllers.simulated_disks.provisioning import DiskProvisioner
from svcsim.controllers.simulated_disks.resizing import DiskResizer
from svcsim.controllers.volume_binder.controller import VolumeBinder
from tests.controllers.beside import Beside, Maker, beside, without_controller
from tests.controllers.running import Running, running
from tests.controllers.volumes import Storage, at, claim, named, storage_class, user_of, volume
from tests.virtual import run_virtual

BEHIND = [{"persistentvolumes": 3.0}, {"persistentvolumeclaims": 3.0}, {"persistentvolumes": 2.0, "persistentvolumeclaims": 5.0}]


async def whole_life(r: Running) -> None:
    """A claim gets a volume, is used, grows, and goes with all that was made for it."""
    s = Storage(r)
    await s.bound("fixed", within_s=900)
    disk = (await s.bound("made", within_s=900))["spec"]["volumeName"]
    await s.running(within_s=900)
    await s.claims.patch("made", {"spec": {"resources": {"requests": {"storage": "9Gi"}}}})
    await r.until(lambda items: "9Gi" in [one["status"]["capacity"]["storage"] for one in items], s.claims, within_s=900)
    await r.pods.delete("user")
    await s.claims.delete("made")
    await r.until_gone(s.volumes, disk, within_s=900)
    assert (await s.attachments.list()).items == []
    assert at(await s.volumes.get("disk")) == "Bound"
    assert [named(one) for one in (await s.volumes.list()).items] == ["disk"]


async def begin(r: Running) -> None:
    s = Storage(r)
    await s.classes.create(storage_class("now", allowVolumeExpansion=True))
    await s.volumes.create(volume())
    await s.claims.create(claim("fixed", storageClassName=""))
    await s.claims.create(claim("made", storageClassName="now"))
    await r.pods.create(user_of("made"))


@pytest.mark.parametrize("maker", [VolumeBinder, DiskProvisioner, AttachDetach, DiskAttacher, DiskResizer])
def test_wherever_a_controller_dies_the_next_one_comes_to_the_same_end(maker: Maker, monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, maker)

    async def one(dies_after: int) -> bool:
        async with running(nodes=1) as r:
            await begin(r)
            first = Beside(r, maker=maker, dies_after=dies_after)
            first.start()
            over = asyncio.ensure_future(whole_life(r))
            death = asyncio.ensure_future(first.dead.wait())
            await asyncio.wait((over, death), return_when=asyncio.FIRST_COMPLETED)
            await first.stop()
            death.cancel()
            if first.dead.is_set():
                async with beside(r, maker=maker):
                    await over
            await over
            return not first.dead.is_set()

    dies_after = 1
    while not run_virtual(one(dies_after)):
        dies_after += 1
    assert dies_after > 2, "it died at every step in turn"


@pytest.mark.parametrize("behind_s", BEHIND)
@pytest.mark.parametrize("maker", [VolumeBinder, DiskProvisioner, AttachDetach, DiskResizer])
@pytest.mark.virtual_time
async def test_a_controller_whose_caches_are_behind_comes_to_the_same_end(
    maker: Maker, behind_s: dict[str, float], monkeypatch: pytest.MonkeyPatch
):
    without_controller(monkeypatch, maker)
    async with running(nodes=1) as r, beside(r, maker=maker, behind_s=behind_s):
        await begin(r)
        await whole_life(r)


@pytest.mark.virtual_time
async def test_a_binder_whose_caches_are_behind_gives_no_volume_twice(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, VolumeBinder)
    async with running(nodes=0) as r, beside(r, maker=VolumeBinder, behind_s={"persistentvolumes": 4.0, "persistentvolumeclaims": 1.0}):
        await given_once(Storage(r))


@pytest.mark.virtual_time
async def test_two_binders_at_once_give_no_volume_twice(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, VolumeBinder)
    async with running(nodes=0) as r, beside(r, maker=VolumeBinder), beside(r, maker=VolumeBinder):
        await given_once(Storage(r))


async def given_once(s: Storage) -> None:
    """Six claims and four volumes: four of them are bound, each to one of its own."""
    for number in range(4):
        await s.volumes.create(volume(f"disk-{number}"))
    for number in range(6):
        await s.claims.create(claim(f"data-{number}", storageClassName=""))
    await s.r.clock.sleep(60)
    claims = (await s.claims.list()).items
    assert sorted(at(one) for one in claims) == ["Bound"] * 4 + ["Pending"] * 2
    taken = {one["spec"]["volumeName"]: named(one) for one in claims if at(one) == "Bound"}
    assert {named(one): one["spec"]["claimRef"]["name"] for one in (await s.volumes.list()).items} == taken


@pytest.mark.parametrize("maker", [DiskProvisioner, AttachDetach, DiskAttacher, DiskModifier, DiskResizer])
@pytest.mark.virtual_time
async def test_two_of_each_do_nothing_twice(maker: Maker, monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, maker)
    async with running(nodes=1) as r, beside(r, maker=maker), beside(r, maker=maker):
        await begin(r)
        await whole_life(r)


@pytest.mark.virtual_time
async def test_a_volume_is_attached_once_by_a_controller_whose_cache_is_behind(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, AttachDetach)
    async with running() as r, beside(r, maker=AttachDetach, behind_s={"volumeattachments": 3.0}):
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim(storageClassName="now"))
        await s.bound()
        for number in (1, 2, 3):
            await r.pods.create(user_of("data", f"user-{number}", nodeName=f"node-{number}"))
            await r.clock.sleep(0.5)
            assert len((await s.attachments.list()).items) == 1


@pytest.mark.parametrize("pause_s", [0.0, 0.3, 1.0, 1.7, 2.5, 4.0, 7.0, 12.0])
def test_a_server_that_starts_again_goes_on_with_its_volumes(pause_s: float, tmp_path: Path):
    where = {"nodes": 3, "data_dir": tmp_path, "start_s": None}

    async def start() -> None:
        async with running(**where) as r:
            s = Storage(r)
            await r.clock.sleep(2)
            await s.claims.create(claim())
            await r.pods.create(user_of("data"))
            await r.clock.sleep(pause_s)

    async def go_on() -> None:
        async with running(**where) as r:
            s = Storage(r)
            await s.running()
            bound = await s.bound()
            assert [named(one) for one in (await s.volumes.list()).items] == [bound["spec"]["volumeName"]]
            assert len((await s.attachments.list()).items) == 1
            await r.pods.delete("user")
            await s.claims.delete("data")
            await r.until_gone(s.volumes, bound["spec"]["volumeName"])

    run_virtual(start())
    run_virtual(go_on())


def test_a_class_that_was_deleted_does_not_come_back(tmp_path: Path):
    async def classes(delete: str = "") -> list[str]:
        async with running(nodes=0, data_dir=tmp_path, start_s=None) as r:
            s = Storage(r)
            if delete:
                await s.classes.delete(delete)
            return [named(one) for one in (await s.classes.list()).items]

    assert run_virtual(classes("standard")) == []
    assert run_virtual(classes()) == []


@pytest.mark.virtual_time
async def test_storage_works_in_the_dialect_of_svcapi():
    async with running(dialect="svcapi") as r:
        s = Storage(r)
        await s.claims.create(claim())
        await r.pods.create(user_of("data"))
        await s.running()
        bound = await s.bound()
        assert "volume.svcapi.io/selected-node" in bound["metadata"]["annotations"]
        disk = await s.volumes.get(bound["spec"]["volumeName"])
        (term,) = disk["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert term["matchExpressions"][0]["key"] == "topology.svcapi.io/zone"
        assert disk["metadata"]["finalizers"] == ["external-provisioner.volume.svcapi.io/finalizer", "svcapi.io/pv-protection"]
