"""Pod failure policies of jobs, and what becomes of pods that somebody deletes."""

import pytest

from svcsim.meta.types import Json, Object
from tests.controllers.jobs import TRACKING, Jobs, counts, job, said
from tests.controllers.running import Running, running


def policy(action: str, **rule: Json) -> Object:
    return {"rules": [{"action": action, **rule}]}


def codes(*values: int, operator: str = "In") -> Object:
    return {"containerName": "main", "operator": operator, "values": list(values)}


DISRUPTED: list[Object] = [{"type": "DisruptionTarget", "status": "True"}]


@pytest.mark.virtual_time
async def test_an_exit_code_fails_the_job_at_once():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("bad", "exit 42", podFailurePolicy=policy("FailJob", onExitCodes=codes(42))))
        done = await jobs.until("bad", "Failed")
        assert said(done) == [("FailureTarget", "True", "PodFailurePolicy"), ("Failed", "True", "PodFailurePolicy")]
        (pod,) = await jobs.pods()
        why = f"Container main for pod default/{pod['metadata']['name']} failed with exit code 42 matching FailJob rule at index 0"
        assert done["status"]["conditions"][-1]["message"] == why
        assert counts(done) == (0, 0, 1)


@pytest.mark.virtual_time
async def test_what_is_ignored_does_not_count():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(
            job("bad", "exit 42", backoffLimit=0, podFailurePolicy=policy("Ignore", onExitCodes=codes(1, operator="NotIn")))
        )
        pods = await r.until(lambda pods: len(pods) == 3, r.pods)
        assert all(pod["metadata"].get("finalizers", []) == [] for pod in pods if pod["status"]["phase"] == "Failed")
        await r.until(lambda items: counts(items[0]) == (1, 0, 0), jobs.api)


@pytest.mark.virtual_time
async def test_an_index_can_fail_by_an_exit_code_before_its_tries_are_used_up():
    async with running() as r:
        jobs = Jobs(r)
        rules = policy("FailIndex", onExitCodes=codes(42))
        await jobs.api.create(
            job("bad", "exit 42", completionMode="Indexed", completions=2, parallelism=2, backoffLimitPerIndex=5, podFailurePolicy=rules)
        )
        done = await jobs.until("bad", "Failed")
        assert (done["status"]["failedIndexes"], counts(done)) == ("0,1", (0, 0, 2))


@pytest.mark.virtual_time
async def test_a_disruption_is_known_by_the_pods_condition():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("safe", "sleep 60", backoffLimit=0, podFailurePolicy=policy("Ignore", onPodConditions=DISRUPTED)))
        await jobs_pod_runs(r)
        (pod,) = await jobs.pods()
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod["metadata"]["name"], "namespace": "default"}}
        await r.pods.create_subresource(pod["metadata"]["name"], "eviction", eviction)
        done = await jobs.until("safe", "Complete")
        assert counts(done) == (0, 1, 0)


@pytest.mark.virtual_time
async def test_a_pod_that_somebody_deletes_counts_as_failed_and_is_replaced():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "sleep 60"))
        await jobs_pod_runs(r)
        (pod,) = await jobs.pods()
        assert pod["metadata"]["finalizers"] == [TRACKING]
        await r.pods.delete(pod["metadata"]["name"])
        await r.until_gone(r.pods, pod["metadata"]["name"])
        done = await jobs.until("pi", "Complete")
        assert counts(done) == (0, 1, 1)


@pytest.mark.parametrize("phase", ["Pending", "Running"])
@pytest.mark.virtual_time
async def test_with_the_policy_failed_a_pod_is_replaced_once_it_has_ended(phase: str):
    async with running() as r:
        jobs = Jobs(r)
        wish = job("pi", "sleep 60", podReplacementPolicy="Failed")
        if phase == "Pending":
            wish["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "nowhere"}
        await jobs.api.create(wish)
        (pod,) = await r.until(lambda pods: bool(pods) and pods[0]["status"]["phase"] == phase, r.pods)
        await r.pods.delete(pod["metadata"]["name"])
        seen = await r.until(lambda items: items[0]["status"].get("terminating") == 1, jobs.api)
        assert counts(seen[0]) == (0, 0, 0)
        assert len(await jobs.pods()) == 1
        seen = await r.until(lambda items: counts(items[0]) == (1, 0, 1), jobs.api)
        assert seen[0]["status"]["terminating"] == 0


async def jobs_pod_runs(r: Running) -> None:
    await r.until(lambda pods: bool(pods) and pods[0]["status"]["phase"] == "Running", r.pods)
