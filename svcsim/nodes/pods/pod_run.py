"""The life of one pod on its node, from the moment the node hears of it until it is gone.

A pod's containers go through their stages one after another: a sandbox with an address first, then the init containers, each to its end,
then the others, each as soon as the one before it has been started, or can't be. `PodRun.advance` brings everything up to a moment; `due`
says when it has to be called next. It is pure of all input and output: events are collected, the status is rendered in `pod_status.py`.
"""

import math

from svcsim.chance import Chance
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.ending import SHORTEST_GRACE_S
from svcsim.nodes.containers.probing import probe_while_ending
from svcsim.nodes.containers.reading import read_containers
from svcsim.nodes.containers.stages import run_stages
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.allocation import Allocation
from svcsim.nodes.pods.pod_containers import PodContainers
from svcsim.nodes.pods.pod_failure import PodFailure
from svcsim.nodes.pods.pod_surroundings import PodSurroundings
from svcsim.nodes.pods.sandbox import SANDBOX_S
from svcsim.nodes.pods.start_order import begin_next, start_all_over
from svcsim.nodes.pods.storage_limits import LOOKED_AT_S, storage_limits
from svcsim.nodes.pods.termination import Termination

EVICTION_GRACE_S = 1.0


class PodRun:
    """A pod on its node. Times are seconds since the epoch."""

    __slots__ = (
        "allocation", "around", "containers", "events", "failure", "generation", "identity", "looked_at", "sandbox", "started_at",
        "storage", "storage_at", "termination", "unsaid", "unseen",
    )  # fmt: skip

    def __init__(self, pod: Object, now: float, images: ImageStore, chance: Chance, faults: Faults) -> None:
        self.containers = PodContainers(read_containers(pod))
        self.around = PodSurroundings(pod, self.containers, images, chance, faults)
        self.identity, self.events, self.sandbox = self.around.identity, self.around.events, self.around.sandbox
        self.allocation = Allocation(self.around)
        self.failure = PodFailure(self.events)
        self.termination = Termination(self.around)
        self.started_at = now
        self.sandbox.due_at = now + chance.uniform(*SANDBOX_S) * self.around.slowed(self.containers.all[0])
        self.looked_at: float | None = None
        """When one of the processes goes on that are run."""
        self.storage = storage_limits(pod["spec"])
        self.storage_at: float | None = None
        """When its node looks at how much it has written."""
        self.generation = 0
        """Of the pod, as it was taken in last."""
        self.unsaid = False
        """Whether its status has something to say before it has ended: that others may send it requests, or no more."""
        self.unseen = False
        """Whether its status doesn't say yet that its node has seen what is wanted of it."""

    @property
    def over(self) -> bool:
        """Whether nothing will be started in it any more; what was beside its work may still run."""
        termination = self.termination
        if self.failure.reason or (termination.time_is_over_at is not None and not termination.stops):
            return True
        all_ended = True
        for container in self.containers.all:  # asked a dozen times in a pod's life, so in one pass
            spec = container.spec
            if not spec.init:
                all_ended = all_ended and (spec.ephemeral or container.ended)
            elif not spec.sidecar and container.goes_wrong():
                return True
        return all_ended

    @property
    def finished(self) -> bool:
        """Whether nothing of it runs, nor ever will."""
        return not self.termination.stops and self.over and not any(container.running for container in self.containers.all)

    @property
    def failing(self) -> bool:
        """Whether it has failed or will have, once what still runs of it has ended."""
        return bool(self.failure.reason) or self.containers.fail_to_initialize

    @property
    def failed(self) -> bool:
        """Whether a finished pod ended badly."""
        counted = (c for c in self.containers.all if c.ended and not c.spec.sidecar and not c.spec.ephemeral)
        return bool(self.failure.reason) or any(c.exit_code != 0 for c in counted)

    @property
    def lives(self) -> bool:
        """Whether something may still become of its containers."""
        return not self.termination.is_deleted and not self.over

    @property
    def starting(self) -> bool:
        """Whether its node is at work on starting a container, and has nothing to tell of the pod before that went well or wrong.

        A node pulls an image, makes the container and starts it in one go, and looks at the pod again when that is done. A hook may take
        long, so the pod is told of while it does.
        """
        for container in self.containers.all:
            if container.is_starting:
                return self.lives
        return False

    @property
    def ending(self) -> bool:
        """Whether its node has it go, or somebody else."""
        return self.termination.is_under_way or bool(self.failure.reason)

    @property
    def due(self) -> float | None:
        """When something happens next, if nothing comes between."""
        resize = self.allocation.resize
        resized_at = None if resize is None else resize.due_at
        known = (self.sandbox.due_at, self.failure.deadline_at, self.looked_at, self.storage_at, resized_at)
        moments = [moment for moment in known if moment is not None]
        moments += [container.due for container in self.containers.all if container.due is not None]
        moments += [container.probed_at for container, _ in self._probed_while_ending]
        if self.termination.stops:
            moments += [stop.at if stop.container.running else stop.over_at for stop in self.termination.stops]
        if self.events.later:
            moments += [moment for moment, _ in self.events.later]
        soonest = min(moments, default=math.inf)
        return None if soonest == math.inf else soonest

    @property
    def _probed_while_ending(self) -> list[tuple[Container, float]]:
        """Probed containers that have been asked to end, or will be when it is their turn, and when they will have ended."""
        if self.termination.is_under_way:
            stops = self.termination.stops
            return [(stop.container, stop.at) for stop in stops if stop.container.probings and stop.container.running]
        return [(one, one.due or math.inf) for one in self.containers.all if one.probings and one.ending]

    def has_something_to_say(self, now: float) -> bool:
        """Of one that is ending: whether its status says more than the last one will, which most of them have soon."""
        done_at = self.termination.done_at
        return self.unsaid or (self.unseen and done_at is not None and done_at > now + SHORTEST_GRACE_S)

    def advance(self, now: float) -> None:
        """Bring everything up to now."""
        if self.events.later:
            self.events.come_due(now)
        for container, ends_at in self._probed_while_ending:
            was_ready = container.ready
            probe_while_ending(container, self.around, min(ends_at, now))
            self.unsaid = self.unsaid or container.ready is not was_ready
        if self.termination.is_under_way:
            self._watch_deadline(now)
            self._finish_stops(now)
            return
        due_at = self.sandbox.due_at
        if due_at is not None and due_at <= now:
            self.sandbox.due_at = None
            begin_next(self.around, due_at)
        elif due_at is None and not self.over:
            begin_next(self.around, now)  # of a pod taken up anew some containers may still have to begin
            start_all_over(self.around, now)
        self._run_stages(now)
        if self.allocation.resize is not None:
            self.allocation.enforce(self.allocation.resize, now)
        self._watch_deadline(now)
        if self.over:
            self._stop(self.containers.all[0].spec.grace_s, now)

    def _run_stages(self, now: float) -> None:
        """Walk the containers through everything that has come due, moment by moment."""
        containers = self.containers.all
        while moments := [container.due for container in containers if container.due is not None and container.due <= now]:
            moment = min(moments)
            for container in containers:
                run_stages(container, self.around, moment)
            begin_next(self.around, moment)
            start_all_over(self.around, moment)

    def _watch_deadline(self, now: float) -> None:
        """A pod fails that is past its deadline, also if its work is done and only its sidecars haven't ended."""
        deadline_at = self.failure.deadline_at
        if deadline_at is not None and deadline_at <= now and not self.finished:
            self.failure.exceed_deadline()

    def watch_storage(self, now: float) -> bool:
        """Somebody may write in it: whether its node has to look for that, which it hasn't been going to."""
        if self.storage is None or self.storage_at is not None or not self.lives:
            return False
        self.storage_at = now + LOOKED_AT_S
        return True

    def reject(self, reason: str, message: str) -> None:
        """The node doesn't take it: nothing of it ever begins."""
        self.failure.reject(reason, message)
        self.sandbox.due_at = None

    def evict(self, message: str, now: float) -> None:
        """Its node has it go, for what it has used."""
        self.failure.evict(message)
        self._stop(EVICTION_GRACE_S, now)

    def preempt(self, now: float) -> None:
        """Its node needs its room for a critical pod."""
        self.failure.preempt()
        self._stop(self.containers.all[0].spec.grace_s, now)

    def terminate(self, now: float, grace_s: float) -> None:
        """The pod is deleted: ask its processes to end, which they do within the grace period."""
        self.failure.deadline_at = None
        if not self.termination.delete(now + grace_s):
            self._stop(grace_s, now)

    def _stop(self, grace_s: float, now: float) -> None:
        """Ask all that runs to end within the grace period; what doesn't run never will."""
        self.sandbox.due_at = self.allocation.resize = self.storage_at = None
        self.termination.ask(grace_s, now)
        self._finish_stops(now)

    def _finish_stops(self, now: float) -> None:
        self.termination.advance(now)
        if not self.termination.stops:
            self.failure.deadline_at = None
