"""Jobs and CronJobs: running, suspended, failed, waiting for their time."""

from itertools import takewhile

from svcsim.dialect import Dialect
from svcsim.meta.cron import ScheduleError, parse_schedule
from svcsim.meta.objects import condition, get_path, metadata_of, name_of, namespace_of
from svcsim.meta.pods import is_finished, is_ready, phase_of
from svcsim.meta.time_zones import is_time_zone, time_zone
from svcsim.meta.times import format_time, human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, controlled, counted, sentence
from svcsim.printing.why.workloads import pods_wanted

_FAILED = ("Failed", "FailureTarget")
_ENDED = ("Complete", "SuccessCriteriaMet", *_FAILED)
"""What a job says when it has ended, though its last pods may still be on their way out."""


def _condition_true(obj: Object, *kinds: str) -> Object | None:
    return next((found for kind in kinds if (found := condition(obj, kind)) is not None and found.get("status") == "True"), None)


def _explain_job(job: Object, facts: Facts) -> Verdict:
    status, spec = job.get("status") or {}, job.get("spec") or {}
    active, succeeded, failed = (int(status.get(field) or 0) for field in ("active", "succeeded", "failed"))
    wanted = spec.get("completions") or spec.get("parallelism", 1)
    done = f"{succeeded} of {wanted} succeeded"
    if _condition_true(job, "Complete"):
        return Verdict(f"is complete: {done}{_took(status)}", fine=True, then=_removal(job))
    if ended := _condition_true(job, "Failed"):
        pods = [pod for pod in controlled(facts.all("pods"), job) if phase_of(pod) == "Failed"]
        reason = sentence(f"{ended.get('reason', '')}: {ended.get('message', '')}")
        return Verdict("has failed", because=(reason,), then=_removal(job), below=tuple(pods[-1:]))
    if spec.get("suspend"):
        return Verdict("is suspended", because=("It makes no pods while spec.suspend is true.",))
    if coming := _condition_true(job, "FailureTarget", "SuccessCriteriaMet"):
        because = sentence(f"{coming.get('reason', '')}: {coming.get('message', '')}")
        return Verdict("is ending: its pods are being taken away", because=(because,))
    if "startTime" not in status:
        return Verdict("waits for its controller", because=(_unmanaged(spec),))
    return _under_way(job, facts, f"{done}, {failed} failed, {active} active")


def _under_way(job: Object, facts: Facts, how: str) -> Verdict:
    status, spec = job.get("status") or {}, job.get("spec") or {}
    failed, most = int(status.get("failed") or 0), spec.get("backoffLimit", 6)
    pods = controlled(facts.all("pods"), job)
    waiting = [pod for pod in pods if not is_finished(pod) and not is_ready(pod)]
    then: list[Coming] = []
    because: list[str] = []
    if failed:
        because.append(f"{counted(failed, 'pod')} failed; it fails itself after {most} retries (backoffLimit).")
        waiting += [pod for pod in pods if phase_of(pod) == "Failed"][-1:]
    if not status.get("active") and failed:
        then.append(Coming("the next pod is made after a back-off, which doubles from 10s to 10m"))
    if spec.get("parallelism") == 0:
        because.append("It makes no pods while spec.parallelism is 0.")
    if failure := facts.event("FailedCreate"):
        because.append(sentence(f"Pods can't be made: {failure}"))
    longest_s, started = spec.get("activeDeadlineSeconds"), status.get("startTime")
    if longest_s is not None and started:
        then.append(Coming("it fails, having taken as long as it may (activeDeadlineSeconds)", parse_time(started) + longest_s))
    return Verdict(f"is under way: {how}", fine=not waiting and not because, because=tuple(because), then=tuple(then), below=tuple(waiting))


def _unmanaged(spec: Object) -> str:
    manager = spec.get("managedBy")
    if manager:
        return f"It is left to {manager} (spec.managedBy), which hasn't begun with it."
    return "Nobody has begun with it yet: no controller for Jobs runs, or it hasn't come to it."


def _took(status: Object) -> str:
    if not status.get("startTime") or not status.get("completionTime"):
        return ""
    return f" within {human_duration(parse_time(status['completionTime']) - parse_time(status['startTime']))}"


def _removal(job: Object) -> tuple[Coming, ...]:
    keeps_s = get_path(job, "spec.ttlSecondsAfterFinished")
    ended = _condition_true(job, "Complete", "Failed") or {}
    if keeps_s is None or not ended.get("lastTransitionTime"):
        return ()
    return (Coming("it is removed (ttlSecondsAfterFinished)", parse_time(ended["lastTransitionTime"]) + keeps_s),)


def _jobs_wanted(cron_job: Object, dialect: Dialect) -> list[Wanted]:
    del dialect
    return [Wanted("jobs", f"/apis/batch/v1/namespaces/{namespace_of(cron_job)}/jobs")]


def _last_failures(jobs: list[Object]) -> list[Object]:
    """Those of its jobs that failed since one was last complete; the oldest first."""
    ended = [job for job in jobs if _condition_true(job, *_ENDED)]
    return list(takewhile(lambda job: _condition_true(job, *_FAILED), reversed(ended)))[::-1]


def _explain_cron_job(cron_job: Object, facts: Facts) -> Verdict:
    spec, status = cron_job.get("spec") or {}, cron_job.get("status") or {}
    jobs = sorted(controlled(facts.all("jobs"), cron_job), key=lambda job: str(metadata_of(job).get("creationTimestamp", "")))
    active = [job for job in jobs if not _condition_true(job, *_ENDED)]
    failures = _last_failures(jobs)
    failed = tuple(failures[-1:])
    last_start: str = status.get("lastScheduleTime") or ""
    since = parse_time(last_start or metadata_of(cron_job).get("creationTimestamp") or format_time(facts.now))
    because: list[str] = []
    if since > facts.now:
        what = "Its last start (status.lastScheduleTime)" if last_start else "Its creation"
        because.append(f"{what} lies ahead of the clock, at {format_time(since)}: it starts no job before that has passed.")
    elif last_start:
        because.append(f"It last started a job {human_duration(facts.now - since)} ago.")
    if spec.get("suspend"):
        return Verdict("is suspended", because=("It starts no jobs while spec.suspend is true.", *because), below=failed)
    zone = spec.get("timeZone") or ""
    if not is_time_zone(zone):
        return Verdict("starts no jobs", because=(f'Its time zone "{zone}" isn\'t known.',))
    try:
        due = parse_schedule(str(spec.get("schedule", "")), time_zone(zone)).next(max(facts.now, since))
    except ScheduleError as error:
        return Verdict("starts no jobs", because=(sentence(f"Its schedule can't be read: {error}"),))
    if due is None:
        return Verdict("starts no jobs", because=(f'Its schedule "{spec.get("schedule", "")}" names no time in the years to come.',))
    then = (Coming(f'the next job is due by its schedule "{spec.get("schedule", "")}"', due),)
    if active and spec.get("concurrencyPolicy") == "Forbid":
        because.append(f"It starts no other while {name_of(active[-1])} runs (concurrencyPolicy Forbid).")
    state = f"has {counted(len(active), 'job')} under way" if active else "waits for its time"
    if failures:
        state += f"; its last {f'{len(failures)} jobs' if len(failures) > 1 else 'job'} failed"
        return Verdict(state, because=tuple(because), then=then, below=failed)
    return Verdict(state, fine=True, because=tuple(because), then=then)


JOB = Explainer(_explain_job, pods_wanted)
CRON_JOB = Explainer(_explain_cron_job, _jobs_wanted)
