"""Turns at long work that is done slice by slice, for all tasks that do so at the same time.

A slice is short enough for one turn of the event loop, and a task with more to do yields after it. A hundred such tasks at once would still
make every turn as long as a hundred slices. So only a few slices are taken in one turn of the loop; later tasks wait, first come, first
served, and a task that takes another slice goes to the end of the queue. A place is for one slice only: a task that waits for something
else meanwhile, such as a client that doesn't read, blocks no other. Most lists are short: the rest of a slice that wasn't full is given to
others.
"""

import asyncio
from collections import deque


class SliceTurns:
    """Who may take a slice now. As many wait as there are requests at work."""

    def __init__(self, a_turn: int, records: int) -> None:
        """``a_turn``: how many slices are taken in one turn of the event loop, each of so many ``records`` if it is full."""
        self._a_turn = a_turn
        self._records = records
        self._taken = 0.0
        """In this turn; as long as there are any, it is looked at again in the next."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def at(self, records: int) -> None:
        """Wait until it is one's turn to take one slice of so many records."""
        await self.mine()
        self.used(records)

    async def mine(self) -> None:
        """Wait for a slice whose length isn't known yet; at once, if few tasks are active. `used` then reports its length."""
        if self._taken < self._a_turn and not self._waiting:
            if not self._taken:
                asyncio.get_running_loop().call_soon(self._next_turn)
            self._taken += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        await place

    def used(self, records: int) -> None:
        """There were but so many records in the slice that was just taken."""
        self._taken = max(self._taken - max(1 - records / self._records, 0.0), 0.0)
        self._let_in()

    def _next_turn(self) -> None:
        self._taken = 0.0
        self._let_in()
        if self._taken:
            asyncio.get_running_loop().call_soon(self._next_turn)

    def _let_in(self) -> None:
        while self._waiting and self._taken < self._a_turn:
            place = self._waiting.popleft()
            if not place.done():  # else whoever waited has gone
                place.set_result(None)
                self._taken += 1
