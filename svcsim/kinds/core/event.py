"""Event: a record for people of something that happened to an object."""

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
    Field(1, "component", Str(), "Component that reported the event"),
    Field(2, "host", Str(), "Name of the node from which the event was reported"),
    doc="Where an event was reported from",
)
_SERIES = Struct(
    "EventSeries",
    Field(1, "count", Int(), "How often the event has happened so far"),
    Field(2, "lastObservedTime", Time(micro=True), "When the event last happened"),
    doc="A repeated event",
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
    if series is not None:
        return since(series.get("lastObservedTime"), context)
    return since(obj["lastTimestamp"], context) if obj.get("lastTimestamp") else _first_seen(obj, context)


def _count(obj: Object, context: Context) -> Json:
    series = obj.get("series")
    return obj.get("count") or 1 if series is None else series.get("count") or 0


def _object(obj: Object, context: Context) -> Json:
    involved = obj.get("involvedObject") or {}
    kind, name = (involved.get("kind") or "").lower(), involved.get("name")
    return f"{kind}/{name}" if name else kind


def _source(obj: Object, context: Context) -> Json:
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    host = source.get("host") or obj.get("reportingInstance")
    return f"{component}, {host}" if host else component


def _message(obj: Object, context: Context) -> Json:
    return (obj.get("message") or "").strip()


EVENT = Kind(
    CORE_V1,
    "events",
    Struct(
        "Event",
        Field(1, "metadata", OBJECT_META, "Metadata that all objects have", required=True),
        Field(2, "involvedObject", OBJECT_REFERENCE, "The object that the event is about", required=True, default={}),
        Field(3, "reason", Str(), "Machine-readable reason for the event, one CamelCase word"),
        Field(4, "message", Str(), "Description of the event for people to read"),
        Field(5, "source", EVENT_SOURCE, "Where the event was reported from", default={}),
        Field(6, "firstTimestamp", Time(), "When the event first happened"),
        Field(7, "lastTimestamp", Time(), "When the event last happened"),
        Field(8, "count", Int(), "How often the event has happened"),
        Field(9, "type", Str(), "Normal or Warning"),
        Field(10, "eventTime", Time(micro=True), "When the event was first observed"),
        Field(11, "series", _SERIES, "Repetition of the event; unset if it happened once"),
        Field(12, "action", Str(), "What was done, or what failed"),
        Field(13, "related", OBJECT_REFERENCE, "Another object that is involved in the event"),
        Field(14, "reportingComponent", Str(), "Name of the controller that reported the event", default="", presence=True),
        Field(15, "reportingInstance", Str(), "Name of the instance of that controller", default="", presence=True),
        doc="A report of something that happened to an object",
    ),
    short=("ev",),
    name_column=False,
    columns=(
        Column("Last Seen", _last_seen, doc="Time since the event last happened"),
        Column("Type", text_at("type"), doc="Normal or Warning"),
        Column("Reason", text_at("reason"), doc="Reason for the event, in one word"),
        Column("Object", _object, doc="The object that the event is about"),
        Column("Subobject", text_at("involvedObject.fieldPath"), priority=1, doc="The part of the object that the event is about"),
        Column("Source", _source, priority=1, doc="Where the event was reported from"),
        Column("Message", _message, doc="Description of the event"),
        Column("First Seen", _first_seen, priority=1, doc="Time since the event first happened"),
        Column("Count", _count, "integer", priority=1, doc="How often the event has happened"),
        Column("Name", text_at("metadata.name"), priority=1, doc="Name of the event", format="name"),
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
)
