"""Who looks at resources whose objects are behind: what components know more of than they have written.

Nodes say every few seconds that they are there. Written each time, that is most of what a quiet cluster does, and hardly ever does anybody
read it. So it is written when somebody is about to: before a request from outside is answered that concerns such a resource, whoever keeps
it catches up, and while somebody watches it, it is written as it happens. Hardly anybody outside of the process can tell. The cluster's own
components are no onlookers; what they need to know of such objects they are told otherwise.
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
    """Has those catch up whose objects somebody is about to see."""

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
