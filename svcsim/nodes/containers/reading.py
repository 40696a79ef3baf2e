"""Reads what the spec of a pod says of its containers, and its annotations: what they run, how they are probed, how long they last."""

from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.pods import containers_of, is_sidecar
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.awaiting import awaiting_input
from svcsim.nodes.containers.behaviour import Behaviour, read_behaviours
from svcsim.nodes.containers.container_spec import ContainerSpec, RestartRule
from svcsim.nodes.containers.environment import is_too_long
from svcsim.nodes.containers.hooks import NO_HOOK, POST_START, PRE_STOP, read_hook
from svcsim.nodes.containers.probes import LIVENESS, READINESS, STARTUP, Probe, read_probe, ready_after
from svcsim.nodes.containers.programs import LISTENING, Program, read_program
from svcsim.nodes.containers.understanding import FirstCommand, may_change_files, read_first
from svcsim.nodes.images.base_image import is_missing, not_there
from svcsim.nodes.images.images import command_line, default_pull_policy, waits_for_commands

_GRACE_S = 30
_MESSAGE_PATH = "/dev/termination-log"
_PROBES = (("startupProbe", STARTUP), ("readinessProbe", READINESS), ("livenessProbe", LIVENESS))


def read_containers(pod: Object) -> list[ContainerSpec]:
    """All containers of a pod: init containers first, and those last that were put into it while it ran."""
    spec, behaviours = pod.get("spec") or {}, read_behaviours(pod)
    policy = spec.get("restartPolicy") or "Always"
    grace_s = max(float(spec.get("terminationGracePeriodSeconds", _GRACE_S)), 0.0)
    images = {volume["name"]: volume["image"] for volume in spec.get("volumes") or () if volume.get("image")}
    of_inits = "Never" if policy == "Never" else "OnFailure"
    read_said = _read_before if len(spec.get("containers") or ()) <= limits.CONTAINERS_READ_ONCE else _read_unnamed
    found: list[ContainerSpec] = []
    for part, otherwise in (("initContainers", of_inits), ("containers", policy), ("ephemeralContainers", "Never")):
        for container in spec.get(part) or ():
            behaviour = behaviours.of_container(container["name"], init=part != "containers")
            read = read_said([container, part, container.get("restartPolicy") or otherwise, tuple(behaviour), grace_s])
            mounted = [images[mount["name"]] for mount in container.get("volumeMounts") or () if mount["name"] in images]
            found.append(_shared(read._replace(image_volumes=tuple(map(_image_volume, mounted)))) if mounted else read)
    return found


def _read_said(said: Json) -> ContainerSpec:
    container, part, restart_policy, behaviour, grace_s = said
    return _read(container, part, restart_policy, Behaviour(*behaviour), grace_s)


_read_before: FoundBefore[ContainerSpec] = FoundBefore(_read_said)


def _read_unnamed(said: list[Json]) -> ContainerSpec:
    """Where a pod has very many containers, they are alike but for their names, if they are alike."""
    container, *others = said
    return _shared(_read_before([{**container, "name": ""}, *others])._replace(name=container["name"]))


_NOTHING = Program(runs_s=0.0)
"""What a container does that isn't started."""
_INIT_S = 1.0
"""How long an init container takes of which nobody knows what it does."""


def _start_error(container: Object, image: str) -> str:
    """Why a runtime can't start what a container's command names: its image hasn't it. With a ``PATH`` of its own it may be elsewhere."""
    names = container.get("command") or (container.get("args") if waits_for_commands(image) is not None else None)
    program = next(iter(names or ()), "")
    if not program:
        return ""
    own_path = "/" not in program and any(variable["name"] == "PATH" for variable in container.get("env") or ())
    if own_path or not is_missing(program, image):
        return ""
    start = "unable to start container process: error during container init"
    create = f"OCI runtime create failed: runc create failed: {start}"
    return f'failed to create containerd task: failed to create shim task: {create}: exec: "{program}": {not_there(program)}: unknown'


def images_of(pod: Object) -> list[str]:
    """The images of all containers, in the order of `read_containers`."""
    return [container.get("image") or "" for container in containers_of(pod.get("spec") or {})]


class _Process(NamedTuple):
    """The first process of a container, by its command line."""

    program: Program
    first: FirstCommand | None
    """What the simulated shell can run of that."""
    start_error: str
    """Why it can't be started."""


def _read(container: Object, part: str, restart_policy: str, behaviour: Behaviour, grace_s: float) -> ContainerSpec:
    image, init = container.get("image") or "", part == "initContainers"
    sidecar = init and is_sidecar(container)
    serves = restart_policy == "Always" and (sidecar or part == "containers")
    program, first, start_error = _read_process(container, behaviour, is_waited_for=init and not sidecar, serves=serves)
    pre_stop = read_hook(container, PRE_STOP) or NO_HOOK
    before_stop = read_first(image, pre_stop.command, ()) if pre_stop.command else None
    probes = _read_probes(container, program, grace_s, None if behaviour.ends_it else first, before_stop)
    if behaviour.ready_after_s is not None and (sidecar or not init):
        probes[READINESS] = ready_after(behaviour.ready_after_s, probes.get(READINESS), grace_s)
    logs_on_error = container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
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


def _read_process(container: Object, behaviour: Behaviour, *, is_waited_for: bool, serves: bool) -> _Process:
    """What a container runs. ``is_waited_for``: its pod goes on when it has ended; ``serves``: it is to run for ever."""
    image = container.get("image") or ""
    command, args = tuple(container.get("command") or ()), tuple(container.get("args") or ())
    program, first = read_program(image, command, args), read_first(image, command, args)
    if is_waited_for and program.runs_s is None and (program.unknown or not (command or args)):
        program = program._replace(runs_s=program.slept_s + _INIT_S)
    if (container.get("stdin") or container.get("tty")) and awaiting_input(image, command, args) is not None:
        program, first = LISTENING, None
    start_error = "" if behaviour.ends_it else _start_error(container, image)
    if start_error:
        program, first = _NOTHING, None
    elif not behaviour.ends_it and is_too_long(container):
        first = FirstCommand(command_line(image, command, args) or ("sh",), foreseen=False)
    if program.may_serve and serves:
        program = program._replace(runs_s=None)
    return _Process(behaviour.changed(program), first, start_error)


def _read_probes(
    container: Object, program: Program, grace_s: float, first: FirstCommand | None, before_stop: FirstCommand | None
) -> dict[str, Probe | None]:
    """The probes of a container, by their kinds. ``first`` and ``before_stop``: what is run of its command line and of its hook."""
    probes = {kind: read_probe(kind, container, program, grace_s) for field, kind in _PROBES if field in container}
    by_hook = before_stop is not None and may_change_files(before_stop.words)
    foreseen = program.runs_s is not None and first is not None and not first.heeds
    for kind, probe in probes.items():
        looks = None if probe is None or probe.check.error else _read_probe_command(container, kind)
        if probe is None or looks is None:
            continue
        if looks.asks_others or (first is not None and _is_up_to(probe, first, foreseen=foreseen, by_hook=by_hook)):
            probes[kind] = probe.run_each_time()
    return probes


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
