"""The simulated nodes of a cluster: its machines, their heartbeats, and the pods on them."""

import asyncio
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.clock import Clock, format_time
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Handler
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, name_of, uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Object
from svcsim.nodes.connecting.reach import Reach
from svcsim.nodes.containers.lives import Lives
from svcsim.nodes.machines.faults import NODE_DOWN, NODE_PRESSURE, Fault, Faults, Standing
from svcsim.nodes.machines.fleet import Fleet, Keep
from svcsim.nodes.machines.heartbeat import Heartbeat, WholeNodes
from svcsim.nodes.machines.machine import Agents, Machine
from svcsim.nodes.machines.node import Make, Shape, node_object, place
from svcsim.nodes.machines.outages import Outages
from svcsim.nodes.machines.roster import Member, Roster
from svcsim.nodes.machines.surplus import COMPONENT as SURPLUS_COMPONENT
from svcsim.nodes.machines.surplus import Surplus
from svcsim.nodes.network.pod_network import PodNetwork
from svcsim.nodes.network.ports import ClusterPorts, NetworkParts
from svcsim.nodes.pods.pods import PodFollowers, Pods
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.staged.stage import NODE, POD, ObjectKind
from svcsim.nodes.staged.staging import Stages, Staging
from svcsim.nodes.streams.given import GivenToPods
from svcsim.nodes.streams.lasting import on_volume
from svcsim.nodes.streams.namespaces import Ended
from svcsim.nodes.streams.pod_files import AllFiles
from svcsim.nodes.streams.port_answers import Enter
from svcsim.nodes.streams.world import Insides, Ticking
from svcsim.nodes.volumes.cloning import Cloning
from svcsim.nodes.volumes.growth import Growth
from svcsim.outbound.services import ReadSlices

COMPONENT = "kubelet"


class NodesContext(NamedTuple):
    """What simulated nodes are given to work with."""

    agents: Agents
    """Each node acts through an agent of its own."""
    client: Client
    """For who looks after all of them."""
    installer: Client
    """For who makes Node objects of machines that are added: it may give them any label."""
    informers: Informers
    clock: Clock
    chance: Chance
    dialect: Dialect
    keep: Keep
    """Keeps what is to be remembered of the machines."""
    ip_versions: tuple[int, ...]
    """The versions of IP that the cluster's networks have, the first one first."""
    ranges_are_given: bool
    """Whether somebody gives nodes the ranges of their pods' addresses."""
    stages: Stages
    all_is_recorded: bool
    """Whether requests are recorded, those of nodes that say that they are there among them."""
    history_s: float
    """How far back others can see what was written."""
    slices: ReadSlices
    """The EndpointSlices of a service: what programs in containers reach by it."""
    api: Handler
    """The API server, for these programs."""


class Nodes:
    """All simulated nodes. ``faults`` is where things are broken on purpose."""

    def __init__(self, context: NodesContext, roster: Roster) -> None:
        clock, dialect, informers = context.clock, context.dialect, context.informers
        chance = context.chance.fork("nodes")
        self._context = context
        self.faults = Faults(chance)
        self.machines = {member.name: self._machine(member) for member in roster.members()}
        self.faults.find_targets((NODE_DOWN, NODE_PRESSURE), Standing(self._hit_by, self._known))
        nodes = informers.cache("v1", "nodes")
        nodes.add_handler(self._node_changed)
        self.staging = Staging(
            context.stages, informers, clock, chance.fork("stages"), dialect, self.machines, self.faults, context.ip_versions
        )
        self.heartbeat = Heartbeat(
            clock,
            dialect,
            self.machines,
            self.faults,
            self.staging.has_node,
            nodes,
            always_written=context.all_is_recorded,
            history_s=context.history_s,
        )
        informers.of("v1", "nodes").follow(WholeNodes(self.machines, self.heartbeat.status_seen))
        self._surplus_events = EventRecorder(context.client, clock, SURPLUS_COMPONENT)
        self._surplus = Surplus(context.client, informers, clock, self._surplus_events, self.machines)
        self._growth = Growth(informers, clock, self.machines, self.faults)
        files = AllFiles()
        self._lasting, self._disks = files.lasting, files.nodes
        informers.cache("v1", "persistentvolumes").add_handler(self._volume_changed)
        self.given = GivenToPods(informers, clock, dialect.root_ca_config_map)
        ports = ClusterPorts(self._network_parts(lambda run: insides.of(run, self.machines[node_of(run.pod)]), files))

        def network(pod: Object, dns: tuple[str, ...], time: Ticking, *, waits: bool) -> PodNetwork:
            return PodNetwork(ports, pod, time, dns, self._processes.catch_up if waits else None)

        insides = Insides(clock, files, self.given, network, self._end, self._entered)
        self._processes = Processes(clock, self.machines, insides, files)
        self._disk_events = EventRecorder(context.client, clock, DRIVER)
        self._cloning = Cloning(informers, clock, self.machines, self._processes, self._disk_events)
        followers = PodFollowers(Lives(), self._processes, self.given)
        self._pods = Pods(informers, clock, dialect, chance.fork("pods"), self.machines, self.faults, self.staging, followers)
        self.reach = Reach(self.machines, self.faults, followers, insides, self._pods, lambda: self._tasks is not None)
        self._outages = Outages(clock, self.faults, roster.failed)
        self._outages.resume()
        self._fleet = Fleet(
            roster=roster,
            machines=self,
            outages=self._outages,
            installer=context.installer,
            nodes=nodes,
            keep=context.keep,
        )
        self._tasks: asyncio.TaskGroup | None = None
        self._voices: dict[str, asyncio.Task[None]] = {}
        """What writes the events of each machine."""

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as self._tasks:
                for machine in self.machines.values():
                    self._give_voice(machine)
                self._tasks.create_task(self.heartbeat.run(), name="nodes beat")
                self._tasks.create_task(self._pods.run(), name="nodes live pods")
                self._tasks.create_task(self._growth.run(), name="nodes grow volumes")
                self._tasks.create_task(self._disk_events.run(), name="disks report")
                self._tasks.create_task(self._cloning.run(), name="nodes fill clones")
                self._tasks.create_task(self.staging.run(), name="stages are played")
                self._tasks.create_task(self._surplus_events.run(), name="surplus nodes report")
                self._tasks.create_task(self._surplus.run(), name="surplus nodes leave")
                self._tasks.create_task(self._outages.run(), name="nodes recover")
        finally:
            self._tasks = None
            self._voices.clear()
            self._processes.end()

    async def handle(self, wish: Object | None) -> Object:
        """Add, remove, fail or recover machines, or tell of them. Raises `StatusError`."""
        if self._tasks is None:
            raise StatusError(503, "ServiceUnavailable", "no simulated nodes run: they are switched off, or have not begun yet")
        return await self._fleet.handle(wish)

    async def tell(self, api_version: str, kind: str, namespace: str, name: str) -> Object:
        """What is known here of an object and no object says. Raises `StatusError`, where it isn't there a 404.

        ``stages`` is what they have in store for it, ``failed`` is there for Nodes of machines that were made to fail, and their pods.
        ``machine`` says of Nodes whether one of ours is behind it; of one that is gone also, and ``registered`` whether that had made it.
        ``graceOver`` says of a pod that one of ours is to end when its grace period is over, and is empty where that hasn't heard of it.
        """
        of = ObjectKind(api_version, kind)
        told: Object = {}
        machine = self.machines.get(name) if self._tasks is not None else None
        if of == NODE:
            told = {
                "machine": machine is not None,
                "failed": self._failed(name),
                "registered": None if machine is None else machine.registered,
            }
        try:
            told["stages"] = await self.staging.outlook(of, ObjectKey(namespace, name))
        except StatusError as error:
            if error.code != 404 or of != NODE or machine is None:
                raise
        if of == POD:
            pod = await self._context.client.resource("v1", "pods", namespace).get(name)
            told["failed"] = self._failed(node_of(pod))
            if is_terminating(pod) and node_of(pod) in self.machines:
                at = self._pods.time_is_over_at(pod)
                told["graceOver"] = "" if at is None else format_time(at)
        return {field: value for field, value in told.items() if value is not None}

    def _network_parts(self, enter: Enter, files: AllFiles) -> NetworkParts:
        context = self._context
        return NetworkParts(
            context.informers.cache("v1", "services"),
            context.client,
            context.slices,
            context.api,
            context.dialect.default_service,
            context.dialect.key("zone", "topology"),
            lambda node: self.reach.silence(node),  # noqa: PLW0108 - it is there by then
            enter,
            files,
        )

    def _end(self, pod: Object, ended: Ended, at: float) -> None:
        """A command in a container has its first process end, or heed a signal."""
        if ended.heeded:
            self._pods.signal(pod, ended.container, ended.heeded, at)
        else:
            self.reach.end(pod, ended.container, ended.exit_code)

    def _entered(self, pod: Object) -> None:
        """Somebody is at work in a container of a pod."""
        self._pods.entered(pod)

    def _failed(self, name: str) -> Object | None:
        """How a machine was made to fail; None where it was not."""
        if not self.faults.node_down(name):
            return None
        by_hand = self._outages.told(name)
        return {"fault": True} if by_hand is None else by_hand

    def __contains__(self, name: object) -> bool:
        return name in self.machines

    def bring(self, member: Member) -> Object:
        machine = self.machines[member.name] = self._machine(member)
        machine.starts = True
        context = self._context
        return node_object(machine.make, context.dialect, context.clock.timestamp(), by_itself=False)

    async def begin(self, names: list[str]) -> None:
        for name in names:
            self._give_voice(self.machines[name])
        self.heartbeat.begin(names)
        # A machine of that name may have been there before, and pods that were bound to it may still be.
        self._pods.take_up(await self._context.client.resource("v1", "pods").list_all())

    def take_away(self, names: list[str]) -> None:
        self._pods.leave(dict.fromkeys(names))
        for name in names:
            self.machines.pop(name, None)
            self._disks.forget(name)
            if (voice := self._voices.pop(name, None)) is not None:
                voice.cancel()
        self._surplus.look(names)

    def _node_changed(self, change: str, node: Object, before: Object | None) -> None:
        """A Node may say where its pods get their addresses, and whether there are to be new ones."""
        machine = self.machines.get(name_of(node))
        if machine is None or change == "DELETED":
            return
        spec = node.get("spec") or {}
        if before is not None and bool(spec.get("unschedulable")) != bool((before.get("spec") or {}).get("unschedulable")):
            reason = "NodeNotSchedulable" if spec.get("unschedulable") else "NodeSchedulable"
            machine.tell(reason, f"Node {machine.name} status is now: {reason}")
        if spec.get("podCIDRs"):
            self._use_ranges(machine, spec["podCIDRs"])

    def _volume_changed(self, change: str, volume: Object, _before: Object | None) -> None:
        """What is on a volume goes with it."""
        if change == "DELETED":
            self._lasting.forget(on_volume(uid_of(volume)))

    def _use_ranges(self, machine: Machine, ranges: list[str]) -> None:
        had_network = machine.addresses.known
        machine.addresses.use(ranges)
        if not had_network:
            self._pods.wake(machine)
            if machine.registered:
                self.heartbeat.begin((machine.name,))

    def _give_voice(self, machine: Machine) -> None:
        if self._tasks is not None:
            self._voices[machine.name] = self._tasks.create_task(machine.events.run(), name=f"{machine.name} reports")

    def _machine(self, member: Member) -> Machine:
        make = Make(place(member.number, member.name, self._context.ip_versions), Shape(), member.template)
        agent = self._context.agents(member.name)
        events = EventRecorder(agent.client, self._context.clock, COMPONENT, member.name, limits.NODE_EVENT_OBJECTS_REMEMBERED)
        return Machine(make, agent, events, waits_for_ranges=self._context.ranges_are_given)

    def _hit_by(self, fault: Fault) -> list[str]:
        return [name for name in self.machines if fault.hits(name)]

    def _known(self) -> str:
        return f"the target is none of the simulated nodes: {', '.join(self.machines) or 'there are none'}"
