"""The stages in which a container is made and started."""

import math

from svcsim.nodes.containers.container import POST_START_ERROR, RUN_ERROR, Container
from svcsim.nodes.containers.container_status import terminated
from svcsim.nodes.containers.ending import ends_after_s, own_end
from svcsim.nodes.containers.hooks import NO_HOOK
from svcsim.nodes.containers.next_stage import NOTHING, Next
from svcsim.nodes.containers.probes import NOTHING_FOUND
from svcsim.nodes.containers.probing import begin_all_probing, next_while_running
from svcsim.nodes.containers.pulling import pull
from svcsim.nodes.containers.restarting import exited
from svcsim.nodes.containers.surroundings import Surroundings

CONFIG_RETRY_S = 10.0
CREATE_S = (0.1, 0.3)
START_S = (0.05, 0.2)
_NOT_STARTED = (128, "StartError")
"""How a process has ended that couldn't be started: its exit code and the reason."""


def creating(container: Container, around: Surroundings, now: float) -> Next:
    """Have the runtime make the container, if all that goes into it is there: of images that are volumes, one after the other is pulled."""
    for image, policy in container.spec.image_volumes:
        if image != container.pulls and not around.images.has(image, now):
            return pull(container, around, image, policy, now)
    missing = around.config_error(container)
    error = missing or around.create_error(container)
    if error:
        around.events.say(container, "Warning", "Failed", f"Error: {error}")
        container.waiting_reason = "CreateContainerConfigError" if missing else "CreateContainerError"
        container.waiting_message = error
        return Next("pulling", CONFIG_RETRY_S)
    return Next("created", around.chance.uniform(*CREATE_S) * around.slowed(container))


def created(container: Container, around: Surroundings, _now: float) -> Next:
    """It is made, but not started."""
    around.events.say(container, "Normal", "Created", f"Created container: {container.spec.name}")
    takes_s = around.chance.uniform(*START_S)
    if container.spec.start_error:
        return Next("start refused", takes_s)
    return Next("post-start" if container.spec.post_start else "running", takes_s)


def start_refused(container: Container, around: Surroundings, now: float) -> Next:
    """The runtime can't start its process."""
    error = container.spec.start_error
    around.events.say(container, "Warning", "Failed", f"Error: {error}")
    _begin_run(container, now)
    container.exit_code, container.exit_reason = _NOT_STARTED
    follows = exited(container, around, now)
    container.message = error
    return _failed_start(container, around, follows, RUN_ERROR, error)


def post_start(container: Container, around: Surroundings, now: float) -> Next:
    """Its process runs, and counts as running once its hook has come to a good end."""
    _start(container, around, now)
    hook, ends_s = container.spec.post_start or NO_HOOK, container.ends_s
    lasts_s = math.inf if ends_s is None else ends_s
    takes_s = min(hook.takes_s, lasts_s)
    name, pod = container.spec.name, around.identity.runtime_name
    container.hook_error = hook.failure_within(lasts_s, name, pod) if hook.fails_within(lasts_s) else ""
    return NOTHING if takes_s == math.inf else Next("post-start failed" if container.hook_error else "running", takes_s)


def post_start_failed(container: Container, around: Surroundings, now: float) -> Next:
    """Its hook failed, for which it is asked to end, if its process hasn't ended already."""
    around.events.say(container, "Warning", "FailedPostStartHook", "PostStartHook failed")
    around.events.say(container, "Normal", "Killing", "FailedPostStartHook")
    if own_end(container) <= now:
        return Next("start failed")
    return Next("start failed", ends_after_s(container, around, container.spec.grace_s, now))


def start_failed(container: Container, around: Surroundings, now: float) -> Next:
    """It has ended because its hook failed; if it is started again, that is what it waits for."""
    follows = exited(container, around, now)
    return _failed_start(container, around, follows, POST_START_ERROR, container.hook_error)


def _failed_start(container: Container, around: Surroundings, follows: Next, reason: str, message: str) -> Next:
    """It has ended without ever counting as running: for that reason it waits, if it is started again."""
    if follows.stage:
        container.last = {"terminated": terminated(container, around.identity.uid)}
        container.waiting_reason, container.waiting_message = reason, message
    else:
        container.stage = "exited"
    return follows


def running(container: Container, around: Surroundings, now: float) -> Next:
    """Its process runs; what is to come is that it is probed, or its end."""
    if not container.spec.post_start:
        _start(container, around, now)
    container.waiting_reason = container.waiting_message = ""
    begin_all_probing(container, around.failing_probes(container.spec), now)
    return next_while_running(container, now)


def _start(container: Container, around: Surroundings, now: float) -> None:
    around.events.say(container, "Normal", "Started", f"Started container {container.spec.name}")
    _begin_run(container, now)
    if container.spec.surprises:
        around.run_it(container)


def _begin_run(container: Container, now: float) -> None:
    container.restarts += container.started_at > 0
    container.killed = container.goes_straight_on = False
    container.started_at, container.found = now, NOTHING_FOUND
