"""A scheduler whose requests are held up, fail, or come too late: what it does is done to the pods that were meant, and once."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.meta.http import Request
from svcsim.meta.objects import condition, is_terminating, uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Json, Object
from svcsim.scheduler.scheduler import Scheduler
from tests.controllers.beside import Beside, beside
from tests.controllers.running import Running, running
from tests.living import pod

WITHOUT_ITS_OWN = ("*", "-scheduler")
NOWHERE: Object = {"nodeSelector": {"disk": "none"}}


def scheduler(context: ControllerContext) -> Scheduler:
    name = "default-scheduler"
    return Scheduler(context, {name: EventRecorder(context.client, context.clock, name)})


def scheduling(r: Running, before: Callable[[Request], Awaitable[None]]) -> Beside:
    return beside(r, maker=scheduler, before=before)


async def is_unschedulable(r: Running, name: str) -> bool:
    said = condition(await r.pods.get(name), "PodScheduled") or {}
    return said.get("reason") == "Unschedulable"


async def on_node(r: Running, name: str, within_s: float = 60.0) -> None:
    await r.until(lambda pods: any(one["metadata"]["name"] == name and node_of(one) for one in pods), r.pods, within_s)


async def classes(r: Running) -> None:
    api = r.client.resource("scheduling.k8s.io/v1", "priorityclasses")
    await api.create({"metadata": {"name": "high"}, "value": 1000})


class Anew:
    """A pod is deleted, and made anew under its name, right before a request about it is taken."""

    def __init__(self, method: str, path: str, **spec: Json) -> None:
        self.method, self.path, self.spec = method, f"/pods/{path}", spec
        self.made: Object = {}
        self.r: Running | None = None
        """In which it happens, from when on it may."""

    async def __call__(self, request: Request) -> None:
        if self.r is not None and request.method == self.method and request.path.endswith(self.path) and not self.made:
            name = self.path.split("/")[2]
            await self.r.pods.delete(name, grace_period_s=0)
            self.made = await self.r.pods.create(pod(name, **self.spec))


@pytest.mark.virtual_time
async def test_a_pod_that_was_made_anew_is_not_bound_by_what_the_one_before_it_asked_for():
    anew = Anew("POST", "web/binding", **NOWHERE)
    async with running(nodes=1, controllers=WITHOUT_ITS_OWN) as r, scheduling(r, anew):
        anew.r = r
        await r.pods.create(pod("web"))
        await r.clock.sleep(30)
        there = await r.pods.get("web")
        assert (uid_of(there), node_of(there)) == (uid_of(anew.made), "")
        await r.pods.create(pod("large", cpu="7500m"))
        await on_node(r, "large")


@pytest.mark.virtual_time
@pytest.mark.parametrize(("method", "path"), [("DELETE", "victim"), ("PATCH", "victim/status"), ("GET", "victim")])
async def test_the_pod_that_is_taken_away_for_another_is_the_one_that_was_meant(method: str, path: str):
    anew = Anew(method, path, nodeName="node-1")
    async with running(nodes=1, controllers=WITHOUT_ITS_OWN) as r, scheduling(r, anew):
        await classes(r)
        await r.pods.create(pod("victim", cpu="5"))
        await on_node(r, "victim")
        await r.clock.sleep(10)
        anew.r = r
        await r.pods.create(pod("large", cpu="5", priorityClassName="high"))
        await r.clock.sleep(0.05)
        assert condition(await r.pods.get("victim"), "DisruptionTarget") is None, "nor is it said of the new one that it has to go"
        await r.clock.sleep(30)
        there = await r.pods.get("victim")
        assert (uid_of(there), is_terminating(there)) == (uid_of(anew.made), False)


@pytest.mark.virtual_time
async def test_nobody_is_taken_away_for_a_pod_that_has_gone_meanwhile():
    free = asyncio.Event()

    async def held_up(request: Request) -> None:
        if request.method == "PATCH" and "/pods/nowhere" in request.path:
            await free.wait()

    async with running(nodes=1, controllers=WITHOUT_ITS_OWN) as r, scheduling(r, held_up):
        await classes(r)
        await r.pods.create(pod("there", cpu="5"))
        await on_node(r, "there")
        for number in range(4):  # as many as are told of at a time
            await r.pods.create(pod(f"nowhere-{number}", **NOWHERE))
        await r.clock.sleep(1)
        await r.pods.create(pod("large", cpu="5", priorityClassName="high"))
        await r.clock.sleep(1)
        await r.pods.delete("large")
        free.set()
        await r.clock.sleep(30)
        there = await r.pods.get("there")
        assert (is_terminating(there), node_of(there)) == (False, "node-1")


@pytest.mark.virtual_time
async def test_a_place_is_free_again_whose_pod_could_not_be_bound():
    async def refused(request: Request) -> None:
        if request.path.endswith("/pods/refused/binding"):
            raise ConnectionError("nobody answers")

    async with running(nodes=1, controllers=WITHOUT_ITS_OWN) as r, scheduling(r, refused):
        await r.clock.sleep(5)
        await r.pods.create(pod("refused", cpu="5"))
        await r.clock.sleep(0.5)
        await r.pods.create(pod("other", cpu="5"))
        await on_node(r, "other")
        assert await r.events_of("refused") != []


@pytest.mark.virtual_time
async def test_what_was_under_way_when_a_scheduler_failed_is_decided_anew():
    class Broken(Exception):  # noqa: N818 - what nobody reckons with
        pass

    made: list[Scheduler] = []
    fails = True

    def maker(context: ControllerContext) -> Scheduler:
        made.append(scheduler(context))
        return made[0]

    async def failing(request: Request) -> None:
        if fails and request.path.endswith("/binding"):
            raise Broken

    async with running(nodes=1, controllers=WITHOUT_ITS_OWN) as r, beside(r, maker=maker, before=failing):
        await r.pods.create(pod("first", cpu="5"))
        await r.clock.sleep(5)
        assert not node_of(await r.pods.get("first"))
        fails = False
        again = asyncio.create_task(made[0].run())
        await on_node(r, "first")
        await r.pods.create(pod("second", cpu="5"))
        await r.clock.sleep(5)
        assert await is_unschedulable(r, "second")
        again.cancel()
        await asyncio.gather(again, return_exceptions=True)
