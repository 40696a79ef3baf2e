"""How many pods a metric calls for: a table of Kubernetes' documented rules, without a cluster."""

import pytest

from svcsim.controllers.horizontal_pod_autoscaler.calculation import (
    Pods,
    Tolerance,
    Utilization,
    by_average,
    by_utilization,
    by_value,
    by_value_per_pod,
    tolerance_of,
)
from svcsim.controllers.horizontal_pod_autoscaler.samples import Sample, UnusableMetricError, requests_of
from svcsim.meta.times import format_time
from svcsim.meta.types import Json, Object

NOW = 1_767_225_600.0
NORMAL = Tolerance(0.1, 0.1)


def pod(name: str, *, request: str = "100m", started_s: float = 3_600, ready: bool = True, ready_s: float = 3_500, **more: Json) -> Object:
    """One that started so many seconds ago, and has been ready, or not, for so many."""
    conditions = [{"type": "Ready", "status": str(ready), "lastTransitionTime": format_time(NOW - ready_s)}]
    container: Object = {"name": "main", "resources": {"requests": {"cpu": request} if request else {}}}
    status = {"phase": "Running", "startTime": format_time(NOW - started_s), "conditions": conditions, **more}
    return {"metadata": {"name": name}, "spec": {"containers": [container]}, "status": status}


def seen(*pods: Object, replicas: int | None = None, tolerance: Tolerance = NORMAL) -> Pods:
    return Pods(pods, len(pods) if replicas is None else replicas, tolerance, NOW)


def used(**millis: int) -> dict[str, Sample]:
    return {name: Sample(value, NOW, 15) for name, value in millis.items()}


def size(cpu: Pods, samples: dict[str, Sample], target: int = 50) -> int:
    return by_utilization(cpu, samples, "cpu", target).replicas


A, B, C = pod("a"), pod("b"), pod("c")


def test_the_size_follows_from_what_is_used_by_what_is_aimed_at():
    assert by_utilization(seen(A, B), used(a=100, b=100), "cpu", 50) == Utilization(4, 100, 100)
    assert by_utilization(seen(A, B), used(a=20, b=30), "cpu", 50) == Utilization(1, 25, 25)
    assert size(seen(A, B, C), used(a=30, b=60, c=90)) == 4, "60 percent of 50 are 1.2 times 3, rounded up"


@pytest.mark.parametrize(("used_percent", "expected"), [(45, 2), (55, 2), (44, 2), (56, 3), (40, 2), (24, 1)])
def test_what_is_near_enough_stays(used_percent: int, expected: int):
    assert size(seen(A, B), used(a=used_percent, b=used_percent)) == expected


def test_each_direction_may_have_a_tolerance_of_its_own():
    assert tolerance_of(None) == NORMAL
    assert tolerance_of({"scaleUp": {"tolerance": "0"}, "scaleDown": {}}) == Tolerance(0.1, 0.0)
    wide_below = tolerance_of({"scaleDown": {"tolerance": "500m"}})
    assert size(seen(A, B, tolerance=wide_below), used(a=26, b=26)) == 2
    assert size(seen(A, B, tolerance=Tolerance(0.1, 0.0)), used(a=51, b=51)) == 3


def test_pods_that_come_up_use_nothing_where_there_are_to_be_more():
    pending = pod("c", phase="Pending")
    assert size(seen(A, B, pending), used(a=100, b=100)) == 4, "200 of 300 requested: 66 percent, 1.33 times 3"
    assert size(seen(A, B, pending), used(a=60, b=60)) == 3, "with it there would be less than what is aimed at"


def test_pods_that_come_up_do_not_count_where_there_are_to_be_fewer():
    assert size(seen(A, B, pod("c", phase="Pending")), used(a=10, b=10)) == 1


def test_pods_of_which_nothing_is_known_use_all_they_request_where_there_are_to_be_fewer():
    assert size(seen(A, B, C), used(a=10, b=10), 80) == 2, "(10 + 10 + 100) of 300: 40 percent of 80, half of 3"
    assert size(seen(A, B, C), used(a=40, b=40), 50) == 3, "60 percent: that would turn it round"
    assert size(seen(A, B, C), used(a=10, b=10), 150) == 2, "of targets above 100 the target: 170 of 300, 56 percent of 150"


def test_pods_of_which_nothing_is_known_use_nothing_where_there_are_to_be_more():
    assert size(seen(A, B, C), used(a=150, b=150), 50) == 6
    assert size(seen(A, B, C), used(a=60, b=60), 50) == 3, "40 percent: that would turn it round"


def test_a_size_never_moves_against_the_change():
    more_wanted = seen(A, B, replicas=5)
    assert size(more_wanted, used(a=60)) == 5, "2 pods of 5 are there, and 30 percent are used"


@pytest.mark.parametrize(
    ("one", "counts"),
    [
        (pod("b", started_s=60, ready_s=50), True),
        (pod("b", started_s=60, ready_s=10), False),
        (pod("b", started_s=60, ready=False, ready_s=50), False),
        (pod("b", started_s=299, ready_s=10), False),
        (pod("b", started_s=301, ready_s=10), True),
        (pod("b", started_s=600, ready=False, ready_s=590), False),
        (pod("b", started_s=600, ready=False, ready_s=60), True),
        (pod("b", conditions=[]), False),
        (pod("b", startTime=None), False),
    ],
    ids=[
        "ready for a window",
        "ready for less than a window",
        "unready in its first minutes",
        "just ready at the end of them",
        "past its first minutes",
        "never ready",
        "ready once",
        "without a condition",
        "without a start",
    ],
)
def test_the_cpu_of_pods_that_start_does_not_count(one: Object, counts: bool):
    found = by_utilization(seen(A, one), used(a=50, b=100), "cpu", 50)
    assert found.percent == (75 if counts else 50)


def test_other_resources_of_pods_that_start_do():
    new = pod("b", started_s=5, ready=False, ready_s=5)
    for one in (A, new):
        one["spec"]["containers"][0]["resources"]["requests"]["memory"] = "100"
    assert by_utilization(seen(A, new), used(a=50_000, b=100_000), "memory", 50).percent == 75
    assert by_average(seen(A, new), used(a=10, b=30), 10, "memory") == (4, 20)
    assert by_average(seen(A, new), used(a=10, b=30), 10, "cpu") == (2, 10)


def test_pods_that_go_or_have_failed_do_not_count():
    going = {**pod("b"), "metadata": {"name": "b", "deletionTimestamp": format_time(NOW)}}
    assert by_utilization(seen(A, going, replicas=1), used(a=100, b=1_000), "cpu", 50) == Utilization(2, 100, 100)
    assert size(seen(A, pod("b", phase="Failed"), replicas=1), used(a=100)) == 2


def test_an_average_is_held_against_a_value():
    assert by_average(seen(A, B), used(a=10_000, b=30_000), 10_000) == (4, 20_000)
    assert by_average(seen(A, B), used(a=10_500, b=10_500), 10_000) == (2, 10_500)
    assert by_average(seen(A, B, C), used(a=2_000, b=2_000), 10_000) == (2, 2_000), "the third is taken to have what is aimed at"
    assert by_average(seen(A, B, C), used(a=40_000, b=40_000), 10_000) == (8, 40_000), "the third is taken to have nothing"


@pytest.mark.parametrize(
    ("pods", "samples", "why"),
    [
        ((), {}, "no pods returned by selector while calculating replica count"),
        ((pod("a", phase="Pending"),), used(a=1), "did not receive metrics for targeted pods (pods might be unready)"),
        ((pod("a", request=""),), used(a=1), "missing request for cpu in container main of Pod a"),
        ((A,), used(other=1), "no metrics returned matched known pods"),
    ],
)
def test_a_metric_that_says_nothing_is_told(pods: tuple[Object, ...], samples: dict[str, Sample], why: str):
    with pytest.raises(UnusableMetricError) as refused:
        by_utilization(seen(*pods), samples, "cpu", 50)
    assert str(refused.value) == why


def test_requests_are_those_of_all_containers_and_sidecars_or_of_the_pod():
    one = pod("a")
    one["spec"]["containers"].append({"name": "side", "resources": {"requests": {"cpu": "1"}}})
    one["spec"]["initContainers"] = [
        {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "10m"}}},
        {"name": "setup"},
    ]
    assert requests_of([one], "", "cpu") == {"a": 1_110}
    assert requests_of([one], "side", "cpu") == {"a": 1_000}
    one["spec"]["resources"] = {"requests": {"cpu": "3"}}
    assert requests_of([one], "", "cpu") == {"a": 3_000}


def test_one_value_is_shared_by_the_pods_that_are_ready():
    assert by_value(seen(A, B), 20_000, 10_000) == 4
    assert by_value(seen(A, B), 10_500, 10_000) == 2
    assert by_value(seen(A, pod("b", ready=False)), 20_000, 10_000) == 2
    assert by_value(seen(replicas=0), 25_000, 10_000) == 3, "from none it is the value itself"
    assert by_value(seen(replicas=0), 0, 10_000) == 0
    with pytest.raises(UnusableMetricError, match="unable to calculate ready pods: no pods returned by selector"):
        by_value(seen(replicas=1), 20_000, 10_000)


def test_a_value_for_each_pod_goes_by_the_number_of_pods_there_are():
    assert by_value_per_pod(40_000, 10_000, 2, NORMAL) == (4, 20_000)
    assert by_value_per_pod(21_000, 10_000, 2, NORMAL) == (2, 10_500)
    assert by_value_per_pod(40_000, 10_000, 0, NORMAL) == (4, 40_000)
    assert by_value_per_pod(0, 10_000, 3, NORMAL) == (0, 0)


def test_no_size_is_too_large_to_be_written():
    assert by_value_per_pod(10**30, 1, 1, NORMAL)[0] == 2**31 - 1


def test_no_utilization_is_too_large_to_be_written():
    found = by_utilization(seen(pod("a", request="1m")), used(a=10**18), "cpu", 50)
    assert found == Utilization(2**31 - 1, 2**31 - 1, 10**18)
