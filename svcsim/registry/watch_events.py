"""Events as watchers see them: built once, and converted once, for all watchers with the same view.

Watchers of a version that isn't the stored one reach the same events one after the other. The first of them has the missing ones converted
in one batch; the others wait for that batch, each at its own place in its own order. If the first one goes meanwhile, the next takes its
place. A batch that fails fails for all watchers that wait for it, and is tried again for later ones.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.registry.core import Core, said, with_revision
from svcsim.registry.resource import Resource
from svcsim.registry.shown import converted_records
from svcsim.storage.contract import Event, EventType, Filter, Record, memory_bytes


class WatchEvent(NamedTuple):
    """One event as one watcher sees it. ``type`` is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; ``body`` is the object's JSON.

    ``line`` is the whole encoded event (``{"type":…,"object":…}``) less its line end, the same bytes object
    for every watcher that sees it so.
    """

    type: str
    body: bytes
    line: bytes
    obj: Object | None = None
    """What the body says, where that is known: for those in this process. It isn't to be changed."""

    @classmethod
    def of(cls, kind: str, body: bytes, obj: Object | None = None) -> "WatchEvent":
        """The event of a type and an encoded object."""
        return cls(kind, body, b'{"type":"' + kind.encode() + b'","object":' + body + b"}", obj)

    @property
    def memory_bytes(self) -> int:
        """What it takes in memory."""
        return memory_bytes(self.body, self.obj) + len(self.line)


class Unconverted(NamedTuple):
    """An event whose object is still as the store has it."""

    type: str
    record: Record
    revision: int
    """The event's revision. The object may be an earlier state, if the object is no longer selected."""

    @classmethod
    def first(cls, record: Record) -> "Unconverted":
        """That an object is there."""
        return cls("ADDED", record, record.revision)


_State: TypeAlias = tuple[int, bool, str]
"""What an event shows of an object: at which revision, the last state before it went or the state it has, in which version."""
_Batch: TypeAlias = "asyncio.Future[list[Record] | StatusError | None]"
"""Records that are being converted, or have been; what made that fail; or None if the conversion was abandoned."""


class SharedEvents:
    """The last few events, for watchers that come to them a little later than the first.

    The oldest one makes room for a new one. To forget all of them when there is no more room would free tens of thousands of objects
    at once, and have the interpreter look for garbage among those that come after them each time.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._events: OrderedDict[tuple[int, str, str], WatchEvent] = OrderedDict()
        self._bytes = 0
        self._converted: dict[_State, tuple[_Batch, int]] = {}
        self._converted_bytes = 0
        """As they were before."""

    def clear(self) -> None:
        """Forget them: another conversion may show the same revision in another way."""
        self._clear_events()
        self._clear_converted()

    def _clear_events(self) -> None:
        self._events.clear()
        self._bytes = 0

    def _clear_converted(self) -> None:
        self._converted.clear()
        self._converted_bytes = 0

    def seen(self, resource: Resource, change: Event, accept: Filter | None) -> WatchEvent | None:
        """What a watcher of the stored version sees of a change with this selection; None when nothing."""
        kind = change.type if accept is None else _kind_for(change, accept)
        if kind is None:
            return None
        name, revision = _NAMES[kind], change.record.revision
        event = self._events.get((revision, name, resource.api_version))
        if event is None:
            record = _under(revision, _state(change, kind))
            event = self._keep(resource, name, record, said(record))
        return event

    def known(self, resource: Resource, changes: list[Event], accept: Filter | None) -> list[WatchEvent] | None:
        """What a watcher of another version sees of changes, if another such watcher has seen all of it; else None."""
        found: list[WatchEvent] = []
        for change in changes:
            kind = change.type if accept is None else _kind_for(change, accept)
            if kind is not None:
                event = self._events.get((change.record.revision, _NAMES[kind], resource.api_version))
                if event is None:
                    return None
                found.append(event)
        return found

    def unconverted(self, changes: list[Event], accept: Filter | None) -> list[Unconverted]:
        """What a watcher of another version is to see of changes."""
        kinds = [(change, change.type if accept is None else _kind_for(change, accept)) for change in changes]
        return [Unconverted(_NAMES[kind], _state(change, kind), change.record.revision) for change, kind in kinds if kind is not None]

    async def converted(self, resource: Resource, events: Sequence[Unconverted]) -> list[WatchEvent]:
        """Events as a version that isn't stored shows them. Raises what its conversion raises."""
        records = await self._records(resource, {_state_of(resource, event): event.record for event in events})
        return [self._event(resource, event.type, _under(event.revision, record)) for event, record in zip(events, records, strict=True)]

    def _event(self, resource: Resource, name: str, record: Record) -> WatchEvent:
        if not self._core.scheme.serves(resource):  # withdrawn or replaced meanwhile: nobody else is to see this
            return WatchEvent.of(name, record.body)
        event = self._events.get((record.revision, name, resource.api_version))
        return event or self._keep(resource, name, record)

    def _keep(self, resource: Resource, name: str, record: Record, obj: Object | None = None) -> WatchEvent:
        event = WatchEvent.of(name, record.body, obj)
        self._events[record.revision, name, resource.api_version] = event
        self._bytes += event.memory_bytes
        while len(self._events) > limits.SHARED_WATCH_EVENTS or self._bytes > limits.SHARED_WATCH_BYTES:
            self._bytes -= self._events.popitem(last=False)[1].memory_bytes
        return event

    async def _records(self, resource: Resource, wanted: dict[_State, Record]) -> list[Record]:
        """Converted records, each converted by the watcher that reached it first."""
        while True:
            places = {state: place for state in wanted if (place := self._converted.get(state)) is not None}
            missing = {state: record for state, record in wanted.items() if state not in places}
            if missing:
                batch = await self._convert(resource, missing)
                places.update((state, (batch, index)) for index, state in enumerate(missing))
            waiting = list(dict.fromkeys(batch for batch, _ in places.values() if not batch.done()))
            if waiting:
                await asyncio.wait(waiting)
            outcomes = [(places[state][0].result(), places[state][1]) for state in wanted]
            failure = next((outcome for outcome, _ in outcomes if isinstance(outcome, StatusError)), None)
            if failure is not None:
                raise failure
            found = [outcome[index] for outcome, index in outcomes if isinstance(outcome, list)]
            if len(found) == len(wanted):
                return found

    async def _convert(self, resource: Resource, missing: dict[_State, Record]) -> _Batch:
        batch: _Batch = asyncio.get_running_loop().create_future()
        size = sum([len(record.body) for record in missing.values()])
        if len(self._converted) >= limits.SHARED_WATCH_EVENTS or self._converted_bytes + size > limits.SHARED_WATCH_BYTES:
            self._clear_converted()
        self._converted_bytes += size
        self._converted.update((state, (batch, index)) for index, state in enumerate(missing))
        outcome: list[Record] | StatusError | None = None
        try:
            outcome = await converted_records(self._core, resource, list(missing.values()))
        except StatusError as error:
            outcome = error
        finally:
            batch.set_result(outcome)
            if not isinstance(outcome, list):
                for state in missing:
                    place = self._converted.get(state)
                    if place is not None and place[0] is batch:
                        del self._converted[state]
        return batch


def _state_of(resource: Resource, event: Unconverted) -> _State:
    return event.revision, event.type == "DELETED", resource.api_version


def _kind_for(change: Event, accept: Filter) -> EventType | None:
    """What a change is for a watcher that selects: an object that begins or ceases to match comes or goes."""
    kind, record, previous = change.type, change.record, change.previous
    now = kind is not EventType.DELETED and accept(record.key, record.envelope)
    before = previous is not None and accept(previous.key, previous.envelope)
    if not now and not before:
        return None
    if kind is EventType.MODIFIED and now != before:
        return EventType.ADDED if now else EventType.DELETED
    return kind


def _state(change: Event, kind: EventType) -> Record:
    """What an event shows: the new state, or, of an object that no longer matches, the last that did."""
    if kind is EventType.DELETED and change.type is EventType.MODIFIED and change.previous is not None:
        return change.previous
    return change.record


def _under(revision: int, record: Record) -> Record:
    """A state as an event of this revision shows it."""
    return record if record.revision == revision else record._replace(revision=revision, body=with_revision(record.body, revision))


_NAMES = {EventType.ADDED: "ADDED", EventType.MODIFIED: "MODIFIED", EventType.DELETED: "DELETED"}
