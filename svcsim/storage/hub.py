"""Watching: history first, then live, without a seam.

A watcher that starts in the past reads the log slice by slice until it has caught up; in that same turn of the event loop it is entered
with the hub, and from then on each commit appends to its queue. Commits are published on that loop too, so nothing falls in between and
nothing comes twice. The cost of a live event is one append a watcher; the `Event` is one object for all of them, so that it need be encoded
only once. A watcher that doesn't keep up affects neither the writer nor other watchers: if it lags by very many events, it is ended; if the
events it lags by are merely large, they aren't kept for it, and the watcher reads history again from where it is.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable

from svcsim.clock import turn
from svcsim.limits import REPLAY_SLICE_RECORDS, WATCH_QUEUE_BYTES, WATCH_QUEUE_EVENTS, WATCH_QUEUES_BYTES
from svcsim.meta.slice_turns import SliceTurns
from svcsim.storage.contract import CompactedError, Event, Key, WatcherLaggedError
from svcsim.storage.reader import Reader

Pattern = tuple[str, str, str]
"""Resource, namespace, name; an empty part stands for any."""


_Shape = tuple[bool, bool, bool]
"""Whether a pattern names a resource, a namespace and a name."""
_SHAPES: tuple[_Shape, ...] = (
    (True, True, True),
    (True, True, False),
    (False, True, True),
    (False, True, False),
    (True, False, True),
    (True, False, False),
    (False, False, True),
    (False, False, False),
)
"""In the order in which watchers get the events."""


class _Batch:
    """Events of one commit that a pattern takes in, the same for all of its watchers."""

    __slots__ = ("events", "holders", "size_bytes")

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.holders = 0
        """Queues it stands in."""
        records = [record for event in events for record in (event.record, event.previous) if record is not None]
        self.size_bytes = sum([record.memory_bytes for record in records])


class Subscription:
    """One watcher (`contract.Watcher`)."""

    def __init__(self, hub: "WatchHub", reader: Reader, pattern: Pattern, since: int) -> None:
        self._hub = hub
        self._reader = reader
        self._pattern = pattern
        self._position = since
        """While catching up: where in history. Afterwards: where it ended, once it has."""
        self._live = False
        self._queue: list[_Batch] = []
        self._queued_events = 0
        self._queued_bytes = 0
        self._waiting: asyncio.Future[None] | None = None
        self._failure: WatcherLaggedError | None = None
        self._closed = False
        self._nudged = False
        self._go_live_if_caught_up()

    def __aiter__(self) -> AsyncIterator[list[Event]]:
        """Itself: it is its own iterator."""
        return self

    async def __anext__(self) -> list[Event]:
        while True:
            if self._failure is not None:
                raise self._failure
            if self._is_over():
                raise StopAsyncIteration
            if not self._live:
                await self._hub.turns.mine()
                if self._is_over():
                    continue
                batch = self._replay()
                if batch:
                    return batch
                await turn()
            elif self._queue or self._nudged:
                self._nudged = False
                return [event for batch in self._empty_queue() for event in batch.events]
            else:
                await self._woken()

    @property
    def revision(self) -> int:
        """Every event up to here that concerns this watcher has been handed out."""
        if not self._live:
            return self._position
        return self._queue[0].events[0].record.revision - 1 if self._queue else self._reader.revision

    @property
    def behind(self) -> bool:
        """Whether anything waits for it."""
        return bool(self._queue)

    def close(self) -> None:
        self._end()
        self._closed = True

    def nudge(self) -> None:
        """Hand out a batch soon, if only an empty one."""
        self._nudged = True
        self.wake()

    def append(self, batch: _Batch) -> None:
        """Called by the hub: these have been committed. `wake` follows."""
        self._queue.append(batch)
        self._queued_events += len(batch.events)
        self._queued_bytes += batch.size_bytes
        self._hub.held(batch)
        if self._queued_bytes > WATCH_QUEUE_BYTES and len(self._queue) > 1 and self._queued_events <= WATCH_QUEUE_EVENTS:
            self.go_back()
        if self._queued_events > WATCH_QUEUE_EVENTS:
            self._failure = WatcherLaggedError(
                f"the watcher fell more than {WATCH_QUEUE_EVENTS} events behind; resume from its last revision"
            )
            self._end()

    def go_back(self) -> None:
        """Drop the queue: its events are read from history when the watcher asks for them."""
        self._end()

    def _empty_queue(self) -> list[_Batch]:
        batches, self._queue = self._queue, []
        self._queued_events = self._queued_bytes = 0
        for batch in batches:
            self._hub.let_go(batch)
        return batches

    def wake(self) -> None:
        """Wake the reader that waits for events."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _is_over(self) -> bool:
        return self._closed or self._hub.closed

    def _replay(self) -> list[Event]:
        if self._position < self._reader.compacted:
            raise CompactedError(self._position, self._reader.compacted)
        events, self._position = self._reader.events(self._position, self._wants, REPLAY_SLICE_RECORDS)
        self._go_live_if_caught_up()
        return events

    def _go_live_if_caught_up(self) -> None:
        if self._position == self._reader.revision:
            self._live = True
            self._hub.enter(self._pattern, self)

    def _wants(self, key: Key) -> bool:
        resource, namespace, name = self._pattern
        return resource in ("", key.resource) and namespace in ("", key.namespace) and name in ("", key.name)

    async def _woken(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _end(self) -> None:
        self._position = self.revision
        if self._live:
            self._hub.leave(self._pattern, self)
        self._live = False
        self._empty_queue()
        self.wake()


class WatchHub:
    """The watchers that are live, by what they watch."""

    def __init__(self, reader: Reader, turns: SliceTurns) -> None:
        """``turns`` are those at reading a slice, of all who read the store."""
        self._reader = reader
        self.turns = turns
        self._watchers: dict[Pattern, dict[Subscription, None]] = {}
        self._shapes: Counter[_Shape] = Counter()
        """Which parts patterns name that are watched, and how many such patterns there are: most name their resource alone."""
        self.queued_bytes = 0
        """In all queues, what several of them hold counted once."""
        self.closed = False

    def subscribe(self, pattern: Pattern, since: int) -> Subscription:
        """A watcher of events after a revision that `Reader.check` has passed."""
        return Subscription(self, self._reader, pattern, since)

    def enter(self, pattern: Pattern, watcher: Subscription) -> None:
        """From now on it gets what is published."""
        watchers = self._watchers.get(pattern)
        if watchers is None:
            watchers = self._watchers[pattern] = {}
            self._shapes[_shape(pattern)] += 1
        watchers[watcher] = None

    def leave(self, pattern: Pattern, watcher: Subscription) -> None:
        """No more."""
        watchers = self._watchers[pattern]
        del watchers[watcher]
        if not watchers:
            del self._watchers[pattern]
            shape = _shape(pattern)
            self._shapes[shape] -= 1
            if not self._shapes[shape]:
                del self._shapes[shape]

    def held(self, batch: _Batch) -> None:
        """It stands in one more queue."""
        if not batch.holders:
            self.queued_bytes += batch.size_bytes
        batch.holders += 1

    def let_go(self, batch: _Batch) -> None:
        """It stands in one queue less."""
        batch.holders -= 1
        if not batch.holders:
            self.queued_bytes -= batch.size_bytes

    def count(self) -> int:
        """How many are live."""
        return sum(len(watchers) for watchers in self._watchers.values())

    def publish(self, events: Iterable[Event]) -> None:
        """Hand committed events to whom they concern."""
        if not self._watchers:
            return
        found: dict[Pattern, list[Event]] = {}
        shapes = [shape for shape in _SHAPES if shape in self._shapes]
        for event in events:
            resource, namespace, name = event.record.key
            for by_resource, by_namespace, by_name in shapes:
                if namespace or not by_namespace:  # of what is in no namespace, each pattern is met once
                    pattern = (resource if by_resource else "", namespace if by_namespace else "", name if by_name else "")
                    if pattern in self._watchers:
                        found.setdefault(pattern, []).append(event)
        woken = []
        for pattern, matching in found.items():
            batch = _Batch(matching)
            for watcher in tuple(self._watchers.get(pattern, ())):
                watcher.append(batch)
                woken.append(watcher)
        if self.queued_bytes > WATCH_QUEUES_BYTES:
            self._send_back()
        if woken:
            # One turn of the loop later: who wrote gets its answer first, and can think of its next write while many watchers are served.
            asyncio.get_running_loop().call_soon(_wake, woken)

    def _send_back(self) -> None:
        """Let nothing wait for those who are behind."""
        for watchers in tuple(self._watchers.values()):
            for watcher in tuple(watchers):
                if watcher.behind:
                    watcher.go_back()

    def close(self) -> None:
        """End all of them, and those that are still catching up."""
        self.closed = True
        for watchers in tuple(self._watchers.values()):
            for watcher in tuple(watchers):
                watcher.close()


def _wake(watchers: list[Subscription]) -> None:
    for watcher in watchers:
        watcher.wake()


def _shape(pattern: Pattern) -> _Shape:
    resource, namespace, name = pattern
    return bool(resource), bool(namespace), bool(name)
