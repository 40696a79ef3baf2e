"""``exec`` and ``attach``: a command in a container, or what its first process says."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.attaching import AttachManner, attach, refuse_completed
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.pods_meant import default_container, pod_meant, pod_of
from svcsim.cli.shared.remote_command import Wish, run_here, terminal_wanted
from svcsim.cli.shared.select import select
from svcsim.meta.types import Object

_SEE = "See 'svcsim exec -h' for help and examples"
_MOST_ATTACHED = 2
"""POD, TYPE/NAME, or TYPE NAME."""
CONTAINER_FLAG = Flag("container", doc="Container; by default the first, or the one an annotation names.", short="c", metavar="container")
RUNNING_FLAG = Flag("pod-running-timeout", "duration", 60.0, "How long to wait until there is a pod.")
_FLAGS = (
    CONTAINER_FLAG,
    switch("stdin", "Send what comes in here to the container.", "i"),
    switch("tty", "Standard input is a terminal.", "t"),
    switch("quiet", "Print only what comes from the container.", "q"),
    RUNNING_FLAG,
)


def run_exec(call: Call) -> int:
    """Run a command in a container."""
    options = call.options
    files = options.items("filename")
    before = len(call.args) if options.dash is None else options.dash
    words = call.args[before:]
    if not before and not files:
        raise CommandError("pod, type/name or --filename must be specified")
    if options.dash is None and before > (0 if files else 1):
        raise UsageError(f"error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n{_SEE}")
    if before > 1 and not files:
        raise UsageError(f"error: expected 'exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]'.\n{_SEE}")
    if not words:
        raise CommandError("you must specify at least one command for the container")
    if files and before:
        raise CommandError("resource/name arguments cannot be provided when a path is specified")
    timeout_s = time_to_wait(call, "exec")
    pod = _of_files(call, timeout_s) if files else pod_meant(call.session, call.args[0], timeout_s)[1]
    refuse_completed(pod, "exec into a container")
    stdin, quiet = options.on("stdin"), options.on("quiet")
    # Whether it is there is for the server to say.
    container = options.text("container") or default_container(call.session, pod, quiet=quiet)
    tty = terminal_wanted(call.session, stdin=stdin, tty=options.on("tty"), quiet=quiet)
    return run_here(call.session, pod, Wish("exec", container, tuple(words), tty), stdin=stdin)


def run_attach(call: Call) -> int:
    """Show what a container's first process says from now on."""
    options = call.options
    if not call.args:
        raise CommandError("at least 1 argument is required for attach")
    if len(call.args) > _MOST_ATTACHED:
        saw = f"{len(call.args)}: [{' '.join(call.args)}]"
        raise CommandError(f"expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {saw}")
    timeout_s = time_to_wait(call, "attach")
    pod = pod_meant(call.session, call.args[-1], timeout_s, call.args[0] if len(call.args) > 1 else "pods")[1]
    return attach(call.session, pod, options.text("container"), AttachManner(options.on("stdin"), options.on("tty"), options.on("quiet")))


def time_to_wait(call: Call, command: str) -> float:
    """How long to wait for a pod. Raises `UsageError` for a time that is none."""
    seconds = call.options.seconds("pod-running-timeout")
    if seconds <= 0:
        why = "--pod-running-timeout must be higher than zero"
        raise UsageError(f"error: {why}\nSee 'svcsim {command} -h' for help and examples")
    return seconds


def _of_files(call: Call, timeout_s: float) -> Object:
    """The pod that is meant by the one object of files: what that says of it is believed, as kubectl does."""
    selection = select(call._replace(args=[]), fetch=False)
    for error in selection.errors:
        raise error
    if not selection.items:
        raise CommandError("no objects passed to exec")
    if not selection.single:
        raise CommandError("cannot exec into multiple objects at a time")
    item = selection.items[0]
    return pod_of(call.session, {**item.obj, "metadata": {**item.obj["metadata"], "namespace": item.namespace}}, timeout_s)


EXEC = Command(
    "exec",
    "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    "Execute a command in a container.",
    (*_FLAGS, *FILE_FLAGS[:1]),
    run_exec,
    completes="pod",
)
ATTACH = Command(
    "attach",
    "attach (POD | TYPE/NAME) -c CONTAINER [flags]",
    "Attach to a process that is already running inside an existing container.",
    _FLAGS,
    run_attach,
    completes="pod",
)
