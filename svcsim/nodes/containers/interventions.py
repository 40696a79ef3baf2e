"""What is done to a container from outside of its stages: by its pod, by who changes that, by faults."""

from collections.abc import Sequence

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.container_status import terminated
from svcsim.nodes.containers.probing import begin_all_probing, next_while_running
from svcsim.nodes.containers.stage_names import PlayedStage, StageName
from svcsim.nodes.containers.surroundings import Surroundings
from svcsim.nodes.shell.exit_codes import KILLED

_BETWEEN_RUNS: tuple[StageName, ...] = ("exited", "crash back-off", "start failed", "start refused")
"""The stages of a container that has ended and waits for its next start."""


def begin(container: Container, stage: PlayedStage, now: float) -> None:
    """Have a stage begin now, whatever was to come."""
    container.next_stage, container.due = stage, now


def go_on(container: Container, now: float) -> None:
    """Have it do what comes next for it while it runs, whatever was to come."""
    follows = next_while_running(container, now)
    container.next_stage, container.due = follows.stage, now + follows.after_s if follows.stage else None


def redefine(container: Container, spec: ContainerSpec, around: Surroundings, now: float) -> None:
    """Its pod wants another image of it: what runs is ended and started anew, what waits to be started is tried again at once.

    Only what its pod waits for isn't ended, and gets the other image if it has to be started again.
    """
    if container.running:
        if container.replaced_by is None and not spec.is_waited_for:
            around.events.say(container, "Normal", "Killing", f"Container {spec.name} definition changed, will be restarted")
            begin(container, "replacing", now)
        container.replaced_by = spec
    elif not container.begun:
        container.spec = spec
    elif not container.ended:
        container.spec, container.replaced_by, container.failures = spec, None, 0
        begin(container, "restarting" if container.stage in _BETWEEN_RUNS else "pulling", now)


def behave_otherwise(container: Container, spec: ContainerSpec, failing_probes: Sequence[str], now: float) -> None:
    """Annotations of its pod have it do something else: run for another while, be ready at another time, be pulled or not."""
    before, container.spec = container.spec, spec
    if container.replaced_by is not None:
        container.spec, container.replaced_by = before, spec
    elif container.stage in {"running", "probing"}:
        if spec.probes != before.probes:
            begin_all_probing(container, failing_probes, now, started=container.started)
        go_on(container, now)
    elif spec.pull_failure != before.pull_failure and container.waiting_reason in {"ErrImagePull", "ImagePullBackOff"}:
        begin(container, "pulling", now)


def restart_resized(container: Container, around: Surroundings, now: float) -> None:
    """It gets other resources, for which it has to be started anew."""
    around.events.say(container, "Normal", "Killing", f"Container {container.spec.name} resize requires restart")
    container.replaced_by = container.wanted
    begin(container, "replacing", now)


def start_over(container: Container, around: Surroundings, now: float) -> None:
    """It is to be started again with all others of its pod, in its turn."""
    if container.running:
        around.events.say(container, "Normal", "Killing", f"Stopping container {container.spec.name}")
        stop(container, around, KILLED, now, "Error")
    if container.begun and container.finished_at:
        container.last = {"terminated": terminated(container, around.identity.uid)}
    container.stage, container.next_stage, container.due = "idle", "", None
    container.exit_code, container.exit_reason, container.takes_all_along = 0, "", False
    container.waiting_reason = container.waiting_message = ""


def stop(container: Container, around: Surroundings, exit_code: int, now: float, reason: str = "") -> None:
    """End a container for good."""
    if container.running:
        container.finished_at, container.exit_code, container.exit_reason = now, exit_code, reason
        container.stage = "stopped"
        container.message = around.last_words(container)
    container.ready, container.started, container.probings = False, False, ()
    container.next_stage, container.due = "", None
