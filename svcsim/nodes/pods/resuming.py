"""Taking up pods that were there before this process: what their status says of them is all there is to go on.

Whatever was under way goes on from where it was seen last, the grace period of a pod that is deleted among it. A container that waits for
its next start gets it after as much of its back-off as is left; one whose turn had not come yet, or that was about to be made, begins when
its pod goes on. What was noted by a clock that was ahead, and has been set back since, counts as having happened just now.
"""

import math

from svcsim.meta.objects import is_terminating
from svcsim.meta.pods import container_statuses, deletion_asked_at, is_finished
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.back_off import BACKOFF_RESET_S, crash_back_off_s
from svcsim.nodes.containers.container import CRASH_BACK_OFF, POST_START_ERROR, RUN_ERROR, Container
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.container_status import LOST
from svcsim.nodes.containers.ending import SHORTEST_GRACE_S
from svcsim.nodes.containers.interventions import begin, redefine
from svcsim.nodes.containers.probes import READINESS
from svcsim.nodes.containers.probing import begin_all_probing, next_while_running
from svcsim.nodes.containers.restarting import restarts, restarts_all
from svcsim.nodes.images.images import full_name
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.pod_updates import take_in
from svcsim.nodes.pods.resizing import reported

_BETWEEN_STARTS = (CRASH_BACK_OFF, POST_START_ERROR, RUN_ERROR)


def resume_run(pod: Object, run: PodRun, now: float) -> None:
    """Take up a pod whose status says that it has begun already."""
    status = pod.get("status") or {}
    statuses = {item["name"]: item for item in container_statuses(pod)}
    run.allocation.granted = reported(statuses.values(), pod)
    finished = is_finished(pod)
    if status.get("startTime"):
        run.started_at = _moment(status["startTime"], now)
    run.sandbox.pod_ip = status.get("podIP") or ""
    if status.get("phase") == "Failed":
        run.failure.reason, run.failure.message = status.get("reason") or "", status.get("message") or ""
        run.failure.rejected = bool(run.failure.reason) and not statuses
    run.containers.replace(
        [
            _resume(container.spec, statuses[container.spec.name], run, now, goes_on=not finished)
            if container.spec.name in statuses
            else container
            for container in run.containers.all
        ]
    )
    if finished or any(container.begun for container in run.containers.all):
        run.sandbox.due_at = None
    take_in(run, pod, now)
    if is_terminating(pod) and not finished:
        run.terminate(now, _grace_left_s(pod, now))


def _grace_left_s(pod: Object, now: float) -> float:
    """What is left of the grace period of a pod that is deleted; a moment, where it is over."""
    grace_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
    asked_at = deletion_asked_at(pod)
    if asked_at is None:
        return grace_s
    return min(grace_s, max(asked_at + grace_s - now, SHORTEST_GRACE_S))


def _resume(spec: ContainerSpec, status: Object, run: PodRun, now: float, *, goes_on: bool) -> Container:
    """A container as its status says it is."""
    container = Container(spec, restarts=status.get("restartCount") or 0, last=status.get("lastState") or None)
    state = status.get("state") or {}
    if "running" in state:
        container.started_at = _moment(state["running"].get("startedAt"), now)
        _go_on_running(container, status, run, now)
        if status.get("image") not in (None, spec.image, full_name(spec.image)):
            if spec.is_waited_for:
                container.spec = spec._replace(image=status["image"])
            redefine(container, spec, run.around, now)
    elif (state.get("terminated") or {}).get("reason") == LOST["reason"]:
        _go_on_waiting(container, now, goes_on=goes_on)
    elif "terminated" in state:
        _set_end(container, state["terminated"], now)
        if goes_on and restarts_all(container):
            container.takes_all_along = True
            begin(container, "all over", math.inf)
        elif goes_on and restarts(container):
            _await_restart(container, now, waits=False)
    elif "waiting" in state and "terminated" in (container.last or {}):
        _set_end(container, (container.last or {})["terminated"], now)
        container.waiting_reason, container.waiting_message = state["waiting"].get("reason") or "", state["waiting"].get("message") or ""
        _go_on_between_runs(container, now, goes_on=goes_on)
    return container


def _go_on_between_runs(container: Container, now: float, *, goes_on: bool) -> None:
    """It has run, and waits for its next start, or for what that needs, such as its image."""
    if container.waiting_reason in _BETWEEN_STARTS:
        container.stage = "crash back-off"
        if goes_on:
            _await_restart(container, now)
    else:
        container.stage = "pulling"
        if goes_on:
            begin(container, "pulling", now)


def _go_on_waiting(container: Container, now: float, *, goes_on: bool) -> None:
    """It was on its way to a start when its pod ended."""
    if "terminated" in (container.last or {}):
        _set_end(container, (container.last or {})["terminated"], now)
    container.stage, container.waiting_reason = "pulling", "ContainerCreating"
    if goes_on:
        begin(container, "pulling", now)


def _go_on_running(container: Container, status: Object, run: PodRun, now: float) -> None:
    container.stage = "running"
    if container.spec.surprises:
        run.around.run_it(container)
    begin_all_probing(container, run.around.failing_probes(container.spec), now, started=bool(status.get("started", True)))
    container.ready = bool(status.get("ready"))
    for probing in container.probings:
        probing.holds = probing.holds or (probing.probe.kind == READINESS and container.ready)
    follows = next_while_running(container, now)
    container.next_stage = follows.stage
    container.due = now + follows.after_s if follows.stage else None


def _set_end(container: Container, terminated: Object, now: float) -> None:
    container.stage = "exited"
    container.started_at, container.finished_at = (
        _moment(terminated.get("startedAt"), now, 0.0),
        _moment(terminated.get("finishedAt"), now, 0.0),
    )
    container.exit_code, container.exit_reason = terminated.get("exitCode") or 0, terminated.get("reason") or ""
    container.message = terminated.get("message") or ""


def _await_restart(container: Container, now: float, *, waits: bool = True) -> None:
    """It ended as often in a row as it was restarted, unless it ran long. ``waits``: that had been told as the reason for a longer wait."""
    ran_long = container.finished_at - container.started_at >= BACKOFF_RESET_S
    container.failures = 1 if ran_long else container.restarts + 1
    wait_s = crash_back_off_s(container) if waits and container.failures > 1 else 1.0
    begin(container, "restarting", max(container.finished_at + wait_s, now))


def _moment(text: str | None, now: float, otherwise: float | None = None) -> float:
    """When something happened; ``otherwise``, or now, where nothing says so."""
    if text:
        return min(parse_time(text), now)
    return now if otherwise is None else otherwise
