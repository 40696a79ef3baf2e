"""When schedules are due: by the clocks of time zones too, however long ago the last time was."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from svcsim.meta.cron import parse_schedule
from svcsim.meta.schedules import has_more_starts, latest_start
from svcsim.meta.times import format_time, parse_time

DAY_S = 86_400


def moments(text, after, count=3, zone="UTC"):
    schedule, found, moment = parse_schedule(text, ZoneInfo(zone)), [], parse_time(after)
    for _ in range(count):
        moment = schedule.next(moment)
        if moment is None:
            break
        found.append(format_time(moment))
    return found


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("* * * * *", "2026-01-01T00:00:00Z", ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z", "2026-01-01T00:03:00Z"]),
        ("* * * * *", "2026-01-01T00:00:59.9Z", ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z", "2026-01-01T00:03:00Z"]),
        ("*/25 * * * *", "2026-01-01T23:30:00Z", ["2026-01-01T23:50:00Z", "2026-01-02T00:00:00Z", "2026-01-02T00:25:00Z"]),
        ("5/20 9-10 * * *", "2026-01-01T10:30:00Z", ["2026-01-01T10:45:00Z", "2026-01-02T09:05:00Z", "2026-01-02T09:25:00Z"]),
        ("@hourly", "2026-01-01T00:00:00Z", ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"]),
        ("@daily", "2026-02-27T12:00:00Z", ["2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"]),
        ("@midnight", "2026-12-31T00:00:00Z", ["2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z", "2027-01-03T00:00:00Z"]),
        ("@weekly", "2026-01-01T00:00:00Z", ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z", "2026-01-18T00:00:00Z"]),
        ("@monthly", "2026-11-02T00:00:00Z", ["2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"]),
        ("@yearly", "2026-01-01T00:00:00Z", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"]),
        ("@annually", "2026-06-01T00:00:00Z", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"]),
        ("0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"]),
        ("30 6 * * 1-5", "2026-01-02T07:00:00Z", ["2026-01-05T06:30:00Z", "2026-01-06T06:30:00Z", "2026-01-07T06:30:00Z"]),
        # Where both are said, a day of the month or one of the week is enough; a step of one leaves the field open.
        ("0 0 13 * fri", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"]),
        ("0 0 */2 * fri", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-05T00:00:00Z"]),
        ("0 0 */1 * fri", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-16T00:00:00Z"]),
        ("0 0 13 jan,Mar ?", "2026-01-01T00:00:00Z", ["2026-01-13T00:00:00Z", "2026-03-13T00:00:00Z", "2027-01-13T00:00:00Z"]),
        ("@every 90m", "2026-01-01T00:00:10Z", ["2026-01-01T01:30:10Z", "2026-01-01T03:00:10Z", "2026-01-01T04:30:10Z"]),
        ("@every 100ms", "2026-01-01T00:00:10.5Z", ["2026-01-01T00:00:11Z", "2026-01-01T00:00:12Z", "2026-01-01T00:00:13Z"]),
        ("TZ=Asia/Tokyo 0 3 * * *", "2026-01-01T00:00:00Z", ["2026-01-01T18:00:00Z", "2026-01-02T18:00:00Z", "2026-01-03T18:00:00Z"]),
        ("59 23 31 2 *", "2026-01-01T00:00:00Z", []),
        (", * * * *", "2026-01-01T00:00:00Z", []),
        ("* , * * *", "2026-01-01T00:00:00Z", []),
        ("* * , * *", "2026-01-01T00:00:00Z", []),
        ("* * * , *", "2026-01-01T00:00:00Z", []),
        ("* * * * ,", "2026-01-01T00:00:00Z", []),
        ("* * * * *", "9999-12-31T23:58:00Z", []),
    ],
)
def test_the_next_moments(text, after, expected):
    assert moments(text, after) == expected


@pytest.mark.parametrize(
    ("zone", "text", "after", "expected"),
    [
        ("Europe/Paris", "0 3 * * *", "2026-01-01T02:00:00Z", ["2026-01-02T02:00:00Z", "2026-01-03T02:00:00Z", "2026-01-04T02:00:00Z"]),
        ("Europe/Paris", "0 3 * * *", "2026-06-01T02:00:00Z", ["2026-06-02T01:00:00Z", "2026-06-03T01:00:00Z", "2026-06-04T01:00:00Z"]),
        ("Asia/Kolkata", "0 * * * *", "2026-01-01T00:00:00Z", ["2026-01-01T00:30:00Z", "2026-01-01T01:30:00Z", "2026-01-01T02:30:00Z"]),
        # 02:30 doesn't come on March 29 in Paris, and comes twice on October 25.
        ("Europe/Paris", "30 2 * * *", "2026-03-28T00:00:00Z", ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"]),
        ("Europe/Paris", "30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"]),
        ("Europe/Paris", "30 * * * *", "2026-03-29T00:00:00Z", ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"]),
        # Midnight itself is left out in Beirut on March 29.
        ("Asia/Beirut", "@daily", "2026-03-27T23:00:00Z", ["2026-03-29T21:00:00Z", "2026-03-30T21:00:00Z", "2026-03-31T21:00:00Z"]),
        ("Asia/Beirut", "0 1 * * *", "2026-03-28T12:00:00Z", ["2026-03-28T22:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"]),
        # Half an hour is left out on Lord Howe Island on October 4.
        ("Australia/Lord_Howe", "15,45 2 * * *", "2026-10-03T12:00:00Z", ["2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"]),
    ],
)  # fmt: skip
def test_time_zones(zone, text, after, expected):
    assert moments(text, after, len(expected), zone) == expected


@pytest.mark.parametrize(("text", "zone"), [("7,31 */5 * * *", "Europe/Paris"), ("*/15 2-3 * * 6,0", "America/New_York")])
def test_a_moment_is_one_of_those_that_a_look_at_every_minute_finds(text, zone):
    """Across both changes of the clock of a year."""
    schedule, there = parse_schedule(text, ZoneInfo(zone)), ZoneInfo(zone)
    minutes, hours, _, _, days = (schedule.minutes, schedule.hours, schedule.days, schedule.months, schedule.weekdays)
    for first in ("2026-03-06T00:00:00Z", "2026-03-27T00:00:00Z", "2026-10-23T00:00:00Z", "2026-10-30T00:00:00Z"):
        begin = parse_time(first)
        local = {moment: datetime.fromtimestamp(moment, there) for moment in range(int(begin) + 60, int(begin) + 4 * DAY_S, 60)}
        expected = [
            moment for moment, at in local.items() if minutes >> at.minute & 1 and hours >> at.hour & 1 and days >> at.isoweekday() % 7 & 1
        ]
        found, moment = [], begin
        while (moment := schedule.next(moment)) < begin + 4 * DAY_S:
            found.append(moment)
        assert found == expected


@pytest.mark.parametrize(
    ("text", "days"),
    [
        *[("* * * * *", 0.1), ("* * * * *", 1.1), ("*/7 3 * * *", 0.1), ("*/7 3 * * *", 200), ("0 0 1 1 *", 30), ("0 0 1 1 *", 800)],
        *[("* 1 1 1 *", 30), ("* 1 1 1 *", 400), ("@every 7m", 0.1), ("@every 7m", 10), ("0 12 * * 1-5", 0.1), ("0 12 * * 1-5", 400)],
    ],
)
def test_the_latest_start_is_the_last_of_all(text, days):
    schedule, after = parse_schedule(text), datetime(2026, 1, 1, 0, 30, tzinfo=UTC).timestamp()
    until, last, moment, count = after + days * DAY_S, None, after, 0
    while (moment := schedule.next(moment)) is not None and moment <= until:
        last, count = moment, count + 1
    assert latest_start(schedule, after, until) == last
    assert not has_more_starts(count, schedule, after, until)
    assert count == 0 or has_more_starts(count - 1, schedule, after, until)


def test_a_start_at_the_very_end_counts_and_one_at_the_beginning_does_not():
    schedule, noon = parse_schedule("0 12 * * *"), parse_time("2026-01-01T12:00:00Z")
    assert latest_start(schedule, noon - 1, noon) == noon
    assert latest_start(schedule, noon, noon + DAY_S - 1) is None
    assert latest_start(schedule, noon - 1, noon - 0.5) is None
    assert latest_start(schedule, noon, noon - DAY_S) is None


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo", "Pacific/Kiritimati"])
@pytest.mark.parametrize("after", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-29T00:00:00Z"])
def test_the_calendar_ends_in_every_zone(zone, after):
    schedule = parse_schedule("0 3 * * *", ZoneInfo(zone))
    found = schedule.next(parse_time(after))
    assert found is None or found > parse_time(after)
    latest = latest_start(schedule, parse_time("0001-01-01T00:00:00Z"), parse_time("2026-01-01T12:00:00Z"))
    assert latest > parse_time("2025-12-31T00:00:00Z")
