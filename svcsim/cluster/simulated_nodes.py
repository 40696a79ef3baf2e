"""The simulated nodes of a cluster, and what they are given to work with."""

import math
from functools import partial

from svcsim.cluster import parts
from svcsim.cluster.controller_manager import Followers
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.errors import insufficient_storage
from svcsim.meta.http import Handler
from svcsim.meta.types import User
from svcsim.nodes.machines.roster import read_roster
from svcsim.nodes.nodes import Nodes, NodesContext
from svcsim.nodes.staged.files import read_stages
from svcsim.nodes.staged.playing import MANAGER
from svcsim.nodes.staged.stage import Stage
from svcsim.nodes.staged.staging import ACCOUNT as STAGES_ACCOUNT
from svcsim.nodes.staged.staging import Stages
from svcsim.outbound.services import ReadSlices
from svcsim.storage.contract import Store, StoreError

_ROSTER = "nodes"
"""Under this name the store keeps which simulated nodes there are."""


def simulated_nodes(
    given: Surroundings, followers: Followers, controllers: tuple[str, ...], slices: ReadSlices, api: Handler, *, all_is_recorded: bool
) -> Nodes:
    """As the settings want them, and as they were left; ``controllers`` are the names of those that run. Raises `ConfigurationError`."""
    spec, clients = given.spec, followers.clients
    context = NodesContext(
        clients.agent,
        clients.account("surplus nodes", "kubelet"),
        clients.administrator("svcsim"),
        followers.informers,
        given.clock,
        given.chance,
        given.dialect,
        partial(_keep_roster, given.store),
        tuple(network.version for network in spec.node_ranges.cluster_cidr),
        parts.NODE_IPAM in controllers,
        Stages(
            clients.account(STAGES_ACCOUNT, MANAGER),
            lambda name: clients.user(User(name), MANAGER),
            followers.served_types,
            _stages(given),
        ),
        all_is_recorded,
        math.inf if spec.history_s is None else spec.history_s,
        slices,
        api,
    )
    return Nodes(context, read_roster(given.store.get_meta(_ROSTER), spec.nodes, given.dialect))


def _stages(given: Surroundings) -> tuple[Stage, ...]:
    """The stages of files. Raises `ConfigurationError`."""
    kinds: dict[str, dict[str, None]] = {}
    for resource in given.scheme.resources:
        kinds.setdefault(resource.group_version.group, {})[resource.name] = None
    return tuple(read_stages(given.spec.stages, kinds))


async def _keep_roster(store: Store, roster: bytes) -> None:
    try:
        await store.put_meta(_ROSTER, roster)
    except StoreError as error:
        raise insufficient_storage(str(error)) from error
