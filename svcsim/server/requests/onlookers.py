"""Clients that read resources whose stored objects are behind: components know more of them than they have written.

Nodes send a heartbeat every few seconds. Writing each one would be most of what a quiet cluster does, and hardly any is ever read. So
heartbeats are written on demand: before a request from outside that concerns such a resource is answered, the component that keeps it
writes what is pending, and while a client watches it, it is written as it happens. The difference is hardly observable from outside. The
cluster's own components are no onlookers; they learn what they need of such objects in other ways.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeAlias

from svcsim.server.requests.request_info import RequestInfo


class Behind(NamedTuple):
    """What keeps the objects of a resource."""

    catch_up: Callable[[str], Awaitable[None]]
    """Writes what would have been written by now of one object, or of all for ``""``."""
    watched: Callable[[bool], None]
    """Told when the first watch from outside begins, and when the last has ended."""


Kept: TypeAlias = Mapping[tuple[str, str], Behind]
"""By group and resource."""


class Onlookers:
    """Has pending changes written before a client sees the objects."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._watches = dict.fromkeys(kept, 0)

    async def about_to_see(self, info: RequestInfo) -> None:
        """Before a request from outside is answered."""
        behind = self._kept.get((info.group, info.resource))
        if behind is not None:
            await behind.catch_up(info.name)

    def watch(self, info: RequestInfo) -> Callable[[], None]:
        """A watch from outside begins; gives what is to be called when it ends."""
        key = (info.group, info.resource)
        behind = self._kept.get(key)
        if behind is None:
            return _nothing
        self._watches[key] += 1
        if self._watches[key] == 1:
            behind.watched(True)

        def ended() -> None:
            self._watches[key] -= 1
            if not self._watches[key]:
                behind.watched(False)

        return ended


def _nothing() -> None:
    pass
