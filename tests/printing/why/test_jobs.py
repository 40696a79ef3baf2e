"""Why Jobs are as they are: failures that count or don't, pods waited for, and how they end."""

from svcsim.meta.types import Object
from tests.printing.why.explaining import NOW, condition, explained, job, owned_pod


def test_a_job_without_parallelism_says_so() -> None:
    job = {"spec": {"parallelism": 0, "completions": 3}, "status": {"startTime": "2026-01-01T00:00:00Z"}}
    verdict = explained("batch", "Job", job)
    assert (verdict.fine, verdict.because) == (False, ("It makes no pods while spec.parallelism is 0.",))


def job_pod(name: str, ended: str, code: int = 1) -> Object:
    """A pod of a job that has failed."""
    state = {"terminated": {"exitCode": code, "startedAt": ended, "finishedAt": ended}}
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "uid": name,
            "namespace": "default",
            "creationTimestamp": ended,
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{"uid": "u1", "controller": True}],
        },
        "status": {"phase": "Failed", "containerStatuses": [{"name": "c", "state": state}]},
    }


def test_a_job_tells_of_failures_that_count_for_nothing_and_when_it_tries_again() -> None:
    rules = {"podFailurePolicy": {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]}}
    pods = [job_pod("a", "2026-01-01T00:59:00Z", 42), job_pod("b", "2026-01-01T00:59:50Z", 42)]
    verdict = explained("batch", "Job", job(rules, {}), pods=pods)
    assert (verdict.state, verdict.fine) == ("is under way: 0 of 1 succeeded, 0 failed, 0 active", False)
    assert verdict.because == ("2 pods failed and count for nothing, by an Ignore rule of its podFailurePolicy.",)
    assert verdict.then == (("after a back-off, which doubles from 10s to 10m, the next pod is made", NOW + 10),)
    assert verdict.below == (pods[1],)


def test_a_job_tells_that_it_waits_for_a_pod_on_its_way_out() -> None:
    verdict = explained("batch", "Job", job({"podReplacementPolicy": "Failed"}, {"terminating": 1}))
    assert (verdict.state, verdict.fine) == ("is under way: 0 of 1 succeeded, 0 failed, 0 active, 1 on its way out", False)
    told = "A pod on its way out is counted, and another made in its place, once it has ended (podReplacementPolicy Failed)."
    assert verdict.because == (told,)
    assert explained("batch", "Job", job({"podReplacementPolicy": "TerminatingOrFailed"}, {"terminating": 1})).fine


def test_a_job_says_how_often_it_or_an_index_of_it_is_tried_again() -> None:
    told = explained("batch", "Job", job({"backoffLimit": 1}, {"failed": 1})).because
    assert told == ("1 pod failed; it fails itself after 1 retry (backoffLimit).",)
    indexed = {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 2, "backoffLimit": 2**31 - 1}
    assert explained("batch", "Job", job(indexed, {"failed": 3, "failedIndexes": "1"})).because == (
        "3 pods failed; an index fails after 2 retries (backoffLimitPerIndex).",
        "Indexes that have failed for good: 1.",
    )
    queue = explained("batch", "Job", job({"completions": None, "parallelism": 3}, {"active": 3}))
    assert queue.state == "is under way: 0 succeeded, 0 failed, 3 active"


def test_a_job_that_failed_leads_to_the_pod_that_failed_last() -> None:
    pods = [job_pod("b", "2026-01-01T00:59:50Z"), job_pod("c", "2026-01-01T00:59:00Z")]
    conditions = [condition("Failed", "True", "FailedIndexes", "Job has failed indexes")]
    verdict = explained("batch", "Job", job({}, {"conditions": conditions, "failedIndexes": "0,2"}), pods=pods)
    assert verdict.because == ("FailedIndexes: Job has failed indexes.", "Indexes that have failed: 0,2.")
    assert verdict.below == (pods[0],)


def test_a_job_that_is_complete_by_its_policy_says_so() -> None:
    complete = {"succeeded": 1, "conditions": [condition("Complete", "True", "SuccessPolicy")]}
    verdict = explained("batch", "Job", job({"completions": 4, "successPolicy": {"rules": [{"succeededCount": 1}]}}, complete))
    assert (verdict.state, verdict.because) == ("is complete: 1 of 4 succeeded", ("They are enough by its successPolicy.",))


def test_a_job_that_is_ending_or_suspended_leads_to_the_pods_that_are_still_there() -> None:
    leaving = owned_pod("it-a", leaving=True)
    failing = job({}, {"conditions": [condition("FailureTarget", "True", "DeadlineExceeded")]})
    for one in (failing, job({"suspend": True}, {})):
        assert explained("batch", "Job", one, pods=[leaving, owned_pod("it-b")]).below == (leaving,)
