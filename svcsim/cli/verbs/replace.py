"""``replace``: objects as files have them, in place of what is there; nothing is merged."""

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.creation import create_item
from svcsim.cli.shared.deletion import CASCADE_FLAG, cascade, delete_item, wait_deleted
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.raw import send_file
from svcsim.cli.shared.reporting import Reporter
from svcsim.cli.shared.write_options import dry_run, field_validation
from svcsim.cli.verbs.create.from_files import FILE_WRITE_FLAGS, items_of, to_be_sent
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object


def run(call: Call) -> None:
    """Replace the objects by those in the files."""
    if call.options.text("raw"):
        send_file(call, "PUT")
        return
    dry = dry_run(call)
    _check(call, dry)
    items, errors = items_of(call, "replace")
    report = Reporter(call, dry)
    query = {**field_validation(call, dry), "fieldManager": call.options.text("field-manager")}
    below = f"/{call.options.text('subresource')}" if call.options.text("subresource") else ""
    if call.options.on("force"):
        _delete_first(call, items)
    failed: list[Exception] = []
    for item in items:
        obj = to_be_sent(call, item)
        try:
            if dry == "client":
                report.done(obj, "replaced")
            elif call.options.on("force"):
                report.done(create_item(call.session, item, obj, query), "replaced")
            else:
                report.done(call.session.write("PUT", f"{item.path}{below}", _at_newest_revision(call, item, obj), query), "replaced")
        except (StatusError, CommandError) as error:
            failed.append(with_source(error, "replacing", item.source))
    raise_all([*failed, *errors])


def _check(call: Call, dry: str) -> None:
    """Refuse flags that don't go together. What is deleted first can't be deleted in a dry run: then nothing could be created after it."""
    if call.options.on("force") and dry != "none":
        raise CommandError("--dry-run can not be used when --force is set")
    if call.options.number("grace-period") >= 0 and not call.options.on("force"):
        raise CommandError("--grace-period must have --force specified")
    if call.options.seconds("timeout") and not call.options.on("force"):
        raise CommandError("--timeout must have --force specified")
    cascade(call)


def _at_newest_revision(call: Call, item: Item, obj: Object) -> Object:
    """A file without a revision replaces whatever is there now."""
    if metadata_of(obj).get("resourceVersion"):
        return obj
    try:
        current = call.session.get(item.path)
    except StatusError as error:
        if error.code == 404:
            return obj  # replacing what isn't there is for the server to refuse
        raise
    return {**obj, "metadata": {**metadata_of(obj), "resourceVersion": metadata_of(current).get("resourceVersion")}}


def _delete_first(call: Call, items: list[Item]) -> None:
    grace, policy = call.options.number("grace-period"), cascade(call)
    deleted = []
    for item in items:
        try:
            deleted.append((item, delete_item(call, item, grace, policy, "none")))
        except StatusError as error:
            if error.code != 404:
                raise
            continue
        call.session.out.write(f'{item.resource.print_kind} "{item.name}" deleted\n')
    raise_all(wait_deleted(call, deleted, call.options.seconds("timeout") or None))


REPLACE = Command(
    "replace",
    "replace -f FILENAME [flags]",
    "Replace objects with those in files.",
    (
        *FILE_WRITE_FLAGS,
        Flag("field-manager", default="kubectl-replace", doc="The name of the field manager."),
        switch("force", "Delete the objects first, then create them again."),
        Flag("grace-period", "int64", -1, "With --force: seconds the object has to terminate."),
        Flag("timeout", "duration", 0.0, "With --force: how long to wait until the objects are gone; 0 means without limit."),
        CASCADE_FLAG,
        Flag("subresource", doc="Replace this subresource of the objects, such as status or scale."),
        Flag("raw", doc="Send the one file as it is in a PUT request to this path."),
    ),
    run,
)
