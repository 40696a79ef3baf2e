"""Calls to servers outside of this process, all of them.

A call has a deadline in the machine's time, whatever the cluster's clock does: who is called knows nothing of that clock. While it is under
way a clock that is stepped or sped up waits for it, as for any other work that the event loop can't see, and virtual time stands still. A
stream holds no clock once its answer has begun.

No redirect is followed and no proxy asked, whatever the environment says: a request goes to whom the configuration names, or fails.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.meta.unexplained import ANSWERED, TEXT_BYTES, UNKNOWN, meaning_of
from svcsim.meta.waiting import waiting
from svcsim.outbound.counted import Counted
from svcsim.outbound.exchange import PIECE_BYTES, ClosedError, Exchange, Headers
from svcsim.outbound.places import Places, Turns
from svcsim.outbound.pool import Pool
from svcsim.outbound.remote import Address, OutboundError, RefusedError, Remote, UnreachableServiceError, address_of_url
from svcsim.outbound.services import Services
from svcsim.rest import Work
from svcsim.virtual_loop import RealTimeout
from svcsim.wall import stopwatch

StandIn = Callable[[], Awaitable[Response | None]]
"""Answers in a server's place; with None the server itself is called. May raise `OutboundError` and `TimeoutError`."""

_SAFE_TO_REPEAT = ("GET", "HEAD", "OPTIONS")
_JSON = "application/json"


@dataclass(slots=True)
class Answering:
    """An answer that has begun: its body comes by `pieces`, or, after a switch of protocols, the connection is the caller's."""

    exchange: Exchange

    @property
    def status(self) -> int:
        return self.exchange.status

    @property
    def headers(self) -> dict[str, str]:
        return self.exchange.headers

    @property
    def bodiless(self) -> bool:
        """Whether it ends with its head."""
        return self.exchange.bodiless

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body, as it comes. Raises `OutboundError` where it breaks off."""
        try:
            async for piece in self.exchange.pieces():
                yield piece
        except OSError as error:
            raise OutboundError(f"read: {error.strerror or error}") from error


@dataclass(slots=True)
class Switched:
    """The connection after a switch of protocols (`svcsim.meta.http.Tunnel`). ``over`` gives it up."""

    exchange: Exchange
    over: Callable[[], Awaitable[None]]

    @property
    def full(self) -> bool:
        return self.exchange.writer.transport.get_write_buffer_size() > limits.OUTBOUND_UNSENT_BYTES

    def write(self, data: bytes) -> None:
        if data and not self.exchange.writer.is_closing():
            self.exchange.writer.write(data)

    async def drain(self) -> None:
        await self.exchange.writer.drain()

    async def read(self) -> bytes:
        try:
            return await self.exchange.reader.read(PIECE_BYTES)
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    async def close(self) -> None:
        await self.over()


class Outbound:
    """The way out. There is one in a cluster; `close` it at the end."""

    def __init__(self, services: Services, work: Work, connections: int = limits.OUTBOUND_CONNECTIONS) -> None:
        """``services`` knows where a service of the cluster leads. There are never more ``connections`` than so many."""
        self.counted = Counted()
        self._services = services
        self._work = work
        self._pool = Pool()
        self._places = Places(connections)
        self._beginning = asyncio.Lock()
        """Held while a call begins: when many begin at once, one is written at a time, with turns for other work in between."""
        self._long = asyncio.Semaphore(limits.OUTBOUND_LONG_ANSWERS)
        """Limits the long answers of all servers that are read at the same time: each is held whole, and then decoded."""

    async def close(self) -> None:
        """Let go of all connections."""
        await self._pool.close()

    async def call(
        self, remote: Remote, request: Request, *, deadline_s: float, limit_bytes: int = limits.OUTBOUND_ANSWER_BYTES
    ) -> Response:
        """The whole answer, whatever its status. Raises `OutboundError` where there is none in time, or it is longer than the limit."""
        async with AsyncExitStack() as held:
            with waiting():
                return await self._whole(remote, request, deadline_s, limit_bytes, held)

    async def _whole(self, remote: Remote, request: Request, deadline_s: float, limit_bytes: int, held: AsyncExitStack) -> Response:
        """The whole answer, as in `call`; a long one holds one of the places for such answers until ``held`` ends."""
        with self._work:
            async with self._answering(remote, request, deadline_s) as answering:
                body, is_long = bytearray(), False
                async with aclosing(answering.pieces()) as pieces:
                    async for piece in pieces:
                        body += piece
                        if len(body) > limit_bytes:
                            raise OutboundError(f"the answer is longer than {limit_bytes} bytes")
                        if len(body) > limits.OUTBOUND_LONG_ANSWER_BYTES and not is_long:
                            is_long = True
                            await held.enter_async_context(self._long)
                headers = answering.headers
                return Response(answering.status, bytes(body), headers.get("content-type", ""), dict(headers))

    async def ask(
        self,
        remote: Remote,
        question: Object,
        *,
        deadline_s: float,
        limit_bytes: int = limits.OUTBOUND_ANSWER_BYTES,
        turns: Turns | None = None,
        stand_in: StandIn | None = None,
        media_type: str = "",
        decode: Callable[[bytes], Json] = decode_json,
    ) -> Object:
        """The object that answers an object, as webhooks have it. Raises `OutboundError`, for any status of an error and for no object too.

        Among others that take ``turns`` the deadline is told from when they began. What ``stand_in`` answers is no call, and not counted
        as one. An answer that says it is of another ``media_type`` is none. ``decode`` reads it, and raises `StatusError` for what it
        doesn't take.
        """
        headers = {"content-type": _JSON, "accept": _JSON}
        query = f"timeout={math.ceil(deadline_s)}s"  # in whole seconds, as who is called knows it
        path = "" if urlsplit(remote.base).path else "/"
        request = Request("POST", path, query, headers)
        answer = None
        if stand_in is not None:
            with waiting(), _worded(remote, request):
                answer = await stand_in()
        if answer is not None:
            return await _object_in(answer, media_type, decode)
        async with AsyncExitStack() as held:
            with waiting():
                if turns is not None:
                    with _worded(remote, request):
                        async with RealTimeout(deadline_s - turns.spent_s):
                            await held.enter_async_context(turns.free)
                            if turns.are_long:
                                async with self._beginning:
                                    await turn()
                    deadline_s -= turns.spent_s
                request.body = encode(question)  # only now: those who wait for their turn hold none
                answer = await self._whole(remote, request, deadline_s, limit_bytes, held)
            return await _object_in(answer, media_type, decode)

    @asynccontextmanager
    async def stream(self, remote: Remote, request: Request, *, deadline_s: float) -> AsyncIterator[Answering]:
        """An answer that goes on for as long as it likes, once it has begun within the deadline. Raises `OutboundError`."""
        with self._places.stream():
            async with AsyncExitStack() as held:
                exchange, address = await self._begun(remote, request, deadline_s, held)
                try:
                    yield Answering(exchange)
                finally:
                    self._pool.keep(address, remote.trust, exchange)

    @asynccontextmanager
    async def _answering(self, remote: Remote, request: Request, deadline_s: float) -> AsyncIterator[Answering]:
        """An answer that is read to its end within the deadline, and counted then."""
        started, status = stopwatch(), 0
        try:
            with _worded(remote, request):
                if deadline_s <= 0:
                    raise TimeoutError
                async with RealTimeout(deadline_s):
                    address = await self._address(remote)
                    async with self._places.call(remote.name, address):
                        exchange = await self._asked(remote, request, address)
                        try:
                            yield Answering(exchange)
                            status = exchange.status
                        finally:
                            self._pool.keep(address, remote.trust, exchange)
        finally:
            self.counted.add(remote.name, status, stopwatch() - started)

    async def _begun(self, remote: Remote, request: Request, deadline_s: float, held: AsyncExitStack) -> tuple[Exchange, Address]:
        """An answer that has begun; counted for the time that took. Its place is the caller's until ``held`` ends."""
        started, status = stopwatch(), 0
        try:
            with self._work, waiting(), _worded(remote, request):
                async with RealTimeout(deadline_s):
                    address = await self._address(remote)
                    await held.enter_async_context(self._places.any())
                    exchange = await self._asked(remote, request, address)
                    status = exchange.status
                    return exchange, address
        finally:
            self.counted.add(remote.name, status, stopwatch() - started)

    async def _address(self, remote: Remote) -> Address:
        """Where it leads."""
        address = address_of_url(remote.url) if remote.service is None else await self._services.address(remote.service)
        return address._replace(server_name=remote.server_name) if remote.server_name else address

    async def _asked(self, remote: Remote, request: Request, address: Address) -> Exchange:
        """A connection on which the request was sent and the head of an answer read. Its place is taken."""
        target, headers = _line(remote, request), _headers(remote, request)
        kept = self._pool.kept(address, remote.trust)
        if kept is not None:
            try:
                return await _sent(kept, request, target, headers)
            except ClosedError:
                if request.method not in _SAFE_TO_REPEAT or request.unread is not None:
                    raise
        self._pool.shrink(self._places.left)
        exchange = await self._pool.opened(address, remote.trust)
        return await _sent(exchange, request, target, headers)


async def _object_in(answer: Response, media_type: str, decode: Callable[[bytes], Json]) -> Object:
    """What an answer says, if it is an object."""
    if answer.status not in ANSWERED:
        raise RefusedError(answer.status, _refused(answer), wants_delay=_wants_delay(answer))
    said = _type_of(answer)
    if not answer.body:
        raise OutboundError(f"0-length response with status code: {answer.status} and content type: {said or _JSON}")
    if media_type and said and said != media_type:
        raise OutboundError(f"the answer is said to be {said}, not {media_type}")
    try:
        obj: Json = await aside(len(answer.body), decode, answer.body)
    except StatusError as error:
        is_too_much = error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        raise OutboundError(f"the answer is too much: {error.message}" if is_too_much else error.message) from error
    if not isinstance(obj, dict):
        raise OutboundError("the answer is no JSON object")
    return obj


async def _sent(exchange: Exchange, request: Request, target: str, headers: Headers) -> Exchange:
    try:
        await exchange.ask(request.method, target, headers, request.body if request.unread is None else request.unread)
    except (ConnectionError, BrokenPipeError) as error:
        exchange.close()
        raise ClosedError("EOF") from error
    except BaseException:
        exchange.close()
        raise
    return exchange


def _line(remote: Remote, request: Request) -> str:
    """What stands in the request's first line."""
    base = urlsplit(remote.base)
    path = f"{base.path.rstrip('/')}{request.path}" or "/"
    query = "&".join(part for part in (base.query, request.query) if part)
    return f"{path}?{query}" if query else path


def _headers(remote: Remote, request: Request) -> Headers:
    own = [("host", urlsplit(remote.base).netloc.rpartition("@")[2]), ("user-agent", "svcsim"), *remote.headers]
    named = {name.lower() for name, _ in own} - {"user-agent"}
    given = [(name, value) for name in request.headers if name not in named for value in request.header_values(name)]
    if "user-agent" in request.headers:
        own = [(name, value) for name, value in own if name != "user-agent"]
    return [*own, *given]


class _worded:  # noqa: N801 - read as `with _worded(...)`
    """Whatever goes wrong is said with the method and the URL it was about."""

    def __init__(self, remote: Remote, request: Request) -> None:
        self._what = f'{request.method.capitalize()} "{remote.base}{request.path}{"?" if request.query else ""}{request.query}"'

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnreachableServiceError):
            raise UnreachableServiceError(error.reason, f"{self._what}: {error}") from error
        if isinstance(error, OutboundError):
            raise OutboundError(f"{self._what}: {error}") from error
        if isinstance(error, TimeoutError):
            raise OutboundError(f"{self._what}: context deadline exceeded") from error
        if isinstance(error, OSError):
            raise OutboundError(f"{self._what}: {error.strerror or error}") from error


def _wants_delay(answer: Response) -> bool:
    """Whether it says in how many seconds it wants to be asked again; a date is none."""
    told = answer.headers.get("retry-after", "").strip()
    return told.isascii() and told.isdigit() and bool(told.strip("0"))


def _refused(answer: Response) -> str:
    """What an answer with an error's status says: its message, if it is a Status of a failure, and otherwise what clients say of it."""
    said_to_be = _type_of(answer)
    if said_to_be in ("", _JSON) and (message := _message_in(answer.body)):
        return message
    text = UNKNOWN
    if not said_to_be or said_to_be.startswith("text/"):
        text = answer.body[:TEXT_BYTES].decode("utf-8", "replace").strip()
    return meaning_of(answer.status, text, quoted(text))[1]


def _message_in(body: bytes) -> str:
    try:
        status = decode_json(body)
    except StatusError:
        return ""
    failed = isinstance(status, dict) and (status.get("kind"), status.get("status")) == ("Status", "Failure")
    return str(status.get("message") or "") if failed else ""


def _type_of(answer: Response) -> str:
    """The media type that an answer says it is of; empty where it says nothing."""
    return answer.content_type.partition(";")[0].strip().lower()
