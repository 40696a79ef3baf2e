"""Event in the events group: the same objects as in the core group, under newer names and with stricter rules.

What is written through one group is read and watched through the other. Findings name fields as the core group does.
"""

from collections.abc import Iterator

from svcsim.kinds.core.event import EVENT, EVENT_SOURCE
from svcsim.kinds.groups import EVENTS_V1
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Conversion, Kind, Strategy
from svcsim.schema.types import Field, Int, Str, Struct, Time

_NAMES = (
    ("eventTime", "eventTime"),
    ("series", "series"),
    ("reportingController", "reportingComponent"),
    ("reportingInstance", "reportingInstance"),
    ("action", "action"),
    ("reason", "reason"),
    ("regarding", "involvedObject"),
    ("related", "related"),
    ("note", "message"),
    ("type", "type"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
)
"""Fields here and in the core group."""
_HERE = {core: here for here, core in _NAMES}
_ORDER = tuple(field.name for field in EVENT.schema.fields if field.name in _HERE)
"""The order in which the core group serves its fields."""
_OF_REGARDING = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_NEVER_EMPTY = ("reportingComponent", "reportingInstance")
"""What the core group serves even where it is empty."""


def _from_core(obj: Object, context: Context) -> Object:
    shown: Object = {name: obj[name] for name in ("kind", "apiVersion", "metadata") if name in obj}
    shown.update((here, obj[core]) for here, core in _NAMES if core in obj and not (core in _NEVER_EMPTY and not obj[core]))
    return shown


def _to_core(obj: Object, context: Context) -> Object:
    stored: Object = {name: obj[name] for name in ("kind", "apiVersion", "metadata") if name in obj}
    stored.update((core, obj[_HERE[core]]) for core in _ORDER if _HERE[core] in obj)
    return stored


# --- rules ---


def _series(event: Object) -> Iterator[FieldError]:
    series = event.get("series")
    if series is not None:
        if (series.get("count") or 0) < 2:
            yield invalid_value("series.count", "", "should be at least 2")
        if not series.get("lastObservedTime"):
            yield required("series.lastObservedTime")


def _rules_of_new(event: Object, context: Context) -> Iterator[FieldError]:
    yield from _series(event)
    if not event.get("eventTime"):
        yield required("eventTime")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid_value("type", "", f"has invalid value: {kind}")
    for name in ("deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "deprecatedSource"):
        if event.get(name):
            yield invalid_value(dict(_NAMES)[name], "", "needs to be unset")


def _rules_of_change(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    if new.get("series") != old.get("series"):
        yield from _series(new)
    for here, core in _NAMES:
        if here != "series" and (new.get(here) or None) != (old.get(here) or None):
            yield invalid_value(here if core == "reportingComponent" else core, new.get(here), IMMUTABLE)


# --- the kind ---

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
        Field(15, "deprecatedCount", Int(), "How often the event has happened, as in the core group"),
        doc=EVENT.schema.doc,
    ),
    short=EVENT.short,
    strategy=Strategy(create_rules=(_rules_of_new,), update_rules=(_rules_of_change,)),
    update_creates=EVENT.update_creates,
    conversion=Conversion(
        EVENT,
        to_stored=_to_core,
        from_stored=_from_core,
        fields={
            **{f"regarding.{name}": f"involvedObject.{name}" for name in _OF_REGARDING},
            "reason": "reason",
            "reportingController": "reportingComponent",
            "type": "type",
        },
    ),
)
