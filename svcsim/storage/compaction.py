"""Forgetting the past: what is only visible before a revision, and when to do so.

Compacting up to C first records C, so that no reader counts on what goes; then it walks the log up to C in small batches that go through
the writer like any other write, and forgets what each record superseded (`layout.py` has a worked example). How far it has come is
recorded with each batch: a process that ends in the middle goes on from there.
"""

import asyncio
import logging
from functools import partial
from typing import NamedTuple

import msgpack

from svcsim.clock import Clock, turn
from svcsim.limits import COMPACTION_BATCH_BYTES, COMPACTION_BATCH_RECORDS, HISTORY_MARKS
from svcsim.storage.commit import COMPACTING, Probe
from svcsim.storage.contract import CorruptError, EventType, FutureRevisionError, Store, StoreError, StoreFullError
from svcsim.storage.engine import Transaction
from svcsim.storage.files import Tables
from svcsim.storage.layout import REVISION, past_key, read_log, sealed
from svcsim.storage.reader import Reader
from svcsim.storage.repair import COMPACTED_KEY
from svcsim.storage.writer import Writer

SWEPT_KEY = b"swept"
MARKS_NAME = "history-marks"


class Superseded(NamedTuple):
    """What one record of the log makes superfluous."""

    log: tuple[bytes, ...]
    past: bytes | None
    refers_to: bytes | None = None
    """The record whose body is also this one's, where it has none of its own."""


class Sweep:
    def __init__(self, tables: Tables, reader: Reader, writer: Writer, probe: Probe) -> None:
        self._tables = tables
        self._reader = reader
        self._writer = writer
        self._probe = probe
        self._swept = REVISION.unpack(reader.meta(SWEPT_KEY) or REVISION.pack(0))[0]
        self._turn = asyncio.Lock()

    async def up_to(self, revision: int, *, for_use: bool) -> None:
        """Forget what is only visible before a revision. Raises `FutureRevisionError`.

        ``for_use``: have LMDB take up the freed pages at once, as is needed where there are no others.
        """
        if revision > self._reader.revision:
            raise FutureRevisionError(revision, self._reader.revision)
        async with self._turn:
            if revision > self._reader.compacted:
                await self._writer.run(lambda txn: _keep(txn, self._tables, COMPACTED_KEY, revision))
                self._reader.compacted = revision
            while self._swept < self._reader.compacted:
                self._swept = await self._step()
                await turn()
                if self._swept == self._reader.compacted and for_use:
                    # That is two transactions after they were given back; in a full store there would be no other two.
                    for _ in range(2):
                        await self._writer.run(lambda txn: _keep(txn, self._tables, SWEPT_KEY, self._swept))

    async def _step(self) -> int:
        """Forget the next batch, and fewer where there is no room to write for that many; up to where that takes the sweep."""
        most = COMPACTION_BATCH_RECORDS
        while True:
            superseded, last = self._plan(most)
            try:
                await self._writer.run(partial(self._forget, superseded=superseded, last=last))
            except StoreFullError:
                most = len(superseded) // 2
                if not most:
                    raise
            else:
                return last

    def _plan(self, most: int) -> tuple[list[Superseded], int]:
        """The next batch, of so many, and up to where it takes the sweep. Committed records never change, so any snapshot will do."""
        found: list[Superseded] = []
        end = self._reader.compacted
        cursor = self._reader.txn.cursor(self._tables.log)
        size = 0
        more = cursor.set_range(REVISION.pack(self._swept + 1))
        while more:
            number, value = cursor.item()
            revision = REVISION.unpack(number)[0]
            if revision > end:
                break
            if len(found) == most or size >= COMPACTION_BATCH_BYTES:
                return found, revision - 1
            superseded = _superseded(value, revision)
            found.append(superseded)
            size += len(value)
            if superseded.refers_to is not None:
                size += len(self._reader.txn.get(superseded.refers_to, None, self._tables.log) or b"")
            more = cursor.next()
        return found, end

    def _forget(self, txn: Transaction, superseded: list[Superseded], last: int) -> None:
        for i, goes in enumerate(superseded):
            if 2 * i == len(superseded) - len(superseded) % 2:
                self._probe(COMPACTING)
            for number in goes.log:
                txn.delete(number, db=self._tables.log)
            if goes.past is not None:
                txn.delete(goes.past, db=self._tables.past)
        _keep(txn, self._tables, SWEPT_KEY, last)


def _superseded(value: bytes, revision: int) -> Superseded:
    try:
        entry = read_log(value, revision)
    except CorruptError:
        # It stays, to be reported when it is read; what it superseded can't be known.
        return Superseded((), None)
    if not entry.previous:
        return Superseded((), None)
    previous = REVISION.pack(entry.previous)
    log = (previous, REVISION.pack(revision)) if entry.type is EventType.DELETED else (previous,)
    return Superseded(log, past_key(entry.stem, entry.previous), None if entry.cut is None else previous)


def _keep(txn: Transaction, tables: Tables, name: bytes, revision: int) -> None:
    txn.put(name, sealed(REVISION.pack(revision), name), db=tables.meta)


class Compactor:
    """Keeps the history for the configured time, in cluster time; run by the composition root.

    From time to time it marks down which revision is the newest. The marks are kept in the store, so that a restart doesn't begin the
    window anew.
    """

    def __init__(self, store: Store, clock: Clock, history_s: float | None) -> None:
        """``history_s``: how long a past revision stays readable; None means for ever."""
        self._store = store
        self._clock = clock
        self._history_s = history_s
        kept = store.get_meta(MARKS_NAME)
        self._marks: list[tuple[float, int]] = [] if kept is None else [(at, revision) for at, revision in msgpack.unpackb(kept)]

    async def run(self) -> None:
        if self._history_s is None:
            return
        while True:
            try:
                await self.tick(self._history_s)
            except StoreError:
                # A store that can't be written to now may be written to again: the next tick has the same to do.
                if not self._store.trouble:  # which it has told already
                    logging.getLogger(__name__).warning("the history could not be compacted", exc_info=True)
            # On a clock that is stepped it may go along with what else is committed.
            every_s = self._history_s / HISTORY_MARKS
            await self._clock.sleep(every_s, slack_s=every_s)

    async def tick(self, history_s: float) -> None:
        """Set a mark, and compact up to the newest one that is as old as the window."""
        now = self._clock.now()
        # A clock that was set back would hold everything until it had caught up: rather begin the window anew.
        self._marks = [(at, revision) for at, revision in self._marks if at <= now]
        changed = not self._marks or self._marks[-1][1] != self._store.revision
        if changed:
            self._marks.append((now, self._store.revision))
        outlived = [revision for at, revision in self._marks if at <= now - history_s]
        if outlived:
            # The mark itself stays while it is the newest outlived one: it says what is visible at the window's start.
            del self._marks[: len(outlived) - 1]
        # Asked for again and again, this also finishes what was interrupted. What is noted goes into the commit in which it begins.
        compacted = self._store.compact(max(outlived[-1] if outlived else 0, self._store.compacted))
        noted = (self._store.put_meta(MARKS_NAME, msgpack.packb(self._marks)),) if changed else ()
        await asyncio.gather(*noted, compacted)
