"""Jobs in a running cluster: how they come to their end."""

import pytest

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
