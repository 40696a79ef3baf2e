"""The store on LMDB: `contract.Store`, put together from its parts.

A write goes ``sequencer`` (decides) → ``writer`` (gathers and commits batches, through ``commit``) → back on the loop: ``reader`` moves
on to the new snapshot, ``hub`` tells the watchers, the answer goes out. A read goes to ``reader``, straight or, for a list or a past
revision, by a ``view``. ``layout`` says what the bytes are.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import lmdb

from svcsim.limits import LIST_SLICE_RECORDS, LISTS_BYTES, MAP_BYTES, READ_SLICES_A_TURN
from svcsim.meta.budget import Budget
from svcsim.meta.slice_turns import SliceTurns
from svcsim.rest import Work
from svcsim.storage.commit import InlineCommitter, Probe, ThreadCommitter, no_probe
from svcsim.storage.compaction import Sweep
from svcsim.storage.contract import (
    Body,
    CompactedError,
    CutRecord,
    Envelope,
    Event,
    EventType,
    Key,
    OnDamage,
    Record,
    RecordPage,
    Selection,
    Stats,
    StoreError,
    StoreFullError,
    Transformer,
    refuse,
)
from svcsim.storage.counts import Counts
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.engine import Transaction
from svcsim.storage.files import (
    LOCK_FILE,
    Durability,
    LockFile,
    Tables,
    longest_file_bytes,
    open_tables,
    prepare_directory,
)
from svcsim.storage.hub import Subscription, WatchHub
from svcsim.storage.layout import State, sealed, unpack_envelope
from svcsim.storage.reader import Reader
from svcsim.storage.repair import Contents, look_over
from svcsim.storage.reserve import Reserve, Room
from svcsim.storage.residence import Residence
from svcsim.storage.resources import Resources
from svcsim.storage.seal import seal_closed
from svcsim.storage.sequencer import Sequencer
from svcsim.storage.stall import Stall
from svcsim.storage.trouble import Trouble
from svcsim.storage.view import Bodies, RevisionView, Sources
from svcsim.storage.writer import Writer

INFO_KEY = b"info/"


class LmdbStore:
    """`contract.Store` in a directory."""

    def __init__(
        self,
        path: Path,
        tables: Tables,
        contents: Contents,
        lock: LockFile,
        reserve: Reserve,
        *,
        durability: Durability,
        probe: Probe,
        work: Work | None,
    ) -> None:
        """Use `open`. ``work`` is None where there is to be no thread."""
        self._tables = tables
        self._lock = lock
        self._synced_at_end = durability == "process"
        self._kept = durability != "none"
        self._data_file = path
        self._closed = False
        self._residence = Residence(path)
        self._changed: dict[str, int] = {}
        self._deleted = 0
        """The newest revision that deleted something, since the store was opened."""
        self._awaited: list[tuple[int, asyncio.Future[None]]] = []
        self._listeners: dict[str, list[Callable[[Event], None]]] = {}
        self._resources = Resources(tables)
        self._counts = Counts(self._resources, contents.counted)
        self._trouble = Trouble()
        self._stall = Stall()
        revision = contents.revision
        self._reader = Reader(tables, self._resources, revision=revision, compacted=contents.compacted)
        self._reader.renew()
        turns = SliceTurns(READ_SLICES_A_TURN, LIST_SLICE_RECORDS)
        self._hub = WatchHub(self._reader, turns)
        self._sources = Sources(tables, self._resources, self._reader, self._counts, self._hub, Budget(LISTS_BYTES), turns, self._changed)
        grown = reserve.grown
        self._committer = InlineCommitter(probe, grown) if work is None else ThreadCommitter(probe, grown, work, self._stall)
        self._writer = Writer(tables, self._resources, self._counts, self._reader, reserve, self._committer, self._trouble, self._publish)
        self._sequencer = Sequencer(self._reader, self._writer, revision)
        self._sweep = Sweep(tables, self._reader, self._writer, probe)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        dialect: str,
        durability: Durability = "full",
        threads: bool = True,
        map_bytes: int = MAP_BYTES,
        probe: Probe = no_probe,
        work: Work | None = None,
    ) -> "LmdbStore":
        """Open the store in a directory of its own, or make one. Needs no running loop.

        ``threads`` False commits on the loop itself, for runs on virtual time. ``work`` counts commits under way in the thread.

        Raises `FormatError`, `LockedError`, `StoreError`.
        """
        try:
            prepare_directory(path)
            lock = LockFile(path / LOCK_FILE)
        except OSError as error:
            raise StoreError(f"can't open the store in {path}: {error.strerror}") from error
        try:
            tables = open_tables(path, lock, map_bytes=map_bytes, durability=durability, dialect=dialect)
            try:
                contents = look_over(tables, path / DATA_FILE)
                reserve = Reserve(tables, min(map_bytes, longest_file_bytes()), path, ballast=durability != "none")
                counted = (work or Work()) if threads else None
                return cls(path / DATA_FILE, tables, contents, lock, reserve, durability=durability, probe=probe, work=counted)
            except (lmdb.Error, OSError) as error:
                tables.env.close()
                raise StoreError(f"can't open the store in {path}: {error}") from error
            except BaseException:
                tables.env.close()
                raise
        except BaseException:
            lock.release()
            raise

    @property
    def revision(self) -> int:
        """The newest committed revision."""
        return self._reader.revision

    @property
    def compacted(self) -> int:
        """Revisions before this one can't be read any more."""
        return self._reader.compacted

    @property
    def trouble(self) -> str:
        """What keeps it from writing; empty while nothing does."""
        return self._trouble.why or self._stall.why

    def at(self, revision: int) -> RevisionView:
        """The state as it was at a revision."""
        return RevisionView(self._sources, revision)

    def get(self, key: Key) -> Record | None:
        """The newest committed state of a key."""
        return self._reader.get(key)

    async def list(
        self,
        resource: str,
        namespace: str = "",
        *,
        start: Key | None = None,
        limit: int = 0,
        selection: Selection | None = None,
    ) -> RecordPage:
        """Records of a resource, as of the moment this is called."""
        while True:
            try:
                return await self.at(self.revision).list(resource, namespace, start=start, limit=limit, selection=selection)
            except CompactedError:
                continue  # The history is shorter than this list took: begin again with what is newest now.

    def bodies(self, resource: str, namespace: str = "", *, on_damage: OnDamage = refuse) -> AsyncIterator[tuple[int, Bodies]]:
        """A whole list, slice by slice, as of the moment this is called."""
        return self.at(self.revision).bodies(resource, namespace, on_damage=on_damage)

    async def count(self, resource: str, namespace: str = "", *, start: Key | None = None) -> int:
        """How many there are now."""
        if start is None:
            return self._counts.of(resource, namespace)
        return await self.at(self.revision).count(resource, namespace, start=start)

    def changed(self, resource: str) -> int:
        """The newest revision of a resource since the store was opened."""
        return self._changed.get(resource, 0)

    def watch(self, resource: str = "", namespace: str = "", name: str = "") -> Subscription:
        """What happens from now on."""
        return self._hub.subscribe((resource, namespace, name), self.revision)

    def latest(self, key: Key, known: Record | None = None) -> Record | None:
        """The newest state written, committed or not."""
        return self._sequencer.latest(key, known)

    def pending(self, key: Key) -> bool:
        """Whether a write of this key is on its way."""
        return self._writer.pending(key) is not None

    async def create(self, key: Key, envelope: Envelope, body: Body, *, waits: bool = True) -> Record:
        """Write a new record. In a full store, the history of what was deleted gives way to one that somebody waits for."""
        try:
            return await self._sequencer.create(key, envelope, body, waits=waits)
        except StoreFullError:
            if self._deleted <= self.compacted:
                raise
            await self._give_up_history()
            return await self._sequencer.create(key, envelope, body, waits=waits)

    async def update(self, key: Key, envelope: Envelope, body: Body, *, expected: int, frees: bool = False) -> Record:
        """Replace the state of revision ``expected``. In a full store history gives way, as to a create or, if it ``frees``, a deletion."""
        if frees:
            return await self._freeing(partial(self._sequencer.update, key, envelope, body, expected))
        try:
            return await self._sequencer.update(key, envelope, body, expected, room=Room.ORDINARY)
        except StoreFullError:
            if self._deleted <= self.compacted:
                raise
            await self._give_up_history()
            return await self._sequencer.update(key, envelope, body, expected, room=Room.ORDINARY)

    async def delete(self, key: Key, envelope: Envelope, body: Body, *, expected: int) -> Record:
        """Remove the record whose revision is ``expected``; ``body`` is its last state. In a full store, history gives way."""
        return await self._freeing(partial(self._sequencer.delete, key, envelope, body, expected))

    async def delete_as_they_are(self, records: Sequence[CutRecord]) -> Sequence[Record | None]:
        """Remove records that are the newest states of their keys, without changing them, as far as that goes at once."""
        answers = self._sequencer.delete_as_they_are(records)
        ends = iter(await asyncio.gather(*[answer for answer in answers if answer is not None], return_exceptions=True))
        return [None if answer is None else _removed(next(ends)) for answer in answers]

    async def discard(self, key: Key, envelope: Envelope, body: Body) -> Record:
        """Remove a record that can't be read; ``body`` stands for its last state."""
        record = await self._freeing(partial(self._sequencer.discard, key, envelope, body))
        await self._sweep.up_to(record.revision, for_use=True)
        return record

    def known(self, key: Key) -> Envelope | None:
        """What the index tells of a key."""
        entry = self._reader.entry(key)
        return unpack_envelope(entry.packed) if isinstance(entry, State) else None

    def transform(self, transformer: Transformer) -> None:
        """Have bodies stand on the disk as it says, from now on."""
        self._reader.transformer = transformer

    def is_stale(self, key: Key) -> bool:
        """Whether a record would be stored otherwise today. One that is on its way is stored as of today."""
        return not self.pending(key) and self._reader.is_stale(key)

    async def settled(self) -> None:
        """Wait until everything written so far is committed."""
        await self._writer.settled()

    def on_commit(self, resource: str, listener: Callable[[Event], None]) -> None:
        """Call ``listener`` with every later event of a resource, before the write is answered."""
        self._listeners.setdefault(resource, []).append(listener)

    async def wait_for(self, revision: int, timeout_s: float) -> bool:
        """Wait until ``revision`` is committed; False when that took too long."""
        if revision <= self.revision:
            return True
        reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        awaited = (revision, reached)
        self._awaited.append(awaited)
        try:
            async with asyncio.timeout(timeout_s):
                await reached
        except TimeoutError:
            return False
        finally:
            if awaited in self._awaited:
                self._awaited.remove(awaited)
        return True

    async def compact(self, revision: int) -> None:
        """Forget what is only visible before ``revision``, in small batches."""
        await self._sweep.up_to(revision, for_use=bool(self._trouble.why))

    def get_meta(self, name: str) -> bytes | None:
        """A value the cluster keeps for itself."""
        return self._reader.meta(INFO_KEY + name.encode())

    async def put_meta(self, name: str, value: bytes) -> None:
        """Keep a value; done when it is committed. Takes no revision."""
        await self._writer.run(lambda txn: _put(txn, self._tables, INFO_KEY + name.encode(), value))

    def keep_along(self, name: str, value: Callable[[], bytes]) -> None:
        """Keep with every commit of writes what ``value`` gives then, under a name of `put_meta`'s."""
        self._writer.along = lambda txn: _put(txn, self._tables, INFO_KEY + name.encode(), value())

    def release_memory(self, most_bytes: int) -> bool:
        """Let go of the map's pages if there are too many; they stay in the system's cache. Whether there were."""
        return self._residence.limit(most_bytes)

    def stats(self) -> Stats:
        info = self._tables.env.info()
        return Stats(
            revision=self.revision,
            compacted=self.compacted,
            size_bytes=(info["last_pgno"] + 1) * os.sysconf("SC_PAGESIZE"),
            objects=self._counts.total(),
            watchers=self._hub.count(),
            commits=self._writer.commits,
            committed_writes=self._writer.committed_writes,
        )

    async def close(self) -> None:
        """Commit what is under way and close. Calling this twice does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._writer.close()
        self._committer.stop()
        self._hub.close()
        self._reader.drop()
        try:
            if self._synced_at_end:
                self._tables.env.sync(force=True)
        except lmdb.Error as error:
            raise StoreError(f"the store could not be brought to disk: {error}") from error
        finally:
            self._tables.env.close()
            if self._kept and not self._tables.is_unchecked:
                seal_closed(self._data_file)
            self._lock.release()

    async def _freeing(self, write: Callable[..., Awaitable[Record]]) -> Record:
        """What makes room: in a full store the history gives way to it, and then the last of what is kept back."""
        try:
            return await write(room=Room.DELETIONS)
        except StoreFullError:
            await self._give_up_history()
            return await write(room=Room.WHOLE)

    async def _give_up_history(self) -> None:
        revision = self.revision
        if revision > self.compacted:
            logging.getLogger(__name__).warning("the store is full: the history before revision %d gives way", revision)
        await self._sweep.up_to(revision, for_use=True)

    def _publish(self, events: Sequence[Event]) -> None:
        for event in events:
            self._changed[event.record.key.resource] = event.record.revision
            if event.type is EventType.DELETED:
                self._deleted = event.record.revision
        self._residence.written(sum([len(event.record.body) for event in events]))
        self._hub.publish(events)
        if self._awaited:
            for revision, reached in self._awaited:
                if revision <= self.revision and not reached.done():
                    reached.set_result(None)
        if self._listeners:
            for event in events:
                for listener in self._listeners.get(event.record.key.resource, ()):
                    listener(event)


def _removed(end: Record | BaseException) -> Record | None:
    """The record of a deletion; None where it failed, as `LmdbStore.delete` tells."""
    if isinstance(end, BaseException) and not isinstance(end, StoreError):
        raise end
    return None if isinstance(end, StoreError) else end


def _put(txn: Transaction, tables: Tables, name: bytes, value: bytes) -> None:
    txn.put(name, sealed(value, name), db=tables.meta)
