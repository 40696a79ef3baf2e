"""When an event happened, as exactly as it says, so that events can be shown in the order in which they happened.

The times of most events are whole seconds, and a pod is pulled, created and started within one. Their names tell more: the last part of an
event's name is the moment at which it was first reported, in nanoseconds and hexadecimal digits.
"""

import re
from collections.abc import Iterable

from svcsim import limits
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

SECOND_NS, MICROSECOND_NS = 10**9, 10**3
_SUFFIX = re.compile(r"[0-9a-f]{16}", re.ASCII)


def event_name(about: str, moment_ns: int) -> str:
    """The name of an event about an object of that name."""
    return f"{about[: limits.DNS_SUBDOMAIN_CHARS - 17]}.{moment_ns:016x}"


def named_ns(name: str) -> int:
    """The moment that an event's name tells, in nanoseconds since the epoch; 0 for a name that tells none."""
    suffix = name.rpartition(".")[2]
    return int(suffix, 16) if _SUFFIX.fullmatch(suffix) else 0


def in_order(events: Iterable[Object]) -> list[Object]:
    """Events in the order in which they were last seen."""
    return sorted(events, key=_moment)


def last_seen(event: Object) -> str:
    """When an event was last seen; empty if it doesn't tell."""
    series = event.get("series") or {}
    moments = (series.get("lastObservedTime"), *(event.get(name) for name in ("lastTimestamp", "eventTime", "firstTimestamp")))
    return next((moment for moment in moments if moment), "")


def _moment(event: Object) -> tuple[int, str]:
    name: str = event["metadata"].get("name") or ""
    seen = last_seen(event)
    moment_ns = round(parse_time(seen) * SECOND_NS) if seen else 0
    first_ns = named_ns(name)
    # Seen again in a later second, an event stands where it was seen last.
    return (first_ns if first_ns // SECOND_NS == moment_ns // SECOND_NS else moment_ns), name
