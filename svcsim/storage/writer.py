"""Group commit: writes wait in a queue, and go to disk a batch at a time.

While one batch is being committed, the next one gathers. Everything here happens on the event loop's thread except the commit itself
(`commit.py`). Queued writes have their revision and their place already (`sequencer.py`). When a batch fails, later writes that depend on
it fail, too; those of other keys go on. Revisions of failed writes are not used again, since `latest` may have shown them; a gap in the
numbers does no harm.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import lmdb

from svcsim.limits import WRITE_BATCH_BYTES, WRITE_BATCH_RECORDS
from svcsim.storage.commit import Committer, Failure
from svcsim.storage.contract import CorruptError, Event, EventType, Key, Record, StoreError, StoreFullError
from svcsim.storage.counts import Counts
from svcsim.storage.engine import Transaction
from svcsim.storage.files import Tables
from svcsim.storage.layout import (
    CHECKSUM,
    REVISION,
    STATE_HEAD_BYTES,
    log_value,
    pack_envelope,
    past_key,
    sealed,
    state_value,
    stem_of,
)
from svcsim.storage.reader import Reader
from svcsim.storage.repair import REVISION_KEY
from svcsim.storage.reserve import Reserve, Room
from svcsim.storage.resources import Resources
from svcsim.storage.trouble import Trouble


class Write:
    """A decided write on its way to disk."""

    __slots__ = ("answer", "committed", "cut", "discards", "event", "packed", "room")

    def __init__(
        self, event: Event, packed: bytes, cut: int | None, room: Room, discards: bool, answer: "asyncio.Future[Record] | None"
    ) -> None:
        """``answer`` is None where nobody waits for one."""
        self.event = event
        self.discards = discards
        self.packed = packed
        self.cut = cut
        self.room = room
        self.answer = answer
        self.committed = False


class Job:
    """Something else to do in a transaction: keep a value, forget old states. Without ``apply`` it just marks a place in the queue."""

    __slots__ = ("apply", "done")

    def __init__(self, apply: Callable[[Transaction], None] | None, done: "asyncio.Future[None]") -> None:
        self.apply = apply
        self.done = done


Item = Write | Job


class Writer:
    """The queue, the batch under way, and what of both is newest under each key."""

    def __init__(
        self,
        tables: Tables,
        resources: Resources,
        counts: Counts,
        reader: Reader,
        reserve: Reserve,
        committer: Committer,
        trouble: Trouble,
        publish: Callable[[Sequence[Event]], None],
    ) -> None:
        """``publish`` is called with a batch's events once they are committed, before anyone is answered."""
        self._tables = tables
        self._resources = resources
        self._counts = counts
        self._reader = reader
        self._reserve = reserve
        self._committer = committer
        self._publish = publish
        self._trouble = trouble
        self._queue: deque[Item] = deque()
        self._under_way: list[Item] = []
        self._again: list[Item] = []
        """Deletions and jobs that met a full store: next, and with more of the reserve open."""
        self._room = Room.ORDINARY
        self._refused_bytes = 0
        """The length of the longest body in the batch that was last refused because the store is full."""
        self._wanted_left_bytes: int | None = 0
        """What there has to be left for it in the map; None where it was the disk that had no room."""
        self._scheduled = False
        self._closed = False
        self._pending: dict[Key, Write] = {}
        self.along: Callable[[Transaction], None] | None = None
        """What goes with every batch of writes."""
        self.commits = 0
        self.committed_writes = 0

    def pending(self, key: Key) -> Write | None:
        """The newest write of a key that is not committed yet."""
        return self._pending.get(key)

    def add(self, event: Event, cut: int | None, *, room: Room, discards: bool = False) -> "asyncio.Future[Record]":
        """Queue a write; the future has its record once it is committed, or what made it fail.

        ``cut`` is for deletions that leave the state as it was (`LogRecord.cut`). ``room`` is how far the reserve may be
        opened for it. ``discards`` is for what can't be read: nothing is kept of it.
        """
        answer: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        packed = pack_envelope(event.record.envelope) if cut is None else b""  # which isn't stored
        self._add(Write(event, packed, cut, room, discards, answer))
        return answer

    def add_unanswered(self, event: Event) -> None:
        """Queue a write whose caller doesn't wait, and is never told whether it was committed."""
        self._add(Write(event, pack_envelope(event.record.envelope), None, Room.ORDINARY, False, None))

    def _add(self, write: Write) -> None:
        self._enqueue(write)
        self._pending[write.event.record.key] = write

    def run(self, apply: Callable[[Transaction], None]) -> "asyncio.Future[None]":
        """Queue a job; the future is done once it is committed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(Job(apply, done))
        return done

    async def settled(self) -> None:
        """Wait until everything queued so far is committed or has failed."""
        if self._queue or self._under_way or self._again:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._enqueue(Job(None, done))
            await done

    async def close(self) -> None:
        """Accept no further writes, and wait for the pending ones."""
        self._closed = True
        await self.settled()

    def _enqueue(self, item: Item) -> None:
        if self._closed and not (isinstance(item, Job) and item.apply is None):
            raise StoreError("the store is closed")
        self._queue.append(item)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled and not self._under_way:
            self._scheduled = True
            # Not at once: other tasks that are ready in this turn of the loop can still add their writes to the same batch.
            asyncio.get_running_loop().call_soon(self._start)

    def _start(self) -> None:
        self._scheduled = False
        self._under_way = self._next_batch()
        if all(map(_is_mark, self._under_way)):
            self._land(None)
            return
        txn: Transaction | None = None
        try:
            self._reopen_if_failed()
            self._make_room()
            txn = self._tables.env.begin(write=True)
            self._fill(txn)
        except (lmdb.Error, StoreError, OSError, MemoryError) as failure:
            _abort(txn)
            self._landed(failure)
        except BaseException:
            # A bug of ours. It must not leave everyone waiting: the batch fails, and the loop reports the bug.
            _abort(txn)
            self._land(StoreError("the store could not write"))
            raise
        else:
            self._committer.commit(txn, self._landed)

    def _next_batch(self) -> list[Item]:
        if self._again:
            self._room = Room(min(self._room + 1, Room.WHOLE))
            batch, self._again = self._again, []
            return batch
        self._room = Room.ORDINARY
        batch = []
        size = 0
        while self._queue and len(batch) < WRITE_BATCH_RECORDS and size < WRITE_BATCH_BYTES:
            item = self._queue.popleft()
            batch.append(item)
            if isinstance(item, Write):
                size += len(item.event.record.body)
        return batch

    def _reopen_if_failed(self) -> None:
        """Begin anew with the data file after LMDB has given up on it. Tried again with every batch."""
        if not self._tables.failed:
            return
        self._tables.settle()
        self._reader.drop()
        self._tables.reopen()
        self._reader.renew()
        self._catch_up()
        self._tables.failed = False

    def _catch_up(self) -> None:
        """Take in what has been committed after all, though its commit was answered with a failure."""
        events = self._reader.committed_since()
        if events:
            self._resources.recorded()
            self._committed(events)

    def _make_room(self) -> None:
        """Open the reserve as far as the batch may use it."""
        if self._reserve.must_move(self._room):
            self._reader.drop()
            try:
                self._reserve.move(self._room)
            finally:
                self._reader.renew()

    def _fill(self, txn: Transaction) -> None:
        events, room = [], Room.WHOLE
        for item in self._under_way:
            if isinstance(item, Write):
                self._put(txn, item)
                events.append(item.event)
                room = min(room, item.room)
            elif item.apply is not None:
                item.apply(txn)
        if events:
            if self.along is not None:
                self.along(txn)
            self._resources.record(txn)
            txn.put(REVISION_KEY, sealed(REVISION.pack(events[-1].record.revision), REVISION_KEY), db=self._tables.meta)
            self._reserve.check(txn, room)

    def _put(self, txn: Transaction, write: Write) -> None:
        event, packed = write.event, write.packed
        key, revision, _, body, _ = event.record
        stem = stem_of(self._resources.assign(key.resource), key)
        if event.type is EventType.DELETED:
            superseded = txn.pop(stem, self._tables.live)
        else:
            superseded = txn.replace(stem, state_value(stem, revision, packed), self._tables.live)
        previous = event.previous.revision if event.previous else 0
        found = REVISION.unpack_from(superseded)[0] if superseded else 0
        if found != previous and not write.discards:
            raise CorruptError(f"{key}: the index has revision {found} where {previous} was decided on")
        if superseded and not write.discards:
            superseded_key = past_key(stem, previous)
            past = state_value(superseded_key, revision, superseded[STATE_HEAD_BYTES : -CHECKSUM.size])
            txn.put(superseded_key, past, db=self._tables.past)
        transformer = self._reader.transformer
        if transformer is not None and write.cut is None and transformer.concerns(key.resource):
            body = transformer.to_disk(key, body)
        value = log_value(revision, previous, event.type, stem, packed, body, write.cut)
        if not txn.put(REVISION.pack(revision), value, db=self._tables.log, append=True):
            raise CorruptError(f"{key}: the log has a later record than revision {revision}")

    def _landed(self, failure: Failure | StoreError | None) -> None:
        """A batch is on disk, or isn't."""
        if isinstance(failure, lmdb.Error):
            self._tables.failed = isinstance(failure, lmdb.PanicError) or self._tables.has_given_up()
        elif failure is None and self._trouble.why and self._room is Room.ORDINARY and self._has_room_again():
            self._refused_bytes = 0
            self._trouble.ends()
        self._land(failure)

    def _has_room_again(self) -> bool:
        """Whether what was refused in a full store would fit now: something small always may, which proves nothing."""
        if max(map(_body_bytes, self._under_way)) >= self._refused_bytes:
            return True
        if self._wanted_left_bytes is None:
            return self._reserve.has_room(self._refused_bytes)
        return self._reserve.left_bytes(self._reader.txn) >= self._wanted_left_bytes

    def _land(self, failure: Failure | StoreError | None) -> None:
        batch, self._under_way = self._under_way, []
        try:
            if failure is None:
                self._succeed(batch)
            else:
                self._fail(batch, failure)
        finally:
            if self._again or self._queue:
                self._schedule()

    def _succeed(self, batch: list[Item]) -> None:
        writes = [item for item in batch if isinstance(item, Write)]
        for write in writes:
            write.committed = True
            if self._pending.get(write.event.record.key) is write:
                del self._pending[write.event.record.key]
        try:
            if not all(map(_is_mark, batch)):
                self._reader.renew()
            if writes:
                self.commits += 1
                self.committed_writes += len(writes)
                self._resources.recorded()
                self._committed([write.event for write in writes])
        finally:
            # Also where a listener fails, which is a bug of ours that the loop reports: what is committed is answered.
            for item in batch:
                _answer(item)

    def _committed(self, events: list[Event]) -> None:
        """Readers see these from now on."""
        self._counts.committed(events)
        self._reader.committed(events)
        self._publish(events)

    def _fail(self, batch: list[Item], failure: Failure | StoreError) -> None:
        full = self._reserve.would_help(failure)
        jobs_again = full and self._room < Room.WHOLE
        error: StoreError
        if full:
            self._reserve.met_the_end(failure)
            error = StoreFullError("the disk or the store's map is full; delete something, or give it more room")
        else:
            error = failure if isinstance(failure, StoreError) else StoreError(f"the store could not write: {failure}")
            if isinstance(failure, lmdb.Error | OSError):
                self._tables.distrust()
        failed: list[Write] = []
        lost: set[Key] = set()
        for item in batch:
            if isinstance(item, Job):
                if jobs_again or item.apply is None:
                    self._again.append(item)
                else:
                    _refuse(item.done, error)
            elif full and self._room < item.room and item.event.record.key not in lost:
                self._again.append(item)
            else:
                lost.add(item.event.record.key)
                failed.append(item)
        behind, self._queue = self._queue, deque()
        for item in behind:
            if isinstance(item, Write) and item.event.record.key in lost:
                failed.append(item)
            else:
                self._queue.append(item)
        self._pending = {item.event.record.key: item for item in (*self._again, *self._queue) if isinstance(item, Write)}
        for write in failed:
            _refuse(write.answer, error)
        if (failed or not self._again) and not isinstance(failure, CorruptError):
            self._trouble.begins(str(error))
            self._refused_bytes = max(map(_body_bytes, failed), default=0) if full else 0
            in_map = isinstance(failure, lmdb.MapFullError)
            self._wanted_left_bytes = self._reserve.left_bytes(self._reader.txn) + self._refused_bytes if in_map else None


def _body_bytes(item: Item) -> int:
    return len(item.event.record.body) if isinstance(item, Write) else 0


def _is_mark(item: Item) -> bool:
    """Whether there is nothing to do but to answer."""
    return isinstance(item, Job) and item.apply is None


def _abort(txn: Transaction | None) -> None:
    if txn is not None:
        txn.abort()


def _answer(item: Item) -> None:
    if isinstance(item, Job):
        if not item.done.done():
            item.done.set_result(None)
    elif item.answer is not None and not item.answer.done():
        item.answer.set_result(item.event.record)


def _refuse(answer: "asyncio.Future[Record] | asyncio.Future[None] | None", error: StoreError) -> None:
    if answer is not None and not answer.done():
        answer.set_exception(error)
