"""The server's end of a connection that was switched to another protocol: bytes both ways, and the one task that serves them.

The HTTP front passes on incoming bytes, and asks for outgoing ones (`svcsim.meta.http.Tunnel`). Both directions are bounded: a client that
sends too fast is slowed down, and the code that serves a client that reads slowly waits.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from svcsim import limits
from svcsim.clock import turn

Take = Callable[[bytes], None]
"""Takes what comes in."""


Over = Callable[[], None]
"""Called when nothing more will come."""
Opened = Callable[[], Callable[[], None]]
"""Called when a connection is opened; returns the callback for its end."""


def ignore(_data: bytes) -> None:
    """Nobody takes it any more."""


def do_nothing() -> None:
    """Nobody is told any more."""


async def _serve_nothing() -> None:
    """There is nobody any more who is served."""


class Backlog:
    """How much has come in on all streams of a connection and hasn't been read."""

    def __init__(self) -> None:
        self._unread_bytes = 0
        self.changed: Callable[[], None] = do_nothing

    @property
    def full(self) -> bool:
        return self._unread_bytes > limits.STREAM_UNREAD_BYTES

    def add(self, size_bytes: int) -> None:
        self._unread_bytes += size_bytes

    def take(self, size_bytes: int) -> None:
        self._unread_bytes -= size_bytes
        self.changed()


class Inlet:
    """What comes in on one stream, until it is read."""

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._pieces: deque[bytes] = deque()
        self.ended = False
        self._arrived = asyncio.Event()

    def feed(self, data: bytes) -> None:
        """More has come. What comes after the end is lost."""
        if data and not self.ended:
            self._pieces.append(data)
            self._backlog.add(len(data))
            self._arrived.set()

    def end(self) -> None:
        """No more will come."""
        self.ended = True
        self._arrived.set()

    def discard(self) -> None:
        """Nobody reads it any more."""
        self.end()
        self._backlog.take(sum(map(len, self._pieces)))
        self._pieces.clear()

    async def read(self) -> bytes:
        """What comes next, small pieces together; nothing at the end. A reader that doesn't stop yields to others in between."""
        await turn()
        while not self._pieces:
            if self.ended:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        pieces = [self._pieces.popleft()]
        size_bytes = len(pieces[0])
        while self._pieces and size_bytes + len(self._pieces[0]) <= limits.STREAM_PIECE_BYTES:
            pieces.append(self._pieces.popleft())
            size_bytes += len(pieces[-1])
        self._backlog.take(size_bytes)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Session:
    """One such connection. It is served from when it is first read from, and given up when it is closed."""

    def __init__(self, serve: Callable[[], Awaitable[None]], opened: Opened) -> None:
        self._opened = opened
        self.on_data: Take = ignore
        self.backlog = Backlog()
        self.backlog.changed = self._moved
        self._serve = serve
        self._task: asyncio.Task[None] | None = None
        self._pieces: deque[bytes] = deque()
        self._unsent_bytes = 0
        self._to_take_apart: list[Callable[[], None]] = []
        self._stir = asyncio.Event()
        """Set at whatever may let one go on who waits here."""

    def _moved(self) -> None:
        self._stir.set()

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._stir.clear()
            await self._stir.wait()
        self._stir.set()  # there may be others who wait

    # Used by the code that serves it.

    async def send(self, data: bytes) -> None:
        """Have something go out, once what went before has been taken."""
        await self._until(lambda: self._unsent_bytes <= limits.STREAM_UNSENT_BYTES)
        self.reply(data)

    def reply(self, data: bytes) -> None:
        """Have something go out that can't wait. Who makes us do so and doesn't read isn't read from."""
        self._pieces.append(data)
        self._unsent_bytes += len(data)
        self._moved()

    # What the front does.

    @property
    def full(self) -> bool:
        return self.backlog.full or self._unsent_bytes > limits.STREAM_UNSENT_BYTES

    def write(self, data: bytes) -> None:
        self.on_data(data)

    async def drain(self) -> None:
        await self._until(lambda: not self.full)

    async def read(self) -> bytes:
        if self._task is None:
            over = self._opened()
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(lambda _: over())
        task = self._task
        await self._until(lambda: bool(self._pieces) or task.done())
        if not self._pieces:
            task.result()
            return b""
        data = b"".join(self._pieces)
        self._pieces.clear()
        self._unsent_bytes = 0
        self._moved()
        return data

    async def _run(self) -> None:
        try:
            await self._serve()
        finally:
            asyncio.get_running_loop().call_soon(self._moved)

    async def close(self) -> None:
        """Nothing more will come or go. What refers to itself here is taken apart, so that it is freed at once."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait((task,))
        self.on_data, self.backlog.changed, self._serve = ignore, do_nothing, _serve_nothing
        while self._to_take_apart:
            self._to_take_apart.pop()()

    def at_close(self, take_apart: Callable[[], None]) -> None:
        """Have something else that refers to itself be taken apart with it."""
        self._to_take_apart.append(take_apart)
