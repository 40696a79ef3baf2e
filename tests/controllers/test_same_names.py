"""What bears the name of an object that a controller knows needn't be that object: it may have been made anew a moment ago."""

import pytest

from svcsim.client.api import Collection
from svcsim.controllers.cronjob.controller import CronJobController
from svcsim.controllers.daemonset.controller import DaemonSetController
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.job.controller import JobController
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.controllers.statefulset.controller import StatefulSetController
from svcsim.meta.http import Request
from svcsim.meta.objects import is_terminating, name_of, owner_references, uid_of
from svcsim.meta.types import Object
from tests.controllers.batch import cron_job
from tests.controllers.batch import job as plain_job
from tests.controllers.beside import Maker, beside, without_controller
from tests.controllers.daemons import daemon_set
from tests.controllers.jobs import job
from tests.controllers.running import deployment, replica_set, running, template
from tests.controllers.statefuls import stateful_set
from tests.living import pod

NOWHERE: Object = {"spec": {"template": {"spec": {"nodeSelector": {"disk": "none"}}}}}
ONE_LESS: Object = {"spec": {"replicas": 0}}
SETS = [
    (ReplicaSetController, "replicasets", replica_set("web", 1), ONE_LESS),
    (DeploymentController, "deployments", deployment("web", 1), ONE_LESS),
    (StatefulSetController, "statefulsets", stateful_set("web", 1), ONE_LESS),
    (DaemonSetController, "daemonsets", daemon_set("web"), NOWHERE),
]
WITH_PODS = [
    *((maker, "apps/v1", plural, wish, change) for maker, plural, wish, change in SETS if maker is not DeploymentController),
    (JobController, "batch/v1", "jobs", job("web", "sleep 9999"), {"spec": {"suspend": True}}),
]


class Swap:
    """Has something made anew, right before the first request of a kind is taken that a controller sends from ``armed`` on."""

    def __init__(self, collection: Collection, wish: Object, method: str, part: str) -> None:
        self._collection = collection
        self._wish = wish
        self._method = method
        self._part = part
        self.armed = False
        self.made: Object = {}
        """What there is then."""

    async def before(self, request: Request) -> None:
        if not self.armed or request.method != self._method or self._part not in request.path:
            return
        self.armed = False
        name = request.path.partition(self._part)[2].partition("/")[0]
        await self._collection.delete(name, grace_period_s=0, propagation="Background")
        wish: Object = {**self._wish, "metadata": {"name": name}}
        self.made = await self._collection.create(wish)


async def versions(collection: Collection, made: Object) -> list[Object]:
    """An object as it was from its making until now."""
    await collection.patch(name_of(made), {"metadata": {"annotations": {"last": ""}}})
    seen: list[Object] = []
    async with collection.watch(made["metadata"]["resourceVersion"], bookmarks=False) as events:
        async for event in events:
            if uid_of(event.object) == uid_of(made):
                seen.append(event.object)
                if "last" in (event.object["metadata"].get("annotations") or {}):
                    break
    return seen


@pytest.mark.virtual_time
@pytest.mark.parametrize(("maker", "plural", "wish", "change"), SETS, ids=[plural for _, plural, *_ in SETS])
async def test_what_was_made_anew_isn_t_told_how_the_one_before_it_fares(
    maker: Maker, plural: str, wish: Object, change: Object, monkeypatch: pytest.MonkeyPatch
):
    without_controller(monkeypatch, maker)
    async with running() as r:
        sets = r.client.resource("apps/v1", plural, "default")
        other: Object = {"selector": {"matchLabels": {"app": "other"}}, "template": template("other", nodeSelector={"disk": "none"})}
        anew = {**wish, "spec": {**wish["spec"], **other, **({"replicas": 0} if "replicas" in wish["spec"] else {})}}
        swap = Swap(sets, anew, "PATCH", f"/{plural}/")
        async with beside(r, maker=maker, before=swap.before):
            await sets.create(wish)
            await r.clock.sleep(60)
            swap.armed = True
            await sets.patch("web", change)
            await r.clock.sleep(60)
            assert swap.made, "its status was about to be written"
            told = [one["status"] for one in await versions(sets, swap.made) if one.get("status")]
            assert {status.get("observedGeneration", 0) for status in told} <= {0, 1}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("maker", "version", "plural", "wish", "change"), WITH_PODS, ids=[plural for _, _, plural, *_ in WITH_PODS])
async def test_the_pod_that_is_deleted_is_the_one_that_was_meant(
    maker: Maker, version: str, plural: str, wish: Object, change: Object, monkeypatch: pytest.MonkeyPatch
):
    without_controller(monkeypatch, maker)
    async with running() as r:
        owners = r.client.resource(version, plural, "default")
        swap = Swap(r.pods, pod("any"), "DELETE", "/pods/")
        async with beside(r, maker=maker, before=swap.before):
            await owners.create(wish)
            await r.clock.sleep(60)
            swap.armed = True
            await owners.patch("web", change)
            await r.clock.sleep(60)
            assert swap.made, "it was about to be deleted"
            there = await r.pods.get(name_of(swap.made))
            assert (uid_of(there), is_terminating(there)) == (uid_of(swap.made), False)


@pytest.mark.virtual_time
async def test_the_job_that_is_deleted_is_the_one_that_was_meant(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, CronJobController)
    async with running() as r:
        jobs = r.client.resource("batch/v1", "jobs", "default")
        swap = Swap(jobs, plain_job("any", suspend=True), "DELETE", "/jobs/")
        async with beside(r, maker=CronJobController, before=swap.before):
            swap.armed = True
            wish = {"spec": {"template": {"spec": job("any", "sleep 9999")["spec"]["template"]["spec"]}}}
            await r.client.resource("batch/v1", "cronjobs", "default").create(cron_job("web", template=wish, concurrencyPolicy="Replace"))
            await r.clock.sleep(200)
            assert swap.made, "it was about to be deleted"
            assert uid_of(await jobs.get(name_of(swap.made))) == uid_of(swap.made)


@pytest.mark.virtual_time
@pytest.mark.parametrize(("maker", "plural", "wish", "_change"), [one for one in SETS if one[0] is not DeploymentController])
async def test_a_set_that_is_gone_takes_no_pods_in(
    maker: Maker, plural: str, wish: Object, _change: Object, monkeypatch: pytest.MonkeyPatch
):
    """Or they would go with it, as what has lost its owner does."""
    without_controller(monkeypatch, maker)
    async with running() as r, beside(r, maker=maker, behind_s={plural: 10.0}):
        sets = r.client.resource("apps/v1", plural, "default")
        await sets.create(wish)
        await r.until(lambda pods: len(pods) >= 1, r.pods)
        await r.clock.sleep(30)
        await sets.delete("web", propagation="Orphan")
        await r.until_gone(sets, "web")
        orphans = await r.pods.list_all()
        assert [owner_references(one) for one in orphans] == [[]] * len(orphans)
        await r.clock.sleep(60)
        assert {uid_of(one): owner_references(one) for one in await r.pods.list_all()} == {uid_of(one): [] for one in orphans}
