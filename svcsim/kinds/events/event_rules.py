"""What makes an Event of the events group right: stricter rules for a new one, and hardly a change after that."""

from collections.abc import Iterator

from svcsim.kinds.events.event_conversion import NAMES
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def _series(event: Object) -> Iterator[FieldError]:
    series = event.get("series")
    if series is not None:
        if (series.get("count") or 0) < 2:
            yield invalid_value("series.count", "", "should be at least 2")
        if not series.get("lastObservedTime"):
            yield required("series.lastObservedTime")


def rules_of_new(event: Object, context: Context) -> Iterator[FieldError]:
    yield from _series(event)
    if not event.get("eventTime"):
        yield required("eventTime")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid_value("type", "", f"has invalid value: {kind}")
    for name in ("deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "deprecatedSource"):
        if event.get(name):
            yield invalid_value(dict(NAMES)[name], "", "needs to be unset")


def rules_of_change(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    if new.get("series") != old.get("series"):
        yield from _series(new)
    for here, core in NAMES:
        if here != "series" and (new.get(here) or None) != (old.get(here) or None):
            yield invalid_value(here if core == "reportingComponent" else core, new.get(here), IMMUTABLE)
