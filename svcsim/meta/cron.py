"""Schedules as cron spells them: five fields, or a word such as ``@daily``.

Read as the parser reads that Kubernetes uses, with its findings.
"""

from typing import Final, NamedTuple

from svcsim.meta.quoting import quoted
from svcsim.meta.time_zones import is_time_zone


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
_WORDS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = "@every "
_UNITS = ("ns", "us", "µs", "μs", "ms", "s", "m", "h")


def check_schedule(text: str) -> None:
    """Raises `ScheduleError` for what is no schedule."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, blank, text = text.partition("=")[2].partition(" ")
        if not blank:
            raise ScheduleError("invalid schedule format: nothing follows the time zone")
        if not is_time_zone(zone):
            raise ScheduleError(f"provided bad location {zone}: unknown time zone {zone}")
        text = text.strip()
    if text.startswith("@"):
        _check_word(text)
        return
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise ScheduleError(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    for part, field in zip(parts, _FIELDS, strict=True):
        for one in part.split(","):
            if one:
                _check_range(one, field)


def _check_word(text: str) -> None:
    if text in _WORDS:
        return
    if not text.startswith(_EVERY):
        raise ScheduleError(f"unrecognized descriptor: {text}")
    if not _is_duration(text.removeprefix(_EVERY)):
        raise ScheduleError(f"failed to parse duration {text}: time: invalid duration {quoted(text.removeprefix(_EVERY))}")


def _is_duration(text: str) -> bool:
    """Numbers, each with a unit: ``1h30m``."""
    rest = text.lstrip("+-") if text[:1] in ("+", "-") else text
    if rest == "0":
        return True
    found = False
    while rest:
        digits = len(rest) - len(rest.lstrip("0123456789."))
        number, rest = rest[:digits], rest[digits:]
        letters = next((index for index, char in enumerate(rest) if char in "0123456789."), len(rest))
        unit, rest = rest[:letters], rest[letters:]
        if not number.strip(".") or number.count(".") > 1 or unit not in _UNITS:
            return False
        found = True
    return found


def _check_range(text: str, field: _Field) -> None:
    """``*``, a number, a range, or one of these with a step."""
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
