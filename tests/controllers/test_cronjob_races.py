"""CronJobs whose controller's caches are behind: each time has one job, which lives until the next one's time comes."""

import pytest

from svcsim.controllers.cronjob.controller import CronJobController
from svcsim.meta.objects import name_of, uid_of
from tests.controllers.batch import cron_job
from tests.controllers.beside import beside, without_controller
from tests.controllers.jobs import job
from tests.controllers.running import running

LONG = {"spec": job("any", "sleep 9999")["spec"]}


@pytest.mark.virtual_time
@pytest.mark.parametrize("behind_s", [{"cronjobs": 20.0}, {"jobs": 20.0}, {"cronjobs": 25.0, "jobs": 10.0}], ids=str)
@pytest.mark.parametrize(("policy", "running_at_the_end"), [("Replace", 1), ("Forbid", 1), ("Allow", 4)])
async def test_each_time_has_one_job(policy: str, running_at_the_end: int, behind_s: dict[str, float], monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, CronJobController)
    async with running() as r, beside(r, maker=CronJobController, behind_s=behind_s):
        jobs = r.client.resource("batch/v1", "jobs", "default")
        await r.clock.sleep(30)
        await r.client.resource("batch/v1", "cronjobs", "default").create(cron_job("c", template=LONG, concurrencyPolicy=policy))
        uids: dict[str, dict[str, None]] = {}
        for _ in range(4 * 60):
            await r.clock.sleep(1)
            for one in (await jobs.list()).items:
                uids.setdefault(name_of(one), {})[uid_of(one)] = None
        assert {len(found) for found in uids.values()} == {1}, "none was made twice"
        assert len(uids) == (1 if policy == "Forbid" else 4)
        assert len((await jobs.list()).items) == running_at_the_end
        told = [reason for reason, _ in await r.events_of("c")]
        assert not {"UnexpectedJob", "MissingJob", "FailedCreate"} & {*told}
