"""``run``: a pod from flags, with ``--attach`` to attach to it."""

import re
from contextlib import nullcontext

from svcsim.cli.failure import CommandError, error_text, raise_all
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.verbs.create.attached import attached, exit_status
from svcsim.cli.verbs.create.from_flags import MAKING_FLAGS, Maker, manager_flag, new
from svcsim.cli.verbs.create.numbers import read_decimal
from svcsim.cli.verbs.create.overrides import OVERRIDE_FLAGS, overridden
from svcsim.cli.verbs.create.removal import answered_first, removed_afterwards
from svcsim.cli.verbs.create.sources import VARIABLE
from svcsim.cli.verbs.create.workloads import container
from svcsim.cli.verbs.exec import time_to_wait
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/_-]*(@[A-Za-z0-9_+.-]+:[0-9a-fA-F]+)?")


def run(call: Call) -> int:
    """Create a pod, and with ``--expose`` a service in front of it; with ``--attach`` be attached to it. Gives the exit status."""
    options = call.options
    require(call, "image")
    maker = Maker(call)
    attaching = options.on("attach") or (options.on("stdin") and "attach" not in options.given)
    _check(call, maker.dry, attaching=attaching)
    name = call.args[0]
    if not name:
        raise CommandError("Parameter: name is required")
    labels = key_values(options.text("labels")) if options.text("labels") else {"run": name}
    pod = overridden(call, _pod(call, name, labels))
    service = _service(call, name, labels) if options.on("expose") else None
    if attaching:
        return _run_attached(call, maker, pod, service)
    pod = maker.send(pod)
    errors = _expose(call, maker, service, [])
    maker.tell(pod)
    raise_all(errors)
    return 0


def _run_attached(call: Call, maker: Maker, pod: Object, service: Object | None) -> int:
    made: list[Object] = []
    with removed_afterwards(call, made) if call.options.on("rm") else nullcontext():
        with answered_first():
            made.append(maker.send(pod))
            refused = _expose(call, maker, service, made)
        for error in refused:
            call.session.err.write(f"{error_text(error)}\n")
        ended = attached(call, made[0])
    return 0 if ended is None else exit_status(call.session, ended)


def _expose(call: Call, maker: Maker, service: Object | None, made: list[Object]) -> list[Exception]:
    """Create the service, if there is to be one, and add it to what was made; gives what went wrong."""
    if service is None:
        return []
    try:
        made.append(maker.send(service))
    except StatusError as error:
        return [error]
    maker.tell(made[-1])
    if call.options.text("output") == "yaml":
        call.session.out.write("---\n")
    return []


def _usage(text: str) -> UsageError:
    return UsageError(f"error: {text}\nSee 'svcsim run -h' for help and examples")


def _check(call: Call, dry: str, *, attaching: bool) -> None:
    """Refuse what can't be meant, in the order in which kubectl does."""
    options = call.options
    if not call.args:
        raise _usage("NAME is required for run")
    time_to_wait(call, "run")
    image = options.text("image")
    if not image:
        raise CommandError("--image is required")
    if not _IMAGE.fullmatch(image):
        raise CommandError(f'Invalid image name "{image}": invalid reference format')
    if options.on("tty") and not options.on("stdin"):
        raise _usage("-i/--stdin is required for containers with -t/--tty=true")
    if options.on("expose") and not options.text("port"):
        raise _usage("--port must be set when exposing a service")
    if options.text("restart") not in ("", "Always", "OnFailure", "Never"):
        raise _usage(f"invalid restart policy: {options.text('restart')}")
    if options.on("rm") and not attaching:
        raise _usage("--rm should only be used for attached containers")
    if attaching and dry != "none":
        raise _usage("--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)")
    if options.text("image-pull-policy") not in ("", "Always", "IfNotPresent", "Never"):
        raise _usage(f"invalid image pull policy: {options.text('image-pull-policy')}")


def _pod(call: Call, name: str, labels: Object) -> Object:
    options, words = call.options, call.args[1:]
    parts: Object = {"name": name, "image": options.text("image")}
    if words:
        parts["command" if options.on("command") else "args"] = words
    port = _port(call)
    if port:
        parts["ports"] = [{"containerPort": port}]
    env = [_variable(text) for text in filter(None, options.items("env"))]
    if env:
        parts["env"] = env
    parts["resources"] = container(name, "")["resources"]
    if options.text("image-pull-policy"):
        parts["imagePullPolicy"] = options.text("image-pull-policy")
    if options.on("privileged"):
        parts["securityContext"] = {"privileged": True}
    stdin = options.on("stdin")
    asked = {"stdin": stdin, "stdinOnce": stdin and not options.on("leave-stdin-open"), "tty": options.on("tty")}
    parts |= {field: True for field, on in asked.items() if on}
    annotations = dict(_annotation(text) for text in filter(None, options.items("annotations")))
    pod = new("v1", "Pod", name, labels=labels, annotations=annotations)
    pod["spec"] = {"containers": [parts], "restartPolicy": options.text("restart") or "Always", "dnsPolicy": "ClusterFirst"}
    pod["status"] = {}
    return pod


def _annotation(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"invalid annotations format: {text}")
    return key, value


def _service(call: Call, name: str, labels: Object) -> Object:
    service = new("v1", "Service", name, labels=labels if call.options.text("labels") else None)
    port = _port(call)
    service["spec"] = {"ports": [{"protocol": "TCP", "port": port, "targetPort": port}], "selector": labels}
    service["status"] = {"loadBalancer": {}}
    return service


def _port(call: Call) -> int:
    text = call.options.text("port")
    return read_decimal(text) if text else 0


def _variable(text: str) -> Object:
    name, equals, value = text.partition("=")
    if not equals or not VARIABLE.fullmatch(name):
        raise CommandError(f"invalid env: {text}")
    return {"name": name, "value": value} if value else {"name": name}


def key_values(text: str) -> Object:
    """The map that ``KEY=VALUE,…`` spells."""
    pairs: Object = {}
    for pair in text.split(","):
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise CommandError(f"unexpected label spec: {pair}")
        pairs[key] = value
    return pairs


RUN = Command(
    "run",
    "run NAME --image=IMAGE [--port=PORT] [--env=KEY=VALUE] [--command] [flags] [-- WORD...]",
    "Run an image in a pod.",
    (
        Flag("image", doc="The image to run."),
        switch("command", "Use the words as the command, not as its arguments."),
        Flag("env", "array", [], "An environment variable, as KEY=VALUE."),
        Flag("labels", doc="The pod's labels, as KEY=VALUE,….", short="l"),
        Flag("annotations", "array", [], "An annotation of the pod, as KEY=VALUE."),
        Flag("port", doc="The port of the container."),
        switch("expose", "Also create a service for that port."),
        Flag("restart", default="Always", doc="The restart policy: Always, OnFailure or Never.", choices=("Always", "OnFailure", "Never")),
        Flag("image-pull-policy", doc="The image pull policy: Always, IfNotPresent or Never.", choices=("Always", "IfNotPresent", "Never")),
        switch("privileged", "Run the container privileged."),
        switch("attach", "Wait until the pod runs, and attach to it; implied by -i. With --restart=Never, exit with its exit code."),
        switch("stdin", "Give the container a standard input, and send it what comes in here.", "i"),
        switch("tty", "Give the container a terminal.", "t"),
        switch("leave-stdin-open", "Keep the container's standard input open when the first client is gone."),
        switch("rm", "Delete the pod at the end, also after Ctrl-C; only with --attach or -i."),
        switch("quiet", "Print only what comes from the container, and errors.", "q"),
        Flag("pod-running-timeout", "duration", 60.0, "How long to wait until the pod runs, and then again until it has ended."),
        *OVERRIDE_FLAGS,
        *MAKING_FLAGS,
        manager_flag("kubectl-run"),
    ),
    run,
)
