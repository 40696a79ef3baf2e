"""Moments as programs are told them: ``@5``, ``2020-01-02 03:04``, ``2 days ago``."""

import re
from datetime import UTC, datetime

from svcsim.nodes.shell.process import Usage

_DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S UTC")
_SECONDS = re.compile(r"@(\d{1,11})")
_APART = re.compile(r"([+-]?)\s*(\d{1,6})\s*(sec|second|min|minute|hour|day|week)s?( ago)?")
_UNITS_S = {"sec": 1, "second": 1, "min": 60, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_DAYS = {"now": 0, "today": 0, "": 0, "yesterday": -1, "tomorrow": 1}


def read_moment(text: str, now: float) -> float:
    """Seconds since the epoch. Raises `Usage`."""
    said = text.strip()
    seconds, apart = _SECONDS.fullmatch(said), _APART.fullmatch(said)
    if seconds is not None:
        return float(seconds[1])
    if said in _DAYS:
        return now + _DAYS[said] * _UNITS_S["day"]
    if apart is not None:
        sign = -1 if (apart[1] == "-") is not bool(apart[4]) else 1
        return now + sign * int(apart[2]) * _UNITS_S[apart[3]]
    return read_stamp(said, _DATES)


def read_stamp(text: str, forms: tuple[str, ...]) -> float:
    """Likewise, in one of several forms. Raises `Usage`."""
    for form in forms:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise Usage(f"invalid date '{text}'")
