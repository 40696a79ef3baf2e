"""Places for calls: how many connections may be open at once, to one server and to all of them together.

Every connection takes a descriptor, and clients need some too: a process that has none left can't even accept whom it would refuse. So who
comes when all places are taken waits for one, within the deadline that was set anyway. Who never answers keeps only so many of them, and
others at the same address have the rest of what that address may have, which is half of all: a server with one path that hangs goes on
with its others, and one that hangs as a whole leaves half to the rest of the world. Answers that go on have at most half of all places,
because nobody knows when they give them back: more are refused.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Generic, TypeVar

from svcsim import limits
from svcsim.outbound.remote import Address, OutboundError
from svcsim.wall import stopwatch

K = TypeVar("K", bound=Hashable)
_REMOTES = 16
"""Where there are few places, so many that never answer are needed to have all of an address's."""


class Turns:
    """What is asked all at once, and of many servers, takes turns: the time that each may take runs from the beginning."""

    def __init__(self, at_once: int, size_bytes: int) -> None:
        """``size_bytes`` is about how much each is asked."""
        self.free = asyncio.Semaphore(at_once)
        self.are_long = size_bytes > limits.OUTBOUND_SHORT_BYTES
        self._began_s = stopwatch()

    @property
    def spent_s(self) -> float:
        """How long ago that was."""
        return stopwatch() - self._began_s


class _Shares(Generic[K]):
    """Places by what is called, of which each may have so many; kept for as long as anybody calls it, or waits to."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free: dict[K, asyncio.Semaphore] = {}
        self._callers: Counter[K] = Counter()

    @asynccontextmanager
    async def one_of(self, called: K) -> AsyncIterator[None]:
        free = self._free.setdefault(called, asyncio.Semaphore(self._most))
        self._callers[called] += 1
        try:
            async with free:
                yield
        finally:
            self._callers[called] -= 1
            if not self._callers[called]:
                del self._callers[called], self._free[called]


class Places:
    """All that there are."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._taken = 0
        self._streams = 0
        self._addresses: _Shares[tuple[str, int]] = _Shares(max(1, most // 2))
        self._remotes: _Shares[str] = _Shares(max(1, min(limits.OUTBOUND_CALLS, most // _REMOTES)))

    @property
    def left(self) -> int:
        """How many aren't taken."""
        return self._most - self._taken

    @asynccontextmanager
    async def call(self, remote: str, address: Address) -> AsyncIterator[None]:
        """A place for a call of what has this name, at this address, as soon as there is one."""
        async with self._remotes.one_of(remote), self._addresses.one_of((address.host, address.port)), self.any():
            yield

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
