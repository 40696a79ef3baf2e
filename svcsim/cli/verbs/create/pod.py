"""``run``: a pod from flags."""

import re

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Call, Command, Flag, UsageError, switch
from svcsim.cli.shared.arguments import require
from svcsim.cli.verbs.create.from_flags import MAKING_FLAGS, Maker, manager_flag, new
from svcsim.cli.verbs.create.numbers import read_decimal
from svcsim.cli.verbs.create.overrides import OVERRIDE_FLAGS, overridden
from svcsim.cli.verbs.create.sources import VARIABLE
from svcsim.cli.verbs.create.workloads import container
from svcsim.meta.types import Object

_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/_-]*(@[A-Za-z0-9_+.-]+:[0-9a-fA-F]+)?")


def run(call: Call) -> None:
    """Create a pod, and with ``--expose`` a service in front of it."""
    options = call.options
    require(call, "image")
    if not call.args:
        raise _usage("NAME is required for run")
    _check(call)
    name = call.args[0]
    if not name:
        raise CommandError("Parameter: name is required")
    labels = key_values(options.text("labels")) if options.text("labels") else {"run": name}
    service = _service(call, name, labels) if options.on("expose") else None
    pod = overridden(call, _pod(call, name, labels))
    maker = Maker(call)
    if service is not None:
        maker.make(service)
        if options.text("output") == "yaml":
            call.session.out.write("---\n")
    maker.make(pod)


def _usage(text: str) -> UsageError:
    return UsageError(f"error: {text}\nSee 'svcsim run -h' for help and examples")


def _check(call: Call) -> None:
    options = call.options
    image = options.text("image")
    if not image:
        raise CommandError("--image is required")
    if not _IMAGE.fullmatch(image):
        raise CommandError(f'Invalid image name "{image}": invalid reference format')
    if any(options.on(name) for name in ("stdin", "tty", "attach")):
        raise CommandError("svcsim can't attach to containers; leave out --attach, --stdin and --tty, and read logs with: svcsim logs")
    if options.on("rm"):
        raise _usage("--rm should only be used for attached containers")
    if options.on("expose") and not options.text("port"):
        raise _usage("--port must be set when exposing a service")
    if options.text("restart") not in ("", "Always", "OnFailure", "Never"):
        raise _usage(f"invalid restart policy: {options.text('restart')}")
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
        switch("attach", "svcsim can't."),
        switch("stdin", "svcsim can't.", "i"),
        switch("tty", "svcsim can't.", "t"),
        switch("rm", "svcsim can't."),
        switch("quiet", "Has no effect here.", "q"),
        *OVERRIDE_FLAGS,
        *MAKING_FLAGS,
        manager_flag("kubectl-run"),
    ),
    run,
)
