"""Watches over WebSockets on a real server, with TLS between: a client library, and bytes."""

import asyncio
import base64
import hashlib
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from svcsim.schema.common import object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message
from svcsim.schema.types import Field, Map, Str, Struct
from svcsim.schema.wire import fields
from tests.wire.raw import Wire

CONFIG_MAP = object_struct(Struct("ConfigMap", Field(2, "data", Map(Str()))))


@asynccontextmanager
async def client(wire: Wire, **headers: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A session whose connections are gone when it is: TLS would like to say goodbye at length."""
    connector = aiohttp.TCPConnector(ssl=wire.tls)
    headers["Authorization"] = f"Bearer {wire.token}"
    async with aiohttp.ClientSession(connector=connector, connector_owner=False, headers=headers) as session:
        yield session
    await connector.close(abort_ssl=True)


def watch_url(wire: Wire, maps: str, revision: str) -> str:
    return f"wss://127.0.0.1:{wire.server.port}{maps}?watch=1&fieldSelector=metadata.name%3Da&resourceVersion={revision}"


def first_revision(wire: Wire, maps: str) -> str:
    return wire.get(maps)["metadata"]["resourceVersion"]


async def test_events_come_as_text(wire: Wire, maps: str) -> None:
    url = watch_url(wire, maps, first_revision(wire, maps))
    async with client(wire) as session, session.ws_connect(url) as socket:
        await asyncio.to_thread(wire.create, maps, {"metadata": {"name": "a"}})
        await asyncio.to_thread(wire.patch, f"{maps}/a", {"data": {"big": "x" * 70_000}})
        await asyncio.to_thread(wire.delete, f"{maps}/a")
        await socket.ping(b"still there?")
        seen = [json.loads(await socket.receive_str()) for _ in range(3)]
    assert [event["type"] for event in seen] == ["ADDED", "MODIFIED", "DELETED"]
    assert len(seen[1]["object"]["data"]["big"]) == 70_000
    assert socket.close_code == 1000


async def test_events_come_as_protobuf(wire: Wire, maps: str) -> None:
    url = watch_url(wire, maps, first_revision(wire, maps))
    async with client(wire, Accept=wire.dialect.protobuf_media_type) as session, session.ws_connect(url) as socket:
        await asyncio.to_thread(wire.create, maps, {"metadata": {"name": "a"}, "data": {"x": "1"}})
        event = {number: payload for number, _, payload in fields(await socket.receive_bytes())}
    (raw,) = [payload for number, _, payload in fields(event[2]) if number == 1]
    assert decode_message(decode_envelope(raw).raw, CONFIG_MAP)["data"] == {"x": "1"}


async def refusal(wire: Wire, maps: str, revision: str, token: str) -> int:
    """The status a handshake is refused with. Byte by byte, for the client library lets go of a refused connection half closed."""
    tls = ssl.create_default_context(cadata=wire.server.ca_pem)
    reader, writer = await asyncio.open_connection("127.0.0.1", wire.server.port, ssl=tls)
    lines = (
        f"GET {maps}?watch=1&resourceVersion={revision} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {token}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(b'sixteen bytes...').decode()}",
    )
    writer.write("\r\n".join((*lines, "", "")).encode())
    status = int((await reader.readline()).split()[1])
    await reader.read()
    writer.close()
    await writer.wait_closed()
    return status


async def test_a_revision_that_is_gone_is_told(wire: Wire, maps: str) -> None:
    assert await refusal(wire, maps, "none", wire.token) == 400


async def test_who_may_not_is_refused(wire: Wire, maps: str) -> None:
    assert await refusal(wire, maps, "0", "wrong") == 401


async def test_byte_by_byte(wire: Wire, maps: str) -> None:
    tls = ssl.create_default_context(cadata=wire.server.ca_pem)
    reader, writer = await asyncio.open_connection("127.0.0.1", wire.server.port, ssl=tls)
    key = base64.b64encode(b"sixteen bytes...").decode()
    lines = (
        f"GET {maps}?watch=1&fieldSelector=metadata.name%3Da&resourceVersion={first_revision(wire, maps)} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {wire.token}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Protocol: v1.watch, other",
    )
    writer.write("\r\n".join((*lines, "", "")).encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    accept = base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()).decode()
    assert head.startswith("http/1.1 101 switching protocols\r\n")
    assert f"sec-websocket-accept: {accept.lower()}\r\n" in head
    assert "sec-websocket-protocol: v1.watch\r\n" in head
    await asyncio.to_thread(wire.create, maps, {"metadata": {"name": "a"}})
    first, size = await reader.readexactly(2)
    assert (first, size) == (0x81, 126), "one text frame, of some hundred bytes"
    size = int.from_bytes(await reader.readexactly(2), "big")
    assert json.loads(await reader.readexactly(size))["type"] == "ADDED"
    writer.write(b"\x89\x82\x00\x00\x00\x00hi")
    assert await reader.readexactly(4) == b"\x8a\x02hi"
    writer.write(b"\x88\x82\x00\x00\x00\x00\x03\xe8")
    assert await reader.read() == b"\x88\x02\x03\xe8"
    writer.close()
    await writer.wait_closed()
