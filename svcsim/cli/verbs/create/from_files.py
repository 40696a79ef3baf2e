"""``create -f``: objects as files have them."""

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.creation import create_item
from svcsim.cli.shared.files import FILE_FLAGS, load_items, require_files
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key, with_last_applied
from svcsim.cli.shared.raw import send_file
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, VALIDATE_FLAG, dry_run, field_validation, validates
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object


def create(call: Call) -> None:
    """Create the objects in the files."""
    if call.options.text("raw"):
        send_file(call, "POST")
        return
    items, errors = items_of(call, "create")
    dry = dry_run(call)
    report = Reporter(call, dry)
    query = {**field_validation(call, dry), "fieldManager": call.options.text("field-manager")}
    failed: list[Exception] = []
    for item in items:
        obj = to_be_sent(call, item)
        try:
            report.done(obj if dry == "client" else create_item(call.session, item, obj, query), "created")
        except StatusError as error:
            failed.append(with_source(error, "creating", item.source))
    raise_all([*failed, *errors])


def items_of(call: Call, verb: str) -> tuple[list[Item], list[Exception]]:
    """The objects in the files a command is given, and what went wrong with the others."""
    require_files(call, verb)
    items, errors = load_items(
        call.session, call.options.items("filename"), recursive=call.options.on("recursive"), validated=validates(call)
    )
    if not items and not errors:
        raise CommandError(f"no objects passed to {verb}")
    return items, errors


def to_be_sent(call: Call, item: Item) -> Object:
    """The object in the file, with what ``--save-config`` adds."""
    return with_last_applied(item.obj, last_applied_key(call.session)) if call.options.on("save-config") else item.obj


FILE_WRITE_FLAGS = (
    *FILE_FLAGS,
    DRY_RUN_FLAG,
    *PRINT_FLAGS,
    VALIDATE_FLAG,
    switch("save-config", "Save the configuration in the annotation that apply uses."),
)


CREATE = Command(
    "create",
    "create -f FILENAME [flags]",
    "Create objects from files.",
    (
        *FILE_WRITE_FLAGS,
        Flag("field-manager", default="kubectl-create", doc="The name of the field manager."),
        Flag("raw", doc="Send the one file as it is in a POST request to this path."),
    ),
    create,
)
