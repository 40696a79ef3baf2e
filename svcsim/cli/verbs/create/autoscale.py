"""``autoscale``: an autoscaler for what is there already."""

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Call, Command, Flag
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.select import select_to_scale
from svcsim.cli.verbs.create.from_flags import MAKING_FLAGS, Maker, manager_flag, new
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object


def run(call: Call) -> None:
    """Create an autoscaler for each of the objects named."""
    require(call, "max")
    low, high = call.options.number("min"), call.options.number("max")
    if high < 1:
        raise CommandError(f"--max=MAXPODS is required and must be at least 1, max: {high}")
    if high < low:
        raise CommandError(f"--max=MAXPODS must be larger or equal to --min=MINPODS, max: {high}, min: {low}")
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
    if options.number("cpu-percent") >= 0:
        spec["targetCPUUtilizationPercentage"] = options.number("cpu-percent")
    obj = new("autoscaling/v1", "HorizontalPodAutoscaler", options.text("name") or item.name)
    return {**obj, "spec": spec, "status": {"currentReplicas": 0, "desiredReplicas": 0}}


AUTOSCALE = Command(
    "autoscale",
    "autoscale (-f FILENAME | TYPE NAME) [--min=MIN] --max=MAX [--cpu-percent=PERCENT] [flags]",
    "Create an autoscaler for a deployment, a replica set, a stateful set or a replication controller.",
    (
        *FILE_FLAGS,
        Flag("min", "int32", -1, "The lowest number of pods."),
        Flag("max", "int32", -1, "The highest number of pods."),
        Flag("cpu-percent", "int32", -1, "The target CPU utilization of the pods, in percent of their requests."),
        Flag("name", doc="The name of the autoscaler; that of the object by default."),
        *MAKING_FLAGS,
        manager_flag("kubectl-autoscale"),
    ),
    run,
    completes="scalable",
)
