"""DaemonSets under a cache that lags behind, two controllers, restarts in the middle, and a server that refuses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import Informers
from svcsim.cluster import parts
from svcsim.controllers.daemonset.controller import DaemonSetController
from svcsim.controllers.trims import trims
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import User
from tests.controllers.daemons import Daemons, daemon_set, ready_nodes, surge, with_image
from tests.controllers.running import Running, running
from tests.virtual import run_virtual

NODES = ["node-1", "node-2", "node-3"]
AGENT = ObjectKey("default", "agent")


class Beside:
    """A DaemonSet controller that works beside a cluster, with caches of its own that can be made to lag behind."""

    def __init__(self, r: Running, handle: Callable[[Request], Awaitable[Response]] | None = None) -> None:
        client = Client(InProcessTransport(handle or r.cluster.pipeline.handle, User("system:controller", ("system:masters",))), r.dialect)
        events = EventRecorder(client, r.clock, "daemonset-controller")
        self.informers = Informers(client, r.clock, Chance(3), trims(r.dialect))
        context = ControllerContext(client, self.informers, r.cluster.served_types, r.clock, Chance(2), r.dialect, events)
        self.controller = DaemonSetController(context)
        self.events = events

    @asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Caches follow the cluster, and stand still afterwards."""
        task = asyncio.create_task(self.informers.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        async with self.following():
            tasks = [asyncio.create_task(self.controller.run()), asyncio.create_task(self.events.run())]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def _without_its_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "CONTROLLERS", tuple(entry for entry in parts.CONTROLLERS if entry[1] is not DaemonSetController))


@pytest.mark.virtual_time
@pytest.mark.usefixtures("_without_its_controller")
async def test_a_cache_that_lags_behind_leads_to_no_second_pod_and_no_second_revision():
    async with running() as r:
        d, b = Daemons(r), Beside(r)
        async with b.following():
            await r.clock.sleep(5)
            await d.sets.create(daemon_set())
            await r.clock.sleep(1)
        for _ in range(3):
            await b.controller.reconcile(AGENT)
        assert len(await r.pods.list_all()) == 3
        assert list(await d.revisions()) == [1]
        async with b.following():
            await r.until(lambda pods: len(ready_of(pods)) == 3, r.pods)
            await r.clock.sleep(5)
            await b.controller.reconcile(AGENT)
            await d.done()
            await d.sets.patch("agent", with_image("agent:2"))
            await r.clock.sleep(1)
        for _ in range(3):
            await b.controller.reconcile(AGENT)
        assert len(await d.pods()) == 2, "one is being replaced, and what becomes of it hasn't been seen yet"


def ready_of(pods):
    return [node_of(pod) for pod in pods if ready_nodes([pod])]


@pytest.mark.virtual_time
@pytest.mark.parametrize("strategy", [{}, surge(1)])
async def test_two_controllers_arrive_at_the_same(strategy):
    async with running() as r:
        d, b = Daemons(r), Beside(r)
        async with b.working():
            await d.sets.create(daemon_set(**strategy))
            await d.done()
            await r.clock.sleep(60)
            assert await d.places() == NODES
            await d.sets.patch("agent", with_image("agent:2"))
            await d.done()
            await r.clock.sleep(60)
            assert await d.places() == NODES
            assert list(await d.revisions()) == [1, 2]


@pytest.mark.virtual_time
@pytest.mark.usefixtures("_without_its_controller")
@pytest.mark.parametrize("strategy", [{}, surge(1)])
async def test_an_update_whose_controller_is_replaced_again_and_again_comes_to_its_end(strategy):
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(**strategy))
        for image in ("agent:1", "agent:2"):
            await d.sets.patch("agent", with_image(image))
            for _ in range(60):
                async with Beside(r).working():
                    await r.clock.sleep(1)
                assert len(await d.pods()) <= 3 + bool(strategy)
            await d.done(within_s=1)
        assert await d.places() == NODES
        assert list(await d.revisions()) == [1, 2]


@pytest.mark.parametrize("after_s", [0.01, 1, 3, 8, 15])
def test_a_server_that_is_started_again_in_the_middle_of_an_update_goes_on(tmp_path: Path, after_s: float):
    async def before() -> None:
        async with running(data_dir=tmp_path) as r:
            d = Daemons(r)
            await d.sets.create(daemon_set())
            await d.done()
            await d.sets.patch("agent", with_image("agent:2"))
            await r.clock.sleep(after_s)

    async def after() -> None:
        async with running(data_dir=tmp_path) as r:
            d = Daemons(r)
            await d.done()
            assert await d.places() == NODES
            assert [pod["spec"]["containers"][0]["image"] for pod in await d.pods()] == ["agent:2"] * 3
            assert list(await d.revisions()) == [1, 2]

    run_virtual(before())
    run_virtual(after())


@pytest.mark.virtual_time
async def test_a_set_that_is_made_anew_under_its_name_gets_pods_of_its_own():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        before = list(map(name_of, await d.pods()))
        await d.sets.delete("agent")
        await d.sets.create(daemon_set())
        item = await d.done()
        await r.until(lambda pods: not any(name_of(pod) in before for pod in pods), r.pods)
        await r.clock.sleep(30)
        assert await d.places() == NODES
        assert {pod["metadata"]["ownerReferences"][0]["uid"] for pod in await d.pods()} == {item["metadata"]["uid"]}
        assert {kept["metadata"]["ownerReferences"][0]["uid"] for kept in await d.kept.list_all()} == {item["metadata"]["uid"]}


@pytest.mark.virtual_time
@pytest.mark.usefixtures("_without_its_controller")
async def test_what_the_server_refuses_is_told_in_events_and_tried_again_later():
    async with running() as r:
        refused = True

        async def handle(request: Request) -> Response:
            if refused and request.method in {"POST", "DELETE"} and "/pods" in request.path:
                return Response(403, encode(StatusError(403, "Forbidden", "exceeded quota: small").status()))
            return await r.cluster.pipeline.handle(request)

        d, b = Daemons(r), Beside(r, handle)
        async with b.working():
            await d.sets.create(daemon_set())
            await r.clock.sleep(30)
            assert await r.events_of("agent") == [("FailedCreate", "Error creating: exceeded quota: small")]
            item = await d.sets.get("agent")
            assert (item["status"]["numberUnavailable"], item["status"]["observedGeneration"]) == (3, 1)
            refused = False
            await d.done()
            refused = True
            await d.nodes.patch("node-1", {"spec": {"taints": [{"key": "mine", "effect": "NoExecute"}]}})
            await r.clock.sleep(30)
            assert ("FailedDelete", "Error deleting: exceeded quota: small") in await r.events_of("agent")


@pytest.mark.virtual_time
async def test_a_namespace_takes_its_daemons_along_and_nothing_is_told_of_what_can_not_be_made():
    async with running() as r:
        d = Daemons(r)
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        wish = daemon_set()
        await d.sets.within("shop").create({**wish, "metadata": {"name": "agent"}})
        await r.until(lambda pods: len(pods) == 3, r.pods.within("shop"))
        await namespaces.delete("shop")
        await r.until_gone(namespaces, "shop", 300)
        assert [pod for pod in await r.pods.within("").list_all() if pod["metadata"]["namespace"] == "shop"] == []
