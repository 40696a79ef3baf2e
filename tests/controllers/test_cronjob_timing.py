"""What a CronJob's schedule asks for, and what is said of its jobs, in tables."""

import pytest

from svcsim.clock import format_time
from svcsim.controllers.cronjob.plan import keep_books, make_status, surplus
from svcsim.controllers.cronjob.timing import due
from tests.controllers.batch import cron_job, ended
from tests.virtual import START_S

HOUR_S = 3600.0


def made(schedule="@hourly", last: float | None = None, **spec):
    """A CronJob that was made when the year began."""
    found = cron_job("c", schedule, **spec)
    found["metadata"]["creationTimestamp"] = format_time(START_S)
    return found if last is None else {**found, "status": {"lastScheduleTime": format_time(last)}}


def job(name, ending="", began=START_S, **metadata):
    status = ended(ending, format_time(began + 60), format_time(began)) if ending else {}
    return {"metadata": {"name": name, "uid": name, **metadata}, "status": status}


def reference(name):
    return {"name": name, "namespace": "default", "uid": name}


def asked(found, after_s, *active, since=0.0):
    """When a job is to start, and the next look at the schedule, in seconds after the beginning; and the reasons of what is told."""
    start, wait_s, remarks = due(found, [reference(name) for name in active], START_S + after_s, since)
    return start and start - START_S, wait_s and wait_s + after_s, [remark.reason for remark in remarks]


@pytest.mark.parametrize(
    ("found", "after_s", "expected"),
    [
        (made(), 3599.9, (None, 3600, [])),
        (made(), 3600, (3600, 7200, [])),
        (made(), 7199, (3600, 7200, [])),
        (made(last=START_S + 3600), 3600, (None, 7200, [])),
        (made(last=START_S + 3600), 7200, (7200, 10800, [])),
        (made(last=START_S + 7200), 10, (None, 10800, [])),
        (made("@every 1000s"), 2500, (2000, 3000, [])),
        (made(startingDeadlineSeconds=100), 3700, (None, 7200, [])),
        (made(startingDeadlineSeconds=100), 3699, (3600, 7200, [])),
        (made(startingDeadlineSeconds=0), 3600, (None, 7200, [])),
        (made("* * * * *"), 6000, (6000, 6060, [])),
        (made("* * * * *"), 6060, (6060, 6120, ["TooManyMissedTimes"])),
        (made("* * * * *", startingDeadlineSeconds=600), 6060, (6060, 6120, [])),
        (made(suspend=True), 3600, (None, None, [])),
        (made("every hour"), 3600, (None, None, ["UnparseableSchedule"])),
        (made(timeZone="Nowhere/There"), 3600, (None, None, ["UnknownTimeZone"])),
        (made("0 0 30 2 *"), 3600, (None, None, ["InvalidSchedule"])),
    ],
)
def test_what_is_due(found, after_s, expected):
    start, look, reasons = asked(found, after_s)
    assert (start, look and pytest.approx(look), reasons) == expected


def test_what_runs_may_be_in_the_way():
    name = f"c-{int(START_S // 60) + 60}"
    assert asked(made(), 3600, name) == (None, 7200, [])
    assert asked(made(), 3600, "other") == (3600, 7200, [])
    assert asked(made(concurrencyPolicy="Forbid"), 3600, "other") == (None, 7200, ["JobAlreadyActive"])
    assert asked(made(concurrencyPolicy="Replace"), 3600, "other") == (3600, 7200, [])


def test_nothing_is_due_from_before_the_schedule_was_changed():
    assert asked(made(), 4000, since=START_S + 3700) == (None, 7200, [])
    assert asked(made(), 7300, since=START_S + 3700) == (7200, 10800, [])


def test_the_books():
    found = {**made(), "status": {"active": [reference("runs"), reference("ended"), reference("unseen"), reference("gone")]}}
    jobs = [job("runs"), job("ended", "Failed"), job("stranger"), job("going", deletionTimestamp="x"), job("old", "Complete")]
    books = keep_books(found, jobs, ["gone"])
    assert [one["uid"] for one in books.active] == ["runs", "unseen"]
    assert [one["uid"] for one in books.unseen] == ["unseen"]
    assert [one["metadata"]["name"] for one in books.unexpected] == ["stranger"]
    assert books.last_success == format_time(START_S + 60)
    assert [(one.reason, one.message) for one in books.remarks] == [
        ("SawCompletedJob", "Saw completed job: ended, condition: Failed"),
        ("MissingJob", "Active job went missing: gone"),
    ]
    assert make_status(found, [], None, None) == {}


def test_the_last_success_is_the_latest():
    jobs = [job("b", "Complete", START_S + HOUR_S), job("a", "Complete"), job("f", "Failed", START_S + 2 * HOUR_S)]
    assert keep_books(made(), jobs).last_success == format_time(START_S + HOUR_S + 60)
    later = {**made(), "status": {"lastSuccessfulTime": format_time(START_S + 3 * HOUR_S)}}
    assert keep_books(later, jobs).last_success == format_time(START_S + 3 * HOUR_S)


def test_what_is_kept_no_longer():
    jobs = [job(name, "Complete", START_S + began) for name, began in (("c", 3), ("a", 1), ("b", 1), ("d", 4))]
    jobs += [job("f", "Failed"), job("runs"), job("going", "Complete", deletionTimestamp="x")]

    def gone(**spec):
        return [one["metadata"]["name"] for one in surplus(made(**spec), jobs)]

    assert gone() == []
    assert gone(successfulJobsHistoryLimit=3) == ["a"]
    assert gone(successfulJobsHistoryLimit=1, failedJobsHistoryLimit=1) == ["a", "b", "c"]
    assert gone(failedJobsHistoryLimit=0) == ["f"]
