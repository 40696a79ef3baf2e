"""``get``: objects as tables, YAML, JSON, names or whatever a template makes of them; and with ``-w`` as they change."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag, UsageError, switch, words
from svcsim.cli.output.table import TablePrinter
from svcsim.cli.shared.arguments import Target, Targets, parse_targets, refuse_collections
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS, load_items
from svcsim.cli.shared.item import check_name
from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.raw import check_raw_path
from svcsim.cli.shared.reporting import TEMPLATE_FLAGS, output_format, templating
from svcsim.cli.verbs.get.answers import as_table, human, read, table_options, wanted
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.printing.tabs import TabWriter

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource


_FORMATS = (
    "wide", "yaml", "json", "name", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "custom-columns=", "custom-columns-file=",
    "go-template=", "go-template-file=",
)  # fmt: skip
NO_TYPE = """You must specify the type of resource to get. Use "svcsim api-resources" for a complete list of supported resources.

error: Required resource not specified.
Use "svcsim explain <resource>" for a detailed description of that resource (e.g. svcsim explain pods).
See 'svcsim get -h' for help and examples"""


def run(call: Call) -> None:
    """Print what is asked for."""
    options = call.options
    if options.text("raw"):
        _raw(call)
        return
    if not call.args and not options.items("filename"):
        raise UsageError(NO_TYPE)
    _check(call)
    targets = _targets(call)
    if options.text("subresource"):
        refuse_collections(targets)
    if options.on("watch") or options.on("watch-only"):
        from svcsim.cli.verbs.get.watch import watch

        raise_all(targets.errors)
        watch(call, targets)
    elif human(call):
        _print_tables(call, targets)
    else:
        _print_objects(call, targets)


def _check(call: Call) -> None:
    """Refuse, or warn of, flags that don't go together."""
    options = call.options
    output, watching = options.text("output"), options.on("watch") or options.on("watch-only")
    if options.on("output-watch-events") and not watching:
        raise CommandError("--output-watch-events option can only be used with --watch or --watch-only")
    if options.on("show-labels") and output not in ("", "wide"):
        raise CommandError(f"--show-labels option cannot be used with {output} printer")
    if options.text("sort-by") and options.on("watch-only"):
        call.session.err.write("warning: --watch-only requested, --sort-by will be ignored\n")
    elif options.text("sort-by") and options.on("watch"):
        call.session.err.write("warning: --watch requested, --sort-by will be ignored for watch events received\n")


def _targets(call: Call) -> Targets:
    options = call.options
    selecting = bool(options.text("selector") or options.text("field-selector"))
    if not options.items("filename"):
        return parse_targets(call.session.discovery, call.args, selecting=selecting, whole=True)
    if call.args:
        raise CommandError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
    items, errors = load_items(call.session, options.items("filename"), recursive=options.on("recursive"))
    if not items:
        raise_all(errors)
    for item in items:
        check_name(item.name)
    return Targets([Target(item.resource, item.name) for item in items], len(items) == 1 and not errors, tuple(errors))


def _raw(call: Call) -> None:
    options, address = call.options, call.options.text("raw")
    if call.args or options.items("filename"):
        raise CommandError("arguments may not be passed when --raw is specified")
    if options.on("watch") or options.on("watch-only") or options.text("selector"):
        raise CommandError("--raw may not be specified with other flags that filter the server request or alter the output")
    if options.text("output"):
        raise CommandError("--raw and --output are mutually exclusive")
    check_raw_path(address)
    response = call.session.send("GET", address, accept="application/json, */*", raw=True)
    call.session.out.write(response.body.decode("utf-8", "replace"))


def _collect(call: Call, targets: Targets, accept: str) -> tuple[list[tuple[Target, Object]], list[Exception]]:
    answers: list[tuple[Target, Object]] = []
    errors = list(targets.errors)
    for target in targets.items:
        try:
            answers += [(target, answer) for answer in read(call, target, accept)]
        except StatusError as error:
            if error.code != 404 or not call.options.on("ignore-not-found"):
                errors.append(error)
    return answers, errors


def _print_tables(call: Call, targets: Targets) -> None:
    session, options = call.session, call.options
    answers, errors = _collect(call, targets, wanted(call))
    tables = [(target, as_table(session, answer)) for target, answer in answers]
    if options.text("sort-by"):
        tables = _sorted(tables, options.text("sort-by"))
    with_kind = options.on("show-kind") or any(target.resource != tables[0][0].resource for target, _ in tables)
    tabs = TabWriter(session.out)
    printer: TablePrinter | None = None
    last: Resource | None = None
    with_namespace = False
    for target, table in tables:
        if printer is None or target.resource != last:
            printed_before = tabs.written
            tabs.flush()
            tabs.forget_widths()
            with_namespace = with_namespace or target.resource.namespaced  # once there is the column it stays, as in kubectl
            printer = TablePrinter(table_options(call, target.resource, with_kind=with_kind, with_namespace=with_namespace))
            if last is not None and printed_before and not options.on("no-headers") and table.get("rows"):
                session.out.write("\n")
            last = target.resource
        printer.print(table, tabs)
    tabs.flush()
    if not tabs.written and not errors and not options.on("ignore-not-found"):
        if all(target.resource.namespaced for target in targets.items) and not options.on("all-namespaces"):
            session.err.write(f"No resources found in {session.namespace} namespace.\n")
        else:
            session.err.write("No resources found\n")
        session.err.write(session.which.doubt())
    raise_all(errors)


def _sorted(tables: list[tuple[Target, Object]], expression: str) -> list[tuple[Target, Object]]:
    """One table a target, its rows in order: chunks of one collection are sorted together."""
    from svcsim.cli.output.sorting import sort_objects

    merged: list[tuple[Target, Object]] = []
    for target, table in tables:
        if merged and merged[-1][0] == target:
            merged[-1][1]["rows"] += table.get("rows") or []
        else:
            merged.append((target, {**table, "rows": list(table.get("rows") or [])}))
    for _, table in merged:
        table["rows"] = sort_objects(table["rows"], expression, inner="object")
    return merged


def _print_objects(call: Call, targets: Targets) -> None:
    from svcsim.cli.output.printers import GET_FORMATS, make_printer

    session, options = call.session, call.options
    printer = make_printer(
        output_format(call),
        show_managed_fields=options.on("show-managed-fields"),
        no_headers=options.on("no-headers"),
        formats=GET_FORMATS,
        templating=templating(call),
    )
    answers, errors = _collect(call, targets, "application/json")
    if targets.single:
        raise_all(errors)
        if answers:
            printer.print(answers[0][1], session.out)
        return
    items = [item for target, answer in answers for item in (typed_items(answer) if not target.name else [answer])]
    if options.text("sort-by"):
        from svcsim.cli.output.sorting import sort_objects

        items = sort_objects(items, options.text("sort-by"))
    if answers or not errors:
        printer.print({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}, session.out)
    raise_all(errors)


GET = Command(
    "get",
    "get (TYPE[.VERSION][.GROUP] [NAME... | -l label] | TYPE/NAME ...) [flags]",
    "Display one or many objects.",
    (
        *FILE_FLAGS,
        switch("all-namespaces", "In all namespaces.", "A"),
        Flag("output", doc="The output format: wide, yaml, json, name, jsonpath=…, go-template=…, custom-columns=….", short="o",
             choices=_FORMATS),
        Flag("selector", doc="A label selector, such as app=web,tier!=test.", short="l"),
        Flag("field-selector", doc="A field selector, such as status.phase=Running."),
        switch("watch", "After listing, watch for changes.", "w"),
        switch("watch-only", "Print changes only, without listing first."),
        switch("output-watch-events", "Print the type of each change: ADDED, MODIFIED, DELETED."),
        switch("show-labels", "Print all labels as the last column."),
        words("label-columns", "Print these labels as columns.", "L"),
        switch("show-kind", "Print names with their resource type."),
        switch("no-headers", "Don't print headers."),
        Flag("sort-by", doc="The field to sort by, as a JSONPath expression such as .metadata.creationTimestamp."),
        Flag("chunk-size", "int64", 500, "How many objects to request at a time; 0 means all at once."),
        Flag("raw", doc="Print the server's raw response for this path."),
        Flag("subresource", doc="Get this subresource of the objects."),
        switch("ignore-not-found", "Don't fail if an object doesn't exist."),
        switch("show-managed-fields", "Also print metadata.managedFields."),
        switch("server-print", "Print the columns that the server chooses.", default=True),
        *TEMPLATE_FLAGS,
    ),
    run,
    completes="resource",
)  # fmt: skip
