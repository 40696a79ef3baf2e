"""What clients and simulated containers are connected by, free of any protocol: the server makes it, the nodes serve it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from svcsim.meta.types import Object


class Wanted(NamedTuple):
    """Which streams of a command there are to be."""

    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


class CommandClient(Protocol):
    """The client, as the code that runs its command sees it."""

    wanted: Wanted

    async def read(self) -> bytes:
        """The next of the command's input; nothing at its end, or where it has none."""
        ...

    async def write(self, data: bytes) -> None:
        """Output of the command."""
        ...

    async def write_error(self, data: bytes) -> None:
        """What it complains of."""
        ...

    async def resized(self) -> tuple[int, int] | None:
        """The terminal's next size: columns and rows. None when no other will come."""
        ...


Run = Callable[[CommandClient], Awaitable[Object]]
"""Runs a command; gives the Status that says how it ended. Raises `StatusError` where it can't be run."""


class Forwarded(Protocol):
    """A connection to a port, as the other end of it sees it."""

    async def read(self) -> bytes:
        """What the client sends next; nothing at the end."""
        ...

    async def write(self, data: bytes) -> None:
        """Raises `ConnectionResetError` where the client has gone."""
        ...


Serve = Callable[[int, Forwarded], Awaitable[str]]
"""Serves a connection to a port; gives what went wrong, or nothing."""
