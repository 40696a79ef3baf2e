"""Requests with the header lines of the one before: they are what the parser would make of them, and known to be of the same sender."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim import limits
from svcsim.server.http.known_heads import RequestLines
from svcsim.server.http.parsing import Incoming, RequestParser

JANE = b"host: x\r\nauthorization: Bearer jane\r\n"
JOE = b"host: x\r\nauthorization: Bearer joe\r\n"


def get(headers: bytes = JANE, target: bytes = b"/a") -> bytes:
    return b"GET " + target + b" HTTP/1.1\r\n" + headers + b"\r\n"


def post(headers: bytes = JANE, body: bytes = b"ab") -> bytes:
    return b"POST /a HTTP/1.1\r\n%bcontent-length: %d\r\n\r\n%b" % (headers, len(body), body)


class Seen(NamedTuple):
    """What a connection makes of a request."""

    method: str
    path: str
    query: str
    body: bytes
    headers: dict[str, str]
    repeated: dict[str, tuple[str, ...]]
    complete: bool
    chunks: bool
    keep_alive: bool
    upgrade: bool


def seen(incoming: Incoming) -> Seen:
    request = incoming.request
    line = (request.method, request.path, request.query, incoming.body() if incoming.complete and not incoming.refused else b"")
    return Seen(*line, request.headers, request.repeated, incoming.complete, incoming.chunks, incoming.keep_alive, incoming.upgrade)


def read(parser: RequestParser, *pieces: bytes) -> list[Incoming]:
    return [incoming for piece in pieces for incoming in parser.feed(piece)]


def senders(*pieces: bytes) -> list[int]:
    """Which sender each request is of, by who came first."""
    found = [incoming.request.sender for incoming in read(RequestParser(None), *pieces)]
    return [found.index(sender) for sender in found]


TARGETS = st.sampled_from(
    [b"/a", b"/a?b=c&d", b"/a?", b"/a?b=%20", b"/%61", b"//a", b"/a?b#c", b"*", b"http://y/a", b"/a\xff", b"/" + b"a" * 600, b"/a b", b"a"]
)
HEADERS = st.sampled_from(
    [
        *(
            JANE,
            JOE,
            b"authorization: Bearer jane\r\nhost: x\r\n",
            b"host: x\r\n",
            JANE + b"accept: */*\r\n",
            JANE + b"x: 1\r\nx: 2\r\n",
            JANE + b"x: 1, 2\r\n",
            b"Host: x\r\n",
            b"",
        ),
        *(JANE + b"connection: close\r\n", JANE + b"connection: keep-alive\r\n", JANE + b"content-length: 0\r\n"),
        *(
            JANE + b"transfer-encoding: chunked\r\n",
            JANE + b"connection: upgrade\r\nupgrade: websocket\r\n",
            JANE + b"expect: 100-continue\r\n",
        ),
        JANE + b"x:  spaced \r\n",
    ]
)
METHODS = st.sampled_from([b"GET", b"GET", b"GET", b"HEAD", b"DELETE", b"get", b"POST"])
VERSIONS = st.sampled_from([b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0"])


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    line = b" ".join([draw(METHODS), draw(TARGETS), draw(VERSIONS)])
    return line + b"\r\n" + draw(HEADERS) + b"\r\n" + draw(st.sampled_from([b"", b"", b"", b"ab", b"abc", b"0\r\n\r\n", b"\r\n"]))


CONNECTIONS = st.lists(requests(), min_size=1, max_size=3).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=8))
"""What somebody sends who says much of it again."""


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places})
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]


def held(sent: list[bytes], pieces: list[bytes]) -> None:
    """Byte by byte nothing is ever recognized, so that the parser alone decides; and one sender says one thing."""
    parser, bytewise = RequestParser(None), RequestParser(None)
    found = read(parser, *pieces)
    assert list(map(seen, found)) == list(map(seen, read(bytewise, *[bytes([byte]) for byte in b"".join(sent)])))
    assert (parser.refusal is None) == (bytewise.refusal is None)
    said: dict[int, dict[str, str]] = {}
    for one in found:
        assert said.setdefault(id(one.request.sender), told(one)) == told(one)
        assert not one.request.repeated or [other.request.sender for other in found].count(one.request.sender) == 1


@given(CONNECTIONS)
def test_what_is_recognized_is_what_the_parser_makes_of_it(sent: list[bytes]) -> None:
    held(sent, sent)


@given(CONNECTIONS, st.lists(st.integers(0, 1_000), max_size=6))
def test_wherever_the_bytes_are_cut(sent: list[bytes], places: list[int]) -> None:
    held(sent, cut(b"".join(sent), places))


NOBODY, BOTH, LAST = b"host: x\r\n", JANE + b"x: 1\r\n", b"authorization: Bearer jane\r\nhost: x\r\n"


@pytest.mark.parametrize(
    "first", [get(JANE), get(BOTH), get(LAST), post(LAST), post(JANE, get(JOE)), post(JOE, b"x\r\n" + NOBODY + b"\r\n") + get(JANE)]
)
@pytest.mark.parametrize("then", [get(NOBODY), post(NOBODY), get(JOE), post(JOE), get(b"x: 1\r\n" + NOBODY)])
def test_whoever_comes_after_a_request_in_pieces_is_nobody_else(first: bytes, then: bytes) -> None:
    """Wherever it was cut: neither its end nor that of a body before it says anything of who asks next."""
    for place in range(len(first)):
        parser = RequestParser(None)
        before = read(parser, first[:place], first[place:])
        (after,) = parser.feed(then)
        assert seen(after) == seen(read(RequestParser(None), then)[0]), place
        for one in before:
            assert after.request.sender is not one.request.sender or told(one) == told(after), place


def told(incoming: Incoming) -> dict[str, str]:
    """All that a request says of its sender."""
    return {name: value for name, value in incoming.request.headers.items() if name != "content-length"}


@pytest.mark.parametrize("before", [b"\r\n", b"\r\n\r\n", b"\n"])
def test_line_ends_before_a_request_are_none_of_its_own(before: bytes) -> None:
    parser = RequestParser(None)
    read(parser, before + get())
    doubled = b"GET /b HTTP/1.1\r\n" + get()
    assert [incoming.request.path for incoming in parser.feed(doubled)] == []
    assert parser.refusal is not None


def test_a_request_is_recognized_by_its_header_lines_whatever_it_asks_for() -> None:
    first, second = read(RequestParser(None), get(), get(target=b"/b?c=d"))
    assert seen(second) == seen(first)._replace(path="/b", query="c=d")
    assert second.request.headers is first.request.headers


def test_so_is_one_with_a_body_of_another_length() -> None:
    first, second, third = read(RequestParser(None), post(), post(body=b"x" * 1_000), post(body=b""))
    assert (first.body(), second.body(), third.body()) == (b"ab", b"x" * 1_000, b"")
    assert [one.request.headers["content-length"] for one in (first, second, third)] == ["2", "1000", "0"]
    assert second.request.sender is first.request.sender


@pytest.mark.parametrize("cut", [1, 2, 10])
def test_a_body_that_is_not_there_yet_is_waited_for(cut: int) -> None:
    parser = RequestParser(None)
    (_, second) = read(parser, post(body=b"x" * 100), post(body=b"y" * 100)[:-cut])
    assert not second.complete
    assert parser.feed(b"y" * cut + get()) != []
    assert second.body() == b"y" * 100


@pytest.mark.parametrize("between", [get()[:20], post()[:-1]])
def test_nothing_is_recognized_within_another_request(between: bytes) -> None:
    parser = RequestParser(None)
    read(parser, get(), between)
    assert [incoming.request.path for incoming in parser.feed(get(target=b"/b"))] != ["/b"]


def test_header_lines_that_are_long_are_left_to_the_parser() -> None:
    long = JANE + b"x: " + b"y" * limits.KNOWN_HEAD_BYTES + b"\r\n"
    first, second = read(RequestParser(None), get(long), get(long))
    assert seen(first) == seen(second)
    assert first.request.headers is not second.request.headers


def test_request_lines_are_remembered_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_LINES", 3)
    lines = RequestLines()
    for number in range(10):
        line = b"GET /%d HTTP/1.1" % number
        assert lines.read(line) == ("GET", f"/{number}", "")
        assert len(lines._known) <= 3
    assert lines.read(b"GET /9 HTTP/1.1") is lines.read(b"GET /9 HTTP/1.1")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((get(), get(), get(target=b"/b")), [0, 0, 0]),
        ((get(), post(), post(body=b"abc"), get()), [0, 0, 0, 0]),
        ((get() + get(),), [0, 0]),
        ((get(), get(JOE), get()), [0, 1, 0]),
        (
            (get(), *(get(JANE + b"x: %d\r\n" % number) for number in range(limits.KNOWN_HEADS)), get()),
            list(range(6)),
        ),
        ((get(), get(JANE + b"impersonate-user: joe\r\n"), get()), [0, 1, 0]),
        ((post(), post(JOE), post(JOE)), [0, 1, 1]),
        ((get(b"host: x\r\n"), get(b"host: x\r\n")), [0, 0]),
        ((get(JANE + b"x: 1\r\nx: 2\r\n"), get(JANE + b"x: 1\r\nx: 2\r\n")), [0, 1]),
        ((get(JANE + b"x: 1, 2\r\n"), get(JANE + b"x: 1\r\nx: 2\r\n"), get(JANE + b"x: 1, 2\r\n")), [0, 1, 0]),
    ],
)
def test_one_sender_is_whoever_says_the_same_in_all_headers(pieces: tuple[bytes, ...], expected: list[int]) -> None:
    """All but how long the body is. A header that comes twice may mean something else than one with both values."""
    assert senders(*pieces) == expected


def test_connections_share_no_sender() -> None:
    lines = RequestLines()
    (one,), (other,) = (read(RequestParser(None, lines=lines), get()) for _ in range(2))
    assert one.request.sender is not other.request.sender
