"""The cluster's time as the dashboard sees it: asked for now and then, and counted on in between."""

from typing import TYPE_CHECKING

from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.client.cluster_time import CountedTime
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError

if TYPE_CHECKING:
    from collections.abc import Callable

_ASKED_EVERY_S = 2.0
_NO_SUCH_CLOCK = (403, 404)


class ClusterTime(CountedTime):
    """A cluster's clock that is asked again and again."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.on_back: Callable[[], None] | None = None
        """Called when the cluster answers again after it didn't."""
        self._client = client

    async def ask(self) -> bool:
        """Ask the cluster; False if it has no clock of its own to tell. Raises `StatusError` and `ConnectionError`."""
        try:
            self.take(await self._client.get_json(paths.CLOCK))
        except StatusError as error:
            if error.code in _NO_SUCH_CLOCK:
                return False
            raise
        return True

    async def run(self, clock: Clock) -> None:
        """Keep asking, until cancelled, or until the server says that it has no such clock."""
        lost = False
        while True:
            try:
                if not await self.ask():
                    return
            except (ConnectionError, StatusError):
                lost = True  # the table's feed tells of it; time is counted on meanwhile
            else:
                if lost and self.on_back is not None:
                    self.on_back()
                lost = False
            await clock.sleep(_ASKED_EVERY_S)
