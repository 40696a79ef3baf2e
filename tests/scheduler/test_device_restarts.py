"""Who gives devices and who makes claims may end at any request, or know things late: the next one goes on from what is written."""

import pytest

from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.controllers.resource_claims.controller import ResourceClaims
from svcsim.meta.types import Object
from svcsim.scheduler.scheduler import Scheduler
from tests.controllers.beside import beside
from tests.controllers.running import Running, running
from tests.devices import API, claiming, device_class, device_slice, device_template, given
from tests.living import is_ready, name


def scheduler(context: ControllerContext) -> Scheduler:
    return Scheduler(context, {"default-scheduler": EventRecorder(context.client, context.clock, "default-scheduler")})


async def prepared(r: Running, devices: int) -> None:
    """A class, a template, and so many devices on one node."""
    await r.client.resource(API, "deviceclasses").create(device_class("gpu"))
    await r.client.resource(API, "resourceclaimtemplates", "default").create(device_template("gpus"))
    offered = [{"name": f"gpu-{number}"} for number in range(devices)]
    await r.client.resource(API, "resourceslices").create(device_slice("node-1", offered))


async def claims(r: Running) -> list[Object]:
    return await r.client.resource(API, "resourceclaims", "default").list_all()


async def all_run(r: Running, number: int) -> None:
    await r.until(lambda pods: sum(map(is_ready, pods)) == number, r.pods, 60)


@pytest.mark.virtual_time
@pytest.mark.parametrize("dies_after", range(1, 7))
async def test_a_scheduler_that_ends_at_any_request_gives_each_device_once(dies_after: int):
    async with running(nodes=2, controllers=("*", "-scheduler")) as r:
        await prepared(r, 2)
        async with beside(r, maker=scheduler, dies_after=dies_after) as first:
            for one in ("a", "b"):
                await r.pods.create(claiming(one, template="gpus"))
            await first.dead.wait()
            await r.clock.sleep(1)
        async with beside(r, maker=scheduler):
            await all_run(r, 2)
        found = await claims(r)
        assert sorted(device for claim in found for device in given(claim)) == ["node-1/gpu-0", "node-1/gpu-1"]
        assert [len(claim["status"]["reservedFor"]) for claim in found] == [1, 1]


@pytest.mark.virtual_time
@pytest.mark.parametrize("resource", ["resourceclaims", "resourceslices", "pods"])
async def test_a_scheduler_whose_caches_are_behind_gives_each_device_once(resource: str):
    async with (
        running(nodes=2, controllers=("*", "-scheduler")) as r,
        beside(r, maker=scheduler, behind_s={resource: 3.0}),
    ):
        await prepared(r, 3)
        for number in range(5):
            await r.pods.create(claiming(f"p{number}", template="gpus"))
        await r.clock.sleep(60)
        devices = [device for claim in await claims(r) for device in given(claim)]
        assert sorted(devices) == [f"node-1/gpu-{number}" for number in range(3)]
        assert sum(map(is_ready, await r.pods.list_all())) == 3


@pytest.mark.virtual_time
@pytest.mark.parametrize("dies_after", range(1, 5))
async def test_a_controller_that_ends_at_any_request_makes_one_claim_for_each_pod(dies_after: int):
    async with running(nodes=2, controllers=("*", "-resource-claim-controller")) as r:
        await prepared(r, 2)
        async with beside(r, maker=ResourceClaims, dies_after=dies_after) as first:
            for one in ("a", "b"):
                await r.pods.create(claiming(one, template="gpus"))
            await first.dead.wait()
            await r.clock.sleep(1)
        async with beside(r, maker=ResourceClaims):
            await all_run(r, 2)
            assert len(await claims(r)) == 2


@pytest.mark.virtual_time
@pytest.mark.parametrize("dies_after", range(1, 4))
async def test_a_controller_that_ends_while_it_frees_devices_frees_them_in_the_end(dies_after: int):
    async with running(nodes=2, controllers=("*", "-resource-claim-controller")) as r:
        await prepared(r, 1)
        async with beside(r, maker=ResourceClaims):
            await r.pods.create(claiming("a", template="gpus", command=["sleep", "3"], restartPolicy="Never"))
            await r.until(lambda pods: pods[0]["status"]["phase"] == "Running", r.pods)
        async with beside(r, maker=ResourceClaims, dies_after=dies_after) as second:
            await second.dead.wait()
            await r.clock.sleep(1)
        async with beside(r, maker=ResourceClaims):
            await r.pods.create(claiming("b", template="gpus"))
            await all_run(r, 1)
            (claim,) = await claims(r)
            assert name(claim).startswith("b-gpu-")


@pytest.mark.virtual_time
@pytest.mark.parametrize("resource", ["resourceclaims", "pods"])
async def test_a_controller_whose_caches_are_behind_makes_one_claim_for_each_pod(resource: str):
    async with (
        running(nodes=2, controllers=("*", "-resource-claim-controller")) as r,
        beside(r, maker=ResourceClaims, behind_s={resource: 3.0}),
    ):
        await prepared(r, 5)
        for number in range(5):
            await r.pods.create(claiming(f"p{number}", template="gpus"))
        await all_run(r, 5)
        assert len(await claims(r)) == 5
        for number in range(5):
            await r.pods.delete(f"p{number}")
        await r.clock.sleep(60)
        assert await claims(r) == []
