"""The dashboard and the way to its cluster: over the wire, and when it breaks."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from svcsim.client.http import HttpTransport
from svcsim.client.kubeconfig import Access
from svcsim.client.moving import MovingTransport
from svcsim.client.transport import Stream, Transport
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.http import Request, Response
from tests.tui.terminal import Terminal, config_map, create, dashboard, pod


class Cuttable:
    """A way to the cluster that can be cut and mended."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._way: Transport | None = cluster.client("dashboard").transport

    async def send(self, request: Request) -> Response:
        return await self._open().send(request)

    def stream(self, request: Request) -> Stream:
        return self._open().stream(request)

    async def close(self) -> None:
        if self._way is not None:
            await self._way.close()

    async def cut(self) -> None:
        way, self._way = self._way, None
        assert way is not None
        await way.close()

    def mend(self) -> None:
        self._way = self._cluster.client("dashboard").transport

    def _open(self) -> Transport:
        if self._way is None:
            raise ConnectionError("nobody answers")
        return self._way


async def test_a_lost_connection_is_shown_and_what_was_missed_comes_when_it_is_back(cluster: Cluster):
    client = cluster.client("test")
    await create(client, pod("web-1"))
    way = Cuttable(cluster)
    async with dashboard(cluster, transport=way) as terminal:
        await terminal.shows("web-1", "● connected")
        await way.cut()
        await terminal.shows("○ reconnecting", "nobody answers", "web-1")
        await create(client, pod("web-2"))
        way.mend()
        await terminal.shows("● connected", "web-2")


async def test_a_cluster_that_does_not_answer_yet_is_waited_for(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    way = Cuttable(cluster)
    await way.cut()
    async with dashboard(cluster, transport=way) as terminal:
        await terminal.shows("○ reconnecting", "nobody answers")
        way.mend()
        await terminal.shows("● connected", "web-1")


async def test_the_dashboard_works_over_the_wire():
    async with open_cluster(ClusterSpec(nodes=0, seed=1, dialect="kubernetes", served=True)) as cluster:
        served = await cluster.serve()
        access = Access(served.url, ca_pem=served.ca_certificate.read_bytes(), token=served.token)
        client = cluster.client("test")
        await create(client, config_map("settings"))
        async with dashboard(cluster, transport=HttpTransport.to(access)) as terminal:
            await terminal.type(":cm")
            await terminal.press("enter")
            await terminal.shows("settings", "● connected")
            await create(client, config_map("more"))
            await terminal.shows("more")
            await client.resource("v1", "configmaps", "default").delete("settings")
            await terminal.hides("settings")


async def test_a_server_that_is_down_is_told_in_words_and_a_cluster_made_anew_is_found_again():
    async with AsyncExitStack() as life:
        first = await life.enter_async_context(open_cluster(ClusterSpec(nodes=0, seed=1, served=True)))
        old = await _access(first)
        places = [old]
        await create(first.client("test"), config_map("settings"))
        async with dashboard(first, size=(120, 24), transport=MovingTransport(old, lambda: places[-1])) as terminal:
            await terminal.type(":cm")
            await terminal.press("enter")
            await terminal.shows("settings", "● connected")
            await life.aclose()
            await terminal.shows("○ reconnecting", "was refused")
            assert "Errno" not in terminal.title()
            async with open_cluster(ClusterSpec(nodes=0, seed=2, served=True)) as second:
                places.append(await _access(second))
                await create(second.client("test"), config_map("afresh"))
                await terminal.shows("● connected", "afresh")
                await terminal.hides("settings")


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [("y", "made: first", "made: second"), ("d", "made: first", "made: second"), ("l", "logs pod/web (main)", "following")],
)
async def test_what_is_read_of_an_object_is_read_anew_of_a_cluster_made_anew(key: str, before: str, after: str):
    async with AsyncExitStack() as life:
        first = await life.enter_async_context(_with_web("first"))
        old = await _access(first)
        places = [old]
        async with dashboard(first, size=(120, 60), transport=MovingTransport(old, lambda: places[-1])) as terminal:
            await terminal.until(lambda: "Running" in terminal.row("web"))
            await terminal.press(key)
            await terminal.until(lambda: before in _spaced(terminal))
            await life.aclose()
            await terminal.shows("○ reconnecting")
            await terminal.hides("following")
            async with _with_web("second") as second:
                places.append(await _access(second))
                await terminal.shows("● connected")
                await terminal.until(lambda: after in _spaced(terminal))


def _spaced(terminal: Terminal) -> str:
    """The screen, with one space where there are several or an equals sign."""
    return re.sub(r"[ =]+", " ", "\n".join(terminal.lines())).replace("made first", "made: first").replace("made second", "made: second")


@asynccontextmanager
async def _with_web(made: str) -> AsyncIterator[Cluster]:
    """A cluster in which a pod runs."""
    async with open_cluster(ClusterSpec(nodes=1, served=True, clock_speed=20.0)) as cluster:
        client = cluster.client("test")
        account = {"metadata": {"name": "default"}}  # whose controller begins once the cluster is served
        await client.resource("v1", "serviceaccounts", "default").create(account)
        await create(client, pod("web", made=made))
        yield cluster


async def _access(cluster: Cluster) -> Access:
    served = await cluster.serve()
    return Access(served.url, ca_pem=served.ca_certificate.read_bytes(), token=served.token)
