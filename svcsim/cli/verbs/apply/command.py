"""``apply``: make objects be as files say.

By default the client works out what to change: it keeps what was applied last in an annotation and merges three ways (`client_side`), so
that what others set stays and what the user dropped goes. With ``--server-side`` the server does that, by who owns which field.
"""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Flag, switch, words
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.creation import create_item
from svcsim.cli.shared.deletion import CASCADE_FLAG, cascade, delete_item, wait_deleted
from svcsim.cli.shared.files import FILE_FLAGS, load_items, require_files
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key, with_last_applied
from svcsim.cli.shared.openapi_schema import OpenApi
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter, object_printer, output_format
from svcsim.cli.shared.select import ALL_FLAG, SELECTOR_FLAG
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, VALIDATE_FLAG, dry_run, field_validation, validates
from svcsim.cli.verbs.apply.client_side import Patched, Patcher
from svcsim.cli.verbs.apply.server_side import MANAGER, Applier
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, is_terminating, metadata_of

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Query, Session
    from svcsim.cli.verbs.apply.prune import Pruner
    from svcsim.meta.types import Object

CLIENT_SIDE_MANAGER = "kubectl-client-side-apply"


def run(call: Call) -> None:
    _check(call)
    options = call.options
    dry = dry_run(call)
    if options.on("server-side") and dry == "client":
        raise CommandError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if options.on("force") and dry == "server":
        raise CommandError("--dry-run=server cannot be used with --force")
    if output_format(call).lower() not in ("", "name"):
        object_printer(call, typed=False)  # a mistake there should change nothing
    query = field_validation(call, dry)
    pruner = _pruner(call, dry)
    loaded, errors = load_items(call.session, options.items("filename"), recursive=options.on("recursive"), validated=validates(call))
    items = [item for item in loaded if selected(call, item.obj)]
    if not items and not errors:
        raise CommandError("no objects passed to apply")
    report = Reporter(call, dry, together=True)
    way = _ServerSide(call, query) if options.on("server-side") else _ClientSide(call, query, dry)
    for item in items:
        try:
            _refuse_generated_name(item)
            obj = way.apply(item, report)
            if pruner is not None:
                pruner.seen(item, obj)
        except (StatusError, CommandError) as error:
            errors.append(error)
    report.finish()
    if pruner is not None and not errors:
        pruner.prune(call, report)
    raise_all(errors)


def _check(call: Call) -> None:
    """Refuse flags that don't go together."""
    options = call.options
    require_files(call, "apply")
    cascade(call)
    if options.on("force-conflicts") and not options.on("server-side"):
        raise CommandError("--force-conflicts only works with --server-side")
    if options.text("subresource") and not options.on("server-side"):
        raise CommandError("--subresource can only be specified for --server-side")
    if options.on("force") and options.on("server-side"):
        raise CommandError("--force cannot be used with --server-side")
    if options.on("all") and options.text("selector"):
        raise CommandError("cannot set --all and --selector at the same time")
    if options.on("prune") and options.on("server-side"):
        raise CommandError("--prune is in alpha and doesn't currently work on objects created by server-side apply")
    if options.on("prune") and not options.on("all") and not options.text("selector"):
        raise CommandError(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. "
            "If you did not mean to prune all resources, specify a label selector"
        )


def _refuse_generated_name(item: Item) -> None:
    """What is applied again has to be found again."""
    prefix = metadata_of(item.obj).get("generateName")
    if not item.name and prefix:
        raise CommandError(f"from {prefix}: cannot use generate name with apply")


def selected(call: Call, obj: "Object") -> bool:
    """Whether an object in a file is one that ``-l`` is about."""
    text = call.options.text("selector")
    if not text:
        return True
    from svcsim.meta.label_selectors import parse_labels

    try:
        return parse_labels(text).matches(metadata_of(obj).get("labels") or {})
    except StatusError as error:
        raise CommandError(f'the provided selector "{text}" is not valid: {error.message}') from error


def _pruner(call: Call, dry: str) -> "Pruner | None":
    if not call.options.on("prune"):
        return None
    from svcsim.cli.verbs.apply.prune import Pruner

    return Pruner(call.session, call.options.items("prune-allowlist"), cascade(call), call.options.number("grace-period"), dry)


class _ServerSide:
    """The server merges."""

    def __init__(self, call: Call, query: "Query") -> None:
        self._session = call.session
        manager = call.options.text("field-manager") if "field-manager" in call.options.given else MANAGER
        options = call.options
        self._applier = Applier(call.session, query, manager, options.on("force-conflicts"), options.text("subresource"))

    def apply(self, item: Item, report: Reporter) -> "Object":
        if "managedFields" in metadata_of(item.obj):
            raise CommandError("metadata.managedFields must be nil")
        obj = self._applier.apply(item)
        _warn_if_deleting(self._session, item, obj)
        report.done(obj, "serverside-applied")
        return obj


class _ClientSide:
    """We merge."""

    def __init__(self, call: Call, query: "Query", dry: str) -> None:
        self._call = call
        self._session = call.session
        self._dry = dry
        self._query = {**query, "fieldManager": call.options.text("field-manager")}
        self._key = last_applied_key(call.session)
        self._patcher = Patcher(call.session, OpenApi(call.session), self._query, overwrite=call.options.on("overwrite"))

    def apply(self, item: Item, report: Reporter) -> "Object":
        if not item.name:
            raise CommandError(f'error when retrieving current configuration of:\nfrom "{item.source}": resource name may not be empty')
        wanted = with_last_applied(item.obj, self._key)
        try:
            current = self._session.get(item.path)
        except StatusError as error:
            if error.code != 404 or error.reason != "NotFound":
                raise with_source(error, "retrieving current configuration of", item.source) from error
            return self._created(item, wanted, report)
        if self._dry == "client":
            report.done(current, "configured")
            return current
        _warn_if_missing(self._session, item, current)
        done = self._patched(item, wanted, current)
        _warn_if_deleting(self._session, item, done.obj)
        printed = output_format(self._call)
        report.done(done.obj, "configured" if done.patch or printed else "unchanged")
        return done.obj

    def _created(self, item: Item, wanted: "Object", report: Reporter) -> "Object":
        created = wanted
        if self._dry != "client":
            try:
                created = create_item(self._session, item, wanted, self._query)
            except StatusError as error:
                raise with_source(error, "creating", item.source) from error
        report.done(created, "created")
        return created

    def _patched(self, item: Item, wanted: "Object", current: "Object") -> Patched:
        try:
            return self._patcher.patch(item, wanted, current)
        except StatusError as error:
            if not self._call.options.on("force") or error.reason not in ("Conflict", "Invalid"):
                raise
            return Patched(self._made_anew(item, wanted, current), wanted)

    def _made_anew(self, item: Item, wanted: "Object", current: "Object") -> "Object":
        """Delete the object and create it as wanted; as it was if that fails."""
        options = self._call.options
        uid = delete_item(self._call, item, options.number("grace-period"), cascade(self._call), "none")
        raise_all(wait_deleted(self._call, [(item, uid)], options.seconds("timeout") or None))
        try:
            return create_item(self._session, item, wanted, self._query)
        except StatusError as refused:
            before = {**current, "metadata": {key: value for key, value in metadata_of(current).items() if key not in _OF_THE_SERVER}}
            create_item(self._session, item, before, self._query)
            raise with_source(refused, "replacing", item.source) from refused


def _warn_if_missing(session: "Session", item: Item, current: "Object") -> None:
    """Say that what was applied last isn't known."""
    key = last_applied_key(session)
    if key not in annotations_of(current):
        session.err.write(
            f"Warning: resource {item.resource.plural}/{item.name} is missing the {key} annotation which is required by svcsim apply. "
            "svcsim apply should only be used on resources created declaratively by either svcsim create --save-config or svcsim apply. "
            "The missing annotation will be patched automatically.\n"
        )


def _warn_if_deleting(session: "Session", item: Item, obj: "Object") -> None:
    """Say that what was changed is about to go."""
    if is_terminating(obj):
        session.err.write(f"Warning: Detected changes to resource {item.name} which is currently being deleted.\n")


_OF_THE_SERVER = ("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "deletionTimestamp")
"""What a new object can't take over from an old one."""

PRUNE_FLAGS = (
    switch("prune", "Delete objects that were applied earlier and are no longer in the files; needs -l or --all."),
    words("prune-allowlist", "The types to prune instead of the default ones, each as GROUP/VERSION/KIND (core for the core group)."),
)

APPLY = Command(
    "apply",
    "apply -f FILENAME [flags]",
    "Apply files to the cluster: create the objects that don't exist, change those that differ.",
    (
        *FILE_FLAGS,
        ALL_FLAG,
        SELECTOR_FLAG,
        CASCADE_FLAG,
        DRY_RUN_FLAG,
        *PRINT_FLAGS,
        VALIDATE_FLAG,
        switch("server-side", "Merge on the server, by field ownership."),
        Flag("subresource", doc="With --server-side: apply to this subresource of the objects."),
        switch("force-conflicts", "With --server-side: take over fields that other managers own."),
        Flag("field-manager", default=CLIENT_SIDE_MANAGER, doc="The name of the field manager; kubectl with --server-side."),
        switch("overwrite", "Overwrite changes that others made to the applied fields.", default=True),
        switch("force", "Delete and re-create objects that can't be updated."),
        Flag("grace-period", "int64", -1, "With --force and --prune: seconds the object has to terminate."),
        Flag("timeout", "duration", 0.0, "With --force: how long to wait until the object is gone; 0 means without limit."),
        *PRUNE_FLAGS,
    ),
    run,
)
