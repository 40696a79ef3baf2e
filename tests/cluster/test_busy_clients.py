"""A cluster whose clients always have a request under way, so that its components hold back as long as they ever do."""

import asyncio

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.http import Request, Response
from tests.living import is_ready
from tests.virtual import START_S

NODES = 200
RUNNING_S = 180


async def never(_request: Request) -> Response:
    return await asyncio.get_running_loop().create_future()


async def images_everywhere(cluster: Cluster) -> None:
    """Have every node report its status, not only that it is there, as it does after pods with new images came."""
    for machine in cluster.nodes.machines.values():
        machine.has_reported = False


@pytest.mark.virtual_time
async def test_no_node_is_late_however_long_clients_keep_components_waiting() -> None:
    async with open_cluster(ClusterSpec(nodes=NODES, seed=1, start_s=START_S)) as cluster:
        await cluster.clock.sleep(30)
        busy = asyncio.create_task(cluster._precedence.first(never)(Request("GET", "/")))
        for _ in range(RUNNING_S // 60):
            await images_everywhere(cluster)
            await cluster.clock.sleep(60)
        busy.cancel()
        client = cluster.client("test")
        assert "NodeNotReady" not in [event["reason"] for event in await client.resource("v1", "events").list_all()]
        assert [is_ready(node) for node in await client.resource("v1", "nodes").list_all()] == [True] * NODES
