"""Jobs where something comes between: restarts at every single step, caches that are behind, two controllers."""

import asyncio
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.controllers.beside import Beside, beside, without_job_controller
from tests.controllers.jobs import Jobs, counts, indexes, job
from tests.controllers.running import Running, running

MODES = ("NonIndexed", "Indexed")


def three(mode: str) -> Object:
    """A job of three pods, two at a time, none of which fails."""
    return job("pi", "sleep 5", completions=3, parallelism=2, completionMode=mode)


async def lives(r: Running, dies_after: int, name: str = "pi", end: str = "Complete") -> int:
    """A controller that dies after a change, and another that goes on; gives how many changes both have made."""
    first = Beside(r, dies_after=dies_after)
    first.start()
    over = asyncio.ensure_future(Jobs(r).until(name, end))
    death = asyncio.ensure_future(first.dead.wait())
    await asyncio.wait((over, death), return_when=asyncio.FIRST_COMPLETED)
    await first.stop()
    death.cancel()
    if first.dead.is_set():
        async with beside(r):
            await over
    await over
    return first.changes


@pytest.mark.parametrize(
    "wish",
    [
        pytest.param(job("bad", "exit 1", backoffLimit=1), id="failures"),
        pytest.param(job("bad", "sleep 1h", activeDeadlineSeconds=20, completions=2, parallelism=2), id="deadline"),
        pytest.param(job("bad", "exit 1", completionMode="Indexed", completions=1, backoffLimitPerIndex=1), id="failures of an index"),
    ],
)
@pytest.mark.virtual_time
async def test_wherever_a_controller_dies_failures_are_counted_once(wish: Object, monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)

    async def one(r: Running, dies_after: int) -> bool:
        jobs = Jobs(r)
        await jobs.api.create(wish)
        made = await lives(r, dies_after, "bad", "Failed")
        done = await jobs.api.get("bad")
        assert counts(done) == (0, 0, 2), dies_after
        assert all("finalizers" not in pod["metadata"] for pod in await jobs.pods()), dies_after
        await forget(jobs, "bad")
        return made < dies_after

    dies_after = 1
    async with running() as r:
        while not await one(r, dies_after):
            dies_after += 1
    assert dies_after > 6, "it died at every step in turn"


async def forget(jobs: Jobs, name: str) -> None:
    """Nothing is left of a job for the next one."""
    await jobs.api.delete(name, propagation="Background")
    await jobs.running.until(lambda pods: not pods, jobs.running.pods)


@pytest.mark.virtual_time
@pytest.mark.parametrize("mode", MODES)
async def test_wherever_a_controller_dies_the_next_one_comes_to_the_same_end(mode: str, monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)

    async def one(r: Running, dies_after: int) -> bool:
        jobs = Jobs(r)
        await jobs.api.create(three(mode))
        made = await lives(r, dies_after)
        done = await jobs.api.get("pi")
        assert counts(done) == (0, 3, 0), dies_after
        pods = await jobs.pods()
        assert len(pods) == 3, dies_after
        assert all("finalizers" not in pod["metadata"] for pod in pods), dies_after
        if mode == "Indexed":
            assert (sorted(indexes(pods)), done["status"]["completedIndexes"]) == ([0, 1, 2], "0-2")
        await forget(jobs, "pi")
        return made < dies_after

    dies_after = 1
    async with running() as r:
        while not await one(r, dies_after):
            dies_after += 1
    assert dies_after > 8, "it died at every step in turn"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("behind_s", [{"pods": 3.0}, {"jobs": 3.0}, {"pods": 2.0, "jobs": 5.0}, {"pods": 7.0, "jobs": 1.0}])
@pytest.mark.virtual_time
async def test_caches_that_are_behind_lead_to_no_pod_too_many_and_to_no_count_twice(
    mode: str, behind_s: dict[str, float], monkeypatch: pytest.MonkeyPatch
):
    without_job_controller(monkeypatch)
    async with running() as r, beside(r, behind_s=behind_s):
        await Jobs(r).api.create(three(mode))
        done = await Jobs(r).until("pi", "Complete")
        assert counts(done) == (0, 3, 0)
        assert len(await Jobs(r).pods()) == 3


@pytest.mark.virtual_time
async def test_failures_are_counted_once_by_caches_that_are_behind(monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)
    async with running() as r, beside(r, behind_s={"pods": 3.0, "jobs": 2.0}):
        await Jobs(r).api.create(job("bad", "exit 1", backoffLimit=2))
        done = await Jobs(r).until("bad", "Failed")
        assert counts(done) == (0, 0, 3)
        assert len(await Jobs(r).pods()) == 3


@pytest.mark.virtual_time
async def test_two_controllers_at_once_come_to_the_same_end(monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)
    async with running() as r, beside(r), beside(r):
        await Jobs(r).api.create(job("pi", "sleep 20", completions=4, parallelism=2))
        done = await Jobs(r).until("pi", "Complete")
        assert counts(done) == (0, 4, 0)
        assert all("finalizers" not in pod["metadata"] for pod in await Jobs(r).pods())


@pytest.mark.virtual_time
async def test_a_controller_that_starts_again_still_waits_after_failures(monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("bad", "exit 1", backoffLimit=5))
        async with beside(r):
            await r.until(lambda items: items[0]["status"].get("failed") == 3, jobs.api)
        async with beside(r):
            await r.clock.sleep(30)
            assert len(await jobs.pods()) == 3, "the next one comes 40 s after the third has failed"
            await r.until(lambda pods: len(pods) == 4, r.pods)


@pytest.mark.virtual_time
async def test_what_ends_while_no_controller_runs_is_counted_by_the_next(monkeypatch: pytest.MonkeyPatch):
    without_job_controller(monkeypatch)
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "sleep 30", completions=3, parallelism=3))
        async with beside(r):
            await r.until(lambda items: items[0]["status"].get("ready") == 3, jobs.api)
        victim = (await jobs.pods())[0]["metadata"]["name"]
        await r.pods.delete(victim)
        await r.clock.sleep(60)
        assert len(await jobs.pods()) == 3, "the finalizer keeps what was deleted"
        async with beside(r):
            done = await jobs.until("pi", "Complete")
        assert counts(done) == (0, 3, 1)


@pytest.mark.virtual_time
async def test_hundreds_of_pods_are_all_counted():
    async with running(nodes=10) as r:
        await Jobs(r).api.create(job("many", "sleep 5", completions=700, parallelism=700))
        done = await Jobs(r).until("many", "Complete", within_s=1200)
        assert counts(done) == (0, 700, 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.virtual_time
async def test_a_server_that_starts_again_goes_on_with_its_jobs(mode: str, tmp_path: Path):
    wish = job("pi", "sleep 60", completions=4, parallelism=2, completionMode=mode)
    async with running(data_dir=tmp_path) as r:
        await Jobs(r).api.create(wish)
        await r.until(lambda items: items[0]["status"].get("succeeded") == 2, Jobs(r).api)
        stopped_at = r.clock.now()
    async with running(data_dir=tmp_path, start_s=stopped_at + 30) as r:
        done = await Jobs(r).until("pi", "Complete")
        assert counts(done) == (0, 4, 0)
        assert len(await Jobs(r).pods()) == 4
