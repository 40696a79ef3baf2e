"""Waiting for other servers: while a request waits for one, it does no work here, and doesn't count as in flight.

Code that calls another server says so, anywhere in a request; the counters of requests are notified (`svcsim.server.filters.in_flight`).
Neither knows the other, and nothing in between has to pass anything on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Waits(Protocol):
    """Hears when a request begins to wait for others, and when it goes on. A request may wait for several at once."""

    def begin(self) -> None:
        """It waits for one more."""

    def end(self) -> None:
        """It waits for one less."""


WAITS: ContextVar[Waits | None] = ContextVar("waits", default=None)
"""Who hears of it in this task, and in those that it begins."""


@contextmanager
def waiting() -> Iterator[None]:
    """Around a call to others."""
    waits = WAITS.get()
    if waits is None:
        yield
        return
    waits.begin()
    try:
        yield
    finally:
        waits.end()
