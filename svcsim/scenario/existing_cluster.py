"""A cluster that is up already, over the wire and in that cluster's time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from math import floor
from typing import TYPE_CHECKING

import orjson

from svcsim.client import paths
from svcsim.client.answers import error_from, refuses
from svcsim.client.api import Client
from svcsim.client.kubeconfig import Access
from svcsim.clock import Clock
from svcsim.cluster.settings import from_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.codec import encode
from svcsim.meta.http import Request
from svcsim.meta.types import User
from svcsim.scenario.cluster_clock import ClusterClock
from svcsim.scenario.sparing import Others, Sparing
from svcsim.scenario.target_cluster import TargetCluster

if TYPE_CHECKING:
    from svcsim.client.transport import Transport


@asynccontextmanager
async def connected(access: Access, on_standing: Callable[[], None]) -> AsyncIterator[TargetCluster]:
    """The cluster, for as long as the context lasts; ``on_standing`` is called where what it is to do waits for a clock that stands."""
    from svcsim.client.signing import transport_to  # noqa: PLC0415 - the HTTP library is slow to import, and runs in process don't need it

    transport = transport_to(access)
    try:
        # Which words the cluster speaks is what it says itself; asking takes a client, whose own words matter for nothing yet.
        asking = Client(transport, DIALECTS["svcapi"])
        status = await asking.get_json(paths.STATUS)
        dialect, running = DIALECTS[status["dialect"]], from_json(ClusterSpec, status["settings"])
        clock = ClusterClock(asking, await asking.get_json(paths.CLOCK), on_standing)
        following = asyncio.create_task(clock.follow(), name="the cluster's clock")
        others = Others(transport, await _next_second(clock.clock))
        transports: list[Transport] = []

        def acting_as(user: User) -> Client:
            """The user who runs the scenario needs the right to impersonate others; otherwise the server's error says so."""
            other = replace(
                access,
                impersonate=user.name,
                impersonate_groups=user.groups,
                impersonate_uid=user.uid,
                impersonate_extra=tuple((name, value) for name, values in user.extra.items() for value in values),
            )
            transports.append(transport_to(other))
            return Client(Sparing(transports[-1], others), dialect)

        try:
            async with _hold(transport) as hold:
                client = Client(Sparing(transport, others), dialect)
                yield TargetCluster(client, acting_as, clock.clock, dialect, elsewhere=clock, running=running, others=others, hold=hold)
        finally:
            following.cancel()
            await asyncio.wait([following])
            for other in transports:
                await other.close()
    finally:
        await transport.close()


async def _next_second(clock: Clock) -> float:
    """The time from which created objects are the run's: objects only have the second of their creation, so the next one is awaited.

    If it doesn't come soon, objects created within this second count as older, too.
    """
    now = clock.now()
    following = floor(now) + 1.0
    if clock.speed >= 1:
        await clock.sleep(following - now)
    return following


@asynccontextmanager
async def _hold(transport: "Transport") -> AsyncIterator[str]:
    """What faults are bound to, so that none outlives the run, however it ends: the cluster takes them back when this connection ends."""
    request = Request("POST", paths.FAULTS, "", {"content-type": "application/json", "accept": "application/json"}, encode({"hold": True}))
    async with transport.stream(request) as stream:
        if refuses(stream.status):
            raise error_from(stream.status, await stream.read())
        async for line in stream:
            yield orjson.loads(line)["hold"]
            return
        raise ConnectionError(f"{paths.FAULTS} ended before it said anything")
