"""The life of one pod on its node, from the moment the node hears of it until it is gone.

A pod's containers go through their stages one after another: a sandbox with an address first, then the init containers, each to its end,
then the others, each as soon as the one before it has been started, or can't be. `PodRun.advance` brings everything up to a moment; `due`
says when it has to be called next. It is pure of all input and output: events are collected, the status is rendered in `pod_status.py`.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.meta.annotation_places import FAILING_PROBES
from svcsim.meta.mistakes import INVALID_REASON, together
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.own_annotations import own_annotation, own_annotations
from svcsim.meta.pods import generation_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.annotation_mistakes import annotation_mistakes
from svcsim.nodes.containers.container import Container, ContainerSpec, RunProcess, images_of, read_containers, reason_of
from svcsim.nodes.containers.interventions import begin, behave_otherwise, go_on, redefine, restart_resized, start_over, stop
from svcsim.nodes.containers.log_templates import template_of
from svcsim.nodes.containers.probes import Found, failing_probes
from svcsim.nodes.containers.stage_names import PlayedStage
from svcsim.nodes.containers.stages import HOOK_FAILED, SHORTEST_GRACE_S, ask_only_for_readiness, probe_while_ending, run_stages
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.images.pull_failures import failure_in
from svcsim.nodes.logs.log_lines import SECOND_S, Voice
from svcsim.nodes.logs.termination_messages import termination_message
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.critical_pods import DISRUPTED, PREEMPTED, PREEMPTING
from svcsim.nodes.pods.resizing import DEFERRED, RESIZE_S, Granted, Resize, changed, resources_of
from svcsim.nodes.pods.stopping import Stop, ask_all, ended_before, hook_ended, shortened
from svcsim.nodes.pods.storage_limits import LOOKED_AT_S, storage_limits
from svcsim.nodes.processes.runs import Asked

if TYPE_CHECKING:
    from collections.abc import Mapping

SANDBOX_S = (0.2, 0.6)
_ENDS: tuple[PlayedStage, ...] = ("exited", "replaced", "start failed")
"""Stages that follow the end of a container that was asked to end."""
_NO_ADDRESS = "rpc error: code = Unknown desc = failed to setup network for sandbox: no IP addresses left"
DEADLINE_EXCEEDED = "DeadlineExceeded"
EVICTED = "Evicted"
EVICTION_GRACE_S = 1.0
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"


class Report(NamedTuple):
    """An event to be reported. ``kind`` is Normal or Warning."""

    kind: str
    reason: str
    message: str
    field_path: str


class PodRun:
    """A pod on its node. Times are seconds since the epoch."""

    __slots__ = (
        "at_work", "chance", "config_errors", "containers", "deadline_at", "failed_message", "failed_reason", "faults", "generation",
        "granted", "images", "labels", "later", "looked_at", "made_to_fail", "mount_failures", "name", "namespace", "node_name", "pod_ip",
        "rejected", "reports", "resize", "said", "sandbox_at", "started_at", "stops", "storage",
        "storage_at", "time_is_over_at", "uid", "unsaid", "unseen", "wanted",
    )  # fmt: skip

    def __init__(self, pod: Object, now: float, images: ImageStore, chance: Chance, faults: Faults) -> None:
        spec = pod["spec"]
        self.namespace, self.name, self.uid = namespace_of(pod), name_of(pod), uid_of(pod)
        self.node_name: str = spec["nodeName"]
        self.images = images
        self.chance = chance
        self.faults = faults
        self.labels: dict[str, str] = (pod["metadata"].get("labels")) or {}
        self.containers = [Container(container) for container in read_containers(pod)]
        self.granted: Granted = resources_of(pod)
        """What the containers have, in their order; what they are to have is `wanted`."""
        self.wanted = self.granted
        self.resize: Resize | None = None
        self.pod_ip = ""
        self.started_at = now
        self.sandbox_at: float | None = now + chance.uniform(*SANDBOX_S) * self.slowed(self.containers[0])
        """When there is a sandbox; None once there is one."""
        self.failed_reason = self.failed_message = ""
        self.rejected = False
        """Whether the node has never taken it."""
        self.at_work: dict[str, Container] = {}
        """Containers whose processes are run, and haven't ended."""
        self.looked_at: float | None = None
        """When one of them goes on."""
        self.time_is_over_at: float | None = None
        """When the grace period is over of one that is deleted: its node reckons it from when it heard of that."""
        self.unsaid = False
        """Whether its status has something to say before it has ended: that others may send it requests, or no more."""
        self.unseen = False
        """Whether its status doesn't say yet that its node has seen what is wanted of it."""
        self.stops: list[Stop] = []
        """How its processes will end, once they have been asked to; those that have ended are no more among them."""
        self.reports: list[Report] = []
        self.later: list[tuple[float, Report]] = []
        """What is to be reported when its moment has come."""
        self.mount_failures = 0
        self.storage = storage_limits(spec)
        self.storage_at: float | None = None
        """When its node looks at how much it has written."""
        self.config_errors: dict[str, str] = {}
        """Why containers can't be made, by their names."""
        self.deadline_at: float | None = None
        self.made_to_fail: Mapping[str, tuple[str, ...]] = {}
        """The probes that annotations have fail, by the names of containers; by an empty one, those of all."""
        self.said = own_annotations(pod["metadata"].get("annotations"))
        """What annotations of ours say: what they have it do is read here, what it logs and uses elsewhere."""
        self.generation = 0
        if self.said and not (pod.get("status") or {}).get("containerStatuses"):
            self._tell_mistakes(pod, ())
        self.take_in(pod, now)

    @property
    def pod_uid(self) -> str:
        """The pod's UID, for the stages."""
        return self.uid

    @property
    def pod_label(self) -> str:
        """``name_namespace(uid)``."""
        return f"{self.name}_{self.namespace}({self.uid})"

    @property
    def inits(self) -> list[Container]:
        """The init containers."""
        return [container for container in self.containers if container.spec.init]

    @property
    def mains(self) -> list[Container]:
        """The containers the pod is for."""
        return [container for container in self.containers if not container.spec.init and not container.spec.ephemeral]

    @property
    def ephemerals(self) -> list[Container]:
        """Those that were put into the pod while it ran."""
        return [container for container in self.containers if container.spec.ephemeral]

    @property
    def initialized(self) -> bool:
        """Whether the init containers have done what they are for: for good, once another has been started after them."""
        return all(container.initialized for container in self.inits) or any(one.begun and one.has_run for one in self.mains)

    @property
    def over(self) -> bool:
        """Whether nothing will be started in it any more; what was beside its work may still run."""
        if self.failed_reason or (self.stopping and not self.stops):
            return True
        all_ended = True
        for container in self.containers:  # asked a dozen times in a pod's life, so in one pass
            spec = container.spec
            if not spec.init:
                all_ended = all_ended and (spec.ephemeral or container.ended)
            elif not spec.sidecar and container.goes_wrong():
                return True
        return all_ended

    @property
    def finished(self) -> bool:
        """Whether nothing of it runs, nor ever will."""
        return not self.stops and self.over and not any(container.running for container in self.containers)

    @property
    def failing(self) -> bool:
        """Whether it has failed or will have, once what still runs of it has ended."""
        return bool(self.failed_reason) or any(one.goes_wrong() for one in self.inits if not one.spec.sidecar)

    @property
    def failed(self) -> bool:
        """Whether a finished pod ended badly."""
        counted = (c for c in self.containers if c.ended and not c.spec.sidecar and not c.spec.ephemeral)
        return bool(self.failed_reason) or any(c.exit_code != 0 for c in counted)

    @property
    def starting(self) -> bool:
        """Whether its node is at work on starting a container, and has nothing to tell of the pod before that went well or wrong.

        A node pulls an image, makes the container and starts it in one go, and looks at the pod again when that is done. A hook may take
        long, so the pod is told of while it does.
        """
        return not self.stopping and not self.over and any(_is_starting(container) for container in self.containers)

    @property
    def due(self) -> float | None:
        """When something happens next, if nothing comes between."""
        moments = [container.due for container in self.containers if container.due is not None]
        moments += [moment for moment in (self.sandbox_at, self.deadline_at, self.looked_at, self.storage_at) if moment is not None]
        if self.stops:
            moments += [stop.at if stop.container.running else stop.over_at for stop in self.stops]
        moments += [container.probed_at for container, _ in self._being_ended if container.probings]
        if self.resize is not None and self.resize.due_at is not None:
            moments.append(self.resize.due_at)
        if self.later:
            moments += [moment for moment, _ in self.later]
        return min((moment for moment in moments if moment != math.inf), default=None)

    @property
    def _being_ended(self) -> list[tuple[Container, float]]:
        """Containers that have been asked to end, or will be when it is their turn, and when they will have ended."""
        if self.stopping or self.stops:
            return [(stop.container, stop.at) for stop in self.stops if stop.container.running]
        return [(one, one.due or math.inf) for one in self.containers if one.ending]

    @property
    def stop_at(self) -> float | None:
        """When all processes will have ended that were asked to; None before that is known, and after."""
        return max((stop.over_at for stop in self.stops), default=None)

    def has_something_to_say(self, now: float) -> bool:
        """Of one that is ending: whether its status says more than the last one will, which most of them have soon."""
        return self.unsaid or (self.unseen and self.stop_at is not None and self.stop_at > now + SHORTEST_GRACE_S)

    def is_behind(self, pod: Object) -> bool:
        """Whether the pod says something that its run doesn't know of yet."""
        metadata = pod["metadata"]
        return generation_of(pod) != self.generation or own_annotations(metadata.get("annotations")) != self.said

    def take_in(self, pod: Object, now: float) -> None:
        """What may change of a pod while it lives.

        How long it may run, its containers' images and resources, containers that are put in for a look, and what annotations have them do
        and use.
        """
        metadata = pod["metadata"]
        self.unseen = self.unseen or self.generation != generation_of(pod)
        self.generation = generation_of(pod)
        said = own_annotations(metadata.get("annotations"))
        says_otherwise = said != self.said
        if (says_otherwise or [container.wanted.image for container in self.containers] != images_of(pod)) and self.lives:
            self._take_in_containers(read_containers(pod), now)
        if says_otherwise:
            self._tell_mistakes(pod, self.said)
            self.said = said
        if self.lives:
            self.wanted = resources_of(pod)
            self.granted += self.wanted[len(self.granted) :]
            if self.wanted == self.granted:
                self.resize = None
            elif self.resize is None or self.resize.wanted != self.wanted:
                self.resize = Resize(self.wanted, now, DEFERRED)
        seconds = pod["spec"].get("activeDeadlineSeconds")
        self.deadline_at = None if seconds is None or self.stopping or self.failed_reason or self.finished else self.started_at + seconds
        failing = _failing_probes(metadata)
        if failing != self.made_to_fail:
            self.made_to_fail = failing
            for container in self.containers:
                if container.probings:
                    self._probe_anew(container, now)

    def failing_probes(self, spec: ContainerSpec) -> tuple[str, ...]:
        """Kinds of probes of a container that an annotation has fail: of its own, or of the pod's."""
        return self.made_to_fail.get(spec.name, () if spec.stands_alone else self.made_to_fail.get("", ()))

    @property
    def lives(self) -> bool:
        """Whether something may still become of its containers."""
        return not self.stopping and not self.over

    def _take_in_containers(self, specs: list[ContainerSpec], now: float) -> None:
        for container, spec in zip(self.containers, specs, strict=False):
            if spec.image != container.wanted.image:
                redefine(container, spec, self, now)
            elif spec != container.wanted:
                behave_otherwise(container, spec, self.failing_probes(spec), now)
        self.containers += [Container(spec) for spec in specs[len(self.containers) :]]

    def _tell_mistakes(self, pod: Object, told: tuple[tuple[str, str], ...]) -> None:
        """Annotations that count for nothing, but for those that were ``told`` of."""
        messages = together(annotation_mistakes(pod, told))
        self.reports += [Report("Warning", INVALID_REASON, message, "") for message in messages]

    def found_by_probes(self, name: str, found: Found) -> None:
        """A client's command has made a difference to probes of a container, and this is what they find from now on."""
        for container in self.containers:
            if container.spec.name == name and container.probings:
                container.found = container.found.then(found)
                self._probe_anew(container, found.at)

    def _probe_anew(self, container: Container, now: float) -> None:
        for probing in container.probings:
            probing.wake(now)
        if not (self.stopping or self.stops or container.ending):
            go_on(container, now)

    def settle_resize(self, refusal: tuple[str, str] | None, retry_at: float, now: float) -> None:
        """Whether the node has what the pod wants: if not, that is told, and asked again where that may change."""
        if self.resize is None:
            return
        if refusal is None:
            self.resize = Resize(self.resize.wanted, now + self.chance.uniform(*RESIZE_S))
            self.reports.append(Report("Normal", "ResizeStarted", "Pod resize started", ""))
            return
        reason, message = refusal
        if (reason, message) != (self.resize.pending, self.resize.message):
            self.reports.append(Report("Warning", f"Resize{reason}", f"Pod resize {reason}: {message}", ""))
        self.resize = Resize(self.resize.wanted, retry_at if reason == DEFERRED else None, reason, message)

    @property
    def asked(self) -> dict[str, Asked]:
        """Containers that are being ended, by their names."""
        return {one.spec.name: Asked(one.hook_at, one.asked_at) for one in self.containers if one.asked_at is not None}

    @property
    def calls_hooks(self) -> bool:
        """Whether hooks have been called of containers that are to end, which do more than take their time."""
        return any(one.hook_goes_on and one.running for one in self.containers)

    @property
    def resize_deferred(self) -> bool:
        """Whether it waits until others need less."""
        return self.resize is not None and self.resize.pending == DEFERRED

    def ask_again(self, now: float) -> bool:
        """Others may need less by now; whether it waits for that."""
        if self.resize is None or not self.resize_deferred:
            return False
        self.resize = self.resize._replace(due_at=now)
        return True

    def _finish_resize(self, now: float) -> None:
        """What was granted is in force once the containers have ended that have to be started anew for it."""
        resize = self.resize
        if resize is None or resize.pending or (resize.due_at is not None and resize.due_at > now):
            return
        if resize.due_at is not None:
            for container, had, has in zip(self.containers, self.granted, resize.wanted, strict=True):
                if container.running and any(name in container.spec.restarts_for for name in changed(had, has)):
                    restart_resized(container, self, now)
            self.resize = resize._replace(due_at=None)
        if any(container.replaced_by is not None and not container.spec.is_waited_for for container in self.containers):
            return
        self.granted, self.resize = resize.wanted, None
        self.reports.append(Report("Normal", "ResizeCompleted", "Pod resize completed", ""))

    def advance(self, now: float) -> None:
        """Bring everything up to now."""
        if self.later:
            self._report_until(now)
        self._probe_while_ending(now)
        if self.stopping or self.stops:
            self._watch_deadline(now)
            self._finish_stops(now)
            return
        if self.sandbox_at is not None and self.sandbox_at <= now:
            begins_at, self.sandbox_at = self.sandbox_at, None
            self._begin_next(begins_at)
        elif self.sandbox_at is None and not self.over:
            self._begin_next(now)  # of a pod taken up anew some containers may still have to begin
            self._start_all_over(now)
        while True:
            due = [(container.due, container) for container in self.containers if container.due is not None and container.due <= now]
            if not due:
                break
            moment = min(at for at, _ in due)
            for _, container in due:
                run_stages(container, self, moment)
            self._begin_next(moment)
            self._start_all_over(moment)
        self._finish_resize(now)
        self._watch_deadline(now)
        if self.over:
            self._stop(self.containers[0].spec.grace_s, now)

    def _start_all_over(self, now: float) -> None:
        """Start all containers again if one has ended that takes the others along.

        A node looks at what has ended when it has started all whose turn it is. A status tells runs apart by whole seconds.
        """
        leaders = [container for container in self.containers if container.takes_all_along]
        if not leaders or any(container.being_started for container in self.containers):
            return
        at = max(math.floor(container.started_at) + 1.0 for container in self.containers)
        if now < at:
            for leader in leaders:
                begin(leader, "all over", at)
            return
        for container in [*self.inits, *self.mains]:
            start_over(container, self, now)
        self._begin_next(now)

    def _probe_while_ending(self, now: float) -> None:
        for container, ends_at in self._being_ended:
            was_ready = container.ready
            probe_while_ending(container, self, min(ends_at, now))
            self.unsaid = self.unsaid or container.ready is not was_ready

    def _watch_deadline(self, now: float) -> None:
        """A pod fails that is past its deadline, also if its work is done and only its sidecars haven't ended."""
        if self.deadline_at is not None and self.deadline_at <= now and not self.finished:
            self.failed_reason, self.failed_message, self.deadline_at = DEADLINE_EXCEEDED, DEADLINE_MESSAGE, None
            self.reports.append(Report("Normal", DEADLINE_EXCEEDED, DEADLINE_MESSAGE, ""))

    def watch_storage(self, now: float) -> bool:
        """Somebody may write in it: whether its node has to look for that, which it hasn't been going to."""
        if self.storage is None or self.storage_at is not None or not self.lives:
            return False
        self.storage_at = now + LOOKED_AT_S
        return True

    def evict(self, message: str, now: float) -> None:
        """Its node has it go."""
        self.failed_reason, self.failed_message, self.deadline_at = EVICTED, message, None
        self.reports.append(Report("Warning", EVICTED, message, ""))
        self._stop(EVICTION_GRACE_S, now)

    def preempt(self, now: float) -> None:
        """Its node needs its room for a critical pod."""
        self.failed_reason, self.failed_message, self.deadline_at = PREEMPTING, PREEMPTED, None
        self.reports.append(Report("Warning", PREEMPTING, PREEMPTED, ""))
        self._stop(self.containers[0].spec.grace_s, now)

    @property
    def stopping(self) -> bool:
        """Whether it is deleted."""
        return self.time_is_over_at is not None

    @property
    def ending(self) -> bool:
        """Whether its node has it go, or somebody else."""
        return self.stopping or bool(self.failed_reason or self.stops)

    @property
    def disruption(self) -> str:
        """Why its node has it go; empty if it doesn't."""
        return {EVICTED: self.failed_message, PREEMPTING: DISRUPTED}.get(self.failed_reason, "")

    def terminate(self, now: float, grace_s: float) -> None:
        """The pod is deleted: ask its processes to end, which they do within the grace period."""
        going_on, self.deadline_at = self.stopping or bool(self.stops), None
        self.time_is_over_at = min(self.time_is_over_at or math.inf, now + grace_s)
        if going_on:
            self.stops = shortened(self.stops, now + grace_s)
        else:
            self._stop(grace_s, now)

    def _stop(self, grace_s: float, now: float) -> None:
        """Ask all that runs to end within the grace period; what doesn't run never will."""
        self.sandbox_at = self.resize = self.storage_at = None
        self.stops = ask_all(self.containers, self, grace_s, now)
        for container in self.containers:
            container.next_stage, container.due = "", None
            ask_only_for_readiness(container)
            if not container.running:
                stop(container, self, 0, now)
        self._finish_stops(now)

    def postpone(self, until: float, *troubles: str, reason: str = "FailedMount") -> None:
        """The sandbox has to wait: volumes can't be mounted, or what ``reason`` says; or only can't yet, if there is nothing to tell."""
        self.sandbox_at = until
        if troubles:
            self.mount_failures += 1
            self.reports += [Report("Warning", reason, why, "") for why in troubles]

    def crash(self, container_name: str, exit_code: int, now: float) -> None:
        """End a container's process, or all of them for ``""``, as if it had failed."""
        for container in self.mains:
            if container.running and container_name in {"", container.spec.name}:
                self._end(container, exit_code, "Error", now)

    def end(self, container_name: str, exit_code: int, now: float) -> None:
        """A container's process ends by itself: somebody has told it to."""
        container = self.running_container(container_name)
        if container is not None:
            self._end(container, exit_code, reason_of(exit_code), now)

    def running_container(self, name: str) -> Container | None:
        """The container of that name, if its process is there."""
        return next((one for one in self.containers if one.running and one.spec.name == name), None)

    def _end(self, container: Container, exit_code: int, reason: str, now: float) -> None:
        if self.stops:
            self.stops = ended_before(self.stops, container, exit_code, now, now)
            return
        container.exit_code, container.exit_reason = exit_code, reason
        begin(container, "exited", now)

    def say(self, container: Container, kind: str, reason: str, message: str) -> None:
        """Collect an event about a container."""
        self.reports.append(Report(kind, reason, message, container.spec.field_path))

    def warn_at(self, moment: float, container: Container, reason: str, message: str) -> None:
        """Have a warning about a container be collected later."""
        self.later.append((moment, Report("Warning", reason, message, container.spec.field_path)))

    def _report_until(self, now: float) -> None:
        self.reports += [report for moment, report in self.later if moment <= now]
        self.later = [(moment, report) for moment, report in self.later if moment > now]

    def run_it(self, container: Container) -> None:
        """Have a container's process be run, to know how it ends."""
        container.process, container.surprising = None, True
        self.at_work[container.spec.name] = container

    def learn(self, container: Container, process: RunProcess | None, now: float) -> None:
        """What a process has come to by now; None if it can't be run after all."""
        container.process, container.surprising = process, process is not None
        is_over = process is None or process.ended_s is not None
        if is_over or (process is not None and process.endless and not (container.asked_at is not None and container.spec.traps)):
            del self.at_work[container.spec.name]
        if process is not None and process.ended_s is not None and container.asked_at is not None:
            at = min(int(container.started_at) + process.ended_s, now)
            if container.spec.traps or at <= container.asked_at:
                self._ended_before(container, container.asked_at, process.exit_code, at, now)
        elif is_over and container.stage in {"running", "probing"} and not self.stops:
            go_on(container, now)

    def hook_ended(self, container: Container, exit_code: int, at: float, now: float) -> None:
        """The hook has ended that was called before a container is asked to end, which it is now."""
        container.hook_goes_on = False
        self._forget_hook_failure(container)
        if exit_code:
            self.warn_at(at, container, HOOK_FAILED, "PreStopHook failed")
        if self.stops:
            self.stops = hook_ended(self.stops, container, at, now)
            return
        container.asked_at = at
        if container.spec.traps:
            begin(container, container.next_stage or "exited", max((container.due or at) - SHORTEST_GRACE_S, at + SHORTEST_GRACE_S))
        else:
            begin(container, container.next_stage or "exited", at + container.stop_takes_s)

    def _forget_hook_failure(self, container: Container) -> None:
        self.later = [one for one in self.later if (one[1].reason, one[1].field_path) != (HOOK_FAILED, container.spec.field_path)]

    def _ended_before(self, container: Container, asked_at: float, exit_code: int, at: float, now: float) -> None:
        """It has come to an end of its own before it was asked to, or before it would have been killed."""
        if at < asked_at and container.spec.pre_stop.command:  # its hook ends with it
            self._forget_hook_failure(container)
            self.warn_at(at, container, HOOK_FAILED, "PreStopHook failed")
        if self.stops:
            self.stops = ended_before(self.stops, container, exit_code, at, now)
        else:
            container.exit_code, container.exit_reason = exit_code, reason_of(exit_code)
            begin(container, container.next_stage if container.next_stage in _ENDS else "exited", at)

    def last_words(self, container: Container) -> str:
        """What a container has left behind that has just ended; nearly none leaves anything."""
        container.asked_at, container.hook_goes_on = None, False
        if container.surprising:
            self.at_work.pop(container.spec.name, None)
        elif not container.spec.program.written and not container.spec.logs_on_error:
            return ""
        room_bytes = limits.TERMINATION_MESSAGES_BYTES // len(self.containers)
        message = termination_message(container, lambda: self._voice(container), room_bytes)
        container.process, container.surprising = None, False
        return message

    def _voice(self, container: Container) -> Voice:
        """What a container said that has ended, as its log will say it, which goes by the whole seconds of its status."""
        spec, said = container.spec, {"metadata": {"annotations": dict(self.said)}}
        template = template_of(said, spec.name, alone=spec.stands_alone)
        began, ended = float(int(container.started_at)), int(container.finished_at) + SECOND_S
        return Voice(
            self.uid, self.name, spec.name, spec.image, spec.program, began, ended, self.namespace, self.node_name, template,
            None if template is not None else container.process,
        )  # fmt: skip

    def pull_fails(self, container: Container, image: str) -> str:
        """Why an image can't be pulled, the container's own or that of a volume; empty if it can."""
        said = container.spec.pull_failure if image == container.spec.image else ""
        failure = said or failure_in(image)
        return failure or self.faults.pull_failure(image, self.namespace, self.name, self.labels)

    def config_error(self, container: Container) -> str:
        """Why the container can't be made; empty if it can."""
        return self.config_errors.get(container.spec.name, "")

    def slowed(self, container: Container) -> float:
        """How much longer than usual starting takes."""
        return self.faults.slow_start(container.spec.image, self.namespace, self.name, self.labels)

    def _begin_next(self, now: float) -> None:
        """Start the next container whose turn it is, if one is free to start."""
        for container in self.ephemerals:
            if not container.begun:
                begin(container, "pulling", now)
                run_stages(container, self, now)
        for container in self.containers:
            if container.spec.ephemeral:
                return
            if not container.begun:
                if not container.spec.init and not self.initialized:
                    return
                begin(container, "pulling", now)
                run_stages(container, self, now)
            if not _lets_next_start(container) and not (container.spec.init and self.initialized):
                return

    def lacks_address(self, now: float) -> bool:
        """Whether its sandbox is there, or about to be made, and has no address."""
        return not self.pod_ip and not self.finished and (self.sandbox_at is None or self.sandbox_at <= now)

    def take_address(self, address: str, now: float) -> None:
        """What its node gives it; empty if it has none left: then the sandbox can't be made, and is tried again."""
        self.pod_ip = address
        if not address:
            self.refuse_sandbox(_NO_ADDRESS, now)

    def refuse_sandbox(self, why: str, now: float) -> None:
        """The sandbox can't be made, and is tried again."""
        if self.sandbox_at is not None:
            self.sandbox_at = now + limits.SANDBOX_RETRY_S
            self.reports.append(Report("Warning", "FailedCreatePodSandBox", f"Failed to create pod sandbox: {why}", ""))

    def reject(self, reason: str, message: str) -> None:
        """The node doesn't take it: nothing of it ever begins."""
        self.failed_reason, self.failed_message = reason, f"Pod was rejected: {message}"
        self.rejected = True
        self.sandbox_at = self.deadline_at = None
        self.reports.append(Report("Warning", reason, message, ""))

    def _finish_stops(self, now: float) -> None:
        for due in [due for due in self.stops if due.at <= now and due.container.running]:
            stop(due.container, self, due.exit_code, due.at, reason_of(due.exit_code))
        self.stops = [due for due in self.stops if due.over_at > now]
        if not self.stops:
            self.deadline_at = None
            self._report_until(math.inf)  # a hook that was still at work has been cut off


def _is_starting(container: Container) -> bool:
    return (container.being_started and not container.hooked) or (container.goes_straight_on and not container.waiting_reason)


def _lets_next_start(container: Container) -> bool:
    """Whether the container after this one may be started: an init container has to be done, another one only to have been tried."""
    return container.initialized if container.spec.init else not container.settling or container.waiting_reason != ""


def _failing_probes(metadata: Object) -> dict[str, tuple[str, ...]]:
    said = ((own_annotation(key), text) for key, text in own_annotations(metadata.get("annotations")))
    return {about.container: failing_probes(text) for about, text in said if about is not None and about.name == FAILING_PROBES}
