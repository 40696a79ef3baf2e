"""What every part of the dashboard needs to act on its cluster, in one hand."""

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.discovery import discover
from svcsim.client.transport import Transport
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.objects import name_of
from svcsim.tui.feeds.cluster_time import ClusterTime
from svcsim.tui.feeds.texts import OnChange, nobody
from svcsim.tui.model.resource_types import NAMESPACES, ResourceTypes


class Backend:
    """The way to one cluster, and what is known of it."""

    def __init__(self, transport: Transport, dialect: Dialect, cluster: str) -> None:
        self.cluster = cluster
        """What the cluster is called."""
        self.client = Client(transport, dialect)
        self.clock = Clock()
        """The machine's pace, for waiting; the cluster's own time is ``time``."""
        self.chance = Chance()
        self.time = ClusterTime(self.client)
        self.on_back: OnChange = nobody
        """Called when the cluster answers again after it didn't, as the table that is always followed finds."""
        self.types = ResourceTypes()
        self.namespaces: list[str] = []

    async def learn(self) -> None:
        """Ask which types and namespaces there are now. Raises `StatusError` and `ConnectionError`."""
        found = await discover(self.client)
        if found.resources:
            self.types = ResourceTypes(found.resources)
        page = await self.client.resource(NAMESPACES.api_version, NAMESPACES.plural).list(limit=limits.DASHBOARD_NAMESPACES)
        self.namespaces = [name_of(namespace) for namespace in page.items]

    async def close(self) -> None:
        """Let go of the connections."""
        await self.client.transport.close()
