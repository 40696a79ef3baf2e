"""However many devices and choices there are, looking for those of one pod leaves the event loop free for others."""

import asyncio
import sys

import pytest

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.objects import condition
from svcsim.meta.types import Object
from tests.cluster.test_component_turns import until
from tests.devices import API, DRIVER, claiming, device_claim, device_class, device_slice, request, selecting
from tests.turns import MeasuredLoop, tuned, units

MOST_UNITS = 15.0
SLICES, PARTS = 20, 4


def slices() -> list[Object]:
    """Two thousand devices in one pool, of which any node can use all, on few parts of a machine."""
    devices = [[{"name": f"d{one}-{at}", "attributes": {"numa": {"int": at % PARTS}}} for at in range(100)] for one in range(SLICES)]
    pool = {"resourceSliceCount": SLICES}
    return [device_slice("", some, name=f"gpus-{number}", pool=pool, allNodes=True) for number, some in enumerate(devices)]


async def longest_turn() -> float:
    """In seconds of processor time, until it is said that a pod can't have devices of more parts than there are."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, MeasuredLoop)
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=20)) as cluster:
        client = cluster.client("user")
        await until(client.resource("v1", "nodes"), lambda items: len(items) == 20)
        await until(client.resource("v1", "serviceaccounts", "default"), bool)
        await client.resource(API, "deviceclasses").create(device_class("gpu"))
        for one in slices():
            await client.resource(API, "resourceslices").create(one)
        apart = [{"distinctAttribute": f"{DRIVER}/numa"}]
        known = request(count=PARTS + 1, selectors=selecting(f'device.attributes["{DRIVER}"].numa >= 0'))
        await client.resource(API, "resourceclaims", "default").create(device_claim("apart", known, constraints=apart))
        await cluster.clock.sleep(1)
        pods = client.resource("v1", "pods", "default")
        loop.longest_s = 0.0
        await pods.create(claiming("user", "apart"))
        await loop.uncounted(until(pods, lambda items: any(condition(item, "PodScheduled") for item in items)))
        said = condition((await pods.list_all())[0], "PodScheduled") or {}
        assert "20 timed out trying to allocate devices" in said["message"]
        return loop.longest_s


@pytest.mark.skipif(sys.platform != "linux", reason="no processor time of one thread elsewhere")
def test_no_claim_keeps_the_loop_for_long() -> None:
    def measured() -> float:
        with tuned(), asyncio.Runner(loop_factory=MeasuredLoop) as runner:
            return runner.run(longest_turn())

    assert units(measured, MOST_UNITS) < MOST_UNITS
