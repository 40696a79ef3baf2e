"""Requests that come with the same header lines as one before on their connection, which is nearly all of a client's.

A client says with every request who it is and what it takes, in the same words each time. So a connection keeps the header lines of its
last requests, and knows another with the same by comparing bytes, without a parser and without making anything of them anew. What this
recognizes is less than what is HTTP: a whole request in one piece, whose target needs no thought, with header lines that the parser has
taken before, to the byte, but for the number in ``Content-Length``. Everything else is left to the parser, which alone decides what is a
request.
"""

import re
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.http import Request, Sender

_LINE_END = b"\r\n"
_HEADER_END = b"\r\n\r\n"
_LINE = re.compile(rb"(GET|POST|PUT|PATCH|DELETE) (/[A-Za-z0-9._~/:-]*)(?:\?([A-Za-z0-9._~/:=&%,-]*))? HTTP/1\.1")
_LENGTH = re.compile(rb"\r\ncontent-length: ?([0-9]+)(?=\r\n)", re.IGNORECASE)
_LENGTH_DIGITS = 7
_LENGTH_NAME = "content-length"
_OF_ONE_REQUEST = ("transfer-encoding", "upgrade", "connection", "expect")
"""Headers that say something of the one request they stand in: where such a one stands, the parser has to see it."""


class Line(NamedTuple):
    """What a request is for."""

    method: str
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
            known = Line(found[1].decode(), found[2].decode(), (found[3] or b"").decode())
            if len(self._known) >= limits.REQUEST_LINES:
                self._known.clear()
            self._known[line] = known
        return known


class _Form:
    """Header lines that have come."""

    __slots__ = ("after", "before", "headers", "sender")

    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers
        """Without the length of the body."""
        self.sender = Sender()
        self.before = b""
        """How they looked, from the end of the request line on, up to the length of the body. Empty where that isn't known."""
        self.after = b""
        """What came behind the length; empty where there was none."""


class Recognized(NamedTuple):
    """A whole request."""

    line: Line
    headers: dict[str, str]
    sender: Sender
    body: bytes


class KnownHeads:
    """What the last requests of one connection were like."""

    __slots__ = ("_forms", "_lines")

    def __init__(self, lines: RequestLines) -> None:
        self._lines = lines
        self._forms: list[_Form] = []
        """The last first."""

    def recognize(self, data: bytes) -> Recognized | None:
        """What these bytes are, if they are a whole request with header lines that have come before.

        Its headers may be other requests' too: nobody changes a request's headers.
        """
        line_end = data.find(_LINE_END)
        for form in self._forms:
            if form.before and data.startswith(form.before, line_end):
                line = self._lines.read(data[:line_end])
                return None if line is None else _whole(data, line_end + len(form.before), form, line)
        return None

    def meet(self, request: Request) -> Sender:
        """Who makes this request: the sender of one before, if all that its headers say is what those said."""
        headers = request.headers
        if request.repeated:
            return Sender()  # joined, its headers may look like others' that mean something else
        if _LENGTH_NAME in headers:
            headers = dict(headers)
            del headers[_LENGTH_NAME]
        return self._form(headers).sender

    def keep(self, data: bytes, request: Request) -> None:
        """Remember how the header lines of a request looked, which was met last and is all there is in these bytes.

        Whatever else they begin with, be it the end of a body, would be taken for what the request says of its sender.
        """
        start, size = data.find(_LINE_END), data.find(_HEADER_END) + len(_HEADER_END)
        line = self._lines.read(data[:start])
        if line is None or line[:2] != (request.method, request.path) or size > limits.KNOWN_HEAD_BYTES:
            return
        if request.repeated or any(name in request.headers for name in _OF_ONE_REQUEST):
            return
        form = self._forms[0]
        lines = data[start:size]
        if _LENGTH_NAME not in request.headers:
            form.before, form.after = lines, b""
        elif (length := _LENGTH.search(lines)) is not None:
            form.before, form.after = lines[: length.start(1)], lines[length.end(1) :]

    def _form(self, headers: dict[str, str]) -> _Form:
        """The one with these headers, which is the last from now on."""
        forms = self._forms
        for place, form in enumerate(forms):
            if form.headers == headers:
                if place:
                    forms.insert(0, forms.pop(place))
                return form
        del forms[limits.KNOWN_HEADS - 1 :]
        forms.insert(0, _Form(headers))
        return forms[0]


def _whole(data: bytes, read: int, form: _Form, line: Line) -> Recognized | None:
    """The request of which so many bytes are known; None where these are not just that."""
    if not form.after:
        return Recognized(line, form.headers, form.sender, b"") if read == len(data) else None
    length_end = data.find(_LINE_END, read, read + _LENGTH_DIGITS + len(_LINE_END))
    length = data[read:length_end]
    start = length_end + len(form.after)
    if not length.isdigit() or not data.startswith(form.after, length_end) or len(data) - start != int(length):
        return None
    return Recognized(line, {**form.headers, _LENGTH_NAME: length.decode()}, form.sender, data[start:])
