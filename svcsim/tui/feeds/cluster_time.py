"""The cluster's time as the dashboard sees it: asked for now and then, and counted on in between.

A simulated cluster's clock may run fast, stand still or be stepped; ages must be counted by it. A server that has no such clock to ask
goes by the machine's time.
"""

from typing import TYPE_CHECKING

from svcsim.client.api import Client
from svcsim.clock import Clock, stopwatch, wall_time
from svcsim.meta.errors import StatusError
from svcsim.meta.times import parse_time

if TYPE_CHECKING:
    from collections.abc import Callable

_PATH = "/svcsim/v1/clock"
_ASKED_EVERY_S = 2.0
_NO_SUCH_CLOCK = (403, 404)


class ClusterTime:
    """A cluster's clock, seen from outside."""

    def __init__(self, client: Client) -> None:
        self.speed = 1.0
        """The speed that is asked for."""
        self.on_back: Callable[[], None] | None = None
        """Called when the cluster answers again after it didn't."""
        self._reached = 1.0
        self._client = client
        self._answered_s = wall_time()
        self._answered_at = stopwatch()

    def now(self) -> float:
        """The cluster's time in seconds since the epoch."""
        return self._answered_s + (stopwatch() - self._answered_at) * self._reached

    async def ask(self) -> bool:
        """Ask the cluster; False if it has no clock of its own to tell. Raises `StatusError` and `ConnectionError`."""
        try:
            answer = await self._client.get_json(_PATH)
        except StatusError as error:
            if error.code in _NO_SUCH_CLOCK:
                return False
            raise
        self._answered_s, self._answered_at = parse_time(answer["now"]), stopwatch()
        self.speed = float(answer["speed"])
        self._reached = float(answer.get("reachedSpeed", self.speed))
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
