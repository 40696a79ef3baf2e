"""The stages of a container that has ended: whether it is started again, and when."""

import math

from svcsim.nodes.containers.back_off import BACKOFF_RESET_S, crash_back_off_s
from svcsim.nodes.containers.container import CRASH_BACK_OFF, Container
from svcsim.nodes.containers.container_status import terminated
from svcsim.nodes.containers.ending import ends_after_s
from svcsim.nodes.containers.next_stage import NOTHING, Next
from svcsim.nodes.containers.probing import ask_only_for_readiness
from svcsim.nodes.containers.pulling import pulling
from svcsim.nodes.containers.surroundings import Surroundings


def exited(container: Container, around: Surroundings, now: float) -> Next:
    """Its process ended; perhaps it is started again."""
    if not container.exit_reason:
        container.exit_code = container.ends_with
    _end(container, around, now)
    if restarts_all(container):
        return all_over(container, around, now)
    if not restarts(container):
        container.replaced_by = None
        return NOTHING
    if now - container.started_at >= BACKOFF_RESET_S:
        container.failures = 0
    container.failures += 1
    container.goes_straight_on = container.killed and container.failures == 1
    return Next("restarting" if container.failures == 1 else "crash back-off", 1.0)


def all_over(container: Container, _around: Surroundings, _now: float) -> Next:
    """It is to be started again with all others of its pod, which has it wait until those have been started that are about to be."""
    container.stage, container.takes_all_along = "exited", True
    return Next("all over", math.inf)


def crash_back_off(container: Container, around: Surroundings, _now: float) -> Next:
    """It has ended too often to be started again at once."""
    delay_s = crash_back_off_s(container)
    name, label = container.spec.name, around.identity.runtime_name
    around.events.say(container, "Warning", "BackOff", f"Back-off restarting failed container {name} in pod {label}")
    container.last = {"terminated": terminated(container, around.identity.uid)}
    container.waiting_reason = CRASH_BACK_OFF
    container.waiting_message = f"back-off {_short(delay_s)} restarting failed container={name} pod={label}"
    return Next("restarting", delay_s)


def restarting(container: Container, around: Surroundings, now: float) -> Next:
    container.last = {"terminated": terminated(container, around.identity.uid)}
    container.exit_code, container.exit_reason = 0, ""
    container.spec, container.replaced_by = container.wanted, None
    return pulling(container, around, now)


def replacing(container: Container, around: Surroundings, now: float) -> Next:
    """It was asked to end because the pod wants another in its place."""
    ask_only_for_readiness(container)
    return Next("replaced", ends_after_s(container, around, container.spec.grace_s, now))


def replaced(container: Container, around: Surroundings, now: float) -> Next:
    """It has ended, and the new one is started at once, whatever the restart policy: nothing is known against it yet."""
    _end(container, around, now)
    container.spec, container.replaced_by, container.failures = container.wanted, None, 0
    container.goes_straight_on = True
    return Next("restarting", max(math.floor(container.started_at) + 1 - now, 0.0))  # a status tells runs apart by whole seconds


def _end(container: Container, around: Surroundings, now: float) -> None:
    container.waiting_reason = container.waiting_message = ""
    container.finished_at, container.ready, container.started, container.probings = now, False, False, ()
    container.message = around.last_words(container)


def restarts(container: Container) -> bool:
    """Whether it is started again after it has ended."""
    policy = container.spec.restart_policy
    if container.killed:
        return policy != "Never"
    if any(rule.applies(container.exit_code) for rule in container.spec.restart_rules):
        return True
    return policy == "Always" or (policy == "OnFailure" and container.exit_code != 0)


def restarts_all(container: Container) -> bool:
    """Whether a rule has all containers of its pod started again after it has ended."""
    rule = next((rule for rule in container.spec.restart_rules if rule.applies(container.exit_code)), None)
    return rule is not None and rule.everything


def _short(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
