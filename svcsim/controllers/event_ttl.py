"""The end of events: what components reported is deleted once it has not been repeated for `limits.EVENT_TTL_S`."""

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_TIMES = ("lastTimestamp", "eventTime")


class EventTtlController:
    """Deletes old events."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every controller is made alike
        self._clock = clock
        self._api = client.resource("v1", "events")
        self._events = Cache(self._api, clock, chance, trim=_trim)
        self._loop = ControlLoop("event TTL", clock, self._reconcile, (self._events,), workers=1)
        self._events.add_handler(self._changed)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    def _changed(self, change: str, event: Object, _before: Object | None) -> None:
        if change == "ADDED":
            self._loop.queue.add_after(ObjectKey(event["metadata"]["namespace"], event["metadata"]["name"]), self._left_s(event))

    async def _reconcile(self, key: ObjectKey) -> None:
        event = self._events.get(key.name, key.namespace)
        if event is None:
            return
        left_s = self._left_s(event)
        if left_s > 0:  # it was repeated meanwhile
            self._loop.queue.add_after(key, left_s)
            return
        try:
            await self._api.within(key.namespace).delete(key.name, uid=event["metadata"]["uid"])
        except StatusError as error:
            if error.code != 404:
                raise

    def _left_s(self, event: Object) -> float:
        return float(event["seen"]) + limits.EVENT_TTL_S - self._clock.now()


def _trim(event: Object) -> Object:
    """What is needed of an event: its names, and when it was last seen."""
    given = event["metadata"]
    seen = [given["creationTimestamp"], (event.get("series") or {}).get("lastObservedTime"), *(event.get(name) for name in _TIMES)]
    return {
        "metadata": {name: given[name] for name in ("name", "namespace", "uid", "resourceVersion")},
        "seen": max(parse_time(moment) for moment in seen if moment),
    }
