"""What a Job does about its pods, and what it says, in tables."""

import pytest

from svcsim import limits
from svcsim.clock import format_time
from svcsim.controllers.job.backoff import FailureRecord
from svcsim.controllers.job.indexes import indexes_text, read_indexes
from svcsim.controllers.job.plan import JobPlan, make_plan
from svcsim.controllers.job.pods import Creation, pod_of
from svcsim.controllers.job.status import Outcome, final_status, interim_status
from svcsim.controllers.job.tally import JobSnapshot
from svcsim.controllers.job.words import Words
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Json, Object
from tests.controllers.jobs import INDEX, TRACKING
from tests.virtual import START_S

NOW = START_S + 10_000
WORDS = Words.of(KUBERNETES)
PER_INDEX = {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 2, "backoffLimit": 1000}


def a_job(status: Object | None = None, **spec: Json) -> Object:
    template: Object = {"spec": {"restartPolicy": spec.pop("restart", "Never"), "containers": [{"name": "main"}]}}
    given = {"parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "template": template, **spec}
    begun = {"startTime": format_time(NOW - 100), **(status or {})}
    return {"metadata": {"name": "pi", "namespace": "default", "uid": "job"}, "spec": given, "status": begun}


def a_pod(
    name: str,
    phase: str = "Running",
    *,
    index: int | None = None,
    code: int = 1,
    ended_s: float = 1,
    failures: int | None = None,
    leaving: bool = False,
    tracked: bool = True,
    restarts: int = 0,
    conditions: list[Object] | None = None,
) -> Object:
    """A pod; one that has ended did so ``ended_s`` seconds ago."""
    annotations = {} if index is None else {INDEX: str(index)}
    if failures is not None:
        annotations["batch.kubernetes.io/job-index-failure-count"] = str(failures)
    metadata: Object = {
        "name": name, "namespace": "default", "uid": name, "annotations": annotations, "creationTimestamp": format_time(NOW - 50),
    }  # fmt: skip
    if tracked:
        metadata["finalizers"] = [TRACKING]
    if leaving:
        metadata["deletionTimestamp"] = format_time(NOW)
    container: Object = {"name": "main", "restartCount": restarts}
    if phase in {"Succeeded", "Failed"}:
        ended = {"exitCode": code if phase == "Failed" else 0, "finishedAt": format_time(NOW - ended_s)}
        container["state"] = {"terminated": ended}
    status = {"phase": phase, "containerStatuses": [container], "conditions": conditions or []}
    return {"metadata": metadata, "spec": {"nodeName": "n1"}, "status": status}


def seen(job: Object, *pods: Object, record: FailureRecord | None = None, met: bool = True) -> JobSnapshot:
    return JobSnapshot(job, list(pods), {}, met, record, NOW, format_time(NOW), WORDS)


def plan(job: Object, *pods: Object, **more: Json) -> JobPlan:
    return make_plan(seen(job, *pods, **more))


def names(pods: list[Object]) -> list[str]:
    return [pod["metadata"]["name"] for pod in pods]


@pytest.mark.parametrize("text", ["", "0", "0,1", "0-2", "1,3-5,7", "2,3,5,6,8-10"])
def test_indexes_are_read_as_they_are_written(text: str):
    assert indexes_text(read_indexes(text, 100)) == text


def test_indexes_beyond_the_completions_are_left_out():
    assert list(read_indexes("1,3-5,7", 5)) == [1, 3, 4]


@pytest.mark.parametrize(
    ("spec", "pods", "made"),
    [
        pytest.param({"parallelism": 3, "completions": 5}, [], 3, id="as many as may run"),
        pytest.param({"parallelism": 3, "completions": 2}, [], 2, id="no more than are needed"),
        pytest.param({"parallelism": 3, "completions": 3}, [a_pod("a", "Succeeded")], 2, id="what has succeeded isn't done again"),
        pytest.param({"parallelism": 3}, [a_pod("a")], 2, id="a work queue is filled"),
        pytest.param({"parallelism": 3}, [a_pod("a"), a_pod("b", "Succeeded")], 0, id="but not after the first success"),
        pytest.param({"completions": 1, "suspend": True}, [], 0, id="none while suspended"),
        pytest.param({"completions": 1}, [a_pod("a", leaving=True)], 0, id="a deleted pod has failed, and the next one waits"),
        pytest.param({"completions": 1}, [a_pod("a", leaving=True, tracked=False)], 1, id="one that was given up is replaced at once"),
        pytest.param(
            {"completions": 1, "podReplacementPolicy": "Failed"}, [a_pod("a", leaving=True, tracked=False)], 0, id="unless by the policy"
        ),
    ],
)
def test_so_many_pods_are_made(spec: Object, pods: list[Object], made: int):
    assert len(plan(a_job(**spec), *pods).create) == made


def test_none_are_made_or_given_up_before_what_was_done_is_seen():
    found = plan(a_job(parallelism=3, completions=3), met=False)
    assert (found.create, found.delete, found.managed) == ([], [], False)


def test_surplus_is_given_up_what_has_come_least_far_first():
    pods = [a_pod("runs"), a_pod("pending", "Pending"), a_pod("restarts", restarts=2)]
    assert names(plan(a_job(parallelism=1, completions=9), *pods).delete) == ["pending", "restarts"]


def test_of_two_pods_with_one_index_one_is_given_up_and_so_is_what_has_no_index_of_the_job():
    job = a_job(parallelism=4, completions=3, completionMode="Indexed")
    pods = [a_pod("a", index=0), a_pod("b", "Pending", index=0), a_pod("c", index=7), a_pod("d"), a_pod("e", index=1)]
    assert sorted(names(plan(job, *pods).delete)) == ["b", "c", "d"]


def test_missing_indexes_are_made_in_order():
    job = a_job({"completedIndexes": "1", "succeeded": 1}, parallelism=3, completions=6, completionMode="Indexed")
    assert [one.completion_index for one in plan(job, a_pod("a", index=2)).create] == [0, 3]


@pytest.mark.parametrize(("failures", "wait_s"), [(1, 9), (2, 19), (3, 39), (6, 319), (7, 599), (50, 599)])
def test_the_wait_doubles_with_each_failure(failures: int, wait_s: float):
    found = plan(a_job(completions=1, backoffLimit=99), record=FailureRecord(failures, NOW - 1))
    assert (found.create, found.wait_s) == ([], pytest.approx(wait_s))


def test_a_success_ends_the_wait():
    record = FailureRecord(3, NOW - 20)
    assert plan(a_job(parallelism=2, completions=3), a_pod("ok", "Succeeded", ended_s=5), record=record).create != []
    late = plan(a_job(parallelism=2, completions=3), a_pod("ok", "Succeeded", ended_s=25), record=record)
    assert late.create == [], "not one from before the failures"


def test_each_index_waits_for_itself_and_knows_how_often_it_has_failed():
    pods = [a_pod("a", "Failed", index=0, failures=1, ended_s=5), a_pod("b", "Failed", index=1, failures=0, ended_s=11)]
    found = plan(a_job(parallelism=3, **PER_INDEX), *pods)
    assert [(one.completion_index, one.failures) for one in found.create] == [(1, 1), (2, 0)]
    assert found.wait_s == pytest.approx(15)
    kept = interim_status(seen(a_job(parallelism=3, **PER_INDEX), *pods), found, Outcome(0, [])).counted
    assert (kept.failed, names(kept.let_go)) == ([], []), "they tell how often it was, and count once there are others"
    given_up = interim_status(seen(a_job(parallelism=3, **PER_INDEX), *pods), found, Outcome(0, [], no_more=True)).counted
    assert (given_up.failed, names(given_up.let_go)) == (["a", "b"], ["a", "b"])


RULE_42 = {"onExitCodes": {"operator": "In", "values": [42]}}
RULE_DISRUPTED = {"onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


@pytest.mark.parametrize(
    ("job", "pods", "reason"),
    [
        pytest.param(
            a_job(completions=2, backoffLimit=1), [a_pod("a", "Failed"), a_pod("b", "Failed")], "BackoffLimitExceeded", id="limit"
        ),
        pytest.param(a_job({"failed": 2}, completions=2, backoffLimit=1), [], None, id="a limit that was lowered waits for a failure"),
        pytest.param(a_job(restart="OnFailure", backoffLimit=2), [a_pod("a", restarts=2)], "BackoffLimitExceeded", id="restarts"),
        pytest.param(a_job(restart="OnFailure", backoffLimit=0), [a_pod("a", restarts=0)], None, id="no restart yet"),
        pytest.param(a_job(restart="OnFailure", backoffLimit=0), [a_pod("a", restarts=1)], "BackoffLimitExceeded", id="the first restart"),
        pytest.param(a_job(restart="Never", backoffLimit=2), [a_pod("a", restarts=9)], None, id="restarts count for OnFailure alone"),
        pytest.param(a_job(activeDeadlineSeconds=100), [a_pod("a")], "DeadlineExceeded", id="deadline"),
        pytest.param(a_job(activeDeadlineSeconds=101), [a_pod("a")], None, id="before the deadline"),
        pytest.param(a_job(activeDeadlineSeconds=100, suspend=True), [], None, id="time stands still while suspended"),
        pytest.param(
            a_job(podFailurePolicy={"rules": [{"action": "FailJob", **RULE_42}]}),
            [a_pod("a", "Failed", code=42)],
            "PodFailurePolicy",
            id="exit code",
        ),
        pytest.param(
            a_job(podFailurePolicy={"rules": [{"action": "FailJob", **RULE_42}]}), [a_pod("a", "Failed", code=1)], None, id="another code"
        ),
        pytest.param(
            a_job(podFailurePolicy={"rules": [{"action": "Count", **RULE_42}, {"action": "FailJob", **RULE_42}]}),
            [a_pod("a", "Failed", code=42)],
            None,
            id="the first rule that fits",
        ),
        pytest.param(
            a_job(backoffLimit=0, podFailurePolicy={"rules": [{"action": "Ignore", **RULE_DISRUPTED}]}),
            [a_pod("a", "Failed", conditions=DISRUPTED)],
            None,
            id="ignored",
        ),
        pytest.param(
            a_job(backoffLimit=0, podFailurePolicy={"rules": [{"action": "Count", **RULE_DISRUPTED}]}),
            [a_pod("a", "Failed", conditions=DISRUPTED)],
            "BackoffLimitExceeded",
            id="counted",
        ),
        pytest.param(
            a_job(**PER_INDEX, maxFailedIndexes=0), [a_pod("a", "Failed", index=0, failures=2)], "MaxFailedIndexesExceeded", id="max"
        ),
        pytest.param(a_job(**PER_INDEX, maxFailedIndexes=0), [a_pod("a", "Failed", index=0, failures=1)], None, id="one try left"),
        pytest.param(
            a_job({"completedIndexes": "1,2", "succeeded": 2}, **PER_INDEX),
            [a_pod("a", "Failed", index=0, failures=2)],
            "FailedIndexes",
            id="all others done",
        ),
        pytest.param(
            a_job(completions=9, completionMode="Indexed", successPolicy={"rules": [{"succeededCount": 2}]}),
            [a_pod("a", "Succeeded", index=3), a_pod("b", "Succeeded", index=5)],
            "SuccessPolicy",
            id="a count",
        ),
        pytest.param(
            a_job(completions=9, completionMode="Indexed", successPolicy={"rules": [{"succeededIndexes": "0,3-5"}]}),
            [a_pod("a", "Succeeded", index=3), a_pod("b", "Succeeded", index=5)],
            None,
            id="not all named",
        ),
    ],
)
def test_a_job_comes_to_its_end(job: Object, pods: list[Object], reason: str | None):
    ending = plan(job, *pods).ending
    assert (ending and ending["reason"]) == reason


def test_an_end_that_was_said_stays_whatever_comes():
    target = {"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": "m"}
    job = a_job({"conditions": [target]}, completions=1)
    assert plan(job, a_pod("a", "Succeeded")).ending == target


def test_a_pod_is_named_then_let_go_then_counted():
    job, pod = a_job(completions=2), a_pod("a", "Succeeded")
    snapshot = seen(job, pod)
    interim = interim_status(snapshot, make_plan(snapshot), Outcome(1, []))
    assert interim.status["uncountedTerminatedPods"] == {"succeeded": ["a"]}
    assert "succeeded" not in interim.status
    assert names(interim.counted.let_go) == ["a"]
    failed = final_status(snapshot, interim, interim.status, {})
    assert failed["uncountedTerminatedPods"] == {"succeeded": ["a"]}, "it could not be let go"
    done = final_status(snapshot, interim, interim.status, {"a": None})
    assert (done["succeeded"], done["uncountedTerminatedPods"]) == (1, {})


def test_a_pod_that_is_named_and_gone_is_counted():
    job = a_job({"uncountedTerminatedPods": {"failed": ["a"]}}, completions=2)
    snapshot = seen(job)
    interim = interim_status(snapshot, make_plan(snapshot), Outcome(0, []))
    assert (interim.status["failed"], interim.status["uncountedTerminatedPods"]) == (1, {})


def test_a_job_is_not_over_while_pods_terminate():
    target = {"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": "m"}
    job = a_job({"conditions": [target]}, completions=1)
    for pods, over in (([a_pod("a", leaving=True, tracked=False)], False), ([], True)):
        snapshot = seen(job, *pods)
        interim = interim_status(snapshot, make_plan(snapshot), Outcome(0, []))
        kinds = [one["type"] for one in final_status(snapshot, interim, interim.status, {})["conditions"]]
        assert ("Failed" in kinds) == over


def test_pods_that_are_left_when_enough_have_succeeded_are_ended_and_count_as_failed_once_they_terminate():
    spec: Object = {"completions": 3, "completionMode": "Indexed", "successPolicy": {"rules": [{"succeededCount": 1}]}}
    done, runs = a_pod("a", "Succeeded", index=0), a_pod("b", index=1)
    snapshot = seen(a_job(**spec), done, runs)
    found = make_plan(snapshot)
    assert (names(found.delete), found.keeps_deleted, found.create) == (["b"], True, [])
    interim = interim_status(snapshot, found, Outcome(0, [runs]))
    assert (interim.counted.failed, names(interim.counted.let_go)) == ([], ["a"])
    snapshot = seen(a_job(interim.status, **spec), done, a_pod("b", index=1, leaving=True))
    interim = interim_status(snapshot, make_plan(snapshot), Outcome(0, []))
    assert interim.counted.failed == ["b"]


def test_pods_that_run_when_a_job_fails_are_ended_and_count_as_failed():
    rules = {"rules": [{"action": "FailJob", **RULE_42}]}
    bad, runs = a_pod("a", "Failed", code=42), a_pod("b")
    snapshot = seen(a_job(parallelism=2, completions=2, podFailurePolicy=rules), bad, runs)
    found = make_plan(snapshot)
    assert (names(found.delete), found.keeps_deleted) == (["b"], True)
    interim = interim_status(snapshot, found, Outcome(0, [runs]))
    assert (interim.counted.failed, names(interim.counted.let_go)) == (["a", "b"], ["a", "b"])
    assert (interim.status.get("active", 0), interim.status["terminating"]) == (0, 1)


def test_a_status_takes_so_many_pods_at_a_time():
    pods = [a_pod(f"p{number}", "Succeeded") for number in range(limits.JOB_UNCOUNTED_PODS + 10)]
    snapshot = seen(a_job(completions=len(pods), parallelism=1), *pods)
    interim = interim_status(snapshot, make_plan(snapshot), Outcome(0, []))
    assert len(interim.counted.succeeded) == limits.JOB_UNCOUNTED_PODS
    assert not interim.counted.complete
    final = final_status(snapshot, interim, interim.status, dict.fromkeys(interim.counted.succeeded))
    assert [one["type"] for one in final["conditions"]] == ["SuccessCriteriaMet"], "it isn't over before all are counted"


def test_an_ignored_failure_of_an_index_is_known_to_the_next_try():
    rules = {"rules": [{"action": "Ignore", **RULE_42}]}
    job = a_job(parallelism=3, podFailurePolicy=rules, **PER_INDEX)
    pods = [a_pod("a", "Failed", index=0, code=42, failures=1, ended_s=60), a_pod("b", index=1), a_pod("c", index=2)]
    (creation,) = plan(job, *pods).create
    assert creation == Creation(0, failures=1, ignored=1)
    annotations = pod_of({"apiVersion": "batch/v1", "kind": "Job", **job}, creation, WORDS)["metadata"]["annotations"]
    assert annotations["batch.kubernetes.io/job-index-failure-count"] == "1"
    assert annotations["batch.kubernetes.io/job-index-ignored-failure-count"] == "1"


def test_long_names_leave_room_for_the_index():
    job = {"apiVersion": "batch/v1", "kind": "Job", **a_job()}
    job["metadata"]["name"] = "n" * 63
    assert pod_of(job, Creation(12), WORDS)["metadata"]["generateName"] == "n" * 54 + "-12-"


def test_a_variable_that_the_template_sets_is_left_alone():
    job = {"apiVersion": "batch/v1", "kind": "Job", **a_job()}
    own = {"name": "JOB_COMPLETION_INDEX", "value": "mine"}
    job["spec"]["template"]["spec"]["containers"][0]["env"] = [own]
    assert pod_of(job, Creation(1), WORDS)["spec"]["containers"][0]["env"] == [own]
