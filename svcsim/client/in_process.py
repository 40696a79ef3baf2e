"""The transport inside one process: a request goes straight into the server's pipeline, without sockets.

Controllers, scheduler and nodes of a cluster use it; it vouches for the user, so there are no credentials to check.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Self

from svcsim import limits
from svcsim.client.answers import read_event
from svcsim.client.lines import Endable, cut_lines
from svcsim.client.precedence import Precedence
from svcsim.client.transport import Stream
from svcsim.meta.http import Handler, LineBatches, LineStream, Request, Response, Sender, Told, end_stream
from svcsim.meta.types import Object, User

_OF_CONTENT = frozenset(("accept", "content-type"))
"""Headers that don't identify the client."""


class InProcessTransport:
    """Calls ``handler`` as ``user``. See `svcsim.client.transport.Transport`."""

    hands_over = True

    def __init__(
        self,
        handler: Handler,
        user: User,
        user_agent: str = "svcsim",
        precedence: Precedence | None = None,
        *,
        component: bool = False,
        insider: bool = False,
    ) -> None:
        """``precedence`` is given for those who let others go first; a ``component`` isn't counted among the clients.

        An ``insider`` is one that nothing is written for that only onlookers need (`Request.insider`).
        """
        self._handler = handler
        self._user = user
        self._user_agent = user_agent
        self.precedence = precedence
        self._component = component
        self._insider = insider
        self._sender = Sender()
        """The sender of requests in its own name; those that impersonate a user have none."""
        self._open: dict[InProcessStream, None] = {}
        self._closed = False

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        response = await self.call(request)
        if response.stream is None:
            return response
        body = b"".join([piece async for piece in response.stream])
        return replace(response, body=body, stream=None)

    def stream(self, request: Request) -> "InProcessStream":
        """Ask for an answer that goes on."""
        return InProcessStream(self, request)

    async def close(self) -> None:
        """Open streams end; nothing can be asked any more."""
        self._closed = True
        for stream in list(self._open):
            stream.end()

    async def call(self, request: Request) -> Response:
        """Hand the request, which is the transport's from now on, to the pipeline in this transport's name."""
        if self._closed:
            raise ConnectionError("this transport has been closed")
        if self.precedence is not None and self.precedence.under_way:
            await self.precedence.give_way(limits.COMPONENT_REQUEST_WAITS_S)
        request.sender = self._sender if request.user is None and request.headers.keys() <= _OF_CONTENT else None
        request.headers = {"user-agent": self._user_agent, **request.headers}
        request.user = request.user or self._user
        request.component, request.insider = self._component, self._insider
        return await self._handler(request)

    def opened(self, stream: "InProcessStream") -> None:
        """Keep an eye on a running stream, so that `close` can end it."""
        self._open[stream] = None

    def ended(self, stream: "InProcessStream") -> None:
        """Forget it."""
        self._open.pop(stream, None)


class InProcessStream(Stream):
    """A running answer of the pipeline. See `svcsim.client.transport.Stream`."""

    def __init__(self, transport: InProcessTransport, request: Request) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._transport = transport
        self._request = request
        self._response = Response(0)
        self._endable = Endable()

    async def __aenter__(self) -> Self:
        self._response = await self._transport.call(self._request)
        self.status = self._response.status
        self.headers = {"content-type": self._response.content_type}
        self.headers.update((name.lower(), value) for name, value in self._response.headers.items())
        self._transport.opened(self)
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._transport.ended(self)
        await end_stream(self._response.stream)

    def __aiter__(self) -> AsyncIterator[bytes]:
        stream = self._response.stream
        return self._lines(stream) if isinstance(stream, LineStream) else cut_lines(self._pieces())

    async def events(self) -> AsyncIterator[Object]:
        """The events of a watch, as they were before they were encoded where that is known: they aren't to be changed."""
        stream = self._response.stream
        told = self._told(stream) if isinstance(stream, LineStream) else (Told(line) async for line in self)
        async for line, says in told:
            if says is not None:
                yield says
            elif line:
                yield read_event(line)

    async def _lines(self, stream: LineStream) -> AsyncIterator[bytes]:
        """Lines as the server shares them: the same bytes for everyone in this process."""
        async for told in self._told(stream):
            yield told.line

    async def _told(self, stream: LineStream) -> AsyncIterator[Told]:
        precedence = self._transport.precedence
        async for batch in self._endable.read(_Telling(stream.batches)):
            for told in batch:
                yield told
            if precedence is not None:
                await precedence.give_way(limits.COMPONENT_WATCH_WAITS_S)

    async def read(self) -> bytes:
        """All that is left, as one body."""
        return b"".join([piece async for piece in self._pieces()])

    def end(self) -> None:
        """End the stream from outside."""
        self._endable.end()

    def _pieces(self) -> AsyncIterator[bytes]:
        response = self._response
        return self._endable.read(response.stream if response.stream is not None else _whole(response.body))


class _Telling(AsyncIterator[list[Told]]):
    """Batches of lines as they are told in this process."""

    def __init__(self, batches: LineBatches) -> None:
        self._batches = batches

    async def __anext__(self) -> list[Told]:
        return await self._batches.told()


async def _whole(body: bytes) -> AsyncIterator[bytes]:
    if body:
        yield body
