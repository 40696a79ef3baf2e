"""``delete``: objects by name, by file, by selector; waiting until they are gone, unless --wait=false says otherwise."""

import sys

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Flag, switch
from svcsim.cli.output.printers import NamePrinter
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.deletion import CASCADE_FLAG, cascade, delete_item, deletion_told, wait_deleted
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.raw import check_raw_path
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_run
from svcsim.meta.errors import StatusError

FORCE_WARNING = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely.\n"
)
NOT_IN_A_NAMESPACE = "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n"


def grace_period(call: Call) -> int:
    """Seconds an object gets to end; -1 leaves that to the object."""
    options = call.options
    seconds = options.number("grace-period")
    if options.on("now"):
        if seconds != -1:
            raise CommandError("--now and --grace-period cannot be specified together")
        seconds = 1
    if seconds == 0 and not options.on("force"):
        return 1
    if options.on("force"):
        if seconds > 0:
            raise CommandError("--force and --grace-period greater than 0 cannot be specified together")
        return 0
    return seconds


def _check_raw(call: Call) -> None:
    """Refuse what a plain request can't be given."""
    options = call.options
    if call.args:
        raise CommandError("arguments may not be passed when --raw is specified")
    for name in ("recursive", "output"):
        if name in options.given:
            raise CommandError(f"--raw and --{name} are mutually exclusive")
    check_raw_path(options.text("raw"))


def run(call: Call) -> None:
    options, session = call.options, call.session
    if options.text("raw"):
        _check_raw(call)
        session.out.write(session.send("DELETE", options.text("raw"), raw=True).body.decode("utf-8", "replace"))
        return
    if options.on("all") and (options.text("selector") or options.text("field-selector")):
        raise CommandError("setting 'all' parameter but found a non empty selector. ")
    if options.text("output") not in ("", "name"):
        raise CommandError(f"unexpected -o output mode: {options.text('output')}. We only support '-o name'")
    grace, dry, policy = grace_period(call), dry_run(call), cascade(call)
    if options.on("force") and grace == 0:
        session.err.write(FORCE_WARNING)
    collections = bool(options.on("all") or options.text("selector") or options.text("field-selector"))
    selection = select(call, fetch=False)
    ignore_missing = options.on("ignore-not-found") or (options.on("all") and "ignore-not-found" not in options.given)
    errors = [e for e in selection.errors if not (ignore_missing and isinstance(e, StatusError) and e.code == 404)]
    if not selection.items and not errors and collections:
        session.out.write("No resources found\n")
        session.err.write(session.which.doubt())
        return
    if options.on("interactive") and not _confirmed(call, selection.items):
        return
    given = session.which.namespace_given and not options.on("all-namespaces")
    if given and any(not item.resource.namespaced for item in selection.items):
        session.err.write(NOT_IN_A_NAMESPACE)
    deleted: list[tuple[Item, str]] = []
    for item in selection.items:
        try:
            uid = delete_item(call, item, grace, policy, dry)
        except (StatusError, CommandError) as error:
            if not (isinstance(error, StatusError) and error.code == 404 and ignore_missing):
                errors.append(with_source(error, "deleting", item.source))
            continue
        _say(call, item, grace, dry)
        deleted.append((item, uid))
    if options.on("wait") and dry == "none" and deleted:
        errors += wait_deleted(call, deleted, options.seconds("timeout") or None)
    raise_all(errors)


def _say(call: Call, item: Item, grace: int, dry: str) -> None:
    out = call.session.out
    if call.options.text("output") == "name":
        out.write(f"{item.resource.print_kind}/{item.name}\n")
        return
    out.write(deletion_told(item, grace, dry))


def _confirmed(call: Call, items: list[Item]) -> bool:
    out = call.session.out
    out.write(f"You are about to delete the following {len(items)} resource(s):\n")
    for item in items:
        NamePrinter().print({"apiVersion": item.resource.api_version, "kind": item.resource.kind, "metadata": {"name": item.name}}, out)
    out.write("Do you want to continue? (y/n): ")
    out.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    out.write("deletion is cancelled\n")
    return False


DELETE = Command(
    "delete",
    "delete ([-f FILENAME] | TYPE [(NAME | -l label | --all)]) [flags]",
    "Delete objects by files, names, or types and selectors.",
    (
        *FILE_FLAGS,
        ALL_FLAG,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        FIELD_SELECTOR_FLAG,
        CASCADE_FLAG,
        DRY_RUN_FLAG,
        switch("force", "Delete immediately, without graceful termination."),
        Flag("grace-period", "int64", -1, "Seconds the object has to terminate; negative means the object's own default."),
        switch("now", "The same as --grace-period=1."),
        switch("ignore-not-found", "Don't fail if an object doesn't exist."),
        switch("interactive", "Ask before deleting.", "i"),
        Flag("output", doc="The output format: name.", short="o", choices=("name",)),
        Flag("raw", doc="Send a DELETE request to this path."),
        Flag("timeout", "duration", 0.0, "How long to wait until the objects are gone; 0 means without limit."),
        switch("wait", "Wait until the objects are gone.", default=True),
    ),
    run,
    completes="resource",
)
