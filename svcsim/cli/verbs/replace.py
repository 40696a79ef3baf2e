"""``create -f`` and ``replace``: objects as files have them, without merging."""

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Call, Command, Flag, UsageError, switch
from svcsim.cli.shared.files import FILE_FLAGS, load_items
from svcsim.cli.shared.select import Item
from svcsim.cli.shared.writing import MANAGED_FIELDS_FLAG, OUTPUT_FLAG, VALIDATE_FLAG, Reporter, field_validation
from svcsim.cli.verbs.apply.client_side import with_last_applied
from svcsim.cli.verbs.delete import DRY_RUN_FLAG, delete_item, dry_run
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object


def create(call: Call) -> None:
    """Create the objects in the files."""
    items, errors = _load(call, "create")
    dry = dry_run(call)
    report = Reporter(call, dry)
    query = {**field_validation(call, dry), "fieldManager": call.options.text("field-manager")}
    for item in items:
        obj = _prepared(call, item)
        try:
            path = item.resource.path(item.namespace)
            report.done(obj if dry == "client" else call.session.write("POST", path, obj, query), "created")
        except StatusError as error:
            errors.append(with_source(error, "creating", item.source))
    raise_all(errors)


def replace(call: Call) -> None:
    """Replace the objects by those in the files."""
    items, errors = _load(call, "replace")
    dry = dry_run(call)
    report = Reporter(call, dry)
    query = {**field_validation(call, dry), "fieldManager": call.options.text("field-manager")}
    if call.options.on("force"):
        _delete_first(call, items)
    for item in items:
        obj = _prepared(call, item)
        try:
            if dry == "client":
                report.done(obj, "replaced")
            elif call.options.on("force"):
                report.done(call.session.write("POST", item.resource.path(item.namespace), obj, query), "replaced")
            else:
                report.done(call.session.write("PUT", item.path, _at_newest_revision(call, item, obj), query), "replaced")
        except StatusError as error:
            errors.append(with_source(error, "replacing", item.source))
    raise_all(errors)


def _load(call: Call, verb: str) -> tuple[list[Item], list[Exception]]:
    if call.args:
        raise UsageError(f"error: Unexpected args: [{' '.join(call.args)}]\nSee 'svcsim {verb} -h' for help and examples")
    if not call.options.items("filename"):
        raise CommandError("must specify one of -f and -k")
    loaded, errors = load_items(call.session, call.options.items("filename"), recursive=call.options.on("recursive"))
    if not loaded and not errors:
        raise CommandError(f"no objects passed to {verb}")
    return [Item(*item) for item in loaded], errors


def _prepared(call: Call, item: Item) -> Object:
    if not call.options.on("save-config"):
        return item.obj
    return with_last_applied(item.obj, call.session.dialect.key("last-applied-configuration", "kubectl"))


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
    from svcsim.cli.verbs.wait import wait_deleted  # noqa: PLC0415 - only with --force

    grace = call.options.number("grace-period")
    deleted = []
    for item in items:
        try:
            deleted.append((item, delete_item(call, item, grace, "Background", "none")))
        except StatusError as error:
            if error.code != 404:
                raise
            continue
        call.session.out.write(f'{item.resource.print_kind} "{item.name}" deleted\n')
    raise_all(wait_deleted(call, deleted, None))


_COMMON = (
    *FILE_FLAGS,
    DRY_RUN_FLAG,
    OUTPUT_FLAG,
    MANAGED_FIELDS_FLAG,
    VALIDATE_FLAG,
    switch("save-config", "Keep the file's content in the annotation that apply reads."),
)

CREATE = Command(
    "create",
    "create -f FILENAME [flags]",
    "Create objects from files.",
    (*_COMMON, Flag("field-manager", default="kubectl-create", doc="The name under which fields are owned.")),
    create,
)

REPLACE = Command(
    "replace",
    "replace -f FILENAME [flags]",
    "Replace objects by those in files.",
    (
        *_COMMON,
        Flag("field-manager", default="kubectl-replace", doc="The name under which fields are owned."),
        switch("force", "Delete the objects first, then create them anew."),
        Flag("grace-period", "int", -1, "With --force: seconds the object gets to end."),
    ),
    replace,
)
