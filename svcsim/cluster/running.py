"""What works in a cluster for as long as it runs: its controllers, its scheduler and its nodes."""

import asyncio
from typing import NamedTuple

from svcsim.clock import Clock
from svcsim.cluster.assembling import ApiServer, Deciding, Foundation
from svcsim.cluster.controller_manager import ControllerManager, Followers, chosen
from svcsim.cluster.first_steps import has_api_services
from svcsim.cluster.simulated_nodes import simulated_nodes
from svcsim.nodes.nodes import Nodes
from svcsim.registry.scheme import Scheme
from svcsim.scheduler.scheduler import Scheduler


class Components(NamedTuple):
    """Those of one cluster, made and not yet begun."""

    manager: ControllerManager
    nodes: Nodes
    scheduler: Scheduler | None
    """None where it was left out."""


def components(base: Foundation, deciding: Deciding, server: ApiServer, followers: Followers) -> Components:
    """As the settings want them. Raises `ConfigurationError`."""
    given, later = base.given, base.later

    def heard(node: str) -> float | None:
        """Nodes are made after those who watch over them."""
        return later.nodes.heartbeat.heard(node)

    check = server.aggregation.probe.check if has_api_services(given) else None
    which = chosen(given, deciding.tokens.signer.sign_legacy, check, heard)
    manager = ControllerManager(given, followers, which)
    nodes = simulated_nodes(
        given,
        followers,
        manager.names,
        base.loopback.slices_of,
        server.pipeline.handle,
        all_is_recorded=server.audit is not None,
    )
    return Components(manager, nodes, manager.scheduler())


async def inform(followers: Followers) -> None:
    """Begin once everybody knows what there is to follow: who comes later and wants more of an object has all read a second time."""
    await followers.served_types.known.wait()
    await followers.informers.run()


async def follow_types(followers: Followers, scheme: Scheme, clock: Clock, loaded: asyncio.Event) -> None:
    """Load every kind, one at a time so that nobody waits for all of them, and then know what is served."""
    for resource in scheme.resources:
        resource.load()
        await clock.turn()
    loaded.set()
    await followers.served_types.run()
