"""``run --attach``: waiting until the pod runs, being attached to it, waiting for its end."""

from collections.abc import Callable

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.attaching import AttachManner, attach
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.following import states
from svcsim.cli.shared.pods_meant import default_container
from svcsim.cli.shared.session import Session
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition, get_path, name_of, namespace_of, uid_of
from svcsim.meta.pods import FINISHED_PHASES, is_ready, phase_of
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless

_AT_ITS_END = {"Never": FINISHED_PHASES, "OnFailure": ("Succeeded",)}
"""By restart policy, the phases in which a pod has come to its end; with others it never does."""


def attached(call: Call, pod: Object) -> Object | None:
    """Be attached to a pod that was just made; gives the pod as it has ended, None where its end isn't waited for.

    Raises `CommandError`, `StatusError` and `ConnectionError`.
    """
    options = call.options
    running = _until(call, pod, _can_be_attached_to)
    if phase_of(running) in FINISHED_PHASES:
        _print_log(call, running)
    else:
        _attach_or_print_log(call, running)
    phases = _AT_ITS_END.get(options.text("restart"), ())
    if options.on("leave-stdin-open") or not phases:
        return None
    return _until(call, pod, lambda now: phase_of(now) in phases)


def exit_status(session: Session, pod: Object) -> int:
    """The exit status of a pod that has ended: its container's, of which one is told that is none of success. Raises `CommandError`."""
    if phase_of(pod) == "Succeeded":
        return 0
    named = f"pod {namespace_of(pod)}/{name_of(pod)}"
    first, *_ = get_path(pod, "status.containerStatuses") or [{}]
    terminated: Object = get_path(first, "state.terminated") or {}
    status: int = terminated.get("exitCode", 0)
    if not status:
        raise CommandError(f"{named} failed with unknown exit code")
    text = f"{named} terminated ({terminated.get('reason', '')})\n{terminated.get('message', '')}"
    session.err.write(harmless(text.removesuffix("\n")) + "\n")
    return status


def _can_be_attached_to(pod: Object) -> bool:
    """It can't any more once it has ended, but then no waiting helps."""
    return phase_of(pod) in FINISHED_PHASES or (phase_of(pod) == "Running" and is_ready(pod))


def _until(call: Call, pod: Object, met: Callable[[Object], bool]) -> Object:
    """The pod as soon as that is so. Raises `StatusError` where the pod is gone, `CommandError` where it takes too long."""
    session, last = call.session, pod
    pods, timeout_s = session.discovery.find("pods"), call.options.seconds("pod-running-timeout")
    for now in states(session, pods, namespace_of(pod), name_of(pod), timeout_s):
        if now is None or uid_of(now) != uid_of(pod):
            raise StatusError(404, "NotFound", f'pods "{name_of(pod)}" not found')
        if met(now):
            return now
        last = now
    error = CommandError("timed out waiting for the condition")
    error.add_note(harmless(_held_up_by(last)))
    raise error


def _held_up_by(pod: Object) -> str:
    """Why a pod hasn't got on, on one line, as far as the pod itself says so; else empty."""
    every = [get_path(status, "state.waiting") for status in get_path(pod, "status.containerStatuses") or ()]
    reasons = [one for one in (*every, condition(pod, "PodScheduled")) if one and one.get("message")]
    if not reasons:
        return ""
    reason, message = reasons[0].get("reason", ""), " ".join(reasons[0]["message"].split())
    return f"(pod {namespace_of(pod)}/{name_of(pod)}: {reason}: {message})\n"


def _attach_or_print_log(call: Call, pod: Object) -> None:
    options, session = call.options, call.session
    try:
        attach(session, pod, "", AttachManner(options.on("stdin"), options.on("tty"), options.on("quiet")))
    except (CommandError, StatusError, ConnectionError) as error:
        if isinstance(error, BrokenPipeError):
            raise  # it is our reader who has gone
        why = harmless(f"couldn't attach to pod/{name_of(pod)}, falling back to streaming logs: {error}")
        session.err.write(f"warning: {why}\n")
        _print_log(call, pod)


def _print_log(call: Call, pod: Object) -> None:
    """All that a pod has said so far."""
    session = call.session
    container = default_container(session, pod, quiet=call.options.on("quiet"))
    path = session.discovery.find("pods").path(namespace_of(pod), name_of(pod), "log")
    session.out.write(session.send("GET", path, {"container": container}, accept="*/*").body.decode("utf-8", "replace"))
