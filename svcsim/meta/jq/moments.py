"""Moments in queries: seconds since 1970, or in parts as ``[year, month from 0, day, hour, minute, second, weekday, day of the year]``."""

import math
import re
from datetime import UTC, datetime, timedelta

from svcsim import limits
from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.values import is_number, plain_number, type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.quoting import quoted
from svcsim.meta.times import EPOCH, can_be_written, format_date
from svcsim.meta.types import Json

_PARTS = 6


def gmtime(_work: Work, value: Json) -> Json:
    """A moment in parts."""
    seconds = _seconds(value)
    moment = EPOCH + timedelta(seconds=math.floor(seconds))
    return [*_parts(moment, plain_number(moment.second + seconds % 1))]


def mktime(_work: Work, value: Json) -> Json:
    """Whole seconds of a moment in parts."""
    if not isinstance(value, list) or len(value) < _PARTS or not all(map(is_number, value)):
        raise JqError("mktime requires array of 6 numbers")
    year, month, day, hour, minute, second = (_within(part) for part in value[:_PARTS])
    try:
        moment = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
        moment += timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
    except (ValueError, OverflowError):
        raise JqError("a moment that is in no year from 1 to 9999") from None
    return int((moment - EPOCH).total_seconds())


def _within(part: float) -> int:
    if not abs(part) < 10**12:
        raise JqError("a moment that is in no year from 1 to 9999")
    return math.floor(part)


def strftime(work: Work, value: Json, form: Json) -> Json:
    """A moment as a text, in UTC."""
    if not isinstance(form, str):
        raise JqError("strftime/1 requires a string format")
    seconds = mktime(work, value) if isinstance(value, list) else _seconds(value)
    if len(form) > limits.JQ_TIME_CHARS:
        raise JqError(f"a form of a time of more than {limits.JQ_TIME_CHARS} characters")
    return format_date(math.floor(seconds), form)


def strptime(_work: Work, value: Json, form: Json) -> Json:
    """The parts of a moment that stands in a text.

    A form names each part once, or is refused, and both are short: it may be tried in a few thousand ways at the worst.
    """
    if not isinstance(value, str) or not isinstance(form, str):
        raise JqError(f"strptime/1 requires string inputs and arguments: {type_name(value)}")
    if max(len(value), len(form)) > limits.JQ_TIME_CHARS:
        raise JqError(f"a time or its form of more than {limits.JQ_TIME_CHARS} characters")
    try:
        moment = datetime.strptime(value, form)  # noqa: DTZ007 - it is UTC unless the text says otherwise
    except (ValueError, OverflowError, re.error):
        raise JqError(f"{quoted(value)} is no time of the form {quoted(form)}") from None
    moment = moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return [*_parts(moment, moment.second)]


def _seconds(value: Json) -> float:
    if not is_number(value) or not can_be_written(value):
        raise JqError(f"no moment: {type_name(value)}")
    return float(value)


def _parts(moment: datetime, second: float) -> tuple[float, ...]:
    whole = moment.timetuple()
    return (whole.tm_year, whole.tm_mon - 1, whole.tm_mday, whole.tm_hour, whole.tm_min, second, (whole.tm_wday + 1) % 7, whole.tm_yday - 1)
