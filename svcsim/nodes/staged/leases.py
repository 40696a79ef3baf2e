"""Leases of nodes that live by stages and have no machine behind them: without one, a node that says nothing counts as lost."""

from collections.abc import Callable

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import Controller
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.nodes.machines.heartbeat import SLACK_S
from svcsim.nodes.machines.machine import LEASE_S
from svcsim.nodes.machines.node import lease_object


class NodeLeases(Controller):
    """Renews the Leases of the nodes it is told of, for as long as they live by stages."""

    def __init__(
        self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, lives_by_stages: Callable[[ObjectKey], bool]
    ) -> None:
        self._client = client
        self._chance = chance
        self._dialect = dialect
        self._lives_by_stages = lives_by_stages
        self._kept: dict[ObjectKey, None] = {}
        super().__init__("leases of staged nodes", clock, workers=limits.HEARTBEAT_WORKERS)

    def keep(self, key: ObjectKey) -> None:
        """A node lives by stages."""
        if key not in self._kept:
            self._kept[key] = None
            self.queue.add(key)

    async def reconcile(self, key: ObjectKey) -> None:
        if not self._lives_by_stages(key):
            self._kept.pop(key, None)
            return
        now = self.clock.micro_timestamp()
        leases = self._client.resource(f"{self._dialect.group('coordination')}/v1", "leases", self._dialect.node_lease_namespace)
        try:
            await leases.patch(key.name, {"spec": {"holderIdentity": key.name, "renewTime": now}})
        except StatusError as error:
            if error.code != 404:
                raise
            node = await self._client.resource("v1", "nodes").get(key.name)
            await leases.create(lease_object(node, self._dialect, now))
        self.queue.add_after(key, LEASE_S * self._chance.uniform(0.96, 1.0), slack_s=SLACK_S)
