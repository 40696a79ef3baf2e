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

    def sharing(self, encode: Callable[[WatchEvent], bytes]) -> Callable[[WatchEvent], bytes]:
        """``encode``, asked once for each event. It must give the same for all who share it."""

        def encoded(event: WatchEvent) -> bytes:
            # The event's own line stands beside the result: while it lives here, nothing else can have its identity.
            known = self._known.get(id(event.line))
            if known is None:
                if len(self._known) >= limits.ENCODED_EVENTS:
                    del self._known[next(iter(self._known))]
                known = self._known[id(event.line)] = (event.line, encode(event))
            return known[1]

        return encoded
