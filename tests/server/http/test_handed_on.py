"""Bodies that are handed on as they come in: of any length, and little of them is held."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Handler, Request, Response
from svcsim.server.http.front import HttpFront
from tests.server.conftest import Server
from tests.server.http.test_http import Front, Wire

LONG = 2 * limits.BODY_BYTES
READ_AT_ONCE = 256 * 1024
"""More than asyncio reads from a socket at a time."""
BODY = bytes(range(256)) * (LONG // 256)


@asynccontextmanager
async def answered_by(server: Server, handler: Handler) -> AsyncIterator[Front]:
    made = HttpFront(handler)
    front = Front(server, made, await made.start("127.0.0.1", 0, None))
    yield front
    await front.close()


def sent(length: int | None) -> bytes:
    """The head of a request with a body of that length, or in chunks."""
    framing = "transfer-encoding: chunked" if length is None else f"content-length: {length}"
    return f"POST / HTTP/1.1\r\nhost: x\r\n{framing}\r\n\r\n".encode()


async def answer_to(wire: Wire) -> bytes:
    return (await wire.answer()).body


@pytest.mark.parametrize("chunked", [True, False])
async def test_all_of_it_comes_and_little_is_held_meanwhile(server: Server, *, chunked: bool) -> None:
    held: list[int] = []
    taken: list[bytes] = []

    async def slow(request: Request) -> Response:
        if request.unread is None:
            return Response(200, b"again")
        assert request.unread.declared_bytes == (None if chunked else LONG)
        async for piece in request.unread.pieces():
            taken.append(piece)
            for _ in range(3):
                await turn()
            held.extend(one._unread.body_bytes for one in front.front.connections if one._unread is not None)
        return Response(200, b"done")

    async with answered_by(server, slow) as front:
        wire = await front.connect()
        wire.send(sent(None if chunked else LONG) + (b"%x\r\n%b\r\n0\r\n\r\n" % (LONG, BODY) if chunked else BODY))
        assert await answer_to(wire) == b"done"
        assert b"".join(taken) == BODY
        assert max(held) <= limits.READ_AHEAD_BYTES + READ_AT_ONCE
        wire.send(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert await answer_to(wire) == b"again", "the connection goes on"


async def test_who_has_seen_enough_answers_at_once(server: Server) -> None:
    async def curt(request: Request) -> Response:
        assert request.unread is not None
        async for _ in request.unread.pieces():
            break
        return Response(413, b"too much")

    async with answered_by(server, curt) as front:
        wire = await front.connect()
        wire.send(sent(LONG) + BODY[: LONG // 2])
        answer = await wire.answer()
        assert (answer.status, answer.headers["connection"], answer.body) == (413, "close", b"too much")


async def test_a_body_goes_on_coming_in_while_its_answer_goes_out(server: Server) -> None:
    async def echo(request: Request) -> Response:
        assert request.unread is not None
        return Response(200, content_type="text/plain", stream=request.unread.pieces())

    async with answered_by(server, echo) as front:
        wire = await front.connect()
        wire.send(sent(8) + b"ab")
        await wire.head()
        assert await wire.chunk() == b"ab"
        wire.send(b"cdef")
        assert await wire.chunk() == b"cdef"
        wire.send(b"gh")
        assert [await wire.chunk(), await wire.chunk()] == [b"gh", b""]


async def test_a_client_that_leaves_in_the_middle_is_told_of(server: Server) -> None:
    ended: asyncio.Future[StatusError] = asyncio.get_running_loop().create_future()

    async def told(request: Request) -> Response:
        assert request.unread is not None
        try:
            async for _ in request.unread.pieces():
                wire.writer.close()
        except StatusError as error:
            ended.set_result(error)
        return Response(200)

    async with answered_by(server, told) as front:
        wire = await front.connect()
        wire.send(sent(100) + b"x")
        assert (await ended).message == "the client left before it had sent the whole body"


async def test_a_client_that_waits_for_leave_gets_it(server: Server) -> None:
    async def handed(request: Request) -> Response:
        assert request.unread is not None
        return Response(200, b"".join([piece async for piece in request.unread.pieces()]))

    async with answered_by(server, handed) as front:
        wire = await front.connect()
        wire.send(sent(2).replace(b"host: x", b"host: x\r\nexpect: 100-continue"))
        assert (await wire.head()).status == 100
        wire.send(b"ok")
        assert await answer_to(wire) == b"ok"


TINY = b"1\r\n \r\n"


async def test_a_body_in_tiny_chunks_is_read_in_short_turns(server: Server) -> None:
    length, most = 100_000, limits.PIECES_A_TURN + limits.PARSED_BYTES // len(TINY) + 1
    begun = asyncio.Event()

    async def whole(request: Request) -> Response:
        begun.set()
        assert request.unread is not None
        return Response(200, b"%d" % len(await request.unread.read(limits.BODY_BYTES)))

    async with answered_by(server, whole) as front:
        wire = await front.connect()
        wire.send(sent(None))
        await begun.wait()
        connection = next(iter(front.front.connections))
        incoming = connection._unread
        assert incoming is not None
        connection.data_received(TINY * length)  # what has come in while the loop was busy
        read = [0, incoming.body_bytes]
        while read[-1] < length:
            await turn()
            read.append(incoming.body_bytes)
        assert max(after - before for before, after in pairwise(read)) <= most
        wire.send(b"0\r\n\r\n")
        assert await answer_to(wire) == b"%d" % length


async def test_what_comes_together_is_handed_on_together(server: Server) -> None:
    length = 100_000
    pieces: list[int] = []

    async def counting(request: Request) -> Response:
        assert request.unread is not None
        pieces.extend([len(piece) async for piece in request.unread.pieces()])
        return Response(200, b"done")

    async with answered_by(server, counting) as front:
        wire = await front.connect()
        wire.send(sent(None) + TINY * length + b"0\r\n\r\n")
        assert await answer_to(wire) == b"done"
    assert sum(pieces) == length
    assert len(pieces) < length / 10


async def test_who_leaves_is_heard_to_the_end(server: Server) -> None:
    bodies: list[int] = []
    told = asyncio.Event()

    async def whole(request: Request) -> Response:
        assert request.unread is not None
        bodies.append(len(await request.unread.read(limits.BODY_BYTES)))
        told.set()
        return Response(200, b"")

    async with answered_by(server, whole) as front:
        await front.connect()
        while not front.front.connections:
            await turn()
        connection = next(iter(front.front.connections))
        connection.data_received(sent(None))
        while connection._unread is None:
            await turn()
        connection.data_received(TINY * 50_000 + b"0\r\n\r\n")
        connection._transport.abort()
        await told.wait()
    assert bodies == [50_000]
