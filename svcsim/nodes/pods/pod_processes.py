"""What only the processes of pods tell: how they end, what probes that are run find, how long hooks take, how much is written."""

from collections.abc import Mapping
from math import inf

from svcsim.client.queue import WorkQueue
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.probes import Found
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.process_ends import hook_ended, learn
from svcsim.nodes.pods.storage_limits import StorageLimits, exceeded
from svcsim.nodes.pods.tracked_pod import TrackedPod, whole_second
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.streams.running import Running


class PodProcesses:
    """Has the processes of pods go on up to now, and lets runs know what becomes of them."""

    def __init__(self, clock: Clock, queue: WorkQueue[ObjectKey], processes: Processes, tracked: Mapping[ObjectKey, TrackedPod]) -> None:
        self._clock = clock
        self._queue = queue
        self._processes = processes
        self._tracked = tracked
        self._waiting_for_services: dict[ObjectKey, None] = {}
        """Pods that wait for what services lead to."""

    async def run(self, tracked: TrackedPod, pod: Object, now: float) -> bool:
        """Run the processes that have to be run to know how they end; whether one has ended."""
        run = tracked.run
        await self._processes.catch_up(tracked.up_to_date(pod, self._clock.timestamp()), run.containers.asked)
        run.looked_at, at_work = None, list(run.containers.at_work.values())
        for container in at_work:
            if container.hooked:
                continue  # its process isn't known yet
            process = self._processes.process_of(run.identity.uid, container.spec.name, whole_second(container.started_at))
            learn(run, container, process, now)
            if process is not None and process.next_at != inf and container.spec.name in run.containers.at_work:
                run.looked_at = min(run.looked_at or inf, process.look_at)
                if process.look_at > process.next_at:
                    self._waiting_for_services[object_key(pod)] = None
        for container in run.containers.calling_hooks:
            self._learn_of_hook(run, container, now)
        return len(run.containers.at_work) < len(at_work)

    def _learn_of_hook(self, run: PodRun, container: Container, now: float) -> None:
        """How long a hook takes that is run, and how it ends; what its command line says, where it can't be run after all."""
        hook, said = self._processes.hook_of(run.identity.uid, container.spec.name, container.hook_at), container.spec.pre_stop
        if hook is None:
            hook_ended(run, container, said.exit_code, container.hook_at + min(said.takes_s, container.spec.grace_s), now)
        elif hook.cut_off:
            container.hook_goes_on = False  # its time was over, as was foreseen
        elif hook.ended_s is not None:
            hook_ended(run, container, hook.exit_code, hook.started_at + hook.ended_s, now)
        elif not hook.endless:
            run.looked_at = min(run.looked_at or inf, hook.next_at)

    async def probe(self, tracked: TrackedPod, pod: Object, now: float) -> None:
        """Run the probes that are due where only that tells what they find."""
        due = [one for one in tracked.run.containers.all if one.probings and one.is_looked_into(now)]
        if not due:
            return
        current = tracked.up_to_date(pod, self._clock.timestamp())
        await self._processes.catch_up(current, tracked.run.containers.asked)
        for container in due:
            one = Running(current, container.spec, whole_second(container.started_at))
            wrong = await self._processes.found_by_probes(one)
            found = {probe.kind: wrong[probe.kind] for probe in one.spec.probes if probe.check.runs and probe.kind in wrong}
            container.found = container.found.then(Found(now, found))

    async def watch_storage(self, tracked: TrackedPod, allowed: StorageLimits, pod: Object, now: float) -> None:
        """Evict a pod that has written more than it may; look again as long as something is written, or may be."""
        run, processes = tracked.run, self._processes
        if run.storage_at is not None and run.storage_at <= now:
            run.storage_at = None
            await processes.catch_up(tracked.up_to_date(pod, self._clock.timestamp()))
            files = processes.files.of_pods.get(run.identity.uid)
            why = exceeded(allowed, files) if files is not None else ""
            if why:
                run.evict(why, now)
            elif files is not None and files.written:
                run.watch_storage(now)
        if allowed.writes and any(container.running for container in run.containers.all):
            run.watch_storage(now)

    def signal(self, key: ObjectKey, run: PodRun, container_name: str, name: str, at: float) -> None:
        """Send a signal to a container that says itself what it does then."""
        container = run.containers.running(container_name)
        if container is not None:
            self._processes.signal(run.identity.uid, container_name, whole_second(container.started_at), name, at)
            run.around.run_it(container)
            self._queue.add(key)

    def service_changed(self, _change: str, _service: Object, _before: Object | None) -> None:
        """Something may be reached now, or no longer."""
        for key in self._waiting_for_services:
            if (tracked := self._tracked.get(key)) is not None:
                self._processes.rouse(tracked.run.identity.uid)
                self._queue.add(key)
        self._waiting_for_services.clear()

    def forget(self, key: ObjectKey, uid: str) -> None:
        """A pod is gone."""
        self._waiting_for_services.pop(key, None)
        self._processes.forget(uid)
