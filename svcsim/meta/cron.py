"""Schedules as cron spells them: five fields, or a word such as ``@daily``.

Read as the parser reads that Kubernetes uses, with its findings. When they are due stands in `svcsim.meta.schedules`.
"""

from datetime import UTC, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple

from svcsim import limits
from svcsim.meta.quoting import quoted
from svcsim.meta.schedules import CronSchedule, EverySchedule, Schedule
from svcsim.meta.time_zones import is_time_zone, time_zone
from svcsim.meta.times import parse_nanoseconds


class ScheduleError(Exception):
    """Why a text is no schedule."""


class _Field(NamedTuple):
    """What a field may hold, and the names its numbers have."""

    low: int
    high: int
    names: tuple[str, ...] = ()
    """The first stands for the lowest number."""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: Final = (_Field(0, 59), _Field(0, 23), _Field(1, 31), _Field(1, 12, _MONTHS), _Field(0, 6, _DAYS))
_WORDS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "
_SECOND_NS = 10**9


def check_schedule(text: str) -> None:
    """Raises `ScheduleError` for what is no schedule."""
    parse_schedule(text)


@lru_cache(maxsize=limits.SCHEDULES)
def parse_schedule(text: str, zone: tzinfo = UTC) -> Schedule:
    """What a text says, by the clock of a time zone unless it names another itself. Raises `ScheduleError`."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        name, blank, text = text.partition("=")[2].partition(" ")
        if not blank:
            raise ScheduleError("invalid schedule format: nothing follows the time zone")
        if not is_time_zone(name):
            raise ScheduleError(f"provided bad location {name}: unknown time zone {name}")
        zone, text = time_zone(name), text.strip()
    if text.startswith(_EVERY):
        return _every(text)
    if text.startswith("@"):
        if text not in _WORDS:
            raise ScheduleError(f"unrecognized descriptor: {text}")
        text = _WORDS[text]
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise ScheduleError(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    (minutes, _), (hours, _), (days, any_day), (months, _), (weekdays, any_weekday) = map(_numbers, parts, _FIELDS)
    return CronSchedule(minutes, hours, days, months, weekdays, not (any_day or any_weekday), zone)


def _every(text: str) -> EverySchedule:
    """Whole seconds, and no less than one."""
    try:
        span_ns = parse_nanoseconds(text.removeprefix(_EVERY))
    except ValueError as error:
        raise ScheduleError(f"failed to parse duration {text}: {error}") from None
    return EverySchedule(max(span_ns // _SECOND_NS, 1))


def _numbers(text: str, field: _Field) -> tuple[int, bool]:
    """The numbers a field lists, as bits, and whether it leaves all of them open (``*``)."""
    numbers, any_of_them = 0, False
    for part in text.split(","):
        if part:
            low, high, step = _range(part, field)
            numbers |= sum(1 << number for number in range(low, high + 1, step))
            any_of_them = any_of_them or (part[0] in "*?" and step == 1)
    return numbers, any_of_them


def _range(text: str, field: _Field) -> tuple[int, int, int]:
    """``*``, a number, a range, or one of these with a step: from where to where, and by how much each time."""
    limits, *steps = text.split("/")
    first, *more = limits.split("-")
    if first in ("*", "?"):
        low, high = field.low, field.high
    else:
        low = _number(first, text, field.names, field.low)
        if len(more) > 1:
            raise ScheduleError(f"too many hyphens: {text}")
        high = _number(more[0], text, field.names, field.low) if more else low
    step = 1
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {text}")
    if steps:
        step = _number(steps[0], text)
        high = high if more else field.high
    if low < field.low:
        raise ScheduleError(f"beginning of range ({low}) below minimum ({field.low}): {text}")
    if high > field.high:
        raise ScheduleError(f"end of range ({high}) above maximum ({field.high}): {text}")
    if low > high:
        raise ScheduleError(f"beginning of range ({low}) beyond end of range ({high}): {text}")
    if step == 0:
        raise ScheduleError(f"step of range should be a positive number: {text}")
    return low, high, step


def _number(word: str, text: str, names: tuple[str, ...] = (), first: int = 0) -> int:
    """A number, or the name of one."""
    if word.lower() in names:
        return names.index(word.lower()) + first
    digits = word[1:] if word[:1] in ("+", "-") else word
    if not digits.isascii() or not digits.isdecimal():
        raise ScheduleError(f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(word)}: invalid syntax")
    if len(digits.lstrip("0")) > 18:
        raise ScheduleError(f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(word)}: value out of range")
    if int(word) < 0:
        raise ScheduleError(f"negative number ({int(word)}) not allowed: {text}")
    return int(word)
