"""The stages in a container's life, as data: what is done on entering one, and which comes next, when.

Pulled, created, started, ready, perhaps ended, perhaps started again after a while. Each stage is a small function that sees the container,
what is around it, and the moment it begins; it says which stage follows after how many seconds. `run_stages` walks a container through
all that has come due. Nothing here waits and nothing writes: the same steps at the same moments give the same life.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from svcsim.chance import Chance
from svcsim.client.backoff import backoff_s
from svcsim.meta.times import format_duration
from svcsim.nodes.containers.container import CRASH_BACK_OFF, POST_START_ERROR, RUN_ERROR, Container, ContainerSpec, reason_of, terminated
from svcsim.nodes.containers.hooks import NO_HOOK
from svcsim.nodes.containers.pod_events import PodEvents
from svcsim.nodes.containers.pod_identity import PodIdentity
from svcsim.nodes.containers.probes import NOTHING_FOUND, READINESS, STARTUP, Probe, begin_probing
from svcsim.nodes.containers.stage_names import PlayedStage
from svcsim.nodes.images.images import ImageStore, size_bytes
from svcsim.nodes.images.pull_failures import name_error, runtime_message, takes_s
from svcsim.nodes.shell.exit_codes import KILLED
from svcsim.nodes.shell.signals import KILL, ends, exit_code_of

BACKOFF_FIRST_S = 10.0
BACKOFF_LONGEST_S = 300.0
BACKOFF_RESET_S = 600.0
"""A container that ran this long starts its back-off anew when it ends."""
CONFIG_RETRY_S = 10.0
CREATE_S = (0.1, 0.3)
START_S = (0.05, 0.2)
STOP_S = (0.5, 2.0)
"""How long a process takes to end when it is asked to, if it may."""
SHORTEST_GRACE_S = 2.0
"""However little is left of a grace period, a process that is asked to end has so long, as with a kubelet."""
HOOK_FAILED = "FailedPreStopHook"
_NOT_STARTED = (128, "StartError")
"""How a process has ended that couldn't be started: its exit code and the reason."""


class Surroundings(Protocol):
    """What a container's stages see of the world."""

    chance: Chance
    images: ImageStore
    identity: PodIdentity
    events: PodEvents

    @property
    def pod_ip(self) -> str:
        """The address of the container's pod."""
        ...

    def failing_probes(self, spec: ContainerSpec) -> Sequence[str]:
        """Kinds of probes of a container that an annotation has fail."""
        ...

    def run_it(self, container: Container) -> None:
        """Have a container's process be run, to know how it ends."""
        ...

    def last_words(self, container: Container) -> str:
        """What a container has left behind that has just ended."""
        ...

    def pull_fails(self, container: Container, image: str) -> str:
        """Why an image can't be pulled, the container's own or that of a volume; empty if it can."""
        ...

    def config_error(self, container: Container) -> str:
        """Why the container can't be made from its spec; empty if it can."""
        ...

    def slowed(self, container: Container) -> float:
        """By how much starting takes longer than usual: 1 is as usual."""
        ...


class Next(NamedTuple):
    """The stage that follows, and after how long; no stage means that nothing comes of itself."""

    stage: PlayedStage | Literal[""] = ""
    after_s: float = 0.0


Stage = Callable[[Container, Surroundings, float], Next]

NOTHING = Next()


def pulling(container: Container, around: Surroundings, now: float) -> Next:
    """Get the image, if it isn't there or has to be looked for anew."""
    return _pull(container, around, container.spec.image, container.spec.pull_policy, now)


def _pull(container: Container, around: Surroundings, image: str, policy: str, now: float) -> Next:
    container.pulls = image
    wrong = name_error(image)
    if wrong:
        around.events.say(container, "Warning", "InspectFailed", wrong)
        around.events.say(container, "Warning", "Failed", "Error: InvalidImageName")
        container.waiting_reason, container.waiting_message = "InvalidImageName", wrong
        return Next("pulling", BACKOFF_FIRST_S)
    there = around.images.has(image, now)
    if there and policy != "Always":
        around.events.say(container, "Normal", "Pulled", f'Container image "{image}" already present on machine')
        return Next("creating")
    if policy == "Never":
        message = f'Container image "{image}" is not present with pull policy of Never'
        around.events.say(container, "Warning", "ErrImageNeverPull", message)
        around.events.say(container, "Warning", "Failed", "Error: ErrImageNeverPull")
        container.waiting_reason, container.waiting_message = "ErrImageNeverPull", message
        return Next("pulling", BACKOFF_FIRST_S)
    around.events.say(container, "Normal", "Pulling", f'Pulling image "{image}"')
    container.pull_error = around.pull_fails(container, image)
    if container.pull_error:
        return Next("pull failed", around.chance.uniform(*takes_s(container.pull_error)))
    pull = around.images.pull(image, now, around.chance.uniform(0.0, 1.0))
    container.pulled_for_s = (pull.takes_s, pull.waits_s)
    return Next("pulled", (pull.done_at - now) * around.slowed(container))


def pulled(container: Container, around: Surroundings, _now: float) -> Next:
    """The image has come."""
    image = _pulled(container)
    takes, waits = (format_duration(round(seconds, 3)) for seconds in container.pulled_for_s)
    message = f'Successfully pulled image "{image}" in {takes} ({waits} including waiting). Image size: {size_bytes(image)} bytes.'
    around.events.say(container, "Normal", "Pulled", message)
    if container.waiting_reason in {"ErrImagePull", "ImagePullBackOff"} and container.failed_pull in {"", image}:
        container.failures = 0
    return Next("creating")


def pull_failed(container: Container, around: Surroundings, _now: float) -> Next:
    """The image can't be had."""
    image = container.failed_pull = _pulled(container)
    message = runtime_message(image, container.pull_error)
    around.events.say(container, "Warning", "Failed", f'Failed to pull image "{image}": {message}')
    around.events.say(container, "Warning", "Failed", "Error: ErrImagePull")
    container.waiting_reason, container.waiting_message = "ErrImagePull", message
    return Next("pull back-off", around.chance.uniform(1.0, 3.0))


def pull_back_off(container: Container, around: Surroundings, _now: float) -> Next:
    """Wait before the next try, longer each time."""
    around.events.say(container, "Normal", "BackOff", f'Back-off pulling image "{_pulled(container)}"')
    around.events.say(container, "Warning", "Failed", "Error: ImagePullBackOff")
    container.waiting_message = f'Back-off pulling image "{_pulled(container)}": ErrImagePull: {container.waiting_message}'
    container.waiting_reason = "ImagePullBackOff"
    container.failures += 1
    return Next("pulling", backoff_s(container.failures, BACKOFF_FIRST_S, BACKOFF_LONGEST_S))


def _pulled(container: Container) -> str:
    return container.pulls or container.spec.image


def creating(container: Container, around: Surroundings, now: float) -> Next:
    """Have the runtime make the container, if all that goes into it is there: of images that are volumes, one after the other is pulled."""
    for image, policy in container.spec.image_volumes:
        if image != container.pulls and not around.images.has(image, now):
            return _pull(container, around, image, policy, now)
    error = around.config_error(container)
    if error:
        around.events.say(container, "Warning", "Failed", f"Error: {error}")
        container.waiting_reason, container.waiting_message = "CreateContainerConfigError", error
        return Next("pulling", CONFIG_RETRY_S)
    return Next("created", around.chance.uniform(*CREATE_S) * around.slowed(container))


def created(container: Container, around: Surroundings, _now: float) -> Next:
    """It is made, but not started."""
    around.events.say(container, "Normal", "Created", f"Created container: {container.spec.name}")
    follows: PlayedStage = "start refused" if container.spec.start_error else "post-start" if container.spec.post_start else "running"
    return Next(follows, around.chance.uniform(*START_S))


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
    container.hook_error = (
        hook.failure_within(lasts_s, container.spec.name, around.identity.runtime_name) if hook.fails_within(lasts_s) else ""
    )
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


def probing(container: Container, around: Surroundings, now: float) -> Next:
    """Make the probes that are due."""
    _make_probes(container, around, now)
    if not container.started and all(one.holds for one in container.probings):
        begin_all_probing(container, around.failing_probes(container.spec), now, started=True)
    _note_readiness(container)
    failed = _failed_probe(container)
    if failed is not None:
        again = "" if container.spec.restart_policy == "Never" else ", will be restarted"
        kind = failed.kind.lower()
        around.events.say(container, "Normal", "Killing", f"Container {container.spec.name} failed {kind} probe{again}")
        return Next("killing")
    return next_while_running(container, now)


def killing(container: Container, around: Surroundings, now: float) -> Next:
    """It was asked to end because a probe failed."""
    failed = _failed_probe(container)
    grace_s = container.spec.grace_s if failed is None else failed.grace_s
    ask_only_for_readiness(container)
    container.killed = True
    return Next("exited", ends_after_s(container, around, grace_s, now))


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


STAGES: dict[PlayedStage, Stage] = {
    "pulling": pulling,
    "pulled": pulled,
    "pull failed": pull_failed,
    "pull back-off": pull_back_off,
    "creating": creating,
    "created": created,
    "start refused": start_refused,
    "post-start": post_start,
    "post-start failed": post_start_failed,
    "start failed": start_failed,
    "running": running,
    "probing": probing,
    "killing": killing,
    "replacing": replacing,
    "replaced": replaced,
    "exited": exited,
    "all over": all_over,
    "crash back-off": crash_back_off,
    "restarting": restarting,
}


def run_stages(container: Container, around: Surroundings, now: float) -> None:
    """Walk a container through everything that has come due, each stage at its own moment."""
    while container.due is not None and container.due <= now and container.next_stage:
        moment, container.stage = container.due, container.next_stage
        follows = STAGES[container.stage](container, around, moment)
        container.next_stage = follows.stage
        container.due = moment + follows.after_s if follows.stage else None


def _start(container: Container, around: Surroundings, now: float) -> None:
    around.events.say(container, "Normal", "Started", f"Started container {container.spec.name}")
    _begin_run(container, now)
    if container.spec.surprises:
        around.run_it(container)


def _begin_run(container: Container, now: float) -> None:
    container.restarts += container.started_at > 0
    container.killed = container.goes_straight_on = False
    container.started_at, container.found = now, NOTHING_FOUND


def ends_after_s(container: Container, around: Surroundings, grace_s: float, now: float) -> float:
    """Ask its process to end, whose hook has so long: how long that takes. How it will have ended is noted."""
    call_pre_stop(container, around, grace_s, now)
    hook_s, takes_s = hook_lasts_s(container, grace_s), around.chance.uniform(*STOP_S)
    code, container.stop_takes_s = stopped_with(container), takes_s
    if ask_to_end(container, around, now + hook_s):
        code, takes_s = KILLED, max(grace_s - hook_s, SHORTEST_GRACE_S)
    ends_s = own_end(container) - now
    if ends_s <= hook_s:
        code, hook_s, takes_s = container.ends_with, max(ends_s, 0.0), 0.0
    container.exit_code, container.exit_reason = code, reason_of(code)
    return hook_s + takes_s


def ask_to_end(container: Container, around: Surroundings, at: float) -> bool:
    """Its process is asked to end at a moment; whether it may go on all the same, until it is killed."""
    container.asked_at = at
    traps = container.spec.traps and not container.hooked
    if traps:
        around.run_it(container)
    return traps or not (ends(container.spec.asked_by) or container.spec.restart_policy == "Always")


def own_end(container: Container) -> float:
    """When its process ends by itself; never, as far as is known."""
    ends_s = container.ends_s
    return math.inf if ends_s is None else container.started_at + ends_s


def stopped_with(container: Container) -> int:
    """The exit code of a process that was asked to end."""
    signal = container.spec.asked_by
    if signal != KILL and container.spec.restart_policy == "Always":
        return 0  # a server ends in good order; what is to come to an end of its own had not
    return exit_code_of(signal)


def call_pre_stop(container: Container, around: Surroundings, grace_s: float, now: float) -> None:
    """Call its hook, which is cut off after so long, and with its process; that it failed is told, and changes nothing."""
    hook, within_s = container.spec.pre_stop, min(grace_s, own_end(container) - now)
    container.hook_at, container.hook_goes_on = now, bool(container.spec.pre_stop_runs) and grace_s > 0
    if container.hook_goes_on:
        around.events.warn_at(now + within_s, container, HOOK_FAILED, "PreStopHook failed")  # unless it has ended well by then
    elif grace_s > 0 and hook.fails_within(within_s):
        around.events.warn_at(now + min(hook.takes_s, within_s), container, HOOK_FAILED, "PreStopHook failed")


def hook_lasts_s(container: Container, grace_s: float) -> float:
    """How much of its time its hook takes before it is asked to end: at first all of it, where only running the hook tells."""
    return grace_s if container.hook_goes_on else min(container.spec.pre_stop.takes_s, grace_s)


def _end(container: Container, around: Surroundings, now: float) -> None:
    container.waiting_reason = container.waiting_message = ""
    container.finished_at, container.ready, container.started, container.probings = now, False, False, []
    container.message = around.last_words(container)


def _failed_probe(container: Container) -> Probe | None:
    """The probe that has the container killed."""
    found = (one for one in container.probings if not one.holds and one.probe.kind != READINESS and one.last is False)
    return next((one.probe for one in found if one.in_a_row >= one.probe.failure_threshold), None)


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


def crash_back_off_s(container: Container) -> float:
    """How long it waits for its next start."""
    return backoff_s(container.failures - 1, BACKOFF_FIRST_S, BACKOFF_LONGEST_S)


def begin_all_probing(container: Container, failing: Sequence[str], now: float, *, started: bool = False) -> None:
    """Have a container's probes begin that don't wait: while it hasn't started, its startup probe alone."""
    probes = container.spec.probes
    container.started = started or all(probe.kind != STARTUP for probe in probes)
    container.probings = [
        begin_probing(probe, container.started_at, now, failing) for probe in probes if (probe.kind == STARTUP) is not container.started
    ]
    container.ready = container.started and all(probe.kind != READINESS for probe in probes)


def ask_only_for_readiness(container: Container) -> None:
    """It is being ended: nothing that its probes find would have it ended, and whether it may be sent requests is told until it is gone."""
    container.probings = [one for one in container.probings if one.probe.kind == READINESS]


def probe_while_ending(container: Container, around: Surroundings, until: float) -> None:
    """Make the probes of a container that is being ended which are due up to a moment."""
    while (at := container.probed_at) <= until:
        _make_probes(container, around, at)
        _note_readiness(container)


def _make_probes(container: Container, around: Surroundings, now: float) -> None:
    for one in container.probings:
        if one.next_at is not None and one.next_at <= now:
            wrong = one.make(now, container.started_at, around.failing_probes(container.spec), container.found)
            if wrong is not None:
                around.events.say(container, "Warning", "Unhealthy", one.probe.told(wrong, around.pod_ip))


def _note_readiness(container: Container) -> None:
    container.ready = container.started and all(one.holds for one in container.probings if one.probe.kind == READINESS)


def next_while_running(container: Container, now: float) -> Next:
    """What comes next for a container that runs: a probe, its end, or neither."""
    ends_at, probed_at = own_end(container), container.probed_at
    at = min(ends_at, probed_at)
    return NOTHING if at == math.inf else Next("probing" if probed_at < ends_at else "exited", max(at - now, 0.0))


def _short(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
