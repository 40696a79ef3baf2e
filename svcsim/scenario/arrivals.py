"""When the objects of a load come: evenly, or as independent visitors do, alone or in bursts."""

from svcsim.chance import Chance
from svcsim.meta.times import parse_duration


def rate_gap_s(rate: str | None) -> float:
    """Seconds from one to the next at ``50/s``; 0 without a rate."""
    if rate is None:
        return 0.0
    count, _, unit = rate.partition("/")
    return parse_duration(f"1{unit}") / float(count) if float(count) else 0.0


def arrivals(count: int, gap_s: float, burst: int, *, poisson: bool, chance: Chance) -> list[float]:
    """Seconds to wait before each of ``count`` arrivals: bursts of ``burst``, on average ``gap_s`` apart for each of their members."""
    waits: list[float] = []
    for index in range(count):
        if index % burst or not index:
            waits.append(0.0)
        else:
            mean = gap_s * burst
            waits.append(chance.exponential(mean) if poisson else mean)
    return waits
