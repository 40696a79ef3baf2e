"""Watch: the store's events as one client sees them, from whichever view of the store it begins with.

With a selector, an object that starts or stops matching appears as ADDED or DELETED. Events that are the same for several watchers are
built once (`watch_events.py`). Events of a version that isn't stored are converted a slice at a time, while the store's queue takes in
later ones: a slow converter delays only its own watchers, and if the queue overflows meanwhile, they resume as others do.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.meta import errors
from svcsim.meta.budget import Portion
from svcsim.meta.codec import encode
from svcsim.registry.core import Core, translate
from svcsim.registry.options import Target, WatchOptions
from svcsim.registry.reads import list_options_kind, not_older_than, parse_revision
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Change, Scheme
from svcsim.registry.selecting import changes_today, selected_today, selection, selects_by_value
from svcsim.registry.slices import slices, slices_by_size
from svcsim.registry.watch_events import SharedEvents, Unconverted, WatchEvent
from svcsim.storage.contract import (
    CompactedError,
    Event,
    ReadView,
    Record,
    Selection,
    StoreError,
    Watcher,
    WatcherLaggedError,
)
from svcsim.timers import Timer

if TYPE_CHECKING:
    from svcsim.meta.types import Object


@dataclass(slots=True)
class Watches:
    """Opens watches, keeps the events they share, and ends those whose resource type is no longer served as it was."""

    core: Core
    events: SharedEvents = field(init=False)
    _running: "dict[Resource, dict[Watching, None]]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.events = SharedEvents(self.core)
        self.core.scheme.on_change(self._follow_scheme)

    async def open(self, view: ReadView, target: Target, options: WatchOptions) -> "Watching":
        """Start a watch; what is wrong with the request is raised here, before anything is streamed."""
        _check(self.core, options)
        selected = selection(target, options)
        core, asked = self.core, options.resource_version
        resource = target.resource.store_name
        initial: list[Record] = []
        held: Portion | None = None
        try:
            if _initial_events(options):
                if asked not in ("", "0"):
                    await not_older_than(view, parse_revision(asked))
                page = await view.list(resource, target.namespace, selection=selected)
                initial, since, held = await selected_today(core, target.resource, page.records, selected), page.revision, page.held
            else:
                since = parse_revision(asked) if asked not in ("", "0") else view.revision
                await not_older_than(view, since)
                if selected is not None and selected.doubt is not None:
                    _check_since(view, since, target.resource)
            namespace, name = (None, "") if selected is None else (selected.namespace, selected.name)
            watcher = view.at(since).watch(resource, target.namespace or namespace or "", name)
        except StoreError as error:
            raise translate(error) from error
        end = [self.bookmark(target.resource, since, initial_end=True)] if options.send_initial_events and options.bookmarks else []
        watching = Watching(self, target.resource, watcher, selected, options)
        watching.begin_with(initial, end, held)
        watching.follow(core.scheme)  # which may have changed since the request was routed
        self._running.setdefault(watching.resource, {})[watching] = None
        return watching

    def closed(self, watching: "Watching") -> None:
        running = self._running.get(watching.resource, {})
        running.pop(watching, None)
        if not running:
            self._running.pop(watching.resource, None)

    def _follow_scheme(self, change: Change) -> None:
        self.events.clear()
        for resource in change.gone:
            for watching in self._running.pop(resource, {}):
                watching.follow(self.core.scheme)
                self._running.setdefault(watching.resource, {})[watching] = None

    def bookmark(self, resource: Resource, revision: int, *, initial_end: bool = False) -> WatchEvent:
        """The event that tells how far a watcher has come."""
        metadata: Object = {"resourceVersion": str(revision)}
        if initial_end:
            metadata["annotations"] = {f"{self.core.dialect.group_suffix}/initial-events-end": "true"}
        return WatchEvent.of("BOOKMARK", resource.prefix + encode({"metadata": metadata})[1:])


class Watching(AsyncIterator[list[WatchEvent]]):
    """One running watch, batch by batch. It holds a place in the store from the first moment: its reader has to close it.

    (Not a generator, because one that is closed before its first step never gets to what it has to clean up.)
    """

    def __init__(self, watches: Watches, resource: Resource, watcher: Watcher, selected: Selection | None, options: WatchOptions) -> None:
        core = watches.core
        self._watches = watches
        self.resource = resource
        self._watcher = watcher
        self._accept = None if selected is None else selected.accept
        self._doubt = None if selected is None else selected.doubt
        self._by_value = selects_by_value(options)
        self._unconverted: list[Sequence[Unconverted]] = []
        """What comes first, where it isn't shown as it is stored: events that have yet to be converted, slice by slice."""
        self._start: list[Sequence[Record]] = []
        """What comes first, if it is shown as it is stored: existing objects, slice by slice."""
        self._end_of_start: list[WatchEvent] = []
        """What comes then."""
        self._held: Portion | None = None
        """What of the memory for lists is taken by what comes first."""
        self._ending = False
        """Whether the watch ends with the events that have happened by now."""
        self._when_ended: Callable[[], None] | None = None
        self._said_last = not options.bookmarks
        """Whether there is no last bookmark to send any more."""
        seconds = options.timeout_s or limits.WATCH_MIN_S * core.chance.uniform(1.0, 2.0)
        # Who watches waits by the machine's time, whatever the cluster's clock does; where time is virtual, that is virtual too.
        self._timeout = asyncio.get_running_loop().call_later(seconds, watcher.close)
        self._pulse = _Pulse(core, watcher) if options.bookmarks and options.pulses else None

    def begin_with(self, initial: list[Record], end: list[WatchEvent], held: Portion | None) -> None:
        """Show what there is, and then these events, before anything that happens."""
        self._end_of_start, self._held = end, held
        if self.resource.as_it_is:
            self._start = list(slices(initial))
        else:
            self._wait_for_conversion(list(map(Unconverted.first, initial)))

    async def __anext__(self) -> list[WatchEvent]:
        """The next events, never none. Raises 410 when the watcher can't follow, and whatever a conversion raises."""
        if slices_left := self._unconverted or self._start:
            await self._watches.core.turns.at(len(slices_left[0]))
        if self._unconverted:
            return await self._converted()
        if self._start:
            return [WatchEvent.of("ADDED", record.body) for record in self._start.pop(0)]
        self._held = None
        if self._end_of_start:
            end, self._end_of_start = self._end_of_start, []
            return end
        try:
            async for batch in self._watcher:
                if self._ending:
                    if not batch:
                        self._watcher.close()
                        break
                    self._watcher.nudge()
                changes = batch if self._doubt is None else await changes_today(self._watches.core, self.resource, batch, self._doubt)
                seen = self._seen(changes) if self.resource.as_it_is else await self._seen_converted(changes)
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
        return [self._bookmark()]

    def follow(self, scheme: Scheme) -> None:
        """Go on with what is served now in the place of the resource, if that shows the same objects in the same way; else end."""
        now = scheme.find(self.resource.group_version, self.resource.plural)
        if now is None:  # what has happened to its objects until it went is still told
            self._ending = True
            self._watcher.nudge()
        elif now.shows_like(self.resource):
            self.resource = now
        else:
            self._end()

    def _end(self) -> None:
        """End as if the watch had timed out: its reader gets no further events, and closes it."""
        if self._unconverted or self._by_value:
            self._unconverted, self._end_of_start = [], []
            self._said_last = True  # a bookmark would say that these were seen, or that what is selected now has been
            self._stop_pulse()
        self._watcher.close()

    def when_ended(self, ended: Callable[[], None]) -> None:
        """Set the callback for its end."""
        self._when_ended = ended

    async def aclose(self) -> None:
        """End it, begun or not."""
        self._watches.closed(self)
        if self._when_ended is not None:
            self._when_ended()
            self._when_ended = None
        self._watcher.close()
        self._timeout.cancel()
        self._stop_pulse()

    def _stop_pulse(self) -> None:
        if self._pulse is not None:
            self._pulse.stop()
            self._pulse = None

    def _seen(self, batch: list[Event]) -> list[WatchEvent]:
        events, resource, accept = self._watches.events, self.resource, self._accept
        return self._with_bookmark([event for event in [events.seen(resource, change, accept) for change in batch] if event is not None])

    def _bookmark(self) -> WatchEvent:
        return self._watches.bookmark(self.resource, self._watcher.revision)

    async def _seen_converted(self, batch: list[Event]) -> list[WatchEvent]:
        events = self._watches.events
        known = events.known(self.resource, batch, self._accept)
        if known is not None:
            return self._with_bookmark(known)
        self._wait_for_conversion(events.unconverted(batch, self._accept))
        return await self._converted()

    def _with_bookmark(self, seen: list[WatchEvent]) -> list[WatchEvent]:
        if self._pulse is not None and self._pulse.due():
            seen.append(self._bookmark())
        return seen

    def _wait_for_conversion(self, events: list[Unconverted]) -> None:
        self._unconverted = list(slices_by_size(events, lambda event: len(event.record.body)))

    async def _converted(self) -> list[WatchEvent]:
        """The next slice of what is to be converted; none if there is none."""
        seen: list[WatchEvent] = []
        if self._unconverted:
            seen = await self._watches.events.converted(self.resource, self._unconverted[0])
            del self._unconverted[:1]
        return seen if self._unconverted or self._end_of_start else self._with_bookmark(seen)


class _Pulse:
    """Makes a quiet watcher come round at regular times, so that it can send a bookmark.

    By the cluster's clock, as history is forgotten by it: whoever resumes from a bookmark finds what has happened since.
    """

    def __init__(self, core: Core, watcher: Watcher) -> None:
        self._core = core
        self._watcher = watcher
        self._due = False
        self._timer = self._arm()

    def _arm(self) -> Timer:
        return self._core.clock.call_later(limits.WATCH_BOOKMARK_S, self._beat, slack_s=limits.WATCH_BOOKMARK_SLACK_S)

    def _beat(self) -> None:
        self._due = True
        self._timer = self._arm()
        self._watcher.nudge()

    def due(self) -> bool:
        """Whether it is time; asking resets it."""
        due, self._due = self._due, False
        return due

    def stop(self) -> None:
        self._timer.cancel()


def _initial_events(options: WatchOptions) -> bool:
    """Whether the watch begins with what there is, as ADDED events."""
    if options.send_initial_events is not None:
        return options.send_initial_events
    return options.resource_version in ("", "0")


def _check_since(view: ReadView, since: int, resource: Resource) -> None:
    """Refuse (410) to begin before what is selected changed: nothing has happened to objects that are since, or are no longer."""
    if since < resource.reselected <= view.revision:
        raise errors.expired(f"too old resource version: {since} ({resource.reselected})")


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
