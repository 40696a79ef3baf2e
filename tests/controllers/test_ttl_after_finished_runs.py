"""Jobs that are deleted some time after they have ended."""

import pytest

from svcsim.clock import format_time
from tests.controllers.batch import end, ended, job
from tests.controllers.running import running

pytestmark = pytest.mark.virtual_time


def jobs_of(r):
    return r.client.resource("batch/v1", "jobs", "default")


@pytest.mark.parametrize("dialect", ["kubernetes", "svcapi"])
@pytest.mark.parametrize("kind", ["Complete", "Failed"])
async def test_a_job_goes_at_the_very_second(dialect, kind):
    async with running(nodes=0, dialect=dialect) as r:
        jobs = jobs_of(r)
        await jobs.create(job("a", suspend=True, ttlSecondsAfterFinished=100))
        await r.clock.sleep(1_000)
        await end(r, jobs, "a", kind)
        at = int(r.clock.now())
        await r.clock.sleep(at + 99.9 - r.clock.now())
        assert await r.exists(jobs, "a")
        await r.until_gone(jobs, "a")
        assert r.clock.now() == pytest.approx(at + 100, abs=0.01)


async def test_without_a_time_or_an_end_it_stays():
    async with running(nodes=0) as r:
        jobs = jobs_of(r)
        await jobs.create(job("kept", suspend=True))
        await jobs.create(job("unfinished", suspend=True, ttlSecondsAfterFinished=0))
        await end(r, jobs, "kept")
        await r.clock.sleep(86_400)
        assert [one["metadata"]["name"] for one in await jobs.list_all()] == ["kept", "unfinished"]


async def test_zero_seconds_are_none():
    async with running(nodes=0) as r:
        jobs = jobs_of(r)
        await jobs.create(job("a", suspend=True, ttlSecondsAfterFinished=0))
        await end(r, jobs, "a")
        await r.until_gone(jobs, "a", within_s=0.5)


async def test_the_time_may_be_set_made_longer_and_shorter_after_the_end():
    async with running(nodes=0) as r:
        jobs = jobs_of(r)
        for name in ("longer", "shorter", "set", "unset"):
            await jobs.create(job(name, suspend=True, **({} if name == "set" else {"ttlSecondsAfterFinished": 100})))
            await end(r, jobs, name)
        ended_at = int(r.clock.now())
        await r.clock.sleep(50)
        for name, ttl_s in {"longer": 200, "shorter": 60, "set": 80, "unset": None}.items():
            await jobs.patch(name, {"spec": {"ttlSecondsAfterFinished": ttl_s}})
        for name, ttl_s in {"shorter": 60, "set": 80, "longer": 200}.items():
            await r.until_gone(jobs, name, within_s=300)
            assert r.clock.now() == pytest.approx(ended_at + ttl_s, abs=0.1)
        await r.clock.sleep(1_000)
        assert await r.exists(jobs, "unset")


async def test_its_pods_go_before_it():
    async with running(nodes=0) as r:
        jobs = jobs_of(r)
        made = await jobs.create(job("a", suspend=True, ttlSecondsAfterFinished=10))
        reference = {"apiVersion": "batch/v1", "kind": "Job", "name": "a", "uid": made["metadata"]["uid"], "blockOwnerDeletion": True}
        held = {"name": "held", "ownerReferences": [reference], "finalizers": ["example.com/wait"]}
        await r.config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": held})
        await end(r, jobs, "a")
        await r.clock.sleep(60)
        assert (await jobs.get("a"))["metadata"]["finalizers"] == ["foregroundDeletion"]
        await r.config_maps.patch("held", {"metadata": {"finalizers": None}})
        await r.until_gone(jobs, "a")


async def test_what_ended_by_a_clock_that_was_ahead_waits_for_that_time():
    async with running(nodes=0) as r:
        jobs, now = jobs_of(r), r.clock.now()
        await jobs.create(job("ahead", suspend=True, ttlSecondsAfterFinished=10))
        await jobs.patch("ahead", {"status": ended("Complete", format_time(now + 500))}, subresource="status")
        await r.clock.sleep(400)
        assert await r.exists(jobs, "ahead")
        await r.until_gone(jobs, "ahead")
        assert r.clock.now() == pytest.approx(int(now + 500) + 10, abs=0.1)


async def test_a_new_job_of_the_same_name_is_let_be():
    async with running(nodes=0) as r:
        jobs = jobs_of(r)
        await jobs.create(job("a", suspend=True, ttlSecondsAfterFinished=10))
        await end(r, jobs, "a")
        await jobs.delete("a", propagation="Background")
        again = await jobs.create(job("a", suspend=True, ttlSecondsAfterFinished=10))
        await r.clock.sleep(100)
        assert (await jobs.get("a"))["metadata"]["uid"] == again["metadata"]["uid"]
