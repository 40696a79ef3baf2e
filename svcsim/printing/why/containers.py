"""What keeps a pod's containers from running and being ready."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from svcsim.meta.annotation_places import CRASH_AFTER, EXIT_CODE, FAILING_PROBES, IMAGE_PULL_FAILURE, READY_AFTER, RUN_FOR
from svcsim.meta.objects import annotations_of, condition, condition_is, get_path, is_terminating
from svcsim.meta.own_annotations import DOMAIN
from svcsim.meta.pods import is_finished, is_sidecar
from svcsim.meta.times import human_duration, parse_duration, parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.behaviour import duration_s, said_by
from svcsim.nodes.containers.probes import failing_probes
from svcsim.nodes.images.images import full_name
from svcsim.printing.why.endings import how_it_ended, last_words
from svcsim.printing.why.known import lives_by_stages
from svcsim.printing.why.verdict import Coming, Facts, counted, sentence

_NO_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError")
_BEING_MADE = ("ContainerCreating", "PodInitializing", "")
_MADE_IN_VAIN = (
    "FailedMount",
    "FailedAttachVolume",
    "FailedCreatePodSandBox",
    "FailedMapVolume",
    "FailedPrepareDynamicResources",
    "NetworkNotReady",
)
_MADE_AFTER_ALL = ("SuccessfulAttachVolume", "SuccessfulMountVolume", "Pulling", "Pulled", "Created", "Started")
"""The text for when none of that is in the way."""
_BACK_OFF = re.compile(r"back-off (\S+) restarting")
_ENDED_BECAUSE = re.compile(r"failed (liveness|startup) probe|FailedPostStartHook")
_LONGEST_PULL = "5m"
_PROBES = {"httpGet": "an HTTP request", "tcpSocket": "a TCP connection", "exec": "a command", "grpc": "a gRPC request"}


class Trouble(NamedTuple):
    """What is wrong with one container."""

    state: str
    """How the pod is because of it."""
    because: tuple[str, ...]
    then: tuple[Coming, ...] = ()


class _Part(NamedTuple):
    """One of the lists of containers that a pod has."""

    field: str
    """The field of its spec."""
    statuses: str
    """The field of its status."""
    noun: str


_INIT = _Part("initContainers", "initContainerStatuses", "init container")
_MAIN = _Part("containers", "containerStatuses", "container")
_EPHEMERAL = _Part("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral container")


class _Container(NamedTuple):
    spec: Object
    status: Object
    part: _Part
    pod: Object
    by_annotations: bool
    """Whether it does what the pod's annotations say."""

    @property
    def name(self) -> str:
        return f"{self.part.noun} {self.spec.get('name', '')}"

    @property
    def init(self) -> bool:
        return self.part == _INIT

    @property
    def stands_alone(self) -> bool:
        """Whether what annotations say of all containers isn't meant for it."""
        return self.part != _MAIN

    @property
    def is_being_made(self) -> bool:
        """Whether nothing is known of it yet except that it is to be started."""
        state = self.status.get("state") or {}
        return not state or ("waiting" in state and (state["waiting"].get("reason") or "") in _BEING_MADE)

    @property
    def holds_up_others(self) -> bool:
        """Whether, not having come as far as it should, it is waited for by all that come after it."""
        is_past = is_sidecar(self.spec) and (self.status.get("started") or condition_is(self.pod, "Initialized"))
        return self.init and not is_past

    def running_since(self, facts: Facts) -> float | None:
        """When it was started, where it runs and that is known."""
        return facts.past(get_path(self.status, "state.running.startedAt"))

    def events(self, facts: Facts, *reasons: str) -> list[Object]:
        """The text about it for these reasons, the last first."""
        path = f"spec.{self.part.field}{{{self.spec.get('name', '')}}}"
        told = [event for event in reversed(facts.events) if event.get("reason") in reasons]
        return [event for event in told if get_path(event, "involvedObject.fieldPath", path) == path]

    @property
    def mounted_images(self) -> list[str]:
        """The images of volumes that it mounts."""
        mounted = [mount.get("name") for mount in self.spec.get("volumeMounts") or ()]
        volumes = (self.pod.get("spec") or {}).get("volumes") or ()
        return [volume["image"].get("reference", "") for volume in volumes if volume.get("image") and volume.get("name") in mounted]

    def said(self, *names: str) -> tuple[str, ...]:
        """The first of these annotations that has it be as it is, in a sentence."""
        keys = (said_by(self.pod, self.spec.get("name", ""), name, init=self.stands_alone) for name in names if self.by_annotations)
        return tuple(f"The annotation {key}={annotations_of(self.pod)[key]} makes it so." for key in keys if key)[:1]


def troubles(pod: Object, facts: Facts) -> Iterator[Trouble]:
    """What is wrong with a pod's containers, those that hold up all others first."""
    by_annotations = not lives_by_stages(facts)
    for container in _containers(pod, by_annotations, _INIT):
        found = _trouble_of(container, facts)
        if found is not None:
            yield found
            if container.holds_up_others:
                return
    before = ""
    for container in _containers(pod, by_annotations, _MAIN):
        found = _trouble_of(container, facts)
        if before and found is not None and container.is_being_made:
            found = found._replace(because=(f"The {container.name} is made after the {before}.",))
        elif container.is_being_made:
            before = container.name  # they are made one after the other
        if found is not None:
            yield found


def troubles_beside(pod: Object, facts: Facts) -> Iterator[Trouble]:
    """What is wrong with a pod's ephemeral containers, which keep it from nothing."""
    for container in _ephemerals(pod, facts):
        found = None if "running" in (container.status.get("state") or {}) else _trouble_of(container, facts)
        if found is not None:
            yield found


def awaits_ephemeral(pod: Object, facts: Facts) -> bool:
    """Whether an ephemeral container has yet to start."""
    states = [container.status.get("state") or {} for container in _ephemerals(pod, facts)]
    return not all("running" in state or "terminated" in state for state in states)


def _ephemerals(pod: Object, facts: Facts) -> list[_Container]:
    """The ephemeral containers to report on: no node runs them in a pod that lives by stages."""
    staged = lives_by_stages(facts)
    return [one for one in _containers(pod, not staged, _EPHEMERAL) if one.status or not staged]


def _containers(pod: Object, by_annotations: bool, part: _Part) -> list[_Container]:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    known = {one.get("name"): one for one in status.get(part.statuses) or ()}
    return [_Container(one, known.get(one.get("name"), {}), part, pod, by_annotations) for one in spec.get(part.field) or ()]


def _trouble_of(container: _Container, facts: Facts) -> Trouble | None:
    state = container.status.get("state") or {}
    if "waiting" in state or not state:
        return _waiting(container, state.get("waiting") or {}, facts)
    if "terminated" in state:
        return _ended(container, state["terminated"], facts)
    return _running(container, facts)


def _waiting(container: _Container, waiting: Object, facts: Facts) -> Trouble | None:
    reason, message = str(waiting.get("reason", "")), str(waiting.get("message", ""))
    if reason in _NO_IMAGE:
        return _no_image(container, reason, message)
    if reason == "CrashLoopBackOff":
        return _crashing(container, message, facts)
    if container.is_being_made:
        if is_finished(container.pod):
            return None
        why = map(sentence, facts.last_events(*_MADE_IN_VAIN, until=_MADE_AFTER_ALL))
        hooked = ", which takes until its postStart hook has ended" if (container.spec.get("lifecycle") or {}).get("postStart") else ""
        return Trouble("is being started", (f"The {container.name} is being made{hooked}.", *why))
    told = sentence(f"{reason}: {message}" if message else reason)
    return Trouble("can't start a container", (f"The {container.name} can't be started: {told}",))


def _no_image(container: _Container, reason: str, message: str) -> Trouble:
    cause = message.rpartition("ErrImagePull: ")[2]
    of_volume = next((one for one in container.mounted_images if f'"{full_name(one)}"' in message), "")
    what = (
        f'"{of_volume}" that the {container.name} mounts' if of_volume else f'"{container.spec.get("image", "")}" of the {container.name}'
    )
    because = [f"The image {what} can't be pulled ({reason})."]
    if cause and not cause.startswith("Back-off pulling"):
        because.append(sentence(cause))
    because += container.said(IMAGE_PULL_FAILURE)
    forever = reason in ("InvalidImageName", "ErrImageNeverPull")
    then = () if forever else (Coming(f"the pull is tried again, after at most {_LONGEST_PULL} each time"),)
    return Trouble("can't pull an image", tuple(because), then)


def _crashing(container: _Container, message: str, facts: Facts) -> Trouble:
    last = (container.status.get("lastState") or {}).get("terminated") or {}
    because = f"The {container.name} ends again and again, {counted(container.status.get('restartCount', 0) + 1, 'time')} so far"
    at = None
    if last:
        because += f"; the last time it {how_it_ended(last)}"
        pause = _BACK_OFF.search(message)
        ended_at = facts.past(last.get("finishedAt"))
        if pause is not None and ended_at is not None:
            at = ended_at + _seconds(pause[1])
    said = _why_it_ended(container, last, facts, CRASH_AFTER, RUN_FOR, EXIT_CODE)
    if last and not last.get("exitCode") and said == last_words(last):
        said = (*said, "It is started again although it did its work (restartPolicy Always).")
    return Trouble("crashes again and again", (f"{because}.", *said), (Coming(f"the {container.name} is started again", at),))


def _seconds(text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError:
        return 0.0


def _why_it_ended(container: _Container, ended: Object, facts: Facts, *annotations: str) -> tuple[str, ...]:
    return (*last_words(ended), *_ended_by_node(container, facts), *container.said(*annotations))


def _ended_by_node(container: _Container, facts: Facts) -> tuple[str, ...]:
    """The hook or the probe by whose failing a container has last been ended, as far as that is told, and what the probe found."""
    told = [str(event.get("message", "")) for event in container.events(facts, "Killing")]
    found = next((match for message in told if (match := _ENDED_BECAUSE.search(message)) is not None), None)
    if found is None:
        return ()
    kind = found[1]
    if kind is None:
        return ("It has been ended because its postStart hook failed.",)
    what = _found_by(container, kind, facts)
    return (f"It has been ended because its {kind} probe failed{f': {what}' if what else '.'}", *_made_to_fail(container, kind))


def _found_by(container: _Container, kind: str, facts: Facts) -> str:
    """What a probe has told of its last failure, as a sentence; empty where it had nothing to tell."""
    start = f"{kind.capitalize()} probe failed:"
    messages = [str(event.get("message", "")) for event in container.events(facts, "Unhealthy")]
    return next((sentence(message.removeprefix(start)) for message in messages if message.startswith(start)), "")


def done_with(pod: Object) -> Iterator[str]:
    """The reason that containers have done their work and aren't restarted, so that the pod isn't ready while others run."""
    for container in _containers(pod, False, _MAIN) if get_path(pod, "spec.restartPolicy", "Always") != "Always" else ():
        if get_path(container.status, "state.terminated.exitCode") == 0:
            yield f"The {container.name} has done its work and runs no more, so that the pod isn't ready as a whole."


def restarted(pod: Object, facts: Facts) -> Iterator[str]:
    """What is to be said of containers that run and have been started more than once."""
    by_annotations = not lives_by_stages(facts)
    for container in (*_containers(pod, by_annotations, _INIT), *_containers(pod, by_annotations, _MAIN)):
        ended, since = get_path(container.status, "lastState.terminated"), container.running_since(facts)
        if ended and "running" in (container.status.get("state") or {}):
            ago = f" {human_duration(facts.now - since)} ago" if since is not None else ""
            yield f"The {container.name} was started again{ago}; before that, it {how_it_ended(ended)}."
            yield from _why_it_ended(container, ended, facts, CRASH_AFTER, RUN_FOR, EXIT_CODE)


def said_to_end(pod: Object, facts: Facts) -> Iterator[Coming]:
    """The containers that run and that annotations have end, and when."""
    if lives_by_stages(facts):
        return
    for container in (one for part in (_INIT, _MAIN, _EPHEMERAL) for one in _containers(pod, True, part)):
        since = container.running_since(facts)
        keys = [said_by(pod, container.spec.get("name", ""), name, init=container.stands_alone) for name in (CRASH_AFTER, RUN_FOR)]
        lasts = {key: duration_s(annotations_of(pod)[key]) for key in keys if key}
        if since is not None and lasts:
            key = min(lasts, key=lambda one: lasts[one])
            at = since + lasts[key]
            if at > facts.now:
                yield Coming(f"the annotation {key}={annotations_of(pod)[key]} has the {container.name} end", at)


def _ended(container: _Container, ended: Object, facts: Facts) -> Trouble | None:
    again = _is_started_again(container, int(ended.get("exitCode") or 0))
    if not ended.get("exitCode") and not again:
        return None
    because = (f"The {container.name} {how_it_ended(ended)}.", *_why_it_ended(container, ended, facts, CRASH_AFTER, EXIT_CODE))
    if again:
        return Trouble("has a container that has ended", because, (Coming(f"the {container.name} is started again"),))
    return Trouble("has a container that failed", because)


def _is_started_again(container: _Container, exit_code: int) -> bool:
    """Whether a container that has ended with an exit code is started again, by its own rules and policy or by its pod's."""
    if is_finished(container.pod) or is_terminating(container.pod) or container.part == _EPHEMERAL:
        return False
    for rule in container.spec.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        if (exit_code in (codes.get("values") or ())) is (codes.get("operator") == "In"):
            return True
    policy = container.spec.get("restartPolicy") or get_path(container.pod, "spec.restartPolicy", "Always")
    once = container.init and not is_sidecar(container.spec)  # done for good once it has done its work
    return policy != "Never" if exit_code else policy == "Always" and not once


def _running(container: _Container, facts: Facts) -> Trouble | None:
    spec, status = container.spec, container.status
    if container.init and not is_sidecar(spec):
        since = container.running_since(facts)
        age = f" for {human_duration(facts.now - since)}" if since is not None else ""
        return Trouble("waits for its init containers", (f"The {container.name} runs{age}, and has to end before the others start.",))
    if status.get("ready") or (container.init and status.get("started") and not spec.get("readinessProbe")):
        return None
    found = _not_ready(container, facts)
    if found is None or not container.holds_up_others:
        return found
    others = f"The others start once {'its startup probe has succeeded' if spec.get('startupProbe') else 'it counts as started'}."
    return found._replace(state="waits for its init containers", because=(*found.because, others))


def _not_ready(container: _Container, facts: Facts) -> Trouble | None:
    """What is wrong with a container that runs and isn't ready."""
    spec, status = container.spec, container.status
    starting = not status.get("started") and bool(spec.get("startupProbe"))
    if not starting and (held_back := _held_back(container, facts)) is not None:
        return held_back
    kind = "startup" if starting else "readiness"
    probe = spec.get("startupProbe") if starting else spec.get("readinessProbe")
    if not probe:
        return Trouble("runs, but isn't ready", (f"The {container.name} isn't ready yet.",))
    so_far = "doesn't succeed any more" if _was_ready(container) else "hasn't succeeded"
    because = [f"The {kind} probe of the {container.name} {so_far}: {_probe(probe)}.", *_made_to_fail(container, kind)]
    if found := _found_by(container, kind, facts):
        because.append(f"{kind.capitalize()} probe failed: {found}")
    return Trouble("runs, but isn't ready", tuple(because))


def _was_ready(container: _Container) -> bool:
    """Whether the only container of a pod has been ready since it was started."""
    started, ready = get_path(container.status, "state.running.startedAt"), condition(container.pod, "Ready") or {}
    alone = len(get_path(container.pod, "spec.containers") or ()) == 1 and not container.init
    changed: str = ready.get("lastTransitionTime") or ""
    return bool(alone and container.status.get("started") and started and changed) and parse_time(changed) > parse_time(started)


def _held_back(container: _Container, facts: Facts) -> Trouble | None:
    """What keeps a container from being ready that an annotation has be ready later."""
    key = (
        said_by(container.pod, container.spec.get("name", ""), READY_AFTER, init=container.stands_alone) if container.by_annotations else ""
    )
    since = container.running_since(facts)
    if not key or since is None:
        return None
    value = annotations_of(container.pod)[key]
    at = since + duration_s(value)
    if at <= facts.now:
        return None
    because = f"The annotation {key}={value} has the {container.name} be ready no sooner than that after its start."
    then = f"its readiness probe ({_probe(container.spec['readinessProbe'])}) can succeed" if container.spec.get("readinessProbe") else ""
    return Trouble("runs, but isn't ready", (because,), (Coming(then or f"the {container.name} is ready", at),))


def _made_to_fail(container: _Container, kind: str) -> tuple[str, ...]:
    """What an annotation has to do with a probe that doesn't succeed."""
    said_of = annotations_of(container.pod)
    keys = (
        f"{container.spec.get('name', '')}.{DOMAIN}/{FAILING_PROBES}",
        *(() if container.stands_alone else (f"{DOMAIN}/{FAILING_PROBES}",)),
    )
    key = next((key for key in keys if key in said_of), "")
    said = said_of.get(key, "")
    return (f"The annotation {key}={said} makes it fail.",) if container.by_annotations and kind in failing_probes(said) else ()


def _probe(probe: Object) -> str:
    how = next((words for field, words in _PROBES.items() if field in probe), "a look")
    first = f", first after {probe['initialDelaySeconds']}s" if probe.get("initialDelaySeconds") else ""
    return f"{how} every {probe.get('periodSeconds', 10)}s{first}"
