"""The time by which commands reckon ages: the cluster's own, as the ages that the server prints are reckoned.

It is asked for when the first age is printed, so that a command that prints none asks nothing, and again where a command goes on.
"""

from collections.abc import Callable

from svcsim.client import paths
from svcsim.client.cluster_time import CountedTime
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.wall import stopwatch

_ASKED_EVERY_S = 2.0


class ClusterTime(CountedTime):
    """The clock of a session's cluster."""

    def __init__(self, get: Callable[[str], Object]) -> None:
        """``get`` gives the JSON map at a path."""
        super().__init__()
        self._get = get
        self._ask_at = 0.0
        self._has_clock = True

    def now(self) -> float:
        """The cluster's time in seconds since the epoch; the machine's where the server has no clock to ask."""
        if self._has_clock and stopwatch() >= self._ask_at:
            self._ask()
        return super().now()

    def _ask(self) -> None:
        try:
            self.take(self._get(paths.CLOCK))
        except StatusError:
            self._has_clock = False
        except ConnectionError:
            pass  # whoever follows the cluster tells of it and waits for it; time is counted on meanwhile
        self._ask_at = stopwatch() + _ASKED_EVERY_S
