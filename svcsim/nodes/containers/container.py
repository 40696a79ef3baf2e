"""One container of a simulated pod: what is known of it, and what its status says.

How it gets from one stage to the next stands in `stages.py`; this is only what it is at each moment.
"""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Literal, NamedTuple, Protocol

from svcsim import limits
from svcsim.clock import format_time
from svcsim.meta.pods import containers_of, is_sidecar
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.awaiting import awaiting_input
from svcsim.nodes.containers.behaviour import Behaviour, read_behaviours
from svcsim.nodes.containers.environment import is_too_long
from svcsim.nodes.containers.hooks import NO_HOOK, POST_START, PRE_STOP, Hook, read_hook
from svcsim.nodes.containers.probes import LIVENESS, NOTHING_FOUND, READINESS, STARTUP, Found, Probe, Probing, read_probe, ready_after
from svcsim.nodes.containers.programs import LISTENING, Program, read_program
from svcsim.nodes.containers.said import Spoken
from svcsim.nodes.containers.stage_names import PlayedStage, StageName
from svcsim.nodes.containers.understanding import FirstCommand, may_change_files, read_first
from svcsim.nodes.images.base_image import is_missing, not_there
from svcsim.nodes.images.images import command_line, default_pull_policy, full_name, image_id, waits_for_commands
from svcsim.nodes.shell.signals import TERM

_HOOKED: frozenset[StageName] = frozenset({"post-start", "post-start failed"})
_ENDING: frozenset[StageName] = frozenset({"killing", "replacing"})
_RUNNING: frozenset[StageName] = frozenset[StageName]({"running", "probing"}) | _ENDING | _HOOKED
_STARTING: frozenset[StageName] = frozenset({"pulling", "pulled", "creating", "created"})
_SETTLING: frozenset[StageName] = frozenset[StageName]({"idle"}) | _STARTING | _HOOKED
_GRACE_S = 30
ENDING_S = 0.05
"""How long after what it did last a process is gone."""
_MESSAGE_PATH = "/dev/termination-log"
_PROBES = (("startupProbe", STARTUP), ("readinessProbe", READINESS), ("livenessProbe", LIVENESS))


POST_START_ERROR, RUN_ERROR, CRASH_BACK_OFF = "PostStartHookError", "RunContainerError", "CrashLoopBackOff"
"""What a container waits for between two starts."""


class RestartRule(NamedTuple):
    """Whether a container is started again that ended with one of these exit codes, or with none of them."""

    within: bool
    codes: tuple[int, ...]
    everything: bool = False
    """Whether the whole pod is started again with it, from its first init container on."""

    def applies(self, exit_code: int) -> bool:
        return (exit_code in self.codes) is self.within


class ContainerSpec(NamedTuple):
    """What the pod's spec says of a container, as far as it matters here. Equal ones are shared between pods."""

    name: str
    image: str
    pull_policy: str
    program: Program
    restart_policy: str
    """Always, OnFailure or Never; of an init container that goes on running, Always."""
    init: bool
    sidecar: bool
    """An init container that isn't waited for to end."""
    probes: tuple[Probe, ...]
    """Its probes, the one that the others wait for first."""
    grace_s: float
    """How long it has to end when it is asked to."""
    ephemeral: bool = False
    """Whether it was put into the pod while that ran, for a look at it."""
    restart_rules: tuple[RestartRule, ...] = ()
    """Exit codes after which it is started again whatever its policy is."""
    post_start: Hook | None = None
    """What is done once its process has been started, and before it counts as running."""
    pre_stop: Hook = NO_HOOK
    """What is done before its process is asked to end."""
    pull_failure: str = ""
    """What an annotation says of pulling its image: a failure's name, or in words of its own."""
    image_volumes: tuple[tuple[str, str], ...] = ()
    """The images that it mounts, each with the policy by which it is pulled."""
    message_path: str = ""
    """The file into which it writes why it ended."""
    logs_on_error: bool = False
    """Whether its log says that where it has written nothing, and ended with an error."""
    restarts_for: tuple[str, ...] = ()
    """Resources for which it has to be started anew to have more or less of them."""
    runs: tuple[str, ...] = ()
    """The command line that a simulated shell can run as it is meant; empty where that can't be."""
    start_error: str = ""
    """Why the runtime can't start its process; empty if it can."""
    surprises: bool = False
    """Whether only running it tells how it ends, and what it leaves behind."""
    heeds: tuple[str, ...] = ()
    """Signals, by their names, of which only running it tells what it does about them."""
    pre_stop_runs: tuple[str, ...] = ()
    """What its hook runs before that, where that leaves something behind."""
    stop_signal: str = ""
    """The signal that asks it to end, by its name; empty for that of its image, which is taken for TERM."""

    @property
    def traps(self) -> bool:
        """Whether only running it tells what it does when it is asked to end."""
        return self.asked_by in self.heeds

    @property
    def asked_by(self) -> str:
        """The signal that asks it to end."""
        return self.stop_signal or TERM

    @property
    def field_path(self) -> str:
        field = "ephemeralContainers" if self.ephemeral else "initContainers" if self.init else "containers"
        return f"spec.{field}{{{self.name}}}"

    @property
    def stands_alone(self) -> bool:
        """Whether what annotations say of all containers isn't meant for it."""
        return self.init or self.ephemeral

    @property
    def is_waited_for(self) -> bool:
        """Whether its pod goes on when it has ended."""
        return self.init and not self.sidecar

    @property
    def serves(self) -> bool:
        """Whether it counts for the pod's readiness."""
        return (self.sidecar or not self.init) and not self.ephemeral


class RunProcess(Spoken, Protocol):
    """A container's process, as far as it was run."""

    exit_code: int
    message: str
    """What it has written into its file for that."""
    endless: bool
    """Whether it is known that it never ends."""

    @property
    def ended_s(self) -> float | None:
        """How long it ran; None for one that runs."""
        ...


@dataclass(slots=True)
class Container:
    """A container at one moment. Times are seconds since the epoch."""

    spec: ContainerSpec
    stage: StageName = "idle"
    next_stage: PlayedStage | Literal[""] = ""
    due: float | None = None
    """When the next stage begins; None if nothing comes of itself."""
    waiting_reason: str = ""
    waiting_message: str = ""
    started_at: float = 0.0
    finished_at: float = 0.0
    exit_code: int = 0
    exit_reason: str = ""
    message: str = ""
    """What it left behind when it ended."""
    restarts: int = 0
    failures: int = 0
    """Failed pulls or crashes in a row: what a back-off grows with."""
    last: Object | None = None
    """The state it was in before the last restart."""
    started: bool = False
    ready: bool = False
    pulled_for_s: tuple[float, float] = (0.0, 0.0)
    """How long the pull takes, without and with the waiting."""
    pulls: str = ""
    """The image that was pulled last: its own, or that of a volume."""
    pull_error: str = ""
    """Why the last pull failed."""
    failed_pull: str = ""
    """The image of which that was."""
    hook_error: str = ""
    """Why its hook failed when it was started last."""
    probings: list[Probing] = field(default_factory=list)
    """The probes at work on it while it runs."""
    found: Found = NOTHING_FOUND
    """What probes find since a client's command was last at work in this run of it."""
    killed: bool = False
    """Whether a probe has had it ended."""
    goes_straight_on: bool = False
    """Whether it has ended, and is being started again in one go: its node tells of neither before that is done."""
    takes_all_along: bool = False
    """Whether it has ended so that all containers are started again."""
    replaced_by: ContainerSpec | None = None
    """What it will be once the process is gone that is being ended, or that ends when it has done what it is for."""
    surprising: bool = False
    """Whether its process has to be run to know how it ends."""
    process: RunProcess | None = None
    """That process, once it is being run."""
    asked_at: float | None = None
    """When that was, or will be, asked to end."""
    hook_at: float = 0.0
    """When its hook was called before that."""
    hook_goes_on: bool = False
    """Whether that is at work, and only running it tells how long, and how it ends."""
    stop_takes_s: float = 0.0
    """How long it takes to end once it is asked to, if that is known."""

    @property
    def ends_s(self) -> float | None:
        """How long its process runs; None for one of which no end is known."""
        if not self.surprising or not self.spec.surprises:
            return self.spec.program.runs_s
        ended_s = None if self.process is None else self.process.ended_s
        return None if ended_s is None else ended_s + ENDING_S

    @property
    def ends_with(self) -> int:
        """The exit code of a process that has come to its own end."""
        return self.process.exit_code if self.surprising and self.spec.surprises and self.process else self.spec.program.exit_code

    @property
    def wanted(self) -> ContainerSpec:
        """What the pod says of it."""
        return self.replaced_by or self.spec

    @property
    def begun(self) -> bool:
        """Whether anything has been done for it."""
        return self.stage != "idle"

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self.stage in _RUNNING

    @property
    def hooked(self) -> bool:
        """Whether its process is there and doesn't count as running, because its hook hasn't come to a good end."""
        return self.stage in _HOOKED

    @property
    def ending(self) -> bool:
        """Whether it alone was asked to end, and will be started anew, or not, when it has."""
        return self.stage in _ENDING

    @property
    def probed_at(self) -> float:
        """When one of its probes is made next; never, as far as is known."""
        return min((one.next_at for one in self.probings if one.next_at is not None), default=inf)

    def is_looked_into(self, now: float) -> bool:
        """Whether a probe is due that is run in it."""
        return self.running and any(one.probe.check.runs and one.next_at is not None and one.next_at <= now for one in self.probings)

    @property
    def has_run(self) -> bool:
        """Whether it counts, or has counted, as running."""
        return self.started_at > 0 and (self.last is not None or not self.hooked)

    @property
    def ended(self) -> bool:
        """Whether its process is gone, and nothing starts it again."""
        return self.stage in {"exited", "stopped"} and self.due is None

    @property
    def settling(self) -> bool:
        """Whether it is still on its way to its first start."""
        return self.stage in _SETTLING

    @property
    def being_started(self) -> bool:
        """Whether the node is at work on its first start, which nothing has gone wrong with yet."""
        return self.settling and self.begun and not self.waiting_reason

    @property
    def is_starting(self) -> bool:
        """Whether the node is at work on its first start, or starts it again in one go, and has nothing to tell before that is done."""
        return (self.goes_straight_on or self.stage in _STARTING) and not self.waiting_reason

    @property
    def initialized(self) -> bool:
        """Of an init container: whether it does, or has done, what it is for."""
        return self.started if self.spec.sidecar else self.ended and self.exit_code == 0

    def goes_wrong(self) -> bool:
        """Whether it ended, and not well."""
        return self.ended and self.exit_code != 0


def read_containers(pod: Object) -> list[ContainerSpec]:
    """All containers of a pod: init containers first, and those last that were put into it while it ran."""
    spec, behaviours = pod.get("spec") or {}, read_behaviours(pod)
    policy = spec.get("restartPolicy") or "Always"
    grace_s = max(float(spec.get("terminationGracePeriodSeconds", _GRACE_S)), 0.0)
    images = {volume["name"]: volume["image"] for volume in spec.get("volumes") or () if volume.get("image")}
    of_inits = "Never" if policy == "Never" else "OnFailure"
    found: list[ContainerSpec] = []
    for part, otherwise in (("initContainers", of_inits), ("containers", policy), ("ephemeralContainers", "Never")):
        for container in spec.get(part) or ():
            behaviour = behaviours.of_container(container["name"], init=part != "containers")
            read = _read(container, part, container.get("restartPolicy") or otherwise, behaviour, grace_s)
            mounted = [images[mount["name"]] for mount in container.get("volumeMounts") or () if mount["name"] in images]
            found.append(_shared(read._replace(image_volumes=tuple(map(_image_volume, mounted)))) if mounted else read)
    return found


_NOTHING = Program(runs_s=0.0)
"""What a container does that isn't started."""
_INIT_S = 1.0
"""How long an init container takes of which nobody knows what it does."""


def _start_error(container: Object, image: str) -> str:
    """Why a runtime can't start what a container's command names: its image hasn't it. With a ``PATH`` of its own it may be elsewhere."""
    names = container.get("command") or (container.get("args") if waits_for_commands(image) is not None else None)
    program = next(iter(names or ()), "")
    own_path = "/" not in program and any(variable["name"] == "PATH" for variable in container.get("env") or ())
    if own_path or not is_missing(program, image):
        return ""
    start = "unable to start container process: error during container init"
    create = f"OCI runtime create failed: runc create failed: {start}"
    return f'failed to create containerd task: failed to create shim task: {create}: exec: "{program}": {not_there(program)}: unknown'


def images_of(pod: Object) -> list[str]:
    """The images of all containers, in the order of `read_containers`."""
    return [container.get("image") or "" for container in containers_of(pod.get("spec") or {})]


def _read(container: Object, part: str, restart_policy: str, behaviour: Behaviour, grace_s: float) -> ContainerSpec:
    image, init = container.get("image") or "", part == "initContainers"
    command, args = tuple(container.get("command") or ()), tuple(container.get("args") or ())
    program = read_program(image, command, args)
    sidecar = init and is_sidecar(container)
    if init and not sidecar and program.runs_s is None and (program.unknown or not (command or args)):
        program = program._replace(runs_s=program.slept_s + _INIT_S)
    first = read_first(image, command, args)
    if (container.get("stdin") or container.get("tty")) and awaiting_input(image, command, args) is not None:
        program, first = LISTENING, None
    logs_on_error = container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
    start_error = "" if behaviour.ends_it else _start_error(container, image)
    if start_error:
        program, first = _NOTHING, None
    elif not behaviour.ends_it and is_too_long(container):
        first = FirstCommand(command_line(image, command, args) or ("sh",), foreseen=False)
    if program.may_serve and restart_policy == "Always" and (sidecar or part == "containers"):
        program = program._replace(runs_s=None)
    program = behaviour.changed(program)
    probes = {kind: read_probe(kind, container, program, grace_s) for field, kind in _PROBES if field in container}
    pre_stop = read_hook(container, PRE_STOP) or NO_HOOK
    before_stop = read_first(image, pre_stop.command, ()) if pre_stop.command else None
    by_hook = before_stop is not None and may_change_files(before_stop.words)
    foreseen = program.runs_s is not None and first is not None and not first.heeds
    for kind, probe in probes.items():
        looks = None if probe is None or probe.check.error else _read_probe_command(container, kind)
        if probe is None or looks is None:
            continue
        runs = None if behaviour.ends_it else first
        if looks.asks_others or (runs is not None and _is_up_to(probe, runs, foreseen=foreseen, by_hook=by_hook)):
            probes[kind] = probe.run_each_time()
    if behaviour.ready_after_s is not None and (sidecar or not init):
        probes[READINESS] = ready_after(behaviour.ready_after_s, probes.get(READINESS), grace_s)
    return _shared(
        ContainerSpec(
            name=container["name"],
            image=image,
            pull_policy=container.get("imagePullPolicy") or default_pull_policy(image),
            program=program,
            restart_policy=restart_policy,
            init=init,
            sidecar=sidecar,
            probes=tuple(probe for _, kind in _PROBES if (probe := probes.get(kind)) is not None),
            grace_s=grace_s,
            ephemeral=part == "ephemeralContainers",
            restart_rules=tuple(map(_restart_rule, container.get("restartPolicyRules") or ())),
            post_start=read_hook(container, POST_START),
            pre_stop=pre_stop,
            pre_stop_runs=before_stop.words if before_stop is not None and not before_stop.foreseen else (),
            pull_failure=behaviour.pull_failure,
            message_path=container.get("terminationMessagePath") or _MESSAGE_PATH,
            logs_on_error=logs_on_error,
            start_error=start_error,
            runs=first.words if first is not None else (),
            surprises=first is not None and (logs_on_error or not first.foreseen) and not behaviour.ends_it,
            stop_signal=((container.get("lifecycle") or {}).get("stopSignal") or "").removeprefix("SIG"),
            heeds=first.heeds if first is not None and not behaviour.ends_it else (),
            restarts_for=tuple(
                policy["resourceName"]
                for policy in container.get("resizePolicy") or ()
                if policy.get("restartPolicy") == "RestartContainer"
            ),
        )
    )


def _is_up_to(probe: Probe, first: FirstCommand, *, foreseen: bool, by_hook: bool) -> bool:
    """Whether what a probe finds is up to what the container's script, its traps and its hook do with files, so that it has to be run.

    ``foreseen``: the script is read to its end, so that it is known when the files come and go that it names.
    """
    return by_hook or (not (foreseen and probe.check.edges) and may_change_files(first.words))


def _read_probe_command(container: Object, kind: str) -> FirstCommand | None:
    """The command of a probe, where it has one that the simulated shell can run."""
    command = tuple((container[f"{kind.lower()}Probe"].get("exec") or {}).get("command") or ())
    return read_first(container.get("image") or "", command, ()) if command else None


def _image_volume(source: Object) -> tuple[str, str]:
    image: str = source.get("reference") or ""
    return image, source.get("pullPolicy") or default_pull_policy(image)


def _restart_rule(rule: Object) -> RestartRule:
    codes = rule.get("exitCodes") or {}
    return RestartRule(codes.get("operator") == "In", tuple(codes.get("values") or ()), rule.get("action") == "RestartAllContainers")


@lru_cache(maxsize=limits.SHARED_CONTAINER_SPECS)
def _shared(spec: ContainerSpec) -> ContainerSpec:
    return spec


LOST: Object = {
    "exitCode": 137,
    "reason": "ContainerStatusUnknown",
    "message": "The container could not be located when the pod was terminated",
}
"""How a container has ended that wasn't there when its pod did: nobody knows when it began, nor when it ended."""


def container_id(pod_uid: str, name: str, restarts: int) -> str:
    """Looks like a runtime's; the same for the same container always."""
    return f"containerd://{hashlib.sha256(f'{pod_uid}/{name}/{restarts}'.encode()).hexdigest()}"


def state(container: Container, pod_uid: str, waiting: str) -> Object:
    """``state`` of a container's status. ``waiting`` is the reason of one that nothing has been done for yet."""
    if container.running and not container.hooked:
        return {"running": {"startedAt": format_time(container.started_at)}}
    if container.stage in {"exited", "stopped"}:
        return {"terminated": terminated(container, pod_uid)}
    if container.last is not None and not container.waiting_reason:
        return container.last  # it is being started again, and nothing else has become of it yet
    details: Object = {"reason": container.waiting_reason or waiting}
    if container.waiting_message:
        details["message"] = container.waiting_message
    return {"waiting": details}


def terminated(container: Container, pod_uid: str) -> Object:
    """How a container's process ended."""
    moments = {"startedAt": container.started_at, "finishedAt": container.finished_at}
    return {
        "exitCode": container.exit_code,
        "reason": container.exit_reason or reason_of(container.exit_code),
        **({"message": container.message} if container.message else {}),
        **{name: format_time(moment) for name, moment in moments.items() if moment},
        "containerID": container_id(pod_uid, container.spec.name, container.restarts),
    }


def reason_of(exit_code: int) -> str:
    """What a status says of a process that ended so, of which nothing else is known."""
    return "Error" if exit_code else "Completed"


def container_status(container: Container, pod_uid: str, waiting: str) -> Object:
    """An item of ``containerStatuses``."""
    created = container.started_at > 0
    status: dict[str, Json] = {
        "name": container.spec.name,
        "state": state(container, pod_uid, waiting),
        "lastState": container.last or {},
        "ready": container.ready,
        "restartCount": container.restarts,
        "image": full_name(container.spec.image) if created else container.spec.image,
        "imageID": image_id(container.spec.image) if created else "",
    }
    if container.spec.init and not container.spec.sidecar:  # it is ready when it has done what it is for
        status["ready"] = container.initialized
    if created:
        status["containerID"] = container_id(pod_uid, container.spec.name, container.restarts)
    if created and container.spec.stop_signal:
        status["stopSignal"] = f"SIG{container.spec.stop_signal}"
    if container.spec.ephemeral:  # nobody asks whether it serves
        status["ready"] = False
    else:
        status["started"] = container.started
    return status
