"""The pods on all simulated nodes: one watch for all of them, a timer for each that has something coming, a few workers that write.

There is no task per pod. What is kept of one is a `TrackedPod`; whether its node takes it, what its processes tell and what is written of
it are files of their own.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from math import ceil
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.controller import Controller, Source, StreamSource
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.attachments import is_attached
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition_is, is_terminating, name_of, uid_of, unmanaged
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.lives import Lives
from svcsim.nodes.containers.probes import Found
from svcsim.nodes.machines.faults import NODE_DOWN, POD_CRASH, Fault, Faults, Standing
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.occupancy import asks_of
from svcsim.nodes.pods.at_hand import PodsAtHand
from svcsim.nodes.pods.mounts import MOUNTING_S, Mounts
from svcsim.nodes.pods.node_room import NodeRoom
from svcsim.nodes.pods.pod_processes import PodProcesses
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.pod_updates import begin_run, found_by_probes, is_behind, take_in
from svcsim.nodes.pods.process_ends import crash, end
from svcsim.nodes.pods.resizing import IN_PROGRESS
from svcsim.nodes.pods.resuming import resume_run
from svcsim.nodes.pods.status_writer import StatusWriter
from svcsim.nodes.pods.storage_limits import LOOKED_AT_S
from svcsim.nodes.pods.tracked_pod import TrackedPod, whole_second
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.shell.exit_codes import KILLED
from svcsim.nodes.staged.staging import Staging
from svcsim.nodes.streams.given import GivenToPods
from svcsim.nodes.streams.naming import name_error
from svcsim.nodes.volumes.claims import StorageCaches


class PodFollowers(NamedTuple):
    """Who else has to know of a pod's changes, and of its end."""

    lives: Lives
    processes: Processes
    given: GivenToPods


class Pods(Controller):
    """Takes in the followed pods, lives their lives, writes what becomes of them."""

    def __init__(
        self,
        informers: Informers,
        clock: Clock,
        dialect: Dialect,
        chance: Chance,
        machines: Mapping[str, Machine],
        faults: Faults,
        staging: Staging,
        followers: PodFollowers,
    ) -> None:
        self._staging = staging
        self._chance = chance
        self._machines = machines
        self._faults = faults
        storage = f"{dialect.group('storage')}/v1"
        nodes = informers.cache("v1", "nodes")
        caches = StorageCaches(informers.cache(storage, "csidrivers"), informers.cache(storage, "volumeattachments"), nodes)
        self._mounts = Mounts(dialect, caches, followers.given, followers.processes.files.nodes)
        self._followers = followers
        self._tracked: dict[ObjectKey, TrackedPod] = {}
        self._at_hand = PodsAtHand()
        self._staged: dict[ObjectKey, Machine] = {}
        """The machines of pods on them that live by stages."""
        self._without_network: dict[str, dict[ObjectKey, None]] = {}
        """Pods that wait until their machine, by its name, can give them an address."""
        super().__init__("nodes", clock, (StreamSource(informers.of("v1", "pods"), self),), workers=limits.POD_WORKERS)
        self._room = NodeRoom(clock, self.queue, nodes, dialect.key("os"), self._tracked)
        self._writer = StatusWriter(clock, informers.cache("v1", "namespaces"), faults, self._room)
        self._processes = PodProcesses(clock, self.queue, followers.processes, self._tracked)
        informers.cache("v1", "services").add_handler(self._processes.service_changed)
        # A cluster may have none of either, nor serve them: nobody waits until they have been read.
        Source(caches.drivers, self._driver_changed, MOUNTING_S).connect(self.queue)
        Source(caches.attachments, self._attached, MOUNTING_S).connect(self.queue)
        faults.subscribe(self._on_fault)
        faults.find_targets((POD_CRASH,), Standing(self._hit_by, lambda: "the target is none of the pods that are on a node now"))

    async def prepare(self) -> None:
        """Those that live by stages are left to them from the start."""
        await self._staging.settled.wait()
        for key, tracked in list(self._tracked.items()):
            if tracked.pod is not None and self._staging.takes(key, tracked.pod):
                self._leave_to_stages(key, tracked.pod)

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """A pod came or changed."""
        self._followers.lives.tell(key, obj)
        if self._staging.takes(key, obj):
            self._leave_to_stages(key, obj)
            return
        machine = self._machines.get(node_of(obj))
        if machine is None:
            self._forget(key)
            return
        tracked = self._tracked.get(key)
        if tracked is not None and tracked.run.identity.uid != uid_of(obj):
            self._forget(key)
            tracked = None
        if tracked is None:
            self._tracked[key] = self._begin(obj, machine)
            self.queue.add(key)
            return
        if tracked.is_kept:
            tracked.is_now(self._kept(obj))
        ending = is_terminating(obj) and not tracked.deleted
        overwritten = not ending and self._writer.is_overwritten(tracked, obj)  # of one that is ending, all is said anew
        if overwritten:
            tracked.written = 0
        if tracked.gated or ending or is_behind(tracked.run, obj):
            tracked.pod = self._kept(obj)
            self.queue.add(key)
        elif overwritten:
            tracked.pod = self._kept(obj)
            self.queue.add_after(key, limits.POD_STATUS_BACK_S)

    def _leave_to_stages(self, key: ObjectKey, pod: Object) -> None:
        """What becomes of a pod is said by stages; its node has the less room for others."""
        self._tracked.pop(key, None)
        self._at_hand.leave(key)
        machine = self._machines.get(node_of(pod))
        if machine is not None and is_finished(pod):
            machine.occupancy.release(uid_of(pod))
        elif machine is not None:
            machine.occupancy.take(uid_of(pod), asks_of(pod))
            self._staged[key] = machine

    def take_up(self, pods: list[Object]) -> None:
        """Pods that may be on machines that have come, and that were seen before."""
        for pod in pods:
            key = object_key(pod)
            if key not in self._tracked:
                self.seen(key, pod)

    def wake(self, machine: Machine) -> None:
        """A machine has got a network: what waits for that goes on."""
        for key in self._without_network.pop(machine.name, ()):
            self.queue.add(key)

    def leave(self, names: Mapping[str, None]) -> None:
        """Machines are about to go: what was on them neither does nor says anything any more."""
        for key in self._on(names):
            self._followers.lives.tell(key, None)
            self._forget(key)
        for name in names:
            self._without_network.pop(name, None)
        self._room.forget(names)

    def gone(self, key: ObjectKey, uid: str) -> None:
        """A pod went."""
        self._followers.lives.tell(key, None)
        if key not in self._tracked:
            self._followers.processes.forget(uid)  # one that lived by stages
        self._forget(key)
        self._staging.let_go(key, uid)
        machine = self._staged.pop(key, None)
        if machine is not None:
            machine.occupancy.release(uid)

    def _attached(self, _change: str, attachment: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """The pods that waited for a volume to be attached."""
        return self._go_on(self._mounts.awaited.take(name_of(attachment))) if is_attached(attachment) else ()

    def _driver_changed(self, _change: str, _driver: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Those that wait, perhaps for nothing."""
        return self._go_on(self._mounts.awaited.take_all())

    def _go_on(self, waiting: list[ObjectKey]) -> Iterable[ObjectKey]:
        for key in waiting:
            tracked = self._tracked.get(key)
            if tracked is not None and tracked.run.sandbox.due_at is not None:
                tracked.run.sandbox.due_at = self.clock.now() + MOUNTING_S
                yield key

    def _begin(self, pod: Object, machine: Machine) -> TrackedPod:
        run = begin_run(pod, self.clock.now(), machine.images, self._chance, self._faults)
        told = bool((pod.get("status") or {}).get("containerStatuses")) or is_finished(pod)
        if told:
            self._resume(run, pod, machine)
        spec = pod["spec"]
        begun = TrackedPod(run, machine, self._kept(pod), heard_of=told or not self._faults.node_down(machine.name))
        begun.host_network, begun.gated = bool(spec.get("hostNetwork")), bool(spec.get("readinessGates"))
        begun.unasked = not told
        if told and not is_finished(pod):
            machine.occupancy.take(run.identity.uid, asks_of(pod, granted=condition_is(pod, IN_PROGRESS, "True")))
        return begun

    def _kept(self, pod: Object) -> Object:
        """A pod without who owns which of its fields: that is the larger part of it, and ten thousand may begin at once.

        As long as it isn't known whose pods are left to stages, it may still be asked who wrote it.
        """
        return unmanaged(pod) if self._staging.settled.is_set() else pod

    def _resume(self, run: PodRun, pod: Object, machine: Machine) -> None:
        resume_run(pod, run, self.clock.now())
        pod_ip = run.sandbox.pod_ip
        if pod_ip and pod_ip not in machine.place.ips and not run.finished:
            machine.addresses.keep(pod_ip, run.identity.uid)
        for container in run.containers.all:
            if container.started_at:
                machine.images.put(container.spec.image)
        if not run.finished:
            self._followers.given.begin(pod)
            if run.sandbox.due_at is None:
                self._mounts.taken_up(pod, self.clock.now())

    async def reconcile(self, key: ObjectKey) -> None:
        tracked = self._tracked.get(key)
        if tracked is None or tracked.deleted:
            return
        run, machine = tracked.run, tracked.machine
        if self._faults.node_down(machine.name):
            return
        self._at_hand.leave(key)
        tracked.take_out()
        if tracked.pod is None:
            tracked.pod = await self._writer.read(tracked)
            if tracked.pod is None:
                self._forget(key)
                return
        if tracked.unasked and not is_terminating(tracked.pod):
            await self._room.ask(key, tracked, tracked.pod)
            if tracked.unasked:
                return  # those have to go first that make room for it
        if not (machine.addresses.known or tracked.host_network or run.finished or is_terminating(tracked.pod)):
            self._without_network.setdefault(machine.name, {})[key] = None
            return
        await self._advance(tracked, tracked.pod, machine)
        self._writer.emit_events(tracked)
        if self._has_news(tracked):
            await self._writer.write(tracked)
            run.unsaid = run.unseen = False
        if run.termination.is_done:
            await self._writer.delete(tracked)
        elif (due := run.due) is not None:
            self._await(key, tracked, due)
        elif not tracked.gated:
            tracked.pod = tracked.sent = None

    def _await(self, key: ObjectKey, tracked: TrackedPod, due: float) -> None:
        """Come back to a pod when something is to become of it."""
        wait_s = _looked_at(due) - self.clock.now()
        tracked.sent = None
        if self._tracked.get(key) is tracked:  # it may have gone meanwhile
            self._at_hand.keep(key, tracked, wait_s)
        self.queue.add_after(key, wait_s)

    def _has_news(self, tracked: TrackedPod) -> bool:
        """Whether there may be something to write: of a pod that is ending, the last status says how its containers ended."""
        run = tracked.run
        if run.termination.is_deleted:
            return run.termination.is_done or run.has_something_to_say(self.clock.now())
        return not (tracked.written and run.starting)

    async def _advance(self, tracked: TrackedPod, pod: Object, machine: Machine) -> None:
        """Bring a pod's life up to now."""
        run = tracked.run
        now = self.clock.now()
        if is_behind(run, pod):
            take_in(run, pod, now)
        if run.allocation.resize is not None:
            self._room.resize(tracked, pod, run.allocation.resize, now)
        if is_terminating(pod):
            run.terminate(now, float(pod["metadata"].get("deletionGracePeriodSeconds") or 0))
        given = await self._mounts.prepare(machine, run, pod, now)
        if machine.volumes.are_known(run.identity.uid) and self._tracked.get(object_key(pod)) is not tracked:
            machine.volumes.release(run.identity.uid)  # it has gone meanwhile
        _give_address(tracked, pod, now)
        if run.containers.calling_hooks:
            await self._processes.run(tracked, pod, now)
        await self._processes.probe(tracked, pod, now)
        run.advance(now)
        for one in given if self._tracked.get(object_key(pod)) is tracked else ():
            if one.container.started_at != one.started_before_at:
                self._followers.given.started(run.identity.uid, one.container.spec.name, whole_second(one.container.started_at), one.given)
        while run.containers.at_work and await self._processes.run(tracked, pod, now):
            run.advance(now)
        if run.looked_at is not None and not (run.containers.at_work or run.containers.calling_hooks):
            run.looked_at = None
        if run.storage is not None:
            await self._processes.watch_storage(tracked, run.storage, pod, now)
        if run.finished:
            self._let_go(tracked)

    def entered(self, pod: Object) -> None:
        """Somebody is at work in a container of a pod."""
        key = object_key(pod)
        run = self._run_of(key, uid_of(pod))
        if run is not None and run.watch_storage(self.clock.now()):
            self.queue.add_after(key, LOOKED_AT_S)

    def _forget(self, key: ObjectKey) -> None:
        tracked = self._tracked.pop(key, None)
        self._at_hand.leave(key)
        self._mounts.forget(key)
        if tracked is not None:
            self._let_go(tracked)
            tracked.machine.events.let_go(tracked.reference)
            self._processes.forget(key, tracked.run.identity.uid)
            self._followers.given.forget(tracked.run.identity.uid)

    def _let_go(self, tracked: TrackedPod) -> None:
        tracked.machine.let_go(tracked.run.identity.uid)
        self._room.has_become_free(tracked.machine)

    def hooked_since(self, key: ObjectKey, uid: str, container: str) -> float | None:
        """When a container was started whose hook is at work; None for any other."""
        run = self._run_of(key, uid)
        found = () if run is None else run.containers.all
        return next((whole_second(one.started_at) for one in found if one.spec.name == container and one.hooked), None)

    def time_is_over_at(self, pod: Object) -> float | None:
        """When the grace period of a pod that is deleted is over; None where its node hasn't heard of that."""
        run = self._run_of(object_key(pod), uid_of(pod))
        return None if run is None else run.termination.time_is_over_at

    def end(self, key: ObjectKey, uid: str, container: str, exit_code: int) -> None:
        """Have the process of a container end by itself."""
        run = self._run_of(key, uid)
        if run is not None:
            end(run, container, exit_code, self.clock.now())
            self.queue.add(key)

    def signal(self, pod: Object, container_name: str, name: str, at: float) -> None:
        """Send a signal to a container that says itself what it does then."""
        key = object_key(pod)
        run = self._run_of(key, uid_of(pod))
        if run is not None:
            self._processes.signal(key, run, container_name, name, at)

    def found_by_probes(self, key: ObjectKey, uid: str, container: str, wrong: Mapping[str, str | None]) -> None:
        """What probes of a container find since a client's command was at work in it."""
        run = self._run_of(key, uid)
        if run is not None:
            found_by_probes(run, container, Found(self.clock.now(), wrong))
            self.queue.add(key)

    def _run_of(self, key: ObjectKey, uid: str) -> PodRun | None:
        """The run of a pod that is on a node; None if there is none, or another pod of that name."""
        tracked = self._tracked.get(key)
        return tracked.run if tracked is not None and tracked.run.identity.uid == uid else None

    def _hit_by(self, fault: Fault) -> list[str]:
        pods = [tracked.run.identity for tracked in self._tracked.values()]
        return [pod.uid for pod in pods if fault.hits(pod.name, pod.namespace, pod.labels)]

    def _on(self, nodes: AbstractSet[str] | Mapping[str, None]) -> list[ObjectKey]:
        return [key for key, tracked in self._tracked.items() if tracked.run.identity.node_name in nodes]

    def _on_fault(self, fault: Fault, comes: bool) -> None:
        if fault.type == NODE_DOWN and comes:
            for key in self._on(fault.chosen):  # whoever is connected with them hears of them no more
                self._followers.lives.tell(key, None)
        if fault.type == NODE_DOWN and not comes:
            for key, tracked in self._tracked.items():
                if tracked.run.identity.node_name in fault.chosen:
                    tracked.written = 0  # others may have written over it meanwhile
                    if not tracked.heard_of and tracked.pod is not None:
                        self._tracked[key] = self._begin(tracked.pod, tracked.machine)
                    self.queue.add(key)
        if fault.type == POD_CRASH and comes:
            now = self.clock.now()
            for key, tracked in self._tracked.items():
                if tracked.run.identity.uid in fault.chosen:
                    crash(tracked.run, fault.details.get("container") or "", int(fault.details.get("exitCode") or KILLED), now)
                    self.queue.add(key)


def _give_address(tracked: TrackedPod, pod: Object, now: float) -> None:
    """Let a pod's sandbox have an address, if it lacks one."""
    run, machine = tracked.run, tracked.machine
    if not run.sandbox.lacks_address(now) or run.finished:
        return
    if wrong := name_error(pod):
        run.sandbox.fail(wrong, now)
    else:
        run.sandbox.take_address(machine.place.ip if tracked.host_network else machine.addresses.take(run.identity.uid), now)


def _looked_at(due: float) -> float:
    """When a pod is looked at that has something coming: at moments that many share, so that what comes of it is written together."""
    return max(due, ceil(due / limits.POD_TICK_S) * limits.POD_TICK_S)
