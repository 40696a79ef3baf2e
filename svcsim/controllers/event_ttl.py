"""The end of events: what components reported is deleted once it has not been repeated for `limits.EVENT_TTL_S`.

Of all the events a busy cluster has, only names and moments are kept, in the order in which they fall due.
"""

import asyncio

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import ObjectKey, key_of
from svcsim.client.events import EventRecorder
from svcsim.client.reflector import Reflector
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
        self._reflector = Reflector(self._api, clock, chance, self, trim=_trim)
        self._due: dict[ObjectKey, float] = {}

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._reflector.run(), name="event TTL follows events")
            tasks.create_task(self._sweep(), name="event TTL sweeps")

    def replace(self, items: list[Object]) -> None:
        """These are all events."""
        dues = sorted((item["seen"] + limits.EVENT_TTL_S, key_of(item)) for item in items)
        self._due = {key: due for due, key in dues}

    def apply(self, change: str, obj: Object) -> None:
        """An event was reported, repeated or deleted."""
        key = key_of(obj)
        self._due.pop(key, None)
        if change != "DELETED":
            self._due[key] = obj["seen"] + limits.EVENT_TTL_S

    async def _sweep(self) -> None:
        while True:
            now = self._clock.now()
            expired: list[ObjectKey] = []
            left_s = limits.EVENT_SWEEP_S
            for key, due in self._due.items():
                if due > now:
                    left_s = min(due - now, left_s)
                    break
                expired.append(key)
            for key in expired:
                await self._delete(key)
            if not expired:
                await self._clock.sleep(left_s)

    async def _delete(self, key: ObjectKey) -> None:
        if self._due.get(key, 0.0) > self._clock.now():
            return  # repeated since
        self._due.pop(key, None)
        try:
            await self._api.within(key.namespace).delete(key.name)
        except (StatusError, ConnectionError) as error:
            if not isinstance(error, StatusError) or error.code != 404:
                self._due[key] = self._clock.now() + limits.EVENT_SWEEP_S


def _trim(event: Object) -> Object:
    """What is needed of an event: its names, and when it was last seen."""
    given = event["metadata"]
    seen = [given["creationTimestamp"], (event.get("series") or {}).get("lastObservedTime"), *(event.get(name) for name in _TIMES)]
    return {
        "metadata": {"name": given["name"], "namespace": given["namespace"], "resourceVersion": given["resourceVersion"]},
        "seen": max(parse_time(moment) for moment in seen if moment),
    }
