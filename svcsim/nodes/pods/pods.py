"""The pods on all simulated nodes: one watch for all of them, a timer for each that has something coming, a few workers that write.

There is no task per pod and, for one that has settled, no object either: ten thousand pods that run are ten thousand small records that
wait. One that waits for something has its object as JSON: ten thousand may wait for their images at once. What is to be written is worked
out from a pod's run at the moment of writing.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.controller import Controller, Source, StreamSource
from svcsim.client.informers import Informers
from svcsim.client.retry import retry_on_conflict
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.attachments import is_attached
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition_is, is_terminating, name_of, uid_of, unmanaged
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.lives import Lives
from svcsim.nodes.containers.probes import Found
from svcsim.nodes.machines.faults import NODE_DOWN, POD_CRASH, Fault, Faults, Standing
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.occupancy import Occupancy, asks_of
from svcsim.nodes.machines.room import WholeAmounts, allocatable_of
from svcsim.nodes.pods.critical_pods import Preemptable, gives_way, is_critical, not_enough, to_be_ended, without
from svcsim.nodes.pods.mounts import MOUNTING_S, Mounts
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.pod_status import render
from svcsim.nodes.pods.rejection import lacking, rejection
from svcsim.nodes.pods.resizing import DEFERRED_RETRY_S, IN_PROGRESS, Resize, refusal
from svcsim.nodes.pods.resuming import resume_run
from svcsim.nodes.pods.status_form import arranged
from svcsim.nodes.pods.storage_limits import LOOKED_AT_S, StorageLimits, exceeded
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.staged.staging import Staging
from svcsim.nodes.streams.given import GivenToPods
from svcsim.nodes.streams.naming import name_error
from svcsim.nodes.streams.running import Running
from svcsim.nodes.volumes.claims import StorageCaches

_CRASH_EXIT_CODE = 137


@dataclass(slots=True)
class _TrackedPod:
    """A pod on a node of ours."""

    run: PodRun
    machine: Machine
    pod: Object | None
    """The newest version we know; None for one that has settled, and is read again when something happens to it."""
    written: int = 0
    """Hash of the status last written."""
    version: str = ""
    """The pod's, as of then."""
    sent: Object | None = None
    """That status, as long as the pod is kept: it may be seen before it is known to have been taken."""
    deleted: bool = False
    """Whether the final delete has been sent; finalizers may still hold the object."""
    host_network: bool = False
    heard_of: bool = True
    """Whether its node knows of it: one that is cut off hears of new pods when it is back."""
    gated: bool = False
    """Whether its readiness depends on conditions that others write."""
    unasked: bool = False
    """Whether its node has still to say if it takes the pod."""
    resized: bool = False
    """Whether what it asks for is another thing than what it asked for when it was taken."""
    _put_away: bytes | None = None
    """The newest version as JSON, in place of ``pod``."""

    def put_away(self) -> None:
        """Nothing happens to it until something comes that is waited for."""
        if self.pod is not None:
            self._put_away = encode(self.pod)
        self.pod = self.sent = None

    def take_out(self) -> None:
        """Have it at hand again, if it was put away and nothing newer came."""
        if self.pod is None and self._put_away is not None:
            pod: Object = decode_json(self._put_away)
            self.pod = pod
        self._put_away = None

    @property
    def is_kept(self) -> bool:
        return self.pod is not None or self._put_away is not None

    def is_now(self, pod: Object) -> None:
        """There is a newer version of a pod that is kept."""
        if self.pod is None:
            self._put_away = encode(pod)
        else:
            self.pod = pod


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
        self._namespaces, self._nodes = informers.cache("v1", "namespaces"), informers.cache("v1", "nodes")
        caches = StorageCaches(informers.cache(storage, "csidrivers"), informers.cache(storage, "volumeattachments"), self._nodes)
        self._os_label = dialect.key("os")
        self._mounts = Mounts(dialect, caches, followers.given, followers.processes.files.nodes)
        self._followers = followers
        self._tracked: dict[ObjectKey, _TrackedPod] = {}
        self._staged: dict[ObjectKey, Machine] = {}
        """The machines of pods on them that live by stages."""
        self._asking: dict[ObjectKey, None] = {}
        """Pods that wait for what services lead to."""
        informers.cache("v1", "services").add_handler(self._service_changed)
        self._without_network: dict[str, dict[ObjectKey, None]] = {}
        """Pods that wait until their machine, by its name, can give them an address."""
        self._deferred: dict[str, dict[ObjectKey, None]] = {}
        """Those that wait until there is room for them to grow."""
        self._wanting: dict[str, dict[ObjectKey, None]] = {}
        """Critical ones that wait until others are gone that make room for them."""
        super().__init__("nodes", clock, (StreamSource(informers.of("v1", "pods"), self),), workers=limits.POD_WORKERS)
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
        if tracked is not None and tracked.run.uid != uid_of(obj):
            self._forget(key)
            tracked = None
        if tracked is None:
            self._tracked[key] = self._begin(obj, machine)
            self.queue.add(key)
            return
        if tracked.is_kept:
            tracked.is_now(self._kept(obj))
        ending = is_terminating(obj) and not tracked.deleted
        overwritten = not ending and self._is_overwritten(tracked, obj)  # of one that is ending, all is said anew
        if overwritten:
            tracked.written = 0
        if tracked.gated or ending or tracked.run.is_behind(obj):
            tracked.pod = self._kept(obj)
            self.queue.add(key)
        elif overwritten:
            tracked.pod = self._kept(obj)
            self.queue.add_after(key, limits.POD_STATUS_BACK_S)

    def _leave_to_stages(self, key: ObjectKey, pod: Object) -> None:
        """What becomes of a pod is said by stages; its node has the less room for others."""
        self._tracked.pop(key, None)
        machine = self._machines.get(node_of(pod))
        if machine is not None and is_finished(pod):
            machine.occupancy.release(uid_of(pod))
        elif machine is not None:
            machine.occupancy.take(uid_of(pod), asks_of(pod))
            self._staged[key] = machine

    def _is_overwritten(self, tracked: _TrackedPod, pod: Object) -> bool:
        """Whether somebody else has put something in the place of what the pod's node last said of it."""
        run = tracked.run
        if not tracked.written or pod["metadata"]["resourceVersion"] == tracked.version or run.starting or run.stopping:
            return False
        if self._faults.node_down(tracked.machine.name):
            return False
        told = pod.get("status") or {}
        if told == tracked.sent:
            return False
        return any(told.get(name) != value for name, value in self._status(tracked, pod).items())

    def _status(self, tracked: _TrackedPod, pod: Object) -> Object:
        """What a pod's node has to say of it now."""
        run, machine = tracked.run, tracked.machine
        ips = machine.place.ips if run.pod_ip in machine.place.ips else machine.addresses.all_of(run.pod_ip)
        return render(run, pod, machine.place.ips, self.clock.timestamp(), ips)

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
            self._deferred.pop(name, None)

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
            if tracked is not None and tracked.run.sandbox_at is not None:
                tracked.run.sandbox_at = self.clock.now() + MOUNTING_S
                yield key

    def _begin(self, pod: Object, machine: Machine) -> _TrackedPod:
        run = PodRun(pod, self.clock.now(), machine.images, self._chance, self._faults)
        told = bool((pod.get("status") or {}).get("containerStatuses")) or is_finished(pod)
        if told:
            self._resume(run, pod, machine)
        spec = pod["spec"]
        begun = _TrackedPod(run, machine, self._kept(pod), heard_of=told or not self._faults.node_down(machine.name))
        begun.host_network, begun.gated = bool(spec.get("hostNetwork")), bool(spec.get("readinessGates"))
        begun.unasked = not told
        if told and not is_finished(pod):
            machine.occupancy.take(run.uid, asks_of(pod, granted=condition_is(pod, IN_PROGRESS, "True")))
        return begun

    def _kept(self, pod: Object) -> Object:
        """A pod without who owns which of its fields: that is the larger part of it, and ten thousand may begin at once.

        As long as it isn't known whose pods are left to stages, it may still be asked who wrote it.
        """
        return unmanaged(pod) if self._staging.settled.is_set() else pod

    def _resume(self, run: PodRun, pod: Object, machine: Machine) -> None:
        resume_run(pod, run, self.clock.now())
        if run.pod_ip and run.pod_ip not in machine.place.ips and not run.finished:
            machine.addresses.keep(run.pod_ip, run.uid)
        for container in run.containers:
            if container.started_at:
                machine.images.put(container.spec.image)
        if not run.finished:
            self._followers.given.begin(pod)

    async def reconcile(self, key: ObjectKey) -> None:
        tracked = self._tracked.get(key)
        if tracked is None or tracked.deleted:
            return
        run, machine = tracked.run, tracked.machine
        if self._faults.node_down(machine.name):
            return
        tracked.take_out()
        if tracked.pod is None:
            tracked.pod = await self._read(tracked)
            if tracked.pod is None:
                self._forget(key)
                return
        if tracked.unasked and not is_terminating(tracked.pod):
            await self._ask_node(key, tracked, tracked.pod)
            if tracked.unasked:
                return  # those have to go first that make room for it
        if not (machine.addresses.known or tracked.host_network or run.finished or is_terminating(tracked.pod)):
            self._without_network.setdefault(machine.name, {})[key] = None
            return
        await self._advance(tracked, tracked.pod, machine)
        self._emit_events(run, machine)
        if self._has_news(tracked):
            await self._write(tracked)
            run.unsaid = run.unseen = False
        if run.stopping and run.stop_at is None:
            await self._delete(tracked)
        elif run.due is not None:
            tracked.put_away()
            self.queue.add_after(key, _looked_at(run.due) - self.clock.now())
        elif not tracked.gated:
            tracked.pod = tracked.sent = None

    async def _ask_node(self, key: ObjectKey, tracked: _TrackedPod, pod: Object) -> None:
        """Have the node take a pod that has come to it, or reject it. One that hasn't told yet what it has takes all."""
        occupancy, node, asks = tracked.machine.occupancy, self._nodes.get(tracked.machine.name), asks_of(pod)
        label = self._os_label
        rejected = rejection(pod, asks, occupancy, node, label) if node is not None and allocatable_of(node) else None
        if rejected is not None and node is not None and is_critical(pod) and rejection(pod, asks, Occupancy(), node, label) is None:
            short = lacking(asks, occupancy, node)
            if short and await self._make_room(key, tracked, pod, short):
                return
            rejected = not_enough(short) if short else rejected
        tracked.unasked = False
        if rejected is None:
            occupancy.take(tracked.run.uid, asks)
        else:
            tracked.run.reject(*rejected)

    async def _make_room(self, key: ObjectKey, tracked: _TrackedPod, pod: Object, short: WholeAmounts) -> bool:
        """End pods for a critical one, which is asked again when one of them is gone; False if that wouldn't do."""
        machine = tracked.machine
        here = {one.run.uid: (other, one) for other, one in self._tracked.items() if one.run.uid in machine.occupancy}
        listed = await machine.agent.client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={machine.name}")
        known = {uid_of(one): one for one in listed}
        may_go = [
            Preemptable(uid, (known[uid].get("status") or {}).get("qosClass") or "", machine.occupancy.of(uid))
            for uid in here
            if uid in known and (gives_way(known[uid], pod) or here[uid][1].run.ending)
        ]
        going = [one for one in may_go if here[one.uid][1].run.ending]
        chosen = to_be_ended(without(short, going), [one for one in may_go if one not in going])
        if chosen is None:
            return False
        self._wanting.setdefault(machine.name, {})[key] = None
        for one in chosen:
            other, victim = here[one.uid]
            victim.run.preempt(self.clock.now())
            self.queue.add(other)
        return True

    def _has_news(self, tracked: _TrackedPod) -> bool:
        """Whether there may be something to write: of a pod that is ending, the last status says how its containers ended."""
        run = tracked.run
        if run.stopping:
            return run.stop_at is None or run.has_something_to_say(self.clock.now())
        return not (tracked.written and run.starting)

    async def _advance(self, tracked: _TrackedPod, pod: Object, machine: Machine) -> None:
        """Bring a pod's life up to now."""
        run = tracked.run
        now = self.clock.now()
        if run.is_behind(pod):
            run.take_in(pod, now)
        if run.resize is not None:
            self._resize(tracked, pod, run.resize, now)
        if is_terminating(pod):
            run.terminate(now, float(pod["metadata"].get("deletionGracePeriodSeconds") or 0))
        given = await self._mounts.prepare(machine, run, pod, now)
        if machine.volumes.are_known(run.uid) and self._tracked.get(object_key(pod)) is not tracked:
            machine.volumes.release(run.uid)  # it has gone meanwhile
        if run.lacks_address(now):
            _give_address(tracked, pod, now)
        if run.calls_hooks:
            await self._run_processes(tracked, pod, now)
        await self._look_into(tracked, pod, now)
        run.advance(now)
        for one in given if self._tracked.get(object_key(pod)) is tracked else ():
            if one.container.started_at != one.started_before_at:
                self._followers.given.started(run.uid, one.container.spec.name, _whole(one.container.started_at), one.given)
        while run.at_work and await self._run_processes(tracked, pod, now):
            run.advance(now)
        run.looked_at = run.looked_at if run.at_work or run.calls_hooks else None
        if run.storage is not None:
            await self._watch_storage(tracked, run.storage, pod, now)
        if run.finished:
            self._let_go(tracked)

    async def _watch_storage(self, tracked: _TrackedPod, allowed: StorageLimits, pod: Object, now: float) -> None:
        """Evict a pod that has written more than it may; look again as long as there is something written, or something may be."""
        run, processes = tracked.run, self._followers.processes
        if run.storage_at is not None and run.storage_at <= now:
            run.storage_at = None
            await processes.catch_up(self._as_it_is(tracked, pod))
            files = processes.files.of_pods.get(run.uid)
            why = exceeded(allowed, files) if files is not None else ""
            if why:
                run.evict(why, now)
            elif files is not None and files.written:
                run.watch_storage(now)
        if allowed.writes and any(container.running for container in run.containers):
            run.watch_storage(now)

    def entered(self, pod: Object) -> None:
        """Somebody is at work in a container of a pod."""
        key = object_key(pod)
        tracked = self._tracked.get(key)
        if tracked is not None and tracked.run.uid == uid_of(pod) and tracked.run.watch_storage(self.clock.now()):
            self.queue.add_after(key, LOOKED_AT_S)

    def _service_changed(self, _change: str, _service: Object, _before: Object | None) -> None:
        """Somebody may be reached now, or no more."""
        for key in self._asking:
            if (tracked := self._tracked.get(key)) is not None:
                self._followers.processes.rouse(tracked.run.uid)
                self.queue.add(key)
        self._asking.clear()

    def _resize(self, tracked: _TrackedPod, pod: Object, resize: Resize, now: float) -> None:
        run, machine = tracked.run, tracked.machine
        tracked.resized = True
        if resize.pending and resize.due_at is not None and resize.due_at <= now:
            node = self._nodes.get(machine.name)
            refused = None if node is None else refusal(pod, machine.occupancy, allocatable_of(node))
            run.settle_resize(refused, now + DEFERRED_RETRY_S, now)
        self._take_room(tracked, pod)
        if run.resize_deferred:
            self._deferred.setdefault(machine.name, {})[object_key(pod)] = None

    def _take_room(self, tracked: _TrackedPod, pod: Object) -> None:
        """A pod takes other room than before: those whose resize is deferred may fit by now."""
        run, machine = tracked.run, tracked.machine
        machine.occupancy.take(run.uid, asks_of(pod, granted=run.resize is None or not run.resize.pending))
        self._ask_deferred(machine)

    def _ask_deferred(self, machine: Machine) -> None:
        for key in self._deferred.pop(machine.name, ()):
            tracked = self._tracked.get(key)
            if tracked is not None and tracked.run.ask_again(self.clock.now()):
                self.queue.add(key)

    def _as_it_is(self, tracked: _TrackedPod, pod: Object) -> Object:
        """A pod with the status that it would have if it were written now."""
        return {**pod, "status": {**(pod.get("status") or {}), **self._status(tracked, pod)}}

    async def _look_into(self, tracked: _TrackedPod, pod: Object, now: float) -> None:
        """Run the probes that are due and find what only that tells."""
        due = [one for one in tracked.run.containers if one.is_looked_into(now)]
        if not due:
            return
        current = self._as_it_is(tracked, pod)
        await self._followers.processes.catch_up(current, tracked.run.asked)
        for container in due:
            one = Running(current, container.spec, _whole(container.started_at))
            wrong = await self._followers.processes.found_by_probes(one)
            found = {probe.kind: wrong[probe.kind] for probe in one.spec.probes if probe.check.runs and probe.kind in wrong}
            container.found = container.found.then(Found(now, found))

    async def _run_processes(self, tracked: _TrackedPod, pod: Object, now: float) -> bool:
        """Run the processes that tell only so how they end; whether one has ended."""
        run, processes = tracked.run, self._followers.processes
        await processes.catch_up(self._as_it_is(tracked, pod), run.asked)
        run.looked_at, at_work = None, list(run.at_work.values())
        for container in at_work:
            if container.hooked:
                continue  # it is no process that anybody knows of yet
            process = processes.process_of(run.uid, container.spec.name, _whole(container.started_at))
            run.learn(container, process, now)
            if process is not None and process.next_at != inf and container.spec.name in run.at_work:
                run.looked_at = min(run.looked_at or inf, process.look_at)
                if process.look_at > process.next_at:
                    self._asking[object_key(pod)] = None
        for container in run.containers:
            if container.hook_goes_on and container.running:
                self._learn_of_hook(run, container, now)
        return len(run.at_work) < len(at_work)

    def _learn_of_hook(self, run: PodRun, container: Container, now: float) -> None:
        """How long a hook takes that is run, and how it ends; what its command line says, where it can't be run after all."""
        hook, said = self._followers.processes.hook_of(run.uid, container.spec.name, container.hook_at), container.spec.pre_stop
        if hook is None:
            run.hook_ended(container, said.exit_code, container.hook_at + min(said.takes_s, container.spec.grace_s), now)
        elif hook.cut_off:
            container.hook_goes_on = False  # its time was over, as was foreseen
        elif hook.ended_s is not None:
            run.hook_ended(container, hook.exit_code, hook.started_at + hook.ended_s, now)
        elif not hook.endless:
            run.looked_at = min(run.looked_at or inf, hook.next_at)

    def _emit_events(self, run: PodRun, machine: Machine) -> None:
        """Tell what has happened to a pod; in a namespace that is going no event would be taken."""
        namespace = self._namespaces.get(run.namespace)
        if namespace is None or not is_terminating(namespace):
            about = _told_of(run)
            for report in run.reports:
                say = machine.events.normal if report.kind == "Normal" else machine.events.warning
                say(about, report.reason, report.message, report.field_path)
        run.reports.clear()

    async def _write(self, tracked: _TrackedPod) -> None:
        """Write the status, if it isn't what was written last."""
        run = tracked.run
        pods = _pods(tracked)

        async def write() -> None:
            if tracked.pod is None:
                tracked.pod = await self._read(tracked)  # another has changed it
            if tracked.pod is None or uid_of(tracked.pod) != run.uid:
                return
            status = self._status(tracked, tracked.pod)
            digest = hash(encode(status))
            if digest == tracked.written:
                return
            pod = tracked.pod
            whole = arranged({**(pod.get("status") or {}), **status})
            tracked.sent = whole
            patch = {"metadata": {"resourceVersion": pod["metadata"]["resourceVersion"]}, "status": whole}
            try:
                version = await pods.hand_over_patch(run.name, patch, "status")
            except StatusError as error:
                if error.code == 409:
                    tracked.pod = None
                if error.code != 404:
                    raise
            else:
                tracked.written, tracked.version = digest, version
                tracked.pod = {**pod, "metadata": {**pod["metadata"], "resourceVersion": version}, "status": whole}
                if tracked.resized and not run.finished:
                    tracked.resized = run.resize is not None
                    self._take_room(tracked, tracked.pod)

        await retry_on_conflict(write)

    async def _read(self, tracked: _TrackedPod) -> Object | None:
        run = tracked.run
        pod = await _pods(tracked).find(run.name)
        return pod if pod is not None and uid_of(pod) == run.uid else None

    async def _delete(self, tracked: _TrackedPod) -> None:
        """Nothing of the pod is left on its node: the object may go."""
        tracked.deleted = True
        tracked.pod = None
        run = tracked.run
        try:
            await _pods(tracked).remove(run.name, grace_period_s=0, uid=run.uid)
        except StatusError as error:
            if error.code not in {404, 409}:
                tracked.deleted = False
                raise

    def _forget(self, key: ObjectKey) -> None:
        tracked = self._tracked.pop(key, None)
        self._asking.pop(key, None)
        self._mounts.forget(key)
        if tracked is not None:
            self._let_go(tracked)
            tracked.machine.events.let_go(_told_of(tracked.run))
            self._followers.processes.forget(tracked.run.uid)
            self._followers.given.forget(tracked.run.uid)

    def _let_go(self, tracked: _TrackedPod) -> None:
        tracked.machine.let_go(tracked.run.uid)
        self._ask_deferred(tracked.machine)
        for key in self._wanting.pop(tracked.machine.name, ()):
            self.queue.add(key)

    def hooked_since(self, key: ObjectKey, uid: str, container: str) -> float | None:
        """When a container was started whose hook is at work; None for any other."""
        tracked = self._tracked.get(key)
        if tracked is None or tracked.run.uid != uid:
            return None
        return next((_whole(one.started_at) for one in tracked.run.containers if one.spec.name == container and one.hooked), None)

    def time_is_over_at(self, pod: Object) -> float | None:
        """When the grace period of a pod that is deleted is over; None where its node hasn't heard of that."""
        tracked = self._tracked.get(object_key(pod))
        return tracked.run.time_is_over_at if tracked is not None and tracked.run.uid == uid_of(pod) else None

    def end(self, key: ObjectKey, uid: str, container: str, exit_code: int) -> None:
        """Have the process of a container end by itself."""
        tracked = self._tracked.get(key)
        if tracked is not None and tracked.run.uid == uid:
            tracked.run.end(container, exit_code, self.clock.now())
            self.queue.add(key)

    def signal(self, pod: Object, container_name: str, name: str, at: float) -> None:
        """Send a signal to a container that says itself what it does then."""
        tracked = self._tracked.get(object_key(pod))
        if tracked is None or tracked.run.uid != uid_of(pod):
            return
        container = tracked.run.running_container(container_name)
        if container is not None:
            started_at = _whole(container.started_at)
            self._followers.processes.signal(tracked.run.uid, container_name, started_at, name, at)
            tracked.run.run_it(container)
            self.queue.add(object_key(pod))

    def found_by_probes(self, key: ObjectKey, uid: str, container: str, wrong: Mapping[str, str | None]) -> None:
        """What probes of a container find since a client's command was at work in it."""
        tracked = self._tracked.get(key)
        if tracked is not None and tracked.run.uid == uid:
            tracked.run.found_by_probes(container, Found(self.clock.now(), wrong))
            self.queue.add(key)

    def _hit_by(self, fault: Fault) -> list[str]:
        runs = [tracked.run for tracked in self._tracked.values()]
        return [run.uid for run in runs if fault.hits(run.name, run.namespace, run.labels)]

    def _on(self, nodes: AbstractSet[str] | Mapping[str, None]) -> list[ObjectKey]:
        return [key for key, tracked in self._tracked.items() if tracked.run.node_name in nodes]

    def _on_fault(self, fault: Fault, comes: bool) -> None:
        if fault.type == NODE_DOWN and comes:
            for key in self._on(fault.chosen):  # whoever is connected with them hears of them no more
                self._followers.lives.tell(key, None)
        if fault.type == NODE_DOWN and not comes:
            for key, tracked in self._tracked.items():
                if tracked.run.node_name in fault.chosen:
                    tracked.written = 0  # others may have written over it meanwhile
                    if not tracked.heard_of and tracked.pod is not None:
                        self._tracked[key] = self._begin(tracked.pod, tracked.machine)
                    self.queue.add(key)
        if fault.type == POD_CRASH and comes:
            now = self.clock.now()
            for key, tracked in self._tracked.items():
                if tracked.run.uid in fault.chosen:
                    tracked.run.crash(fault.details.get("container") or "", int(fault.details.get("exitCode") or _CRASH_EXIT_CODE), now)
                    self.queue.add(key)


def _give_address(tracked: _TrackedPod, pod: Object, now: float) -> None:
    run, machine = tracked.run, tracked.machine
    if wrong := name_error(pod):
        run.refuse_sandbox(wrong, now)
    else:
        run.take_address(machine.place.ip if tracked.host_network else machine.addresses.take(run.uid), now)


def _whole(moment: float) -> float:
    """As a status has it, by which everybody else goes."""
    return float(int(moment))


def _looked_at(due: float) -> float:
    """When a pod is looked at that has something coming: at moments that many share, so that what comes of it is written together."""
    return max(due, ceil(due / limits.POD_TICK_S) * limits.POD_TICK_S)


def _told_of(run: PodRun) -> Object:
    """The pod, as events are about it."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": run.name, "namespace": run.namespace, "uid": run.uid}}


def _pods(tracked: _TrackedPod) -> Collection:
    """As the node sees them that the pod is on."""
    return tracked.machine.agent.client.resource("v1", "pods", tracked.run.namespace)
