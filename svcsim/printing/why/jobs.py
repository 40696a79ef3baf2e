"""Jobs and CronJobs: running, suspended, failed, waiting for their time."""

from itertools import takewhile

from svcsim import limits
from svcsim.controllers.cronjob.job import job_name
from svcsim.controllers.job.failure_policy import ruling
from svcsim.controllers.job.plan import make_plan
from svcsim.controllers.job.pods import finished_at, replaces_failed_only
from svcsim.controllers.job.tally import JobSnapshot
from svcsim.controllers.job.words import Words
from svcsim.controllers.job.work import work
from svcsim.dialect import Dialect
from svcsim.meta.cron import ScheduleError, parse_schedule
from svcsim.meta.objects import condition, get_path, is_terminating, metadata_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished, is_ready, phase_of
from svcsim.meta.schedules import Schedule, latest_start
from svcsim.meta.time_zones import is_time_zone, time_zone
from svcsim.meta.times import format_time, human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.attended import nobody, unattended
from svcsim.printing.why.replicas import leaving_of, pods_wanted
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, controlled, counted, do, listed, sentence

_FAILED = ("Failed", "FailureTarget")
_ENDED = ("Complete", "SuccessCriteriaMet", *_FAILED)
"""What a job says when it has ended, though its last pods may still be on their way out."""
_NO_TIME = "No job may be started later than the very moment it is due, and none can be started so early"


def _condition_true(obj: Object, *kinds: str) -> Object | None:
    return next((found for kind in kinds if (found := condition(obj, kind)) is not None and found.get("status") == "True"), None)


def _explain_job(job: Object, facts: Facts) -> Verdict:
    status, spec = job.get("status") or {}, job.get("spec") or {}
    active, succeeded, failed = (int(status.get(field) or 0) for field in ("active", "succeeded", "failed"))
    done = f"{succeeded} succeeded" if spec.get("completions") is None else f"{succeeded} of {spec['completions']} succeeded"
    if _condition_true(job, "Complete"):
        enough = (
            ("They are enough by its successPolicy.",)
            if spec.get("successPolicy") and succeeded < int(spec.get("completions") or 0)
            else ()
        )
        return Verdict(f"is complete: {done}{_took(status)}", fine=True, because=enough, then=_removal(job))
    if ended := _condition_true(job, "Failed"):
        pods = [pod for pod in controlled(facts.all("pods"), job) if phase_of(pod) == "Failed"]
        reason = sentence(f"{ended.get('reason', '')}: {ended.get('message', '')}")
        indexes = (f"Indexes that have failed: {status['failedIndexes']}.",) if status.get("failedIndexes") else ()
        return Verdict("has failed", because=(reason, *indexes), then=_removal(job), below=_last_failed(pods))
    if spec.get("suspend"):
        return Verdict("is suspended", because=("It makes no pods while spec.suspend is true.",), below=tuple(leaving_of(job, facts)))
    if coming := _condition_true(job, "FailureTarget", "SuccessCriteriaMet"):
        because = sentence(f"{coming.get('reason', '')}: {coming.get('message', '')}")
        return Verdict("is ending: its pods are being taken away", because=(because,), below=tuple(leaving_of(job, facts)))
    if "startTime" not in status:
        return Verdict("waits for its controller", because=(_unmanaged(spec),))
    leaving = int(status.get("terminating") or 0)
    on_their_way = f", {leaving} on {do(leaving, 'its', 'their')} way out" if leaving else ""
    return _under_way(job, facts, f"{done}, {failed} failed, {active} active{on_their_way}")


def _under_way(job: Object, facts: Facts, how: str) -> Verdict:
    status, spec = job.get("status") or {}, job.get("spec") or {}
    pods = controlled(facts.all("pods"), job)
    failed = [pod for pod in pods if phase_of(pod) == "Failed"]
    waiting = [pod for pod in pods if not is_finished(pod) and not is_ready(pod)]
    because = _failures(job, failed)
    waiting += _last_failed(failed) if because else ()
    if int(status.get("terminating") or 0) and replaces_failed_only(job):
        waiting += [pod for pod in pods if is_terminating(pod) and not is_finished(pod) and pod not in waiting]
        why = "podFailurePolicy" if spec.get("podReplacementPolicy") != "Failed" else "podReplacementPolicy Failed"
        because.append(f"A pod on its way out is counted, and another made in its place, once it has ended ({why}).")
    if spec.get("parallelism") == 0:
        because.append("It makes no pods while spec.parallelism is 0.")
    if failure := facts.event("FailedCreate", until=("SuccessfulCreate",)):
        because.append(sentence(f"Pods can't be made: {failure}"))
    longest_s, started = spec.get("activeDeadlineSeconds"), status.get("startTime")
    then = list(_next_pod(job, pods, facts))
    if longest_s is not None and started:
        then.append(Coming("having taken as long as it may (activeDeadlineSeconds), it fails", parse_time(started) + longest_s))
    return Verdict(f"is under way: {how}", fine=not waiting and not because, because=tuple(because), then=tuple(then), below=tuple(waiting))


def _last_failed(pods: list[Object]) -> tuple[Object, ...]:
    """The pod that failed last, of those that are still there."""
    return (max(pods, key=finished_at),) if pods else ()


def _failures(job: Object, failed: list[Object]) -> list[str]:
    """What is to be said of pods that failed: those that count, and those that don't by the job's own policy."""
    status, spec = job.get("status") or {}, job.get("spec") or {}
    count, each = int(status.get("failed") or 0), spec.get("backoffLimitPerIndex")
    told: list[str] = []
    if count and each is None:
        retries = counted(spec.get("backoffLimit", 6), "retry", "retries")
        told.append(f"{counted(count, 'pod')} failed; it fails itself after {retries} (backoffLimit).")
    if count and each is not None:
        told.append(f"{counted(count, 'pod')} failed; an index fails after {counted(each, 'retry', 'retries')} (backoffLimitPerIndex).")
    if status.get("failedIndexes"):
        told.append(f"Indexes that have failed for good: {status['failedIndexes']}.")
    ignored = sum(not ruling(job, pod).counts for pod in failed)
    if ignored:
        told.append(
            f"{counted(ignored, 'pod')} failed and {do(ignored, 'counts', 'count')} for nothing, by an Ignore rule of its podFailurePolicy."
        )
    return told


def _next_pod(job: Object, pods: list[Object], facts: Facts) -> tuple[Coming, ...]:
    """When a pod is made in place of one that failed, as the Job controller reckons by what is still there of them."""
    if is_terminating(job) or not any(map(is_finished, pods)):
        return ()
    snapshot = JobSnapshot(job, pods, {}, True, None, facts.now, format_time(facts.now), Words.of(facts.dialect))
    plan = make_plan(snapshot)
    wait_s = work(snapshot, plan.sums, plan.record).wait_s
    if wait_s is None:
        return ()
    return (Coming("after a back-off, which doubles from 10s to 10m, the next pod is made", facts.now + wait_s),)


def _unmanaged(spec: Object) -> str:
    manager = spec.get("managedBy")
    if manager:
        return f"It is left to {manager} (spec.managedBy), which hasn't begun with it."
    return nobody("begun with it", "Jobs")


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
    """The jobs that have failed since the last complete one, the oldest first."""
    ended = [job for job in jobs if _condition_true(job, *_ENDED)]
    return list(takewhile(lambda job: _condition_true(job, *_FAILED), reversed(ended)))[::-1]


def _explain_cron_job(cron_job: Object, facts: Facts) -> Verdict:
    spec, status = cron_job.get("spec") or {}, cron_job.get("status") or {}
    jobs = sorted(controlled(facts.all("jobs"), cron_job), key=lambda job: str(metadata_of(job).get("creationTimestamp", "")))
    # One that has lost its owner holds back the next one as long as the controller has it in the list.
    counted_as_active = {reference.get("uid") for reference in status.get("active") or ()}
    lost = [job for job in facts.all("jobs") if uid_of(job) in counted_as_active and job not in jobs]
    active = [job for job in (*jobs, *lost) if not _condition_true(job, *_ENDED)]
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
        schedule = parse_schedule(str(spec.get("schedule", "")), time_zone(zone))
    except ScheduleError as error:
        return Verdict("starts no jobs", because=(sentence(f"Its schedule can't be read: {error}"),))
    passed = latest_start(schedule, since, facts.now)
    due = schedule.next(since if passed is None else passed)  # a schedule such as @every counts from the last one
    if due is None:
        return Verdict("starts no jobs", because=(f'Its schedule "{spec.get("schedule", "")}" names no time in the years to come.',))
    if spec.get("startingDeadlineSeconds") == 0:
        return Verdict("starts no jobs", because=(f"{_NO_TIME} (startingDeadlineSeconds 0).", *because), below=failed)
    if refused := facts.event("FailedCreate", until=("SuccessfulCreate",)):
        because.append(sentence(f"A job can't be made: {refused}"))
    missed = _missed(spec, schedule, since, facts.now)
    late = _late(cron_job, missed, facts) if not refused and not (active and spec.get("concurrencyPolicy") == "Forbid") else []
    because += [*late, *_held_back(spec, active)]
    then = _next_job(spec, active, missed, due)
    state = f"has {counted(len(active), 'job')} under way" if active else "waits for its time"
    if failures:
        state += f"; its last {f'{len(failures)} jobs' if len(failures) > 1 else 'job'} failed"
    return Verdict(state, fine=not failures and not refused and not late, because=tuple(because), then=then, below=failed)


def _late(cron_job: Object, missed: float | None, facts: Facts) -> list[str]:
    """That a time has passed and no job has been started for it, and nothing says why not."""
    if missed is None or facts.now - missed < limits.WHY_OVERDUE_S or missed <= _changed_at(cron_job):
        return []
    passed = f"The time at which it was to start a job has passed, {human_duration(facts.now - missed)} ago ({format_time(missed)})"
    name, own = job_name(cron_job, missed), controlled(facts.all("jobs"), cron_job)
    if any(name_of(job) == name and job not in own for job in facts.all("jobs")):
        return [f"{passed}, and there is another's job/{name}, which has the name that its own would have."]
    return [f"{passed}, and nobody has started one: {unattended('CronJobs')}."]


def _changed_at(cron_job: Object) -> float:
    """When it was last changed, as far as that is recorded: times of an earlier schedule aren't due."""
    entries = metadata_of(cron_job).get("managedFields") or ()
    return max((parse_time(entry["time"]) for entry in entries if entry.get("time") and entry.get("subresource") != "status"), default=0.0)


def _missed(spec: Object, schedule: Schedule, since: float, now: float) -> float | None:
    """The last time that has passed since the last start, and for which a job may be started still."""
    deadline_s = spec.get("startingDeadlineSeconds")
    return latest_start(schedule, since if deadline_s is None else max(since, now - deadline_s), now)


def _held_back(spec: Object, active: list[Object]) -> list[str]:
    """What jobs that run have to do with the next one."""
    names, policy, deadline_s = listed([name_of(job) for job in active]), spec.get("concurrencyPolicy"), spec.get("startingDeadlineSeconds")
    if active and policy == "Replace":
        return [f"A job that is due takes the place of {names} if that still runs (concurrencyPolicy Replace)."]
    if active and policy == "Forbid":
        late = "" if deadline_s is None else f" if it is no more than {deadline_s}s late then (startingDeadlineSeconds)"
        return [f"It starts no other while {names} runs (concurrencyPolicy Forbid): one that is due is started when that has ended{late}."]
    return []


def _next_job(spec: Object, active: list[Object], missed: float | None, due: float) -> tuple[Coming, ...]:
    """When the next job is started, or what that waits for."""
    if active and missed is not None and spec.get("concurrencyPolicy") == "Forbid":
        names = listed([name_of(job) for job in active])
        return (Coming(f"the job that has been due since {format_time(missed)} is started when {names} has ended"),)
    zone = f" ({spec['timeZone']})" if spec.get("timeZone") else ""
    return (Coming(f'the next job is due by its schedule "{spec.get("schedule", "")}"{zone}', due),)


JOB = Explainer(_explain_job, pods_wanted)
CRON_JOB = Explainer(_explain_cron_job, _jobs_wanted)
