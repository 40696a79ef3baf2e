"""Functions of the sprig library about times, by the cluster's clock. A moment is a text, such as ``2026-01-01T00:00:00Z``, or in seconds.

Layouts are Go's: the moment 2006-01-02 15:04:05 as it is to be written.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from svcsim.clock import format_time
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.functions import KnownFunction
from svcsim.meta.time_zones import is_time_zone, is_time_zone_name, time_zone
from svcsim.meta.times import format_duration, parse_duration, parse_time
from svcsim.meta.types import Json
from svcsim.nodes.staged.sprig.values import given, integer, text_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS: Mapping[str, tuple[Callable[[datetime], str], str]] = {
    "January": (lambda moment: moment.strftime("%B"), "%B"),
    "Jan": (lambda moment: moment.strftime("%b"), "%b"),
    "Monday": (lambda moment: moment.strftime("%A"), "%A"),
    "Mon": (lambda moment: moment.strftime("%a"), "%a"),
    "MST": (lambda moment: moment.strftime("%Z"), "%Z"),
    "2006": (lambda moment: f"{moment.year:04}", "%Y"),
    "002": (lambda moment: moment.strftime("%j"), "%j"),
    "01": (lambda moment: f"{moment.month:02}", "%m"),
    "02": (lambda moment: f"{moment.day:02}", "%d"),
    "03": (lambda moment: f"{moment.hour % 12 or 12:02}", "%I"),
    "04": (lambda moment: f"{moment.minute:02}", "%M"),
    "05": (lambda moment: f"{moment.second:02}", "%S"),
    "06": (lambda moment: f"{moment.year % 100:02}", "%y"),
    "15": (lambda moment: f"{moment.hour:02}", "%H"),
    "PM": (lambda moment: "PM" if moment.hour >= 12 else "AM", "%p"),
    "pm": (lambda moment: "pm" if moment.hour >= 12 else "am", "%p"),
    "Z07:00": (lambda moment: "Z" if not moment.utcoffset() else _offset(moment, ":"), "%z"),
    "Z0700": (lambda moment: "Z" if not moment.utcoffset() else _offset(moment, ""), "%z"),
    "-07:00": (lambda moment: _offset(moment, ":"), "%z"),
    "-0700": (lambda moment: _offset(moment, ""), "%z"),
    "_2": (lambda moment: f"{moment.day:2}", "%d"),
    "1": (lambda moment: str(moment.month), "%m"),
    "2": (lambda moment: str(moment.day), "%d"),
    "3": (lambda moment: str(moment.hour % 12 or 12), "%I"),
    "4": (lambda moment: str(moment.minute), "%M"),
    "5": (lambda moment: str(moment.second), "%S"),
}
"""How each part of a layout is written, and what reads it."""
_FRACTION = r"[.,](?:0+|9+)(?!\d)"
_PART = re.compile("|".join([_FRACTION, *map(re.escape, sorted(_PARTS, key=len, reverse=True))]))
_ROUNDED = (("y", 365 * 86_400), ("mo", 30 * 86_400), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def _offset(moment: datetime, between: str) -> str:
    minutes = int((moment.utcoffset() or timedelta()).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}{between}{rest:02}"


def _zone(name: Json) -> tzinfo:
    """The zone of a name; UTC where there is none, as in sprig."""
    spelled = text_of(name)
    return time_zone(spelled) if not spelled or (is_time_zone_name(spelled) and is_time_zone(spelled)) else UTC


def written(seconds: float, layout: str, zone: tzinfo = UTC) -> str:
    """A moment as a layout has it."""
    try:
        moment = (_EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    except (OverflowError, ValueError):
        raise CallError("a time out of the years that can be written down") from None

    def part(found: re.Match[str]) -> str:
        if found[0] in _PARTS:
            return _PARTS[found[0]][0](moment)
        digits = f"{moment.microsecond:06}".ljust(9, "0")[: len(found[0]) - 1]
        if found[0][1] == "0":
            return found[0][0] + digits
        kept = digits.rstrip("0")
        return found[0][0] + kept if kept else ""

    return _PART.sub(part, layout)


def read_by(layout: str, text: str) -> float:
    """The moment that a text is by a layout. Raises `CallError`."""
    pieces, last = [], 0
    for found in _PART.finditer(layout):
        reads = _PARTS[found[0]][1] if found[0] in _PARTS else f"{found[0][0]}%f"
        pieces += [layout[last : found.start()].replace("%", "%%"), reads]
        last = found.end()
    form = "".join([*pieces, layout[last:].replace("%", "%%")])
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - a zone is added where it has none
        return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH).total_seconds()
    except (ValueError, re.error):
        raise CallError(f'parsing time "{text}" as "{layout}": cannot parse it') from None


def _rounded(seconds: float) -> str:
    """A span in the largest unit of which it has one."""
    whole = int(abs(seconds))
    unit, size = next(((unit, size) for unit, size in _ROUNDED if whole >= size), ("s", 1))
    return f"{'-' if seconds < 0 else ''}{whole // size}{unit}"


class _Dates:
    """The functions, as of a moment in seconds."""

    def __init__(self, now: float) -> None:
        self._now = now

    def seconds(self, value: Json) -> float:
        """A value as a moment; now for what is none, as in sprig."""
        found = given(value)
        if isinstance(found, str):
            try:
                return parse_time(found)
            except ValueError:
                return self._now
        return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else self._now

    def date(self, layout: Json, value: Json) -> str:
        return written(self.seconds(value), text_of(layout))

    def date_in_zone(self, layout: Json, value: Json, zone: Json) -> str:
        return written(self.seconds(value), text_of(layout), _zone(zone))

    def modified(self, span: Json, value: Json) -> str:
        try:
            return self.must_modified(span, value)
        except CallError:
            return _moment(self.seconds(value))

    def must_modified(self, span: Json, value: Json) -> str:
        try:
            return _moment(self.seconds(value) + parse_duration(text_of(span)))
        except ValueError as error:
            raise CallError(str(error)) from None

    def ago(self, value: Json) -> str:
        return format_duration(round(self._now - self.seconds(value)))

    def rounded(self, value: Json) -> str:
        """A span, or how long ago a moment is."""
        found = given(value)
        if not isinstance(found, str):
            return _rounded(integer(found) / 10**9)
        try:
            return _rounded(parse_duration(found))
        except ValueError:
            return _rounded(self._now - self.seconds(found))


def _moment(seconds: float) -> str:
    try:
        return format_time(seconds) if seconds == int(seconds) else written(seconds, "2006-01-02T15:04:05.999999999Z07:00")
    except (OverflowError, ValueError):
        raise CallError("a time out of the years that can be written down") from None


def _read_or_nothing(layout: Json, text: Json) -> str:
    try:
        return _moment(read_by(text_of(layout), text_of(text)))
    except CallError:
        return "0001-01-01T00:00:00Z"


def dates(now: float) -> Mapping[str, KnownFunction]:
    """The functions by name."""
    known = _Dates(now)
    return {
        "ago": KnownFunction(known.ago, 1, 1),
        "date": KnownFunction(known.date, 2, 2),
        "dateInZone": KnownFunction(known.date_in_zone, 3, 3),
        "dateModify": KnownFunction(known.modified, 2, 2),
        "date_in_zone": KnownFunction(known.date_in_zone, 3, 3),
        "date_modify": KnownFunction(known.modified, 2, 2),
        "duration": KnownFunction(lambda seconds: format_duration(integer(seconds)), 1, 1),
        "durationRound": KnownFunction(known.rounded, 1, 1),
        "htmlDate": KnownFunction(lambda value: known.date("2006-01-02", value), 1, 1),
        "htmlDateInZone": KnownFunction(lambda value, zone: known.date_in_zone("2006-01-02", value, zone), 2, 2),
        "mustDateModify": KnownFunction(known.must_modified, 2, 2),
        "mustToDate": KnownFunction(lambda layout, text: _moment(read_by(text_of(layout), text_of(text))), 2, 2),
        "must_date_modify": KnownFunction(known.must_modified, 2, 2),
        "toDate": KnownFunction(_read_or_nothing, 2, 2),
        "unixEpoch": KnownFunction(lambda value: str(int(known.seconds(value))), 1, 1),
    }
