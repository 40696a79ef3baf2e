"""Whether a CronJob's schedule has something start now, and when it is to be looked at next. Free of any input and output."""

from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.cronjob.job import job_name
from svcsim.meta.cron import ScheduleError, parse_schedule
from svcsim.meta.objects import get_path
from svcsim.meta.quoting import quoted
from svcsim.meta.schedules import Schedule, has_more_starts, latest_start
from svcsim.meta.time_zones import is_time_zone, time_zone
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


class Remark(NamedTuple):
    """An event to report about the CronJob."""

    type: str
    reason: str
    message: str


class Due(NamedTuple):
    """What the schedule asks for."""

    start: float | None = None
    """The time for which a job is to start now."""
    wait_s: float | None = None
    """After how long the schedule is to be looked at again; None if not before something changes."""
    remarks: tuple[Remark, ...] = ()


_TOO_MANY = Remark(
    "Warning",
    "TooManyMissedTimes",
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
)
_ALREADY_ACTIVE = Remark(
    "Normal",
    "JobAlreadyActive",
    "Not starting job because prior execution is running and concurrency policy is Forbid",
)
_NEVER = "time difference between two schedules is less than 1 second"


def due(cron_job: Object, active: list[Object], now: float, since: float = 0.0) -> Due:
    """``active`` names the jobs that run. Nothing is due that lies before ``since``, when the schedule became what it is."""
    spec = cron_job["spec"]
    zone, text = spec.get("timeZone") or "", spec["schedule"]
    if not is_time_zone(zone):
        return _useless("UnknownTimeZone", f"invalid timeZone: {quoted(zone)}: unknown time zone {zone}")
    if spec.get("suspend"):
        return Due()
    try:
        schedule = parse_schedule(text, time_zone(zone))
    except ScheduleError as error:
        return _useless("UnparseableSchedule", f"unparseable schedule: {quoted(text)} : {error}")
    last = get_path(cron_job, "status.lastScheduleTime")
    after = max(parse_time(last or cron_job["metadata"]["creationTimestamp"]), since)
    if schedule.next(after) is None:
        return _useless("InvalidSchedule", f"invalid schedule: {text} : {_NEVER}")
    start, remarks = _missed(cron_job, schedule, active, after, now)
    return Due(start, _wait_s(schedule, after, now), remarks)


def _useless(reason: str, message: str) -> Due:
    """The verdict on a CronJob that can't be run before it is changed."""
    return Due(remarks=(Remark("Warning", reason, message),))


def _missed(
    cron_job: Object, schedule: Schedule, active: list[Object], after: float, now: float
) -> tuple[float | None, tuple[Remark, ...]]:
    """The latest time since the last start for which it isn't too late, unless its job mustn't start; and the events about it."""
    deadline_s = cron_job["spec"].get("startingDeadlineSeconds")
    if deadline_s is not None:
        after = max(after, now - deadline_s)
    start = latest_start(schedule, after, now)
    if start is None:
        return None, ()
    remarks = (_TOO_MANY,) if has_more_starts(limits.MISSED_STARTS, schedule, after, now) else ()
    if any(job["name"] == job_name(cron_job, start) for job in active):
        return None, remarks
    if active and cron_job["spec"].get("concurrencyPolicy") == "Forbid":
        return None, (*remarks, _ALREADY_ACTIVE)
    return start, remarks


def _wait_s(schedule: Schedule, after: float, now: float) -> float | None:
    """How long until the next time. One that was counted from a last start goes on in its steps."""
    latest = latest_start(schedule, after, now)
    following = schedule.next(after if latest is None else latest)
    return None if following is None else following - now
