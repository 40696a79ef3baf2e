"""The cluster's time as the dashboard sees it: asked for now and then, and counted on in between."""

from contextlib import suppress

from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.client.cluster_time import CountedTime
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError

_ASKED_EVERY_S = 2.0
_NO_SUCH_CLOCK = (403, 404)


class ClusterTime(CountedTime):
    """A cluster's clock that is asked again and again."""

    def __init__(self, client: Client) -> None:
        super().__init__()
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
        while True:
            with suppress(ConnectionError, StatusError):  # the table's feed tells of it; time is counted on meanwhile
                if not await self.ask():
                    return
            await clock.sleep(_ASKED_EVERY_S)
