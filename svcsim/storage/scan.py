"""Lists: the records of one resource as of one revision, in key order, slice by slice.

Each slice reads the snapshot there is at that moment; past states make it exact for the revision asked for, whatever was written in
between. So a long list takes turns with everything else, and still is one moment's truth.
"""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple
from zlib import crc32

import lmdb

from svcsim.limits import LIST_SLICE_BYTES, LIST_SLICE_RECORDS, LIST_SLICE_SCANNED
from svcsim.storage.contract import CorruptError, Damage, Envelope, Key, OnDamage, Record, Selection, refuse
from svcsim.storage.engine import Cursor
from svcsim.storage.files import Tables
from svcsim.storage.layout import (
    AFTER_VERSIONS,
    CHECKSUM,
    INTACT,
    ONLY_THIS,
    REVISION,
    STATE_HEAD_BYTES,
    STEM_BYTES,
    State,
    after_prefix,
    is_intact,
    key_of,
    pair_needle,
    stem_of,
    unpack_envelope,
)
from svcsim.storage.reader import DAMAGED_ENTRY, Reader, past_state, stem_of_past


class Query(NamedTuple):
    """What `contract.ReadView.list` can be asked for."""

    resource: str
    namespace: str
    revision: int
    start: Key | None = None
    limit: int = 0
    selection: Selection | None = None
    on_damage: OnDamage = refuse


class Scan:
    """A list in the making."""

    def __init__(self, reader: Reader, tables: Tables, prefix: bytes, query: Query) -> None:
        """``prefix`` is the resource's."""
        self._reader = reader
        self._tables = tables
        self._query = query
        first, self._end = _stretch(prefix, query)
        self._at = first if query.start is None else max(first, stem_of(prefix, query.start))
        self._left = query.limit
        self._accept = None if query.selection is None else query.selection.accept
        doubt = None if query.selection is None else query.selection.doubt
        self._doubtful = 0 if doubt is None else doubt.until
        self._accept_doubtful = self._accept if doubt is None else doubt.accept
        self._needles = () if query.selection is None else _needles(query.selection)
        self._later_needles = () if query.selection is None or doubt is None else _pair_needles(query.selection.fields)
        self._ending = b"" if query.selection is None else _ending(query.selection)
        self.done = False
        self.next: Key | None = None
        """Once done: the first key behind the limit, if there is one."""

    def take(self) -> list[Record]:
        """The next slice, perhaps empty; sets `done`. Raises `CompactedError` and `CorruptError`."""
        states, rest = self._stretch()
        records: list[Record] = []
        size = 0
        accept, accept_doubtful, doubtful = self._accept, self._accept_doubtful, self._doubtful
        for state in states:
            key = key_of(state.stem, self._query.resource)
            envelope = unpack_envelope(state.packed)
            wanted = accept if state.revision > doubtful else accept_doubtful
            if wanted is not None and not wanted(key, envelope):
                continue
            if self._query.limit and self._left == 0:
                self.next, self.done = key, True
                return records
            if len(records) == LIST_SLICE_RECORDS or size >= LIST_SLICE_BYTES:
                self._at = state.stem
                return records
            records.append(self._record(key, state, envelope))
            size += len(records[-1].body)
            self._left -= 1
        if rest is None:
            self.done = True
        else:
            self._at = rest
        return records

    def take_bodies(self) -> list[bytes]:
        """Like `take`, where there is neither limit nor filter and nothing but the bodies is wanted: half the work."""
        assert not self._query.limit
        assert self._accept is None
        states, rest = self._stretch()
        bodies: list[bytes] = []
        size = 0
        for state in states:
            if size >= LIST_SLICE_BYTES:
                self._at = state.stem
                return bodies
            try:
                bodies.append(self._reader.body(state))
            except (CorruptError, lmdb.Error) as error:
                self._damaged(state.stem, error, unpack_envelope(state.packed))
            else:
                size += len(bodies[-1])
        if rest is None:
            self.done = True
        else:
            self._at = rest
        return bodies

    def count(self) -> int:
        """How many there are in the next slice, without reading them; sets `done`. Like `take_bodies`, for all there is."""
        states, rest = self._stretch()
        if rest is None:
            self.done = True
        else:
            self._at = rest
        return len(states)

    def _stretch(self) -> tuple[list[State], bytes | None]:
        """The states visible in the next stretch of keys, and where the stretch after it starts."""
        self._reader.check(self._query.revision)
        try:
            return self._slice()
        except lmdb.Error as error:
            raise CorruptError(f"the index of {self._query.resource} is damaged: {error}") from error

    def _record(self, key: Key, state: State, envelope: Envelope) -> Record:
        try:
            return self._reader.record(key, state, envelope)
        except (CorruptError, lmdb.Error) as error:
            raise CorruptError(f"{key}: {error}") from error

    def _slice(self) -> tuple[list[State], bytes | None]:
        now = self._query.revision == self._reader.revision
        budget = LIST_SLICE_SCANNED if self._accept else LIST_SLICE_RECORDS
        if self._end <= self._at + ONLY_THIS:
            budget = 1
        elif now and self._query.limit and not self._accept:
            budget = min(budget, self._left + 1)
        states, rest = self._live(budget)
        if not now:
            older, rest_of_older = self._past(self._end if rest is None else rest)
            if rest_of_older is not None:
                states = [state for state in states if state.stem < rest_of_older]
                rest = rest_of_older
            if older:
                states = sorted(states + older)
        if needles := self._later_needles:
            states = [state for state in states if state.revision <= self._doubtful or all(needle in state.packed for needle in needles)]
        return states, rest

    def _live(self, budget: int) -> tuple[list[State], bytes | None]:
        """Visible states among what exists now."""
        cursor = self._reader.txn.cursor(self._tables.live)
        if not cursor.set_range(self._at):
            return [], None
        entries = list(islice(cursor.iternext(), budget))
        rest = None
        if entries[-1][0] < self._end:
            rest = self._rest(cursor)
        else:
            del entries[bisect_left(entries, (self._end,)) :]
        # Passes that run in C over all of them, so that few are left for the one that doesn't.
        if any(map(INTACT.__ne__, map(crc32, [value for _, value in entries], map(crc32, [stem for stem, _ in entries])))):
            for stem in [stem for stem, value in entries if not is_intact(stem, value)]:
                self._damaged(stem, CorruptError(DAMAGED_ENTRY))
            entries = [entry for entry in entries if is_intact(*entry)]
        if self._ending:
            entries = [entry for entry in entries if entry[0].endswith(self._ending)]
        needle, *needles = self._needles or (b"",)
        newer = REVISION.pack(self._query.revision + 1)
        found = [
            # Values sort as the revisions in front of them do.
            State(stem, REVISION.unpack_from(value)[0], value[STATE_HEAD_BYTES : -CHECKSUM.size])
            for stem, value in entries
            if needle in value and value < newer and all(other in value for other in needles)
        ]
        return found, rest

    def _damaged(self, stem: bytes, error: Exception, envelope: Envelope | None = None) -> None:
        """Something of a key can't be read: report the key, and leave it out unless the caller of the list refuses that."""
        key = key_of(stem, self._query.resource)
        self._query.on_damage(Damage(key, envelope, CorruptError(f"{key}: {error}")))

    def _rest(self, cursor: Cursor) -> bytes | None:
        """Where a scan that stopped short goes on. The iteration has left the cursor on the last entry it gave."""
        if not cursor.next():
            return None
        stem = cursor.key()
        return stem if stem < self._end else None

    def _past(self, end: bytes) -> tuple[list[State], bytes | None]:
        """Visible states among those superseded since; a key's versions are skipped by seeking, not walked through."""
        found: list[State] = []
        cursor = self._reader.txn.cursor(self._tables.past)
        more = cursor.set_range(self._at)
        for _ in range(LIST_SLICE_SCANNED // 2):
            if not more:
                return found, None
            stem = stem_of_past(cursor.key())
            if stem >= end:
                return found, None
            state = self._visible(cursor, stem) if stem.endswith(self._ending) else None
            if state is not None and all(needle in state.packed for needle in self._needles):
                found.append(state)
            more = cursor.set_range(stem + AFTER_VERSIONS)
        if not more:
            return found, None
        stem = stem_of_past(cursor.key())
        return found, (stem if stem < end else None)

    def _visible(self, cursor: Cursor, stem: bytes) -> State | None:
        try:
            return past_state(cursor, stem, self._query.revision)
        except CorruptError as error:
            self._damaged(stem, error)
            return None


def _stretch(prefix: bytes, query: Query) -> tuple[bytes, bytes]:
    """The first stem that can be wanted, and the first behind all that can."""
    namespace: str | None = query.namespace or None
    name = ""
    if query.selection is not None:
        known, name = query.selection.namespace, query.selection.name
        if known is not None and namespace not in (None, known):
            return prefix, prefix
        namespace = known if namespace is None else namespace
    if namespace is None:
        return prefix, after_prefix(prefix)
    if not name:
        first = prefix + f"{namespace}\0".encode(errors="surrogatepass")
        return first, after_prefix(first)
    stem = stem_of(prefix, Key(query.resource, namespace, name))
    return (stem, stem + ONLY_THIS) if len(stem) <= STEM_BYTES else (prefix, prefix)


def _ending(selection: Selection) -> bytes:
    """What the stems of all that is selected end with."""
    return f"\0{selection.name}".encode(errors="surrogatepass") if selection.name else b""


def _needles(selection: Selection) -> tuple[bytes, ...]:
    """What stands in the packed envelope of everything that is selected: most of the rest need not be unpacked."""
    return _pair_needles(selection.labels) + (_pair_needles(selection.fields) if selection.doubt is None else ())


def _pair_needles(pairs: Mapping[str, str]) -> tuple[bytes, ...]:
    return tuple([pair_needle(name, value) for name, value in pairs.items()])
