"""``get -w``: what is there, then every change, in the form that was asked for.

Where the collection has to be read anew meanwhile (`shared.following`), what was shown already is left out, and deletions are lost.
"""

import math
from collections.abc import Callable

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import GET_FORMATS, make_printer
from svcsim.cli.output.table import TablePrinter
from svcsim.cli.shared.arguments import Target, Targets
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.following import LISTED, Collection, follow, revision_of
from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.paused_clock import told_if_paused
from svcsim.cli.shared.reporting import output_format, templating
from svcsim.cli.verbs.get.answers import as_table, human, read, table_options, wanted
from svcsim.client.watch_end import is_seen
from svcsim.meta.objects import unmanaged
from svcsim.meta.types import Object
from svcsim.printing.tabs import TabWriter
from svcsim.printing.values import compact_json

Show = Callable[[Object, str], None]
"""Prints one object or table with the type of its event."""


def watch(call: Call, targets: Targets) -> None:
    """Print until interrupted, or until ``--request-timeout`` is over."""
    if len(targets.items) != 1:
        raise CommandError("watch is only supported on individual resources and resource collections - more than 1 resource was found")
    target = targets.items[0]
    show = _table_shower(call, target) if human(call) else _object_shower(call)
    revision = ""
    for answer in read(call, target, wanted(call)):
        revision = revision_of(answer)
        if not call.options.on("watch-only"):
            _show_all(answer, "ADDED", show)
    call.session.out.flush()
    # A single object may have been written long ago: its revision says what was seen, but may be too old to watch from.
    changes = follow(
        call.session, _collection(call, target), revision, list_first=bool(target.name), seconds=call.session.which.timeout_s or math.inf
    )
    with told_if_paused(call.session):
        for change in changes:
            if change.type == LISTED:
                _show_all(_newer(change.object, change.since), "MODIFIED", show)
            else:
                show(change.object, change.type)
            call.session.out.flush()


def _collection(call: Call, target: Target) -> Collection:
    options = call.options
    return Collection(
        target.resource,
        "" if options.on("all-namespaces") else call.session.namespace,
        options.text("selector"),
        ",".join(filter(None, (options.text("field-selector"), f"metadata.name={target.name}" if target.name else ""))),
        options.number("chunk-size"),
        wanted(call),
    )


def _show_all(answer: Object, event: str, show: Show) -> None:
    if answer.get("kind") == "Table" or "items" not in answer:
        show(answer, event)
        return
    for item in typed_items(answer):
        show(item, event)


def _newer(answer: Object, since: str) -> Object:
    """A page of a list or Table, with only what has changed after a revision; empty where nothing has."""
    if answer.get("kind") == "Table":
        rows = [row for row in answer.get("rows") or [] if not is_seen(revision_of(row.get("object") or {}), since)]
        return {**answer, "rows": rows} if rows else {"items": []}
    return {**answer, "items": [item for item in answer.get("items") or [] if not is_seen(revision_of(item), since)]}


def _table_shower(call: Call, target: Target) -> Show:
    printer = TablePrinter(
        table_options(call, target.resource, with_kind=call.options.on("show-kind"), with_namespace=target.resource.namespaced)
    )
    tabs = TabWriter(call.session.out)
    with_events = call.options.on("output-watch-events")

    def show(table: Object, event: str) -> None:
        printer.print(
            as_table(call.session, table), tabs, f"{event:<8}" if with_events else ""
        )  # all words equally long: columns stay in line
        tabs.flush()

    return show


def _object_shower(call: Call) -> Show:
    options, out = call.options, call.session.out
    output, managed = output_format(call), options.on("show-managed-fields")
    printer = make_printer(
        output,
        show_managed_fields=managed,
        no_headers=options.on("no-headers"),
        formats=GET_FORMATS,
        templating=templating(call),
    )
    tabs = TabWriter(out) if output.startswith("custom-columns") else None
    with_events = options.on("output-watch-events") and output != "name"

    def show(obj: Object, event: str) -> None:
        if with_events and output in ("json", "yaml") and not managed:
            obj = unmanaged(obj)  # the printer looks for them in what it prints, which is the event
        if tabs is not None:
            printer.print(obj, tabs)
            tabs.flush()
        elif with_events and output == "json":
            out.write(f'{{"type":"{event}","object":{compact_json(obj)}}}\n')  # a line each, whatever is asked for otherwise
            out.flush()
        else:
            printer.print({"type": event, "object": obj} if with_events else obj, out)

    return show
