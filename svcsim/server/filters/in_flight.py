"""The limit of requests in flight. Long-running ones (watches, logs) aren't counted.

Nor are requests while they wait for others, such as a webhook that hangs: they do no work, and shouldn't block other clients. The number of
waiting requests that aren't counted is limited, too; those beyond it count like any other.
"""

from svcsim import limits
from svcsim.meta.errors import too_many_requests
from svcsim.meta.waiting import WAITS, Waits
from svcsim.server.requests.request_info import READING, RequestInfo

LONG_RUNNING = ("log", "exec", "attach", "portforward", "proxy")
"""Subresources whose answers go on."""

_READ, _WRITE = 0, 1


class InFlight:
    """Counts requests under way, reads and writes apart."""

    def __init__(
        self, reads: int = limits.READS_IN_FLIGHT, writes: int = limits.WRITES_IN_FLIGHT, waiting: int = limits.WAITING_IN_FLIGHT
    ) -> None:
        """There may be so many of each, and ``waiting`` besides that wait for others."""
        self._limits = (reads, writes)
        self.counts = [0, 0]
        """Reads and writes under way."""
        self.waits_left = waiting

    def enter(self, info: RequestInfo) -> "Seat | None":
        """Count a request in; hand its seat to `leave`; None for one that isn't counted. Raises 429."""
        if not info.is_resource or info.verb == "watch" or info.subresource in LONG_RUNNING:
            return None
        which = _READ if info.verb in READING else _WRITE
        if self.counts[which] >= self._limits[which]:
            raise too_many_requests("The server has received too many requests and has asked us to try again later")
        heard = WAITS.get()
        seat = Seat(self, which, None if isinstance(heard, Seat) else heard)  # the seat of an earlier request is no part of this one
        WAITS.set(seat)
        return seat

    def leave(self, seat: "Seat | None") -> None:
        """The request is done."""
        if seat is not None:
            seat.leave()


class Seat:
    """The place of one request. It hears when the request waits for others (`svcsim.meta.waiting`)."""

    __slots__ = ("_flight", "_has_left", "_is_away", "_other", "_waits", "_which")

    def __init__(self, flight: InFlight, which: int, other: Waits | None) -> None:
        """``other`` hears of it besides."""
        self._flight = flight
        self._other = other
        self._which = which
        self._waits = 0
        self._is_away = False
        self._has_left = False
        flight.counts[which] += 1

    def leave(self) -> None:
        """The request is done; what it has begun and nobody waits for is no longer part of it."""
        self._return()
        self._has_left = True
        self._flight.counts[self._which] -= 1

    def begin(self) -> None:
        """It waits for one more; who waits takes no place, if there is room for that."""
        if self._other is not None:
            self._other.begin()
        self._waits += 1
        if self._waits == 1 and not self._has_left and self._flight.waits_left > 0:
            self._is_away = True
            self._flight.waits_left -= 1
            self._flight.counts[self._which] -= 1

    def end(self) -> None:
        """It waits for one less; with the last it goes on, whoever else is there meanwhile."""
        if self._other is not None:
            self._other.end()
        self._waits -= 1
        if not self._waits:
            self._return()

    def _return(self) -> None:
        if self._is_away:
            self._is_away = False
            self._flight.waits_left += 1
            self._flight.counts[self._which] += 1
