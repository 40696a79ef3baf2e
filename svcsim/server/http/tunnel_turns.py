"""The share of the event loop's time for data from connections that were switched to another protocol.

A few bytes may be many messages, and there may be many such connections. All of them together get a short turn; after one that was used up,
other work gets twice as long, and then it is the turn of the connection that has waited longest.
"""

import asyncio
from collections import deque

from svcsim import limits


class TunnelTurns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self._spent_s = 0.0
        self._resting: asyncio.TimerHandle | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def free(self) -> bool:
        """Whether a caller may go on at once."""
        return self._resting is None and not self._waiting

    async def mine(self) -> None:
        """Wait for a turn. After it, the caller reports the time that it took (`spend`)."""
        if self.free:
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._next()
            raise

    def spend(self, seconds: float) -> None:
        """A turn is over."""
        self._spent_s += seconds
        if self._resting is not None:
            return
        if self._spent_s >= limits.TUNNEL_TURN_S:
            self._resting = asyncio.get_running_loop().call_later(2 * limits.TUNNEL_TURN_S, self._rested)
        else:
            self._next()

    def _rested(self) -> None:
        self._resting, self._spent_s = None, 0.0
        self._next()

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
