"""How the process of a container comes to its end: its own, or that which it is asked for, once its hook is done."""

import math

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_status import reason_of
from svcsim.nodes.containers.surroundings import Surroundings
from svcsim.nodes.shell.exit_codes import KILLED
from svcsim.nodes.shell.signals import KILL, ends, exit_code_of

STOP_S = (0.5, 2.0)
"""How long a process takes to end when it is asked to, if it may."""
SHORTEST_GRACE_S = 2.0
"""However little is left of a grace period, a process that is asked to end has so long, as with a kubelet."""
HOOK_FAILED = "FailedPreStopHook"


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
