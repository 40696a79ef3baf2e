"""Whether a job is at its end, and by what: the condition FailureTarget, or SuccessCriteriaMet."""

from svcsim.controllers.job.failure_policy import ruling
from svcsim.controllers.job.indexes import read_indexes
from svcsim.controllers.job.pods import is_failed, is_indexed, restarts_of
from svcsim.controllers.job.tally import JobSnapshot, Tally
from svcsim.meta.objects import condition, condition_is
from svcsim.meta.pods import phase_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

FAILURE = "FailureTarget"
SUCCESS = "SuccessCriteriaMet"


def verdict(snapshot: JobSnapshot, sums: Tally) -> Object | None:
    """The condition by which the job ends; None as long as it goes on, or only its completions could tell.

    What was once said stays.
    """
    for kind in (FAILURE, SUCCESS):
        if condition_is(snapshot.job, kind):
            return condition(snapshot.job, kind)
    return _by_failures(snapshot, sums) or _by_time(snapshot) or _by_indexes(snapshot, sums) or _by_success_policy(snapshot, sums)


def completions_reached(snapshot: JobSnapshot, sums: Tally, active: int) -> Object | None:
    """The condition of a job of which enough pods have succeeded. Without completions one is enough, once the others have ended."""
    wanted = 1 if snapshot.completions is None else snapshot.completions
    if active or sums.succeeded < wanted:
        return None
    return _condition(SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods")


def deadline_in_s(snapshot: JobSnapshot) -> float | None:
    """Seconds until the job has been active for too long; None where there is no such moment."""
    spec, start = snapshot.job["spec"], (snapshot.job.get("status") or {}).get("startTime")
    seconds = spec.get("activeDeadlineSeconds")
    if seconds is None or spec.get("suspend"):
        return None
    return (parse_time(start) if start else snapshot.now) + float(seconds) - snapshot.now


def _by_failures(snapshot: JobSnapshot, sums: Tally) -> Object | None:
    job = snapshot.job
    for pod in snapshot.tracked:
        ruled = ruling(job, pod) if is_failed(pod, job) else None
        if ruled is not None and ruled.action == "FailJob":
            return _condition(FAILURE, "PodFailurePolicy", ruled.why)
    most = job["spec"].get("backoffLimit", 6)
    new_failure = sums.failed > ((job.get("status") or {}).get("failed") or 0)
    if (new_failure and sums.failed > most) or _restarted_too_often(snapshot, most):
        return _condition(FAILURE, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    return None


def _restarted_too_often(snapshot: JobSnapshot, most: int) -> bool:
    if snapshot.job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(restarts_of(pod) for pod in snapshot.pods if phase_of(pod) in {"Pending", "Running"})
    return restarts >= max(most, 1)


def _by_time(snapshot: JobSnapshot) -> Object | None:
    left_s = deadline_in_s(snapshot)
    if left_s is None or left_s > 0:
        return None
    return _condition(FAILURE, "DeadlineExceeded", "Job was active longer than specified deadline")


def _by_indexes(snapshot: JobSnapshot, sums: Tally) -> Object | None:
    failed = len(sums.failed_indexes or ())
    most = snapshot.job["spec"].get("maxFailedIndexes")
    if failed and most is not None and failed > most:
        return _condition(FAILURE, "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes")
    if failed and failed + sums.succeeded >= (snapshot.completions or 0):
        return _condition(FAILURE, "FailedIndexes", "Job has failed indexes")
    return None


def _by_success_policy(snapshot: JobSnapshot, sums: Tally) -> Object | None:
    policy = snapshot.job["spec"].get("successPolicy")
    if policy is None or not is_indexed(snapshot.job):
        return None
    for number, rule in enumerate(policy.get("rules") or ()):
        named, wanted = rule.get("succeededIndexes"), rule.get("succeededCount")
        if named is None:
            holds = wanted is not None and sums.succeeded >= wanted
        else:
            required = read_indexes(named, snapshot.completions or 0)
            there = sum(index in sums.completed for index in required)
            holds = there >= (len(required) if wanted is None else wanted)
        if holds:
            return _condition(SUCCESS, "SuccessPolicy", f"Matched rules at index {number}")
    return None


def _condition(kind: str, reason: str, message: str) -> Object:
    return {"type": kind, "status": "True", "reason": reason, "message": message}
