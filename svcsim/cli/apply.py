"""``apply``: make objects be as files say.

By default the client works out what to change: it keeps what was applied last in an annotation and merges three ways (`three_way`), so
that what others set stays and what the user dropped goes. With ``--server-side`` the server does that, by who owns which field.
"""

from svcsim.cli.delete import DRY_RUN_FLAG, dry_run
from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.files import FILE_FLAGS, load_items
from svcsim.cli.flags import Call, Command, Flag, switch
from svcsim.cli.output.printers import FORMATS, make_printer
from svcsim.cli.output.values import compact_json
from svcsim.cli.select import SELECTOR_FLAG, Item
from svcsim.cli.session import Query
from svcsim.cli.three_way import merge
from svcsim.cli.writing import MANAGED_FIELDS_FLAG, OUTPUT_FLAG, VALIDATE_FLAG, Reporter, field_validation
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta import merge_patch
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, metadata_of
from svcsim.meta.types import Object

CONFLICT_ADVICE = """
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""


def run(call: Call) -> None:
    """Apply the files."""
    options = call.options
    if call.args:
        raise CommandError(f"Unexpected args: [{' '.join(call.args)}]\nSee 'svcsim apply -h' for help and examples")
    if not options.items("filename"):
        raise CommandError("must specify one of -f and -k")
    if options.on("force-conflicts") and not options.on("server-side"):
        raise CommandError("--force-conflicts only works with --server-side")
    if options.on("prune"):
        raise CommandError("--prune is not supported yet; delete what is no longer wanted with: svcsim delete")
    dry = dry_run(call)
    if options.on("server-side") and dry == "client":
        raise CommandError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if options.text("output") not in ("", "name"):
        make_printer(options.text("output"), formats=FORMATS)  # a mistake there should change nothing
    loaded, errors = load_items(call.session, options.items("filename"), recursive=options.on("recursive"))
    items = [Item(*item) for item in loaded if _selected(call, item.obj)]
    if not items and not errors:
        raise CommandError("no objects passed to apply")
    report = Reporter(call, dry, together=True)
    for item in items:
        try:
            if options.on("server-side"):
                _apply_on_server(call, item, dry, report)
            else:
                _apply_from_client(call, item, dry, report)
        except StatusError as error:
            errors.append(_explained(error, item))
    report.finish()
    raise_all(errors)


def _selected(call: Call, obj: Object) -> bool:
    text = call.options.text("selector")
    if not text:
        return True
    from svcsim.meta.selectors import parse_labels  # noqa: PLC0415 - only with -l

    return parse_labels(text).matches(metadata_of(obj).get("labels") or {})


def _explained(error: StatusError, item: Item) -> StatusError:
    if error.reason == "Conflict" and "conflict" in error.message and (error.details or {}).get("causes"):
        return StatusError(error.code, error.reason, error.message + CONFLICT_ADVICE, error.details)
    return error if error.message.startswith("error when") else with_source(error, "applying", item.source)


def _apply_on_server(call: Call, item: Item, dry: str, report: Reporter) -> None:
    manager = call.options.text("field-manager") if "field-manager" in call.options.given else "kubectl"
    query = {**field_validation(call, dry), "fieldManager": manager, "force": call.options.on("force-conflicts")}
    if "managedFields" in metadata_of(item.obj):
        raise StatusError(400, "BadRequest", "metadata.managedFields must be nil")
    report.done(call.session.write("PATCH", item.path, item.obj, query, PATCH_TYPES["apply"]), "serverside-applied")


def _apply_from_client(call: Call, item: Item, dry: str, report: Reporter) -> None:
    session = call.session
    key = session.dialect.key("last-applied-configuration", "kubectl")
    wanted = with_last_applied(item.obj, key)
    query = {**field_validation(call, dry), "fieldManager": call.options.text("field-manager")}
    if not item.name:
        raise CommandError(f'error when retrieving current configuration of:\nfrom "{item.source}": resource name may not be empty')
    try:
        current = session.get(item.path)
    except StatusError as error:
        if error.code != 404 or error.reason != "NotFound":
            raise with_source(error, "retrieving current configuration of", item.source) from error
        if dry == "client":
            report.done(wanted, "created")
            return
        try:
            created = session.write("POST", item.resource.path(item.namespace), wanted, query)
        except StatusError as refused:
            raise with_source(refused, "creating", item.source) from refused
        report.done(created, "created")
        return
    _change(call, item, (current, wanted), (key, dry, query), report)


def _change(call: Call, item: Item, states: tuple[Object, Object], how: tuple[str, str, Query], report: Reporter) -> None:
    """Bring an object that is there already from its current to its wanted state."""
    (current, wanted), (key, dry, query) = states, how
    last = annotations_of(current).get(key)
    if last is None and dry != "client":
        call.session.err.write(
            f"Warning: resource {item.resource.plural}/{item.name} is missing the {key} annotation which is required by svcsim apply. "
            "svcsim apply should only be used on resources created declaratively by either svcsim create --save-config or svcsim apply. "
            "The missing annotation will be patched automatically.\n"
        )
    target = merge(parse_last_applied(last), wanted, current)
    patch = merge_patch.diff(current, target)
    if not patch:
        report.done(current, "unchanged")
        return
    if dry == "client":
        report.done(target, "configured")
        return
    try:
        changed = call.session.write("PATCH", item.path, patch, query, PATCH_TYPES["merge"])
    except StatusError as error:
        raise with_source(
            error, f'applying patch:\n{compact_json(patch)}\nto:\nResource: "{item.resource.full_name}"\nfor:', item.source
        ) from error
    # Values the server spells another way (500m for 0.5) look like changes from here; its revision knows better.
    same = metadata_of(changed).get("resourceVersion") == metadata_of(current).get("resourceVersion")
    report.done(changed, "unchanged" if same and dry == "none" else "configured")


def with_last_applied(obj: Object, key: str) -> Object:
    """The object with an annotation that holds the object itself."""
    metadata = dict(obj.get("metadata") or {})
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != key}
    plain = {**obj, "metadata": {**metadata, "annotations": annotations}}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, key: compact_json(plain) + "\n"}}}


def parse_last_applied(text: str | None) -> Object:
    """What was applied last; empty where nothing was, or the annotation can't be read."""
    import orjson  # noqa: PLC0415 - a C module that most of this file does without

    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


APPLY = Command(
    "apply",
    "apply -f FILENAME [flags]",
    "Make objects be as files say: create those that aren't there, change those that differ.",
    (
        *FILE_FLAGS,
        SELECTOR_FLAG,
        DRY_RUN_FLAG,
        OUTPUT_FLAG,
        MANAGED_FIELDS_FLAG,
        VALIDATE_FLAG,
        switch("server-side", "Let the server merge, by who owns which field."),
        switch("force-conflicts", "With --server-side: take over fields that others own."),
        Flag("field-manager", default="kubectl-client-side-apply", doc="The name under which fields are owned."),
        switch("overwrite", "Where object and file differ, the file wins.", default=True),
        switch("prune", "Delete objects that were applied once and are in no file any more."),
    ),
    run,
)
