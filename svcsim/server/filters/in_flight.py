"""How many requests may be under way at once. What goes on for long (watches, logs) isn't counted."""

from svcsim import limits
from svcsim.meta.errors import too_many_requests
from svcsim.server.requests.request_info import READING, RequestInfo

LONG_RUNNING = ("log", "exec", "attach", "portforward", "proxy")
"""Subresources whose answers go on."""

UNCOUNTED, READ, WRITE = 0, 1, 2


class InFlight:
    """Counts requests under way, reads and writes apart."""

    def __init__(self, reads: int = limits.READS_IN_FLIGHT, writes: int = limits.WRITES_IN_FLIGHT) -> None:
        self._limits = (0, reads, writes)
        self._counts = [0, 0, 0]

    @property
    def reads(self) -> int:
        """Reads under way."""
        return self._counts[READ]

    @property
    def writes(self) -> int:
        """Writes under way."""
        return self._counts[WRITE]

    def enter(self, info: RequestInfo) -> int:
        """Count a request in; hand what this gives to `leave`. Raises 429."""
        if not info.is_resource or info.verb == "watch" or info.subresource in LONG_RUNNING:
            return UNCOUNTED
        seat = READ if info.verb in READING else WRITE
        if self._counts[seat] >= self._limits[seat]:
            raise too_many_requests("The server has received too many requests and has asked us to try again later")
        self._counts[seat] += 1
        return seat

    def leave(self, seat: int) -> None:
        """The request is done."""
        if seat:
            self._counts[seat] -= 1
