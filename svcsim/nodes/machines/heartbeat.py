"""Nodes saying that they are there: registration, then a Lease every few seconds and a status every few minutes.

Who watches over nodes takes silence for death, so a node that is down on purpose simply doesn't come up here.

Heartbeats are hardly ever read, and writing them would be most of what a quiet cluster does. So a node's moments are known
(`svcsim.nodes.machines.beats`), and written once a client from outside is about to see them (`catch_up`), or as they come while a client
watches them, a webhook is asked about them, or all is recorded. What is written later counts as written at its moment, and no moment is
left out that the history could still tell of, as long as there aren't too many. Who watches over nodes asks when one was `heard`. News are
written at once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.cache import Cache
from svcsim.client.controller import Controller
from svcsim.client.retry import retry_on_conflict
from svcsim.clock import Clock, format_micro_time, format_time
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode_sorted
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import condition_is
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.csi_node import keep_csi_node
from svcsim.nodes.machines.faults import NODE_DOWN, NODE_PRESSURE, Fault, Faults
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.node import (
    CONDITIONS,
    VITALS,
    Make,
    amounts,
    conditions,
    devices,
    labels,
    lease_object,
    node_object,
    node_status,
)
from svcsim.nodes.machines.template import agent_labels

logger = logging.getLogger(__name__)

LEASES, NODES = "leases", "nodes"
SLACK_S = 20.0
"""On a clock that is stepped or sped up a node may renew so much later, and then nodes renew together: nothing is late there, and who
watches over nodes waits for four renewals and looks every five seconds."""


class Heartbeat(Controller):
    """Registers the machines and keeps them alive in the eyes of the cluster."""

    def __init__(
        self,
        clock: Clock,
        dialect: Dialect,
        machines: Mapping[str, Machine],
        faults: Faults,
        staged: Callable[[str], bool],
        nodes: Cache,
        *,
        always_written: bool,
        history_s: float,
    ) -> None:
        """``history_s`` is how far back somebody may see what was written."""
        self._nodes = nodes
        self._staged = staged
        """Whether a node lives by stages."""
        self._dialect = dialect
        self._machines = machines
        self._faults = faults
        self._always_written = always_written
        self._history_s = history_s
        self._watched = dict.fromkeys((LEASES, NODES), False)
        self._asked_about = dict.fromkeys((LEASES, NODES), False)
        self._wanted: dict[str, None] = {}
        """Machines whose next renewal is written though nobody looks."""
        self._turns = {LEASES: asyncio.Lock(), NODES: asyncio.Lock()}
        super().__init__("heartbeat", clock, workers=limits.HEARTBEAT_WORKERS)
        faults.subscribe(self._on_fault)

    async def prepare(self) -> None:
        """Have all of them report; the first report registers a node."""
        self.begin(self._machines)

    def begin(self, names: Iterable[str]) -> None:
        """Have machines report."""
        for name in names:
            self._machines[name].images.on_pull = partial(self._told_next, self._machines[name])
            self._machines[name].volumes.on_change = partial(self.queue.add, ObjectKey("", name))
            self.queue.add(ObjectKey("", name))

    def heard(self, name: str) -> float | None:
        """When a node last said that it is there, written or not; None for one that is none of ours, or has said nothing yet."""
        machine = self._machines.get(name)
        if machine is None:
            return None
        if machine.refused_at is None:
            return machine.renewals.last(self.clock.now())
        return max(machine.refused_at, machine.renewals.written or 0.0)  # until then it has said it, though nothing was written

    def watched(self, plural: str, is_watched: bool) -> None:
        """Somebody from outside begins to watch Leases or Nodes, or nobody does any more."""
        self._watched[plural] = is_watched
        if is_watched:
            self.begin(self._machines)

    def asked_about(self, plural: str, is_asked: bool) -> None:
        """Somebody is asked about each write of Leases or Nodes, or nobody is any more: a webhook, a policy."""
        begins = is_asked and not self._asked_about[plural]
        self._asked_about[plural] = is_asked
        if begins:
            self.begin(self._machines)

    def renew(self, name: str) -> None:
        """A Lease is gone: the node, if it is one of ours, makes it anew with its next renewal."""
        machine = self._machines.get(name)
        if machine is not None:
            self._wanted[name] = None
            self._await_next(machine)

    def _as_it_comes(self, plural: str) -> bool:
        """Whether all is written at its moment."""
        return self._always_written or self._watched[plural] or self._asked_about[plural]

    async def catch_up(self, plural: str, name: str) -> None:
        """Write what nodes, or one of them, have said until now; for somebody who is about to see it."""
        say = self._renew if plural == LEASES else self._report_again
        async with self._turns[plural]:  # who comes second finds it written
            now = self.clock.now()
            beats = [(machine, machine.renewals if plural == LEASES else machine.reports) for machine in self._chosen(name)]
            behind = [(machine, said) for machine, said in beats if said.unwritten(now) is not None]
            most = max(limits.HEARTBEATS_CAUGHT_UP // max(len(behind), 1), 1)
            missed = [(machine, said.all_unwritten(now, now - self._history_s, most)) for machine, said in behind]
            for which in range(max((len(moments) for _, moments in missed), default=0)):
                due = [
                    (machine, moments[which]) for machine, moments in missed if which < len(moments) and not (which and machine.refused_at)
                ]
                for start in range(0, len(due), limits.HEARTBEAT_WORKERS):
                    await asyncio.gather(*[self._said(say, *one) for one in due[start : start + limits.HEARTBEAT_WORKERS]])

    def _chosen(self, name: str) -> Iterable[Machine]:
        if not name:
            return tuple(self._machines.values())
        machine = self._machines.get(name)
        return () if machine is None else (machine,)

    async def reconcile(self, key: ObjectKey) -> None:
        machine = self._machines.get(key.name)
        if machine is None:
            return
        if self._faults.node_down(machine.name):
            return
        silences = machine.silences
        if not machine.registered:
            made = await self._register(machine)
            if machine.silences != silences:
                return  # it registers anew once it isn't down any more
            machine.registered = True
            machine.renewals.begin(self.clock.now())
            await self._renew(machine, self.clock.now(), made)
        if self._as_it_comes(LEASES) or machine.refused_at is not None or machine.name in self._wanted:
            await self._renew_if_due(machine)
        images = machine.images.names(self.clock.now(), limits.NODE_IMAGES)
        has_news = self._has_news(machine, images) and not (machine.told_ready and self._staged(machine.name))
        if has_news:
            await self._report(machine, images, self.clock.now())
            if machine.silences == silences:
                machine.reports.begin(self.clock.now())
        elif self._as_it_comes(NODES):
            await self._report_if_due(machine)
        self._await_next(machine)

    def _await_next(self, machine: Machine) -> None:
        """Come back when there is something to write."""
        now = self.clock.now()
        news = [moment for moment in (machine.images.next_at(now), machine.network_due_at) if moment is not None and moment > now]
        moments = [
            *(machine.renewals.next(moment) for moment in news),
            machine.renewals.next(now) if self._as_it_comes(LEASES) or machine.name in self._wanted else None,
            machine.reports.next(now) if self._as_it_comes(NODES) else None,
        ]
        due = min((moment for moment in moments if moment is not None), default=None)
        if due is not None:
            self.queue.add_after(ObjectKey("", machine.name), due - now, slack_s=SLACK_S)

    def status_seen(self, machine: Machine, node: Object) -> None:
        """What others wrote over a node's status is put back the next time it says that it is there."""
        machine.images_overwritten = self._reports(machine) and _images(node) != machine.told_images
        machine.overwritten = machine.images_overwritten or not self._is_as_told(machine, node)
        if machine.overwritten:
            self._told_next(machine, self.clock.now())

    def _is_as_told(self, machine: Machine, node: Object | None) -> bool:
        """Whether the Node says of its machine what that last reported; of its images, which caches leave out, that isn't asked here."""
        return node is None or not self._reports(machine) or own_status(machine.make, node, self._dialect) == machine.told

    def _reports(self, machine: Machine) -> bool:
        """Whether a machine reports by itself, and has done so."""
        return machine.told is not None and machine.registered and not self._staged(machine.name)

    def _told_next(self, machine: Machine, at: float) -> None:
        """A node tells of what is so at a moment the next time it says that it is there."""
        told_at = machine.renewals.next(at)
        if told_at is not None:
            self.queue.add_after(ObjectKey("", machine.name), told_at - self.clock.now(), slack_s=SLACK_S)

    async def _said(self, say: Callable[[Machine, float], Awaitable[None]], machine: Machine, at: float) -> None:
        """Have a node say something for somebody who looks, whom it is no matter that it can't."""
        try:
            await say(machine, at)
        except (StatusError, ConnectionError) as error:
            logger.info("heartbeat: %s can't say that it is there: %s", machine.name, error)
            self.queue.add(ObjectKey("", machine.name))

    async def _renew_if_due(self, machine: Machine) -> None:
        at = machine.renewals.unwritten(self.clock.now())
        if at is not None:
            await self._renew(machine, at)

    async def _report_if_due(self, machine: Machine) -> None:
        at = machine.reports.unwritten(self.clock.now())
        if at is not None:
            await self._report_again(machine, at)

    async def _report_again(self, machine: Machine, at: float) -> None:
        """Say that all is as it was; nothing any more of a machine that has fallen silent since, and that others say so of."""
        if self._staged(machine.name):
            return
        if not machine.registered and condition_is(await _nodes(machine).get(machine.name), "Ready", "Unknown"):
            machine.reports.wrote(at)
            return
        await self._report(machine, machine.reported_images, at)

    def _has_news(self, machine: Machine, images: list[str]) -> bool:
        """Whether there is something to report; a new node that is about to be given its network waits for that."""
        now, network = self.clock.now(), machine.addresses.known
        if not network and now < machine.network_due_at:
            return False
        if not machine.has_reported or (images, machine.volumes.names()) != (machine.reported_images, machine.reported_volumes):
            return True
        if machine.images_overwritten or (machine.overwritten and not self._is_as_told(machine, self._nodes.get(machine.name))):
            return True
        return self._short_of(machine) != machine.short_of or network != machine.told_ready

    async def _register(self, machine: Machine) -> Object | None:
        """Create the Node, which it gives, or take up the one that is there, whose conditions others may have written."""
        wanted = node_object(machine.make, self._dialect, self.clock.timestamp(), network=machine.addresses.known)
        nodes = _nodes(machine)
        made, was_ready = None, False
        try:
            current = made = await nodes.create(wanted)
            machine.starts = True
        except StatusError as error:
            if error.code != 409:
                raise
            current = await nodes.get(machine.name)
            was_ready = condition_is(current, "Ready")
            await nodes.patch(machine.name, {"metadata": {"labels": self._own_labels(machine)}})
        await keep_csi_node(machine.agent.heartbeat, current, self._dialect)
        machine.told_ready = was_ready
        if machine.starts:
            machine.tell("Starting", "Starting kubelet.")
            machine.starts = False
        machine.has_reported = False
        machine.network_due_at = self.clock.now() + limits.NODE_NETWORK_S
        return made

    def _own_labels(self, machine: Machine) -> dict[str, str]:
        return agent_labels(machine.make.template, labels(machine.make, self._dialect))

    async def _report(self, machine: Machine, images: list[str], at: float) -> None:
        now, said_at = self.clock.timestamp(), format_time(at)
        short_of, network, volumes = self._short_of(machine), machine.addresses.known, machine.volumes.names()
        nodes, known = _nodes(machine), self._nodes.get(machine.name)

        async def write() -> Object:
            nonlocal known
            current = known or await nodes.get(machine.name)
            known = None  # where others have written meanwhile, it is read
            before = (current.get("status") or {}).get("conditions") or []
            reported = merge_conditions(before, conditions(said_at, now, short_of, network=network))
            status = {**node_status(machine.make, reported, images), "volumesInUse": volumes or None}
            status["allocatable"].update(devices(machine.make, current, self._dialect))
            patch = {"metadata": {"resourceVersion": current["metadata"]["resourceVersion"]}, "status": status}
            return await nodes.patch(machine.name, patch, subresource="status", made_at=at)

        stored = await retry_on_conflict(write)
        machine.told, machine.told_images = own_status(machine.make, stored, self._dialect), _images(stored)
        machine.images_overwritten = False
        for resource in short_of:
            if resource not in machine.short_of:
                event = VITALS[resource].event
                machine.tell(event, f"Node {machine.name} status is now: {event}")
        if network and not machine.told_ready:
            machine.tell("NodeReady", f"Node {machine.name} status is now: NodeReady")
        machine.reported_volumes = volumes
        machine.reported_images, machine.short_of, machine.told_ready = images, short_of, network
        machine.has_reported = True
        machine.reports.wrote(at)

    def _short_of(self, machine: Machine) -> list[str]:
        wanting = self._faults.short_of(machine.name)
        return [resource for resource in VITALS if resource in wanting]

    async def _renew(self, machine: Machine, at: float, made: Object | None = None) -> None:
        """Say that it is there; ``made`` is its Node where that has just been made.

        One that is refused is heard no more by what isn't written, and tries again until it isn't.
        """
        try:
            await self._write_renewal(machine, at, made)
        except StatusError:
            if machine.refused_at is None:
                machine.refused_at = self.clock.now()
            raise
        machine.refused_at = None
        machine.renewals.wrote(at)
        self._wanted.pop(machine.name, None)

    async def _write_renewal(self, machine: Machine, at: float, made: Object | None) -> None:
        dialect = self._dialect
        leases = machine.agent.heartbeat.resource(f"{dialect.group('coordination')}/v1", "leases", dialect.node_lease_namespace)
        now = format_micro_time(at)
        try:
            await leases.change(machine.name, {"spec": {"renewTime": now}}, made_at=at)
        except StatusError as error:
            if error.code != 404:
                raise
            node = made or await _nodes(machine).get(machine.name)
            await leases.hand_over(lease_object(node, dialect, now), made_at=at)

    def _on_fault(self, fault: Fault, comes: bool) -> None:
        if fault.type in {NODE_DOWN, NODE_PRESSURE}:
            for name, machine in self._machines.items():
                if name in fault.chosen:
                    if comes and fault.type == NODE_DOWN:
                        machine.fall_silent(self.clock.now())
                    self.queue.add(ObjectKey("", name))


class WholeNodes:
    """Shows the Nodes of machines as they are: caches leave out what they say of images. See `svcsim.client.informers.Follower`."""

    def __init__(self, machines: Mapping[str, Machine], status_seen: Callable[[Machine, Object], None]) -> None:
        self._machines = machines
        self._status_seen = status_seen

    def seen(self, key: ObjectKey, obj: Object) -> None:
        if (machine := self._machines.get(key.name)) is not None:
            self._status_seen(machine, obj)

    def gone(self, key: ObjectKey, uid: str) -> None:
        """What is gone says nothing."""


def merge_conditions(current: list[Object], reported: list[Object]) -> list[Object]:
    """What a node says of itself, over what stood there; others' conditions are kept, and times of change where nothing changed."""
    before = {condition["type"]: condition for condition in current}
    ours = {condition["type"]: condition for condition in reported}
    for kind, condition in ours.items():
        known = before.get(kind, {})
        if known.get("status") == condition["status"] and known.get("lastTransitionTime"):
            condition["lastTransitionTime"] = known["lastTransitionTime"]
    return [*reported, *(condition for kind, condition in before.items() if kind not in ours)]


_WHOLE = ("addresses", "daemonEndpoints", "features", "nodeInfo", "runtimeHandlers")
"""What of a Node's status is its machine's as a whole."""


def own_status(make: Make, node: Object, dialect: Dialect) -> int:
    """A digest of what a Node says that its machine alone has to say: others may add conditions of theirs, and amounts of other resources.

    Its addresses and such as they are; of its own resources, what is there and what may be asked for; what its own conditions say; and what
    is still to be said of how many of others' devices may be asked for.
    """
    status, own = node.get("status") or {}, amounts(make)
    said = {one.get("type"): one for one in status.get("conditions") or ()}
    return _digest(
        [
            [status.get(name) for name in _WHOLE],
            [(status.get(name) or {}).get(resource) for name in own for resource in own[name]],
            [[said.get(kind, {}).get(field) for field in ("status", "reason", "message")] for kind in CONDITIONS],
            devices(make, node, dialect),
        ]
    )


def _images(node: Object) -> int:
    """A digest of which images a Node says that it has."""
    return _digest((node.get("status") or {}).get("images") or [])


def _digest(value: Json) -> int:
    """Something to tell whether a value is the same again, which thousands of machines do: eight bytes, where it has thousands."""
    return hash(encode_sorted(value))


def _nodes(machine: Machine) -> Collection:
    return machine.agent.heartbeat.resource("v1", "nodes")
