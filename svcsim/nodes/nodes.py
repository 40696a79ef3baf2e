"""The simulated nodes of a cluster: so many machines, their heartbeats, and the pods on them."""

import asyncio

from svcsim.client.api import Client
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.nodes.faults import NODE_DOWN, NODE_PRESSURE, Fault, Faults, Standing
from svcsim.nodes.heartbeat import Heartbeat
from svcsim.nodes.machine import Agent, Agents, Machine
from svcsim.nodes.node import Place, Shape, place
from svcsim.nodes.pods import Pods
from svcsim.nodes.surplus import COMPONENT as SURPLUS_COMPONENT
from svcsim.nodes.surplus import Surplus

COMPONENT = "kubelet"


class Nodes:
    """All simulated nodes. ``faults`` is where things are broken on purpose."""

    def __init__(
        self,
        agents: Agents,
        client: Client,
        informers: Informers,
        clock: Clock,
        chance: Chance,
        dialect: Dialect,
        count: int,
        shape: Shape | None = None,
    ) -> None:
        """Each node acts through an agent of its own; ``client`` is for who looks after all of them."""
        chance = chance.fork("nodes")
        self.faults = Faults(chance)
        self.machines = {
            where.name: self._machine(number, where, agents(where.name), clock, shape or Shape())
            for number, where in ((number, place(number)) for number in range(1, count + 1))
        }
        self.faults.find_targets((NODE_DOWN, NODE_PRESSURE), Standing(self._hit_by, self._known))
        self._heartbeat = Heartbeat(clock, chance.fork("heartbeat"), dialect, self.machines, self.faults)
        self._surplus_events = EventRecorder(client, clock, SURPLUS_COMPONENT)
        self._surplus = Surplus(client, informers, clock, self._surplus_events, self.machines)
        self._pods = Pods(informers, clock, dialect, chance.fork("pods"), self.machines, self.faults)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for machine in self.machines.values():
                tasks.create_task(machine.events.run(), name=f"{machine.name} reports")
            tasks.create_task(self._heartbeat.run(), name="nodes beat")
            tasks.create_task(self._pods.run(), name="nodes live pods")
            tasks.create_task(self._surplus_events.run(), name="surplus nodes report")
            tasks.create_task(self._surplus.run(), name="surplus nodes leave")

    @staticmethod
    def _machine(number: int, where: Place, agent: Agent, clock: Clock, shape: Shape) -> Machine:
        return Machine(number, where, shape, agent, EventRecorder(agent.client, clock, COMPONENT, where.name))

    def _hit_by(self, fault: Fault) -> list[str]:
        return [name for name in self.machines if fault.hits(name)]

    def _known(self) -> str:
        return f"the target is none of the simulated nodes: {', '.join(self.machines) or 'there are none'}"
