"""How many connections are open at once, to servers that never answer and ones that do."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest

from svcsim.clock import turn
from svcsim.meta.http import Request
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.places import Turns
from svcsim.outbound.remote import OutboundError, Remote, Trust
from svcsim.outbound.services import Services
from svcsim.rest import Work
from tests.outbound.test_outbound import AUTHORITY, LONG_S, Cluster, remote, serving

SHORT_S = 0.2


class Silent:
    """Servers that accept connections and never say a word."""

    def __init__(self):
        self.accepted = self.open = self.most = 0
        self.full = asyncio.Event()
        self.filled_at = 0

    async def serve(self, reader, writer):
        self.accepted += 1
        self.open += 1
        self.most = max(self.most, self.open)
        if self.open == self.filled_at:
            self.full.set()
        try:
            while await reader.read(10_000):
                pass
        except ConnectionError:
            pass
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def silent(servers):
    """So many of them; gives them, and how to call each."""
    here = Silent()
    async with AsyncExitStack() as stack:
        listening = [await stack.enter_async_context(await asyncio.start_server(here.serve, "127.0.0.1", 0)) for _ in range(servers)]
        ports = [server.sockets[0].getsockname()[1] for server in listening]
        yield here, [Remote(f"test/{port}", f"https://127.0.0.1:{port}", trust=Trust(AUTHORITY.pem)) for port in ports]
        while here.open:
            await turn()


@asynccontextmanager
async def outbound(connections):
    out = Outbound(Services(Cluster(), Cluster().slices_of), Work(), connections)
    try:
        yield out
    finally:
        await out.close()


async def told(call):
    with pytest.raises(OutboundError) as raised:
        await call
    return str(raised.value)


async def test_all_servers_together_are_connected_to_no_more_often_than_may_be():
    """The others wait, and their time runs out meanwhile as that of any call does."""
    async with silent(5) as (servers, remotes), outbound(connections=3) as out:
        servers.filled_at = 3
        first = [asyncio.create_task(out.ask(remote, {}, deadline_s=LONG_S)) for remote in remotes[:3]]
        await servers.full.wait()
        said = await asyncio.gather(*(told(out.ask(remote, {}, deadline_s=SHORT_S)) for remote in remotes * 4))
        for call in first:
            call.cancel()
        await asyncio.gather(*first, return_exceptions=True)
    assert said == [f'Post "{one.url}/?timeout=1s": context deadline exceeded' for one in remotes * 4]
    assert servers.most == 3


async def test_a_server_that_never_answers_leaves_half_of_the_places_to_others(tmp_path):
    """However many call it, and on whose behalf."""
    async with silent(1) as (servers, [hung]), serving(tmp_path) as good, outbound(connections=4) as out:
        servers.filled_at = 2
        on_behalf = [Remote(f"test/{number}", hung.url, trust=hung.trust) for number in range(6)]
        calls = [asyncio.create_task(out.call(one, Request("GET", ""), deadline_s=LONG_S)) for one in on_behalf]
        await servers.full.wait()
        answer = await out.call(remote(good), Request("GET", "/echo"), deadline_s=LONG_S)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    assert (answer.status, servers.most) == (200, 2)


async def test_who_never_answers_leaves_others_at_the_same_address_their_places(tmp_path):
    async with serving(tmp_path) as good, outbound(connections=64) as out:
        arrived, go, waiting = asyncio.Event(), asyncio.Event(), []

        async def held(request):
            waiting.append(request)
            if len(waiting) == 4:
                arrived.set()
            await go.wait()
            return await good.echo(request)

        good.held = held
        calls = [asyncio.create_task(out.call(remote(good), Request("GET", "/held"), deadline_s=LONG_S)) for _ in range(40)]
        await arrived.wait()
        other = replace(remote(good), name="test/other")
        assert (await out.call(other, Request("GET", "/echo"), deadline_s=LONG_S)).status == 200
        assert len(waiting) == 4
        go.set()
        await asyncio.gather(*calls)


async def test_a_kept_connection_gives_way_to_a_new_one(tmp_path):
    """Those that are kept count too: of three, one is still there when five others are open, as there may be six."""
    async with serving(tmp_path) as good, silent(5) as (servers, remotes), outbound(connections=6) as out:
        arrived, go = asyncio.Event(), asyncio.Event()

        async def held(request):
            if len(good.peers) == 3:
                arrived.set()
            await go.wait()
            return await good.echo(request)

        good.held = held
        named = [replace(remote(good), name=f"test/{number}") for number in range(3)]
        calls = [asyncio.create_task(out.call(one, Request("GET", "/held"), deadline_s=LONG_S)) for one in named]
        await arrived.wait()
        go.set()
        await asyncio.gather(*calls)
        servers.filled_at = 5
        hung = [asyncio.create_task(out.call(one, Request("GET", ""), deadline_s=LONG_S)) for one in remotes]
        await servers.full.wait()
        assert [(await out.call(remote(good), Request("GET", "/echo"), deadline_s=LONG_S)).status for _ in range(2)] == [200, 200]
        assert len(set(good.peers)) == 3, "that was the one that is left"
        for call in hung:
            call.cancel()
        await asyncio.gather(*hung, return_exceptions=True)


async def test_answers_that_go_on_leave_half_of_the_places(tmp_path):
    async with serving(tmp_path) as good, outbound(connections=4) as out, AsyncExitStack() as streams:
        for _ in range(2):
            await streams.enter_async_context(out.stream(remote(good), Request("GET", "/echo"), deadline_s=LONG_S))
        with pytest.raises(OutboundError, match=r"^2 streams are open already, as many as may be$"):
            await streams.enter_async_context(out.stream(remote(good), Request("GET", "/echo"), deadline_s=LONG_S))
        assert (await out.call(remote(good), Request("GET", "/echo"), deadline_s=LONG_S)).status == 200


async def test_the_time_of_those_that_take_turns_runs_from_the_beginning():
    """So nobody is left to be asked when it's over for the first; one after the other would ask all six."""
    async with silent(1) as (servers, [hung]), outbound(connections=10) as out:
        turns = Turns(1, size_bytes=0)
        said = await asyncio.gather(*(told(out.ask(hung, {}, deadline_s=SHORT_S, turns=turns)) for _ in range(6)))
    assert said == [f'Post "{hung.url}/?timeout=1s": context deadline exceeded'] * 6
    assert servers.accepted < 6
