"""The parts of a cluster that are made after those that refer to them: what answers requests asks them, and they ask it."""

from svcsim.client.discovery import ServedTypes
from svcsim.cluster.clients import Clients
from svcsim.cluster.controller_manager import ControllerManager
from svcsim.nodes.nodes import Nodes
from svcsim.registry.registry import Registry
from svcsim.scheduler.scheduler import Scheduler


class Later:
    """Each is there once the cluster has been put together; nobody asks for one before a request is answered."""

    registry: Registry
    clients: Clients
    served_types: ServedTypes
    manager: ControllerManager
    scheduler: Scheduler | None
    """None where it was left out."""
    nodes: Nodes
    url: str = ""
    """Where the cluster is served; empty as long as it isn't."""
