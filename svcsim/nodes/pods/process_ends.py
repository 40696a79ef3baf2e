"""How processes of a pod end by themselves, and hooks: as only running them tells, as a client has them end, or as a fault does."""

from svcsim.nodes.containers.container import Container, RunProcess
from svcsim.nodes.containers.container_status import reason_of
from svcsim.nodes.containers.ending import HOOK_FAILED, SHORTEST_GRACE_S
from svcsim.nodes.containers.interventions import begin, go_on
from svcsim.nodes.containers.stage_names import PlayedStage
from svcsim.nodes.pods.pod_run import PodRun

_ENDS: tuple[PlayedStage, ...] = ("exited", "replaced", "start failed")
"""Stages that follow the end of a container that was asked to end."""


def learn(run: PodRun, container: Container, process: RunProcess | None, now: float) -> None:
    """What a process has come to by now; None if it can't be run after all."""
    container.process, container.surprising = process, process is not None
    is_over = process is None or process.ended_s is not None
    if is_over or (process is not None and process.endless and not (container.asked_at is not None and container.spec.traps)):
        del run.containers.at_work[container.spec.name]
    if process is not None and process.ended_s is not None and container.asked_at is not None:
        at = min(int(container.started_at) + process.ended_s, now)
        if container.spec.traps or at <= container.asked_at:
            _ended_before(run, container, container.asked_at, process.exit_code, at, now)
    elif is_over and container.stage in {"running", "probing"} and not run.termination.stops:
        go_on(container, now)


def hook_ended(run: PodRun, container: Container, exit_code: int, at: float, now: float) -> None:
    """The hook has ended that was called before a container is asked to end, which it is now."""
    container.hook_goes_on = False
    run.events.take_back(container, HOOK_FAILED)
    if exit_code:
        run.events.warn_at(at, container, HOOK_FAILED, "PreStopHook failed")
    if run.termination.stops:
        run.termination.hook_ended(container, at, now)
        return
    container.asked_at = at
    if container.spec.traps:
        begin(container, container.next_stage or "exited", max((container.due or at) - SHORTEST_GRACE_S, at + SHORTEST_GRACE_S))
    else:
        begin(container, container.next_stage or "exited", at + container.stop_takes_s)


def _ended_before(run: PodRun, container: Container, asked_at: float, exit_code: int, at: float, now: float) -> None:
    """It has come to an end of its own before it was asked to, or before it would have been killed."""
    if at < asked_at and container.spec.pre_stop.command:  # its hook ends with it
        run.events.take_back(container, HOOK_FAILED)
        run.events.warn_at(at, container, HOOK_FAILED, "PreStopHook failed")
    if run.termination.stops:
        run.termination.ended(container, exit_code, at, now)
    else:
        container.exit_code, container.exit_reason = exit_code, reason_of(exit_code)
        begin(container, container.next_stage if container.next_stage in _ENDS else "exited", at)


def crash(run: PodRun, container_name: str, exit_code: int, now: float) -> None:
    """End a container's process, or all of them for ``""``, as if it had failed."""
    for container in run.containers.mains:
        if container.running and container_name in {"", container.spec.name}:
            _end(run, container, exit_code, "Error", now)


def end(run: PodRun, container_name: str, exit_code: int, now: float) -> None:
    """A container's process ends by itself: somebody has told it to."""
    container = run.containers.running(container_name)
    if container is not None:
        _end(run, container, exit_code, reason_of(exit_code), now)


def _end(run: PodRun, container: Container, exit_code: int, reason: str, now: float) -> None:
    if run.termination.stops:
        run.termination.ended(container, exit_code, now, now)
        return
    container.exit_code, container.exit_reason = exit_code, reason
    begin(container, "exited", now)
