"""A connection that was switched to another protocol, and is passed on to a server behind this one: bytes both ways, as they come."""

import asyncio
from collections.abc import Callable

from svcsim import limits
from svcsim.meta.http import Response, Tunnel
from svcsim.server.http.tunnel_turns import TunnelTurns
from svcsim.wall import stopwatch


class TunnelEnd:
    """The client's end. What it sends goes on at once; where the other side reads more slowly, the client is kept from sending more.

    A few bytes may be many messages. Where what has come takes long, others have their turn before the rest goes on.
    """

    def __init__(self, tunnel: Tunnel, turns: TunnelTurns, hold: Callable[[], None], release: Callable[[], None]) -> None:
        self._tunnel = tunnel
        self._turns = turns
        self._hold = hold
        self._release = release
        self._draining: asyncio.Task[None] | None = None
        self._rest = b""
        """What has come and not gone on yet."""

    def feed(self, data: bytes) -> None:
        """The client has sent something."""
        self._rest += data
        if self._draining is not None:
            return
        if self._turns.free:
            self._go_on()
        if self._rest or self._tunnel.full:
            self._hold()
            self._draining = asyncio.get_running_loop().create_task(self._drain())

    def _go_on(self) -> None:
        """Pass on what has come, for a turn."""
        began_s, at = stopwatch(), 0
        while at < len(self._rest) and not (at and stopwatch() - began_s > limits.TUNNEL_TURN_S):
            self._tunnel.write(self._rest[at : at + limits.TUNNEL_SLICE_BYTES])
            at += limits.TUNNEL_SLICE_BYTES
        self._rest = self._rest[at:]
        self._turns.spend(stopwatch() - began_s)

    async def _drain(self) -> None:
        try:
            await self._tunnel.drain()
            while self._rest:
                await self._turns.mine()
                self._go_on()
                await self._tunnel.drain()
        except ConnectionError:
            return  # the reading side finds that too, and ends it
        finally:
            self._draining = None
            self._release()

    async def close(self) -> None:
        if self._draining is not None:
            self._draining.cancel()
        await self._tunnel.close()


def switched(response: Response) -> bytes:
    """The head of the answer after which the connection is no longer HTTP's."""
    headers = [*response.headers.items(), *(("Set-Cookie", value) for value in response.cookies)]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 101 Switching Protocols\r\n{lines}\r\n".encode(errors="replace")
