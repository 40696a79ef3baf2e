"""From the bytes a client sends to requests. Nothing else imports the HTTP parser.

llhttp, behind httptools, decides what is HTTP; it is strict, and what it lets pass that two readers could understand differently is refused
here: more than one host, a transfer coding besides chunked, a body behind a request to change the protocol. If a connection carries the
requests of several clients, a client that could slip one request into another would act in someone else's name.
"""

import asyncio
from typing import TYPE_CHECKING

import httptools

from svcsim import limits
from svcsim.meta.errors import StatusError, bad_request, body_too_large
from svcsim.meta.http import Request
from svcsim.meta.peer import Peer
from svcsim.server.http.known_heads import KnownHeads, Recognized, RequestLines
from svcsim.server.http.websocket import take_bearer

if TYPE_CHECKING:
    from svcsim.meta.budget import Portion

_VERSIONS = ("1.1", "1.0")


class Incoming:
    """A request whose header is there. Its body may still be coming in."""

    __slots__ = (
        *("_error", "_pieces", "_waiting", "body_bytes", "chunks", "complete", "held"),
        *("handed_on", "keep_alive", "limit_bytes", "request", "upgrade", "wanted"),
    )

    def __init__(self, request: Request, *, chunks: bool, keep_alive: bool, upgrade: bool) -> None:
        self.request = request
        self.chunks = chunks
        """The client understands an answer in chunks."""
        self.keep_alive = keep_alive
        self.upgrade = upgrade
        """Another protocol is asked for: what follows is no HTTP."""
        self.complete = False
        """Nothing more of it will come."""
        self.body_bytes = 0
        """Kept so far."""
        self.limit_bytes = limits.BODY_BYTES
        self.wanted = False
        """The reader of the body waits for it."""
        self.handed_on = False
        """The body is read piece by piece, without waiting for its end."""
        self.held: Portion | None = None
        """What the body takes of the memory that all of them may take."""
        self._pieces: list[bytes] = []
        self._error: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None

    def add(self, piece: bytes) -> None:
        """One more piece of the body; once it is refused, everything is thrown away."""
        if self._error is not None:
            return
        self._pieces.append(piece)
        self.body_bytes += len(piece)
        if self.handed_on:
            self._wake()
        elif self.body_bytes > self.limit_bytes:
            self.refuse(body_too_large(self.limit_bytes))

    def refuse(self, error: Exception) -> None:
        """The body won't be read; `read` raises the first reason."""
        if self._error is None and not self.complete:
            self._error = error
            self._pieces.clear()
            self.body_bytes = 0
        self._wake()

    def end(self) -> None:
        self.complete = True
        self._wake()

    @property
    def refused(self) -> bool:
        """Whether `read` will raise."""
        return self._error is not None

    @property
    def declared_bytes(self) -> int | None:
        """How long the body is, where its head tells."""
        declared = self.request.headers.get("content-length")
        return None if declared is None else int(declared)

    async def read(self, limit_bytes: int = limits.BODY_BYTES) -> bytes:
        """The whole body, as soon as it is there. Raises what it was refused with, at once."""
        self.wanted = True
        self.limit_bytes = limit_bytes
        if self.body_bytes > limit_bytes:
            self.refuse(body_too_large(limit_bytes))
        while self._error is None and not self.complete:
            await self._change()
        return self.body()

    async def next_pieces(self) -> list[bytes]:
        """What has come in since the last time, as soon as there is something; nothing at the end. Raises what it was refused with."""
        while not self._pieces and self._error is None and not self.complete:
            await self._change()
        if self._error is not None:
            raise self._error
        pieces, self._pieces = self._pieces, []
        self.body_bytes = 0
        return pieces

    def body(self) -> bytes:
        """The body of a request that is complete. Raises what it was refused with."""
        if self._error is not None:
            raise self._error
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def forget_body(self) -> None:
        """It has served: whatever becomes of the answer, and of the connection, it isn't kept for that."""
        self._pieces.clear()
        self.request.body = b""
        self.held = None

    async def skip(self) -> None:
        """Wait until the client has sent all."""
        while not self.complete:
            await self._change()

    async def _change(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class RequestParser:
    """Makes requests of the bytes of one connection. The ``on_…`` methods are what httptools calls."""

    def __init__(self, peer: Peer | None, address: str = "", lines: RequestLines | None = None) -> None:
        """``peer`` and ``address`` are the client's; ``lines`` are what all connections of a server know."""
        self.refusal: StatusError | None = None
        """What is wrong with what the client sends, if that belongs to no request that has arrived."""
        self.rest: bytes | None = None
        """What follows a request for another protocol, as soon as there has been one."""
        self.work = 0
        """How many pieces of bodies, and requests, `feed` has found the last time."""
        self._over = False
        self._last = False
        self._begun = False
        """Whether a request has begun of which not all is there yet."""
        self._known_heads = KnownHeads(lines or RequestLines())
        self._peer = peer
        self._address = address
        self._pieces: list[bytes] = []
        """Parts of the body since `feed` was called: a client may send it byte by byte, so all that came together is passed on in one
        piece."""
        self.on_body = self._pieces.append
        self._parser = httptools.HttpRequestParser(self)
        self._arrived: list[Incoming] = []
        self._current: Incoming | None = None
        """The request whose body is coming in."""
        self._target = b""
        self._names: list[bytes] = []
        self._values: list[bytes] = []
        self._fruitless_bytes = 0
        """That have come in since the last header, or piece of a body: a part of something that has to be kept until it is whole."""

    def feed(self, data: bytes) -> list[Incoming]:
        """The requests whose header has become whole with these bytes. Those after a refusal, or after the last request, are ignored."""
        if self._over:
            return []
        begun = self._begun
        if not begun and (recognized := self._known_heads.recognize(data)) is not None:
            self.work = 1
            return [self._known(recognized)]
        arrived: list[Incoming] = []
        self._arrived = arrived
        self._fruitless_bytes += len(data)
        self.work = 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._over = True
            self.rest = data[upgrade.args[0] :]
        except httptools.HttpParserCallbackError as error:
            if not isinstance(error.__context__, StatusError):
                raise
            self._refuse(error.__context__)
        except httptools.HttpParserError as error:
            if not self._over:
                what = "the request is not HTTP as we know it" if self._current is None else "the request's body can't be read"
                self._refuse(bad_request(f"{what}: {error}"))
        else:
            self._take_pieces()
            if self._fruitless_bytes > limits.HEADER_BYTES:
                self._refuse(_header_too_large())
        self._pieces.clear()
        self.work += len(arrived)
        if len(arrived) == 1 and not begun and not self._begun:  # else what these bytes begin with may be another request's
            self._known_heads.keep(data, arrived[0].request)
        return arrived

    def _known(self, recognized: Recognized) -> Incoming:
        """A request that only asks for something else than one before."""
        line, headers, sender, body = recognized
        request = Request(line.method, line.path, line.query, headers, peer=self._peer, address=self._address, sender=sender)
        incoming = Incoming(request, chunks=True, keep_alive=True, upgrade=False)
        if body:
            incoming.add(body)
        incoming.complete = True
        return incoming

    def _take_pieces(self) -> None:
        """Give what has come of the body to its request."""
        if not self._pieces:
            return
        self._fruitless_bytes = 0
        self.work += len(self._pieces)
        if self._current is not None:
            self._current.add(self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces))
        self._pieces.clear()

    def end(self) -> None:
        """Nothing more will come. What refers to itself here is taken apart, so that it is freed at once."""
        self._over = True
        del self._parser, self.on_body
        if self._current is not None:
            self._current.refuse(ConnectionResetError())
            self._current.end()

    def _refuse(self, error: StatusError) -> None:
        self._over = True
        if self._current is None:
            self.refusal = error
        else:
            self._current.refuse(error)
            self._current.end()

    def on_message_begin(self) -> None:
        self._begun = True
        self._target = b""
        self._names = []
        self._values = []

    def on_url(self, piece: bytes) -> None:
        """The target, or a part of it."""
        self._target += piece

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field. One that follows the body is none: it could say who asks, after that was decided."""
        if self._current is None:
            self._names.append(name)
            self._values.append(value)

    def on_headers_complete(self) -> None:
        parser, raw_names, raw_values = self._parser, self._names, self._values
        if len(raw_names) > limits.HEADER_FIELDS:
            raise StatusError(431, "", f"the request has more than {limits.HEADER_FIELDS} header lines")
        if self._fruitless_bytes > limits.HEADER_BYTES and _size_bytes(raw_names) + _size_bytes(raw_values) > limits.HEADER_BYTES:
            raise _header_too_large()
        version = parser.get_http_version()
        if version not in _VERSIONS:
            raise StatusError(505, "", f"version {version} of HTTP is not spoken here")
        names, values = _decoded(raw_names, raw_values)
        headers = dict(zip(names, values, strict=True))
        repeated = {} if len(headers) == len(names) else _join_repeated(headers, names, values)
        if repeated or "transfer-encoding" in headers or "host" not in headers:
            _check_framing(headers, repeated, version)
        upgrade = parser.should_upgrade()
        if upgrade and version == "1.0":
            headers.pop("upgrade", None)  # which HTTP/1.0 doesn't have: it is asked, and answered, as if it weren't there
        elif upgrade:
            if "transfer-encoding" in headers or headers.get("content-length", "0").strip("0"):
                raise bad_request("a request to change the protocol can't have a body")
            take_bearer(headers)
        method = parser.get_method().decode()
        path, query = _path_and_query(method, self._target.decode("ascii", "replace"))
        if len(path) > limits.PATH_CHARS:
            raise StatusError(414, "", f"the request's path has more than {limits.PATH_CHARS} characters")
        if query.count("&") >= limits.QUERY_PARAMETERS:
            raise bad_request(f"the request has more than {limits.QUERY_PARAMETERS} query parameters")
        request = Request(method, path, query, headers, peer=self._peer, repeated=repeated, address=self._address)
        request.sender = self._known_heads.meet(request)
        incoming = Incoming(request, chunks=version == "1.1", keep_alive=parser.should_keep_alive(), upgrade=upgrade)
        self._arrived.append(incoming)
        self._current = incoming
        self._last = not incoming.keep_alive
        self._fruitless_bytes = 0

    def on_message_complete(self) -> None:
        self._begun = False
        self._take_pieces()
        self._fruitless_bytes = 0
        if self._current is not None:
            self._current.end()
            self._current = None
        self._over = self._last


def _size_bytes(pieces: list[bytes]) -> int:
    """With the colon, the space, or the line end behind each."""
    return sum(map(len, pieces)) + 2 * len(pieces)


def _decoded(names: list[bytes], values: list[bytes]) -> tuple[list[str], list[str]]:
    """All at once, which costs much less than one by one; none of them has a line end in it."""
    if not names:
        return [], []
    lines = b"\n".join(values).decode("utf-8", "surrogateescape").split("\n")
    return b"\n".join(names).lower().decode("ascii").split("\n"), [line.strip(" \t") for line in lines]


def _join_repeated(headers: dict[str, str], names: list[str], values: list[str]) -> dict[str, tuple[str, ...]]:
    """The values of those that came more than once; in ``headers`` they are joined."""
    several: dict[str, list[str]] = {}
    for name, value in zip(names, values, strict=True):
        several.setdefault(name, []).append(value)
    repeated = {name: tuple(found) for name, found in several.items() if len(found) > 1}
    headers.update((name, ", ".join(found)) for name, found in repeated.items())
    return repeated


def _check_framing(headers: dict[str, str], repeated: dict[str, tuple[str, ...]], version: str) -> None:
    """Raise 400 for what others could take for another request than we do."""
    if "host" in repeated or ("host" not in headers and version == "1.1"):
        raise bad_request("a request names one host")
    if "transfer-encoding" in headers and (headers["transfer-encoding"].lower() != "chunked" or version != "1.1"):
        raise bad_request("the only transfer encoding is chunked, in HTTP/1.1")


def _path_and_query(method: str, target: str) -> tuple[str, str]:
    """The path and the query of a target in any of its four forms: a path, ``*``, a whole URL, or a host to connect to."""
    if target[:1] != "/":
        if target == "*" and method != "OPTIONS":
            raise bad_request("only OPTIONS can be asked of *")
        if method == "CONNECT":
            target = "/"
        elif target != "*":
            after_host = target.partition("://")[2]
            start = next((index for index, character in enumerate(after_host) if character in "/?"), len(after_host))
            target = after_host[start:] if after_host[start : start + 1] == "/" else "/" + after_host[start:]
    path, _, query = target.partition("?")
    return path, query


def _header_too_large() -> StatusError:
    return StatusError(431, "", f"the request's header lines are larger than {limits.HEADER_BYTES} bytes")
