"""Jobs that are suspended and resumed, or get more and fewer pods at a time, and pods that change hands."""

import pytest

from svcsim.meta.objects import condition
from svcsim.meta.times import parse_time
from tests.controllers.jobs import TRACKING, Jobs, counts, job, said
from tests.controllers.running import running


@pytest.mark.virtual_time
async def test_a_suspended_job_has_no_pods_and_counts_none_as_failed():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "sleep 60", completions=2, parallelism=2, activeDeadlineSeconds=100))
        await r.until(lambda items: items[0]["status"].get("ready") == 2, jobs.api)
        await jobs.api.patch("pi", {"spec": {"suspend": True}})
        await r.until(lambda pods: not pods, r.pods)
        held = await jobs.until("pi", "Suspended")
        assert said(held) == [("Suspended", "True", "JobSuspended")]
        assert counts(held) == (0, 0, 0)
        assert "startTime" not in held["status"]
        await r.clock.sleep(300)
        resumed_at = r.clock.now()
        await jobs.api.patch("pi", {"spec": {"suspend": False}})
        done = await jobs.until("pi", "Complete")
        assert said(done)[0] == ("Suspended", "False", "JobResumed")
        assert counts(done) == (0, 2, 0)
        assert parse_time(done["status"]["startTime"]) == pytest.approx(resumed_at, abs=1.5), "the deadline counts from here"
        await r.clock.sleep(0.01)
        told = await r.events_of("pi")
        assert ("Suspended", "Job suspended") in told
        assert ("Resumed", "Job resumed") in told


@pytest.mark.virtual_time
async def test_a_job_can_be_created_suspended():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", suspend=True))
        held = await jobs.until("pi", "Suspended")
        assert "startTime" not in held["status"]
        assert await jobs.pods() == []
        await jobs.api.patch("pi", {"spec": {"suspend": False}})
        await jobs.until("pi", "Complete")


@pytest.mark.virtual_time
async def test_parallelism_can_change_and_pods_given_up_are_no_failures():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "sleep 60", completions=6, parallelism=3))
        await r.until(lambda items: items[0]["status"].get("ready") == 3, jobs.api)
        await jobs.api.patch("pi", {"spec": {"parallelism": 1}})
        await r.until(lambda pods: len(pods) == 1, r.pods)
        await jobs.api.patch("pi", {"spec": {"parallelism": 5}})
        await r.until(lambda items: items[0]["status"].get("active") == 5, jobs.api)
        done = await jobs.until("pi", "Complete")
        assert counts(done) == (0, 6, 0)
        assert "SuccessfulDelete" in [reason for reason, _ in await r.events_of("pi")]


@pytest.mark.virtual_time
async def test_it_adopts_what_fits_and_lets_go_what_no_longer_does():
    async with running() as r:
        jobs = Jobs(r)
        wish = job("pi", "sleep 300", manualSelector=True, selector={"matchLabels": {"app": "pi"}})
        wish["spec"]["template"]["metadata"] = {"labels": {"app": "pi"}}
        orphan = {"apiVersion": "v1", "kind": "Pod", **wish["spec"]["template"]}
        await r.pods.create({**orphan, "metadata": {"name": "orphan", "labels": {"app": "pi"}, "finalizers": ["example.com/keep"]}})
        made = await jobs.api.create(wish)
        await r.until(lambda items: items[0]["status"].get("ready") == 1, jobs.api)
        (adopted,) = await jobs.pods()
        assert adopted["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert adopted["metadata"]["finalizers"] == ["example.com/keep", TRACKING]

        await r.pods.patch("orphan", {"metadata": {"labels": {"app": "other"}}})
        await r.until(lambda pods: len(pods) == 2, r.pods)
        released = await r.pods.get("orphan")
        assert "ownerReferences" not in released["metadata"]
        assert released["metadata"]["finalizers"] == ["example.com/keep"]
        assert counts(await jobs.api.get("pi"))[2] == 0


@pytest.mark.parametrize("propagation", ["Background", "Foreground", "Orphan"])
@pytest.mark.virtual_time
async def test_pods_of_a_job_that_is_deleted_are_not_kept_by_its_finalizer(propagation: str):
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "sleep 1h", completions=2, parallelism=2))
        await r.until(lambda items: items[0]["status"].get("ready") == 2, jobs.api)
        await jobs.api.delete("pi", propagation=propagation)
        await r.until_gone(jobs.api, "pi")
        if propagation == "Orphan":
            await r.until(lambda pods: all("finalizers" not in pod["metadata"] for pod in pods), r.pods)
            assert len(await jobs.pods()) == 2
        else:
            await r.until(lambda pods: not pods, r.pods)


@pytest.mark.virtual_time
async def test_a_pod_with_the_finalizer_and_without_a_job_is_let_go():
    async with running() as r:
        pod = {"apiVersion": "v1", "kind": "Pod", **job("x", "sleep 1h")["spec"]["template"]}
        await r.pods.create({**pod, "metadata": {"name": "stray", "finalizers": [TRACKING]}})
        await r.until(lambda pods: "finalizers" not in pods[0]["metadata"], r.pods)


@pytest.mark.virtual_time
async def test_pods_and_a_namespace_on_its_way_out():
    async with running() as r:
        jobs = Jobs(r)
        await r.client.resource("v1", "namespaces").create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        wish = job("pi", "sleep 1h", completions=2, parallelism=2)
        wish["metadata"]["namespace"] = "shop"
        shop = jobs.api.within("shop")
        await shop.create(wish)
        await r.until(lambda items: items[0]["status"].get("ready") == 2, shop)
        await r.client.resource("v1", "namespaces").delete("shop")
        await r.until_gone(r.client.resource("v1", "namespaces"), "shop")


@pytest.mark.virtual_time
async def test_a_namesake_starts_anew():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("pi", "exit 1", backoffLimit=0))
        await jobs.until("pi", "Failed")
        await jobs.api.delete("pi", propagation="Background")
        await r.until_gone(jobs.api, "pi")
        await jobs.api.create(job("pi"))
        done = await jobs.until("pi", "Complete")
        assert counts(done) == (0, 1, 0)
        assert condition(done, "Failed") is None


@pytest.mark.virtual_time
async def test_a_suspended_job_with_nothing_to_do_is_complete():
    async with running() as r:
        jobs = Jobs(r)
        await jobs.api.create(job("empty", completions=0, suspend=True))
        done = await jobs.until("empty", "Complete")
        assert "startTime" not in done["status"]


@pytest.mark.virtual_time
async def test_a_suspended_job_can_still_fail_by_a_pod_that_was_on_its_way_out():
    """Somebody deletes a pod, then the job is suspended, and only then it is known how the pod has ended."""
    async with running() as r:
        jobs = Jobs(r)
        wish = job("pi", "sleep 1h", backoffLimit=0, podReplacementPolicy="Failed")
        wish["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "nowhere"}
        await jobs.api.create(wish)
        (pod,) = await r.until(lambda pods: bool(pods) and pods[0]["status"]["phase"] == "Pending", r.pods)
        await r.pods.delete(pod["metadata"]["name"])
        await jobs.api.patch("pi", {"spec": {"suspend": True}})
        held = await jobs.until("pi", "Suspended")
        assert "startTime" not in held["status"]
        done = await jobs.until("pi", "Failed")
        assert counts(done) == (0, 0, 1)
        assert done["status"]["startTime"]
