"""An Event of the events group from and to what the core group stores."""

from svcsim.kinds.core.event import EVENT
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

NAMES = (
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
_HERE = {core: here for here, core in NAMES}
_ORDER = tuple(field.name for field in EVENT.schema.fields if field.name in _HERE)
"""The order in which the core group serves its fields."""
_NEVER_EMPTY = ("reportingComponent", "reportingInstance")
"""What the core group serves even where it is empty."""


def from_core(obj: Object, context: Context) -> Object:
    shown: Object = {name: obj[name] for name in ("kind", "apiVersion", "metadata") if name in obj}
    shown.update((here, obj[core]) for here, core in NAMES if core in obj and not (core in _NEVER_EMPTY and not obj[core]))
    return shown


def to_core(obj: Object, context: Context) -> Object:
    stored: Object = {name: obj[name] for name in ("kind", "apiVersion", "metadata") if name in obj}
    stored.update((core, obj[_HERE[core]]) for core in _ORDER if _HERE[core] in obj)
    return stored
