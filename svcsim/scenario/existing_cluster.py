"""A cluster that is up already, over the wire and in that cluster's time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.client.kubeconfig import Access
from svcsim.clock import Clock
from svcsim.dialect import DIALECTS
from svcsim.meta.times import parse_time
from svcsim.scenario.target_cluster import TargetCluster, TargetClusterError


@asynccontextmanager
async def connected(access: Access) -> AsyncIterator[TargetCluster]:
    """The cluster, for as long as the context lasts."""
    from svcsim.client.signing import transport_to  # noqa: PLC0415 - the HTTP library is slow to import, and runs in process don't need it

    transport = transport_to(access)
    try:
        # Which words the cluster speaks is what it says itself; asking takes a client, whose own words matter for nothing yet.
        asking = Client(transport, DIALECTS["svcapi"])
        dialect = DIALECTS[(await asking.get_json(paths.STATUS))["dialect"]]
        time = await asking.get_json(paths.CLOCK)

        speed = time.get("reachedSpeed", time["speed"])
        clock = Clock(parse_time(time["now"]), speed)
        clock.set_speed(speed)  # it runs from now on
        yield TargetCluster(Client(transport, dialect), _no_other_user, clock, dialect, stepped=time["speed"] == 0)
    finally:
        await transport.close()


def _no_other_user(user: str) -> Client:
    """To act as somebody else is not served over the wire yet, and what is asked as an administrator must not pass for it."""
    raise TargetClusterError(f"as: {user}: acting as another user is not supported yet on a running cluster")
