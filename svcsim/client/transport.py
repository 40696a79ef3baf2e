"""How a request gets to an API server and its answer back: the one seam between everything that acts on a cluster and the cluster.

Two transports pass one contract suite: over HTTP, and in one process by calling the server's pipeline directly. The code above can't
tell which it has.
"""

from collections.abc import AsyncIterator
from typing import Protocol, Self

from svcsim.client.answers import read_event
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object


class Transport(Protocol):
    """Sends requests. An answer with an error status is returned, not raised; `ConnectionError` means there was no answer."""

    hands_over: bool
    """Whether objects may be handed over as they are (`Request.handed`)."""

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        ...

    def stream(self, request: Request) -> "Stream":
        """Ask for an answer that goes on: a watch, or logs that are followed."""
        ...

    async def close(self) -> None:
        """Let go of connections. Open streams end."""
        ...


class Stream(Protocol):
    """A running answer: ``async with transport.stream(request) as stream``, then ``async for line in stream``."""

    status: int
    headers: dict[str, str]

    async def __aenter__(self) -> Self:
        """Send the request and wait for the head of the answer; an error's body is read by `read`."""
        ...

    async def __aexit__(self, *raised: object) -> None: ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Lines, without their line ends. Raises `ConnectionError` when it breaks off; ends when the server ends it."""
        ...

    async def events(self) -> AsyncIterator[Object]:
        """The lines as a watch's events. Raises as `answers.read_event` does, too."""
        async for line in self:
            if line:
                yield read_event(line)

    async def read(self) -> bytes:
        """All that is left, as one body."""
        ...
