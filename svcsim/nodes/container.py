"""One container of a simulated pod: what is known of it, and what its status says.

How it gets from one stage to the next stands in `stages.py`; this is only what it is at each moment.
"""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import format_time
from svcsim.meta.pods import is_sidecar
from svcsim.meta.types import Json, Object
from svcsim.nodes.images import default_pull_policy, full_name, image_id
from svcsim.nodes.probes import LIVENESS, READINESS, STARTUP, Probe, Probing, read_probe
from svcsim.nodes.programs import EXIT_CODE_ANNOTATION, RUN_TIME_ANNOTATION, Program, read_program

RUNNING_STAGES = ("running", "probing", "killing", "replacing")
_GRACE_S = 30
_PROBES = (("startupProbe", STARTUP), ("readinessProbe", READINESS), ("livenessProbe", LIVENESS))


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

    @property
    def field_path(self) -> str:
        return f"spec.{'initContainers' if self.init else 'containers'}{{{self.name}}}"


@dataclass(slots=True)
class Container:
    """A container at one moment. Times are seconds since the epoch."""

    spec: ContainerSpec
    stage: str = "idle"
    next_stage: str = ""
    due: float | None = None
    """When the next stage begins; None if nothing comes of itself."""
    waiting_reason: str = ""
    waiting_message: str = ""
    started_at: float = 0.0
    finished_at: float = 0.0
    exit_code: int = 0
    exit_reason: str = ""
    restarts: int = 0
    failures: int = 0
    """Failed pulls or crashes in a row: what a back-off grows with."""
    last: Object | None = None
    """The state it was in before the last restart."""
    started: bool = False
    ready: bool = False
    pulled_for_s: tuple[float, float] = (0.0, 0.0)
    """How long the pull takes, without and with the waiting."""
    pull_error: str = ""
    """Why the last pull failed."""
    probings: list[Probing] = field(default_factory=list)
    """The probes at work on it while it runs."""
    replaced_by: ContainerSpec | None = None
    """What it will be once the process is gone that is being ended."""

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
        return self.stage in RUNNING_STAGES

    @property
    def ended(self) -> bool:
        """Whether its process is gone, and nothing starts it again."""
        return self.stage in {"exited", "stopped"} and self.due is None

    @property
    def settling(self) -> bool:
        """Whether it is still on its way to its first start."""
        return self.stage in {"idle", "pulling", "pulled", "creating", "created"}

    @property
    def being_started(self) -> bool:
        """Whether the node is at work on its first start, which nothing has gone wrong with yet."""
        return self.settling and self.begun and not self.waiting_reason

    def goes_wrong(self) -> bool:
        """Whether it ended, and not well."""
        return self.ended and self.exit_code != 0


def read_containers(pod: Object) -> list[ContainerSpec]:
    """All containers of a pod, init containers first."""
    spec, annotations = pod.get("spec") or {}, (pod.get("metadata") or {}).get("annotations") or {}
    policy = spec.get("restartPolicy") or "Always"
    grace_s = max(float(spec.get("terminationGracePeriodSeconds", _GRACE_S)), 0.0)
    run_s, exit_code = annotations.get(RUN_TIME_ANNOTATION, ""), annotations.get(EXIT_CODE_ANNOTATION, "")
    of_inits = "Never" if policy == "Never" else "OnFailure"
    inits = [_read(c, c.get("restartPolicy") or of_inits, "", "", grace_s, init=True) for c in _inits(spec)]
    return [*inits, *(_read(c, policy, run_s, exit_code, grace_s, init=False) for c in spec.get("containers") or ())]


def images_of(pod: Object) -> list[str]:
    """The images of all containers, in the order of `read_containers`."""
    spec = pod.get("spec") or {}
    return [container.get("image") or "" for container in (*_inits(spec), *(spec.get("containers") or ()))]


def _inits(spec: Object) -> list[Object]:
    found: list[Object] = spec.get("initContainers") or []
    return found


def _read(container: Object, restart_policy: str, run_s: str, exit_code: str, grace_s: float, *, init: bool) -> ContainerSpec:
    image = container.get("image") or ""
    command, args = tuple(container.get("command") or ()), tuple(container.get("args") or ())
    program = read_program(image, command, args, run_s, exit_code)
    sidecar = init and is_sidecar(container)
    if init and not sidecar and program.runs_s is None and not command and not args:
        program = program._replace(runs_s=1.0)
    probes = [read_probe(kind, container, program, grace_s) for field, kind in _PROBES if field in container]
    return _shared(
        ContainerSpec(
            name=container["name"],
            image=image,
            pull_policy=container.get("imagePullPolicy") or default_pull_policy(image),
            program=program,
            restart_policy=restart_policy,
            init=init,
            sidecar=sidecar,
            probes=tuple(probe for probe in probes if probe is not None),
            grace_s=grace_s,
        )
    )


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
    if container.running:
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
        "reason": container.exit_reason or ("Completed" if container.exit_code == 0 else "Error"),
        **{name: format_time(moment) for name, moment in moments.items() if moment},
        "containerID": container_id(pod_uid, container.spec.name, container.restarts),
    }


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
        "started": container.started,
    }
    if created:
        status["containerID"] = container_id(pod_uid, container.spec.name, container.restarts)
    return status
