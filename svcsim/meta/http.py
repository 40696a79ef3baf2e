"""A request and its answer, free of any HTTP library.

The server's pipeline takes the one and gives the other. An HTTP front stands before it for the wire; inside one process the client's
transport calls it directly. Neither side can tell.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from svcsim.meta.budget import Portion
from svcsim.meta.types import Object, User

if TYPE_CHECKING:
    from svcsim.meta.peer import Peer


READING_METHODS = ("GET", "HEAD")
"""Methods that ask for what is there, and change nothing."""
BODILESS = (204, 304)
"""Statuses of answers that end with their head, as those below 200 do (RFC 9112, 6.3)."""


class Sender:
    """The client of requests on one connection that have all headers in common.

    Its identity and decisions about it need not be found out each time: ``known`` is for the code that does.
    """

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: object = None


@dataclass(slots=True)
class Request:
    """What was asked. Header names are lower case; ``query`` is the raw query string.

    Headers are shared by the requests of a connection: to change them, make a copy.
    """

    method: str
    path: str
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User | None = None
    """Whom the in-process transport asks as. What comes over the wire never has one."""
    component: bool = False
    """Whether a component of this process asks: it holds back by itself, and takes no place among the requests in flight."""
    insider: bool = False
    """Whether the client is a component of the cluster, for which pending heartbeats needn't be written (`Onlookers`)."""
    peer: "Peer | None" = None
    """The client's certificate, where one was shown and verified."""
    repeated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of headers that came more than once; ``headers`` has them joined."""
    unread: "UnreadBody | None" = None
    """The body, if it hasn't been read: the client has to be authenticated first."""
    address: str = ""
    """The client's, as far as it is on the wire."""
    sender: Sender | None = None
    """The sender of the request, if it is known or may send further requests."""
    handed: Object | None = None
    """Instead of a body: a new object, or a merge patch, as a component of this process hands it over, and kept by nobody else.

    What is new in it has its kind's form and isn't read again. Nothing is answered but whether it was taken; of a patch, the new version.
    """
    for_good: bool = True
    """Whether a new object that is handed over counts as taken, and its name is answered, once it is on disk.

    Otherwise it counts as taken once it is on its way there: if it never gets there, the caller isn't told.
    """

    made_at: float | None = None
    """When a component of this process would have made it, if it only makes it now because a client is about to read (`Onlookers`)."""

    def header_values(self, name: str) -> tuple[str, ...]:
        """One value for each time a header came: for those in which a comma may be part of a value."""
        return self.repeated.get(name) or ((self.headers[name],) if name in self.headers else ())


@dataclass(slots=True)
class Response:
    """What is answered: a whole body, or a stream of pieces that goes on until the client leaves or the iterator ends."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    stream: AsyncIterator[bytes] | None = None
    held: Portion | None = None
    """What the answer, or what its stream is made of, takes of the memory that answers may take together."""
    tunnel: "Tunnel | None" = None
    """With status 101: what the connection is passed on to from now on."""
    expected_bytes: int = 0
    """About how long the stream will be at least, where it has an end but no ``Content-Length``."""
    cookies: tuple[str, ...] = ()
    """Values of ``Set-Cookie``, the one header whose values can't be joined."""


class UnreadBody(Protocol):
    """A body that may still be coming in."""

    @property
    def declared_bytes(self) -> int | None:
        """Its length, where its head tells."""
        ...

    async def read(self, limit_bytes: int) -> bytes:
        """The whole body, unpacked, of so many bytes at the most. Raises `StatusError`."""
        ...

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes, packed or not and however long, for whoever hands it on: little of it is kept. Raises `StatusError`."""
        ...


async def take_in(request: Request) -> None:
    """Take whatever body is sent, and keep nothing of it."""
    if request.unread is not None:
        async for _ in request.unread.pieces():
            pass


class Tunnel(Protocol):
    """The other side of a connection that was switched to another protocol."""

    @property
    def full(self) -> bool:
        """Whether it is time to wait until it has been drained."""
        ...

    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None:
        """Wait until it has taken most of what was written. Raises `ConnectionError`."""
        ...

    async def read(self) -> bytes:
        """What comes next; nothing at the end. Raises `ConnectionError`."""
        ...

    async def close(self) -> None: ...


class Told(NamedTuple):
    """A line, and the JSON that it is, where that is known without decoding it. It isn't to be changed."""

    line: bytes
    says: Object | None = None


class LineBatches(AsyncIterator[list[bytes]]):
    """Lines as they come, at least one at a time."""

    async def told(self) -> list[Told]:
        """The next lines, for a reader in this process."""
        return [Told(line) for line in await anext(self)]

    @abstractmethod
    async def aclose(self) -> None:
        """No more are wanted. It may not have begun."""


class LineStream(AsyncIterator[bytes]):
    """A stream of lines that many follow at once.

    Each gets the same bytes of a line, without its line end: framing it for a wire, or decoding it, can be done once for all.
    """

    def __init__(self, batches: LineBatches) -> None:
        self.batches = batches

    async def __anext__(self) -> bytes:
        """The next lines as one piece, for a reader that doesn't need whole lines."""
        return joined(await anext(self.batches))

    async def aclose(self) -> None:
        await self.batches.aclose()


def joined(lines: list[bytes]) -> bytes:
    """Lines with their line ends."""
    return b"\n".join([*lines, b""])


async def end_stream(stream: AsyncIterator[bytes] | None) -> None:
    """Let a stream that nobody reads on free what it holds."""
    if isinstance(stream, AsyncGenerator | LineStream):
        await stream.aclose()


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
"""The server's whole pipeline as one function; it never raises."""
