"""Event in the events group: the same objects as in the core group, under newer names and with stricter rules.

What is written through one group is read and watched through the other. Findings name fields as a server does inside:
mostly as the core group does.
"""

from svcsim.kinds.core.event import EVENT, EVENT_SOURCE
from svcsim.kinds.events.event_conversion import from_core, to_core
from svcsim.kinds.events.event_rules import rules_of_change, rules_of_new
from svcsim.kinds.groups import EVENTS_V1
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.registry.kind import Conversion, Kind, Strategy
from svcsim.schema.types import Field, Int, Str, Struct, Time

_OF_REGARDING = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


_SERIES = Struct(
    "EventSeries",
    Field(1, "count", Int(), "How often the event has happened so far", required=True),
    Field(2, "lastObservedTime", Time(micro=True), "When the event last happened", required=True),
    doc="A repeated event",
)
EVENTS_EVENT = Kind(
    EVENTS_V1,
    EVENT.plural,
    Struct(
        "Event",
        Field(2, "eventTime", Time(micro=True), "When the event was first observed", required=True),
        Field(3, "series", _SERIES, "Repetition of the event; unset if it happened once"),
        Field(4, "reportingController", Str(), "Name of the controller that reported the event"),
        Field(5, "reportingInstance", Str(), "Name of the instance of that controller"),
        Field(6, "action", Str(), "What was done, or what failed"),
        Field(7, "reason", Str(), "Machine-readable reason for the action, one CamelCase word"),
        Field(8, "regarding", OBJECT_REFERENCE, "The object that the event is about", default={}),
        Field(9, "related", OBJECT_REFERENCE, "Another object that is involved in the event"),
        Field(10, "note", Str(), "Description of the event for people to read"),
        Field(11, "type", Str(), "Normal or Warning"),
        Field(12, "deprecatedSource", EVENT_SOURCE, "Where the event was reported from, as in the core group", default={}),
        Field(13, "deprecatedFirstTimestamp", Time(), "When the event first happened, as in the core group"),
        Field(14, "deprecatedLastTimestamp", Time(), "When the event last happened, as in the core group"),
        Field(15, "deprecatedCount", Int(), "How often the event has happened, as in the core group", presence=False),
        doc=EVENT.schema.doc,
    ),
    short=EVENT.short,
    strategy=Strategy(create_rules=(rules_of_new,), update_rules=(rules_of_change,)),
    update_creates=EVENT.update_creates,
    conversion=Conversion(
        EVENT,
        to_stored=to_core,
        from_stored=from_core,
        fields={
            **{f"regarding.{name}": f"involvedObject.{name}" for name in _OF_REGARDING},
            "reason": "reason",
            "reportingController": "reportingComponent",
            "type": "type",
        },
    ),
)
