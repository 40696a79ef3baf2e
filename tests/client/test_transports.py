"""The contract of a transport, stated once and run over both: in process, and over real HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from svcsim.client.http import HttpTransport
from svcsim.client.in_process import InProcessTransport
from svcsim.client.transport import Transport
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import User

ADMIN = User("admin", ("system:masters",))


class Backend:
    """A handler to be asked, which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.left = asyncio.Event()
        self.go_on = asyncio.Event()

    async def handle(self, request: Request) -> Response:
        self.asked.append(request)
        if request.path == "/missing":
            return Response(404, b'{"kind":"Status"}')
        if request.path == "/lines":
            return Response(200, stream=self._lines())
        if request.path == "/endless":
            return Response(200, stream=self._endless())
        if request.path == "/broken":
            return Response(200, stream=self._broken())
        if request.path == "/long":
            return Response(200, stream=self._long())
        return Response(200, request.method.encode() + b" " + request.body, headers={"X-Said": request.query})

    async def _lines(self) -> AsyncIterator[bytes]:
        for piece in (b"one\ntwo", b"\n", b"", b"\nfo", b"ur", b"\nfive\nrest"):
            yield piece

    async def _endless(self) -> AsyncIterator[bytes]:
        try:
            yield b"begun\n"
            await self.go_on.wait()
            yield b"more\n"
            await asyncio.Event().wait()
        finally:
            self.left.set()

    async def _broken(self) -> AsyncIterator[bytes]:
        yield b"begun\n"
        raise ConnectionResetError("broken off")

    async def _long(self) -> AsyncIterator[bytes]:
        yield b"x" * 3_000_000 + b"\n"


@pytest.fixture
def backend() -> Backend:
    return Backend()


@contextlib.asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A real HTTP server around a handler; gives its base URL."""

    async def answer(request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Request(request.method, request.path, request.rel_url.raw_query_string, headers, await request.read())
        response = await handler(asked)
        if response.stream is None:
            return web.Response(status=response.status, body=response.body, content_type=response.content_type, headers=response.headers)
        streamed = web.StreamResponse(status=response.status)
        await streamed.prepare(request)
        try:
            async for piece in response.stream:
                if piece:
                    await streamed.write(piece)
        except ConnectionResetError:
            if request.transport is not None:
                request.transport.abort()
        finally:
            await response.stream.aclose()
        return streamed

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture(params=["in process", "over HTTP"])
async def transport(request: pytest.FixtureRequest, backend: Backend) -> AsyncIterator[Transport]:
    if request.param == "in process":
        inside = InProcessTransport(backend.handle, ADMIN, "tests")
        yield inside
        await inside.close()
        return
    async with serving(backend.handle) as url:
        over_http = HttpTransport(url, identity=[("authorization", "Bearer secret")])
        yield over_http
        await over_http.close()


async def test_a_request_arrives_whole_and_its_answer_comes_back(transport, backend):
    response = await transport.send(Request("PUT", "/some/path", "a=1&b=%2F", {"content-type": "text/plain"}, b"body"))
    assert (response.status, response.body) == (200, b"PUT body")
    asked = backend.asked[0]
    assert (asked.path, asked.query, asked.headers["content-type"]) == ("/some/path", "a=1&b=%2F", "text/plain")
    assert asked.headers["user-agent"] in ("tests", "svcsim")


async def test_an_error_status_is_an_answer_like_any_other(transport):
    response = await transport.send(Request("GET", "/missing"))
    assert (response.status, response.body) == (404, b'{"kind":"Status"}')


async def test_a_streamed_answer_to_send_comes_as_one_body(transport):
    response = await transport.send(Request("GET", "/lines"))
    assert response.body == b"one\ntwo\n\nfour\nfive\nrest"
    assert response.stream is None


async def test_a_stream_comes_in_lines_however_it_was_cut(transport):
    async with transport.stream(Request("GET", "/lines")) as stream:
        assert stream.status == 200
        assert [line async for line in stream] == [b"one", b"two", b"", b"four", b"five", b"rest"]


async def test_a_line_may_be_megabytes_long(transport):
    async with transport.stream(Request("GET", "/long")) as stream:
        assert [len(line) async for line in stream] == [3_000_000]


async def test_a_line_is_there_before_the_stream_goes_on(transport, backend):
    async with transport.stream(Request("GET", "/endless")) as stream:
        lines = aiter(stream)
        assert await anext(lines) == b"begun"
        backend.go_on.set()
        assert await anext(lines) == b"more"


async def test_leaving_a_stream_ends_it_on_the_server(transport, backend):
    async with transport.stream(Request("GET", "/endless")) as stream:
        assert await anext(aiter(stream)) == b"begun"
    await asyncio.wait_for(backend.left.wait(), 5)


async def test_an_error_answer_to_a_stream_is_read_as_one_body(transport):
    async with transport.stream(Request("GET", "/missing")) as stream:
        assert stream.status == 404
        assert await stream.read() == b'{"kind":"Status"}'


async def test_a_stream_that_breaks_off_raises_a_connection_error(transport):
    async with transport.stream(Request("GET", "/broken")) as stream:
        lines = aiter(stream)
        assert await anext(lines) == b"begun"
        with pytest.raises(ConnectionError):
            await anext(lines)


async def test_closing_the_transport_ends_open_streams(transport, backend):
    """Ends or breaks them: what must not happen is that a reader waits forever."""
    seen: list[bytes] = []

    async def follow() -> None:
        async with transport.stream(Request("GET", "/endless")) as stream:
            with contextlib.suppress(ConnectionError):
                async for line in stream:
                    seen.append(line)
                    reading.set()

    reading = asyncio.Event()
    task = asyncio.create_task(follow())
    await reading.wait()
    await transport.close()
    await asyncio.wait_for(task, 5)
    assert seen == [b"begun"]
    with pytest.raises(ConnectionError):
        await transport.send(Request("GET", "/"))


async def test_many_requests_at_once_are_answered_each_with_its_own(transport):
    responses = await asyncio.gather(*(transport.send(Request("POST", "/", body=str(n).encode())) for n in range(50)))
    assert [response.body for response in responses] == [f"POST {n}".encode() for n in range(50)]


async def test_in_process_requests_carry_the_user(backend):
    await InProcessTransport(backend.handle, ADMIN).send(Request("GET", "/"))
    assert backend.asked[0].user == ADMIN


async def test_http_requests_carry_the_credentials(backend):
    async with serving(backend.handle) as url:
        transport = HttpTransport(url, identity=[("authorization", "Bearer secret")])
        await transport.send(Request("GET", "/"))
        await transport.close()
    assert backend.asked[0].headers["authorization"] == "Bearer secret"


async def test_no_server_is_a_connection_error():
    transport = HttpTransport("http://127.0.0.1:1")
    with pytest.raises(ConnectionError):
        await transport.send(Request("GET", "/"))
    with pytest.raises(ConnectionError):
        async with transport.stream(Request("GET", "/")):
            pass
    await transport.close()
