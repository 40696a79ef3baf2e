"""Reading: one snapshot of the newest committed state, and every past one through it.

The snapshot is an LMDB read transaction that lives from one commit to the next (`renew`), on the event loop's thread. That is what makes
it safe without LMDB's table of readers: a transaction that is being written reuses only pages which no snapshot since the one before the
last commit can see, and ours is always the last. It is also why a reader never sees what is not yet on disk: the snapshot is renewed after
the commit has returned, not when its pages happen to appear.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import lmdb

from svcsim.limits import REPLAY_SLICE_BYTES
from svcsim.storage.contract import CompactedError, CorruptError, Envelope, Event, FutureRevisionError, Key, Record, StoreError, Transformer
from svcsim.storage.engine import Cursor, Transaction
from svcsim.storage.files import Tables
from svcsim.storage.hot_records import HotRecords
from svcsim.storage.layout import (
    CHECKSUM,
    NEWEST,
    REVISION,
    STATE_HEAD_BYTES,
    STEM_BYTES,
    LogRecord,
    State,
    is_intact,
    key_of,
    opened,
    past_key,
    read_body,
    read_log,
    recut,
    stem_of,
    unpack_envelope,
)
from svcsim.storage.resources import Resources

DAMAGED_ENTRY = "its entry in the index is damaged: the checksum does not fit"


class Reader:
    """The newest committed snapshot. `revision` and `compacted` are those of the snapshot."""

    def __init__(self, tables: Tables, resources: Resources, *, revision: int, compacted: int) -> None:
        self._tables = tables
        self._resources = resources
        self._txn: Transaction | None = None
        self._hot = HotRecords()
        self.transformer: Transformer | None = None
        """How bodies stand on the disk; None where that is as they are."""
        self.revision = revision
        self.compacted = compacted

    def renew(self) -> None:
        """Move on to what has been committed since."""
        self.drop()
        self._txn = self._tables.env.begin()

    def drop(self) -> None:
        """Let go of the snapshot: before the map changes its size, and at the end."""
        if self._txn is not None:
            self._txn.abort()
            self._txn = None

    @property
    def txn(self) -> Transaction:
        """The snapshot's transaction; nothing taken from it may be kept across an await but copies."""
        if self._txn is None:
            raise StoreError("the data file is not open")
        return self._txn

    def committed(self, events: Sequence[Event]) -> None:
        """The snapshot, renewed, shows these, and `revision` is the last one's."""
        self._hot.committed(events)
        self.revision = events[-1].record.revision

    def check(self, revision: int) -> None:
        """Raise `CompactedError` or `FutureRevisionError` unless that revision can be read."""
        if revision < self.compacted:
            raise CompactedError(revision, self.compacted)
        if revision > self.revision:
            raise FutureRevisionError(revision, self.revision)

    def meta(self, name: bytes) -> bytes | None:
        """A value of the ``meta`` table. Raises `CorruptError`."""
        value = self.txn.get(name, None, self._tables.meta)
        return None if value is None else opened(name, value)

    def get(self, key: Key, revision: int | None = None, *, known: Record | None = None) -> Record | None:
        """The state of a key, at a revision that `check` has passed. ``known`` is one of its states, which isn't read again."""
        hot = self._hot.get(key)
        if hot is not None and (revision is None or hot.revision <= revision):
            return hot
        prefix = self._resources.prefix(key.resource)
        if prefix is None:
            return None
        stem = stem_of(prefix, key)
        if len(stem) > STEM_BYTES:
            return None
        try:
            state = newest = self._live_state(stem)
            if revision is not None and (newest is None or newest.revision > revision):
                state = past_state(self.txn.cursor(self._tables.past), stem, revision)
            if state is None:
                found = None
            elif known is not None and known.revision == state.revision:
                found = known
            else:
                found = self.record(key, state, unpack_envelope(state.packed))
        except (CorruptError, lmdb.Error) as error:
            raise CorruptError(f"{key}: {error}") from error
        if found is not None and state is newest:
            self._hot.keep(found)
        return found

    def is_newest(self, record: Record) -> bool:
        """Whether a record is the newest committed state of its key. Not where its entry in the index is damaged."""
        hot = self._hot.get(record.key)
        if hot is not None:
            return hot.revision == record.revision
        state = self.entry(record.key)
        return isinstance(state, State) and state.revision == record.revision

    def record(self, key: Key, state: State, envelope: Envelope) -> Record:
        """The whole record of a state. Raises `CorruptError`."""
        return Record(key, state.revision, envelope, self.body(state))

    def body(self, state: State) -> bytes:
        """The body of a state. Raises `CorruptError`."""
        stored = read_body(self._log_value(state.revision), state)
        return stored if self.transformer is None else self._from_disk(self.transformer, state.stem, stored)

    def is_stale(self, key: Key) -> bool:
        """Whether the newest committed state would be stored otherwise today."""
        if self.transformer is None or not self.transformer.concerns(key.resource):
            return False
        entry = self.entry(key)
        return isinstance(entry, State) and self.transformer.is_stale(key, read_body(self._log_value(entry.revision), entry))

    def _from_disk(self, transformer: Transformer, stem: bytes, stored: bytes) -> bytes:
        """The body that is stored so. Those of other resources pass by, unless they once were among those that don't."""
        resource = self._resources.name(stem)
        if not transformer.concerns(resource) and not transformer.is_foreign(stored):
            return stored
        return transformer.from_disk(key_of(stem, resource), stored)

    def events(self, after: int, wanted: Callable[[Key], bool], limit: int) -> tuple[list[Event], int]:
        """What happened after a revision, as far as a slice of the log goes; and the revision up to which that is all."""
        found: list[Event] = []
        size = 0
        try:
            cursor = self.txn.cursor(self._tables.log)
            if not cursor.set_range(REVISION.pack(after + 1)):
                return found, self.revision
            for number, value in islice(cursor.iternext(), limit):
                after = REVISION.unpack(number)[0]
                event = self._wanted_event(after, value, wanted)
                if event is not None:
                    found.append(event)
                    size += len(event.previous.body) if event.previous else 0
                size += len(value)
                if size >= REPLAY_SLICE_BYTES:
                    return found, after
            return found, (after if cursor.next() else self.revision)
        except lmdb.Error as error:
            raise CorruptError(f"the log after revision {after} is damaged: {error}") from error

    def _wanted_event(self, revision: int, value: bytes, wanted: Callable[[Key], bool]) -> Event | None:
        """What a record of the log tells to those who want its key. One that is damaged is nothing to all others."""
        try:
            entry = read_log(value, revision)
        except CorruptError as error:
            owner = self._owner(revision)
            if owner is not None and not wanted(owner):
                return None
            raise CorruptError(f"{owner}: {error}" if owner else str(error)) from error
        key = key_of(entry.stem, self._resources.name(entry.stem))
        try:
            return self._event(key, entry) if wanted(key) else None
        except CorruptError as error:
            raise CorruptError(f"{key}: {error}") from error

    def _owner(self, revision: int) -> Key | None:
        """Whose the record of a revision is, by the other tables: its own word can't be taken for it. A walk through both."""
        began, is_its_own = REVISION.pack(revision), REVISION.pack(NEWEST - revision)
        for table, is_past in ((self._tables.live, False), (self._tables.past, True)):
            cursor = self.txn.cursor(table)
            for key, value in cursor.iternext() if cursor.set_range(b"\0") else ():
                if (value.startswith(began) or (is_past and key.endswith(is_its_own))) and is_intact(key, value):
                    stem = stem_of_past(key) if is_past else key
                    return key_of(stem, self._resources.name(stem))
        return None

    def entry(self, key: Key) -> State | CorruptError | None:
        """What the index says of a key, for one whose record may be damaged."""
        prefix = self._resources.prefix(key.resource)
        try:
            return None if prefix is None else self._live_state(stem_of(prefix, key))
        except CorruptError as error:
            return error

    def committed_since(self) -> list[Event]:
        """What the snapshot shows beyond `revision`: commits that did land, though they were said to have failed."""
        position, found = self.revision, []
        cursor = self.txn.cursor(self._tables.log)
        while cursor.set_range(REVISION.pack(position + 1)):
            position = REVISION.unpack(cursor.key())[0]
            entry = read_log(cursor.value(), position)
            found.append(self._event(key_of(entry.stem, self._resources.name(entry.stem)), entry))
        return found

    def _event(self, key: Key, entry: LogRecord) -> Event:
        previous = self._logged(key, entry.previous) if entry.previous else None
        if previous is None or entry.cut is None:
            return Event(entry.type, self._whole(key, entry), previous)
        body = recut(previous.body, entry.cut, previous.revision, entry.revision)
        return Event(entry.type, Record(key, entry.revision, previous.envelope, body), previous)

    def _logged(self, key: Key, revision: int) -> Record:
        """A state known by its revision alone."""
        return self._whole(key, read_log(self._log_value(revision), revision))

    def _whole(self, key: Key, entry: LogRecord) -> Record:
        body = entry.body if self.transformer is None else self._from_disk(self.transformer, entry.stem, entry.body)
        return Record(key, entry.revision, unpack_envelope(entry.packed), body)

    def _log_value(self, revision: int) -> bytes:
        value = self.txn.get(REVISION.pack(revision), None, self._tables.log)
        if value is None:
            raise CorruptError(f"the record of revision {revision} is missing")
        return value

    def _live_state(self, stem: bytes) -> State | None:
        value = self.txn.get(stem, None, self._tables.live)
        return None if value is None else State(stem, _revision_in(stem, value), value[STATE_HEAD_BYTES : -CHECKSUM.size])


def past_state(cursor: Cursor, stem: bytes, revision: int) -> State | None:
    """The superseded state of a key that was the visible one at a revision."""
    if not cursor.set_range(past_key(stem, revision)):
        return None
    key, value = cursor.item()
    if stem_of_past(key) != stem:
        return None
    until = _revision_in(key, value)
    if until <= revision:
        return None
    written = NEWEST - REVISION.unpack(key[-REVISION.size :])[0]
    return State(stem, written, value[STATE_HEAD_BYTES : -CHECKSUM.size])


def stem_of_past(key: bytes) -> bytes:
    """The stem in a key of ``past``."""
    return key[: -REVISION.size - 1]


def _revision_in(key: bytes, value: bytes) -> int:
    """The revision at the front of a value of ``live`` or ``past``, having checked it."""
    if not is_intact(key, value):
        raise CorruptError(DAMAGED_ENTRY)
    revision: int = REVISION.unpack_from(value)[0]
    return revision
