"""From what is wanted to what is set: bounds, rates, windows and policies, without a cluster."""

import pytest

from svcsim.controllers.horizontal_pod_autoscaler.limiting import Bounds, Limited, limit
from svcsim.controllers.horizontal_pod_autoscaler.memory import Memory
from svcsim.meta.types import Json, Object

NOW = 1_000_000.0
DEFAULT_UP: Object = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}],
}
DEFAULT_DOWN: Object = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}


def policy(kind: str, value: int, period_s: int = 60) -> Object:
    return {"type": kind, "value": value, "periodSeconds": period_s}


def behavior(up: Json = None, down: Json = None) -> Object:
    return {"scaleUp": {**DEFAULT_UP, **(up or {})}, "scaleDown": {**DEFAULT_DOWN, **(down or {})}}


class Autoscaler:
    """One that is asked time and again."""

    def __init__(self, size: int, *, least: int = 1, most: int = 100, behavior: Object | None = None) -> None:
        self.size, self.now = size, NOW
        self.bounds = Bounds(least, most, behavior)
        self.memory = Memory(size, NOW)

    def wants(self, wanted: int, after_s: float = 15.0) -> Limited:
        self.now += after_s
        found = limit(wanted, self.size, self.bounds, self.memory, self.now)
        if found.replicas != self.size:
            self.memory.rescaled(self.size, found.replicas, self.now)
        self.size = found.replicas
        return found

    def sizes(self, *wanted: int) -> list[int]:
        return [self.wants(one).replicas for one in wanted]


READY = ("ReadyForNewScale", "recommended size matches current size")
WITHIN = ("DesiredWithinRange", "the desired count is within the acceptable range")


def test_what_is_wanted_is_set_within_bounds():
    assert Autoscaler(3).wants(4) == Limited(4, READY, WITHIN, is_limited=False)
    too_many = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
    assert Autoscaler(3, most=5).wants(6) == Limited(5, READY, too_many, is_limited=True)
    too_few = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
    low = Autoscaler(3, least=2)
    assert low.wants(1, 301) == Limited(2, READY, too_few, is_limited=True)


def test_without_a_behavior_a_size_at_most_doubles_or_becomes_four():
    too_fast = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
    assert Autoscaler(3).wants(50) == Limited(6, READY, too_fast, is_limited=True)
    assert Autoscaler(1).sizes(50, 50, 50, 50) == [4, 8, 16, 32]


def test_without_a_behavior_the_largest_recommendation_of_five_minutes_counts():
    stabilized = ("ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation")
    steady = Autoscaler(8)
    assert steady.wants(2) == Limited(8, stabilized, WITHIN, is_limited=False)
    assert steady.wants(2, 285).replicas == 8, "300 s ago is within the window"
    assert steady.wants(2, 1) == Limited(2, READY, WITHIN, is_limited=False)


def test_a_window_down_of_ones_own():
    assert Autoscaler(8, behavior=behavior(down={"stabilizationWindowSeconds": 0})).sizes(2) == [2]
    short = Autoscaler(8, behavior=behavior(down={"stabilizationWindowSeconds": 30}))
    assert short.sizes(5, 2, 2) == [8, 5, 2]
    unsaid = Autoscaler(8, behavior=behavior())
    assert unsaid.wants(2, 299).replicas == 8
    assert unsaid.wants(2, 1).replicas == 2, "what is a whole window old doesn't count"


def test_a_window_up_holds_the_lowest_recommendation():
    lowest = ("ScaleUpStabilized", "recent recommendations were lower than current one, applying the lowest recent recommendation")
    slow = Autoscaler(2, behavior=behavior(up={"stabilizationWindowSeconds": 60}))
    assert slow.wants(6) == Limited(2, lowest, WITHIN, is_limited=False)
    assert slow.sizes(5, 8, 8, 8) == [2, 2, 5, 5]


def test_the_larger_policy_holds_by_default_and_the_smaller_where_it_is_said():
    up = {"policies": [policy("Pods", 4), policy("Percent", 100)]}
    assert Autoscaler(10, behavior=behavior(up)).sizes(100) == [20]
    assert Autoscaler(2, behavior=behavior(up)).sizes(100) == [6]
    assert Autoscaler(10, behavior=behavior({**up, "selectPolicy": "Min"})).sizes(100) == [14]
    down = {"stabilizationWindowSeconds": 0, "policies": [policy("Pods", 4), policy("Percent", 10)]}
    assert Autoscaler(80, behavior=behavior(down=down)).sizes(1) == [72]
    assert Autoscaler(80, behavior=behavior(down={**down, "selectPolicy": "Min"})).sizes(1) == [76]


def test_a_policy_counts_what_was_changed_in_its_period():
    up = {"policies": [policy("Pods", 4, 60)]}
    scaler = Autoscaler(2, behavior=behavior(up))
    assert scaler.sizes(100, 100, 100, 100, 100) == [6, 6, 6, 6, 10]
    slow_down = Autoscaler(20, behavior=behavior(down={"stabilizationWindowSeconds": 0, "policies": [policy("Percent", 10, 30)]}))
    assert slow_down.sizes(1, 1, 1) == [18, 18, 16]


def test_what_was_taken_away_in_the_period_may_come_back():
    quick = behavior({"policies": [policy("Pods", 1, 60)]}, {"stabilizationWindowSeconds": 0})
    scaler = Autoscaler(10, behavior=quick)
    assert scaler.sizes(5, 100) == [5, 11], "ten there were when the period began, and one may be added"


def test_too_fast_is_told():
    up = Autoscaler(2, behavior=behavior({"policies": [policy("Pods", 1)]})).wants(9)
    assert (up.replicas, up.limited[0], up.is_limited) == (3, "ScaleUpLimit", True)
    down = Autoscaler(9, behavior=behavior(down={"stabilizationWindowSeconds": 0, "policies": [policy("Pods", 1)]})).wants(2)
    too_fast = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
    assert (down.replicas, down.limited, down.is_limited) == (8, too_fast, True)


def test_a_direction_may_be_switched_off():
    off = {"selectPolicy": "Disabled"}
    assert Autoscaler(3, behavior=behavior(up=off)).sizes(9) == [3]
    assert Autoscaler(3, behavior=behavior(down={**off, "stabilizationWindowSeconds": 0})).sizes(1) == [3]


def test_bounds_hold_with_a_behavior_too():
    quick = behavior(down={"stabilizationWindowSeconds": 0})
    assert Autoscaler(3, most=5, behavior=quick).wants(6).limited[0] == "TooManyReplicas"
    assert Autoscaler(3, least=2, behavior=quick).wants(1).limited[0] == "TooFewReplicas"


@pytest.mark.parametrize(("size", "percent", "expected"), [(10, 10, 11), (1, 10, 2), (100, 10, 110), (7, 50, 11)])
def test_a_share_is_rounded_so_that_something_happens(size: int, percent: int, expected: int):
    assert Autoscaler(size, most=1_000, behavior=behavior({"policies": [policy("Percent", percent)]})).sizes(999) == [expected]


def test_what_is_remembered_does_not_grow_for_ever():
    scaler = Autoscaler(5)
    for _ in range(1_000):
        scaler.wants(5)
        scaler.memory.rescaled(5, 6, scaler.now)
        scaler.memory.rescaled(6, 5, scaler.now)
    assert max(map(len, (scaler.memory.recommendations, scaler.memory.added, scaler.memory.removed))) <= 3600 / 15 + 2
