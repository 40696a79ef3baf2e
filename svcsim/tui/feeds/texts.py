"""Feeds of the pager: texts that stay true while they are read."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from svcsim import limits
from svcsim.client.answers import error_from
from svcsim.client.api import Client
from svcsim.client.backoff import Backoff
from svcsim.client.discovery import ApiResource
from svcsim.client.informers import Informer
from svcsim.client.paths import Options, query_string, resource_path
from svcsim.clock import Chance, Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.tui.feeds.cluster_time import ClusterTime
from svcsim.tui.model.ink import Spans, printable
from svcsim.tui.model.rows import RowKey
from svcsim.tui.model.texts import describe_lines, describe_spans, plain_spans, yaml_lines, yaml_spans
from svcsim.tui.model.views import events_of

if TYPE_CHECKING:
    from svcsim.meta.types import Object


class TextFeed(Protocol):
    """Lines that may change. ``on_change`` is called when they have."""

    title: str
    tail: bool
    """Whether a reader wants to see the end first, and to stay there."""
    on_change: Callable[[], None]

    @property
    def problem(self) -> str:
        """Why the text may be out of date; empty while all is well."""
        ...

    async def run(self) -> None: ...

    def lines(self) -> list[str]:
        """The text as it is now; not a copy."""
        ...

    def spans(self, line: str) -> Spans: ...

    def toggle(self) -> str:
        """Show what is usually left out, or leave it out again; what was done, in words, or empty if there is no such thing."""
        ...


_AGES_EVERY_S = 2.0
"""How often a description is made anew though nothing has changed but ages: a large object takes a while to write down."""


def _same(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    """Whether two texts would be made of the very same things; nothing is compared in depth."""
    return len(left) == len(right) and all(a is b or (isinstance(a, int) and a == b) for a, b in zip(left, right, strict=True))


def _nobody() -> None:
    """Nobody listens yet."""


class ObjectFeed:
    """An object as YAML, or described with its events, as it is now."""

    tail = False

    def __init__(
        self, client: Client, clock: Clock, chance: Chance, time: ClusterTime, resource: ApiResource, key: RowKey, *, described: bool
    ) -> None:
        self.title = f"{'describe' if described else 'yaml'} {resource.singular}/{key.name}"
        self.on_change: Callable[[], None] = _nobody
        self._key = key
        self._time = time
        self._described = described
        self._managed_fields = False
        self._seen: Object = {}
        self._made_of: tuple[object, ...] = ()
        self._lines: list[str] = []
        collection = client.resource(resource.api_version, resource.plural, key.namespace)
        self._object = Informer(collection, clock, chance, field_selector=f"metadata.name={key.name}")
        events = events_of(resource, key, "")
        self._events = Informer(client.resource("v1", "events", key.namespace), clock, chance, field_selector=events.field_selector)
        for informer in (self._object, self._events):
            informer.cache.add_handler(lambda *_: self.on_change())
            informer.reflector.on_problem = lambda _: self.on_change()

    @property
    def problem(self) -> str:
        """Why the text may be out of date."""
        if self._object.reflector.problem:
            return self._object.reflector.problem
        gone = self._object.cache.synced.is_set() and self._object.cache.get(self._key.name, self._key.namespace) is None
        return "it was deleted; this is its last state" if gone else ""

    async def run(self) -> None:
        """Follow the object, and its events where they are shown."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._object.run())
            if self._described:
                tasks.create_task(self._events.run())

    def lines(self) -> list[str]:
        """The text as it is now."""
        self._seen = self._object.cache.get(self._key.name, self._key.namespace) or self._seen
        if not self._seen:
            return []
        if self._described:
            now, events = self._time.now(), self._events.cache.all()
            made_of = (self._seen, *events, int(now // _AGES_EVERY_S))
            if not _same(made_of, self._made_of):
                self._made_of, self._lines = made_of, describe_lines(self._seen, events, now)
        elif not _same(made_of := (self._seen, self._managed_fields), self._made_of):
            self._made_of, self._lines = made_of, yaml_lines(self._seen, managed_fields=self._managed_fields)
        return self._lines

    def spans(self, line: str) -> Spans:
        return describe_spans(line) if self._described else yaml_spans(line)

    def toggle(self) -> str:
        """Show who owns which field, or not."""
        if self._described:
            return ""
        self._managed_fields = not self._managed_fields
        return "managed fields shown" if self._managed_fields else "managed fields hidden"


class LogFeed:
    """A container's log, followed. When the connection breaks it is read anew from a little before."""

    tail = True

    def __init__(self, client: Client, clock: Clock, chance: Chance, key: RowKey, container: str = "") -> None:
        self.title = f"logs pod/{key.name}" + (f" ({container})" if container else "")
        self.problem = ""
        self.on_change: Callable[[], None] = _nobody
        self._client = client
        self._clock = clock
        self._backoff = Backoff(limits.RECONNECT_FIRST_S, limits.RECONNECT_LONGEST_S, chance)
        self._path = resource_path("v1", "pods", key.namespace, key.name, "log")
        self._container = container
        self._timestamps = False
        self._lines: list[str] = []
        self._again = asyncio.Event()

    async def run(self) -> None:
        while True:
            self._again.clear()
            self._lines.clear()
            reading = asyncio.create_task(self._read())
            again = asyncio.create_task(self._again.wait())
            try:
                await asyncio.wait((reading, again), return_when=asyncio.FIRST_COMPLETED)
            finally:
                reading.cancel()
                again.cancel()
            (outcome,) = await asyncio.gather(reading, return_exceptions=True)
            if self._again.is_set():
                continue
            if isinstance(outcome, StatusError | ConnectionError):
                self._set_problem(str(outcome) or "the connection broke off")
                await self._pause()
            elif outcome is not None:
                raise outcome
            else:
                self._set_problem("the log has ended")
                await self._again.wait()

    async def _pause(self) -> None:
        """Wait before it is tried again, unless the reader wants it now."""
        timer = self._clock.call_later(self._backoff.next(), self._again.set)
        try:
            await self._again.wait()
        finally:
            timer.cancel()

    async def _read(self) -> None:
        options: Options = {
            "follow": True,
            "tailLines": limits.DASHBOARD_LINES // 10,
            "container": self._container,
            "timestamps": self._timestamps,
        }
        async with self._client.transport.stream(Request("GET", self._path, query_string(options))) as stream:
            if stream.status >= 400:
                raise error_from(stream.status, await stream.read())
            self._set_problem("")
            self._backoff.reset()
            async for line in stream:
                self._lines.append(printable(line.decode("utf-8", "replace").expandtabs(4)))
                if len(self._lines) > limits.DASHBOARD_LINES:
                    del self._lines[: limits.DASHBOARD_LINES // 10]
                self.on_change()

    def _set_problem(self, problem: str) -> None:
        self.problem = problem
        self.on_change()

    def lines(self) -> list[str]:
        return self._lines

    def spans(self, line: str) -> Spans:
        """A line as it is."""
        return plain_spans(line)

    def toggle(self) -> str:
        """Show the time of each line, or not; the log is read anew."""
        self._timestamps = not self._timestamps
        self._again.set()
        return "times shown" if self._timestamps else "times hidden"
