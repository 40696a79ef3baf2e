"""The end of what is kept for a while: Events, once they haven't been written for `limits.EVENT_TTL_S`.

As with ``--event-ttl`` of Kubernetes' API server there is no request for it that could be refused or audited, and watchers see that the
object was deleted. Only names and times are kept of all the events of a busy cluster, in the order in which they expire. For events found
at a restart their own timestamps count, since it isn't known when they were written.
"""

import logging
from collections.abc import Iterable
from itertools import takewhile
from typing import TypeAlias

from svcsim import limits
from svcsim.meta.codec import decode_json
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.registry.core import Core, cut_of
from svcsim.storage.contract import CompactedError, CorruptError, CutRecord, Damage, Event, EventType, Key, Record

logger = logging.getLogger(__name__)

EVENTS = "events"
"""Their name in the store."""
_TIMES = ("firstTimestamp", "lastTimestamp", "eventTime")
_Place: TypeAlias = tuple[str, str]
"""An event's namespace and name: a plain pair of texts, of which there may be very many, isn't looked at in searches for garbage."""


class EventExpiry:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._due: dict[_Place, float] = {}
        """The first to fall due comes first."""
        self._last_due = 0.0
        """The one number for all that fall due together."""
        core.store.on_commit(EVENTS, self._follow)

    async def run(self) -> None:
        """Delete what falls due, until cancelled."""
        await self._read()
        clock = self._core.clock
        while True:
            first = next(iter(self._due.values()), clock.now() + limits.EVENT_TTL_S)
            await clock.sleep(max(first - clock.now(), limits.EVENTS_END_EVERY_S))
            expired = self._expired()
            for start in range(0, len(expired), limits.EVENTS_END_TOGETHER):
                with clock.work:
                    await self._end(expired[start : start + limits.EVENTS_END_TOGETHER])

    def _expired(self) -> list[_Place]:
        now = self._core.clock.now()
        return [place for place, _ in takewhile(lambda item: item[1] <= now, self._due.items())]

    def _follow(self, event: Event) -> None:
        key = event.record.key
        place = (key.namespace, key.name)
        self._due.pop(place, None)
        if event.type is not EventType.DELETED:
            due = self._core.clock.now() + limits.EVENT_TTL_S
            if due != self._last_due:
                self._last_due = due
            self._due[place] = self._last_due

    async def _read(self) -> None:
        """Take in what was there before."""
        store, now = self._core.store, self._core.clock.now()
        found: dict[_Place, float] = {}
        damage: list[Damage] = []
        try:
            async for _, bodies in store.bodies(EVENTS, on_damage=damage.append):
                for event in map(decode_json, bodies):
                    place = (event["metadata"].get("namespace", ""), event["metadata"]["name"])
                    found[place] = min(_last_seen(event), now) + limits.EVENT_TTL_S
        except CompactedError:
            await self._read()  # the history is shorter than this took
            return
        for _, _, error in damage:
            _stays(error)
        there = {place: due for place, due in found.items() if store.known(Key(EVENTS, *place)) is not None}  # others went meanwhile
        self._due = dict(sorted({**there, **self._due}.items(), key=lambda item: item[1]))

    async def _end(self, places: Iterable[_Place]) -> None:
        """Delete what nobody has written to meanwhile. What can't be deleted stays what falls due first, and is tried again."""
        now = self._core.clock.now()
        records = [record for place in places if self._due.get(place, now + 1) <= now and (record := self._record(place)) is not None]
        await self._core.store.delete_as_they_are([CutRecord(record, cut_of(record.body)) for record in records])

    def _record(self, place: _Place) -> Record | None:
        try:
            return self._core.store.latest(Key(EVENTS, *place))
        except CorruptError as error:
            _stays(error)
            del self._due[place]
            return None


def _stays(damage: Exception) -> None:
    logger.error("a damaged event stays until somebody deletes it: %s", damage)


def _last_seen(event: Object) -> float:
    """When an event was last reported, as far as it says."""
    moments = {event["metadata"]["creationTimestamp"], (event.get("series") or {}).get("lastObservedTime")}
    moments.update(event.get(name) for name in _TIMES)
    return max(map(parse_time, filter(None, moments)))
