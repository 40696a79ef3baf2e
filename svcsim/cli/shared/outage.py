"""Getting over a server that is gone for a while: what ``get -w``, ``wait`` and all that follow objects do when the connection is lost."""

from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.client.backoff import Backoff
from svcsim.wall import stopwatch, wall_sleep

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session
    from svcsim.meta.errors import StatusError


class Outage:
    """Attempts to reach a server again, further and further apart. One for each following; it remembers how long the server is away."""

    def __init__(self, session: "Session", patience_s: float = limits.OUTAGE_S) -> None:
        self._session = session
        self._patience_s = patience_s
        self._backoff = Backoff(limits.RECONNECT_FIRST_S, limits.OUTAGE_PAUSE_S)
        self._since: float | None = None

    def over(self) -> None:
        """The server answered."""
        self._since = None
        self._backoff.reset()

    def wait(self, error: "ConnectionError | StatusError") -> None:
        """Wait before the next attempt. Raises the error again where the outage lasts too long."""
        now = stopwatch()
        if self._since is None:
            self._since = now
        if now - self._since >= self._patience_s:
            raise error
        wall_sleep(min(self._backoff.next(), self._since + self._patience_s - now))
        self._session.reconnect()
