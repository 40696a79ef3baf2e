"""Autoscalers among others: two controllers, restarts, deletions in the middle, servers of metrics that don't answer."""

import asyncio
from pathlib import Path

import pytest

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import Informers
from svcsim.controllers.horizontal_pod_autoscaler.controller import HorizontalPodAutoscalers
from svcsim.controllers.trims import trims
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from tests.controllers.autoscaling import SYNC_S, autoscaler, autoscalers, begun, conditions, size, workload
from tests.controllers.running import Running, running
from tests.virtual import run_virtual

OFF = ("*", "-horizontal-pod-autoscaler")


class Beside:
    """An autoscaler's controller beside a cluster, whose requests may be refused, or be followed by something."""

    def __init__(self, r: Running) -> None:
        self.r = r
        self.asked: list[str] = []
        self.refused: tuple[str, ...] = ()
        """Paths in which one of these stands get no answer."""
        client = Client(InProcessTransport(self._handle, User("system:autoscaler", ("system:masters",))), r.dialect)
        informers = Informers(client, r.clock, Chance(3), trims(r.dialect))
        events = EventRecorder(client, r.clock, "horizontal-pod-autoscaler")
        context = ControllerContext(client, informers, r.cluster.served_types, r.clock, Chance(2), r.dialect, events)
        controller = HorizontalPodAutoscalers(context)
        self._tasks = [asyncio.create_task(run) for run in (informers.run(), controller.run(), events.run())]

    async def _handle(self, request: Request) -> Response:
        self.asked.append(f"{request.method} {request.path}")
        if any(part in request.path for part in self.refused):
            raise ConnectionError("nobody there")
        response = await self.r.cluster.pipeline.handle(request)
        await self.after(request)
        return response

    async def after(self, request: Request) -> None:
        """What happens once a request has been answered."""

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.mark.virtual_time
async def test_two_controllers_set_the_same_size_once():
    async with running() as r:
        other = Beside(r)
        await begun(r, workload(replicas=2, cpu="20m, 80m after 20m shared"), autoscaler())
        for _ in range(60):
            await r.clock.sleep(SYNC_S)
        assert await size(r) == 2
        await other.stop()
        rescaled = [event for event in await r.events_of("web") if event[0] == "SuccessfulRescale"]
        assert [message.partition(";")[0] for _, message in rescaled] == ["New size: 1", "New size: 2"]


@pytest.mark.virtual_time
async def test_somebody_who_changes_the_size_meanwhile_is_not_overruled_unseen():
    class Meddler(Beside):
        async def after(self, request: Request) -> None:
            if request.method == "GET" and request.path.endswith("/scale") and self.armed:
                self.armed = False
                await self.r.deployments.patch("web", {"spec": {"replicas": 3}})

        armed = False

    async with running(controllers=OFF) as r:
        other = Meddler(r)
        await r.deployments.create(workload(replicas=2, cpu="100m"))
        await r.clock.sleep(400)
        other.armed = True
        await autoscalers(r).create(autoscaler())
        await r.clock.sleep(SYNC_S + 1)
        assert await size(r) == 3
        holds, reason, told = (await conditions(r))["AbleToScale"]
        assert (holds, reason) == ("False", "FailedUpdateScale")
        assert told.startswith("the HPA controller was unable to update the target scale: Operation cannot be fulfilled on")
        await r.clock.sleep(400)
        assert await size(r) == 10
        await other.stop()


@pytest.mark.virtual_time
async def test_one_that_is_deleted_while_it_is_looked_at_leaves_nothing_behind():
    """Its selector least of all: the next one of the same pods would do nothing for ever."""

    class Deleter(Beside):
        async def after(self, request: Request) -> None:
            if request.path.endswith("/scale") and self.armed:
                self.armed = False
                await autoscalers(self.r).delete("web")
                await self.r.clock.sleep(1)

        armed = True

    async with running(controllers=OFF) as r:
        other = Deleter(r)
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler())
        await r.clock.sleep(SYNC_S)
        asked = len(other.asked)
        await r.clock.sleep(600)
        assert len(other.asked) - asked < 5, "nobody looks at one that is no more"
        await autoscalers(r).create(autoscaler("next"))
        await r.clock.sleep(SYNC_S + 1)
        assert (await conditions(r, "next"))["ScalingActive"][1] == "ValidMetricFound"
        await other.stop()


@pytest.mark.virtual_time
async def test_one_that_is_made_anew_begins_anew():
    async with running() as r:
        await begun(r, workload(replicas=8, cpu="1m"), autoscaler())
        await r.clock.sleep(200)
        await autoscalers(r).delete("web")
        await autoscalers(r).create(autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 200}}))
        await r.clock.sleep(SYNC_S + 1)
        assert await size(r) == 8, "what it would have done is not known any more"
        await r.clock.sleep(230)
        assert await size(r) == 1


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("part", "reason"),
    [("/apis/metrics.k8s.io/", "FailedGetResourceMetric"), ("/scale", "FailedGetScale")],
)
async def test_a_server_that_does_not_answer_is_asked_again(part: str, reason: str):
    async with running(controllers=OFF) as r:
        other = Beside(r)
        other.refused = (part,)
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler())
        found = await conditions(r)
        assert reason in {why for _, why, _ in found.values()}
        assert await size(r) == 2
        other.refused = ()
        await r.clock.sleep(SYNC_S)
        assert await size(r) == 4
        await other.stop()


@pytest.mark.virtual_time
async def test_a_cluster_without_autoscalers_is_not_looked_at():
    async with running(controllers=OFF) as r:
        other = Beside(r)
        await r.deployments.create(workload(replicas=2))
        await r.clock.sleep(60)
        asked = len(other.asked)
        await r.clock.sleep(200)
        assert len(other.asked) == asked
        await other.stop()


def test_a_server_that_starts_again_goes_on_with_its_autoscalers(tmp_path: Path):
    """It begins with the size there is: nothing is made smaller before it has seen for five minutes that it may be."""

    async def first() -> None:
        async with running(data_dir=tmp_path / "data") as r:
            await begun(r, workload(replicas=2, cpu="100m"), autoscaler(most=6))
            await r.clock.sleep(120)
            assert await size(r) == 6
            for pod in await r.pods.list_all():
                await r.pods.patch(pod["metadata"]["name"], {"metadata": {"annotations": {"svcsim.dev/cpu": "1m"}}})
            await r.clock.sleep(100)

    async def second() -> None:
        async with running(data_dir=tmp_path / "data", start_s=None) as r:
            before = await autoscalers(r).get("web")
            await r.clock.sleep(280)
            assert await size(r) == 6
            await r.clock.sleep(60)
            assert await size(r) == 1
            after = await autoscalers(r).get("web")
            assert after["status"]["lastScaleTime"] > before["status"]["lastScaleTime"]

    run_virtual(first())
    run_virtual(second())


def test_the_same_seed_makes_the_same_history():
    async def history(seed: int) -> list[object]:
        async with running(seed=seed) as r:
            await begun(r, workload(replicas=2, cpu="200m to 600m every 10m ~20% shared"), autoscaler())
            sizes: list[object] = []
            for _ in range(60):
                await r.clock.sleep(SYNC_S)
                status = (await autoscalers(r).get("web"))["status"]
                sizes.append((status["desiredReplicas"], status["currentMetrics"]))
            return sizes

    one = run_virtual(history(1))
    assert one == run_virtual(history(1))
    assert one != run_virtual(history(2))
