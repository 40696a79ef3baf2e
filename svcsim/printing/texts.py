"""Parts of objects as people read them: moments, how long ago they were, selectors."""

from collections.abc import Mapping
from datetime import UTC, datetime

from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import pairs_text
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object

NONE = "<none>"


def pairs(values: Mapping[str, str] | None) -> str:
    """Labels, or other pairs, in one line: ``a=1,b=2``."""
    return pairs_text(values or {}) or NONE


def rfc1123(moment: str | None) -> str:
    """A moment as people read it: ``Wed, 31 Jan 2024 12:00:00 +0000``, in this machine's time zone."""
    if not moment:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return _local(moment).strftime("%a, %d %b %Y %H:%M:%S %z")


def moment(text: str | None) -> str:
    """A moment to the second: ``2024-01-31 12:00:00 +0000 UTC``, in this machine's time zone."""
    if not text:
        return "0001-01-01 00:00:00 +0000 UTC"
    return _local(text).strftime("%Y-%m-%d %H:%M:%S %z %Z")


def _local(moment: str) -> datetime:
    """In this machine's time zone; at the calendar's very ends, which a zone would lead beyond, in UTC."""
    utc = datetime.fromtimestamp(parse_time(moment), UTC)
    try:
        return utc.astimezone()
    except (OverflowError, ValueError):
        return utc


def since(moment: str | None, now: float) -> str:
    """How long ago a moment was."""
    return human_duration(now - parse_time(moment)) if moment else "<unknown>"


def interval(event: Object, now: float) -> str:
    """How long ago an event was, and how often it has been."""
    first = since(event.get("eventTime") or event.get("firstTimestamp"), now)
    series = event.get("series")
    if series:
        return f"{since(series.get('lastObservedTime'), now)} (x{series.get('count', 0)} over {first})"
    if event.get("count", 0) > 1:
        return f"{since(event.get('lastTimestamp'), now)} (x{event['count']} over {first})"
    return first


def selector_text(selector: Object | None) -> str:
    """A selector object as text, sorted by key."""
    return str(from_object(selector)) or NONE if selector else NONE
