"""Following one collection: read it whole, then every change from there on, whatever happens to the connection.

A watch that ends or breaks is opened again at the last revision seen, or the collection is read whole again; `svcsim.client.watch_end`
decides which. A reflector never gives up: what the server refuses is tried again, less and less often. What is followed goes to a `Sink`;
see `svcsim.client.informers`.
"""

import asyncio
from typing import TYPE_CHECKING, Protocol

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Collection
from svcsim.client.backoff import Backoff
from svcsim.client.watch_end import SHORT_WATCH_S, AfterEnd, after_end, is_progress
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from collections.abc import Callable


class Sink(Protocol):
    """What takes in a followed collection."""

    def replace(self, items: list[Object]) -> None:
        """This is the whole collection now."""
        ...

    def apply(self, change: str, obj: Object) -> None:
        """One change: ADDED, MODIFIED or DELETED."""
        ...


class Reflector:
    """Keeps a sink up to date.

    ``problem`` says why the sink may be out of date, and is empty while all is well; ``on_problem`` is called when that changes.
    """

    def __init__(
        self,
        collection: Collection,
        clock: Clock,
        chance: Chance,
        sink: Sink,
        *,
        label_selector: str = "",
        field_selector: str = "",
        longest_wait_s: float = limits.RECONNECT_LONGEST_S,
    ) -> None:
        self.collection = collection
        self.revision = ""
        self.problem = ""
        self.retry_at = 0.0
        """When, by the clock, what went wrong is tried again."""
        self.on_problem: Callable[[str], None] | None = None
        self._clock = clock
        self._sink = sink
        self._label_selector = label_selector
        self._field_selector = field_selector
        self._scope: asyncio.Timeout | None = None
        self._backoff = Backoff(limits.RECONNECT_FIRST_S, longest_wait_s, chance)

    async def run(self) -> None:
        while True:
            try:
                if await self._follow():
                    continue
            except (StatusError, ConnectionError) as error:
                if after_end(error) is AfterEnd.RELIST:
                    self.revision = ""
                self._set_problem(str(error) or "the connection broke off")
            delay_s = self._backoff.next()
            self.retry_at = self._clock.now() + delay_s
            await self._clock.sleep(delay_s)

    def read_again(self) -> None:
        """Read the whole collection anew, and now."""
        self.revision = ""
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())

    async def _follow(self) -> bool:
        """Follow until the watch ends; False if something seems to be wrong."""
        try:
            async with asyncio.timeout(None) as self._scope:  # no limit of time, but a way for `read_again` to break in
                if not self.revision:
                    await self._list()
                return await self._watch()
        except TimeoutError:
            if self._scope is None or not self._scope.expired():
                raise
            self.revision = ""
            return True
        finally:
            self._scope = None

    async def _list(self) -> None:
        items: list[Object] = []
        revision = ""
        async for page in self.collection.pages(label_selector=self._label_selector, field_selector=self._field_selector):
            items.extend(page.items)
            revision = page.revision
            await self._clock.turn()  # within one process nothing else makes a long list wait, and clients would
        self._sink.replace(items)
        self.revision = revision

    async def _watch(self) -> bool:
        """Follow one watch to its end; False if it came to an end suspiciously soon."""
        opened = self._clock.now()
        got_on = False
        labels, fields = self._label_selector, self._field_selector
        watch = self.collection.watch(self.revision, label_selector=labels, field_selector=fields, timeout_s=limits.COMPONENT_WATCH_S)
        async with watch as events:
            self._set_problem("")
            async for change, obj in events:
                revision = metadata_of(obj).get("resourceVersion") or ""
                if change != "BOOKMARK":  # which may be all that a server sends that is about to go
                    if not got_on and is_progress(revision, self.revision):
                        got_on = True
                        self._backoff.reset()
                    self._sink.apply(change, obj)
                self.revision = revision or self.revision
        return got_on or self._clock.now() - opened >= SHORT_WATCH_S

    def _set_problem(self, problem: str) -> None:
        if problem == self.problem:
            return
        self.problem = problem
        if self.on_problem is not None:
            self.on_problem(problem)
