"""Indexed jobs in a running cluster."""

import pytest

from svcsim.meta.types import Json, Object
from tests.controllers.jobs import INDEX, TRACKING, Jobs, counts, indexes, job, said
from tests.controllers.running import running


def indexed(name: str, script: str = "sleep 5", **spec: Json) -> Object:
    return job(name, script, completionMode="Indexed", **spec)


@pytest.mark.virtual_time
async def test_each_index_has_a_pod_that_knows_it():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(indexed("pi", completions=4, parallelism=2))
        pods = await r.until(lambda pods: len(pods) == 2, r.pods)
        for number, pod in enumerate(sorted(pods, key=lambda pod: pod["metadata"]["name"])):
            metadata = pod["metadata"]
            assert metadata["generateName"] == f"pi-{number}-"
            assert metadata["annotations"][INDEX] == metadata["labels"][INDEX] == str(number)
            assert pod["spec"]["hostname"] == f"pi-{number}"
            assert metadata["finalizers"] == [TRACKING]
            assert {"batch.kubernetes.io/job-name", "job-name", "batch.kubernetes.io/controller-uid", "controller-uid"} <= metadata[
                "labels"
            ].keys()
            field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}
            assert pod["spec"]["containers"][0]["env"] == [{"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}}]
        done = await jobs.until("pi", "Complete")
        assert (done["status"]["completedIndexes"], counts(done)) == ("0-3", (0, 4, 0))
        assert sorted(indexes(await jobs.pods())) == [0, 1, 2, 3]


@pytest.mark.virtual_time
async def test_an_index_that_fails_is_tried_again_until_it_has_failed_for_good():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(indexed("bad", "exit 1", completions=2, parallelism=2, backoffLimitPerIndex=1))
        done = await jobs.until("bad", "Failed")
        assert (done["status"]["failedIndexes"], done["status"].get("completedIndexes", "")) == ("0,1", "")
        assert counts(done) == (0, 0, 4)
        assert said(done)[-1] == ("Failed", "True", "FailedIndexes")
        pods = await jobs.pods()
        failures = [
            (pod["metadata"]["annotations"][INDEX], pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"])
            for pod in pods
        ]
        assert sorted(failures) == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
        assert all("finalizers" not in pod["metadata"] for pod in pods)


@pytest.mark.virtual_time
async def test_what_failed_last_counts_once_it_is_tried_again():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(indexed("bad", "exit 1", completions=1, backoffLimitPerIndex=3))
        await r.until(lambda pods: [pod["status"]["phase"] for pod in pods] == ["Failed"], r.pods)
        await r.clock.sleep(2)
        status = (await jobs.api.get("bad"))["status"]
        assert (status["uncountedTerminatedPods"], status.get("failed")) == ({}, None)
        await r.until(lambda pods: len(pods) == 2, r.pods)
        await r.clock.sleep(2)
        assert (await jobs.api.get("bad"))["status"]["failed"] == 1


@pytest.mark.virtual_time
async def test_a_namespace_goes_in_which_an_index_was_to_be_tried_again():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"metadata": {"name": "z"}})
        await r.client.resource("batch/v1", "jobs", "z").create(
            {
                **(bad := indexed("bad", "exit 1", completions=2, parallelism=2, backoffLimitPerIndex=3)),
                "metadata": {**bad["metadata"], "namespace": "z"},
            }
        )
        await r.clock.sleep(8)
        await namespaces.delete("z")
        await r.clock.sleep(60)
        assert await namespaces.find("z") is None


@pytest.mark.virtual_time
async def test_a_job_fails_when_too_many_of_its_indexes_have():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(indexed("bad", "exit 1", completions=10, parallelism=1, backoffLimitPerIndex=0, maxFailedIndexes=2))
        done = await jobs.until("bad", "Failed")
        assert (done["status"]["failedIndexes"], counts(done)) == ("0-2", (0, 0, 3))
        assert said(done)[-1] == ("Failed", "True", "MaxFailedIndexesExceeded")


@pytest.mark.virtual_time
async def test_an_indexed_job_grows_and_shrinks():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(indexed("pi", "sleep 60", completions=2, parallelism=2))
        await r.until(lambda items: items[0]["status"].get("active") == 2, jobs.api)
        await jobs.api.patch("pi", {"spec": {"completions": 4, "parallelism": 4}})
        pods = await r.until(lambda pods: len(pods) == 4, r.pods)
        assert sorted(indexes(pods)) == [0, 1, 2, 3]
        await jobs.api.patch("pi", {"spec": {"completions": 1, "parallelism": 1}})
        await r.until(lambda pods: indexes(pods) == [0], r.pods)
        done = await jobs.until("pi", "Complete")
        assert (done["status"]["completedIndexes"], counts(done)) == ("0", (0, 1, 0))


@pytest.mark.virtual_time
async def test_a_success_policy_ends_a_job_before_all_indexes_have_succeeded():
    async with running() as r:
        jobs = Jobs(r)
        policy = {"rules": [{"succeededIndexes": "5", "succeededCount": 1}, {"succeededIndexes": "0-3", "succeededCount": 2}]}
        await jobs.api.create(indexed("pi", "sleep 10", completions=6, parallelism=2, successPolicy=policy))
        done = await jobs.until("pi", "Complete")
        assert said(done) == [("SuccessCriteriaMet", "True", "SuccessPolicy"), ("Complete", "True", "SuccessPolicy")]
        assert done["status"]["conditions"][0]["message"] == "Matched rules at index 1"
        assert done["status"]["completedIndexes"] == "0,1"
        await r.clock.sleep(0.01)
        assert (await r.events_of("pi"))[-1] == ("Completed", "Job completed")
