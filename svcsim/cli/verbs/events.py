"""``events``: what has happened, in the order of time."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Call, Command, Flag, switch, words
from svcsim.cli.output.tabs import TabWriter, escape
from svcsim.cli.output.typed import EVENT, shaped
from svcsim.cli.shared.arguments import parse_targets
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.select import ALL_NAMESPACES_FLAG, CHUNK_FLAG
from svcsim.cli.shared.writing import MANAGED_FIELDS_FLAG, OUTPUT_FLAG, object_printer
from svcsim.cli.verbs.describe.events import interval
from svcsim.meta.objects import metadata_of, namespace_of
from svcsim.meta.types import Object


def run(call: Call) -> None:
    """Print events, oldest first; with ``-w`` go on."""
    options, session = call.options, call.session
    types = [word.strip() for word in options.items("types")]
    if any(word.lower() not in ("normal", "warning") for word in types):
        raise CommandError("valid --types are Normal or Warning")
    resource = session.discovery.find("events")
    namespace = "" if options.on("all-namespaces") else session.namespace
    selector = _about(call)
    found = list_objects(session, resource, namespace, field_selector=selector, chunk_size=options.number("chunk-size"))
    found = sorted((event for event in found if _wanted(event, types)), key=last_seen)
    if not found and not options.on("watch"):
        session.err.write("No events found.\n" if options.on("all-namespaces") else f"No events found in {session.namespace} namespace.\n")
        return
    show = _Shower(call)
    show.print(found)
    if options.on("watch"):
        _watch(call, show, types)


def last_seen(event: Object) -> str:
    """When an event was last seen."""
    series = event.get("series") or {}
    moment: str = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or ""
    return moment.removesuffix("Z")


def _about(call: Call) -> str:
    wanted = call.options.text("for")
    if not wanted:
        return ""
    if "/" not in wanted:
        raise CommandError("--for must be in resource/name form")
    target = parse_targets(call.session.discovery, [wanted]).items[0]
    return f"involvedObject.kind={target.resource.kind},involvedObject.name={target.name}"


def _wanted(event: Object, types: list[str]) -> bool:
    return not types or str(event.get("type", "")).lower() in [word.lower() for word in types]


class _Shower:
    """Prints events in the form that was asked for."""

    def __init__(self, call: Call) -> None:
        options = call.options
        self._out = call.session.out
        self._with_namespace = options.on("all-namespaces")
        self._header_due = not options.on("no-headers")
        self._tabs = TabWriter(self._out)
        self._printer = object_printer(call, typed=True) if options.text("output") else None

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
        for event in events:
            involved = event.get("involvedObject") or {}
            subject = f"{involved.get('kind', '')}/{involved.get('name', '')}"
            first, *others = (event.get("message") or "").strip().split("\n")
            cells = [interval(event), event.get("type", ""), event.get("reason", ""), subject, escape(first)]
            self._tabs.line(([namespace_of(event)] if self._with_namespace else []) + cells)
            for line in others:
                self._tabs.line([escape(line)])
        self._tabs.flush()
        self._out.flush()


def _watch(call: Call, show: _Shower, types: list[str]) -> None:
    import orjson  # noqa: PLC0415 - only with --watch

    session = call.session
    resource = session.discovery.find("events")
    namespace = "" if call.options.on("all-namespaces") else session.namespace
    newest = session.get(resource.path(namespace), {"limit": 1})
    query = {
        "watch": True,
        "resourceVersion": metadata_of(newest).get("resourceVersion", ""),
        "fieldSelector": _about(call),
        **session.watch_limit,
    }
    with session.stream(resource.path(namespace), query) as stream:
        for line in stream:
            event = orjson.loads(line)
            if event["type"] in ("ADDED", "MODIFIED") and _wanted(event["object"], types):
                show.print([event["object"]], singly=True)


EVENTS = Command(
    "events",
    "events [--for TYPE/NAME] [--watch] [--types=Normal,Warning] [flags]",
    "List events, the newest last.",
    (
        ALL_NAMESPACES_FLAG,
        CHUNK_FLAG,
        OUTPUT_FLAG,
        MANAGED_FIELDS_FLAG,
        Flag("for", doc="Only events about this object, as TYPE/NAME."),
        words("types", "Only events of these types: Normal, Warning."),
        switch("watch", "Go on and print events as they come.", "w"),
        switch("no-headers", "Print no headers."),
    ),
    run,
)
