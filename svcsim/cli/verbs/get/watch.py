"""``get -w``: what is there, then every change, in the form that was asked for.

A watch that the server ends or that breaks off goes on from the last revision that was seen, also after the server was away for a while
(`outage`); one that is too old begins anew and leaves out what was shown already.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Call
from svcsim.cli.output.printers import GET_FORMATS, make_printer
from svcsim.cli.output.table import TablePrinter
from svcsim.cli.output.tabs import TabWriter
from svcsim.cli.shared.arguments import Target, Targets
from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.outage import Outage, too_old
from svcsim.cli.verbs.get.command import as_table, human, read, table_options, wanted
from svcsim.clock import stopwatch
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Query

Show = Callable[[Object, str], None]
"""Prints one object or table with the type of its event."""


def watch(call: Call, targets: Targets) -> None:
    """Print until interrupted, or until ``--request-timeout`` is over."""
    if len(targets.items) != 1:
        raise CommandError("watch is only supported on individual resources and resource collections - more than 1 resource was found")
    target = targets.items[0]
    show = _table_shower(call, target) if human(call) else _object_shower(call)
    accept = wanted(call)
    began, timeout_s = stopwatch(), call.session.timeout_s
    revision = ""
    for answer in read(call, target, accept):
        revision = (answer.get("metadata") or {}).get("resourceVersion", "")
        if not call.options.on("watch-only"):
            _show_existing(answer, show)
    call.session.out.flush()
    outage = Outage(call.session)
    while not timeout_s or stopwatch() - began < timeout_s:
        revision = _follow(call, target, accept, (revision, outage), show)


def _show_existing(answer: Object, show: Show) -> None:
    if answer.get("kind") == "Table" or "items" not in answer:
        show(answer, "ADDED")
        return
    for item in typed_items(answer):
        show(item, "ADDED")


def _follow(call: Call, target: Target, accept: str, since: tuple[str, Outage], show: Show) -> str:
    """One watch, to its end; the revision from which the next one goes on."""
    revision, outage = since
    options, session = call.options, call.session
    namespace = "" if options.on("all-namespaces") else session.namespace
    fields = [options.text("field-selector"), f"metadata.name={target.name}" if target.name else ""]
    query: Query = {
        "watch": True,
        "resourceVersion": revision,
        "labelSelector": options.text("selector"),
        "fieldSelector": ",".join(filter(None, fields)),
        "allowWatchBookmarks": True,
        **session.watch_limit,
    }
    try:
        with session.stream(target.resource.path(namespace), query, accept) as stream:
            outage.over()
            for line in stream:
                event: Object = orjson.loads(line) if line else {"type": "BOOKMARK", "object": {}}
                if event["type"] == "ERROR":
                    raise StatusError.from_status(event["object"])
                newer = _revision(event["object"])
                if event["type"] != "BOOKMARK" and not _seen(newer, revision):
                    show(event["object"], event["type"])
                    session.out.flush()
                revision = newer or revision
    except BrokenPipeError:
        raise  # it is our reader who has gone, not the server
    except ConnectionError as error:
        outage.wait(error)
    except StatusError as error:
        if too_old(error):
            return _begin_again(call, target, accept, (revision, outage), show)
        outage.wait(error)
    return revision


def _begin_again(call: Call, target: Target, accept: str, known: tuple[str, Outage], show: Show) -> str:
    """Show what has changed while we could not follow; deletions in between are lost."""
    revision, outage = since, _ = known
    try:
        answers = read(call, target, accept)
    except ConnectionError as error:
        outage.wait(error)
        return revision
    for answer in answers:
        newest = (answer.get("metadata") or {}).get("resourceVersion", "")
        if not target.name and newest != since and _seen(newest, since):
            since = ""  # another cluster under the same name: all of it is new
        revision = (answer.get("metadata") or {}).get("resourceVersion", revision)
        if answer.get("kind") == "Table":
            rows = [row for row in answer.get("rows") or [] if not _seen(_revision(row.get("object") or {}), since)]
            show({**answer, "rows": rows}, "MODIFIED")
            continue
        for item in typed_items(answer) if "items" in answer else [answer]:
            if not _seen(_revision(item), since):
                show(item, "MODIFIED")
    return revision


def _revision(obj: Object) -> str:
    rows = obj.get("rows") or []
    own: str = (obj.get("metadata") or {}).get("resourceVersion", "")
    return own or (_revision(rows[0].get("object") or {}) if rows else "")


def _seen(revision: str, since: str) -> bool:
    return revision.isdigit() and since.isdigit() and int(revision) <= int(since)


def _table_shower(call: Call, target: Target) -> Show:
    printer = TablePrinter(table_options(call, target.resource, with_kind=call.options.on("show-kind")))
    tabs = TabWriter(call.session.out)
    with_events = call.options.on("output-watch-events")

    def show(table: Object, event: str) -> None:
        printer.print(as_table(table), tabs, f"{event:<8}" if with_events else "")  # all words equally long: columns stay in line
        tabs.flush()

    return show


def _object_shower(call: Call) -> Show:
    options, out = call.options, call.session.out
    printer = make_printer(
        options.text("output"),
        show_managed_fields=options.on("show-managed-fields"),
        no_headers=options.on("no-headers"),
        formats=GET_FORMATS,
    )
    tabs = TabWriter(out) if options.text("output").startswith("custom-columns") else None
    with_events = options.on("output-watch-events") and options.text("output") != "name"

    def show(obj: Object, event: str) -> None:
        if tabs is not None:
            printer.print(obj, tabs)
            tabs.flush()
        else:
            printer.print({"type": event, "object": obj} if with_events else obj, out)

    return show
