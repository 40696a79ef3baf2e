"""``scale``: how many replicas there are to be."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError, listed, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import ALL_FLAG, SELECTOR_FLAG, select_to_scale
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.objects import get_path, metadata_of

if TYPE_CHECKING:
    from svcsim.meta.types import Object


def run(call: Call) -> None:
    require(call, "replicas")
    options = call.options
    replicas = options.number("replicas")
    if replicas < 0:
        raise CommandError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    if options.number("current-replicas") < -1:
        raise CommandError("The --current-replicas must specify an integer of -1 or greater")
    dry = dry_run(call)
    report = Reporter(call, dry)
    selection = select_to_scale(call)
    if not selection.items:
        raise CommandError(f"no objects passed to scale {listed(selection.errors)}".rstrip())
    if options.text("resource-version") and len(selection.items) != 1:
        raise CommandError("cannot use --resource-version with multiple resources")
    for item in selection.items:  # what can't be scaled ends it: the rest is left as it is
        if dry != "client":
            _scale(call, item, replicas, dry)
            if options.seconds("timeout"):
                _wait(item, call, replicas)
        report.done(item.obj, "scaled")
    raise_all(selection.errors)


def _scale(call: Call, item: Item, replicas: int, dry: str) -> None:
    options, session = call.options, call.session
    path = item.resource.path(item.namespace, item.name, "scale")
    patch: Object = {"spec": {"replicas": replicas}}
    expected, version = options.number("current-replicas"), options.text("resource-version")
    if expected >= 0 or version:
        scale = session.get(path)
        current = get_path(scale, "spec.replicas", 0)
        if expected >= 0 and current != expected:
            raise CommandError(f"Expected replicas to be {expected}, was {current}")
        own = metadata_of(scale).get("resourceVersion", "")
        if version and own != version:
            raise CommandError(f"Expected resource version to be {version}, was {own}")
        patch["metadata"] = {"resourceVersion": own}
    session.write("PATCH", path, patch, dry_query(dry), PATCH_TYPES["merge"])


def _wait(item: Item, call: Call, replicas: int) -> None:
    from svcsim.cli.shared.following import states

    for obj in states(call.session, item.resource, item.namespace, item.name, call.options.seconds("timeout")):
        if get_path(obj or {}, "status.replicas", 0) == replicas:
            return
    raise CommandError("timed out waiting for the condition")


SCALE = Command(
    "scale",
    "scale --replicas=COUNT (-f FILENAME | TYPE NAME) [flags]",
    "Set the number of replicas of a Deployment, ReplicaSet, StatefulSet or ReplicationController.",
    (
        *FILE_FLAGS,
        ALL_FLAG,
        SELECTOR_FLAG,
        DRY_RUN_FLAG,
        *PRINT_FLAGS,
        Flag("replicas", "int64", -1, "The new number of replicas."),
        Flag("current-replicas", "int64", -1, "Scale only if this is the current number."),
        Flag("resource-version", doc="Scale only if this is the object's resource version."),
        Flag("timeout", "duration", 0.0, "How long to wait until it is scaled; 0 means don't wait."),
    ),
    run,
    completes="scalable",
)
