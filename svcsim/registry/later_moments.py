"""Moments beyond the year 9999, which earlier versions stored: where an object with some is written anew, they are the last there is.

Nobody else can bring such an object into order: what reads and writes all of it would hold the stored moments against the calendar. What
a write itself says of moments is held against it as ever.
"""

import re

from svcsim.meta.times import format_micro_time, format_time, parse_time
from svcsim.meta.types import Json, Object

_LATER = re.compile(rb'"([1-9]\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)"')


def later_moments(body: bytes) -> frozenset[str]:
    """The moments beyond the year 9999 in a stored object, as they are written there."""
    return frozenset(found.decode() for found in _LATER.findall(body))


def at_the_last(obj: Object, later: frozenset[str]) -> Object:
    """The object with the last moment there is in the place of these; what has none of them is shared with it."""
    put: Object = _put(obj, later)
    return put


def _put(value: Json, later: frozenset[str]) -> Json:
    if isinstance(value, str):
        if value not in later:
            return value
        moment = parse_time(value)
        return format_micro_time(moment) if "." in value else format_time(moment)
    if isinstance(value, dict):
        fields = {name: _put(part, later) for name, part in value.items()}
        return value if all(fields[name] is part for name, part in value.items()) else fields
    if isinstance(value, list):
        items = [_put(part, later) for part in value]
        return value if all(new is part for new, part in zip(items, value, strict=True)) else items
    return value
