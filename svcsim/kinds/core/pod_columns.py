"""What the table of pods shows: how many containers are ready, one word for the state, restarts, and the place of the pod.

The word is the one that users of kubectl know: the phase, unless the state of a container explains more.
"""

from typing import NamedTuple

from svcsim.kinds.shared.columns import AGE, NONE, since, text_at
from svcsim.meta.objects import condition, condition_is, get_path, is_terminating
from svcsim.meta.pods import is_finished, is_ready, sidecars
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context

_NODE_LOST = "NodeLost"


class Summary(NamedTuple):
    reason: str
    ready: int
    total: int
    restarts: int
    last_restart: str
    """When a container last ended to be restarted; empty if none did."""


class _Init(NamedTuple):
    """The state of the init containers."""

    reason: str
    """Empty when they are done."""
    ready: int
    restarts: int
    last_restart: str
    sidecar_restarts: int
    sidecar_last_restart: str


def summary(pod: Object) -> Summary:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    reason = status.get("reason") or status.get("phase") or ""
    scheduled = condition(pod, "PodScheduled")
    if scheduled and scheduled.get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    beside = [container["name"] for container in sidecars(spec)]
    total = len(spec.get("containers") or ()) + len(beside)
    init = _init_summary(spec, status, beside)
    if init.reason and not condition_is(pod, "Initialized"):
        result = Summary(init.reason, init.ready, total, init.restarts, init.last_restart)
    else:
        result = _main_summary(pod, Summary(init.reason or reason, init.ready, total, init.sidecar_restarts, init.sidecar_last_restart))
    if is_terminating(pod):
        if status.get("reason") == _NODE_LOST:
            return result._replace(reason="Unknown")
        if not is_finished(pod):
            return result._replace(reason="Terminating")
    return result


def _ended_at(container: Object) -> str:
    finished: str = get_path(container, "lastState.terminated.finishedAt") or ""
    return finished


def _exit(terminated: Object) -> str:
    """The word for an end without a reason."""
    return f"Signal:{terminated['signal']}" if terminated.get("signal") else f"ExitCode:{terminated.get('exitCode', 0)}"


def _init_summary(spec: Object, status: Object, beside: list[str]) -> _Init:
    ready = restarts = sidecar_restarts = 0
    last_restart = sidecar_last_restart = ""
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        is_sidecar = container.get("name") in beside
        restarts += container.get("restartCount") or 0
        last_restart = max(last_restart, _ended_at(container))
        if is_sidecar:
            sidecar_restarts += container.get("restartCount") or 0
            sidecar_last_restart = max(sidecar_last_restart, _ended_at(container))
        if is_sidecar and container.get("started") and not _succeeded(container):
            ready += bool(container.get("ready"))
        elif not _succeeded(container):
            reason = _init_reason(container, index, len(spec.get("initContainers") or ()))
            return _Init(reason, ready, restarts, last_restart, sidecar_restarts, sidecar_last_restart)
    return _Init("", ready, restarts, last_restart, sidecar_restarts, sidecar_last_restart)


def _succeeded(container: Object) -> bool:
    return bool(get_path(container, "state.terminated.exitCode") == 0)


def _init_reason(container: Object, index: int, total: int) -> str:
    """The word for the init container that the pod waits for."""
    state = container.get("state") or {}
    terminated, waiting = state.get("terminated"), (state.get("waiting") or {}).get("reason")
    if terminated is not None:
        return "Init:" + (terminated.get("reason") or _exit(terminated))
    return f"Init:{waiting}" if waiting and waiting != "PodInitializing" else f"Init:{index}/{total}"


def _main_summary(pod: Object, so_far: Summary) -> Summary:
    reason, ready, total, restarts, last_restart = so_far
    running = False
    for container in reversed(get_path(pod, "status.containerStatuses") or ()):
        restarts += container.get("restartCount") or 0
        last_restart = max(last_restart, _ended_at(container))
        state = container.get("state") or {}
        waiting, terminated = (state.get("waiting") or {}).get("reason"), state.get("terminated")
        if waiting:
            reason = waiting
        elif terminated is not None:
            reason = terminated.get("reason") or _exit(terminated)
        elif container.get("ready") and state.get("running") is not None:
            running = True
            ready += 1
    if reason == "Completed" and running:
        reason = "Running" if is_ready(pod) else "NotReady"
    return Summary(reason, ready, total, restarts, last_restart)


def _ready(pod: Object, context: Context) -> Json:
    short = summary(pod)
    return f"{short.ready}/{short.total}"


def _status(pod: Object, context: Context) -> Json:
    return summary(pod).reason


def _restarts(pod: Object, context: Context) -> Json:
    short = summary(pod)
    if short.restarts and short.last_restart:
        return f"{short.restarts} ({since(short.last_restart, context)} ago)"
    return str(short.restarts)


def _address(pod: Object, context: Context) -> Json:
    addresses = get_path(pod, "status.podIPs") or ()
    return (addresses[0].get("ip") if addresses else get_path(pod, "status.podIP")) or NONE


def _gates(pod: Object, context: Context) -> Json:
    gates = get_path(pod, "spec.readinessGates") or ()
    passed = sum(condition_is(pod, gate.get("conditionType", "")) for gate in gates)
    return f"{passed}/{len(gates)}" if gates else NONE


POD_COLUMNS = (
    Column("Ready", _ready, doc="Number of ready containers, and number of containers"),
    Column("Status", _status, doc="State of the pod in one word"),
    Column("Restarts", _restarts, doc="How often containers of the pod were restarted, and time since the last restart"),
    AGE,
    Column("IP", _address, priority=1, doc="IP address of the pod"),
    Column("Node", text_at("spec.nodeName", NONE), priority=1, doc="Name of the node on which the pod runs"),
    Column(
        "Nominated Node",
        text_at("status.nominatedNodeName", NONE),
        priority=1,
        doc="Name of the node on which other pods are being preempted for the pod",
    ),
    Column("Readiness Gates", _gates, priority=1, doc="Number of readiness gates that are passed, and number of readiness gates"),
)
