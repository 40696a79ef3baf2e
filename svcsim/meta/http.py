"""A request and its answer, free of any HTTP library.

The server's pipeline takes the one and gives the other. An aiohttp handler stands in front of it for the wire; inside one process the
client's transport calls it directly. Neither side can tell.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.meta.types import User


@dataclass(slots=True)
class Request:
    """What was asked. Header names are lower case; ``query`` is the raw query string."""

    method: str
    path: str
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User | None = None
    """Set where the transport itself vouches for the user: in process, or by a verified client certificate."""


@dataclass(slots=True)
class Response:
    """What is answered: a whole body, or a stream of pieces that goes on until the client leaves or the iterator ends."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    stream: AsyncIterator[bytes] | None = None


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
"""The server's whole pipeline as one function; it never raises."""
