"""Deployments and ReplicaSets where something comes between: caches that are behind, and others who write at the same time."""

import pytest

from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.meta.http import Request
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from tests.controllers.beside import beside, without_controller
from tests.controllers.running import deployment, replica_set, running

ANOTHER_IMAGE: Object = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}}}


def scaled(count: int) -> Object:
    return {"spec": {"replicas": count}}


@pytest.mark.virtual_time
async def test_a_deployment_takes_its_own_set_for_no_other_s_though_the_cache_has_not_seen_it(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, DeploymentController)
    async with running() as r, beside(r, maker=DeploymentController, behind_s={"replicasets": 5.0}):
        await r.deployments.create(deployment("web"))
        for number in range(3):
            await r.clock.sleep(1)
            await r.deployments.patch("web", {"metadata": {"annotations": {"looked-at": str(number)}}})
        rolled = await r.rolled_out("web")
        assert "collisionCount" not in rolled["status"]
        assert len((await r.sets.list()).items) == 1


@pytest.mark.virtual_time
async def test_a_former_set_that_somebody_scales_up_is_not_deleted_as_an_empty_one(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, DeploymentController)
    tried: list[int] = []

    async def before(request: Request) -> None:
        if request.method == "DELETE" and "/replicasets/" in request.path:
            tried.append(len((await r.sets.list()).items))
            if len(tried) == 1:
                await r.sets.patch(request.path.rpartition("/")[2], scaled(1))

    async with running() as r, beside(r, maker=DeploymentController, before=before):
        await r.deployments.create(deployment("web", revisionHistoryLimit=0))
        await r.rolled_out("web")
        await r.deployments.patch("web", ANOTHER_IMAGE)
        await r.clock.sleep(120)
        assert tried == [2, 2], "it is there still when it is empty again"
        assert len((await r.sets.list()).items) == 1


@pytest.mark.virtual_time
async def test_a_set_that_somebody_changed_is_looked_at_anew_before_it_is_scaled(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, DeploymentController)
    seen: dict[str, list[int]] = {}

    async def before(request: Request) -> None:
        if request.method == "PATCH" and "/replicasets/" in request.path:
            name = request.path.rpartition("/")[2]
            sizes = seen.setdefault(name, [])
            if not sizes and name != first:
                await r.sets.patch(name, {"metadata": {"annotations": {"seen": ""}}})
            sizes.append((await r.sets.get(name))["spec"]["replicas"])

    first = ""
    async with running() as r, beside(r, maker=DeploymentController, before=before):
        await r.deployments.create(deployment("web"))
        await r.rolled_out("web")
        first = name_of((await r.sets.list()).items[0])
        await r.deployments.patch("web", ANOTHER_IMAGE)
        await r.rolled_out("web")
        (second,) = [name for name in seen if name != first]
        assert seen[second][:2] == [1, 1], "the first try was refused"


@pytest.mark.virtual_time
async def test_pods_that_were_deleted_count_no_more_though_the_cache_has_not_seen_them_go(monkeypatch: pytest.MonkeyPatch):
    """Who rolls out would take others away too soon if they did."""
    without_controller(monkeypatch, ReplicaSetController)
    async with running() as r, beside(r, maker=ReplicaSetController, behind_s={"pods": 5.0}):
        await r.sets.create(replica_set("web"))
        await r.clock.sleep(60)
        await r.sets.patch("web", scaled(1))
        await r.clock.sleep(2)
        told = (await r.sets.get("web"))["status"]
        assert (told["observedGeneration"], told["replicas"], told["availableReplicas"]) == (2, 1, 1)
