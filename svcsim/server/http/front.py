"""The listening socket, and what its connections share.

The parser is llhttp, as httptools binds it; everything from the parsed request to the bytes of the answer is in this room, because a server
whose requests take microseconds can't afford an HTTP framework's.
"""

import asyncio
import ssl

from svcsim import limits
from svcsim.meta.budget import Budget
from svcsim.meta.http import Handler
from svcsim.server.http.connection import Connection, Shared
from svcsim.server.http.heads import ResponseHeads
from svcsim.server.http.known_heads import RequestLines
from svcsim.server.http.peers import Peers
from svcsim.server.http.tunnel_turns import TunnelTurns
from svcsim.server.http.untaken import Untaken
from svcsim.server.http.writing import FramedLines


class HttpFront:
    """Listens on a socket and serves a handler there."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.connections: dict[Connection, None] = {}
        self._shared = Shared(
            ResponseHeads(),
            FramedLines(),
            RequestLines(),
            Untaken(limits.UNTAKEN_BYTES),
            Peers(),
            Budget(limits.BODIES_BYTES),
            TunnelTurns(),
            self.connections,
        )
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None) -> int:
        """Begin to listen; the port that came of it. Raises `OSError` where that can't be."""
        loop = asyncio.get_running_loop()

        def connect() -> Connection:
            return Connection(loop, self._handler, self._shared)

        self._server = await loop.create_server(connect, host, port, ssl=tls, backlog=limits.LISTEN_BACKLOG)
        self._sweep(loop)
        return int(self._server.sockets[0].getsockname()[1])

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hang up on clients that have asked, or taken, nothing for long; a timer for each connection would cost every request."""
        for connection in list(self.connections):
            connection.grow_older()
        self._sweeper = loop.call_later(limits.IDLE_CONNECTION_S / limits.IDLE_SWEEPS, self._sweep, loop)

    async def close(self, grace_s: float = limits.SHUTDOWN_S) -> None:
        """Stop listening, end streams, let answers under way go out, then hang up."""
        if self._server is None:
            return
        self._server.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
        tasks = [task for connection in self.connections if (task := connection.finish()) is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)
        for connection in list(self.connections):
            connection.abort()
        self._server = None
