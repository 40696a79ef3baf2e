"""Jobs in a running cluster: how they come to their end."""

import pytest

from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from tests.controllers.jobs import Jobs, counts, job, said
from tests.controllers.running import running


@pytest.mark.virtual_time
async def test_a_job_runs_its_pods_to_their_end_and_says_so():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", completions=3, parallelism=2))
        done = await jobs.until("pi", "Complete")
        assert counts(done) == (0, 3, 0)
        assert said(done) == [("SuccessCriteriaMet", "True", "CompletionsReached"), ("Complete", "True", "CompletionsReached")]
        assert done["status"]["uncountedTerminatedPods"] == {}
        assert done["status"]["startTime"] <= done["status"]["completionTime"]
        assert (done["status"]["ready"], done["status"]["terminating"]) == (0, 0)
        pods = await jobs.pods()
        assert len(pods) == 3
        assert all("finalizers" not in pod["metadata"] for pod in pods)
        await r.clock.sleep(0.01)
        reasons = [reason for reason, _ in await r.events_of("pi")]
        assert reasons == ["SuccessfulCreate"] * 3 + ["Completed"]


@pytest.mark.virtual_time
async def test_a_work_queue_goes_on_until_one_has_succeeded_and_all_have_ended():
    """Without completions: nothing is added after the first success, and nothing that runs is ended."""
    async with running() as r:
        jobs = Jobs(r)
        wish = job("queue", "sleep 20", parallelism=3)
        await jobs.api.create(wish)
        made = await r.until(lambda items: items[0]["status"].get("active") == 3, jobs.api)
        assert "completions" not in made[0]["spec"]
        done = await jobs.until("queue", "Complete")
        assert counts(done) == (0, 3, 0)
        assert len(await jobs.pods()) == 3


@pytest.mark.virtual_time
async def test_failures_are_tried_again_later_and_later_until_there_were_too_many():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("bad", "exit 3", backoffLimit=3))
        done = await jobs.until("bad", "Failed")
        assert counts(done) == (0, 0, 4)
        assert said(done) == [("FailureTarget", "True", "BackoffLimitExceeded"), ("Failed", "True", "BackoffLimitExceeded")]
        assert "completionTime" not in done["status"]
        assert waits(await jobs.pods()) == [pytest.approx(wait, abs=1.5) for wait in (10, 20, 40)]
        await r.clock.sleep(0.01)
        assert (await r.events_of("bad"))[-1] == ("BackoffLimitExceeded", "Job has reached the specified backoff limit")


@pytest.mark.virtual_time
async def test_the_wait_after_failures_is_ten_minutes_at_most():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("bad", "exit 3", backoffLimit=8))
        await jobs.until("bad", "Failed", within_s=7200)
        assert waits(await jobs.pods())[-2:] == [pytest.approx(600, abs=1.5)] * 2


@pytest.mark.virtual_time
async def test_restarts_in_place_count_as_failures():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("bad", "exit 3", restart="OnFailure", backoffLimit=2))
        done = await jobs.until("bad", "Failed")
        assert (done["status"]["conditions"][-1]["reason"], counts(done)) == ("BackoffLimitExceeded", (0, 0, 1))
        await r.until(lambda pods: not pods, r.pods)


@pytest.mark.virtual_time
async def test_a_job_that_is_active_for_too_long_fails_and_its_pods_end():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("long", "sleep 1h", parallelism=2, completions=2, activeDeadlineSeconds=60))
        begun = r.clock.now()
        done = await jobs.until("long", "FailureTarget")
        assert r.clock.now() - begun == pytest.approx(60, abs=2)
        done = await jobs.until("long", "Failed")
        assert counts(done) == (0, 0, 2)
        assert done["status"]["terminating"] == 0
        assert said(done)[-1] == ("Failed", "True", "DeadlineExceeded")
        assert all("deletionTimestamp" not in pod["metadata"] for pod in await jobs.pods()), (
            "none terminates when it is said to have failed"
        )


@pytest.mark.virtual_time
async def test_a_job_with_nothing_to_do_is_complete_at_once():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("empty", completions=0))
        done = await jobs.until("empty", "Complete")
        assert counts(done) == (0, 0, 0)
        assert await jobs.pods() == []


@pytest.mark.virtual_time
async def test_a_job_that_another_controller_manages_is_left_alone():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("theirs", managedBy="example.com/queue"))
        await jobs.api.create(job("ours", managedBy="kubernetes.io/job-controller"))
        await jobs.until("ours", "Complete")
        assert (await jobs.api.get("theirs")).get("status", {}) == {}


@pytest.mark.virtual_time
async def test_it_works_in_the_other_dialect():
    async with running(dialect="svcapi") as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", completions=2, completionMode="Indexed"))
        await r.until(lambda pods: any(pod["metadata"].get("finalizers") == ["batch.svcapi.io/job-tracking"] for pod in pods), r.pods)
        done = await jobs.until("pi", "Complete")
        assert done["status"]["completedIndexes"] == "0,1"


def waits(pods: list[Object]) -> list[float]:
    """Seconds from the end of each pod to the making of the next."""
    ends = [parse_time(pod["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]) for pod in pods]
    return [parse_time(pod["metadata"]["creationTimestamp"]) - end for end, pod in zip(ends, pods[1:], strict=False)]


@pytest.mark.virtual_time
async def test_pods_that_a_quota_refuses_are_made_once_there_is_room():
    async with running() as r:
        jobs = Jobs(r)
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}, "spec": {"hard": {"pods": "1"}}}
        await r.client.resource("v1", "resourcequotas", "default").create(quota)
        await r.clock.sleep(1)
        await jobs.api.create(job("pi", "sleep 5", completions=3, parallelism=3))
        done = await jobs.until("pi", "Complete", within_s=1800)
        assert counts(done) == (0, 3, 0)
        refused = [message for reason, message in await r.events_of("pi") if reason == "FailedCreate"]
        assert "exceeded quota: small" in refused[0]


@pytest.mark.virtual_time
async def test_a_job_that_is_over_and_one_that_only_runs_cost_nothing():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("done"))
        await jobs.api.create(job("runs", "sleep 24h"))
        await jobs.until("done", "Complete")
        await r.clock.sleep(60)
        before = [item["metadata"]["resourceVersion"] for item in await jobs.api.list_all()]
        await r.clock.sleep(7200)
        assert [item["metadata"]["resourceVersion"] for item in await jobs.api.list_all()] == before
