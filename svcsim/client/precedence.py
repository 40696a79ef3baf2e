"""Who goes first where one process does everything: clients on the wire before the cluster's own components.

In a real cluster the scheduler, the controllers and the nodes have processors of their own. Here they share one thread with the API
server, and every write of a client sets several of theirs off; a client that creates thousands of objects would wait for work it never
asked to wait for. So components hold back while requests from the wire are being answered. Never for long (see `svcsim.limits`): then they
go on regardless, and a busy cluster still schedules. Nodes that say that they are there wait for nobody, as in a real cluster, where they
have a priority of their own: many of them, held back, would be taken for dead. Without a wire, as on virtual time, nothing is held back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from svcsim.meta.http import Request, Response
from svcsim.rest import Work

_GOES_FIRST = ContextVar("goes_first", default=False)


class Precedence:
    """Counts the requests from the wire that are being answered; components wait until there are none."""

    def __init__(self, work: Work) -> None:
        """``work`` counts who is held back."""
        self._work = work
        self._under_way = 0
        self._waiting: dict[asyncio.Future[None], None] = {}

    def first(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """The handler for those who go first."""

        async def handle(request: Request) -> Response:
            self._under_way += 1
            mark = _GOES_FIRST.set(True)
            try:
                return await handler(request)
            finally:
                _GOES_FIRST.reset(mark)
                self._end()

        return handle

    @contextmanager
    def behind(self) -> Iterator[None]:
        """While this lasts, whoever asked goes first no more: he waits for what a component does."""
        if not _GOES_FIRST.get():
            yield
            return
        self._end()
        try:
            yield
        finally:
            self._under_way += 1

    async def give_way(self, longest_s: float) -> None:
        """Wait until nobody goes first any more, or for so long."""
        if not self._under_way:
            return
        loop = asyncio.get_running_loop()
        free: asyncio.Future[None] = loop.create_future()
        self._waiting[free] = None
        timer = loop.call_later(longest_s, _release, free)
        try:
            with self._work:
                await free
        finally:
            timer.cancel()
            del self._waiting[free]

    def counted(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """The handler for components: what they ask is work that a stepped clock waits for."""
        work = self._work

        async def handle(request: Request) -> Response:
            with work:
                return await handler(request)

        return handle

    def _end(self) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._go_on()

    def _go_on(self) -> None:
        for free in self._waiting:
            _release(free)


def _release(free: "asyncio.Future[None]") -> None:
    if not free.done():
        free.set_result(None)
