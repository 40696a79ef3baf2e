"""``create deployment``, ``create job`` and ``create cronjob``."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, words
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call
from svcsim.cli.verbs.create.from_flags import creator, new
from svcsim.meta.objects import metadata_of, uid_of
from svcsim.meta.types import Object


def command_of(call: Call) -> list[str]:
    """The words behind the name: what a container is to run."""
    return call.args[1:]


def container(name: str, image: str, *, command: list[str] | None = None, ports: list[Object] | None = None) -> Object:
    """A container, with the empty resources that typed clients show."""
    obj: Object = {"name": name, "image": image}
    if command:
        obj["command"] = command
    if ports:
        obj["ports"] = ports
    obj["resources"] = {}
    return obj


def image_name(image: str) -> str:
    """A container's name from its image: the last part, without tag and digest."""
    name = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    if "_" not in name and "." not in name:
        return name
    from svcsim.chance import Chance

    return f"{name.replace('_', '-').replace('.', '-')}-{Chance().suffix()}"


def deployment(call: Call, name: str) -> Object:
    """A deployment of one container an image."""
    require(call, "image")
    options, command = call.options, command_of(call)
    images = options.items("image")
    if len(images) > 1 and command:
        raise CommandError("cannot specify multiple --image options and command")
    ports: list[Object] = [{"containerPort": options.number("port")}] if options.number("port") >= 0 else []
    containers = [
        container(image_name(image), image, command=command, ports=ports if index == 0 else None) for index, image in enumerate(images)
    ]
    labels = {"app": name}
    obj = new("apps/v1", "Deployment", name, labels=labels)
    obj["spec"] = {
        "replicas": options.number("replicas"),
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"creationTimestamp": None, "labels": labels}, "spec": {"containers": containers}},
        "strategy": {},
    }
    obj["status"] = {}
    return obj


def job(call: Call, name: str) -> Object:
    """A job that runs an image, or one run of a cron job."""
    image, source = call.options.text("image"), call.options.text("from")
    if bool(image) == bool(source):
        raise CommandError("either --image or --from must be specified")
    if source and command_of(call):
        raise CommandError("cannot specify --from and command")
    if source:
        return _job_of(call, name, source)
    obj = new("batch/v1", "Job", name)
    obj["spec"] = {"template": _template(name, image, command_of(call), "Never")}
    obj["status"] = {}
    return obj


def _job_of(call: Call, name: str, source: str) -> Object:
    """A job as a cron job makes it, started by hand."""
    kind, _, cron_name = source.partition("/")
    resource = call.session.discovery.find(kind)
    if resource.kind != "CronJob" or not cron_name:
        raise CommandError(f'from must be an existing cronjob: "{source}"')
    cron = call.session.get(resource.path(call.session.namespace, cron_name))
    template = (cron.get("spec") or {}).get("jobTemplate") or {}
    inner = metadata_of(template) if "metadata" in template else {}
    key = call.session.dialect.key("instantiate", "cronjob")
    obj = new("batch/v1", "Job", name, labels=inner.get("labels"), annotations={**(inner.get("annotations") or {}), key: "manual"})
    obj["metadata"]["ownerReferences"] = [
        {"apiVersion": resource.api_version, "kind": "CronJob", "name": cron_name, "uid": uid_of(cron), "controller": True}
    ]
    obj["spec"] = template.get("spec") or {}
    obj["status"] = {}
    return obj


def cron_job(call: Call, name: str) -> Object:
    require(call, "image", "schedule")
    template = _template(name, call.options.text("image"), command_of(call), call.options.text("restart") or "OnFailure")
    obj = new("batch/v1", "CronJob", name)
    obj["spec"] = {
        "schedule": call.options.text("schedule"),
        "jobTemplate": {"metadata": {"name": name, "creationTimestamp": None}, "spec": {"template": template}},
    }
    obj["status"] = {}
    return obj


def _template(name: str, image: str, command: list[str], restart: str) -> Object:
    spec = {"containers": [container(name, image, command=command)], "restartPolicy": restart}
    return {"metadata": {"creationTimestamp": None}, "spec": spec}


DEPLOYMENT = creator(
    "deployment NAME --image=IMAGE [--replicas=N] [--port=PORT] [flags] [-- COMMAND...]",
    "Create a deployment.",
    (
        words("image", "The image to run; repeat it for several containers."),
        Flag("port", "int32", -1, "The port of the first container."),
        Flag("replicas", "int32", 1, "The number of replicas.", "r"),
    ),
    deployment,
    failed="failed to create deployment:",
    aliases=("deploy",),
)
JOB = creator(
    "job NAME (--image=IMAGE | --from=cronjob/NAME) [flags] [-- COMMAND...]",
    "Create a job.",
    (Flag("image", doc="The image to run."), Flag("from", doc="The cron job to run once.")),
    job,
    failed="failed to create job:",
)
CRON_JOB = creator(
    "cronjob NAME --image=IMAGE --schedule=SCHEDULE [flags] [-- COMMAND...]",
    "Create a cron job.",
    (
        Flag("image", doc="The image to run."),
        Flag("schedule", doc="When to run it, as a cron expression."),
        Flag("restart", doc="The restart policy: OnFailure or Never.", choices=("OnFailure", "Never")),
    ),
    cron_job,
    failed="failed to create cronjob:",
    aliases=("cj",),
)
