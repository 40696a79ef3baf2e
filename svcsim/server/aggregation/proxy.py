"""Requests that an aggregated server answers: passed on as they came, with the user in headers that the server can trust.

The user has been authenticated and authorized here; their credentials stay here. The other server knows by the certificate of the front
proxy that the headers are this server's. Its answer is passed back as it comes, watches too; only a redirect is not.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from urllib.parse import quote, urlsplit

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.meta.http import BODILESS, Request, Response
from svcsim.meta.types import User
from svcsim.outbound.exchange import SWITCHING
from svcsim.outbound.outbound import Answering, Outbound, Switched
from svcsim.outbound.remote import OutboundError, Remote
from svcsim.server.aggregation.remotes import FrontProxy, RemoteVersion
from svcsim.server.plain.plain_paths import TEXT
from svcsim.server.proxying.hop import forwarded_for, named_in_connection, of_one_hop

_OURS = ("host", "content-length", "authorization", "accept-encoding", "expect")
"""What is between the client and this server: it has taken in what the body begins with, and packs answers itself."""
_OF_BROWSERS = (
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
)
"""Headers of an answer that say which web pages may read it: this server decides that."""
_WHO = ("x-remote-user", "x-remote-uid", "x-remote-group")
_EXTRA = "x-remote-extra-"
_UNAVAILABLE = "service unavailable"
_REDIRECTED = "the backend attempted to redirect this request, which is not permitted"

_LOG = logging.getLogger("svcsim.aggregation")


class Proxy:
    """Passes requests on."""

    def __init__(self, outbound: Outbound, front_proxy: FrontProxy) -> None:
        self._outbound = outbound
        self._names_before = front_proxy.names_before
        self._prefixes_before = front_proxy.prefixes_before

    async def answer(self, version: RemoteVersion, request: Request, user: User) -> Response:
        """What the other server answers; 503 where there is none."""
        if not version.available:
            return _text(503, _UNAVAILABLE)
        stack = AsyncExitStack()
        try:
            asked = forwarded(passed_on(request, user, self._names_before, self._prefixes_before), request, version.remote)
            stream = self._outbound.stream(version.remote, asked, deadline_s=limits.REQUEST_S)
            answering = await stack.enter_async_context(stream)
        except OutboundError as error:
            _LOG.warning("%s: %s", version.remote.name, error)
            return _text(503, f"{_UNAVAILABLE}: {error}")
        if answering.status == SWITCHING:
            tunnel = Switched(answering.exchange, stack.aclose)
            headers = {_title(name): value for name, value in answering.headers.items()}
            return Response(SWITCHING, headers=headers, tunnel=tunnel, cookies=answering.exchange.cookies)
        if 300 <= answering.status < 400 and "location" in answering.headers:
            await stack.aclose()
            return _text(502, _REDIRECTED)
        body = _body(answering, stack)
        await anext(body)  # from here on the connection is given back, whatever becomes of the answer
        if answering.bodiless:
            await anext(body, None)  # to its end, which is here
        of_body = ("content-type", "content-length") if answering.status in BODILESS else ("content-type",)
        dropped = {*of_one_hop(answering.headers), *_OF_BROWSERS, *of_body}
        headers = {_title(name): value for name, value in answering.headers.items() if name not in dropped}
        content_type = answering.headers.get("content-type", "")
        return Response(answering.status, b"", content_type, headers, body, cookies=answering.exchange.cookies)


async def _body(answering: Answering, stack: AsyncExitStack) -> AsyncGenerator[bytes, None]:
    """An empty piece, and then the body."""
    async with stack:
        yield b""
        async with aclosing(answering.pieces()) as pieces:
            try:
                async for piece in pieces:
                    yield piece
            except (OutboundError, StatusError) as error:
                raise ConnectionResetError(f"the answer broke off: {error}") from error


def passed_on(request: Request, user: User, names: tuple[str, ...] = (), prefixes: tuple[str, ...] = ()) -> Request:
    """The request as the other server gets it; without headers of these names, and those that begin so."""
    dropped = {*of_one_hop(request.headers), *_OURS, *_WHO, *names}
    headers = {name: value for name, value in request.headers.items() if name not in dropped and not name.startswith((_EXTRA, *prefixes))}
    if "upgrade" in named_in_connection(request.headers) and "upgrade" in request.headers:
        headers |= {"connection": "Upgrade", "upgrade": request.headers["upgrade"]}
    repeated = {name: values for name, values in request.repeated.items() if name in headers}
    who = {"x-remote-user": (user.name,), "x-remote-uid": (user.uid,) if user.uid else (), "x-remote-group": user.groups}
    who |= {f"{_EXTRA}{quote(key.lower(), safe='')}": tuple(values) for key, values in user.extra.items()}
    for name, values in who.items():
        if values:
            headers[name] = ", ".join(values)
            repeated[name] = values
    return Request(request.method, request.path, request.query, headers, request.body, repeated=repeated, unread=request.unread)


def forwarded(asked: Request, request: Request, remote: Remote) -> Request:
    """The request with what was asked of this server: by whom, at the end of those who have passed it on before, where, and how."""
    if who := forwarded_for(asked.headers, request):
        asked.headers["x-forwarded-for"] = who
    base = urlsplit(remote.base)
    asked.headers |= {"x-forwarded-host": base.netloc, "x-forwarded-proto": base.scheme, "x-forwarded-uri": request.path}
    asked.repeated = {name: values for name, values in asked.repeated.items() if not name.startswith("x-forwarded-")}
    return asked


def _title(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _text(status: int, text: str) -> Response:
    return Response(status, f"{text}\n".encode(), TEXT, {"X-Content-Type-Options": "nosniff"})
