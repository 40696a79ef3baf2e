"""Feeds of the pager: what a text is to it, and logs."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.answers import error_from, refuses
from svcsim.client.api import Client
from svcsim.client.backoff import Backoff
from svcsim.client.paths import Options, query_string, resource_path
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.tui.model.ink import Spans, printable
from svcsim.tui.model.rows import RowKey
from svcsim.tui.model.texts import plain_spans

OnChange: TypeAlias = Callable[[], None]


class TextFeed(Protocol):
    """Lines that may change. ``on_change`` is called when they have."""

    title: str
    tail: bool
    """Whether a reader wants to see the end first, and to stay there."""
    on_change: OnChange

    @property
    def problem(self) -> str:
        """Why the text may be out of date; empty while all is well."""
        ...

    async def run(self) -> None: ...

    def read_again(self) -> None:
        """Believe nothing that is known when it is run again: it may be another cluster by now."""
        ...

    def lines(self) -> list[str]:
        """The text as it is now; not a copy."""
        ...

    def spans(self, line: str) -> Spans: ...

    def toggle(self) -> str:
        """Show what is usually left out, or leave it out again; what was done, in words, or empty if there is no such thing."""
        ...


def nobody() -> None:
    """Nobody listens yet."""


class LogFeed:
    """A container's log, followed. When the connection breaks it is read anew from a little before."""

    tail = True

    def __init__(self, client: Client, clock: Clock, chance: Chance, key: RowKey, container: str = "") -> None:
        self.title = f"logs pod/{key.name}" + (f" ({container})" if container else "")
        self.problem = ""
        self.on_change: OnChange = nobody
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
            if refuses(stream.status):
                raise error_from(stream.status, await stream.read())
            self._set_problem("")
            self._backoff.reset()
            async for line in stream:
                self._lines.append(printable(line.decode("utf-8", "replace").expandtabs(4)))
                if len(self._lines) > limits.DASHBOARD_LINES:
                    del self._lines[: limits.DASHBOARD_LINES // 10]
                self.on_change()

    def read_again(self) -> None:
        """A log is always read anew."""

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
