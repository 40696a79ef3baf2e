"""Event: something that happened to an object, told to people."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import since, text_at
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.objects import get_path, namespace_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Selectable, Strategy
from svcsim.schema.common import OBJECT_META
from svcsim.schema.types import Field, Int, Str, Struct, Time

_SHORT_CHARS = 128
_MESSAGE_CHARS = 1024

EVENT_SOURCE = Struct(
    "EventSource",
    Field(1, "component", Str(), "The component that tells it"),
    Field(2, "host", Str(), "The node it happened on"),
    doc="Who tells of an event",
)
_SERIES = Struct(
    "EventSeries",
    Field(1, "count", Int(), "How often, so far"),
    Field(2, "lastObservedTime", Time(micro=True), "When the last time"),
    doc="The same event again and again",
)


def _namespaces_agree(obj: Object, *, lenient: tuple[str, ...]) -> Iterator[FieldError]:
    involved, own = get_path(obj, "involvedObject.namespace") or "", namespace_of(obj)
    if own not in lenient if not involved else own != involved:
        yield invalid_value("involvedObject.namespace", involved, "does not match event.namespace")


def _limited(obj: Object, name: str, limit: int) -> Iterator[FieldError]:
    if len(obj.get(name) or "") > limit:
        yield invalid_value(name, "", f"can have at most {limit} characters")


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:
    if not obj.get("eventTime"):
        yield from _namespaces_agree(obj, lenient=("", "default"))
        return
    if not get_path(obj, "involvedObject.namespace"):
        yield from _namespaces_agree(obj, lenient=("default", context.dialect.system_namespace))
    component = obj.get("reportingComponent") or ""
    if not component:
        yield required("reportingComponent")
    yield from (invalid_value("reportingComponent", component, finding) for finding in qualified_name(component))
    for name in ("reportingInstance", "action", "reason"):
        if not obj.get(name):
            yield required(name)
        yield from _limited(obj, name, _SHORT_CHARS)
    yield from _limited(obj, "message", _MESSAGE_CHARS)


def _first_seen(obj: Object, context: Context) -> Json:
    return since(obj.get("firstTimestamp") or obj.get("eventTime"), context)


def _last_seen(obj: Object, context: Context) -> Json:
    series = obj.get("series")
    if series:
        return since(series.get("lastObservedTime"), context)
    return since(obj["lastTimestamp"], context) if obj.get("lastTimestamp") else _first_seen(obj, context)


def _count(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    series = obj.get("series")
    return (series.get("count") or 0) if series else obj.get("count") or 1


def _object(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    involved = obj.get("involvedObject") or {}
    kind, name = (involved.get("kind") or "").lower(), involved.get("name")
    return f"{kind}/{name}" if name else kind


def _source(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    host = source.get("host") or obj.get("reportingInstance")
    return f"{component}, {host}" if host else component


def _message(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return (obj.get("message") or "").strip()


EVENT = Kind(
    "Event",
    CORE_V1,
    "events",
    Struct(
        "Event",
        Field(1, "metadata", OBJECT_META, "Metadata that all objects have", required=True),
        Field(2, "involvedObject", OBJECT_REFERENCE, "The object it happened to", required=True, default={}),
        Field(3, "reason", Str(), "What happened, in one CamelCase word"),
        Field(4, "message", Str(), "What happened, in a sentence"),
        Field(5, "source", EVENT_SOURCE, "Who tells it", default={}),
        Field(6, "firstTimestamp", Time(), "When it first happened"),
        Field(7, "lastTimestamp", Time(), "When it last happened"),
        Field(8, "count", Int(), "How often it happened"),
        Field(9, "type", Str(), "Normal or Warning"),
        Field(10, "eventTime", Time(micro=True), "When it was first seen"),
        Field(11, "series", _SERIES, "Set if it happens again and again"),
        Field(12, "action", Str(), "What was done, or failed"),
        Field(13, "related", OBJECT_REFERENCE, "Another object that has to do with it"),
        Field(14, "reportingComponent", Str(), "The controller that tells it", default="", presence=True),
        Field(15, "reportingInstance", Str(), "The instance of that controller", default="", presence=True),
        doc="Something that happened to an object",
    ),
    short=("ev",),
    singular="event",
    name_column=False,
    columns=(
        Column("Last Seen", _last_seen, doc="How long ago it last happened"),
        Column("Type", text_at("type"), doc="Normal or Warning"),
        Column("Reason", text_at("reason"), doc="What happened, in one word"),
        Column("Object", _object, doc="The object it happened to"),
        Column("Subobject", text_at("involvedObject.fieldPath"), priority=1, doc="The part of the object it happened to"),
        Column("Source", _source, priority=1, doc="Who tells it"),
        Column("Message", _message, doc="What happened"),
        Column("First Seen", _first_seen, priority=1, doc="How long ago it first happened"),
        Column("Count", _count, "integer", priority=1, doc="How often it happened"),
        Column("Name", text_at("metadata.name"), priority=1, doc="The event's name", format="name"),
    ),
    selectable=(
        *(
            Selectable(f"involvedObject.{name}")
            for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        ),
        Selectable("reason"),
        Selectable("reportingComponent"),
        Selectable("source", at=("source.component", "reportingComponent")),
        Selectable("type"),
    ),
    strategy=Strategy(rules=(_rules,)),
    update_creates=True,
    doc="Something that happened to an object",
)
