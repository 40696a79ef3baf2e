"""Watch events in a form that isn't theirs as stored, encoded once for all watchers that want it so.

The registry hands the same event to every watcher of a collection, one after the other. Clients in other languages watch in protobuf, a
dozen of them the same collection; what the first of them makes of an event serves the rest.
"""

from collections.abc import Callable

from svcsim import limits
from svcsim.registry.watch_events import WatchEvent


class EncodedEvents:
    """Keeps the last few, in one form."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, bytes]] = {}
        self._bytes = 0

    def sharing(self, encode: Callable[[WatchEvent], bytes]) -> Callable[[WatchEvent], bytes]:
        """``encode``, asked once for each event. It must give the same for all who share it."""

        def encoded(event: WatchEvent) -> bytes:
            # The event's own line stands beside the result: while it lives here, nothing else can have its identity.
            known = self._known.get(id(event.line))
            if known is None:
                known = (event.line, encode(event))
                self._keep(known)
            return known[1]

        return encoded

    def _keep(self, known: tuple[bytes, bytes]) -> None:
        size = _size_bytes(known)
        while self._known and (len(self._known) >= limits.ENCODED_EVENTS or self._bytes + size > limits.ENCODED_EVENTS_BYTES):
            self._bytes -= _size_bytes(self._known.pop(next(iter(self._known))))
        self._known[id(known[0])] = known
        self._bytes += size


def _size_bytes(known: tuple[bytes, bytes]) -> int:
    return len(known[0]) + len(known[1])
