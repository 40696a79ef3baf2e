"""Watches over WebSockets: the handshake, frames as RFC 6455 has them, and how a WebSocket ends."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim import limits
from svcsim.meta.http import Request
from svcsim.meta.websocket_frames import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    BrokenFrameError,
    FrameReader,
    Message,
    close_reply,
    encode_close,
    encode_frame,
)
from svcsim.schema.common import object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message
from svcsim.schema.wire import fields
from svcsim.server.http.front import HttpFront
from svcsim.server.http.websocket import handshake, wants_websocket
from tests.server.conftest import Server
from tests.server.small_kinds import CONFIG_MAP

MAPS = "/api/v1/namespaces/default/configmaps"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
UPGRADE = {"upgrade": "websocket", "connection": "keep-alive, Upgrade", "sec-websocket-version": "13", "sec-websocket-key": KEY}
AUTH = {"Authorization": "Bearer admin-token"}
MASK = b"\x01\x02\x03\x04"


def sent(kind: int, data: bytes = b"", *, final: bool = True, mask: bytes = MASK) -> bytes:
    """A frame as a client sends it."""
    head = bytearray(encode_frame(kind, data)[: -len(data) or None])
    head[0] = head[0] if final else head[0] & 0x7F
    head[1] |= 0x80
    return bytes(head) + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


# Frames.


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536])
def test_frames_of_all_sizes_are_read(size: int) -> None:
    data = bytes(index % 251 for index in range(size))
    assert FrameReader().feed(sent(BINARY, data)) == [Message(BINARY, data)]


def test_a_message_may_come_in_fragments_with_control_frames_between() -> None:
    pieces = [sent(TEXT, b"he", final=False), sent(PING, b"?"), sent(CONTINUATION, b"l", final=False), sent(CONTINUATION, b"lo")]
    assert FrameReader().feed(b"".join(pieces)) == [Message(PING, b"?"), Message(TEXT, b"hello")]


@given(st.lists(st.tuples(st.sampled_from((TEXT, BINARY, PING)), st.text(max_size=30).map(str.encode)), max_size=5), st.data())
def test_it_does_not_matter_where_the_bytes_are_cut(messages: list[tuple[int, bytes]], data: st.DataObject) -> None:
    stream = b"".join(sent(kind, content) for kind, content in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    reader = FrameReader()
    seen = [message for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True) for message in reader.feed(stream[start:end])]
    assert seen == messages


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (encode_frame(TEXT, b"unmasked"), 1002),
        (b"\xc1" + sent(TEXT)[1:], 1002),
        (sent(3), 1002),
        (sent(PING, b"x" * 126), 1002),
        (sent(PING, final=False), 1002),
        (sent(CONTINUATION, b"x"), 1002),
        (sent(TEXT, b"x", final=False) + sent(TEXT, b"y"), 1002),
        (sent(TEXT, b"\xff"), 1007),
        (sent(BINARY, b"x" * 11), 1009),
        (sent(BINARY, b"x" * 6, final=False) + sent(CONTINUATION, b"x" * 6), 1009),
        (b"\x82\xff" + b"\x7f" * 8 + MASK, 1009),
    ],
)
def test_what_is_no_frame_has_its_code(frames: bytes, code: int) -> None:
    with pytest.raises(BrokenFrameError) as broken:
        FrameReader(limit_bytes=10).feed(frames)
    assert broken.value.code == code


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        messages = FrameReader().feed(data)
    except BrokenFrameError:
        messages = []
    assert sum(len(message.data) for message in messages) <= len(data)


@pytest.mark.parametrize(
    ("data", "reply"),
    [(b"", b""), (b"\x03\xe8bye", b"\x03\xe8"), (b"\x0f\xa0", b"\x0f\xa0"), (b"\x03", b"\x03\xea"), (b"\x03\xed", b"\x03\xea")],
)
def test_a_closing_frame_is_answered_with_its_code(data: bytes, reply: bytes) -> None:
    assert close_reply(data) == encode_frame(CLOSE, reply)


# The handshake.


def test_the_key_is_answered() -> None:
    headers = handshake(Request("GET", "/", headers={**UPGRADE, "sec-websocket-protocol": "a, b"}))
    assert headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert headers["Sec-WebSocket-Protocol"] == "a"


def test_who_does_not_ask_for_a_websocket_gets_none() -> None:
    assert wants_websocket(Request("GET", "/", headers=UPGRADE))
    for missing in ({"upgrade": "h2c"}, {"connection": "close"}):
        assert not wants_websocket(Request("GET", "/", headers={**UPGRADE, **missing}))


@pytest.mark.parametrize("wrong", [{"sec-websocket-version": "8"}, {"sec-websocket-key": "short"}, {"sec-websocket-key": "é"}])
async def test_a_bad_handshake_is_400(server: Server, wrong: dict[str, str]) -> None:
    response = await server.ask("GET", f"{MAPS}?watch=1", **{**UPGRADE, **wrong})
    assert response.status == 400
    assert response.headers.get("Sec-WebSocket-Version", "13") == "13"


# Whole watches.


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[tuple[HttpFront, str]]:
    front = HttpFront(server.pipeline.handle)
    port = await front.start("127.0.0.1", 0, None)
    try:
        yield front, f"http://127.0.0.1:{port}"
    finally:
        await front.close()


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers=AUTH) as session:
        yield session


async def test_each_event_is_a_text_message(server: Server) -> None:
    for name in ("a", "b"):
        await server.create(MAPS, name)
    async with listening(server) as (_, url), client() as session, session.ws_connect(f"{url}{MAPS}?watch=1") as socket:
        seen = [json.loads(await socket.receive_str()) for _ in range(2)]
        await server.create(MAPS, "c")
        seen.append(json.loads(await socket.receive_str()))
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in seen] == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    assert socket.close_code == 1000
    assert server.pipeline.metrics.watchers["configmaps"] == 0


async def test_protobuf_events_are_binary_messages(server: Server) -> None:
    await server.create(MAPS, "a")
    headers = {"Accept": server.dialect.protobuf_media_type}
    async with listening(server) as (_, url), client() as session, session.ws_connect(f"{url}{MAPS}?watch=1", headers=headers) as socket:
        event = {number: payload for number, _, payload in fields(await socket.receive_bytes())}
    assert event[1] == b"ADDED"
    (raw,) = [payload for number, _, payload in fields(event[2]) if number == 1]
    assert decode_message(decode_envelope(raw).raw, object_struct(CONFIG_MAP.schema))["metadata"]["name"] == "a"


async def test_tables_come_as_messages_too(server: Server) -> None:
    await server.create(MAPS, "a")
    headers = {"Accept": f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}"}
    async with listening(server) as (_, url), client() as session, session.ws_connect(f"{url}{MAPS}?watch=1", headers=headers) as socket:
        event = json.loads(await socket.receive_str())
    assert event["object"]["kind"] == "Table"


async def test_a_watch_that_is_over_closes(server: Server) -> None:
    path = f"{MAPS}?watch=1&timeoutSeconds=1"
    async with listening(server) as (_, url), client() as session, session.ws_connect(url + path) as socket:
        message = await socket.receive()
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1000)


async def test_what_can_not_be_watched_is_refused_as_usual(server: Server) -> None:
    async with listening(server) as (_, url), client() as session:
        for path, status in (("/api/v1/nothing?watch=1", 404), (f"{MAPS}?watch=1&resourceVersion=x", 400)):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(url + path)
            assert refused.value.status == status
        async with session.get(f"{url}{MAPS}", headers=UPGRADE) as answer:
            assert (answer.status, (await answer.json())["kind"]) == (200, "ConfigMapList")


async def test_a_server_that_stops_says_that_it_goes_away(server: Server) -> None:
    await server.create(MAPS, "a")
    async with listening(server) as (front, url), client() as session, session.ws_connect(f"{url}{MAPS}?watch=1") as socket:
        await socket.receive_str()
        closing = asyncio.create_task(front.close())
        message = await socket.receive()
        await closing
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1001)


async def test_a_token_may_stand_among_the_protocols(server: Server) -> None:
    token = base64.urlsafe_b64encode(b"admin-token").decode().rstrip("=")
    bearer = f"base64url.bearer.authorization.{server.dialect.group_suffix}.{token}"
    await server.create(MAPS, "a")
    async with listening(server) as (_, url), aiohttp.ClientSession() as session:
        async with session.ws_connect(f"{url}{MAPS}?watch=1", protocols=(bearer, "json")) as socket:
            assert socket.protocol == "json"
            assert json.loads(await socket.receive_str())["type"] == "ADDED"
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{url}{MAPS}?watch=1", protocols=(f"{bearer}x", "json"))
        assert refused.value.status == 401


class Raw:
    """A client that speaks frames itself."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def frame(self) -> tuple[int, bytes]:
        first, size = await self.reader.readexactly(2)
        if size > 125:
            size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
        return first & 0x0F, await self.reader.readexactly(size)


@asynccontextmanager
async def raw(url: str, early: bytes = b"", query: str = "watch=1") -> AsyncIterator[Raw]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    lines = "".join(f"{name}: {value}\r\n" for name, value in {"host": "x", **AUTH, **UPGRADE}.items())
    writer.write(f"GET {MAPS}?{query} HTTP/1.1\r\n{lines}\r\n".encode() + early)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
    try:
        yield Raw(reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


async def test_pings_are_answered_and_other_messages_thrown_away(server: Server) -> None:
    async with listening(server) as (_, url), raw(url, early=sent(PING, b"early")) as socket:
        assert await socket.frame() == (PONG, b"early")
        socket.writer.write(sent(TEXT, b"hello?") + sent(PONG) + sent(PING, b"there?"))
        assert await socket.frame() == (PONG, b"there?")


async def test_the_client_may_close(server: Server) -> None:
    async with listening(server) as (_, url), raw(url) as socket:
        socket.writer.write(sent(CLOSE, b"\x03\xe9"))
        assert await socket.frame() == (CLOSE, b"\x03\xe9")
        assert await socket.reader.read() == b""
    assert server.pipeline.metrics.watchers["configmaps"] == 0


async def test_a_broken_frame_ends_it(server: Server) -> None:
    async with listening(server) as (_, url), raw(url) as socket:
        socket.writer.write(encode_frame(TEXT, b"unmasked"))
        kind, data = await socket.frame()
        assert (kind, data[:2]) == (CLOSE, encode_close(1002)[2:4])
        assert await socket.reader.read() == b""


async def test_a_client_that_goes_leaves_nothing_behind(server: Server) -> None:
    async with listening(server) as (front, url):
        async with raw(url) as socket:
            socket.writer.write(sent(PING))
            await socket.frame()
        while front.connections:
            await asyncio.wait([connection._task for connection in front.connections if connection._task])
    assert server.pipeline.metrics.watchers["configmaps"] == 0


async def test_a_client_that_does_not_say_goodbye_is_hung_up_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LINGER_S", 0.01)
    async with listening(server) as (_, url), raw(url, query="watch=1&timeoutSeconds=1") as socket:
        assert await socket.frame() == (CLOSE, b"\x03\xe8")
        assert await socket.reader.read() == b""


async def test_nothing_follows_the_closing_frame(server: Server) -> None:
    for name in ("a", "b"):
        await server.create(MAPS, name)
    async with listening(server) as (_, url), raw(url, early=sent(CLOSE, b"\x03\xe9")) as socket:
        assert await socket.frame() == (CLOSE, b"\x03\xe9")
        assert await socket.reader.read() == b"", "no event, though there are some"


async def test_http_1_0_has_no_websockets(server: Server) -> None:
    await server.create(MAPS, "a")
    async with listening(server) as (_, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**AUTH, **UPGRADE}.items())
        writer.write(f"GET {MAPS}?watch=1 HTTP/1.0\r\n{lines}\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
        assert json.loads(await reader.readline())["type"] == "ADDED"
        writer.close()
