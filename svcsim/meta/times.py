"""Moments and spans of time as the API spells them.

A moment is seconds since 1970 as a float, a span is seconds as a float. On the wire moments are RFC 3339 in UTC, whole seconds for most
fields and microseconds for some; spans in configuration are spelled ``1h30m``, and ages in tables ``90s`` or ``2d5h``.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

from svcsim.meta.quoting import quoted
from svcsim.wall import LATEST_S

_RFC3339 = re.compile(r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([-+])(\d{2}):(\d{2}))", re.ASCII)
_BEYOND = re.compile(r"[1-9]\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z", re.ASCII)
_DURATION_PART = re.compile(r"(\d+\.?\d*|\.\d+)([^\d.]*)", re.ASCII)
_UNIT_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DAYS = re.compile(r"(\d{1,7})d", re.ASCII)
_CONVERSION = re.compile(r"%-?[aAbBCdDeFgGhHIjkmMnpPrRsSTtuUVwWxXyYzZ%]")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
EARLIEST_S = (_FIRST - EPOCH) / _SECOND
"""The beginning of the year 1, where the calendar begins."""
_MAX_NS = 2**63 - 1

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_H = 24
_YEAR_D = 365


def can_be_written(seconds: float) -> bool:
    """Whether a moment is within the years that RFC 3339 has, 1 to 9999."""
    return EARLIEST_S <= seconds < LATEST_S + 1


def parse_time(text: str) -> float:
    """Seconds since 1970 of a moment in an object; ValueError for what is none.

    Earlier versions wrote years beyond 9999 where they counted from now on; such a moment is the last there is.
    """
    return LATEST_S if _BEYOND.fullmatch(text) else parse_given_time(text)


def parse_given_time(text: str) -> float:
    """Seconds since 1970 of an RFC 3339 time from a user, with or without a fraction; ValueError for anything else."""
    match = _RFC3339.fullmatch(text)
    if not match:
        raise ValueError(f'parsing time {quoted(text)} as "2006-01-02T15:04:05Z07:00": cannot parse {quoted(text)}')
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, _, sign, offset_hours, offset_minutes = match.groups()[6:]
    zone = UTC
    if sign:
        offset = timedelta(hours=int(offset_hours), minutes=int(offset_minutes))
        zone = timezone(offset if sign == "+" else -offset)
    micros = int(((fraction or "") + "000000")[:6])
    moment = datetime(year, month, day, hour, minute, second, micros, tzinfo=zone)
    if not _FIRST <= moment <= _LAST:
        raise ValueError(f"parsing time {quoted(text)}: out of the years that can be written down in UTC")
    return (moment - EPOCH) / _SECOND


def format_time(seconds: float) -> str:
    """A moment in whole seconds: ``2024-01-31T12:00:00Z``."""
    return _moment(seconds).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def format_micro_time(seconds: float) -> str:
    """A moment in microseconds: ``2024-01-31T12:00:00.000000Z``."""
    return _moment(seconds).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def parse_duration(text: str) -> float:
    """Seconds of a span spelled ``1h30m``, ``300ms``, ``-1.5s`` or ``0``; ValueError for anything else."""
    return parse_nanoseconds(text) / 10**9


def parse_span(text: str) -> float:
    """The seconds of a duration as users write it for a cluster's time: it may begin with whole days, ``30d`` or ``1d12h``."""
    days = _DAYS.match(text)
    rest = text[days.end() :] if days else text
    if days and rest[:1] in {"+", "-"}:
        raise ValueError(f"time: invalid duration {_in_ascii(text)}")
    return (int(days[1]) * _DAY_H * _HOUR_S if days else 0) + (parse_duration(rest) if rest or not days else 0.0)


def parse_nanoseconds(text: str) -> int:
    """The exact duration in nanoseconds."""
    unsigned = text[1:] if text[:1] in {"+", "-"} else text
    if unsigned == "0":
        return 0
    total_ns, position = 0, 0
    for match in _DURATION_PART.finditer(unsigned):
        if match.start() != position:
            break
        number, unit = match.groups()
        if unit not in _UNIT_NS:
            raise ValueError(f"time: {f'unknown unit {_in_ascii(unit)}' if unit else 'missing unit'} in duration {_in_ascii(text)}")
        whole, _, fraction = number.partition(".")
        total_ns += int(whole or 0) * _UNIT_NS[unit] + (int(fraction) * _UNIT_NS[unit] // 10 ** len(fraction) if fraction else 0)
        position = match.end()
    if not unsigned or position != len(unsigned) or total_ns > _MAX_NS:
        raise ValueError(f"time: invalid duration {_in_ascii(text)}")
    return -total_ns if text[0] == "-" else total_ns


def _in_ascii(text: str) -> str:
    """Text of others as Go's complaints about spans have it: what isn't ASCII, or controls, byte by byte."""
    spelled = (f"\\{char}" if char in '"\\' else char if " " <= char < "\x80" else _bytes(char) for char in text)
    return f'"{"".join(spelled)}"'


def _bytes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "replace"))


def format_duration(seconds: float) -> str:
    """A span as ``1h30m0s``, ``1.5s`` or ``300ms``: hours and minutes from the first that isn't zero, seconds always."""
    nanos = round(abs(seconds) * 10**9)
    sign = "-" if seconds < 0 and nanos else ""
    if nanos == 0:
        return "0s"
    for unit, size in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
        if nanos < size * 1000:
            return f"{sign}{_decimal(nanos, size)}{unit}"
    minutes, rest = divmod(nanos, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    leading = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{leading}{_decimal(rest, 10**9)}s"


def http_date(seconds: float) -> str:
    """A moment as HTTP's headers spell it."""
    from email.utils import formatdate  # noqa: PLC0415 - once a second, and only where there is a socket

    return formatdate(seconds, usegmt=True)


def format_date(seconds: float, pattern: str) -> str:
    """A time in UTC as ``date +PATTERN`` prints it. What is no conversion of ``strftime`` stands for itself."""
    moment = _moment(seconds)
    return _CONVERSION.sub(lambda found: moment.strftime(found[0]), pattern)


def format_day(seconds: float) -> str:
    """The day of a moment, in UTC, as labels have it: ``2006-01-02``."""
    return format_time(seconds).partition("T")[0]


def parse_day(text: str) -> float | None:
    """When a day began that is spelled like that, in seconds since 1970; None for what is no day."""
    try:
        began = parse_time(f"{text}T00:00:00Z")
    except ValueError:
        return None
    return began if format_day(began) == text else None


def human_duration(seconds: float) -> str:
    """A span for people, two units at the most, the smaller one only while it matters: ``90s``, ``5m30s``, ``47h``, ``2d5h``, ``2y30d``."""
    total = int(seconds)
    if total < -1:
        return "<invalid>"
    if total < 0:
        return "0s"
    if total < 2 * _MINUTE_S:
        return f"{total}s"
    minutes = total // _MINUTE_S
    if minutes < 10:
        return _two_units(minutes, "m", total % _MINUTE_S, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    hours = total // _HOUR_S
    if hours < 8:
        return _two_units(hours, "h", minutes % 60, "m")
    if hours < 2 * _DAY_H:
        return f"{hours}h"
    return _human_days(hours)


def _human_days(hours: int) -> str:
    days = hours // _DAY_H
    if days < 8:
        return _two_units(days, "d", hours % _DAY_H, "h")
    if days < 2 * _YEAR_D:
        return f"{days}d"
    years = days // _YEAR_D
    return _two_units(years, "y", days % _YEAR_D, "d") if years < 8 else f"{years}y"


def _two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def _decimal(nanos: int, unit_ns: int) -> str:
    whole, fraction = divmod(nanos, unit_ns)
    digits = str(fraction).rjust(len(str(unit_ns)) - 1, "0").rstrip("0") if fraction else ""
    return f"{whole}.{digits}" if digits else str(whole)


def _moment(seconds: float) -> datetime:
    """What lies beyond the years that can be written is where they begin, or end."""
    try:
        return EPOCH + timedelta(microseconds=round(seconds * 10**6))
    except OverflowError:
        return _LAST if seconds > 0 else _FIRST
