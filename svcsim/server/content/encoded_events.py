"""Watch events in a form that isn't theirs as stored, encoded once for all watchers that want it so.

The registry hands the same event to every watcher of a collection, one after the other. Clients in other languages watch in protobuf, a
dozen of them the same collection; what the first of them makes of an event serves the rest, also where that is long work and done aside.
"""

import asyncio
from collections.abc import Callable, Sequence

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.registry.watch_events import WatchEvent


class EncodedEvents:
    """Keeps the last few, in one form."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, bytes]] = {}
        self._bytes = 0
        self._turns = asyncio.Lock()
        """While one watcher's events are made aside, others wait: most likely for the same ones."""

    async def encoded(self, events: Sequence[WatchEvent], encode: Callable[[WatchEvent], bytes]) -> list[bytes]:
        """What ``encode`` makes of events, asked once for each. It must give the same for all who share it."""
        size_bytes = sum([len(event.body) for event in events])
        if size_bytes <= limits.ASIDE_BYTES:
            return [known[1] if (known := self._known.get(id(event.line))) else self._keep(event, encode(event)) for event in events]
        async with self._turns:
            found = {id(event.line): self._known.get(id(event.line)) for event in events}
            missing = [event for event in events if found[id(event.line)] is None]
            made = iter(await aside(size_bytes if missing else 0, _each, encode, missing))
            return [known[1] if (known := found[id(event.line)]) else self._keep(event, next(made)) for event in events]

    def _keep(self, event: WatchEvent, encoded: bytes) -> bytes:
        # The event's own line stands beside the result: while it lives here, nothing else can have its identity.
        if id(event.line) in self._known:  # another watcher's events, made meanwhile
            return encoded
        known = (event.line, encoded)
        size = _size_bytes(known)
        while self._known and (len(self._known) >= limits.ENCODED_EVENTS or self._bytes + size > limits.ENCODED_EVENTS_BYTES):
            self._bytes -= _size_bytes(self._known.pop(next(iter(self._known))))
        self._known[id(event.line)] = known
        self._bytes += size
        return encoded


def _each(encode: Callable[[WatchEvent], bytes], events: Sequence[WatchEvent]) -> list[bytes]:
    return [encode(event) for event in events]


def _size_bytes(known: tuple[bytes, bytes]) -> int:
    return len(known[0]) + len(known[1])
