"""The time by which commands reckon ages: the cluster's own, as the ages that the server prints are reckoned.

It is asked for when the first age is printed, so that a command that prints none asks nothing, and again where a command goes on.
"""

from typing import TYPE_CHECKING

from svcsim.client.cluster_time import PATH, CountedTime
from svcsim.clock import stopwatch
from svcsim.meta.errors import StatusError

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

_ASKED_EVERY_S = 2.0


class ClusterTime(CountedTime):
    """The clock of a session's cluster."""

    def __init__(self, session: "Session") -> None:
        super().__init__()
        self._session = session
        self._ask_at = 0.0
        self._has_clock = True

    def now(self) -> float:
        """The cluster's time in seconds since the epoch; the machine's where the server has no clock to ask."""
        if self._has_clock and stopwatch() >= self._ask_at:
            self._ask()
        return super().now()

    def _ask(self) -> None:
        try:
            self.take(self._session.get(PATH))
        except StatusError:
            self._has_clock = False
        except ConnectionError:
            pass  # whoever follows the cluster tells of it and waits for it; time is counted on meanwhile
        self._ask_at = stopwatch() + _ASKED_EVERY_S
