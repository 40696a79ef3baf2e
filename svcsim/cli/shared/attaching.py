"""Being connected with what a container runs: for ``attach``, and for ``run``, which makes a container to be attached to."""

from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.pods_meant import default_container
from svcsim.cli.shared.remote_command import Wish, run_here, terminal_wanted
from svcsim.cli.shared.session import Session
from svcsim.meta.objects import name_of
from svcsim.meta.pods import CONTAINERS, FINISHED_PHASES, phase_of
from svcsim.meta.types import Object


class AttachManner(NamedTuple):
    """How one is attached."""

    stdin: bool
    """What comes in here goes to the container."""
    tty: bool
    quiet: bool
    """Nothing is said but what the container says."""


def attach(session: Session, pod: Object, name: str, manner: AttachManner) -> int:
    """Attach to a container until one side has closed; returns the exit status. Raises `CommandError` and `StatusError`.

    ``name`` is empty if the container isn't named.
    """
    refuse_completed(pod, "attach a container")
    name = name or default_container(session, pod, quiet=manner.quiet)
    container = _container(pod, name)
    if container is None:
        raise CommandError(f"cannot attach to the container: container {name} not found in pod {name_of(pod)}")
    tty = _terminal(session, container, manner)
    if not manner.quiet:
        session.err.write("If you don't see a command prompt, try pressing enter.\n")
    for stream in (session.out, session.err):
        stream.flush()
    status = run_here(session, pod, Wish("attach", name, (), tty), stdin=manner.stdin)
    if tty and not manner.quiet:
        session.out.write(_how_to_resume(pod, name))
    return status


def refuse_completed(pod: Object, doing: str) -> None:
    """Raises `CommandError` where nothing runs in a pod any more."""
    if phase_of(pod) in FINISHED_PHASES:
        raise CommandError(f"cannot {doing} in a completed pod; current phase is {phase_of(pod)}")


def _container(pod: Object, name: str) -> Object | None:
    spec = pod.get("spec") or {}
    return next((one for sort in CONTAINERS for one in spec.get(sort) or () if one["name"] == name), None)


def _terminal(session: Session, container: Object, manner: AttachManner) -> bool:
    """Whether there is to be a terminal: the container has one, and there is one here."""
    has_one = bool(container.get("tty"))
    if manner.tty and not has_one and not manner.quiet:
        session.err.write(f"error: Unable to use a TTY - container {container['name']} did not allocate one\n")
    return terminal_wanted(session, stdin=manner.stdin, tty=has_one, quiet=manner.quiet)


def _how_to_resume(pod: Object, container: str) -> str:
    """What is said when a session at a terminal is over whose container goes on, or is started again; empty where it isn't."""
    spec = pod.get("spec") or {}
    if spec.get("restartPolicy") != "Always":
        return ""
    command = f"'svcsim attach {name_of(pod)} -c {container} -i -t'"
    if any(one["name"] == container for one in spec.get("ephemeralContainers") or ()):
        lasting = "the ephemeral container will not be restarted but may be reattached using"
        return f"Session ended, {lasting} {command} if it is still running\n"
    return f"Session ended, resume using {command} command when the pod is running\n"
