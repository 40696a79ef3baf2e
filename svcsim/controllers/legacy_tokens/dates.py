"""The days that are noted of tokens: ``2006-01-02``, in UTC."""

from svcsim.clock import format_time
from svcsim.meta.times import parse_time

DAY_S = 86_400.0


def format_day(seconds: float) -> str:
    """The day of a moment, which is given in seconds since 1970."""
    return format_time(seconds).partition("T")[0]


def parse_day(text: str) -> float | None:
    """When a day began, in seconds since 1970; None for what is no day."""
    try:
        began = parse_time(f"{text}T00:00:00Z")
    except ValueError:
        return None
    return began if format_day(began) == text else None
