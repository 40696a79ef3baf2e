"""What is a request and what isn't: above all where two readers could disagree about where one request ends and the next begins."""

import weakref
import zlib

import pytest

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.server.http.compression import decompressed
from svcsim.server.http.parsing import Incoming, RequestParser

GET = b"GET /a HTTP/1.1\r\nhost: x\r\n"
POST = b"POST /a HTTP/1.1\r\nhost: x\r\n"
CHUNKED = POST + b"transfer-encoding: chunked\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\nhost: x\r\n\r\n"


def parsed(data: bytes, step: int) -> tuple[list[Incoming], RequestParser]:
    """All requests of a connection that sends this, so many bytes at a time."""
    parser = RequestParser(None)
    return [incoming for at in range(0, len(data), step) for incoming in parser.feed(data[at : at + step])], parser


async def outcomes(data: bytes, step: int) -> list[object]:
    """For each request in turn its target and body, or the code it is refused with; at the end whether the connection is refused."""
    incoming, parser = parsed(data, step)
    seen: list[object] = []
    for one in incoming:
        if not one.complete and not one.refused:
            seen.append((one.request.path, None))
            continue
        try:
            seen.append((one.request.path, await one.read()))
        except StatusError as error:
            seen.append(error.code)
    if parser.refusal is not None:
        seen.append(parser.refusal.code)
    return seen


STEPS = pytest.mark.parametrize("step", [10_000, 7, 1])


@STEPS
@pytest.mark.parametrize(
    "data",
    [
        POST + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: identity\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\ntransfer-encoding: cow\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        b"POST /a HTTP/1.0\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"content-length: 2\r\ncontent-length: 2\r\n\r\nab",
        POST + b"content-length: 2\r\ncontent-length: 3\r\n\r\nabc",
        POST + b"content-length: 2, 2\r\n\r\nab",
        POST + b"content-length: +2\r\n\r\nab",
        POST + b"content-length: -2\r\n\r\nab",
        POST + b"content-length: 0x2\r\n\r\nab",
        POST + b"content-length: 1_0\r\n\r\n0123456789",
        POST + b"content-length: 1 2\r\n\r\nab",
        POST + b"content-length: 99999999999999999999999\r\n\r\nab",
        POST + b"content-length:\r\n\r\n",
        POST + b"content-length : 2\r\n\r\nab",
        GET + b"x: 1\r\n 2\r\n\r\n",
        b"GET /a HTTP/1.1\r\n x: 1\r\nhost: x\r\n\r\n",
        b"GET /a HTTP/1.1\nhost: x\n\n",
        GET + b"x: 1\ny: 2\r\n\r\n",
        GET + b"x: 1\ry: 2\r\n\r\n",
        GET + b"x: a\x00b\r\n\r\n",
        GET + b"x: a\x01b\r\n\r\n",
        GET + b"x\x00: a\r\n\r\n",
        GET + b"x(a): a\r\n\r\n",
        GET + b": a\r\n\r\n",
        GET + b"nothing\r\n\r\n",
        GET + b"host: y\r\n\r\n",
        b"GET /a HTTP/1.1\r\n\r\n",
        b"GET a HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /\xc3\xa4 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /\x01 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET * HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /a HTTP/1.2\r\nhost: x\r\n\r\n",
        b"get /a HTTP/1.1\r\nhost: x\r\n\r\n",
        b"BREW /a HTTP/1.1\r\nhost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        GET + b"connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 3\r\n\r\nabc",
        GET + b"connection: upgrade\r\nupgrade: websocket\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
async def test_what_others_could_read_differently_is_refused_with_all_that_follows(data: bytes, step: int):
    assert await outcomes(data + NEXT, step) == [400]


@STEPS
@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\nabc\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"-3\r\nabc\r\n0\r\n\r\n",
        b"3 \r\nabc\r\n0\r\n\r\n",
        b"fffffffffffffffff\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b"3\nabc\r\n0\r\n\r\n",
        b"3\r\nabc\n0\r\n\r\n",
        b"3;\nx\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabc\r\n0\r\nnothing\r\n\r\n",
        b"3\r\nabc\r\n0\r\nx : y\r\n\r\n",
        b"3\r\nabc\r\n0\r\ncontent-length: 5\r\n\r\n",
    ],
)
async def test_a_body_in_broken_chunks_is_its_requests_end_and_the_connections(body: bytes, step: int):
    assert await outcomes(NEXT + CHUNKED + body + NEXT, step) == [("/next", b""), 400]


@STEPS
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (GET + b"\r\n", ("/a", b"")),
        (b"\r\n\r\n" + GET + b"\r\n", ("/a", b"")),
        (POST + b"content-length: 3\r\n\r\nabc", ("/a", b"abc")),
        (GET + b"content-length: 3\r\n\r\nabc", ("/a", b"abc")),
        (CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", ("/a", b"abcde")),
        (POST + b"Transfer-Encoding: Chunked\r\n\r\n3;name=value\r\nabc\r\n0\r\n\r\n", ("/a", b"abc")),
        (CHUNKED + b"0\r\n\r\n", ("/a", b"")),
        (b"GET http://y/a?b HTTP/1.1\r\nhost: x\r\n\r\n", ("/a", b"")),
        (b"GET http://y HTTP/1.1\r\nhost: x\r\n\r\n", ("/", b"")),
        (b"GET http://y?b HTTP/1.1\r\nhost: x\r\n\r\n", ("/", b"")),
        (b"GET //y/a HTTP/1.1\r\nhost: x\r\n\r\n", ("//y/a", b"")),
        (b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", ("*", b"")),
    ],
)
async def test_what_is_good_is_read_and_the_next_request_begins_behind_it(data: bytes, expected: tuple[str, bytes], step: int):
    assert await outcomes(data + NEXT, step) == [expected, ("/next", b"")]


@STEPS
async def test_what_follows_a_body_in_chunks_is_no_header_of_anything(step: int):
    trailers = b"authorization: Bearer admins\r\nhost: y\r\nx: y\r\n"
    incoming, parser = parsed(2 * (CHUNKED + b"3\r\nabc\r\n0\r\n" + trailers + b"\r\n") + NEXT, step)
    assert parser.refusal is None
    assert [one.request.path for one in incoming] == ["/a", "/a", "/next"]
    assert [one.request.headers for one in incoming] == [{"host": "x", "transfer-encoding": "chunked"}] * 2 + [{"host": "x"}]


@STEPS
async def test_what_follows_the_last_request_is_ignored(step: int):
    assert await outcomes(POST + b"connection: close\r\ncontent-length: 2\r\n\r\nab" + NEXT, step) == [("/a", b"ab")]
    assert await outcomes(b"GET /old HTTP/1.0\r\n\r\n" + NEXT, step) == [("/old", b"")]


@STEPS
async def test_a_good_request_before_a_bad_one_is_answered(step: int):
    assert await outcomes(NEXT + b"NONSENSE\r\n\r\n" + NEXT, step) == [("/next", b""), 400]


@STEPS
@pytest.mark.parametrize("version", [b"0.9", b"2.0"])
async def test_other_versions_are_505(version: bytes, step: int):
    assert await outcomes(b"GET /a HTTP/" + version + b"\r\nhost: x\r\n\r\n", step) == [505]


@STEPS
@pytest.mark.parametrize("method", [b"GET", b"CONNECT"])
async def test_behind_a_request_for_another_protocol_is_no_http(method: bytes, step: int):
    target = b"y:443" if method == b"CONNECT" else b"/a"
    data = method + b" " + target + b" HTTP/1.1\r\nhost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n"
    incoming, parser = parsed(data, step)
    assert [(one.request.path, one.upgrade) for one in incoming] == [("/" if method == b"CONNECT" else "/a", True)]
    assert parser.rest == b""
    assert parser.feed(NEXT) == [], "it is whoever speaks the other protocol that reads on"
    incoming, parser = parsed(data + NEXT, 10_000)
    assert (len(incoming), parser.rest) == (1, NEXT)


@STEPS
async def test_headers_are_read_as_they_are_meant(step: int):
    data = GET + b"X-Padded: \t a b \t \r\nEmpty:\r\nBlank: \r\nUtf: \xc3\xa4\r\nLatin: \xe4\r\n\r\n"
    incoming, _ = parsed(data, step)
    assert incoming[0].request.headers == {"host": "x", "x-padded": "a b", "empty": "", "blank": "", "utf": "ä", "latin": "\udce4"}


@pytest.mark.parametrize("step", [100_000, 5_000_000])
async def test_headers_have_limits(step: int):
    almost = b"x: " + b"x" * (limits.HEADER_BYTES - 100) + b"\r\n"
    assert await outcomes(GET + almost + b"\r\n" + NEXT, step) == [("/a", b""), ("/next", b"")]
    assert await outcomes(GET + almost + b"y: " + b"y" * 200 + b"\r\n\r\n" + NEXT, step) == [431]
    assert await outcomes(GET + almost + almost, step) == [431], "also one that never becomes whole"
    assert await outcomes(GET + b"a:\r\n" * limits.HEADER_FIELDS + b"\r\n", step) == [431]
    assert await outcomes(CHUNKED + b"0\r\n" + almost + almost, 100_000) == [431], "also what follows a body"
    assert await outcomes(b"\r\n" * limits.HEADER_BYTES, step) == [431]


@pytest.mark.parametrize("step", [100_000, 5_000_000])
async def test_of_a_body_over_the_limit_nothing_is_kept(step: int):
    size = limits.BODY_BYTES + 1
    for data in (POST + b"content-length: %d\r\n\r\n%b" % (size, b" " * size), CHUNKED + b"%x\r\n%b" % (size, b" " * size)):
        incoming, parser = parsed(data, step)
        assert (incoming[0].refused, incoming[0].body_bytes, parser.refusal) == (True, 0, None)
        with pytest.raises(StatusError) as refused:
            await incoming[0].read()
        assert refused.value.code == 413


async def test_a_client_that_goes_in_the_middle_leaves_a_broken_body():
    incoming, parser = parsed(POST + b"content-length: 3\r\n\r\nab", 10_000)
    parser.end()
    with pytest.raises(ConnectionResetError):
        await incoming[0].read()
    await incoming[0].skip()


def test_packed_bodies_are_unpacked():
    body = b'{"metadata": {}}' * 10
    gzip, bare = zlib.compressobj(wbits=31), zlib.compressobj(wbits=-15)
    assert decompressed(gzip.compress(body) + gzip.flush(), "GZip") == body
    assert decompressed(zlib.compress(body), "deflate") == body
    assert decompressed(bare.compress(body) + bare.flush(), "deflate") == body
    assert decompressed(body, "identity") == body


@pytest.mark.parametrize(
    ("body", "coding", "code"),
    [
        (b"abcd", "gzip", 400),
        (b"\x1f\x8b\x08\x00", "gzip", 400),
        (zlib.compress(b"abc", wbits=31)[:-1], "gzip", 400),
        (zlib.compress(b"abc", wbits=31) + b"abc", "gzip", 400),
        (zlib.compress(b" " * (limits.BODY_BYTES + 1), wbits=31), "gzip", 413),
        (b"abcd", "br", 415),
        (b"abcd", "gzip, gzip", 415),
    ],
)
def test_packed_bodies_that_cannot_be_unpacked_are_refused(body: bytes, coding: str, code: int):
    with pytest.raises(StatusError) as refused:
        decompressed(body, coding)
    assert refused.value.code == code


def test_what_a_connection_was_read_with_is_freed_as_soon_as_it_ends():
    parser = RequestParser(None)
    assert [incoming.request.path for incoming in parser.feed(NEXT)] == ["/next"]
    there = weakref.ref(parser)
    parser.end()
    assert parser.feed(NEXT) == []
    del parser
    assert there() is None
