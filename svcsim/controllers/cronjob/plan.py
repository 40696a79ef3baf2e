"""The thinking of the CronJob controller about jobs that are there: which run, which have ended, which are kept no longer."""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.controllers.cronjob.job import job_name
from svcsim.controllers.cronjob.timing import Remark
from svcsim.meta.jobs import ending_of
from svcsim.meta.objects import get_path, is_terminating, name_of, uid_of
from svcsim.meta.times import format_time, parse_time
from svcsim.meta.types import Json, Object


class Books(NamedTuple):
    """What a CronJob's status has to say of its jobs, and what was found on the way."""

    active: list[Object]
    """References to the jobs that run. Those whose jobs haven't been seen are among them."""
    unseen: list[Object]
    """The references to jobs that haven't been seen, which may be gone."""
    unexpected: list[Object]
    """Jobs that run and don't stand in the status."""
    last_success: str | None
    remarks: tuple[Remark, ...]


def keep_books(cron_job: Object, jobs: list[Object], missing: Sequence[str] = ()) -> Books:
    """``jobs`` are those that the CronJob controls, as far as they have been seen; ``missing`` the UIDs of those that are gone."""
    status = cron_job.get("status") or {}
    known: list[Object] = status.get("active") or []
    active = {reference.get("uid") or "": reference for reference in known}
    last_success: str | None = status.get("lastSuccessfulTime")
    unexpected: list[Object] = []
    remarks: list[Remark] = []
    for job in jobs:
        ending = ending_of(job)
        if not ending and uid_of(job) not in active and not is_terminating(job):
            unexpected.append(job)
        if ending and active.pop(uid_of(job), None) is not None:
            remarks.append(Remark("Normal", "SawCompletedJob", f"Saw completed job: {name_of(job)}, condition: {ending}"))
        if ending == "Complete":
            last_success = _later(last_success, get_path(job, "status.completionTime"))
    lost = {uid: reference for uid, reference in active.items() if uid in missing or not (uid and reference.get("name"))}
    for uid in lost:
        del active[uid]
    remarks += [Remark("Normal", "MissingJob", f"Active job went missing: {reference.get('name') or ''}") for reference in lost.values()]
    seen = {uid_of(job) for job in jobs}
    unseen = [reference for uid, reference in active.items() if uid not in seen]
    return Books(list(active.values()), unseen, unexpected, last_success, tuple(remarks))


def strangers(cron_job: Object, books: Books, start: float | None) -> tuple[Remark, ...]:
    """The events about jobs that weren't recorded; the one for the time that is due now is recorded now."""
    due = None if start is None else job_name(cron_job, start)
    names = [name_of(job) for job in books.unexpected if name_of(job) != due]
    said = "Saw a job that the controller did not create or forgot: "
    return tuple(Remark("Warning", "UnexpectedJob", f"{said}{name}") for name in names)


def make_status(cron_job: Object, active: list[Object], started_for: float | None, last_success: str | None) -> Object:
    """The status to report; what it says beyond this stays, and so does the time of the last start unless there is another."""
    told: dict[str, Json] = {"active": active or None, "lastSuccessfulTime": last_success}
    if started_for is not None:
        told["lastScheduleTime"] = format_time(started_for)
    return {name: value for name, value in {**(cron_job.get("status") or {}), **told}.items() if value is not None}


def surplus(cron_job: Object, jobs: list[Object]) -> list[Object]:
    """The jobs that have ended and are kept no longer, the oldest first: so many of each ending stay."""
    spec = cron_job["spec"]
    found: list[Object] = []
    for ending, limit in (("Complete", spec.get("successfulJobsHistoryLimit")), ("Failed", spec.get("failedJobsHistoryLimit"))):
        ended = [job for job in jobs if ending_of(job) == ending and not is_terminating(job)]
        if limit is not None and len(ended) > limit:
            found.extend(sorted(ended, key=_begun)[: len(ended) - limit])
    return found


def _begun(job: Object) -> tuple[bool, float, str]:
    """A sort key: by when it began; those that never did come last."""
    start = get_path(job, "status.startTime")
    return not start, parse_time(start) if start else 0.0, name_of(job)


def _later(one: str | None, other: str | None) -> str | None:
    if not one or not other:
        return one or other
    return one if parse_time(one) >= parse_time(other) else other
