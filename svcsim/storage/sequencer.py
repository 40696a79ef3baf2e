"""Deciding writes: their order, their revision, and whether they may happen at all.

A write is decided the moment it is called, on the event loop's thread, against the newest state under its key, be that committed or on
its way. So there is one order of all writes, and a compare-and-swap is one comparison. Only the answer waits for the disk: a success until
the write is committed; a refusal, if it was an uncommitted write that stood in the way, until that one has landed, for should it fail,
there was nothing to refuse.
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from svcsim.storage.contract import (
    Body,
    CutRecord,
    Envelope,
    Event,
    EventType,
    Key,
    KeyExistsError,
    KeyMissingError,
    Record,
    RevisionMismatchError,
    StoreError,
)
from svcsim.storage.layout import RESOURCE, STEM_BYTES, State, recut
from svcsim.storage.reader import Reader
from svcsim.storage.reserve import Room
from svcsim.storage.writer import Write, Writer

if TYPE_CHECKING:
    import asyncio

Condition = Callable[[Record | None], StoreError | None]
"""What a write asks of the state it meets: None when that will do."""


class Sequencer:
    def __init__(self, reader: Reader, writer: Writer, revision: int) -> None:
        self._reader = reader
        self._writer = writer
        self._given = revision

    def latest(self, key: Key, known: Record | None) -> Record | None:
        """The newest state under a key, committed or on its way."""
        write = self._writer.pending(key)
        return self._reader.get(key, known=known) if write is None else _after(write)

    async def create(self, key: Key, envelope: Envelope, body: Body, *, waits: bool) -> Record:
        _check(key)
        return await self._write(EventType.ADDED, key, envelope, body, _absent, waits=waits)

    async def update(self, key: Key, envelope: Envelope, body: Body, expected: int, *, room: Room) -> Record:
        """Replace the state of a revision. ``room`` is how far the store's reserve may be opened for it, here and below."""
        return await self._write(EventType.MODIFIED, key, envelope, body, _unchanged_since(key, expected), room=room)

    async def delete(self, key: Key, envelope: Envelope, body: Body, expected: int, *, room: Room) -> Record:
        """Remove the state of a revision."""
        return await self._write(EventType.DELETED, key, envelope, body, _unchanged_since(key, expected), room=room)

    def delete_as_they_are(self, records: Sequence[CutRecord]) -> "list[asyncio.Future[Record] | None]":
        """Remove those records that are the newest states of their keys, committed and all."""
        return [self._delete_as_it_is(*one) for one in records]

    def _delete_as_it_is(self, record: Record, cut: int) -> "asyncio.Future[Record] | None":
        if self._writer.pending(record.key) is not None or not self._reader.is_newest(record):
            return None
        self._given += 1
        last = record._replace(revision=self._given, body=recut(record.body, cut, record.revision, self._given), says=None)
        return self._writer.add(Event(EventType.DELETED, last, record), cut, room=Room.DELETIONS)

    async def discard(self, key: Key, envelope: Envelope, body: Body, *, room: Room) -> Record:
        """Remove a state that can't be read, whatever it is."""
        await self._writer.settled()
        entry = self._reader.entry(key)
        if entry is None:
            raise KeyMissingError(f"{key} is not there")
        self._given += 1
        record = Record(key, self._given, envelope, b"%b%d%b" % (body.head, self._given, body.tail))
        # The number in an entry that is damaged itself may be another object's.
        previous = record._replace(revision=entry.revision) if isinstance(entry, State) else None
        return await self._writer.add(Event(EventType.DELETED, record, previous), None, room=room, discards=True)

    async def _write(
        self,
        kind: EventType,
        key: Key,
        envelope: Envelope,
        body: Body,
        condition: Condition,
        *,
        room: Room = Room.ORDINARY,
        waits: bool = True,
    ) -> Record:
        while True:
            rests_on = self._writer.pending(key)
            state = self._reader.get(key) if rests_on is None else _after(rests_on)
            refusal = condition(state)
            if refusal is None:
                self._given += 1
                says = body.says if waits else None  # what nobody waits for, nobody comes to next
                record = Record(key, self._given, envelope, b"%b%d%b" % (body.head, self._given, body.tail), says)
                event = Event(kind, record, state)
                if waits:
                    return await self._writer.add(event, _cut(kind, state, envelope, body), room=room)
                self._writer.add_unanswered(event)
                return record
            if rests_on is not None:
                await self._writer.settled()
            if rests_on is None or rests_on.committed:
                raise refusal


def _after(write: Write) -> Record | None:
    """What a write leaves under its key."""
    return None if write.event.type is EventType.DELETED else write.event.record


def _cut(kind: EventType, state: Record | None, envelope: Envelope, body: Body) -> int | None:
    """Where the revision stands in the body of a deletion that leaves everything else as it was; None for any other write."""
    if kind is not EventType.DELETED or state is None or state.envelope != envelope:
        return None
    return len(body.head) if state.body == b"%b%d%b" % (body.head, state.revision, body.tail) else None


def _absent(state: Record | None) -> StoreError | None:
    return None if state is None else KeyExistsError(f"{state.key} already exists")


def _unchanged_since(key: Key, expected: int) -> Condition:
    def unchanged(state: Record | None) -> StoreError | None:
        if state is None:
            return KeyMissingError(f"{key} is not there")
        if state.revision != expected:
            return RevisionMismatchError(f"{key} is at revision {state.revision}, not {expected}")
        return None

    return unchanged


_UNFIT = re.compile("[\x00-\x1f\ud800-\udfff]")
"""Control characters, and halves of characters."""


def _check(key: Key) -> None:
    """What the byte layout needs of a key. Names as the API allows them are well within it."""
    text = f"{key.namespace}/{key.name}"
    if not key.name or _UNFIT.search(text):
        raise StoreError(f"{key!r} is no key: it needs a name, and no control characters")
    if max(RESOURCE.size + len(text.encode()), len(key.resource.encode())) > STEM_BYTES:
        raise StoreError(f"{key.resource[:40]} {key.name[:40]}…: longer than the {STEM_BYTES} bytes a key can have")
