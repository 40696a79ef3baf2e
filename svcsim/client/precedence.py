"""Priority of requests where one process does everything: clients on the wire go before the cluster's own components.

In a real cluster the scheduler, the controllers and the nodes have processors of their own. Here they share one thread with the API
server, and every write of a client triggers several writes of theirs; a client that creates thousands of objects would have to wait for
these. So components pause while requests from the wire are being answered. Never for long (see `svcsim.limits`): then they go on
regardless, so that a busy cluster still schedules. Heartbeats of nodes never wait, as in a real cluster, where they have a priority of
their own: many nodes whose heartbeats were held back would be taken for dead. Without a wire, as on virtual time, nothing pauses.

A request that waits loses its precedence: for a webhook (`svcsim.meta.waiting`), for a component, for the rest of a body. And components
wait for no request twice: one that isn't answered after their longest pause is a long one, whatever it does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from svcsim.meta.http import Request, Response
from svcsim.meta.waiting import WAITS
from svcsim.rest import Work


class _Counter(Protocol):
    """Counts what is under way."""

    def begin(self) -> None: ...

    def end(self) -> None: ...


class _Answering:
    """A request that is counted while it is being answered, but not while a part of it waits for others or for time to pass."""

    __slots__ = ("counter", "is_over", "outer", "waiting")

    def __init__(self, counter: _Counter, outer: "_Answering | None") -> None:
        """``outer`` is the request that this one is a part of."""
        self.counter = counter
        self.outer = outer
        self.waiting = 0
        self.is_over = False

    def begin(self) -> None:
        """It waits for one more (`svcsim.meta.waiting.Waits`)."""
        self.waiting += 1
        if self.waiting == 1 and not self.is_over:
            self.counter.end()

    def end(self) -> None:
        """It waits for one less."""
        self.waiting -= 1
        if not self.waiting and not self.is_over:
            self.counter.begin()


_ANSWERING: ContextVar[_Answering | None] = ContextVar("answering", default=None)


class Precedence:
    """Counts the requests from the wire that are being answered; components wait until there are none."""

    def __init__(self, work: Work) -> None:
        """``work`` counts who is held back."""
        self._work = work
        self.under_way = 0
        """How many have precedence; while there are none, there is nothing to wait for."""
        self._answered: dict[_Answering, None] = {}
        """All that are being answered, whether they go first or wait; the oldest first."""
        self._waiting: dict[asyncio.Future[None], None] = {}

    def first(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """The handler for those who go first."""
        return _answering(handler, self, self._answered)

    @contextmanager
    def behind(self) -> Iterator[None]:
        """While this lasts, the current request has no precedence: it waits for a component."""
        with _waiting([one for one in _under_way() if one.counter is self]):
            yield

    async def give_way(self, longest_s: float) -> None:
        """Wait until no request has precedence, at most ``longest_s``. A request with precedence doesn't wait for itself."""
        if not self.under_way or any(one.counter is self and not one.is_over for one in _under_way()):
            return
        loop = asyncio.get_running_loop()
        free: asyncio.Future[None] = loop.create_future()
        self._waiting[free] = None
        timer = loop.call_later(longest_s, self._wait_no_more, free, list(self._answered))
        try:
            with self._work:
                await free
        finally:
            timer.cancel()
            del self._waiting[free]

    def _wait_no_more(self, free: "asyncio.Future[None]", those: list[_Answering]) -> None:
        """A component has waited for these requests as long as it may."""
        for one in those:
            if not one.is_over:
                one.begin()
        _release(free)

    def counted(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """The handler for components: what they ask is work that a stepped clock waits for."""
        return _answering(handler, self._work)

    def begin(self) -> None:
        """A request begins to have precedence."""
        self.under_way += 1

    def end(self) -> None:
        """It has been answered, or waits."""
        self.under_way -= 1
        if not self.under_way:
            self._go_on()

    def _go_on(self) -> None:
        for free in self._waiting:
            _release(free)


def _answering(
    handler: Callable[[Request], Awaitable[Response]], counter: _Counter, answered: dict[_Answering, None] | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """The handler for requests that are counted. Those that are kept in ``answered`` are not counted while they wait for others, either."""

    async def handle(request: Request) -> Response:
        counter.begin()
        outer = _ANSWERING.get()
        one = _Answering(counter, None if outer is None or outer.is_over else outer)
        mark = _ANSWERING.set(one)
        heard = None
        if answered is not None:
            answered[one] = None
            heard = WAITS.set(one)
        try:
            return await handler(request)
        finally:
            _ANSWERING.reset(mark)
            one.is_over = True
            if not one.waiting:
                counter.end()
            if answered is not None and heard is not None:
                WAITS.reset(heard)
                del answered[one]

    return handle


def _under_way() -> Iterator[_Answering]:
    """The request that is being answered here, and those that it is a part of."""
    one = _ANSWERING.get()
    while one is not None:
        yield one
        one = one.outer


@contextmanager
def unanswered() -> Iterator[None]:
    """While this lasts, the current request waits for time to pass, or for the rest of its body.

    Nothing is being done for it: it neither has precedence nor counts as work that time would wait for.
    """
    with _waiting(list(_under_way())):
        yield


@contextmanager
def _waiting(some: list[_Answering]) -> Iterator[None]:
    for one in some:
        one.begin()
    try:
        yield
    finally:
        for one in some:
            one.end()


def _release(free: "asyncio.Future[None]") -> None:
    if not free.done():
        free.set_result(None)
