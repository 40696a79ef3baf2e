"""A throwaway cluster for one run, in this process: virtual time unless the scenario asks for real."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.process import settle_process, unsettle_process
from svcsim.scenario.model import Scenario
from svcsim.scenario.results import Result
from svcsim.scenario.target_cluster import TargetCluster
from svcsim.virtual_loop import VirtualLoop, WallTimeoutError


@asynccontextmanager
async def booted(scenario: Scenario) -> AsyncIterator[tuple[TargetCluster, Cluster]]:
    """The cluster a scenario asks for, for as long as the context lasts."""
    async with open_cluster(scenario.cluster) as cluster:
        client = cluster.client("scenario")
        settle_process()
        try:
            yield TargetCluster(client, cluster.user_client, cluster.clock, cluster.dialect), cluster
        finally:
            unsettle_process()


def run_on_loop(scenario: Scenario, main: Callable[[], Coroutine[Any, Any, Result]], *, virtual: bool) -> Result:
    """Run on an event loop of its own, its time virtual or real. Raises `WallTimeoutError` when ``timeouts.wall`` is used up."""
    wall_s = scenario.timeouts.wall_s
    if virtual:
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(wall_s)) as runner:
            return runner.run(main())
    return asyncio.run(_bounded(main(), wall_s))


async def _bounded(main: Coroutine[Any, Any, Result], wall_s: float) -> Result:
    guard = asyncio.timeout(wall_s)
    try:
        async with guard:
            return await main
    except TimeoutError:
        if guard.expired():
            raise WallTimeoutError from None
        raise
