"""What a store promises: the contract in one file, which a suite of tests states and every implementation has to pass.

It has two halves. `ReadView` has the reads of one state; `Store` has those of the newest state, which moves on with every commit, and the
writes. `ReadView.at` returns the view of a past revision, which doesn't change: code that reads from a view can't tell the difference, and
so everything that reads also works on the past.

A store keeps records under keys. Every committed write takes the next revision of one counter; that number is the record's
``resourceVersion``. The number of a write that failed is not used again: numbers may have gaps, and a revision inside one reads like the
one before it. All writes go through one event loop, which decides their order and their preconditions there and then, against
everything written before them, committed or not; committing them is the business of another thread. A write, and likewise the refusal of
one, is answered only when everything it rests on is committed. Readers see committed revisions only.

The store handles bytes. It never looks into an object: what it needs for filtering is in the record's `Envelope`. The writer of an object
may pass the object itself along with its bytes (`Body.says`): readers of the record get it while the record is in memory, which saves them
decoding it.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from svcsim.limits import DECODED_TIMES
from svcsim.meta.budget import Portion
from svcsim.meta.types import Key as Key  # noqa: PLC0414 - a word of the contract
from svcsim.meta.types import Object


class Envelope(NamedTuple):
    """What can be asked of a record without decoding its object."""

    uid: str
    labels: dict[str, str]
    fields: dict[str, str]
    """The kind's selectable fields by path, ``metadata.name`` and ``metadata.namespace`` left out."""
    owners: tuple[str, ...]
    """UIDs in ``metadata.ownerReferences``."""


class Body(NamedTuple):
    """An encoded object cut open where its revision belongs: ``head + decimal digits + tail`` is the JSON that is stored and served."""

    head: bytes
    tail: bytes
    says: Object | None = None
    """The decoded object without its revision, shared with later readers of the record; it isn't to be changed."""


class Record(NamedTuple):
    """One state of one object."""

    key: Key
    revision: int
    """The revision that wrote this state."""
    envelope: Envelope
    body: bytes
    says: Object | None = None
    """What the body says, but for the revision, where that is known without decoding it: it was written of late. It isn't to be changed."""

    @property
    def memory_bytes(self) -> int:
        """About what the body takes in memory, and what it says."""
        return memory_bytes(self.body, self.says)


def memory_bytes(body: bytes, says: Object | None) -> int:
    """About what an encoded object takes in memory, and what it says, where that is kept with it."""
    return len(body) * (1 if says is None else 1 + DECODED_TIMES)


class CutRecord(NamedTuple):
    """A record, and where in its body its revision stands."""

    record: Record
    cut: int


class EventType(IntEnum):
    """What happened to a key."""

    ADDED = 1
    MODIFIED = 2
    DELETED = 3


class Event(NamedTuple):
    """One committed write. For a deletion ``record`` is the last state, under the revision that deleted it."""

    type: EventType
    record: Record
    previous: Record | None
    """The state before; None for an addition."""


class RecordPage(NamedTuple):
    """A part of a list, in key order (namespace, then name), as it was at ``revision``."""

    records: list[Record]
    revision: int
    next: Key | None
    """The first key of the rest; None when this is all."""
    remaining: int | None
    """How many follow; None where telling would mean reading them: behind a filter, and from a ``start`` on (whoever turns pages knows
    what the page before told, less this one's records). Of a past revision they are counted."""
    held: Portion | None = None
    """What the records take of the memory for lists: to be kept for as long as they are."""


class StoreError(Exception):
    """A failure of the store."""


class KeyExistsError(StoreError):
    """A create met an object under its key."""


class KeyMissingError(StoreError):
    """An update or a delete met nothing under its key."""


class RevisionMismatchError(StoreError):
    """A compare-and-swap met another revision than it expected."""


class CompactedError(StoreError):
    """The revision asked for is no longer kept."""

    def __init__(self, revision: int, compacted: int) -> None:
        super().__init__(f"revision {revision} has been compacted; the oldest is {compacted}")
        self.revision = revision
        self.compacted = compacted


class FutureRevisionError(StoreError):
    """The revision asked for has not happened yet."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} has not happened yet; the newest is {current}")
        self.revision = revision
        self.current = current


class StoreFullError(StoreError):
    """The disk or the map is full: writes fail, reads and deletes go on (`Store.delete` says at what price)."""


class CorruptError(StoreError):
    """A record's checksum does not fit its bytes. It is never served."""


class Damage(NamedTuple):
    """A record that can't be read."""

    key: Key
    envelope: Envelope | None
    """What is known of it all the same; None where its entry in the index is damaged, too."""
    error: CorruptError


OnDamage = Callable[[Damage], None]
"""Called with the error of what can't be read; raising it stops the read."""


def refuse(damage: Damage) -> None:
    """Stop at the first thing that can't be read."""
    raise damage.error


class FormatError(StoreError):
    """The files are of another format, another dialect, or not a store at all."""


class DamagedFileError(FormatError):
    """The data file is damaged beyond what one object's damage would be: nothing in it can be relied on."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} is damaged: {why}; put a copy of it back, or delete the cluster and its data and begin anew")


class LockedError(StoreError):
    """Another process serves this store."""


class ListsTooLargeError(StoreError):
    """The lists that are under way hold as much as they may together."""


class WatcherLaggedError(StoreError):
    """A watcher fell further behind than its queue holds, and was ended. It resumes from its last revision."""


class Transformer(Protocol):
    """How bodies stand on the disk, where that isn't as they are. Only what is asked of a resource that it `concerns` may be otherwise."""

    def concerns(self, resource: str) -> bool:
        """Whether bodies of a resource are stored otherwise than they are, or must be."""
        ...

    def to_disk(self, key: Key, body: bytes) -> bytes:
        """A body of a resource that is concerned, as it is to be stored."""
        ...

    def is_foreign(self, stored: bytes) -> bool:
        """Whether this is no body, but what `to_disk` has made of one."""
        ...

    def from_disk(self, key: Key, stored: bytes) -> bytes:
        """The body that is stored so. Raises `CorruptError`."""
        ...

    def is_stale(self, key: Key, stored: bytes) -> bool:
        """Whether it would be stored otherwise today."""
        ...


Filter = Callable[[Key, Envelope], bool]


class Doubt(NamedTuple):
    """That the fields in the envelopes of records that aren't new are nothing to go by."""

    until: int
    """Up to this revision."""
    accept: Filter
    """Which of those records may match all the same: the caller looks at them more closely."""


class Selection(NamedTuple):
    """Which records of a list are wanted. What is returned is up to ``accept`` alone, or to that of the ``doubt``.

    Everything else is what every accepted record is known to have: a hint, which saves looking at all others more closely, or, where it is
    the namespace, at all others at all. Fields are those of the envelope.
    """

    accept: Filter
    labels: Mapping[str, str]
    fields: Mapping[str, str]
    namespace: str | None = None
    """None where it may be any."""
    name: str = ""
    """Empty where it may be any."""
    doubt: Doubt | None = None


class Stats(NamedTuple):
    """What there is to measure."""

    revision: int
    compacted: int
    size_bytes: int
    """The size of the data file, as far as it was ever used."""
    objects: int
    watchers: int
    commits: int
    """Commits of writes since the store was opened."""
    committed_writes: int
    """Writes in them: divided by ``commits``, the size of a batch."""


class Watcher(Protocol):
    """Events after a revision, each once, in order."""

    def __aiter__(self) -> AsyncIterator[list[Event]]:
        """Batches of events; an empty one only after `nudge`. Ends when closed; raises `WatcherLaggedError` or `CompactedError`."""
        ...

    def nudge(self) -> None:
        """Hand out a batch soon, if only an empty one: for a reader that has something of its own to say."""
        ...

    @property
    def revision(self) -> int:
        """Every event up to here that concerns this watcher has been handed out."""
        ...

    def close(self) -> None:
        """End it. Calling this twice does nothing."""
        ...


class ReadView(Protocol):
    """What can be asked of a state. Reads are quick enough for the event loop; those that are awaited take turns where they are long.

    The view of a past revision ends when that is compacted: from then on everything but `revision` raises `CompactedError`.
    """

    @property
    def revision(self) -> int:
        """The revision that is shown: the newest committed one, or the one the view was made for."""
        ...

    @property
    def compacted(self) -> int:
        """Revisions before this one can't be read any more."""
        ...

    def at(self, revision: int) -> "ReadView":
        """The state as it was at a revision. Raises `CompactedError`, and `FutureRevisionError` for what this view doesn't know yet."""
        ...

    def get(self, key: Key) -> Record | None:
        """The state of a key. Raises `CorruptError`."""
        ...

    def bodies(self, resource: str, namespace: str = "", *, on_damage: OnDamage = refuse) -> AsyncIterator[tuple[int, list[bytes]]]:
        """A whole list for whoever sends it on as it comes: the revision, and the next few hundred bodies of it, slice by slice.

        There is at least one slice, and only the first may be empty. Raises `CompactedError` should the history be shorter than this takes,
        and `ListsTooLargeError` before the first slice.
        Where a record is damaged, ``on_damage`` is called, and the list goes on without that one if it returns.
        """
        ...

    async def list(
        self,
        resource: str,
        namespace: str = "",
        *,
        start: Key | None = None,
        limit: int = 0,
        selection: Selection | None = None,
    ) -> RecordPage:
        """Records of a resource (in one namespace, or in all for ``""``) as of one revision; ``limit`` 0 means all."""
        ...

    async def count(self, resource: str, namespace: str = "", *, start: Key | None = None) -> int:
        """How many there are, or how many from ``start`` on. All of the newest state cost nothing, others a walk through the index."""
        ...

    def changed(self, resource: str) -> int:
        """The newest revision that changed anything of a resource, or 0 if nothing did since the store was opened.

        For as long as it stays the same, so does every answer about the resource; of a past state it may be later than the change was.
        """
        ...

    def watch(self, resource: str = "", namespace: str = "", name: str = "") -> Watcher:
        """What happens after this state to one resource, or to all for ``""``: from a past one on, history first."""
        ...

    async def wait_for(self, revision: int, timeout_s: float) -> bool:
        """Wait until ``revision`` is shown; False when that took too long, or can never be because the view stands still."""
        ...


class Store(ReadView, Protocol):
    """The newest state, and the writes."""

    @property
    def trouble(self) -> str:
        """What keeps the store from writing, in words, since a write failed and until one succeeds again; empty while nothing does."""
        ...

    def latest(self, key: Key, known: Record | None = None) -> Record | None:
        """The newest state written, committed or not: what an update builds on. Only ever a basis for a write, never an answer.

        ``known`` is a state of the key that was read before: if it is the newest still, it isn't read again.
        """
        ...

    def pending(self, key: Key) -> bool:
        """Whether a write of this key is on its way: decided, and neither committed nor failed."""
        ...

    async def create(self, key: Key, envelope: Envelope, body: Body, *, waits: bool = True) -> Record:
        """Write a new record. Raises `KeyExistsError`, `StoreFullError`.

        In a full store the history of what has been deleted gives way, as to a deletion: what was deleted makes room at once. Without
        ``waits`` the record is returned as soon as it has its place among all writes. It can't be read before it is committed; if that
        fails, the caller isn't told.
        """
        ...

    async def update(self, key: Key, envelope: Envelope, body: Body, *, expected: int, frees: bool = False) -> Record:
        """Replace the state of revision ``expected``. Raises `KeyMissingError`, `RevisionMismatchError`, `StoreFullError`.

        ``frees`` marks a step on the way to a deletion: it gets through in a full store as a deletion does.
        """
        ...

    async def delete(self, key: Key, envelope: Envelope, body: Body, *, expected: int) -> Record:
        """Remove the record whose revision is ``expected``; ``body`` is its last state. Raises like `update`.

        In a full store history gives way: if there is no other room left, everything that only past revisions show is forgotten
        (`compacted` becomes the newest revision, and reads of older ones raise `CompactedError`) before a deletion is refused.
        """
        ...

    async def delete_as_they_are(self, records: Sequence[CutRecord]) -> Sequence[Record | None]:
        """Remove records that are the newest states of their keys, in this order and all in one go; gives their last states.

        Nothing of them changes but the revision. None stands for one that has changed, is about to, or could not be removed: it is left
        to `delete`, which says why.
        """
        ...

    async def discard(self, key: Key, envelope: Envelope, body: Body) -> Record:
        """Remove a record that can't be read; ``envelope`` and ``body`` stand for its last state. Raises `KeyMissingError`.

        Its past can't be shown, so history ends here: what only earlier revisions show is forgotten (`compacted`).
        """
        ...

    def known(self, key: Key) -> Envelope | None:
        """What the index tells of a key whose record can't be read; None where that is damaged, too."""
        ...

    def is_stale(self, key: Key) -> bool:
        """Whether a record would be stored otherwise if the same were written again: under another key of encryption."""
        ...

    async def settled(self) -> None:
        """Wait until everything written so far is committed or has failed: before an answer that rests on `latest` without writing."""
        ...

    def on_commit(self, resource: str, listener: Callable[[Event], None]) -> None:
        """Call ``listener`` with every later event of a resource, in the turn of the loop in which readers begin to see it.

        The write is answered after that. The listener must be quick and must not fail: all writes wait for it. Code that can
        wait uses a watcher.
        """
        ...

    def get_meta(self, name: str) -> bytes | None:
        """A value the cluster keeps for itself."""
        ...

    async def put_meta(self, name: str, value: bytes) -> None:
        """Keep a value; done when it is committed. Takes no revision."""
        ...

    def keep_along(self, name: str, value: Callable[[], bytes]) -> None:
        """Keep with every later commit of writes what ``value`` gives then, under a name of `put_meta`'s. One such there can be."""
        ...

    def stats(self) -> Stats: ...

    def release_memory(self, most_bytes: int) -> bool:
        """If more than this of files is mapped into the process, let go of what can be read again; whether anything was let go of."""
        ...

    async def compact(self, revision: int) -> None:
        """Forget what is only visible before ``revision``, in small batches. Raises `FutureRevisionError`."""
        ...

    async def close(self) -> None:
        """Commit what is under way and close. Calling this twice does nothing."""
        ...
