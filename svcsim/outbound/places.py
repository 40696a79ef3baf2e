"""Places for calls: how many connections may be open at once, to one server and to all of them together.

Every connection takes a descriptor, and clients need some too: a process that has none left can't even accept whom it would refuse. So who
comes when all places are taken waits for one, within the deadline that was set anyway; a server that never answers keeps only so many of
them, whoever calls it and on whose behalf. Answers that go on have at most half of all places, because nobody knows when they give them
back: more are refused.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from svcsim import limits
from svcsim.outbound.remote import Address, OutboundError
from svcsim.wall import stopwatch


class Turns:
    """What is asked all at once, and of many servers, takes turns: the time that each may take runs from the beginning."""

    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        self._began_s = stopwatch()

    @property
    def spent_s(self) -> float:
        """How long ago that was."""
        return stopwatch() - self._began_s


@dataclass(slots=True)
class _Server:
    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(limits.OUTBOUND_CALLS))
    callers: int = 0
    """Those who call it, or wait to."""


class Places:
    """All that there are."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._taken = 0
        self._streams = 0
        self._servers: dict[tuple[str, int], _Server] = {}

    @property
    def left(self) -> int:
        """How many aren't taken."""
        return self._most - self._taken

    @asynccontextmanager
    async def call(self, address: Address) -> AsyncIterator[None]:
        """A place for a call of that server, as soon as there is one."""
        where = address.host, address.port
        server = self._servers.setdefault(where, _Server())
        server.callers += 1
        try:
            async with server.free, self.any():
                yield
        finally:
            server.callers -= 1
            if not server.callers:
                del self._servers[where]

    @asynccontextmanager
    async def any(self) -> AsyncIterator[None]:
        """A place, as soon as there is one."""
        async with self._free:
            self._taken += 1
            try:
                yield
            finally:
                self._taken -= 1

    @contextmanager
    def stream(self) -> Iterator[None]:
        """What an answer needs beside its place that goes on. Raises `OutboundError` where there are too many."""
        if self._streams >= min(limits.OUTBOUND_STREAMS, self._most // 2):
            raise OutboundError(f"{self._streams} streams are open already, as many as may be")
        self._streams += 1
        try:
            yield
        finally:
            self._streams -= 1
