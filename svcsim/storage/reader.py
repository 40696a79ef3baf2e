"""Reading: one snapshot of the newest committed state, and every past one through it.

The snapshot is an LMDB read transaction that lives from one commit to the next (`renew`), on the event loop's thread. That is what makes
it safe without LMDB's table of readers: a transaction that is being written reuses only pages which no snapshot since the one before the
last commit can see, and ours is always the last. It is also why a reader never sees what is not yet on disk: the snapshot is renewed after
the commit has returned, not when its pages happen to appear.
"""

from collections.abc import Callable
from itertools import islice
from zlib import crc32

from svcsim.limits import LIST_SLICE_RECORDS, LIST_SLICE_SCANNED, REPLAY_SLICE_BYTES
from svcsim.storage.contract import CompactedError, CorruptError, Envelope, Event, Filter, FutureRevisionError, Key, Record, StoreError
from svcsim.storage.engine import Cursor, Transaction
from svcsim.storage.files import Tables
from svcsim.storage.layout import (
    AFTER_VERSIONS,
    CHECKSUM,
    INTACT,
    NEWEST,
    REVISION,
    STATE_HEAD_BYTES,
    STEM_BYTES,
    LogRecord,
    State,
    after_prefix,
    key_of,
    past_key,
    read_body,
    read_log,
    stem_of,
    unpack_envelope,
)
from svcsim.storage.resources import Resources


class Reader:
    """The newest committed snapshot. `revision` and `compacted` are those of the snapshot."""

    def __init__(self, tables: Tables, resources: Resources, *, revision: int, compacted: int) -> None:
        self._tables = tables
        self._resources = resources
        self._txn: Transaction | None = None
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
            raise StoreError("the store is closed")
        return self._txn

    def check(self, revision: int) -> None:
        """Raise `CompactedError` or `FutureRevisionError` unless that revision can be read."""
        if revision < self.compacted:
            raise CompactedError(revision, self.compacted)
        if revision > self.revision:
            raise FutureRevisionError(revision, self.revision)

    def meta(self, name: bytes) -> bytes | None:
        """A value of the ``meta`` table."""
        return self.txn.get(name, None, self._tables.meta)

    def get(self, key: Key, revision: int | None = None) -> Record | None:
        """The state of a key, at a revision that `check` has passed."""
        prefix = self._resources.prefix(key.resource)
        if prefix is None:
            return None
        stem = stem_of(prefix, key)
        if len(stem) > STEM_BYTES:
            return None
        state = self._live_state(stem)
        if revision is not None and (state is None or state.revision > revision):
            state = _past_state(self.txn.cursor(self._tables.past), stem, revision)
        return None if state is None else self.record(key, state, unpack_envelope(state.packed))

    def record(self, key: Key, state: State, envelope: Envelope) -> Record:
        """The whole record of a state. Raises `CorruptError`."""
        value = self.txn.get(REVISION.pack(state.revision), None, self._tables.log)
        if value is None:
            raise CorruptError(f"{_told(key)}: the record of revision {state.revision} is missing from the store")
        try:
            body = read_body(value, state)
        except CorruptError as error:
            raise CorruptError(f"{_told(key)}, revision {state.revision}: {error}") from error
        return Record(key, state.revision, envelope, body)

    def events(self, after: int, wanted: Callable[[Key], bool], limit: int) -> tuple[list[Event], int]:
        """What happened after a revision, as far as a slice of the log goes; and the revision up to which that is all."""
        found: list[Event] = []
        cursor = self.txn.cursor(self._tables.log)
        if not cursor.set_range(REVISION.pack(after + 1)):
            return found, self.revision
        size = 0
        for number, value in islice(cursor.iternext(), limit):
            after = REVISION.unpack(number)[0]
            entry = read_log(value, after)
            key = key_of(entry.stem, self._resources.name(entry.stem))
            if wanted(key):
                found.append(self._event(key, entry))
            size += len(value)
            if size >= REPLAY_SLICE_BYTES:
                return found, after
        return found, (after if cursor.next() else self.revision)

    def _event(self, key: Key, entry: LogRecord) -> Event:
        previous = self._logged(key, entry.previous) if entry.previous else None
        return Event(entry.type, _whole(key, entry), previous)

    def _logged(self, key: Key, revision: int) -> Record:
        """A state known by its revision alone."""
        value = self.txn.get(REVISION.pack(revision), None, self._tables.log)
        if value is None:
            raise CorruptError(f"{_told(key)}: the record of revision {revision} is missing from the store")
        return _whole(key, read_log(value, revision))

    def _live_state(self, stem: bytes) -> State | None:
        value = self.txn.get(stem, None, self._tables.live)
        return None if value is None else State(stem, _state_revision(value, stem), value[STATE_HEAD_BYTES : -CHECKSUM.size])


class Scan:
    """A list in the making: records of one resource as of one revision, in key order, taken slice by slice.

    Each slice reads the snapshot there is at that moment; past states make that exact for the revision asked for.
    """

    def __init__(  # noqa: PLR0913 - what a list can ask for
        self,
        reader: Reader,
        tables: Tables,
        resource: str,
        prefix: bytes,
        namespace: str,
        *,
        revision: int,
        start: Key | None,
        limit: int,
        accept: Filter | None,
        needles: tuple[bytes, ...],
    ) -> None:
        self._reader = reader
        self._tables = tables
        self._resource = resource
        self._revision = revision
        whole = prefix + f"{namespace}\0".encode(errors="surrogatepass") if namespace else prefix
        self._end = after_prefix(whole)
        self._at = whole if start is None else max(whole, stem_of(prefix, start))
        self._limit = limit
        self._accept = accept
        self._needles = needles
        self.records: list[Record] = []
        self.next: Key | None = None

    def advance(self) -> bool:
        """Take another slice; False when the page is complete. Raises `CompactedError` and `CorruptError`."""
        self._reader.check(self._revision)
        states, rest = self._slice()
        taken = 0
        for state in states:
            key = key_of(state.stem, self._resource)
            envelope = unpack_envelope(state.packed)
            if self._accept is not None and not self._accept(key, envelope):
                continue
            if self._limit and len(self.records) == self._limit:
                self.next = key
                return False
            if taken == LIST_SLICE_RECORDS:
                self._at = state.stem
                return True
            self.records.append(self._reader.record(key, state, envelope))
            taken += 1
        if rest is None:
            return False
        self._at = rest
        return True

    def _slice(self) -> tuple[list[State], bytes | None]:
        """The states visible in the next stretch of keys, and where the stretch after it starts."""
        budget = LIST_SLICE_SCANNED
        if self._accept is None:
            budget = min(LIST_SLICE_RECORDS, self._limit - len(self.records) + 1) if self._limit else LIST_SLICE_RECORDS
        states, rest = self._live(budget)
        if self._revision < self._reader.revision:
            older, rest_of_older = self._past(budget, self._end if rest is None else rest)
            if rest_of_older is not None:
                states = [state for state in states if state.stem < rest_of_older]
                rest = rest_of_older
            if older:
                states = sorted(states + older)
        return states, rest

    def _live(self, budget: int) -> tuple[list[State], bytes | None]:
        """Visible states among what exists now."""
        cursor = self._reader.txn.cursor(self._tables.live)
        if not cursor.set_range(self._at):
            return [], None
        found: list[State] = []
        end = self._end
        newest = REVISION.pack(self._revision + 1)
        first, *others = self._needles or (b"",)
        for stem, value in islice(cursor.iternext(), budget):
            if stem >= end:
                return found, None
            if crc32(value) != INTACT:
                raise _damaged(stem, self._resource)
            # Bytes sort as the revisions in front of them do, so "not newer than" needs no decoding.
            if first in value and value < newest and all(needle in value for needle in others):
                revision = REVISION.unpack_from(value)[0]
                found.append(State(stem, revision, value[STATE_HEAD_BYTES : -CHECKSUM.size]))
        return found, _first_of_rest(cursor, end)

    def _past(self, budget: int, end: bytes) -> tuple[list[State], bytes | None]:
        """Visible states among those superseded since; a key's versions are skipped by seeking, not walked through."""
        cursor = self._reader.txn.cursor(self._tables.past)
        found: list[State] = []
        more = cursor.set_range(self._at)
        for _ in range(budget):
            if not more:
                return found, None
            stem = _stem_of_past(cursor.key())
            if stem >= end:
                return found, None
            state = _past_state(cursor, stem, self._revision)
            if state is not None and all(needle in state.packed for needle in self._needles):
                found.append(state)
            more = cursor.set_range(stem + AFTER_VERSIONS)
        if not more:
            return found, None
        stem = _stem_of_past(cursor.key())
        return found, (stem if stem < end else None)


def _past_state(cursor: Cursor, stem: bytes, revision: int) -> State | None:
    """The superseded state of a key that was the visible one at a revision."""
    if not cursor.set_range(past_key(stem, revision)):
        return None
    key, value = cursor.item()
    if _stem_of_past(key) != stem:
        return None
    until = _state_revision(value, stem)
    if until <= revision:
        return None
    written = NEWEST - REVISION.unpack(key[-REVISION.size :])[0]
    return State(stem, written, value[STATE_HEAD_BYTES : -CHECKSUM.size])


def _whole(key: Key, entry: LogRecord) -> Record:
    return Record(key, entry.revision, unpack_envelope(entry.packed), entry.body)


def _stem_of_past(key: bytes) -> bytes:
    return key[: -REVISION.size - 1]


def _state_revision(value: bytes, stem: bytes) -> int:
    if crc32(value) != INTACT:
        raise _damaged(stem, "")
    revision: int = REVISION.unpack_from(value)[0]
    return revision


def _first_of_rest(cursor: Cursor, end: bytes) -> bytes | None:
    """Where a scan that stopped short goes on. The iteration has left the cursor on the last entry it gave."""
    if not cursor.next():
        return None
    stem = cursor.key()
    return stem if stem < end else None


def _damaged(stem: bytes, resource: str) -> CorruptError:
    return CorruptError(f"{_told(key_of(stem, resource))}: its entry in the index is damaged: the checksum does not fit")


def _told(key: Key) -> str:
    return " ".join(part for part in (key.resource, "/".join(part for part in (key.namespace, key.name) if part)) if part)
