"""Garbage where something comes between: owners that change hands while the collector looks at what was before."""

import pytest

from svcsim.controllers.garbage.controller import GarbageCollector
from svcsim.meta.http import Request
from svcsim.meta.types import Object
from tests.controllers.beside import beside, without_controller
from tests.controllers.running import Running, config_map, running


async def secret(r: Running, name: str) -> Object:
    return await r.client.resource("v1", "secrets", "default").create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})


def owned_by(*owners: Object) -> Object:
    references = config_map("any", *owners)["metadata"].get("ownerReferences")
    return {"metadata": {"ownerReferences": references}}


@pytest.mark.virtual_time
@pytest.mark.parametrize("adopted", [True, False], ids=["another owner", "no owner"])
async def test_what_has_just_got_another_owner_stays_though_the_cache_has_not_seen_it(adopted: bool, monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, GarbageCollector)
    async with running() as r, beside(r, maker=GarbageCollector, behind_s={"configmaps": 5.0}):
        old, new = await secret(r, "old"), await secret(r, "new")
        await r.config_maps.create(config_map("child", old))
        await r.config_maps.create(config_map("sibling", old))
        await r.clock.sleep(20)
        await r.config_maps.patch("child", owned_by(new) if adopted else owned_by())
        await r.client.resource("v1", "secrets", "default").delete("old")
        await r.until_gone(r.config_maps, "sibling")
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "child")
        if adopted:
            await r.client.resource("v1", "secrets", "default").delete("new")
            await r.until_gone(r.config_maps, "child")


@pytest.mark.virtual_time
async def test_what_gets_another_owner_between_the_look_and_the_deletion_stays(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, GarbageCollector)
    new: Object = {}

    async def before(request: Request) -> None:
        if request.method == "DELETE" and new:
            await r.config_maps.patch("child", owned_by(new))
            new.clear()

    async with running() as r, beside(r, maker=GarbageCollector, before=before):
        old = await secret(r, "old")
        new.update(await secret(r, "new"))
        await r.config_maps.create(config_map("child", old))
        await r.clock.sleep(20)
        await r.client.resource("v1", "secrets", "default").delete("old")
        await r.clock.sleep(60)
        assert not new, "it was about to be deleted"
        assert (await r.config_maps.get("child"))["metadata"]["ownerReferences"][0]["name"] == "new"


@pytest.mark.virtual_time
async def test_what_was_made_anew_under_its_name_is_not_deleted_for_what_it_was(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, GarbageCollector)
    async with running() as r, beside(r, maker=GarbageCollector, behind_s={"configmaps": 5.0}):
        old = await secret(r, "old")
        await r.config_maps.create(config_map("child", old))
        await r.clock.sleep(20)
        await r.config_maps.delete("child")
        await r.config_maps.create(config_map("child"))
        await r.client.resource("v1", "secrets", "default").delete("old")
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "child")


@pytest.mark.virtual_time
async def test_an_owner_that_the_cache_has_not_seen_yet_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, GarbageCollector)
    async with running() as r, beside(r, maker=GarbageCollector, behind_s={"secrets": 5.0}):
        await r.clock.sleep(20)
        owner = await secret(r, "owner")
        await r.config_maps.create(config_map("child", owner))
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "child")
