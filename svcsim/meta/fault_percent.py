"""How much of what it could hit a fault hits: the same for all kinds of faults, wherever they live."""

from svcsim.meta.errors import bad_request
from svcsim.meta.types import Object


def percent_of(fault: Object) -> float:
    """All of it, unless the fault says otherwise. Raises `StatusError` for what is no share."""
    percent = fault.get("percent", 100)
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
        raise bad_request(f"percent must be a number above 0 up to 100, not {percent}")
    return float(percent)
