"""What metrics APIs have told of pods, and which pods it is to be held against. Amounts are whole thousandths."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from svcsim.controllers.horizontal_pod_autoscaler import settings
from svcsim.meta import quantity
from svcsim.meta.objects import condition, is_terminating, name_of
from svcsim.meta.pods import is_sidecar, phase_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


class UnusableMetricError(Exception):
    """A metric that says nothing now; the message says why."""


class Sample(NamedTuple):
    """What was measured of one pod; ``at`` is the end of the time over which it is an average."""

    value: int
    at: float = 0.0
    window_s: float = 0.0


Samples = dict[str, Sample]
"""By the name of the pod."""


class Sorted(NamedTuple):
    """Pods by what their samples are good for. Those in none of the sets of names count as they were measured."""

    ready: int
    unready: list[str]
    missing: list[str]
    ignored: list[str]


def sort_pods(pods: Iterable[Object], samples: Mapping[str, Sample], resource: str, now: float) -> Sorted:
    """Which pods count, which have no sample, which are still coming up, and which are on their way out."""
    sorted_ = Sorted(0, [], [], [])
    ready = 0
    for pod in pods:
        name = name_of(pod)
        if is_terminating(pod) or phase_of(pod) == "Failed":
            sorted_.ignored.append(name)
        elif phase_of(pod) == "Pending":
            sorted_.unready.append(name)
        elif name not in samples:
            sorted_.missing.append(name)
        elif resource == "cpu" and _starts(pod, samples[name], now):
            sorted_.unready.append(name)
        else:
            ready += 1
    return sorted_._replace(ready=ready)


def _starts(pod: Object, sample: Sample, now: float) -> bool:
    """Whether a pod's use of processors is that of a pod that starts, and says nothing of the load."""
    ready, started = condition(pod, "Ready"), (pod.get("status") or {}).get("startTime")
    if ready is None or started is None:
        return True
    since, started_at = parse_time(ready["lastTransitionTime"]) if ready.get("lastTransitionTime") else 0.0, parse_time(started)
    unready = ready.get("status") == "False"
    if started_at + settings.CPU_INITIALIZATION_PERIOD_S > now:
        return unready or sample.at < since + sample.window_s
    return unready and started_at + settings.INITIAL_READINESS_DELAY_S > since


def requests_of(pods: Iterable[Object], container: str, resource: str) -> dict[str, int]:
    """How much each pod requests, or one container of each. Raises `UnusableMetricError` where one doesn't say."""
    return {name_of(pod): _request(pod, container, resource) for pod in pods}


def _request(pod: Object, container: str, resource: str) -> int:
    spec = pod["spec"]
    whole = (spec.get("resources") or {}).get("requests") or {}
    if not container and resource in whole:
        return quantity.of(whole[resource]).millis()
    total = 0
    sidecars = [one for one in spec.get("initContainers") or () if is_sidecar(one)]
    for one in (*spec["containers"], *sidecars):
        if container in ("", one["name"]):
            requested = ((one.get("resources") or {}).get("requests") or {}).get(resource)
            if requested is None:
                raise UnusableMetricError(f"missing request for {resource} in container {one['name']} of Pod {name_of(pod)}")
            total += quantity.of(requested).millis()
    return total
