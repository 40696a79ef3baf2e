"""A cluster that is up already, over the wire and in that cluster's time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from svcsim.client.api import Client
from svcsim.client.kubeconfig import Access
from svcsim.clock import Clock
from svcsim.dialect import DIALECTS
from svcsim.meta.times import parse_time
from svcsim.scenario.ground import CLOCK_PATH, STATUS_PATH, Ground


@asynccontextmanager
async def connected(access: Access) -> AsyncIterator[Ground]:
    """The cluster, for as long as the context lasts. Users that actions name are impersonated."""
    from svcsim.client.http import HttpTransport  # noqa: PLC0415 - the HTTP library is slow to import, and runs in process don't need it

    transports = [HttpTransport.to(access)]
    try:
        # Which words the cluster speaks is what it says itself; asking takes a client, whose own words matter for nothing yet.
        asking = Client(transports[0], DIALECTS["svcapi"])
        dialect = DIALECTS[(await asking.get_json(STATUS_PATH))["dialect"]]
        time = await asking.get_json(CLOCK_PATH)

        def client_for(user: str) -> Client:
            transports.append(HttpTransport.to(replace(access, impersonate=user)))
            return Client(transports[-1], dialect)

        clock = Clock(parse_time(time["now"]), time["speed"])
        clock.set_speed(time["speed"])  # it runs from now on
        yield Ground(Client(transports[0], dialect), client_for, clock, dialect, stepped=time["speed"] == 0)
    finally:
        for transport in transports:
            await transport.close()
