"""What makes the status of a Job right, whichever controller writes it.

What was wrong before and isn't touched is let be: a rule about certain fields speaks when one of them changes.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from svcsim.kinds.batch.indexes import IndexesError, first_in_both, parse_indexes
from svcsim.kinds.batch.job_spec_rules import is_indexed
from svcsim.kinds.shared.checks import IMMUTABLE, not_negative
from svcsim.meta.errors import FieldError, duplicate, invalid_part, invalid_value, required
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_COUNTS = ("active", "succeeded", "failed", "ready", "terminating")
_TERMINAL = ("Failed", "Complete", "FailureTarget")
_TYPES = ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")


class State(NamedTuple):
    """What the rules ask of a job."""

    spec: Object
    status: Object
    true: tuple[str, ...]
    """Types of conditions that hold."""

    @classmethod
    def of(cls, job: Object) -> "State":
        status = job.get("status") or {}
        conditions = status.get("conditions") or ()
        true = tuple(kind for kind in _TYPES if any(one.get("type") == kind and one.get("status") == "True" for one in conditions))
        return cls(job.get("spec") or {}, status, true)

    @property
    def finished(self) -> bool:
        return "Complete" in self.true or "Failed" in self.true

    def of_part(self, part: str) -> object:
        """A field of the status, whether a condition holds, or whether the job has finished."""
        if part == "finished":
            return self.finished
        return part in self.true if part in _TYPES else self.status.get(part)


Finding = Callable[[State], Iterator[FieldError]]


def job_status_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    job, before = State.of(new), State.of(old)
    for name in _COUNTS:
        yield from not_negative(job.status.get(name) or 0, f"status.{name}")
    yield from _each_pod_once(job)
    for parts, finding in _RULES:
        if not parts or any(job.of_part(part) != before.of_part(part) for part in parts):
            yield from finding(job)


def _each_pod_once(job: State) -> Iterator[FieldError]:
    seen: set[str] = set()
    for part in ("succeeded", "failed"):
        for index, uid in enumerate((job.status.get("uncountedTerminatedPods") or {}).get(part) or ()):
            where = f"status.uncountedTerminatedPods.{part}[{index}]"
            if not uid:
                yield invalid_value(where, uid, "must not be empty")
            elif uid in seen:
                yield duplicate(where, uid)
            seen.add(uid)


def _not_both(one: str, other: str, said: str) -> Finding:
    """Two conditions that don't hold together."""

    def check(job: State) -> Iterator[FieldError]:
        if one in job.true and other in job.true:
            yield invalid_part("status.conditions", f"cannot set {said} conditions")

    return check


def _only_after(one: str, other: str, said: str) -> Finding:
    """A condition that doesn't hold unless another does."""

    def check(job: State) -> Iterator[FieldError]:
        if one in job.true and other not in job.true:
            yield invalid_part("status.conditions", f"cannot set {said} condition")

    return check


def _completion_time(job: State) -> Iterator[FieldError]:
    time, complete = job.status.get("completionTime"), "Complete" in job.true
    if time and not complete:
        yield invalid_value("status.completionTime", time, "cannot set completionTime when there is no Complete=True condition")
    if complete and not time:
        yield required("status.completionTime", "completionTime is required for Complete jobs")


def _times_in_order(job: State) -> Iterator[FieldError]:
    start, end = job.status.get("startTime"), job.status.get("completionTime")
    if start and end and parse_time(end) < parse_time(start):
        yield invalid_value("status.completionTime", end, "must be equal to or after `startTime`")


def _start_time(job: State) -> Iterator[FieldError]:
    """A job that has finished had begun, unless there was nothing to do and it was suspended."""
    if job.finished and not job.status.get("startTime") and not (job.spec.get("suspend") and job.spec.get("completions") == 0):
        yield required("status.startTime", "startTime is required for finished job")


def _none_of_finished(name: str) -> Finding:
    """A job that has finished has no such pods any more."""

    def check(job: State) -> Iterator[FieldError]:
        count = job.status.get(name) or 0
        if count > 0 and job.finished:
            yield invalid_value(f"status.{name}", count, f"{name}>0 is invalid for finished job")

    return check


def _all_counted(job: State) -> Iterator[FieldError]:
    uncounted = job.status.get("uncountedTerminatedPods") or {}
    if job.finished and (uncounted.get("succeeded") or uncounted.get("failed")):
        yield invalid_value("status.uncountedTerminatedPods", uncounted, "must be empty for finished job")


def _completed_indexes(job: State) -> Iterator[FieldError]:
    indexes, completions = job.status.get("completedIndexes") or "", job.spec.get("completions")
    if completions is not None:
        yield from _readable(indexes, completions, "completedIndexes")
    if indexes and not is_indexed(job.spec):
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid_value("status.completedIndexes", indexes, detail)


def _failed_indexes(job: State) -> Iterator[FieldError]:
    indexes, completions = job.status.get("failedIndexes"), job.spec.get("completions")
    if indexes is None:
        return
    if job.spec.get("backoffLimitPerIndex") is None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid_value("status.failedIndexes", indexes, detail)
    elif completions is not None:
        yield from _readable(indexes, completions, "failedIndexes")


def _readable(indexes: str, completions: int, name: str) -> Iterator[FieldError]:
    try:
        parse_indexes(indexes, completions)
    except IndexesError as error:
        yield invalid_value(f"status.{name}", indexes, f"error parsing {name}: {error}")


def _no_index_twice(job: State) -> Iterator[FieldError]:
    failed, completions = job.status.get("failedIndexes"), job.spec.get("completions")
    if failed is None or completions is None:
        return
    index = first_in_both(job.status.get("completedIndexes") or "", failed, completions)
    if index is not None:
        yield invalid_value("status.failedIndexes", failed, f"failedIndexes and completedIndexes overlap at index: {index}")


def _ready_are_active(job: State) -> Iterator[FieldError]:
    ready = job.status.get("ready")
    if ready is not None and ready > (job.status.get("active") or 0):
        yield invalid_value("status.ready", ready, "cannot set more ready pods than active")


def _by_success_policy(job: State) -> Iterator[FieldError]:
    if job.spec.get("successPolicy") is not None and "Complete" in job.true and "SuccessCriteriaMet" not in job.true:
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        yield invalid_part("status.conditions", detail)


_RULES: tuple[tuple[tuple[str, ...], Finding], ...] = (
    (("Complete", "Failed"), _not_both("Complete", "Failed", "Complete=True and Failed=true")),
    (("Complete", "FailureTarget"), _not_both("Complete", "FailureTarget", "Complete=True and FailureTarget=true")),
    (("Complete", "completionTime"), _completion_time),
    (("startTime", "completionTime"), _times_in_order),
    (("Failed", "FailureTarget"), _only_after("Failed", "FailureTarget", "Failed=True condition without the FailureTarget=true")),
    (
        ("Complete", "SuccessCriteriaMet"),
        _only_after("Complete", "SuccessCriteriaMet", "Complete=True condition without the SuccessCriteriaMet=true"),
    ),
    (("finished",), _none_of_finished("active")),
    (("finished", "startTime"), _start_time),
    (("finished", "uncountedTerminatedPods"), _all_counted),
    (("completedIndexes",), _completed_indexes),
    (("failedIndexes",), _failed_indexes),
    (("failedIndexes", "completedIndexes"), _no_index_twice),
    (("finished", "terminating"), _none_of_finished("terminating")),
    (("ready",), _ready_are_active),
    ((), _not_both("SuccessCriteriaMet", "Failed", "SuccessCriteriaMet=True and Failed=true")),
    ((), _not_both("SuccessCriteriaMet", "FailureTarget", "SuccessCriteriaMet=True and FailureTarget=true")),
    ((), _by_success_policy),
)
"""Rules, each with the parts of the status it speaks about when one of them changes; those without any always speak."""


def job_status_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What has ended stays so, and counts only grow, unless the job shrinks."""
    job, before = State.of(new), State.of(old)
    for kind in _TERMINAL:
        if kind in before.true and kind not in job.true:
            yield invalid_part("status.conditions", f"cannot disable the terminal {kind}=True condition")
    shrinks = is_indexed(job.spec) and job.spec.get("completions") == job.spec.get("parallelism")
    for name in ("failed", "succeeded"):
        count = job.status.get(name) or 0
        if count < (before.status.get(name) or 0) and not (shrinks and name == "succeeded"):
            yield invalid_value(f"status.{name}", count, f"cannot decrease the {name} counter")
    end, known_end = job.status.get("completionTime"), before.status.get("completionTime")
    if end and known_end and end != known_end:
        yield invalid_value("status.completionTime", end, IMMUTABLE)
    known_start = before.status.get("startTime")
    if known_start and known_start != job.status.get("startTime") and not job.spec.get("suspend"):
        yield required("status.startTime", "startTime cannot be removed for unsuspended job")
    yield from _success_stays(job, before)


def _success_stays(job: State, before: State) -> Iterator[FieldError]:
    was, is_met = "SuccessCriteriaMet" in before.true, "SuccessCriteriaMet" in job.true
    if was and not is_met:
        yield invalid_part("status.conditions", "cannot disable the SuccessCriteriaMet=True condition")
    if "Complete" in before.true and not was and is_met:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        yield invalid_part("status.conditions", detail)
