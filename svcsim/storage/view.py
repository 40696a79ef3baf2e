"""The state at one revision: `contract.ReadView`, pinned.

A view holds nothing but its revision. It reads the newest snapshot and looks for what was visible at that revision, so that any number of
views cost nothing, and one that is kept too long gets a `CompactedError` instead of keeping the past alive.
"""

from collections.abc import AsyncIterator, Mapping
from typing import NamedTuple

from svcsim.clock import turn
from svcsim.limits import LIST_SLICE_BYTES
from svcsim.meta.budget import Budget, OverBudgetError, Portion
from svcsim.meta.slice_turns import SliceTurns
from svcsim.storage.contract import FutureRevisionError, Key, ListsTooLargeError, OnDamage, Record, RecordPage, Selection, refuse
from svcsim.storage.counts import Counts
from svcsim.storage.files import Tables
from svcsim.storage.hub import Subscription, WatchHub
from svcsim.storage.reader import Reader
from svcsim.storage.resources import Resources
from svcsim.storage.scan import Query, Scan

Bodies = list[bytes]
"""By another name, since a view has a method `list`."""


class Sources(NamedTuple):
    """What every view of one store reads from."""

    tables: Tables
    resources: Resources
    reader: Reader
    counts: Counts
    hub: WatchHub
    lists: Budget
    """What lists under way hold."""
    turns: SliceTurns
    """At reading a slice."""
    changed: Mapping[str, int]
    """The newest revision of each resource since the store was opened."""


class RevisionView:
    """Everything as it was at a revision."""

    def __init__(self, sources: Sources, revision: int) -> None:
        """Raises `CompactedError` and `FutureRevisionError`."""
        sources.reader.check(revision)
        self._sources = sources
        self._reader = sources.reader
        self.revision = revision

    @property
    def compacted(self) -> int:
        """Revisions before this one can't be read any more."""
        return self._reader.compacted

    def at(self, revision: int) -> "RevisionView":
        """The state before this one, at a revision of its own."""
        if revision > self.revision:
            raise FutureRevisionError(revision, self.revision)
        return RevisionView(self._sources, revision)

    def get(self, key: Key) -> Record | None:
        """The state of a key."""
        self._reader.check(self.revision)
        return self._reader.get(key, self.revision)

    async def list(
        self,
        resource: str,
        namespace: str = "",
        *,
        start: Key | None = None,
        limit: int = 0,
        selection: Selection | None = None,
    ) -> RecordPage:
        """Records of a resource, in slices that let others have a turn."""
        whole = start is None and selection is None
        total = self._count_now(resource, namespace) if whole else None
        scan = self._scan(Query(resource, namespace, self.revision, start, limit, selection))
        records: list[Record] = []
        held = self._sources.lists.portion()
        while scan is not None and not scan.done:
            await self._sources.turns.mine()
            taken = scan.take()
            if selection is None:  # else it is read what is left out, too
                self._sources.turns.used(len(taken))
            _hold(held, sum([len(record.body) for record in taken]))
            records += taken
            if not scan.done:
                await turn()
        if scan is None or scan.next is None:
            return RecordPage(records, self.revision, None, 0, held if records else None)
        if whole and total is None:
            total = len(records) + await self._walk(Query(resource, namespace, self.revision, scan.next))
        return RecordPage(records, self.revision, scan.next, None if total is None else total - len(records), held)

    async def bodies(self, resource: str, namespace: str = "", *, on_damage: OnDamage = refuse) -> AsyncIterator[tuple[int, Bodies]]:
        """A whole list, slice by slice."""
        held = self._sources.lists.portion()
        _hold(held, 2 * LIST_SLICE_BYTES)  # the slice, and what is made of it
        scan = self._scan(Query(resource, namespace, self.revision, on_damage=on_damage))
        await self._sources.turns.mine()
        bodies: Bodies = [] if scan is None else scan.take_bodies()
        self._sources.turns.used(len(bodies))
        yield self.revision, bodies
        while scan is not None and not scan.done:
            await turn()
            await self._sources.turns.mine()
            bodies = scan.take_bodies()
            if bodies:
                yield self.revision, bodies

    async def count(self, resource: str, namespace: str = "", *, start: Key | None = None) -> int:
        """How many there were."""
        now = self._count_now(resource, namespace) if start is None else None
        return await self._walk(Query(resource, namespace, self.revision, start)) if now is None else now

    def changed(self, resource: str) -> int:
        """The newest revision of a resource; this one's own where there have been later ones."""
        return min(self._sources.changed.get(resource, 0), self.revision)

    def watch(self, resource: str = "", namespace: str = "", name: str = "") -> Subscription:
        """What happened after this state, and then what happens."""
        self._reader.check(self.revision)
        return self._sources.hub.subscribe((resource, namespace, name), self.revision)

    async def wait_for(self, revision: int, _timeout_s: float) -> bool:
        """Whether ``revision`` is shown: what isn't yet will never be."""
        return revision <= self.revision

    def _count_now(self, resource: str, namespace: str) -> int | None:
        """How many there are, if this is still the newest state."""
        return self._sources.counts.of(resource, namespace) if self.revision == self._reader.revision else None

    async def _walk(self, query: Query) -> int:
        """Count what a query finds."""
        counted = 0
        scan = self._scan(query)
        while scan is not None and not scan.done:
            await self._sources.turns.mine()
            counted += scan.count()
            await turn()
        return counted

    def _scan(self, query: Query) -> Scan | None:
        """The list asked for; None where nothing was ever written under the resource."""
        self._reader.check(query.revision)
        prefix = self._sources.resources.prefix(query.resource)
        return None if prefix is None else Scan(self._reader, self._sources.tables, prefix, query)


def _hold(held: Portion, size_bytes: int) -> None:
    try:
        held.grow(size_bytes)
    except OverBudgetError:
        raise ListsTooLargeError("too many long lists at a time") from None
