"""A pod's status as its node reports it: phase, conditions, the states of its containers, addresses.

All of it follows from the pod's run at one moment. Conditions that others own (readiness gates, disruption) are kept as they are.
"""

from collections.abc import Sequence

from svcsim.clock import format_time
from svcsim.meta.pods import FINISHED_PHASES, containers_of, renewed_pod_condition, replace_pod_condition
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_status import LOST, container_status
from svcsim.nodes.images.users import user_status
from svcsim.nodes.pods.mount_status import mount_statuses
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.resizing import CONDITIONS as RESIZE_CONDITIONS


def render(run: PodRun, pod: Object, host_ips: Sequence[str], now: str, pod_ips: Sequence[str] = ()) -> Object:
    """The status to write: all that the node owns. ``now`` is the time of conditions that change, addresses are one a family."""
    phase = pod_phase(run)
    if run.failure.rejected:
        told_why = {"reason": run.failure.reason, "message": run.failure.message}
        return {"observedGeneration": run.generation, "phase": phase, **told_why, "startTime": format_time(run.started_at)}
    inits, mains = run.containers.inits, run.containers.mains
    waiting = "PodInitializing" if inits else "ContainerCreating"
    resources = {container.spec.name: has for container, has in zip(run.containers.all, run.allocation.granted, strict=True)}
    spec = pod["spec"]
    windows = (spec.get("os") or {}).get("name") == "windows"
    said = {container["name"]: container for container in containers_of(spec)}

    def told(container: Container, waiting: str) -> Object:
        own = said.get(container.spec.name) or {}
        status = container_status(container, run.identity.uid, waiting)
        if container.started_at and not container.spec.ephemeral:
            _tell_resources(status, resources.get(container.spec.name))
        if mounts := mount_statuses(own):
            status["volumeMounts"] = mounts
        if container.started_at and not windows:
            status["user"] = user_status(spec, own)
        return status

    status: Object = {
        "observedGeneration": run.generation,
        "phase": phase,
        "conditions": _conditions(run, pod, phase, now),
        "hostIP": host_ips[0],
        "hostIPs": [{"ip": ip} for ip in host_ips],
        "startTime": format_time(run.started_at),
        "containerStatuses": [told(container, waiting) for container in mains],
    }
    if run.sandbox.pod_ip:
        status |= {"podIP": run.sandbox.pod_ip, "podIPs": [{"ip": ip} for ip in pod_ips or (run.sandbox.pod_ip,)]}
    if inits:
        status["initContainerStatuses"] = [told(container, "PodInitializing") for container in inits]
    if run.containers.ephemerals:
        status["ephemeralContainerStatuses"] = [told(container, waiting) for container in run.containers.ephemerals]
    if phase in FINISHED_PHASES:
        if run.failure.reason:
            status |= {"reason": run.failure.reason, "message": run.failure.message}
        _count_as_lost(run, status)
    return status


def _tell_resources(status: Object, has: Object | None) -> None:
    """What a container has of resources, once it has been made."""
    if has is not None:
        if has.get("requests"):
            status["allocatedResources"] = has["requests"]
        status["resources"] = has


def _count_as_lost(run: PodRun, status: Object) -> None:
    """Containers that nothing will become of any more count as ended, so that whoever waits for their ends doesn't wait for ever.

    So do init containers, except for the last ones, if these were never started; a pod that came no further than these has no others to
    account for.
    """
    mains, inits = run.containers.mains, status.get("initContainerStatuses") or []
    tried = max((index for index, init in enumerate(inits) if "waiting" not in init["state"] or init["lastState"]), default=0)
    ended = inits[: tried + 1]
    if not inits or mains[0].begun:
        ended += status["containerStatuses"]
    for container in ended:
        if "terminated" not in container["state"]:
            container["state"] = {"terminated": dict(LOST)}


def pod_phase(run: PodRun) -> str:
    begun = [container for container in run.containers.mains if container.has_run]
    if run.finished:
        return "Failed" if run.failed or len(begun) < len(run.containers.mains) else "Succeeded"
    if not run.containers.initialized or len(begun) < len(run.containers.mains):
        return "Pending"
    return "Running"


def _conditions(run: PodRun, pod: Object, phase: str, now: str) -> list[Object]:
    current: list[Object] = (pod.get("status") or {}).get("conditions") or []
    own = {condition["type"]: condition for condition in current if condition.get("type") in _OWN}
    conditions = [condition for condition in current if condition.get("type") not in _OWN_OR_RESIZING]
    resize = run.allocation.resize
    if resize is not None and (resize.message or not resize.pending):
        conditions += [condition for condition in current if condition.get("type") == resize.condition["type"]]
        replace_pod_condition(pod, conditions, resize.condition, now)
    if run.failure.disruption and not run.failure.rejected:
        target = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet", "message": run.failure.disruption}
        replace_pod_condition(pod, conditions, target, now)
    wanted = _wanted(run, pod, phase, [*conditions, *own.values()])
    return [*conditions, *(renewed_pod_condition(pod, own.get(one["type"]), one, now) for one in wanted)]


_OWN = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""The conditions that the node says, in the order in which it does; those of others stand before them."""
_OWN_OR_RESIZING = frozenset((*_OWN, *RESIZE_CONDITIONS))


def _wanted(run: PodRun, pod: Object, phase: str, conditions: Sequence[Object]) -> list[Object]:
    done = phase == "Succeeded"
    sandbox = run.sandbox.due_at is None and bool(run.sandbox.pod_ip) and phase not in FINISHED_PHASES
    unfinished = (
        [] if run.containers.initialized else [container.spec.name for container in run.containers.inits if not container.initialized]
    )
    initialized: Object = {"type": "Initialized", "status": "True"}
    if done:
        initialized["reason"] = "PodCompleted"
    elif unfinished:
        message = f"containers with incomplete status: {_names(unfinished)}"
        initialized |= {"status": "False", "reason": "ContainersNotInitialized", "message": message}
    # A pod that is going to fail serves nobody any more, though it has failed only when all of it has ended.
    containers_ready = _containers_ready(run, "Failed" if run.failing else phase)
    return [
        {"type": "PodReadyToStartContainers", "status": "True" if sandbox else "False"},
        initialized,
        {"type": "Ready", **_ready(containers_ready, pod, conditions)},
        {"type": "ContainersReady", **containers_ready},
        {"type": "PodScheduled", "status": "True"},
    ]


def _containers_ready(run: PodRun, phase: str) -> Object:
    if phase == "Succeeded":
        return {"status": "False", "reason": "PodCompleted"}
    if phase == "Failed":
        return {"status": "False", "reason": "PodFailed"}
    unready = [container.spec.name for container in run.containers.all if _counts(container) and not container.ready]
    if unready:
        return {"status": "False", "reason": "ContainersNotReady", "message": f"containers with unready status: {_names(unready)}"}
    return {"status": "True"}


def _counts(container: Container) -> bool:
    return container.spec.serves


def _ready(containers_ready: Object, pod: Object, conditions: Sequence[Object]) -> Object:
    if containers_ready["status"] != "True":
        return containers_ready
    by_type = {condition.get("type"): condition.get("status") for condition in conditions}
    problems: list[str] = []
    for gate in (pod.get("spec") or {}).get("readinessGates") or ():
        name = gate["conditionType"]
        if name not in by_type:
            problems.append(f'corresponding condition of pod readiness gate "{name}" does not exist.')
        elif by_type[name] != "True":
            problems.append(f'the status of pod readiness gate "{name}" is not "True", but {by_type[name]}')
    if problems:
        return {"status": "False", "reason": "ReadinessGatesNotReady", "message": ", ".join(problems)}
    return {"status": "True"}


def _names(names: Sequence[str]) -> str:
    return f"[{' '.join(names)}]"
