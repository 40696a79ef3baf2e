"""From the size that metrics call for to that which is set: steadied by what was recommended of late, and held to bounds and policies."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from svcsim.controllers.horizontal_pod_autoscaler import settings
from svcsim.controllers.horizontal_pod_autoscaler.memory import Memory, changed_within
from svcsim.meta.types import Object

_MOST = 2**31 - 1
Choose: TypeAlias = Callable[[Iterable[int]], int]
_READY = ("ReadyForNewScale", "recommended size matches current size")
_HIGHER = ("ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation")
_LOWER = ("ScaleUpStabilized", "recent recommendations were lower than current one, applying the lowest recent recommendation")
_WITHIN = ("DesiredWithinRange", "the desired count is within the acceptable range")
_TOO_FAST_UP = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_TOO_FAST_DOWN = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
_TOO_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")


class Bounds(NamedTuple):
    """What an autoscaler says of sizes."""

    least: int
    most: int
    behavior: Object | None


class Limited(NamedTuple):
    """The size to set, and what to say of it: reason and message of AbleToScale, and of ScalingLimited with whether it holds."""

    replicas: int
    able: tuple[str, str]
    limited: tuple[str, str]
    is_limited: bool


def limit(wanted: int, current: int, bounds: Bounds, memory: Memory, now: float) -> Limited:
    """The size to set where metrics call for ``wanted``. What is wanted is remembered."""
    if bounds.behavior is None:
        steady, able = _highest_of_late(wanted, memory, now)
        memory.recommend(wanted, now)
        replicas, limited = _by_rules(steady, current, bounds)
    else:
        steady, able = _within_windows(wanted, current, bounds.behavior, memory, now)
        memory.recommend(wanted, now)
        replicas, limited = _by_policies(steady, current, bounds, bounds.behavior, memory, now)
    return Limited(replicas, _READY if steady == wanted else able, limited, is_limited=replicas != steady)


def _highest_of_late(wanted: int, memory: Memory, now: float) -> tuple[int, tuple[str, str]]:
    since = now - settings.DOWNSCALE_STABILIZATION_S
    return max(wanted, *(one.number for one in memory.recommendations if one.at >= since), 0), _HIGHER


def _within_windows(wanted: int, current: int, behavior: Object, memory: Memory, now: float) -> tuple[int, tuple[str, str]]:
    """The current size, moved no further than every recommendation within the windows goes along with."""
    up_s = behavior["scaleUp"].get("stabilizationWindowSeconds") or 0
    down_s = behavior["scaleDown"].get("stabilizationWindowSeconds")
    down_s = settings.DOWNSCALE_STABILIZATION_S if down_s is None else down_s
    lowest = min([wanted, *(one.number for one in memory.recommendations if one.at > now - up_s)])
    highest = max([wanted, *(one.number for one in memory.recommendations if one.at > now - down_s)])
    return min(max(current, lowest), highest), _LOWER if wanted >= current else _HIGHER


def _by_rules(steady: int, current: int, bounds: Bounds) -> tuple[int, tuple[str, str]]:
    """What holds without a behavior of one's own."""
    fastest = max(settings.SCALE_UP_FACTOR * current, settings.SCALE_UP_LEAST)
    most, reason = (fastest, _TOO_FAST_UP) if bounds.most > fastest else (bounds.most, _TOO_MANY)
    if steady < bounds.least:
        return bounds.least, _TOO_FEW
    return (most, reason) if steady > most else (steady, _WITHIN)


def _by_policies(steady: int, current: int, bounds: Bounds, behavior: Object, memory: Memory, now: float) -> tuple[int, tuple[str, str]]:
    if steady > current:
        fastest = max(_limit_up(current, behavior["scaleUp"], memory, now), current)
        most, reason = (fastest, _TOO_FAST_UP) if bounds.most > fastest else (bounds.most, _TOO_MANY)
        if steady > most:
            return most, reason
    elif steady < current:
        slowest = min(_limit_down(current, behavior["scaleDown"], memory, now), current)
        least, reason = (slowest, _TOO_FAST_DOWN) if bounds.least < slowest else (bounds.least, _TOO_FEW)
        if steady < least:
            return least, reason
    return steady, _WITHIN


def _limit_up(current: int, rules: Object, memory: Memory, now: float) -> int:
    """The largest size that the policies let be reached now."""
    proposed = [
        began + value if kind == "Pods" else -(-began * (100 + value) // 100)
        for kind, value, began in _policies(current, rules, memory, now)
    ]
    return min(_chosen(current, rules, proposed, least=min, most=max), _MOST)


def _limit_down(current: int, rules: Object, memory: Memory, now: float) -> int:
    """The smallest size that the policies let be reached now."""
    proposed = [
        began - value if kind == "Pods" else began * (100 - value) // 100 for kind, value, began in _policies(current, rules, memory, now)
    ]
    return _chosen(current, rules, proposed, least=max, most=min)


def _policies(current: int, rules: Object, memory: Memory, now: float) -> list[tuple[str, int, int]]:
    """The type and the value of each policy, and the size at the beginning of its period."""
    found: list[tuple[str, int, int]] = []
    for policy in rules.get("policies") or ():
        period_s = policy["periodSeconds"]
        began = current - changed_within(memory.added, period_s, now) + changed_within(memory.removed, period_s, now)
        found.append((policy["type"], policy["value"], began))
    return found


def _chosen(current: int, rules: Object, proposed: list[int], *, least: Choose, most: Choose) -> int:
    """What the policy that applies proposes: that of the smallest change, of the largest, or none."""
    select = rules.get("selectPolicy")
    if select == "Disabled" or not proposed:
        return current
    return (least if select == "Min" else most)(proposed)
