"""Why CronJobs are as they are: when they are due, what holds them back, and how their jobs end."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.objects import name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.verdict import Facts
from tests.printing.why.explaining import NOW, condition, explained


@pytest.mark.parametrize(
    ("ends", "state", "fine"),
    [
        (["Failed", "Failed", "Failed"], "waits for its time; its last 3 jobs failed", False),
        (["Failed", "Failed", ""], "has 1 job under way; its last 2 jobs failed", False),
        (["Complete", "FailureTarget"], "waits for its time; its last job failed", False),
        (["Failed", "Complete", ""], "has 1 job under way", True),
        (["SuccessCriteriaMet"], "waits for its time", True),
    ],
)
def test_a_cron_job_says_how_its_jobs_end(ends: list[str], state: str, fine: bool) -> None:
    jobs: list[Object] = [
        {
            "metadata": {
                "name": f"it-{number}",
                "creationTimestamp": f"2026-01-01T00:0{number}:00Z",
                "ownerReferences": [{"uid": "u1", "controller": True}],
            },
            "status": {"conditions": [condition(end, "True")] if end else []},
        }
        for number, end in enumerate(ends)
    ]
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *"}}, jobs=jobs)
    assert (verdict.state, verdict.fine) == (state, fine)


@pytest.mark.parametrize(
    ("schedule", "zone", "state", "at"),
    [
        ("0 3 * * *", "", "waits for its time", "2026-01-01T03:00:00Z"),
        ("0 3 * * *", "Asia/Tokyo", "waits for its time", "2026-01-01T18:00:00Z"),
        ("0 0 31 2 *", "", "starts no jobs", ""),
        ("hourly", "", "starts no jobs", ""),
        ("0 3 * * *", "Nowhere/At-All", "starts no jobs", ""),
    ],
)
def test_when_a_cron_job_is_due(schedule: str, zone: str, state: str, at: str) -> None:
    verdict = explained("batch", "CronJob", {"spec": {"schedule": schedule, "timeZone": zone}})
    assert verdict.state == state
    assert [coming.at for coming in verdict.then] == ([parse_time(at)] if at else [])


@pytest.mark.parametrize("where", ["lastScheduleTime", "creationTimestamp"])
def test_a_cron_job_whose_last_time_lies_ahead_of_the_clock_waits_for_that(where: str) -> None:
    ahead = {where: "2026-01-01T05:30:00Z"}
    status, metadata = (ahead, {}) if where == "lastScheduleTime" else ({}, ahead)
    cron_job = {"metadata": {"name": "it", "uid": "u1", **metadata}, "spec": {"schedule": "*/5 * * * *"}, "status": status}
    verdict = explained("batch", "CronJob", cron_job)
    assert [coming.at for coming in verdict.then] == [parse_time("2026-01-01T05:35:00Z")]
    assert "lies ahead of the clock, at 2026-01-01T05:30:00Z" in verdict.because[0]


FORBIDDEN = "It starts no other while it-1 runs (concurrencyPolicy Forbid): one that is due is started when that has ended"


RUNNING_JOB = {"metadata": {"name": "it-1", "ownerReferences": [{"uid": "u1", "controller": True}]}, "status": {}}


@pytest.mark.parametrize(
    ("spec", "last", "because", "then"),
    [
        ({}, "00:59:00", [], 'the next job is due by its schedule "* * * * *"'),
        ({"timeZone": "Asia/Tokyo"}, "00:59:00", [], 'the next job is due by its schedule "* * * * *" (Asia/Tokyo)'),
        (
            {"concurrencyPolicy": "Replace"},
            "00:59:00",
            ["A job that is due takes the place of it-1 if that still runs (concurrencyPolicy Replace)."],
            'the next job is due by its schedule "* * * * *"',
        ),
        (
            {"concurrencyPolicy": "Forbid"},
            "01:00:00",
            [f"{FORBIDDEN}."],
            'the next job is due by its schedule "* * * * *"',
        ),
        (
            {"concurrencyPolicy": "Forbid", "startingDeadlineSeconds": 30},
            "00:50:00",
            [
                f"{FORBIDDEN} if it is no more than 30s late then (startingDeadlineSeconds).",
            ],
            "the job that has been due since 2026-01-01T01:00:00Z is started when it-1 has ended",
        ),
    ],
)
def test_when_a_cron_job_with_a_job_under_way_starts_the_next(spec: Object, last: str, because: list[str], then: str) -> None:
    status = {"lastScheduleTime": f"2026-01-01T{last}Z"}
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *", **spec}, "status": status}, jobs=[RUNNING_JOB])
    assert ([coming.text for coming in verdict.then], list(verdict.because[1:])) == ([then], because)


def test_a_job_that_has_lost_its_owner_holds_back_the_next_one_while_it_is_counted() -> None:
    job = {"metadata": {"name": "it-1", "uid": "j1"}, "status": {}}
    status = {"lastScheduleTime": "2026-01-01T00:50:00Z", "active": [{"name": "it-1", "uid": "j1"}]}
    cron_job = {"spec": {"schedule": "* * * * *", "concurrencyPolicy": "Forbid"}, "status": status}
    verdict = explained("batch", "CronJob", cron_job, jobs=[job])
    assert verdict.state == "has 1 job under way"
    assert verdict.because[1:] == (f"{FORBIDDEN}.",)
    assert explained("batch", "CronJob", {**cron_job, "status": {**status, "active": []}}, jobs=[job]).state == "waits for its time"


def test_a_job_of_anothers_that_has_the_name_is_told() -> None:
    due = parse_time("2026-01-01T00:30:00Z")
    job = {"metadata": {"name": f"it-{int(due // 60)}", "uid": "j1"}, "status": {}}
    cron_job = {"spec": {"schedule": "30 * * * *"}, "status": {"lastScheduleTime": "2025-12-31T23:30:00Z"}}
    (_, because) = explained("batch", "CronJob", cron_job, jobs=[job]).because
    assert because.endswith(f"and there is another's job/{name_of(job)}, which has the name that its own would have.")


def test_a_cron_job_that_leaves_no_time_to_start_its_jobs_starts_none() -> None:
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *", "startingDeadlineSeconds": 0}})
    assert (verdict.state, verdict.fine, verdict.then) == ("starts no jobs", False, ())
    assert verdict.because[0].endswith("(startingDeadlineSeconds 0).")


@pytest.mark.parametrize(
    ("last", "spec", "changed", "told"),
    [
        ("00:57:00", {}, "00:00:00", "2026-01-01T01:00:00Z"),
        ("01:00:00", {}, "00:00:00", ""),
        ("00:50:00", {"schedule": "55 0 * * *"}, "00:56:00", ""),
        ("00:50:00", {"schedule": "55 0 * * *"}, "00:54:00", "2026-01-01T00:55:00Z"),
        ("00:50:00", {"startingDeadlineSeconds": 60, "schedule": "55 0 * * *"}, "00:00:00", ""),
    ],
)
def test_a_time_that_has_passed_without_a_job_is_told(last: str, spec: Object, changed: str, told: str) -> None:
    metadata = {
        "name": "it",
        "uid": "u1",
        "managedFields": [{"time": f"2026-01-01T{changed}Z"}, {"time": "2030-01-01T00:00:00Z", "subresource": "status"}],
    }
    cron_job = {"metadata": metadata, "spec": {"schedule": "* * * * *", **spec}, "status": {"lastScheduleTime": f"2026-01-01T{last}Z"}}
    whole = {"apiVersion": "batch/v1", "kind": "CronJob", **cron_job}
    verdict = explainer_of("batch", "CronJob").explain(whole, Facts(NOW + 10, KUBERNETES, [], {}))
    passed = [text for text in verdict.because if text.startswith("The time at which it was to start a job has passed")]
    assert (len(passed), verdict.fine) == (int(bool(told)), not told)
    assert told in "".join(passed)
    refused = [{"reason": "FailedCreate", "message": "exceeded quota"}]
    verdict = explainer_of("batch", "CronJob").explain(whole, Facts(NOW + 10, KUBERNETES, refused, {}))
    assert not any("has passed" in text for text in verdict.because), "it is told why none could be started"


@pytest.mark.parametrize(("schedule", "at"), [("@every 7h", "2026-01-01T06:30:00Z"), ("@every 20m", "2026-01-01T01:10:00Z")])
def test_a_schedule_of_steps_goes_on_from_the_last_one(schedule: str, at: str) -> None:
    cron_job = {"spec": {"schedule": schedule}, "status": {"lastScheduleTime": "2025-12-31T23:30:00Z"}}
    assert [coming.at for coming in explained("batch", "CronJob", cron_job).then] == [parse_time(at)]
