"""The moments that schedules name: the next one, the latest that has passed, and whether many have been missed.

A schedule of cron names minutes of a wall clock. Minutes that a zone's clock leaves out when it is set forward never come, and those that
it shows twice when it is set back come twice.
"""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple, TypeAlias

_MINUTE_S = 60
_YEARS = 5
"""How far ahead a moment is looked for; a date that doesn't come before is taken for one that doesn't exist, such as February 31."""
_DAY = timedelta(days=1)
_EARLIEST_S, _LATEST_S = datetime(1, 1, 3, tzinfo=UTC).timestamp(), datetime(9999, 12, 30, tzinfo=UTC).timestamp()
"""No moment is looked for before or after these: the calendar ends, in some zones a day earlier than in others."""


class CronSchedule(NamedTuple):
    """Every minute whose parts are all among the given ones, each set of numbers as the bits of one."""

    minutes: int
    hours: int
    days: int
    months: int
    weekdays: int
    """Sunday is 0."""
    either_day: bool
    """Whether a day of the month or one of the week is enough; so it is where a schedule names both."""
    zone: tzinfo = UTC

    def next(self, after: float) -> float | None:
        """The first moment after another; None where none comes within some years."""
        moment: float = (int(max(after, _EARLIEST_S) // _MINUTE_S) + 1) * _MINUTE_S
        if moment > _LATEST_S or not (self.minutes and self.hours):
            return None
        last_year = min(datetime.fromtimestamp(moment, self.zone).year + _YEARS, date.max.year - 1)
        while True:
            local = datetime.fromtimestamp(moment, self.zone)
            if not self._on(local.date()):
                day = self._day_after(local.date(), last_year)
                if day is None:
                    return None
                moment = max(datetime(day.year, day.month, day.day, tzinfo=self.zone).timestamp(), moment + 1)
            elif not self.hours >> local.hour & 1:
                moment += (_MINUTE_S - local.minute) * _MINUTE_S - local.second
            elif local.second or not self.minutes >> local.minute & 1:
                moment += self._minutes_on(local.minute) * _MINUTE_S - local.second
            else:
                return moment

    def _on(self, day: date) -> bool:
        if not self.months >> day.month & 1:
            return False
        of_month, of_week = bool(self.days >> day.day & 1), bool(self.weekdays >> day.isoweekday() % 7 & 1)
        return of_month or of_week if self.either_day else of_month and of_week

    def _day_after(self, day: date, last_year: int) -> date | None:
        while day.year <= last_year:
            if self.months >> day.month & 1:
                day += _DAY
            else:
                day = (day.replace(day=1) + 31 * _DAY).replace(day=1)
            if self._on(day):
                return day if day.year <= last_year else None
        return None

    def _minutes_on(self, minute: int) -> int:
        """How far it is to the next minute of this hour, or to the next hour."""
        return next((later for later in range(minute + 1, 60) if self.minutes >> later & 1), 60) - minute


class EverySchedule(NamedTuple):
    """Again and again after so many whole seconds, counted from the last time."""

    seconds: int

    def next(self, after: float) -> float | None:
        return after // 1 + self.seconds


Schedule: TypeAlias = CronSchedule | EverySchedule


def latest_start(schedule: Schedule, after: float, until: float) -> float | None:
    """The last moment after one and not after another, without going through all between them."""
    first = schedule.next(after)
    if first is None or first > until:
        return None
    if isinstance(schedule, EverySchedule):
        return first + (until - first) // schedule.seconds * schedule.seconds
    low, high = first, until
    while high - low >= _MINUTE_S:
        middle = (low + high) / 2
        later = schedule.next(middle)
        if later is not None and later <= until:
            low = later
        else:
            high = middle
    return low


def has_more_starts(count: int, schedule: Schedule, after: float, until: float) -> bool:
    """Whether there are more moments than ``count`` between the two."""
    moment = after
    for _ in range(count + 1):
        following = schedule.next(moment)
        if following is None or following > until:
            return False
        moment = following
    return True
