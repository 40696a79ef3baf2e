"""The wire: a real socket, and clients that behave and that don't."""

import asyncio
import gzip
import json
import re
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim import limits
from svcsim.meta.http import Request, Response
from svcsim.meta.peer import Peer, fingerprint_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json
from svcsim.server.http.front import HttpFront
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server

MAPS = "/api/v1/namespaces/default/configmaps"
AUTH = "authorization: Bearer admin-token\r\n"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Json:
        return json.loads(self.body)


class Wire:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def request(self, method: str, path: str, body: bytes = b"", headers: str = AUTH) -> None:
        length = f"content-length: {len(body)}\r\n" if body else ""
        self.send(f"{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}{length}\r\n".encode() + body)

    async def head(self) -> Answer:
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        return Answer(int(lines[0].split()[1]), {name.lower(): value for name, value in headers.items()}, b"")

    async def chunk(self) -> bytes:
        size = int(await self.reader.readline(), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def answer(self) -> Answer:
        head = await self.head()
        if head.headers.get("transfer-encoding") == "chunked":
            body = b""
            while piece := await self.chunk():
                body += piece
            return head._replace(body=body)
        return head._replace(body=await self.reader.readexactly(int(head.headers["content-length"])))

    async def ask(self, method: str, path: str, body: bytes = b"", headers: str = AUTH) -> Answer:
        self.request(method, path, body, headers)
        return await self.answer()

    async def ended(self) -> bool:
        """Wait for the server to hang up."""
        return await self.reader.read(1) == b""


class Front:
    """A listening server, and connections to it."""

    def __init__(self, server: Server, front: HttpFront, port: int) -> None:
        self.server = server
        self.front = front
        self.port = port
        self._wires: list[Wire] = []

    async def connect(self, tls: ssl.SSLContext | None = None) -> Wire:
        wire = Wire(*await asyncio.open_connection("127.0.0.1", self.port, ssl=tls, limit=2**26))
        self._wires.append(wire)
        return wire

    async def close(self) -> None:
        for wire in self._wires:  # what one of them hasn't sent by now would be waited for, by it and by the server
            wire.writer.transport.abort()
            with suppress(ConnectionError):
                await wire.writer.wait_closed()
        await self.front.close()


@pytest.fixture
async def front(server: Server) -> AsyncIterator[Front]:
    made = HttpFront(server.pipeline.handle)
    opened = Front(server, made, await made.start("127.0.0.1", 0, None))
    yield opened
    await opened.close()


async def test_a_connection_serves_one_request_after_the_other(front: Front) -> None:
    wire = await front.connect()
    created = await wire.ask("POST", MAPS, b'{"metadata": {"name": "one"}}')
    assert created.status == 201
    seen = await wire.ask("GET", f"{MAPS}/one")
    assert (seen.status, seen.headers["content-type"], seen.body) == (200, "application/json", created.body)
    assert seen.headers["date"].endswith("GMT")


async def test_requests_sent_ahead_are_answered_in_order(front: Front) -> None:
    wire = await front.connect()
    for number in range(3 * limits.PIPELINED_REQUESTS):
        wire.request("GET", f"{MAPS}/n{number}")
    for number in range(3 * limits.PIPELINED_REQUESTS):
        assert (await wire.answer()).json()["details"]["name"] == f"n{number}"


async def test_names_and_queries_are_decoded(front: Front) -> None:
    wire = await front.connect()
    seen = await wire.ask("GET", f"{MAPS}/a%3Ab?pretty=1")
    assert seen.json()["details"]["name"] == "a:b"


async def test_head_has_no_body(front: Front) -> None:
    wire = await front.connect()
    for path in ("/version", "/api/v1/namespaces"):
        wire.request("HEAD", path)
        assert int((await wire.head()).headers["content-length"]) > 0
    assert (await wire.ask("GET", "/version")).status == 200


async def test_bodies_may_come_in_chunks(front: Front) -> None:
    wire = await front.connect()
    wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}transfer-encoding: chunked\r\n\r\n".encode())
    for piece in (b'{"metadata":', b'{"name": "one"}}', b""):
        wire.send(b"%x\r\n%b\r\n" % (len(piece), piece))
    assert (await wire.answer()).status == 201


async def test_a_client_that_asks_first_is_told_to_go_on(front: Front) -> None:
    wire = await front.connect()
    body = b'{"metadata": {"name": "one"}}'
    wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}expect: 100-continue\r\ncontent-length: {len(body)}\r\n\r\n".encode())
    assert (await wire.reader.readuntil(b"\r\n\r\n")) == b"HTTP/1.1 100 Continue\r\n\r\n"
    wire.send(body)
    assert (await wire.answer()).status == 201


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_the_limit_is_413_and_the_client_can_read_it(front: Front, chunked: bool) -> None:
    wire = await front.connect()
    size = limits.BODY_BYTES + 1
    if chunked:
        wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}transfer-encoding: chunked\r\n\r\n".encode())
        wire.send(b"%x\r\n%b\r\n0\r\n\r\n" % (size, b" " * size))
    else:
        wire.request("POST", MAPS, b" " * size)
    seen = await wire.answer()
    assert (seen.status, seen.json()["reason"]) == (413, "RequestEntityTooLarge")
    assert await wire.ended()


async def test_a_body_at_the_limit_is_read(front: Front) -> None:
    wire = await front.connect()
    body = b'{"metadata": {"name": "one"}}'
    assert (await wire.ask("POST", MAPS, body + b" " * (limits.BODY_BYTES - len(body)))).status == 201


async def test_large_headers_are_read_and_larger_ones_refused(front: Front) -> None:
    wire = await front.connect()
    assert (await wire.ask("GET", "/version", headers=f"{AUTH}x: {'x' * (limits.HEADER_BYTES // 2)}\r\n")).status == 200
    wire = await front.connect()
    many = "".join(f"x{number}: {'x' * 100_000}\r\n" for number in range(11))
    seen = await wire.ask("GET", "/version", headers=AUTH + many)
    assert seen.status == 431
    assert await wire.ended()
    wire = await front.connect()
    assert (await wire.ask("GET", "/version", headers=f"{AUTH}x: {'x' * (limits.HEADER_BYTES + 1)}\r\n")).status == 431


@pytest.mark.parametrize(
    ("target", "status", "told"),
    [
        ("/version?" + "a&" * (limits.QUERY_PARAMETERS - 1), 200, ""),
        ("/version?" + "a&" * limits.QUERY_PARAMETERS, 400, "the request has more than 10000 query parameters"),
        ("/" + "%41" * (limits.PATH_CHARS // 3), 404, ""),
        ("/" + "%41" * (limits.PATH_CHARS // 3 + 1), 414, "the request's path has more than 65536 characters"),
        ("/version?a=" + "%41" * 300_000, 200, ""),
    ],
)
async def test_what_is_read_before_anybody_knows_who_asks_is_bounded(front: Front, target: str, status: int, told: str) -> None:
    wire = await front.connect()
    seen = await wire.ask("GET", target, headers=AUTH)
    assert seen.status == status
    assert not told or seen.json()["message"] == told


async def test_a_body_that_does_not_come_is_not_waited_for_forever(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_S", 0.01)
    wire = await front.connect()
    wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}content-length: 100\r\n\r\n{{".encode())
    seen = await wire.answer()
    assert (seen.status, seen.json()["reason"]) == (504, "Timeout")


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n"])
async def test_what_is_no_http_is_400(front: Front, data: bytes) -> None:
    wire = await front.connect()
    wire.send(data)
    seen = await wire.answer()
    assert (seen.status, seen.json()["kind"]) == (400, "Status")
    assert await wire.ended()


async def test_a_body_in_broken_chunks_is_400_after_the_answers_before_it(front: Front) -> None:
    wire = await front.connect()
    wire.request("GET", "/version")
    wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}transfer-encoding: chunked\r\n\r\n3 \r\nabc\r\n0\r\n\r\n".encode())
    wire.request("GET", "/version")
    assert (await wire.answer()).status == 200
    refused = await wire.answer()
    assert (refused.status, refused.headers["connection"]) == (400, "close")
    assert refused.json()["message"].startswith("the request's body can't be read: ")
    assert await wire.ended(), "what follows is never read as a request"


async def test_what_follows_a_body_gives_nobody_credentials(front: Front) -> None:
    wire = await front.connect()
    wire.send(b"POST /version HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n" + AUTH.encode() + b"\r\n")
    await wire.answer()
    assert (await wire.ask("GET", "/api/v1/namespaces", headers="")).status == 403


async def test_large_bodies_sent_ahead_wait_in_the_network_and_are_all_answered(front: Front) -> None:
    wire = await front.connect()
    body = b'{"metadata": {"name": "n%d"}}'
    ahead = 8

    async def send() -> None:
        for number in range(ahead):
            wire.request("POST", MAPS, (body % number).ljust(limits.BODY_BYTES // 2))
            await wire.writer.drain()

    sending = asyncio.create_task(send())
    assert [(await wire.answer()).status for _ in range(ahead)] == [201] * ahead
    await sending


async def test_a_client_may_leave_while_its_body_is_on_the_way(front: Front) -> None:
    wire = await front.connect()
    wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}content-length: 100\r\n\r\n{{".encode())
    while not front.front.connections:
        await front.server.clock.turn()
    wire.writer.close()
    while front.front.connections:
        await front.server.clock.turn()


async def test_old_clients_get_the_connection_closed(front: Front) -> None:
    wire = await front.connect()
    wire.send(f"GET /version HTTP/1.0\r\n{AUTH}\r\n".encode())
    assert (await wire.answer()).headers["connection"] == "close"
    assert await wire.ended()


async def test_a_watch_streams_as_it_happens(front: Front) -> None:
    watcher, writer = await front.connect(), await front.connect()
    watcher.request("GET", f"{MAPS}?watch=1")
    assert (await watcher.head()).headers["transfer-encoding"] == "chunked"
    for name in ("a", "b"):
        await writer.ask("POST", MAPS, json.dumps({"metadata": {"name": name}}).encode())
        event = json.loads(await watcher.chunk())
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", name)


async def test_a_watch_that_runs_out_leaves_the_connection_usable(front: Front) -> None:
    wire = await front.connect()
    assert (await wire.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=1")).body == b""
    assert (await wire.ask("GET", "/version")).status == 200


async def test_a_client_that_leaves_ends_its_watch(front: Front) -> None:
    wire = await front.connect()
    await front.server.create(MAPS, "one")
    wire.request("GET", f"{MAPS}?watch=1")
    await wire.head()
    await wire.chunk()
    watchers = front.server.pipeline.metrics.watchers
    assert watchers == {"configmaps": 1}
    wire.writer.close()
    while watchers["configmaps"]:
        await front.server.clock.turn()
    assert watchers == {"configmaps": 0}


async def test_closing_ends_watches_properly(front: Front) -> None:
    wire, idle = await front.connect(), await front.connect()
    await idle.ask("GET", "/version")
    wire.request("GET", f"{MAPS}?watch=1")
    await wire.head()
    await front.front.close()
    assert await wire.chunk() == b"", "the stream is ended, not broken off"
    assert await wire.ended()
    assert await idle.ended()
    with pytest.raises(OSError, match=r"refused|Connect"):
        await front.connect()


async def test_large_answers_are_compressed_for_who_asks(front: Front) -> None:
    for number in range(8):
        await front.server.create(MAPS, f"n{number}", data={"x": "x" * 100_000})
    wire = await front.connect()
    for path in (MAPS, f"{MAPS}?limit=2"):
        plain = await wire.ask("GET", path)
        packed = await wire.ask("GET", path, headers=f"{AUTH}accept-encoding: gzip\r\n")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert len(packed.body) < len(plain.body) / 10
        assert json.loads(gzip.decompress(packed.body))["items"] == plain.json()["items"]


@pytest.mark.parametrize("accept", ["gzip;q=0", "br", "identity"])
async def test_who_does_not_take_gzip_is_not_given_it(front: Front, accept: str) -> None:
    await front.server.create(MAPS, "one", data={"x": "x" * 2 * limits.GZIP_BYTES})
    wire = await front.connect()
    assert "content-encoding" not in (await wire.ask("GET", MAPS, headers=f"{AUTH}accept-encoding: {accept}\r\n")).headers


async def test_small_answers_are_sent_as_they_are(front: Front) -> None:
    wire = await front.connect()
    assert "content-encoding" not in (await wire.ask("GET", "/version", headers=f"{AUTH}accept-encoding: gzip\r\n")).headers


async def test_compressed_bodies_are_read(front: Front) -> None:
    wire = await front.connect()
    body = gzip.compress(b'{"metadata": {"name": "one"}}')
    assert (await wire.ask("POST", MAPS, body, headers=f"{AUTH}content-encoding: gzip\r\n")).status == 201


@pytest.mark.parametrize("coding", ["x-gzip", "GZIP", "identity, gzip"])
async def test_gzip_has_several_names(front: Front, coding: str) -> None:
    wire = await front.connect()
    body = gzip.compress(b'{"metadata": {"name": "one"}}')
    assert (await wire.ask("POST", MAPS, body, headers=f"{AUTH}content-encoding: {coding}\r\n")).status == 201


@pytest.mark.parametrize("coding", ["", "identity", "Identity, identity"])
async def test_a_body_in_no_encoding_is_taken_as_it_is(front: Front, coding: str) -> None:
    wire = await front.connect()
    body = b'{"metadata": {"name": "one"}}'
    assert (await wire.ask("POST", MAPS, body, headers=f"{AUTH}content-encoding: {coding}\r\n")).status == 201


async def test_a_bomb_in_a_body_is_413(front: Front) -> None:
    wire = await front.connect()
    seen = await wire.ask("POST", MAPS, gzip.compress(b" " * 20 * limits.BODY_BYTES), headers=f"{AUTH}content-encoding: gzip\r\n")
    assert seen.status in (400, 413)


async def test_warnings_reach_the_client(front: Front) -> None:
    wire = await front.connect()
    seen = await wire.ask("POST", MAPS, b'{"metadata": {"name": "one"}, "nope": 1}')
    assert seen.headers["warning"] == '299 - "unknown field \\"nope\\""'


async def _warned(front: Front, names: list[str]) -> list[str]:
    """The warnings of a write with these unknown fields, as a client reads them."""
    wire = await front.connect()
    seen = await wire.ask("POST", f"{MAPS}?dryRun=All", json.dumps({"metadata": {"name": "one"}, **dict.fromkeys(names, 1)}).encode())
    assert seen.status == 201
    header = seen.headers["warning"]
    spelled = r'299 - "((?:[^"\\]|\\.)*)"'
    assert re.fullmatch(rf"{spelled}(?:, {spelled})*", header), "no warning is cut in the middle of its spelling"
    return [re.sub(r"\\(.)", r"\1", text) for text in re.findall(spelled, header)]


async def test_warnings_that_are_long_together_are_cut_off_one_by_one(front: Front) -> None:
    names = [f"{number:02}\\" + "ö日\U0001f600" * 30 for number in range(35)]
    told = [f"unknown field {quoted(name)}" for name in names]
    assert await _warned(front, names) == told, "up to the limit they are whole, however long they are on the wire"
    longer = [name + "x" * 200 for name in names]
    cut = [f"unknown field {quoted(name)}"[: limits.LONG_WARNING_CHARS] for name in longer]
    assert await _warned(front, longer) == cut[: limits.WARNINGS_CHARS // limits.LONG_WARNING_CHARS]
    short = [f"{number:02}" + "\\" * 400 for number in range(11)]
    assert await _warned(front, ["a", *short, "b"]) == [
        'unknown field "a"',
        *[f"unknown field {quoted(name)}"[: limits.LONG_WARNING_CHARS] for name in short],
        'unknown field "b"',
    ], "what is short stays whole"


def _certificates(directory: Path) -> None:
    """A certificate that signs itself, good for server and client alike."""
    subject = ["-subj", "/O=system:masters/CN=cert-admin", "-addext", "subjectAltName=IP:127.0.0.1"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command = ["openssl", "req", "-x509", *key, "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", *subject]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)


async def test_a_client_certificate_is_part_of_the_request(tmp_path: Path) -> None:
    _certificates(tmp_path)
    der = ssl.PEM_cert_to_DER_cert((tmp_path / "cert.pem").read_text())
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    server = Server(store, "svcapi", client_authorities=(fingerprint_of(der),))
    await server.create("/api/v1/namespaces", "default")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    tls.load_verify_locations(tmp_path / "cert.pem")
    tls.verify_mode = ssl.CERT_OPTIONAL
    seen: list[Request] = []

    async def handle(request: Request) -> Response:
        seen.append(request)
        return await server.pipeline.handle(request)

    made = HttpFront(handle)
    front = Front(server, made, await made.start("127.0.0.1", 0, tls))
    with_certificate = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    with_certificate.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    known = await front.connect(with_certificate)
    for _ in range(2):
        assert (await known.ask("GET", "/api/v1/namespaces", headers="")).status == 200
    names = (("organizationName", "system:masters"), ("commonName", "cert-admin"))
    shown = seen[0].peer
    assert shown is not None
    assert shown.begins_s < shown.ends_s
    expected = Peer(names, names, der, (fingerprint_of(der),))
    assert replace(shown, begins_s=expected.begins_s, ends_s=expected.ends_s) == expected
    assert seen[1].peer is seen[0].peer, "the certificate is looked at once a connection"
    assert (await known.ask("GET", "/api/v1/namespaces", headers="authorization: Bearer wrong\r\n")).status == 200
    unknown = await front.connect(ssl.create_default_context(cafile=str(tmp_path / "cert.pem")))
    assert (await unknown.ask("GET", "/api/v1/namespaces", headers="")).status == 403
    assert seen[-1].peer is None
    assert [request.user for request in seen] == [None] * 4, "the wire vouches for nobody"
    await front.close()
    await store.close()


async def test_repeated_headers_are_joined_and_known_one_by_one() -> None:
    seen: list[Request] = []

    async def handle(request: Request) -> Response:
        seen.append(request)
        return Response(200)

    made = HttpFront(handle)
    reader, writer = await asyncio.open_connection("127.0.0.1", await made.start("127.0.0.1", 0, None))
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nX-Group: a, b\r\nx-other: c\r\nx-group: d\r\nX-GROUP:\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    assert seen[0].headers == {"host": "x", "x-group": "a, b, d, ", "x-other": "c"}
    assert seen[0].header_values("x-group") == ("a, b", "d", "")
    assert (seen[0].header_values("x-other"), seen[0].header_values("absent")) == (("c",), ())
    writer.close()
    await made.close()


async def test_a_connection_that_asks_nothing_for_long_is_ended_and_a_watch_is_not(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IDLE_CONNECTION_S", 0.04)
    made = HttpFront(server.pipeline.handle)
    front = Front(server, made, await made.start("127.0.0.1", 0, None))
    watching, idle, silent = await front.connect(), await front.connect(), await front.connect()
    watching.request("GET", f"{MAPS}?watch=1")
    assert (await watching.head()).status == 200
    assert (await idle.ask("GET", "/version")).status == 200
    silent.send(b"GET /version HTTP/1.1\r\nhost: ")
    assert await idle.reader.read() == b""
    assert await silent.reader.read() == b""
    await server.create(MAPS, "late")
    assert b'"late"' in await watching.chunk()
    await front.close()
