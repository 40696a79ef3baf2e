"""The status a job is given: what is to be known before its pods are let go, and what after."""

from typing import NamedTuple

from svcsim.controllers.job.counting import Count, count, settle
from svcsim.controllers.job.indexes import indexes_text
from svcsim.controllers.job.plan import JobPlan
from svcsim.controllers.job.pods import is_indexed
from svcsim.controllers.job.tally import JobSnapshot
from svcsim.controllers.job.verdict import FAILURE, SUCCESS, completions_reached
from svcsim.meta.objects import copy_json, set_condition, uid_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object

_DROPPED_AT_ZERO = ("active", "succeeded", "failed")


class Outcome(NamedTuple):
    """What became of what was planned for pods."""

    created: int
    deleted: list[Object]
    no_more: bool = False
    """Whether no pod will ever be made again, because the namespace is going."""


class Interim(NamedTuple):
    """The status to be written before pods are let go, and what is said about it."""

    status: Object
    counted: Count
    ending: Object | None
    event: str
    """Suspended or Resumed, or empty."""


def interim_status(snapshot: JobSnapshot, plan: JobPlan, outcome: Outcome) -> Interim:
    gone = {uid_of(pod): None for pod in outcome.deleted}
    left = [pod for pod in plan.sums.active if uid_of(pod) not in gone]
    active = len(left) + outcome.created
    ending = plan.ending or completions_reached(snapshot, plan.sums, active)
    fails = ending is not None and ending["type"] == FAILURE
    counted = count(snapshot, plan.sums, awaits_others=ending is None and not outcome.no_more, all_failed=fails)
    status = copy_json(snapshot.job.get("status") or {})
    if not status.get("startTime") and (not snapshot.job["spec"].get("suspend") or (ending is not None and snapshot.completions != 0)):
        status["startTime"] = snapshot.timestamp  # a job that is over has had a start, even if it was suspended last
    uncounted = status.setdefault("uncountedTerminatedPods", {})
    for part, uids in (("succeeded", counted.succeeded), ("failed", counted.failed)):
        if uids:
            uncounted[part] = [*(uncounted.get(part) or ()), *uids]
    settle(status, {uid_of(pod): None for pod in snapshot.tracked})
    status["active"] = active
    status["ready"] = sum(map(is_ready, left))
    status["terminating"] = plan.sums.terminating + len(gone)
    _tell_indexes(snapshot, plan, status)
    event = ""
    if ending is not None:
        _say(status, ending, snapshot.timestamp)
    elif plan.managed:
        event = _suspended_or_resumed(snapshot, status)
    return Interim(_normal(status), counted, ending, event)


def final_status(snapshot: JobSnapshot, interim: Interim, status: Object, released: dict[str, None]) -> Object:
    """The status once pods have been let go; with it the job may be over, if nothing is left of it."""
    status = copy_json(status)
    settle(status, {uid_of(pod): None for pod in snapshot.tracked if uid_of(pod) not in released})
    if interim.ending is None or not interim.counted.complete or status["uncountedTerminatedPods"] or not snapshot.expectations_met:
        return _normal(status)
    if status.get("active") or status.get("terminating"):
        return _normal(status)
    success = interim.ending["type"] == SUCCESS
    _say(status, {**interim.ending, "type": "Complete" if success else "Failed"}, snapshot.timestamp)
    if success:
        # Where the clock has been set back since it began, it ends when it began: an end before that is refused.
        status["completionTime"] = max(snapshot.timestamp, status.get("startTime") or "")
    return _normal(status)


def changed(before: Object, after: Object) -> bool:
    """Whether a status says something new."""
    return _normal(before) != _normal(after)


def ended(job: Object) -> Object | None:
    """The condition by which a job is over."""
    conditions: list[Object] = (job.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one["type"] in {"Complete", "Failed"} and one["status"] == "True"), None)


def _tell_indexes(snapshot: JobSnapshot, plan: JobPlan, status: Object) -> None:
    if not is_indexed(snapshot.job):
        return
    status["succeeded"] = len(plan.sums.completed)
    status["completedIndexes"] = indexes_text(plan.sums.completed)
    if plan.sums.failed_indexes is not None:
        status["failedIndexes"] = indexes_text(plan.sums.failed_indexes)


def _suspended_or_resumed(snapshot: JobSnapshot, status: Object) -> str:
    """Say which, where that is new. A job's time counts from when it was resumed, so a suspended one has none."""
    suspended = bool(snapshot.job["spec"].get("suspend"))
    before = next((one for one in status.get("conditions") or () if one["type"] == "Suspended"), None)
    if suspended:
        status.pop("startTime", None)
    if (before is not None and before["status"] == "True") == suspended:
        return ""
    word = "Suspended" if suspended else "Resumed"
    condition = {"type": "Suspended", "status": str(suspended), "reason": f"Job{word}", "message": f"Job {word.lower()}"}
    _say(status, condition, snapshot.timestamp)
    return word


def _say(status: Object, condition: Object, timestamp: str) -> None:
    conditions = status.setdefault("conditions", [])
    same = next((one for one in conditions if one["type"] == condition["type"] and one["status"] == condition["status"]), None)
    if same is None:
        said = {name: condition[name] for name in ("type", "status", "reason", "message")}
        set_condition(conditions, {**said, "lastProbeTime": timestamp, "lastTransitionTime": timestamp}, timestamp)


def _normal(status: Object) -> Object:
    """Without what isn't stored."""
    return {name: value for name, value in status.items() if value or name not in (*_DROPPED_AT_ZERO, "completedIndexes", "conditions")}
