"""``autoscale``: an autoscaler for what is there already."""

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.select import select_to_scale
from svcsim.cli.verbs.create.from_flags import MAKING_FLAGS, Maker, manager_flag, new
from svcsim.meta import quantity
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

_RESOURCES = ("cpu", "memory")
_MOST = 2**31
"""Percentages are numbers of 32 bits."""


def run(call: Call) -> None:
    """Create an autoscaler for each of the objects named."""
    require(call, "max")
    low, high = call.options.number("min"), call.options.number("max")
    if high < 1:
        raise CommandError(f"--max=MAXPODS is required and must be at least 1, max: {high}")
    if high < low:
        raise CommandError(f"--max=MAXPODS must be larger or equal to --min=MINPODS, max: {high}, min: {low}")
    if call.options.text("cpu") and call.options.number("cpu-percent") >= 0:
        raise CommandError("--cpu and --cpu-percent say the same; give only one of them")
    selection = select_to_scale(call)
    errors = selection.errors
    maker = Maker(call, "autoscaled", tried="created")
    for item in selection.items:
        try:
            maker.make(_autoscaler(call, item))
        except (StatusError, CommandError) as error:
            errors.append(error)
    raise_all(errors)


def _autoscaler(call: Call, item: Item) -> Object:
    if "scale" not in item.resource.subresources:
        resource = f"{item.resource.group}/{item.resource.version}, Resource={item.resource.plural}"
        raise CommandError(
            f"cannot autoscale a {item.resource.kind}: could not find scale subresource for {resource} in discovery information"
        )
    options = call.options
    spec: Object = {"scaleTargetRef": {"kind": item.resource.kind, "name": item.name, "apiVersion": item.resource.api_version}}
    if options.number("min") > 0:
        spec["minReplicas"] = options.number("min")
    spec["maxReplicas"] = options.number("max")
    metrics = [_metric(resource, options.text(resource)) for resource in _RESOURCES if options.text(resource)]
    if metrics:
        obj = new("autoscaling/v2", "HorizontalPodAutoscaler", options.text("name") or item.name)
        return {**obj, "spec": {**spec, "metrics": metrics}}
    if options.number("cpu-percent") >= 0:
        spec["targetCPUUtilizationPercentage"] = options.number("cpu-percent")
    obj = new("autoscaling/v1", "HorizontalPodAutoscaler", options.text("name") or item.name)
    return {**obj, "spec": spec, "status": {"currentReplicas": 0, "desiredReplicas": 0}}


def _metric(resource: str, wanted: str) -> Object:
    """What a target says: a share of what is requested (``80%``), or an amount (``500m``)."""
    percent = wanted.removesuffix("%")
    if percent != wanted:
        if not (percent.isascii() and percent.isdigit() and 0 < int(percent) < _MOST):
            raise CommandError(f'--{resource}={wanted}: "{percent}" is not a percentage above 0')
        target: Object = {"type": "Utilization", "averageUtilization": int(percent)}
    else:
        try:
            amount = quantity.canonical(wanted)
        except ValueError as error:
            raise CommandError(f"--{resource}={wanted}: {error}") from error
        target = {"type": "AverageValue", "averageValue": amount}
    return {"type": "Resource", "resource": {"name": resource, "target": target}}


AUTOSCALE = Command(
    "autoscale",
    "autoscale (-f FILENAME | TYPE NAME) [--min=MIN] --max=MAX [--cpu=TARGET] [--memory=TARGET] [flags]",
    "Create an autoscaler for a deployment, a replica set, a stateful set or a replication controller.",
    (
        *FILE_FLAGS,
        Flag("min", "int32", -1, "The lowest number of pods."),
        Flag("max", "int32", -1, "The highest number of pods."),
        Flag("cpu", doc="The target CPU use of each pod: a share of its request (80%), or an amount (500m)."),
        Flag("memory", doc="The target memory use of each pod: a share of its request (60%), or an amount (200Mi)."),
        Flag("cpu-percent", "int32", -1, "The target CPU utilization of the pods, in percent of their requests."),
        Flag("name", doc="The name of the autoscaler; that of the object by default."),
        *MAKING_FLAGS,
        manager_flag("kubectl-autoscale"),
    ),
    run,
    completes="scalable",
)
