"""The end of events: what components reported is deleted once it has not been repeated for `limits.EVENT_TTL_S`.

Of all the events a busy cluster has, only names and moments are kept, in the order in which they fall due.
"""

import asyncio

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Periodic, StreamSource
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_TIMES = ("lastTimestamp", "eventTime")


class EventTtlController(Controller):
    def __init__(self, context: ControllerContext) -> None:
        self._api = context.client.resource("v1", "events")
        self._due: dict[ObjectKey, float] = {}
        self._latest = 0.0
        self._in_order = True
        sources = (StreamSource(context.informers.of("v1", "events"), self),)
        super().__init__("event TTL", context.clock, sources, periodic=(Periodic(self._sweep),), workers=0)

    def seen(self, key: ObjectKey, event: Object) -> None:
        """An event was reported or repeated; not later than now, whatever it says: a clock that was ahead may have been set back."""
        self._put(key, min(_last_seen(event), self.clock.now()) + limits.EVENT_TTL_S)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """An event was deleted."""
        self._due.pop(key, None)

    def _put(self, key: ObjectKey, due: float) -> None:
        self._due.pop(key, None)
        self._due[key] = due
        self._in_order = self._in_order and due >= self._latest
        self._latest = max(due, self._latest)

    async def _sweep(self) -> float:
        """Delete what is due; gives how long until something else may be."""
        if not self._in_order:  # as after the first reading, which comes in the order of names
            self._due = dict(sorted(self._due.items(), key=lambda item: (item[1], item[0])))
            self._in_order = True
        now = self.clock.now()
        expired: list[ObjectKey] = []
        left_s = limits.EVENT_SWEEP_S
        for key, due in self._due.items():
            if due > now:
                left_s = min(max(due - now, limits.EVENTS_END_EVERY_S), left_s)
                break
            expired.append(key)
        for start in range(0, len(expired), limits.EVENTS_AT_ONCE):
            await asyncio.gather(*[self._delete(key) for key in expired[start : start + limits.EVENTS_AT_ONCE]])
        return left_s

    async def _delete(self, key: ObjectKey) -> None:
        if self._due.get(key, 0.0) > self.clock.now():
            return  # repeated since
        self._due.pop(key, None)
        try:
            await self._api.within(key.namespace).remove(key.name)
        except (StatusError, ConnectionError) as error:
            if not isinstance(error, StatusError) or error.code != 404:
                self._put(key, self.clock.now() + limits.EVENT_SWEEP_S)


def _last_seen(event: Object) -> float:
    moments = {event["metadata"]["creationTimestamp"], (event.get("series") or {}).get("lastObservedTime")}  # most are the same
    for name in _TIMES:
        moments.add(event.get(name))
    return max(map(parse_time, filter(None, moments)))
