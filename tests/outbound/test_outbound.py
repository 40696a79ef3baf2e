"""Calls to servers outside of the process, against real ones over TLS."""

import asyncio
import re
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import quote

import pytest
from aiohttp import web

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.http import Request
from svcsim.outbound.exchange import PIECE_BYTES
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import OutboundError, Remote, ServiceReference, Trust
from svcsim.outbound.services import Services, ready_endpoints
from svcsim.rest import Work
from tests.outbound.tls import Authority, listening

AUTHORITY = Authority()
LONG_S = 20.0


class Cluster:
    """What a cluster knows of its services."""

    def __init__(self, *services, slices=()):
        self.services, self.slices = services, slices

    def get(self, namespace, name):
        meta = {"namespace": namespace, "name": name}
        return next((one for one in self.services if {**one["metadata"], **meta} == one["metadata"]), None)

    async def slices_of(self, namespace, name):
        return list(self.slices)


@asynccontextmanager
async def outbound(cluster=None, work=None):
    cluster = cluster or Cluster()
    out = Outbound(Services(cluster, cluster.slices_of), work or Work())
    try:
        yield out
    finally:
        await out.close()


class Server:
    """A counterpart that remembers who asked what."""

    def __init__(self):
        self.asked, self.peers = [], []
        self.left = asyncio.Event()

    async def handle(self, request):
        self.asked.append(
            (request.method, request.path_qs, {name.lower(): value for name, value in request.headers.items()}, await request.read())
        )
        self.peers.append(request.transport.get_extra_info("peername"))
        return await getattr(self, request.path.strip("/").partition("/")[0] or "echo")(request)

    async def echo(self, request):
        return web.json_response({"method": request.method, "path": request.path_qs})

    async def moved(self, request):
        return web.Response(status=302, headers={"Location": "/echo"})

    async def failing(self, request):
        return web.Response(status=500, text='it can\'t: "b" broke')

    async def status(self, request):
        return web.json_response({"kind": "Status", "status": "Failure", "message": "not you"}, status=403)

    async def refusing(self, request):
        """An error whose status, type and body stand in the path."""
        status, kind, body = request.path.split("/")[2:]
        return web.Response(status=int(status), headers={"Content-Type": kind.replace("+", "/")} if kind else {}, body=body.encode())

    async def text(self, request):
        return web.Response(text="hello")

    async def array(self, request):
        return web.json_response([1])

    async def huge(self, request):
        return web.Response(body=b"x" * 100_000)

    async def never(self, request):
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()

    async def chunks(self, request):
        answer = web.StreamResponse()
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        for piece in (b"one\n", b"two\n"):
            await answer.write(piece)
        return answer

    async def once(self, request):
        answer = web.Response(text="bye")
        answer.force_close()
        return answer


@asynccontextmanager
async def serving(tmp_path, *names, clients=None):
    server = Server()
    async with listening(server.handle, AUTHORITY.server_context(tmp_path, *(names or ("127.0.0.1",)), clients=clients)) as port:
        server.port = port
        server.url = f"https://127.0.0.1:{port}"
        yield server


def remote(server, **given):
    return Remote("test", server.url, trust=Trust(ca_pem=AUTHORITY.pem), **given)


async def failure(out, target, path="", deadline_s=LONG_S, **given):
    with pytest.raises(OutboundError) as raised:
        await out.call(target, Request("GET", path), deadline_s=deadline_s, **given)
    return str(raised.value)


async def test_a_call_reaches_the_server_and_its_answer_comes_back(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        target = Remote("test", server.url + "/echo/base?a=1", trust=Trust(AUTHORITY.pem), headers=(("authorization", "Bearer x"),))
        answer = await out.call(target, Request("POST", "/more", "b=2", {"x-own": "y"}, b"body"), deadline_s=LONG_S)
    assert (answer.status, answer.body) == (200, b'{"method": "POST", "path": "/echo/base/more?a=1&b=2"}')
    (_, _, headers, body) = server.asked[0]
    assert (headers["authorization"], headers["x-own"], headers["host"], body) == ("Bearer x", "y", f"127.0.0.1:{server.port}", b"body")


async def test_a_header_that_comes_several_times_is_sent_so(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        values = {"x-remote-group": ("a", "b, c")}
        seen = []

        async def groups(request):
            seen.extend(request.headers.getall("x-remote-group"))
            return web.Response()

        server.groups = groups
        await out.call(remote(server), Request("GET", "/groups", headers={"x-remote-group": "a, b, c"}, repeated=values), deadline_s=LONG_S)
    assert seen == ["a", "b, c"]


async def test_connections_are_kept_and_used_again(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        for path in ("/echo", "/chunks", "/text"):
            await out.call(remote(server), Request("GET", path), deadline_s=LONG_S)
        assert len(set(server.peers)) == 1
        await asyncio.gather(*(out.call(remote(server), Request("GET", "/echo"), deadline_s=LONG_S) for _ in range(5)))
        assert len(set(server.peers)) <= 5


async def test_a_connection_the_server_closed_is_replaced(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        for _ in range(3):
            assert (await out.call(remote(server), Request("POST", "/once"), deadline_s=LONG_S)).body == b"bye"
    assert len(set(server.peers)) == 3


async def test_other_certificates_mean_another_connection(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        await out.call(remote(server), Request("GET", "/echo"), deadline_s=LONG_S)
        said = await failure(out, Remote("test", server.url, trust=Trust(Authority("other").pem)))
    assert said == f'Get "{server.url}": tls: failed to verify certificate: x509: certificate signed by unknown authority'


async def test_no_more_calls_of_one_server_are_under_way_than_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "OUTBOUND_CALLS", 2)
    most = now = 0
    both, go = asyncio.Event(), asyncio.Event()

    async def held(request):
        nonlocal most, now
        now += 1
        most = max(most, now)
        if now == 2:
            both.set()
        await go.wait()
        now -= 1
        return web.Response()

    async with serving(tmp_path) as server, outbound() as out:
        server.held = held
        calls = [asyncio.create_task(out.call(remote(server), Request("GET", "/held"), deadline_s=LONG_S)) for _ in range(6)]
        await both.wait()
        go.set()
        await asyncio.gather(*calls)
    assert most == 2


async def test_the_server_has_to_bear_the_name_that_is_called(tmp_path):
    async with serving(tmp_path, "example.com") as server, outbound() as out:
        words = "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"
        assert words in await failure(out, remote(server))
        for name in ("other.example.com", "10.0.0.1"):
            called = replace(remote(server), server_name=name)
            borne = "certificate is valid for example.com, not other.example.com" if name[0] == "o" else "for 10.0.0.1 because"
            assert borne in await failure(out, called)
        unverified = Remote("test", server.url, trust=Trust(verify=False))
        assert (await out.call(unverified, Request("GET", "/echo"), deadline_s=LONG_S)).status == 200


async def test_who_calls_shows_its_own_certificate(tmp_path):
    certificate, key = AUTHORITY.issue("caller")
    async with serving(tmp_path, clients=AUTHORITY.pem) as server, outbound() as out:
        known = Remote("test", server.url, trust=Trust(AUTHORITY.pem, certificate, key))
        assert (await out.call(known, Request("GET", "/echo"), deadline_s=LONG_S)).status == 200
        assert "tls" in await failure(out, remote(server), "/echo") or server.asked[1:] == []


async def test_a_redirect_is_an_answer_and_not_followed(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        answer = await out.call(remote(server), Request("GET", "/moved"), deadline_s=LONG_S)
        assert (answer.status, answer.headers["location"], len(server.asked)) == (302, "/echo", 1)
        with pytest.raises(OutboundError, match="status code 302 but did not return more information"):
            await out.ask(Remote("test", server.url + "/moved", trust=Trust(AUTHORITY.pem)), {}, deadline_s=LONG_S)


async def test_no_proxy_is_asked_whatever_the_environment_says(tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with serving(tmp_path) as server, outbound() as out:
        assert (await out.call(remote(server), Request("GET", "/echo"), deadline_s=LONG_S)).status == 200


async def test_an_answer_that_is_too_long_is_refused(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        assert "the answer is longer than 1000 bytes" in await failure(out, remote(server), "/huge", limit_bytes=1000)


async def test_a_call_ends_at_its_deadline_and_hangs_up(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        deadline_s = 0.05
        while not server.asked:  # a busy machine takes longer to get there
            said = await failure(out, remote(server), "/never", deadline_s=deadline_s)
            assert said == f'Get "{server.url}/never": context deadline exceeded'
            deadline_s *= 4
        await asyncio.wait_for(server.left.wait(), LONG_S)


async def test_nobody_there_is_said_so():
    async with outbound() as out:
        assert await failure(out, Remote("test", "https://127.0.0.1:1")) == (
            'Get "https://127.0.0.1:1": dial tcp 127.0.0.1:1: connect: connection refused'
        )


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "127.0.0.1:1", "https://", "https://a:b"])
async def test_only_a_url_of_https_is_called(url):
    async with outbound() as out:
        assert "invalid URL" in await failure(out, Remote("test", url))


async def test_a_server_that_speaks_no_tls_is_said_so():
    async def plain(reader, writer):
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 no\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server, outbound() as out:
        port = server.sockets[0].getsockname()[1]
        assert "http: server gave HTTP response to HTTPS client" in await failure(out, Remote("test", f"https://127.0.0.1:{port}"))


EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"nonsense\r\n\r\n", "malformed HTTP response: the server does not speak HTTP/1.1"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "unexpected EOF"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab", "malformed HTTP response: invalid character in Content-Length"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "malformed HTTP response: invalid character in chunk size"),
        (b"HTTP/1.1 200", "unexpected EOF"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "EOF"),
        (b"HTTP/2.0 200 OK\r\n\r\n", "malformed HTTP response: the server does not speak HTTP/1.1"),
        (b"RTSP/1.0 200 OK\r\n\r\n", "malformed HTTP response: the server does not speak HTTP/1.1"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "malformed HTTP response: invalid response status"),
        (b"HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n{}", "malformed HTTP response: malformed HTTP status code 000"),
        (b"HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\n{}", "malformed HTTP response: malformed HTTP status code 099"),
        (b"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "malformed HTTP response: invalid header token"),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "malformed HTTP response: unexpected whitespace after header value"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * limits.HEADER_BYTES, f"server response headers exceeded {limits.HEADER_BYTES} bytes"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nabc",
            "malformed HTTP response: duplicate Content-Length",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "malformed HTTP response: transfer-Encoding can't be present with Content-Length",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            "malformed HTTP response: content-Length can't be present with Transfer-Encoding",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc",
            "malformed HTTP response: of transfer codings only chunked is known",
        ),
        (CHUNKED + b"-1\r\n", "malformed HTTP response: invalid character in chunk size"),
        (CHUNKED + b"f" * 30 + b"\r\n", "malformed HTTP response: chunk size overflow"),
        (CHUNKED + b"2\r\nabc\r\n0\r\n\r\n", "malformed HTTP response: expected LF after chunk data"),
        (CHUNKED + b"3\r\nabc\r\n", "unexpected EOF"),
        (CHUNKED + b"3\r\nab", "unexpected EOF"),
        (CHUNKED + b"0\r\na: b\r\n", "unexpected EOF"),
        (CHUNKED + b"0\r\na: " + b"x" * 2 * limits.HEADER_BYTES, f"server response trailers exceeded {limits.HEADER_BYTES} bytes"),
        (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            "malformed HTTP response: it switches protocols, which nobody asked for",
        ),
        (EARLY * (limits.OUTBOUND_EARLY_ANSWERS + 1) + b"HTTP/1.1 204 No Content\r\n\r\n", "too many 1xx informational responses"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "malformed HTTP response: invalid character in Content-Length"),
        (b"", "EOF"),
    ],
)
async def test_an_answer_that_is_none_is_said_so(tmp_path, said, why):
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=AUTHORITY.server_context(tmp_path, "127.0.0.1"))
    async with server, outbound() as out:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await failure(out, Remote("test", url, trust=Trust(AUTHORITY.pem))) == f'Get "{url}": {why}'


@asynccontextmanager
async def saying(tmp_path, *answers):
    """A server that gives each request the next of these answers, and remembers on which connection it was asked."""
    waiting, connections = list(answers), []

    async def serve(reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                connections.append(writer.get_extra_info("peername"))
                writer.write(waiting.pop(0))
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=AUTHORITY.server_context(tmp_path, "127.0.0.1"))
    async with server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield Remote("test", url, trust=Trust(AUTHORITY.pem)), connections


TRUE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue"
FALSE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfalse"


@pytest.mark.parametrize(
    ("method", "first", "status", "body", "kept"),
    [
        ("GET", TRUE, 200, b"true", True),
        ("GET", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + TRUE, 200, b"true", True),
        ("GET", EARLY * limits.OUTBOUND_EARLY_ANSWERS + TRUE, 200, b"true", True),
        ("GET", CHUNKED + b"2;a=b\r\ntr\r\n2\r\nue\r\n0\r\na: b\r\n\r\n", 200, b"true", True),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", 200, b"", True),
        ("HEAD", CHUNKED, 200, b"", True),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", 304, b"", True),
        ("GET", TRUE.replace(b"1.1", b"1.0"), 200, b"true", False),
        ("GET", TRUE.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), 200, b"true", False),
        ("GET", TRUE + FALSE, 200, b"true", False),
        ("GET", TRUE + b"nonsense", 200, b"true", False),
        ("GET", b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\ntrue", 204, b"", False),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n" + FALSE, 204, b"", False),
        ("GET", b"HTTP/1.1 304 Not Modified\r\n\r\n" + FALSE, 304, b"", False),
        ("HEAD", TRUE, 200, b"", False),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + FALSE, 200, b"", False),
    ],
)
async def test_an_answer_ends_where_it_says_and_nothing_after_it_answers_another_request(tmp_path, method, first, status, body, kept):
    async with saying(tmp_path, first, TRUE) as (target, connections), outbound() as out:
        answer = await out.call(target, Request(method, ""), deadline_s=LONG_S)
        assert (answer.status, answer.body) == (status, body)
        after = await out.call(target, Request("GET", ""), deadline_s=LONG_S)
        assert (after.status, after.body) == (200, b"true")
        assert (len(dict.fromkeys(connections)) == 1) == kept


async def test_what_comes_while_nobody_asks_answers_no_later_request(tmp_path):
    connections = []

    async def serve(reader, writer):
        connections.append(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(TRUE)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=AUTHORITY.server_context(tmp_path, "127.0.0.1"))
    async with server, outbound() as out:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        target = Remote("test", url, trust=Trust(AUTHORITY.pem))
        await out.call(target, Request("GET", ""), deadline_s=LONG_S)
        connections[0].write(FALSE)  # lies in the socket at once: nobody has had a turn to read it
        assert (await out.call(target, Request("GET", ""), deadline_s=LONG_S)).body == b"true"
        assert len(connections) == 2


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/failing", 'an error on the server ("it can\'t: \\"b\\" broke") has prevented the request from succeeding'),
        ("/status", "not you"),
        ("/text", "couldn't get version/kind; json parse error: invalid character "),
        ("/array", "the answer is no JSON object"),
    ],
)
async def test_a_question_that_is_not_answered_says_why(tmp_path, path, why):
    async with serving(tmp_path) as server, outbound() as out:
        with pytest.raises(OutboundError, match="^" + re.escape(why)):
            await out.ask(Remote("test", server.url + path, trust=Trust(AUTHORITY.pem)), {"a": 1}, deadline_s=LONG_S)


UNSAID = "but did not return more information"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("400/text+plain/oh", "the server rejected our request for an unknown reason"),
        ("401/text+plain/oh", "the server has asked for the client to provide credentials"),
        ("403/text+plain/ oh ", "oh"),
        ("403/application+json/oh", "unknown"),
        ("404/text+plain/oh", "the server could not find the requested resource"),
        ("405/text+plain/oh", "the server does not allow this method on the requested resource"),
        ("406/text+html; charset=utf-8/oh", "oh"),
        ("406/application+json/oh", "the server was unable to respond with a content type that the client supports"),
        ("409/text+plain/oh", "the server reported a conflict"),
        ("415/text+plain/oh", "oh"),
        ("418/text+plain/oh", f"the server responded with the status code 418 {UNSAID}"),
        ("302/text+plain/oh", f"the server responded with the status code 302 {UNSAID}"),
        ("207/application+json/{}", f"the server responded with the status code 207 {UNSAID}"),
        ("422/text+plain/oh", "the server rejected our request due to an error in our request"),
        ("429/text+plain/oh", "the server has received too many requests and has asked us to try again later"),
        ("500/text+plain/oh", 'an error on the server ("oh") has prevented the request from succeeding'),
        ("500/text+plain/ ", 'an error on the server ("") has prevented the request from succeeding'),
        ("502/application+json/oh", 'an error on the server ("unknown") has prevented the request from succeeding'),
        ("503/text+plain/oh", "the server is currently unable to handle the request"),
        (
            "504/text+plain/oh",
            "the server was unable to return a response in the time allotted, but may still be processing the request",
        ),
        ('404/application+json/{"kind":"Status","status":"Failure","message":"gone"}', "gone"),
        ('404/application+json/{"kind":"Status","status":"Success","message":"gone"}', "the server could not find the requested resource"),
        ('404/text+plain/{"kind":"Status","status":"Failure","message":"gone"}', "the server could not find the requested resource"),
    ],
)
async def test_an_error_is_told_in_the_words_of_kubernetes_clients(tmp_path, path, why):
    async with serving(tmp_path) as server, outbound() as out:
        with pytest.raises(OutboundError) as raised:
            await out.ask(Remote("test", f"{server.url}/refusing/{quote(path)}", trust=Trust(AUTHORITY.pem)), {"a": 1}, deadline_s=LONG_S)
    assert str(raised.value) == why


async def test_a_stream_goes_on_beyond_its_deadline_and_ends_with_its_reader(tmp_path):
    first, go, left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def follow(request):
        answer = web.StreamResponse()
        await answer.prepare(request)
        await answer.write(b"one\n")
        await go.wait()
        await answer.write(b"two\n")
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    work = Work()
    async with serving(tmp_path) as server, outbound(work=work) as out:
        server.follow = follow
        async with out.stream(remote(server), Request("GET", "/follow"), deadline_s=LONG_S) as answering:
            pieces = answering.pieces()
            assert (await anext(pieces), bool(work)) == (b"one\n", False)
            first.set()
            go.set()
            assert await anext(pieces) == b"two\n"
            await pieces.aclose()
        await asyncio.wait_for(left.wait(), LONG_S)


async def test_calls_are_counted_by_whom_they_are_for(tmp_path):
    async with serving(tmp_path) as server, outbound() as out:
        for path in ("/echo", "/echo", "/failing"):
            await out.call(remote(server), Request("GET", path), deadline_s=LONG_S)
        await failure(out, Remote("test", "https://127.0.0.1:1"))
        assert out.counted.calls("test") == {"200": 2, "500": 1, "error": 1}
        lines = out.counted.lines()
    assert 'svcsim_outbound_requests_total{remote="test",code="200"} 2' in lines
    assert 'svcsim_outbound_request_duration_seconds_count{remote="test"} 4' in lines


SERVICE = {"metadata": {"namespace": "ns", "name": "hook"}, "spec": {"ports": [{"name": "https", "port": 443, "targetPort": 8443}]}}
REFERENCE = ServiceReference("ns", "hook")
HOW = "to have a program on this machine answer: svcsim bind service/hook LOCALPORT -n ns"


def bound(text):
    return {**SERVICE, "metadata": {**SERVICE["metadata"], "annotations": {"svcsim.dev/bound-to": text}}}


def endpoints(address, port, **endpoint):
    return {"ports": [{"name": "https", "port": port}], "endpoints": [{"addresses": [address], **endpoint}]}


def service_remote(path=""):
    return Remote("test", service=REFERENCE, path=path, trust=Trust(AUTHORITY.pem))


async def test_a_service_leads_to_the_program_that_is_bound_to_it(tmp_path):
    async with serving(tmp_path, "hook.ns.svc") as server, outbound(Cluster(bound(f"443=127.0.0.1:{server.port}"))) as out:
        answer = await out.call(service_remote("/echo"), Request("GET", "", "a=b"), deadline_s=LONG_S)
    assert (answer.status, server.asked[0][1], server.asked[0][2]["host"]) == (200, "/echo?a=b", "hook.ns.svc:443")


async def test_a_service_without_a_program_leads_to_its_endpoints(tmp_path):
    async with serving(tmp_path, "hook.ns.svc") as server:
        slices = (endpoints("127.0.0.2", 1, conditions={"ready": False}), endpoints("127.0.0.1", server.port))
        async with outbound(Cluster(SERVICE, slices=slices)) as out:
            assert (await out.call(service_remote("/echo"), Request("GET", ""), deadline_s=LONG_S)).status == 200


async def test_a_service_of_two_families_leads_to_an_endpoint_of_the_first_or_to_what_there_is(tmp_path):
    async with serving(tmp_path, "hook.ns.svc") as server:
        four, six = {**endpoints("127.0.0.1", server.port), "addressType": "IPv4"}, {**endpoints("::1", 1), "addressType": "IPv6"}
        for families, slices in ((["IPv4", "IPv6"], [six, four]), (["IPv6", "IPv4"], [four])):
            service = {**SERVICE, "spec": {**SERVICE["spec"], "ipFamilies": families}}
            async with outbound(Cluster(service, slices=slices)) as out:
                assert (await out.call(service_remote("/echo"), Request("GET", ""), deadline_s=LONG_S)).status == 200


def test_each_pod_of_a_service_of_two_families_is_one_endpoint():
    pods = [{"kind": "Pod", "name": name} for name in "ab"]
    slices = [
        {
            "addressType": f"IPv{version}",
            "ports": [{"name": "https", "port": 8443}],
            "endpoints": [{"addresses": [f"{prefix}{number}"], "targetRef": one} for number, one in enumerate(pods, 1)],
        }
        for version, prefix in ((6, "fd00::"), (4, "10.0.0."))
    ]

    def found(*families: str) -> list[str]:
        return [one.address for one in ready_endpoints({"spec": {"ipFamilies": list(families)}}, slices, "https")]

    assert found("IPv4", "IPv6") == ["10.0.0.1", "10.0.0.2"]
    assert found("IPv6", "IPv4") == ["fd00::1", "fd00::2"]


SAID = "the annotation svcsim.dev/bound-to"


@pytest.mark.parametrize(
    ("cluster", "why"),
    [
        (Cluster(), 'service "hook" not found'),
        (Cluster(SERVICE), f'no endpoints available for service "hook"; {HOW}'),
        (
            Cluster(SERVICE, slices=[endpoints("10.0.0.1", 8443, targetRef={"kind": "Pod"})]),
            f'all its endpoints are simulated pods, in which no program listens for service "hook"; {HOW}',
        ),
        (Cluster({**SERVICE, "spec": {"ports": [{"port": 80}]}}), 'no service port 443 found for service "hook"'),
        (
            Cluster(bound("9443")),
            'service ns/hook: the annotation svcsim.dev/bound-to has "9443", which should read like 443=127.0.0.1:9443',
        ),
        (
            Cluster(bound("443=127.0.0.1:0")),
            f'service ns/hook: {SAID} has "443=127.0.0.1:0": "0" is no port: it must be between 1 and 65535',
        ),
    ],
)
async def test_a_service_that_leads_nowhere_says_what_to_do(cluster, why):
    async with outbound(cluster) as out:
        assert await failure(out, service_remote()) == f'Get "https://hook.ns.svc:443": {why}'


@pytest.mark.virtual_time
async def test_virtual_time_stands_still_while_somebody_outside_is_asked(tmp_path):
    loop = asyncio.get_running_loop()
    async with serving(tmp_path) as server, outbound() as out:
        before = loop.time()
        timer = loop.call_later(0.001, lambda: None)
        await out.call(remote(server), Request("GET", "/echo"), deadline_s=LONG_S)
        assert loop.time() == before
        assert "context deadline exceeded" in await failure(out, remote(server), "/never", deadline_s=0.05)
        assert loop.time() == before
        timer.cancel()


def test_what_is_secret_is_not_shown():
    shown = repr(Remote("test", "https://a", trust=Trust(key_pem=b"secret"), headers=(("authorization", "secret"),)))
    assert "secret" not in shown


async def test_a_length_that_is_said_twice_is_one(tmp_path):
    twice = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: content-length\r\ncontent-length:2 \r\n\r\n{}"
    async with saying(tmp_path, twice, twice) as (asked, connections), outbound() as out:
        for _ in range(2):
            assert (await out.call(asked, Request("GET", ""), deadline_s=LONG_S)).body == b"{}"
    assert len(set(connections)) == 1


async def test_an_answer_in_tiny_chunks_is_read_in_short_turns(tmp_path):
    length = 300_000
    answer = CHUNKED + b"1\r\n \r\n" * length + b"0\r\n\r\n"
    turns, pieces, in_turns = 0, 0, Counter()

    async def count():
        nonlocal turns
        while True:
            turns += 1
            await turn()

    async with (
        saying(tmp_path, answer) as (asked, _),
        outbound() as out,
        out.stream(asked, Request("GET", ""), deadline_s=LONG_S) as answering,
    ):
        counting = asyncio.create_task(count())
        async for piece in answering.pieces():
            pieces += 1
            in_turns[turns] += len(piece)
        counting.cancel()
    assert sum(in_turns.values()) == length
    assert max(in_turns.values()) <= limits.PIECES_A_TURN + PIECE_BYTES // len("1\r\n \r\n") + 1
    assert pieces < length / 10, "what came together is handed on together"
