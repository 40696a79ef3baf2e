"""Watch: the store's events as one client sees them, from whichever view of the store it begins with.

A selector makes an object that starts or stops matching appear as ADDED or DELETED. An event's JSON is put together once and shared by
all watchers that see it the same way.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.clock import Timer
from svcsim.meta import errors
from svcsim.meta.codec import encode
from svcsim.registry.core import Core, translate, with_revision
from svcsim.registry.options import Target, WatchOptions
from svcsim.registry.reads import list_options_kind, not_older_than, parse_revision, selection
from svcsim.registry.scheme import Resource
from svcsim.registry.versions import shown
from svcsim.storage.contract import (
    CompactedError,
    Event,
    EventType,
    Filter,
    ReadView,
    Record,
    StoreError,
    Watcher,
    WatcherLaggedError,
)

if TYPE_CHECKING:
    from svcsim.meta.types import Object


class WatchEvent(NamedTuple):
    """One event as one watcher sees it. ``type`` is ADDED, MODIFIED, DELETED or BOOKMARK; ``body`` is the object's JSON.

    ``line`` is the whole encoded event (``{"type":…,"object":…}``) less its line end, the same bytes object
    for every watcher that sees it so.
    """

    type: str
    body: bytes
    line: bytes


def _event(kind: str, body: bytes) -> WatchEvent:
    return WatchEvent(kind, body, b'{"type":"' + kind.encode() + b'","object":' + body + b"}")


@dataclass(slots=True)
class Watches:
    """Opens watches, keeps the events they share, and ends those whose resource type is no longer served as it was."""

    core: Core
    _shared: dict[tuple[int, str, str], WatchEvent] = field(default_factory=dict)
    _running: "dict[Watching, None]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The scheme may change."""
        self.core.scheme.on_change(self._follow_scheme)

    async def open(self, view: ReadView, target: Target, options: WatchOptions) -> "Watching":
        """Start a watch; what is wrong with the request is raised here, before anything is streamed."""
        _check(self.core, options)
        selected = selection(target, options)
        core, asked = self.core, options.resource_version
        resource = target.resource.store_name
        initial: list[Record] = []
        try:
            if _initial_events(options):
                if asked not in ("", "0"):
                    await not_older_than(view, parse_revision(asked))
                page = await view.list(resource, target.namespace, selection=selected)
                initial, since = page.records, page.revision
            else:
                since = parse_revision(asked) if asked not in ("", "0") else view.revision
                await not_older_than(view, since)
            watcher = view.at(since).watch(resource, target.namespace, target.name)
        except StoreError as error:
            raise translate(error) from error
        start = [_event("ADDED", shown(core, target.resource, record).body) for record in initial]
        if options.send_initial_events and options.bookmarks:
            start.append(self.bookmark(target.resource, since, initial_end=True))
        watching = Watching(self, target.resource, watcher, None if selected is None else selected.accept, options, start)
        self._running[watching] = None
        if not core.scheme.serves(target.resource):  # withdrawn since the request was routed
            watching.end()
        return watching

    def closed(self, watching: "Watching") -> None:
        """A watch is over."""
        self._running.pop(watching, None)

    def _follow_scheme(self) -> None:
        self._shared.clear()  # another conversion may show the same revision in another way
        for watching in self._running:
            if not self.core.scheme.serves(watching.resource):
                watching.end()

    def seen(self, resource: Resource, change: Event, accept: Filter | None) -> WatchEvent | None:
        """What a watcher with this selection sees of a change; None when nothing."""
        kind = change.type
        if accept is not None:
            record, previous = change.record, change.previous
            now = kind is not EventType.DELETED and accept(record.key, record.envelope)
            before = previous is not None and accept(previous.key, previous.envelope)
            if not now and not before:
                return None
            if kind is EventType.MODIFIED and now != before:
                kind = EventType.ADDED if now else EventType.DELETED
        name = _NAMES[kind]
        key = (change.record.revision, name, resource.api_version)
        shared = self._shared.get(key)
        if shared is None:
            if len(self._shared) >= limits.SHARED_WATCH_EVENTS:
                self._shared.clear()
            shared = self._shared[key] = _event(name, shown(self.core, resource, _state(change, kind)).body)
        return shared

    def bookmark(self, resource: Resource, revision: int, *, initial_end: bool = False) -> WatchEvent:
        """The event that tells how far a watcher has come."""
        metadata: Object = {"resourceVersion": str(revision), "creationTimestamp": None}
        if initial_end:
            metadata["annotations"] = {f"{self.core.dialect.group_suffix}/initial-events-end": "true"}
        return _event("BOOKMARK", resource.prefix + encode({"metadata": metadata})[1:])


def _state(change: Event, kind: EventType) -> Record:
    """What an event shows: the new state, or, of an object that no longer matches, the last that did, at the new revision."""
    record, previous = change.record, change.previous
    if kind is EventType.DELETED and change.type is EventType.MODIFIED and previous is not None:
        return previous._replace(revision=record.revision, body=with_revision(previous.body, record.revision))
    return record


class Watching(AsyncIterator[list[WatchEvent]]):
    """One running watch, batch by batch. It holds a place in the store from the first moment: whoever was given it has to close it.

    (Not a generator, because one that is closed before its first step never gets to what it has to clean up.)
    """

    def __init__(
        self, watches: Watches, resource: Resource, watcher: Watcher, accept: Filter | None, options: WatchOptions, start: list[WatchEvent]
    ) -> None:
        core = watches.core
        self._watches = watches
        self.resource = resource
        self._watcher = watcher
        self._accept = accept
        self._start = start
        self._said_last = not options.bookmarks
        """Whether there is no last bookmark to send any more."""
        seconds = options.timeout_s or limits.WATCH_MIN_S * core.chance.uniform(1.0, 2.0)
        self._timeout = core.clock.call_later(seconds, watcher.close)
        self._pulse = _Pulse(core, watcher) if options.bookmarks else None

    async def __anext__(self) -> list[WatchEvent]:
        """The next events, never none. Raises 410 when the watcher can't follow."""
        if self._start:
            start, self._start = self._start, []
            return start
        try:
            async for batch in self._watcher:
                seen = self._seen(batch)
                if seen:
                    return seen
        except (CompactedError, WatcherLaggedError) as error:
            compacted = self._watches.core.store.compacted
            raise errors.expired(f"too old resource version: {self._watcher.revision} ({compacted}): {error}") from error
        except StoreError as error:
            raise translate(error) from error
        if self._said_last:
            raise StopAsyncIteration
        self._said_last = True
        return [self._watches.bookmark(self.resource, self._watcher.revision)]

    def end(self) -> None:
        """Let it come to its end as if its time were up: whoever reads it is told no more, and closes it."""
        self._watcher.close()

    async def aclose(self) -> None:
        """End it, begun or not."""
        self._watches.closed(self)
        self._watcher.close()
        self._timeout.cancel()
        if self._pulse is not None:
            self._pulse.stop()

    def _seen(self, batch: list[Event]) -> list[WatchEvent]:
        watches, resource, accept = self._watches, self.resource, self._accept
        seen = [event for event in [watches.seen(resource, change, accept) for change in batch] if event is not None]
        if self._pulse is not None and self._pulse.due():
            seen.append(watches.bookmark(resource, self._watcher.revision))
        return seen


_NAMES = {EventType.ADDED: "ADDED", EventType.MODIFIED: "MODIFIED", EventType.DELETED: "DELETED"}


class _Pulse:
    """Makes a quiet watcher come round at regular times, so that it can send a bookmark."""

    def __init__(self, core: Core, watcher: Watcher) -> None:
        self._core = core
        self._watcher = watcher
        self._due = False
        self._timer = self._arm()

    def _arm(self) -> Timer:
        return self._core.clock.call_later(limits.WATCH_BOOKMARK_S, self._beat)

    def _beat(self) -> None:
        self._due = True
        self._timer = self._arm()
        self._watcher.nudge()

    def due(self) -> bool:
        """Whether it is time; asking resets it."""
        due, self._due = self._due, False
        return due

    def stop(self) -> None:
        """No more beats."""
        self._timer.cancel()


def _initial_events(options: WatchOptions) -> bool:
    """Whether the watch begins with what there is, as ADDED events."""
    if options.send_initial_events is not None:
        return options.send_initial_events
    return options.resource_version in ("", "0")


def _check(core: Core, options: WatchOptions) -> None:
    findings = []
    if options.send_initial_events is not None:
        if options.resource_version_match != "NotOlderThan":
            findings.append(
                errors.forbidden_field("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
            )
    elif options.resource_version_match:
        findings.append(
            errors.forbidden_field(
                "resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            )
        )
    if findings:
        raise errors.invalid(list_options_kind(core), "", findings)
