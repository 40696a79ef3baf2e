"""How many pods a metric calls for. Pure arithmetic, as Kubernetes documents it: the size times what is used by what is aimed at.

What can't be known is assumed so that it never makes a change larger, and never turns it round: pods that come up, or of which nothing was
measured, use nothing where there are to be more of them, and all they should where there are to be fewer.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from svcsim.controllers.horizontal_pod_autoscaler import settings
from svcsim.controllers.horizontal_pod_autoscaler.samples import Sample, Samples, Sorted, UnusableMetricError, requests_of, sort_pods
from svcsim.meta import quantity
from svcsim.meta.pods import is_ready, phase_of
from svcsim.meta.types import Object

_MOST = 2**31 - 1
_PERCENT = 100


class Tolerance(NamedTuple):
    """How far below and above its target a metric may be without consequence, as shares of the target."""

    below: float
    above: float

    def covers(self, ratio: float) -> bool:
        """Whether what is used is near enough to what is aimed at."""
        return 1.0 - self.below <= ratio <= 1.0 + self.above


def tolerance_of(behavior: Object | None) -> Tolerance:
    """What an autoscaler tolerates."""

    def said(direction: str) -> float:
        own = ((behavior or {}).get(direction) or {}).get("tolerance")
        return settings.TOLERANCE if own is None else float(quantity.of(own))

    return Tolerance(said("scaleDown"), said("scaleUp"))


class Utilization(NamedTuple):
    """A size, and what was measured: in percent of what is requested, and on average."""

    replicas: int
    percent: int
    average: int


class Pods(NamedTuple):
    """What every calculation about pods is given: the pods, how many are wanted now, what is tolerated, and when it is."""

    pods: Sequence[Object]
    replicas: int
    tolerance: Tolerance
    now: float


def by_utilization(seen: Pods, samples: Mapping[str, Sample], resource: str, target_percent: int, container: str = "") -> Utilization:
    """The size that brings the use of a resource to a share of what is requested. Raises `UnusableMetricError`."""
    counted, sorted_ = _counted(seen, samples, resource)
    requests = requests_of(seen.pods, container, resource)

    def utilization(samples: Samples) -> tuple[float, int, int]:
        return _utilization(samples, requests, target_percent)

    ratio, percent, average = utilization(counted)
    at_least = max(_PERCENT, target_percent)
    assumed = {name: requests[name] * at_least // _PERCENT for name in sorted_.missing}
    replicas = _size(seen, ratio, counted, sorted_, assumed, lambda samples: utilization(samples)[0])
    return Utilization(replicas, percent, average)


def by_average(seen: Pods, samples: Mapping[str, Sample], target: int, resource: str = "") -> tuple[int, int]:
    """The size that brings the average of a value to a target, and that average. Raises `UnusableMetricError`."""
    counted, sorted_ = _counted(seen, samples, resource)
    average = _average(counted)
    assumed = dict.fromkeys(sorted_.missing, target)
    return _size(seen, average / target, counted, sorted_, assumed, lambda samples: _average(samples) / target), average


def _counted(seen: Pods, samples: Mapping[str, Sample], resource: str) -> tuple[Samples, Sorted]:
    """The samples that count, and which pods are which."""
    if not seen.pods:
        raise UnusableMetricError("no pods returned by selector while calculating replica count")
    sorted_ = sort_pods(seen.pods, samples, resource, seen.now)
    left_out = {*sorted_.ignored, *sorted_.unready}
    counted = {name: sample for name, sample in samples.items() if name not in left_out}
    if not counted:
        raise UnusableMetricError("did not receive metrics for targeted pods (pods might be unready)")
    return counted, sorted_


def _average(samples: Samples) -> int:
    return sum(sample.value for sample in samples.values()) // len(samples)


def _size(
    seen: Pods, ratio: float, counted: Samples, sorted_: Sorted, assumed: Mapping[str, int], ratio_of: Callable[[Samples], float]
) -> int:
    """The size that brings a ratio to one. ``assumed``: what pods that tell nothing are taken to use where there are to be fewer."""
    comes_up = bool(sorted_.unready) and ratio > 1.0
    if not comes_up and not sorted_.missing:
        return seen.replicas if seen.tolerance.covers(ratio) else _up(ratio * sorted_.ready)
    supposed: Samples = {}
    if ratio != 1.0:
        supposed |= {name: Sample(value if ratio < 1.0 else 0) for name, value in assumed.items()}
    if comes_up:
        supposed |= {name: Sample(0) for name in sorted_.unready}
    together = counted | supposed
    return _cautious(seen, ratio, ratio_of(together), len(together))


def _cautious(seen: Pods, measured: float, assumed: float, pods: int) -> int:
    """The size where something had to be assumed: as it is, where that would turn the change round."""
    turned = (measured < 1.0 < assumed) or (assumed < 1.0 < measured)
    if seen.tolerance.covers(assumed) or turned:
        return seen.replicas
    replicas = _up(assumed * pods)
    wrong_way = (assumed < 1.0 and replicas > seen.replicas) or (assumed > 1.0 and replicas < seen.replicas)
    return seen.replicas if wrong_way else replicas


def _utilization(samples: Samples, requests: Mapping[str, int], target_percent: int) -> tuple[float, int, int]:
    known = [name for name in samples if name in requests]
    used, requested = sum(samples[name].value for name in known), sum(requests[name] for name in known)
    if not requested:
        raise UnusableMetricError("no metrics returned matched known pods")
    percent = used * _PERCENT // requested
    # The status has room for so many percent, and Kubernetes' controller would come round to numbers below zero.
    return percent / target_percent, min(percent, _MOST), used // len(known)


def by_value(seen: Pods, value: int, target: int) -> int:
    """The size that brings one value to a target, taken to be shared by all pods. Raises `UnusableMetricError`."""
    ratio = value / target
    if not seen.replicas:
        return _up(ratio)
    if seen.tolerance.covers(ratio):
        return seen.replicas
    if not seen.pods:
        raise UnusableMetricError("unable to calculate ready pods: no pods returned by selector while calculating replica count")
    return _up(ratio * _count_ready(seen.pods))


def by_value_per_pod(value: int, target: int, replicas: int, tolerance: Tolerance) -> tuple[int, int]:
    """The size at which each pod has so much of one value as it should, and how much each has now; ``replicas`` are those there are."""
    wanted = replicas if replicas and tolerance.covers(value / (target * replicas)) else _up(value / target)
    return wanted, -(-value // max(replicas, 1))


def _count_ready(pods: Iterable[Object]) -> int:
    return sum(phase_of(pod) == "Running" and is_ready(pod) for pod in pods)


def _up(replicas: float) -> int:
    return min(math.ceil(replicas), _MOST)
