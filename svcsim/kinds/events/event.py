"""Event in the events group: the same objects as the core group's, under newer names and stricter rules.

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
"""What the core group tells even where there is nothing to tell."""


def _from_core(obj: Object, context: Context) -> Object:  # noqa: ARG001 - a conversion's signature
    shown: Object = {name: obj[name] for name in ("kind", "apiVersion", "metadata") if name in obj}
    shown.update((here, obj[core]) for here, core in _NAMES if core in obj and not (core in _NEVER_EMPTY and not obj[core]))
    return shown


def _to_core(obj: Object, context: Context) -> Object:  # noqa: ARG001 - a conversion's signature
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


def _rules_of_new(event: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    yield from _series(event)
    if not event.get("eventTime"):
        yield required("eventTime")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid_value("type", "", f"has invalid value: {kind}")
    for name in ("deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "deprecatedSource"):
        if event.get(name):
            yield invalid_value(dict(_NAMES)[name], "", "needs to be unset")


def _rules_of_change(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    if new.get("series") != old.get("series"):
        yield from _series(new)
    for here, core in _NAMES:
        if here != "series" and (new.get(here) or None) != (old.get(here) or None):
            yield invalid_value(here if core == "reportingComponent" else core, new.get(here), IMMUTABLE)


# --- the kind ---

_SERIES = Struct(
    "EventSeries",
    Field(1, "count", Int(), "How often, so far", required=True),
    Field(2, "lastObservedTime", Time(micro=True), "When the last time", required=True),
    doc="The same event again and again",
)
EVENTS_EVENT = Kind(
    EVENT.name,
    EVENTS_V1,
    EVENT.plural,
    Struct(
        "Event",
        Field(2, "eventTime", Time(micro=True), "When it was first seen", required=True),
        Field(3, "series", _SERIES, "Set if it happens again and again"),
        Field(4, "reportingController", Str(), "The controller that tells it"),
        Field(5, "reportingInstance", Str(), "The instance of that controller"),
        Field(6, "action", Str(), "What was done, or failed"),
        Field(7, "reason", Str(), "Why it was done, in one CamelCase word"),
        Field(8, "regarding", OBJECT_REFERENCE, "The object it is about", default={}),
        Field(9, "related", OBJECT_REFERENCE, "Another object that has to do with it"),
        Field(10, "note", Str(), "What happened, in a sentence"),
        Field(11, "type", Str(), "Normal or Warning"),
        Field(12, "deprecatedSource", EVENT_SOURCE, "Who tells it, in the core group's old words", default={}),
        Field(13, "deprecatedFirstTimestamp", Time(), "When it first happened, in the core group's old words"),
        Field(14, "deprecatedLastTimestamp", Time(), "When it last happened, in the core group's old words"),
        Field(15, "deprecatedCount", Int(), "How often it happened, in the core group's old words"),
        doc=EVENT.doc,
    ),
    short=EVENT.short,
    singular=EVENT.singular,
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
    doc=EVENT.doc,
)
