"""Requests that come with the same header lines as the one before on their connection, which is nearly all of a client's.

A client says with every request who it is and what it takes, in the same words each time. So a connection keeps the header lines of its
last request, and knows another with the same by comparing bytes, without a parser and without making anything of them anew. What this
recognizes is less than what is HTTP: a GET without a body, whose target needs no thought, all of it in one piece. Everything else is left
to the parser, which alone decides what is a request.
"""

import re
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.http import Asker, Request

_LINE_END = b"\r\n"
_HEADER_END = b"\r\n\r\n"
_LINE = re.compile(rb"GET (/[A-Za-z0-9._~/:-]*)(?:\?([A-Za-z0-9._~/:=&%,-]*))? HTTP/1\.1")
_ABOUT_THE_BODY = "content-length"
_OF_ONE_REQUEST = ("transfer-encoding", "upgrade", "connection", "expect", _ABOUT_THE_BODY)
"""Headers that say something of the one request they stand in: where such a one stands, the parser has to see it."""


class Line(NamedTuple):
    """What a request is for."""

    path: str
    query: str


class RequestLines:
    """The lines of requests that are recognized. Clients ask the same again and again, so some are remembered, for all connections."""

    def __init__(self) -> None:
        self._known: dict[bytes, Line] = {}

    def read(self, line: bytes) -> Line | None:
        """None for one that the parser has to see."""
        known = self._known.get(line)
        if known is None and len(line) <= limits.REQUEST_LINE_CHARS and (found := _LINE.fullmatch(line)) is not None:
            known = Line(found[1].decode(), (found[2] or b"").decode())
            if len(self._known) >= limits.REQUEST_LINES:
                self._known.clear()
            self._known[line] = known
        return known


class Familiar:
    """What one connection's last request was like."""

    __slots__ = ("_headers", "_lines", "_raw", "asker")

    def __init__(self, lines: RequestLines) -> None:
        self._lines = lines
        self._headers: dict[str, str] = {}
        """Without the length of the body."""
        self._raw = b""
        """The header lines as they came, from the end of the request line on; empty where they were another's besides, or are long."""
        self.asker = Asker()

    @property
    def headers(self) -> dict[str, str]:
        """Those of every request that `line_of` recognizes. They are shared by them: nobody changes a request's headers."""
        return self._headers

    def line_of(self, data: bytes) -> Line | None:
        """What is asked for, if these bytes are a whole request with the header lines of the last one."""
        raw = self._raw
        return self._lines.read(data[: -len(raw)]) if raw and data.endswith(raw) else None

    def meet(self, request: Request) -> Asker:
        """Who makes this request: the last one's asker, if all that its headers say is what those said."""
        headers = request.headers
        if request.repeated:
            self._headers, self._raw, self.asker = {}, b"", Asker()
            return Asker()
        if _ABOUT_THE_BODY in headers:
            headers = dict(headers)
            del headers[_ABOUT_THE_BODY]
        if headers != self._headers:
            self._headers, self._raw, self.asker = headers, b"", Asker()
        return self.asker

    def keep(self, data: bytes, request: Request) -> None:
        """Remember how the header lines of a request looked, which was met last and is all there is in these bytes."""
        if self._raw or request.repeated or any(name in request.headers for name in _OF_ONE_REQUEST):
            return
        if len(data) <= limits.FAMILIAR_HEAD_BYTES and data.endswith(_HEADER_END) and data.count(_HEADER_END) == 1:
            self._raw = data[data.index(_LINE_END) :]
