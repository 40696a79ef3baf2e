"""What is kept for clients that don't take their answers: bounded together.

An answer waits for as long as its client goes on reading, however slowly. Many clients that don't read at all would fill the memory: then
the one that hasn't read for the longest time is disconnected. Data that several of them share counts once.
"""

import asyncio
from collections.abc import Sequence


class Untaken:
    """Who waits for a client to read, and with what in hand."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._waiting: dict[asyncio.Transport, tuple[Sequence[bytes], int]] = {}
        """The longest first; with the bytes that are each one's own."""
        self._holders: dict[int, int] = {}
        """How many clients wait to read a piece, by its identity."""
        self.held_bytes = 0

    def hold(self, transport: asyncio.Transport, in_hand: Sequence[bytes]) -> None:
        """From now on this one waits, and these are kept for it beside what it has been given already."""
        own_bytes = transport.get_write_buffer_size()
        self._waiting[transport] = (in_hand, own_bytes)
        self.held_bytes += own_bytes
        for piece in in_hand:
            self._holders[id(piece)] = self._holders.get(id(piece), 0) + 1
            if self._holders[id(piece)] == 1:
                self.held_bytes += len(piece)
        while self.held_bytes > self._limit_bytes and len(self._waiting) > 1:
            longest = next(iter(self._waiting))
            self.let_go(longest)
            longest.abort()

    def let_go(self, transport: asyncio.Transport) -> None:
        """It has caught up, or gone."""
        in_hand, own_bytes = self._waiting.pop(transport, ((), 0))
        self.held_bytes -= own_bytes
        for piece in in_hand:
            self._holders[id(piece)] -= 1
            if not self._holders[id(piece)]:
                del self._holders[id(piece)]
                self.held_bytes -= len(piece)
