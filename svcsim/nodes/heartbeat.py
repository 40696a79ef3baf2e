"""Nodes saying that they are there: registration, then a Lease every few seconds and a status every few minutes.

Who watches over nodes takes silence for death, so a node that is down on purpose simply doesn't come up here.
"""

from collections.abc import Callable, Iterable, Mapping

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.controller import Controller
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import condition_is
from svcsim.meta.types import Object
from svcsim.nodes.faults import NODE_DOWN, NODE_PRESSURE, Fault, Faults
from svcsim.nodes.machine import Machine
from svcsim.nodes.node import VITALS, conditions, labels, lease_object, node_object, node_status
from svcsim.nodes.template import own_labels

LEASE_S = 10.0
STATUS_S = 300.0
SLACK_S = 20.0
"""On a clock that is stepped or sped up a node may renew so much later, and then nodes renew together: nothing is late there, and who
watches over nodes waits for four renewals and looks every five seconds."""


class Heartbeat(Controller):
    """Registers the machines and keeps them alive in the eyes of the cluster."""

    def __init__(
        self,
        clock: Clock,
        chance: Chance,
        dialect: Dialect,
        machines: Mapping[str, Machine],
        faults: Faults,
        staged: Callable[[str], bool],
    ) -> None:
        self._staged = staged
        """Whether a node lives by stages."""
        self._chance = chance
        self._dialect = dialect
        self._machines = machines
        self._faults = faults
        super().__init__("heartbeat", clock, workers=limits.HEARTBEAT_WORKERS)
        faults.subscribe(self._on_fault)

    async def prepare(self) -> None:
        """Have all of them report; the first report registers a node."""
        self.begin(self._machines)

    def begin(self, names: Iterable[str]) -> None:
        """Have machines report."""
        for name in names:
            self.queue.add(ObjectKey("", name))

    async def reconcile(self, key: ObjectKey) -> None:
        machine = self._machines.get(key.name)
        if machine is None:
            return
        if self._faults.node_down(machine.name):
            machine.registered = False
            return
        images = machine.images.names(self.clock.now(), limits.NODE_IMAGES)
        if not machine.registered:
            await self._register(machine)
        if self._has_news(machine, images) and not (machine.told_ready and self._staged(machine.name)):
            await self._report(machine, images)
        await self._renew(machine)
        self.queue.add_after(key, LEASE_S * self._chance.uniform(0.96, 1.0), slack_s=SLACK_S)

    def _has_news(self, machine: Machine, images: list[str]) -> bool:
        """Whether there is something to report; a new node that is about to be given its network waits for that."""
        now, network = self.clock.now(), machine.addresses.known
        if not network and now < machine.network_due_at:
            return False
        if now >= machine.status_due_at or images != machine.reported_images:
            return True
        return self._short_of(machine) != machine.short_of or network != machine.told_ready

    async def _register(self, machine: Machine) -> None:
        """Create the Node, or take up the one that is there, whose conditions others may have written."""
        wanted = node_object(machine.make, self._dialect, self.clock.timestamp())
        nodes = _nodes(machine)
        was_ready = False
        try:
            await nodes.create(wanted)
            machine.starts = True
        except StatusError as error:
            if error.code != 409:
                raise
            current = await nodes.get(machine.name)
            was_ready = condition_is(current, "Ready")
            await nodes.patch(machine.name, {"metadata": {"labels": self._own_labels(machine)}})
        machine.told_ready = was_ready
        if machine.starts:
            machine.tell("Starting", "Starting kubelet.")
            machine.starts = False
        machine.status_due_at = self.clock.now()
        machine.network_due_at = self.clock.now() + limits.NODE_NETWORK_S
        machine.registered = True

    def _own_labels(self, machine: Machine) -> dict[str, str]:
        where, shape, template = machine.make
        return own_labels(template, labels(where, shape, self._dialect))

    async def _report(self, machine: Machine, images: list[str]) -> None:
        now = self.clock.timestamp()
        short_of, network = self._short_of(machine), machine.addresses.known
        nodes = _nodes(machine)
        current = await nodes.get(machine.name)
        reported = merge_conditions((current.get("status") or {}).get("conditions") or [], conditions(now, now, short_of, network=network))
        status = node_status(machine.make, reported, images)
        await nodes.patch(machine.name, {"status": status}, subresource="status")
        for resource in short_of:
            if resource not in machine.short_of:
                event = VITALS[resource].event
                machine.tell(event, f"Node {machine.name} status is now: {event}")
        if network and not machine.told_ready:
            machine.tell("NodeReady", f"Node {machine.name} status is now: NodeReady")
        machine.reported_images, machine.short_of, machine.told_ready = images, short_of, network
        machine.status_due_at = self.clock.now() + STATUS_S

    def _short_of(self, machine: Machine) -> list[str]:
        wanting = self._faults.short_of(machine.name)
        return [resource for resource in VITALS if resource in wanting]

    async def _renew(self, machine: Machine) -> None:
        dialect = self._dialect
        leases = machine.agent.heartbeat.resource(f"{dialect.group('coordination')}/v1", "leases", dialect.node_lease_namespace)
        now = self.clock.micro_timestamp()
        try:
            await leases.patch(machine.name, {"spec": {"renewTime": now}})
        except StatusError as error:
            if error.code != 404:
                raise
            node = await _nodes(machine).get(machine.name)
            await leases.create(lease_object(node, dialect, now))

    def _on_fault(self, fault: Fault, _comes: bool) -> None:
        if fault.type in {NODE_DOWN, NODE_PRESSURE}:
            for name in self._machines:
                if fault.hits(name):
                    self.queue.add(ObjectKey("", name))


def merge_conditions(current: list[Object], reported: list[Object]) -> list[Object]:
    """What a node says of itself, over what stood there; others' conditions are kept, and times of change where nothing changed."""
    before = {condition["type"]: condition for condition in current}
    ours = {condition["type"]: condition for condition in reported}
    for kind, condition in ours.items():
        known = before.get(kind, {})
        if known.get("status") == condition["status"] and known.get("lastTransitionTime"):
            condition["lastTransitionTime"] = known["lastTransitionTime"]
    return [*reported, *(condition for kind, condition in before.items() if kind not in ours)]


def _nodes(machine: Machine) -> Collection:
    return machine.agent.heartbeat.resource("v1", "nodes")
