"""``events``: what has happened, in the order of time."""

import math

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch, words
from svcsim.cli.output.typed import EVENT, shaped
from svcsim.cli.shared.arguments import parse_targets
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.following import LISTED, Collection, follow, revision_of
from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.paused_clock import told_if_paused
from svcsim.cli.shared.reporting import PRINT_FLAGS, object_printer, output_format
from svcsim.cli.shared.select import ALL_NAMESPACES_FLAG, CHUNK_FLAG
from svcsim.client.watch_end import is_seen
from svcsim.meta.events import in_order, last_seen
from svcsim.meta.objects import namespace_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.tabs import TabWriter, escape
from svcsim.printing.texts import interval


def run(call: Call) -> None:
    """Print events, oldest first; with ``-w`` go on."""
    options, session = call.options, call.session
    types = [word.strip() for word in options.items("types")]
    if any(word.lower() not in ("normal", "warning") for word in types):
        raise CommandError("valid --types are Normal or Warning")
    collection = Collection(
        session.discovery.find("events"),
        "" if options.on("all-namespaces") else session.namespace,
        field_selector=_about(call),
        chunk_size=options.number("chunk-size"),
    )
    pages = collection.pages(session)
    found = _wanted([event for page in pages for event in typed_items(page)], types)
    if not found and not options.on("watch"):
        session.err.write("No events found.\n" if options.on("all-namespaces") else f"No events found in {session.namespace} namespace.\n")
        return
    show = _Shower(call)
    show.print(found)
    if options.on("watch"):
        _follow(call, collection, revision_of(pages[-1]), (show, types))


def _about(call: Call) -> str:
    wanted = call.options.text("for")
    if not wanted:
        return ""
    if "/" not in wanted:
        raise CommandError("--for must be in resource/name form")
    target = parse_targets(call.session.discovery, [wanted]).items[0]
    resource = target.resource
    return f"involvedObject.apiVersion={resource.api_version},involvedObject.kind={resource.kind},involvedObject.name={target.name}"


def _wanted(events: list[Object], types: list[str]) -> list[Object]:
    """The events that ``--types`` names, oldest first."""
    words = [word.lower() for word in types]
    return in_order(event for event in events if not words or str(event.get("type", "")).lower() in words)


class _Shower:
    """Prints events in the form that was asked for."""

    def __init__(self, call: Call) -> None:
        options = call.options
        self._out = call.session.out
        self._time = call.session.time
        self._with_namespace = options.on("all-namespaces")
        self._header_due = not options.on("no-headers")
        self._tabs = TabWriter(self._out)
        self._printer = object_printer(call, typed=True) if output_format(call) else None

    def print(self, events: list[Object], *, singly: bool = False) -> None:
        """Print events; objects as one list, unless ``singly``."""
        if self._printer is not None:
            shown = [shaped(event, EVENT) for event in events]
            for obj in shown if singly else [{"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": shown}]:
                self._printer.print(obj, self._out)
            self._out.flush()
            return
        before = ["NAMESPACE"] if self._with_namespace else []
        if self._header_due:
            self._tabs.line([*before, "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"])
            self._header_due = False
        now = self._time.now()
        if singly:  # what has just happened isn't to come, however far the clock was moved since it was asked for
            now = max((now, *(parse_time(moment) for event in events if (moment := last_seen(event)))))
        for event in events:
            involved = event.get("involvedObject") or {}
            subject = f"{involved.get('kind', '')}/{involved.get('name', '')}"
            first, *others = (event.get("message") or "").strip().split("\n")
            cells = [interval(event, now), event.get("type", ""), event.get("reason", ""), subject, first]
            self._tabs.line([escape(cell) for cell in ([namespace_of(event)] if self._with_namespace else []) + cells])
            for line in others:
                self._tabs.line([escape(line)])
        self._tabs.flush()
        self._out.flush()


def _follow(call: Call, collection: Collection, revision: str, how: "tuple[_Shower, list[str]]") -> None:
    show, types = how
    with told_if_paused(call.session):
        for change in follow(call.session, collection, revision, seconds=call.session.which.timeout_s or math.inf):
            if change.type == "DELETED":
                continue
            events = [change.object]
            if change.type == LISTED:
                events = [event for event in typed_items(change.object) if not is_seen(revision_of(event), change.since)]
            show.print(_wanted(events, types), singly=True)


EVENTS = Command(
    "events",
    "events [--for TYPE/NAME] [--watch] [--types=Normal,Warning] [flags]",
    "List events, oldest first.",
    (
        ALL_NAMESPACES_FLAG,
        CHUNK_FLAG,
        *PRINT_FLAGS,
        Flag("for", doc="Only events about this object, as TYPE/NAME."),
        words("types", "Only events of these types: Normal, Warning."),
        switch("watch", "Keep printing new events.", "w"),
        switch("no-headers", "Don't print headers."),
    ),
    run,
)
