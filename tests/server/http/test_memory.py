"""What clients can make the server hold: bodies nobody has asked for, and answers nobody reads."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.server.http.front import HttpFront
from tests.server.conftest import Server
from tests.server.http.test_http import AUTH, MAPS, Front

LONG = 3_000_000


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[Front]:
    made = HttpFront(server.pipeline.handle)
    front = Front(server, made, await made.start("127.0.0.1", 0, None))
    yield front
    await front.close()


class Deaf:
    """A client that asks and doesn't read."""

    def __init__(self, front: Front, requests: bytes) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(("127.0.0.1", front.port))
        self._socket.sendall(requests)
        self.address = self._socket.getsockname()

    def read(self, count: int) -> None:
        self._socket.recv(count)

    def close(self) -> None:
        self._socket.close()


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: x\r\n{AUTH}\r\n".encode()


def unsent(front: Front) -> list[int]:
    """What each connection of the server holds to be sent."""
    return [connection._transport.get_write_buffer_size() for connection in front.front.connections]


async def fill(server: Server, count: int) -> None:
    for number in range(count):
        await server.create(MAPS, f"n{number}", data={"x": "x" * 900_000})


@pytest.mark.parametrize("headers", ["", "authorization: Bearer wrong\r\n"])
async def test_a_body_is_not_waited_for_before_it_is_known_whose_it_is(server: Server, headers: str) -> None:
    async with listening(server) as front:
        wire = await front.connect()
        wire.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {LONG}\r\n\r\n".encode() + b" " * (LONG // 2))
        assert (await wire.answer()).status in (401, 403)


async def test_who_shows_no_credentials_can_not_send_much_to_what_is_open_to_all(server: Server) -> None:
    async with listening(server) as front:
        wire = await front.connect()
        wire.send(f"GET /version HTTP/1.1\r\nhost: x\r\ncontent-length: {LONG}\r\n\r\n ".encode())
        assert (await wire.answer()).status == 413


async def test_bodies_together_have_a_limit(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODIES_BYTES", LONG + LONG // 2)
    body = b'{"metadata": {"name": "one"}}'.ljust(LONG)
    async with listening(server) as front:
        first, second, third = [await front.connect() for _ in range(3)]
        first.send(f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}expect: 100-continue\r\ncontent-length: {LONG}\r\n\r\n".encode())
        await first.reader.readuntil(b"\r\n\r\n")
        refused = await second.ask("POST", MAPS, body)
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert (await third.ask("POST", MAPS, b'{"metadata": {"name": "small"}}')).status == 201, "what is small needs no room"
        first.send(body)
        assert (await first.answer()).status == 201
        assert (await third.ask("POST", MAPS, body.replace(b"one", b"two"))).status == 201, "there is room again"


async def test_bodies_sent_ahead_stay_in_the_network(server: Server) -> None:
    request = f"POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTH}content-length: {LONG}\r\n\r\n".encode().ljust(LONG)
    async with listening(server) as front:
        wire = await front.connect()
        wire.send(get(f"{MAPS}?watch=1") + request)
        await wire.head()
        (connection,) = front.front.connections
        while not connection._held:
            await front.server.clock.turn()
        assert connection._requests[0].body_bytes < LONG // 4
        wire.writer.close()


async def test_a_client_that_takes_nothing_of_its_answer_is_ended(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IDLE_CONNECTION_S", 0.04)
    await fill(server, 8)
    async with listening(server) as front:
        deaf = [Deaf(front, get(path)) for path in (MAPS, f"{MAPS}?watch=1", f"{MAPS}?limit=3", f"{MAPS}/n0?pretty=1")]
        while len(front.front.connections) < len(deaf):
            await turn()
        while front.front.connections:
            await turn()
        for client in deaf:
            client.close()


@pytest.mark.parametrize("query", ["", "?limit=4", "?watch=1"])
async def test_answers_that_are_not_read_are_not_copied_for_each_client(server: Server, query: str) -> None:
    await fill(server, 6)
    async with listening(server) as front:
        deaf = [Deaf(front, get(MAPS + query) * 4) for _ in range(20)]
        while len(unsent(front)) < len(deaf) or not all(connection._writer.full for connection in front.front.connections):
            await turn()
        assert max(unsent(front)) <= 3 * limits.LIST_PIECE_BYTES
        for client in deaf:
            client.close()


async def test_a_client_that_reads_slowly_is_not_ended(server: Server) -> None:
    await fill(server, 16)
    async with listening(server) as front:
        slow, deaf = [Deaf(front, get(f"{MAPS}?limit=12")) for _ in range(2)]
        while len(unsent(front)) < 2 or not all(connection._writer.full for connection in front.front.connections):
            await turn()
        reading, other = sorted(
            front.front.connections, key=lambda connection: connection._transport.get_extra_info("peername") != slow.address
        )
        before = reading._transport.get_write_buffer_size()
        for _ in range(3 * limits.IDLE_SWEEPS):
            slow.read(2_000)
            await turn()
            reading.grow_older()
            other.grow_older()
        assert reading._transport.get_write_buffer_size() == before, "what has been read was the operating system's"
        while other in front.front.connections:
            await turn()
        assert list(front.front.connections) == [reading]
        slow.close()
        deaf.close()


async def test_answers_that_are_not_read_have_a_limit_together(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNTAKEN_BYTES", 10_000_000)
    await fill(server, 4)
    whole = len((await server.ask("GET", MAPS)).body)
    async with listening(server) as front:
        untaken = front.front._shared.untaken
        deaf: list[Deaf] = []
        for number in range(24):
            path = (f"{MAPS}/n0?pretty=1", f"{MAPS}?watch=1", f"{MAPS}?limit=3", MAPS)[number % 4]
            deaf.append(Deaf(front, get(path) * 8))
            newest = deaf[-1]
            while not any(
                connection._writer.full
                for connection in front.front.connections
                if connection._transport.get_extra_info("peername") == newest.address
            ):
                await turn()
            assert untaken.held_bytes <= limits.UNTAKEN_BYTES
        assert 1 < len(untaken._waiting) < len(deaf), "those that waited for longest were hung up on"
        wire = await front.connect()
        assert len((await wire.ask("GET", MAPS)).body) == whole, "who reads is served"
        for client in deaf:
            client.close()
        while front.front.connections:
            wire.writer.close()
            await turn()
        assert untaken.held_bytes == 0


async def test_http_1_0_is_not_told_to_go_on(server: Server) -> None:
    body = b'{"metadata": {"name": "one"}}'
    async with listening(server) as front:
        wire = await front.connect()
        wire.send(f"POST {MAPS} HTTP/1.0\r\n{AUTH}expect: 100-continue\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        while not front.front.connections:
            await turn()
        (connection,) = front.front.connections
        while connection._unread is None or not connection._unread.wanted:
            await turn()
        wire.send(body)
        assert (await wire.answer()).status == 201
