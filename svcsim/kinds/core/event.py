"""Event: a record for people of something that happened to an object."""

from svcsim.kinds.core.event_columns import count, first_seen, involved_object, last_seen, message, source
from svcsim.kinds.core.event_rules import event_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import text_at
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.registry.kind import Column, Kind, Selectable, Strategy
from svcsim.schema.common import OBJECT_META
from svcsim.schema.types import Field, Int, Str, Struct, Time

EVENT_SOURCE = Struct(
    "EventSource",
    Field(1, "component", Str(), "Component that reported the event"),
    Field(2, "host", Str(), "Name of the node from which the event was reported"),
    doc="Where an event was reported from",
)
_SERIES = Struct(
    "EventSeries",
    Field(1, "count", Int(), "How often the event has happened so far", presence=False),
    Field(2, "lastObservedTime", Time(micro=True), "When the event last happened"),
    doc="A repeated event",
)


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
        Field(8, "count", Int(), "How often the event has happened", presence=False),
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
        Column("Last Seen", last_seen, doc="Time since the event last happened"),
        Column("Type", text_at("type"), doc="Normal or Warning"),
        Column("Reason", text_at("reason"), doc="Reason for the event, in one word"),
        Column("Object", involved_object, doc="The object that the event is about"),
        Column("Subobject", text_at("involvedObject.fieldPath"), priority=1, doc="The part of the object that the event is about"),
        Column("Source", source, priority=1, doc="Where the event was reported from"),
        Column("Message", message, doc="Description of the event"),
        Column("First Seen", first_seen, priority=1, doc="Time since the event first happened"),
        Column("Count", count, priority=1, doc="How often the event has happened"),
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
    strategy=Strategy(rules=(event_rules,)),
    update_creates=True,
)
