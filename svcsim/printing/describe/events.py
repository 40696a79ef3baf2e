"""The events that belong to an object, as the last section of its description."""

from collections.abc import Mapping

from svcsim.meta.errors import StatusError
from svcsim.meta.events import in_order
from svcsim.meta.objects import gvk_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.printing.describe.writer import DescribeContext
from svcsim.printing.texts import interval


def events_section(obj: Object, context: DescribeContext) -> None:
    """Find and write an object's events, unless they aren't wanted."""
    if context.show_events:
        write_events(context, find_events(obj, context))


def events_query(obj: Object, uid: str | None) -> tuple[str, Mapping[str, str | int]]:
    """Where the events are that are about an object, and how they are asked for; without a UID those about all that had its name."""
    parts = {"kind": gvk_of(obj).kind, "name": name_of(obj), "namespace": namespace_of(obj), **({} if uid is None else {"uid": uid})}
    selector = ",".join(f"involvedObject.{field}={value}" for field, value in parts.items())
    namespace = namespace_of(obj)
    path = f"/api/v1/namespaces/{namespace}/events" if namespace else "/api/v1/events"
    return path, {"fieldSelector": selector, "limit": 500}


def find_events(obj: Object, context: DescribeContext, *, uid: str | None = None) -> list[Object]:
    """The events about an object. ``uid``: the one they are known under, where it isn't the object's own."""
    path, query = events_query(obj, uid_of(obj) if uid is None else uid)
    try:
        found: list[Object] = context.reader.get(path, query).get("items") or []
    except StatusError:
        return []  # a description without events is better than none
    return found


def write_events(context: DescribeContext, events: list[Object]) -> None:
    """A table of events, oldest first."""
    writer = context.writer
    if not events:
        writer.field("Events", "<none>")
        return
    writer.flush()
    writer.line("Events:\n  Type\tReason\tAge\tFrom\tMessage")
    writer.line("----\t------\t----\t----\t-------", 1)
    for event in in_order(events):
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent") or ""
        message = (event.get("message") or "").strip()
        writer.line(f"{event.get('type', '')}\t{event.get('reason', '')}\t{interval(event, context.now())}\t{source}\t{message}", 1)
