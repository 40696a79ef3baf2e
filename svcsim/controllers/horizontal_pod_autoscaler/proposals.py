"""What each metric of an autoscaler calls for, with what was measured and the words for it; or why it says nothing."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from svcsim.controllers.horizontal_pod_autoscaler.calculation import Pods, by_average, by_utilization, by_value, by_value_per_pod
from svcsim.controllers.horizontal_pod_autoscaler.metrics_apis import MetricsApis
from svcsim.controllers.horizontal_pod_autoscaler.samples import UnusableMetricError
from svcsim.controllers.horizontal_pod_autoscaler.selector_text import go_text
from svcsim.meta import quantity
from svcsim.meta.quantity import Amount
from svcsim.meta.types import Json, Object


class Proposal(NamedTuple):
    """A size, the name of the metric that calls for it, and its status."""

    replicas: int
    metric: str
    status: Object


class Refusal(NamedTuple):
    """Why a metric says nothing: the reason and the message of the event, and what is said of it where it is one of several."""

    reason: str
    message: str
    among_others: str


class Target(NamedTuple):
    """What is scaled: where, which pods by which selector, and how many of them its status counts."""

    namespace: str
    selector: str
    seen: Pods
    counted: int


async def propose(apis: MetricsApis, metric: Object, target: Target) -> Proposal | Refusal:
    """What one metric calls for."""
    match metric["type"]:
        case "Resource":
            return await _resource(apis, metric["resource"], target)
        case "ContainerResource":
            return await _container_resource(apis, metric["containerResource"], target)
        case "Pods":
            return await _pods(apis, metric["pods"], target)
        case "Object":
            return await _object(apis, metric["object"], target)
        case "External":
            return await _external(apis, metric["external"], target)
        case other:
            why = f'unknown metric source type "{other}"'
            return Refusal("InvalidMetricSourceType", why, why)


async def _resource(apis: MetricsApis, source: Object, target: Target) -> Proposal | Refusal:
    name = source["name"]
    try:
        replicas, current = await _usage(apis, source, target, "")
    except UnusableMetricError as error:
        return Refusal("FailedGetResourceMetric", str(error), f"failed to get {name} resource metric value: {error}")
    said = f"{name} resource" + (" utilization (percentage of request)" if "averageUtilization" in current else "")
    return Proposal(replicas, said, {"type": "Resource", "resource": {"name": name, "current": current}})


async def _container_resource(apis: MetricsApis, source: Object, target: Target) -> Proposal | Refusal:
    name, container = source["name"], source["container"]
    try:
        replicas, current = await _usage(apis, source, target, container)
    except UnusableMetricError as error:
        return Refusal("FailedGetContainerResourceMetric", str(error), f"failed to get {container} container metric value: {error}")
    utilization = "averageUtilization" in current
    said = f"{name} container resource utilization (percentage of request)" if utilization else f"{name} resource"
    status = {"name": name, "container": container, "current": current}
    return Proposal(replicas, said, {"type": "ContainerResource", "containerResource": status})


async def _usage(apis: MetricsApis, source: Object, target: Target, container: str) -> tuple[int, Object]:
    """The size by the use of a resource, and what is used."""
    name, wanted = source["name"], source["target"]
    average, percent = wanted.get("averageValue"), wanted.get("averageUtilization")
    if average is None and percent is None:
        missing = "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"
        raise UnusableMetricError(missing)
    try:
        try:
            samples = await apis.of_resource(target.namespace, target.selector, name, container)
        except UnusableMetricError as error:
            raise UnusableMetricError(f"unable to get metrics for resource {name}: {error}") from error
        if average is not None:
            replicas, used = by_average(target.seen, samples, _millis(average), name)
            return replicas, {"averageValue": _text(used)}
        found = by_utilization(target.seen, samples, name, percent, container)
    except UnusableMetricError as error:
        raise UnusableMetricError(f"failed to get {name} {'usage' if average is not None else 'utilization'}: {error}") from error
    return found.replicas, {"averageUtilization": found.percent, "averageValue": _text(found.average)}


async def _pods(apis: MetricsApis, source: Object, target: Target) -> Proposal | Refusal:
    name = source["metric"]["name"]
    try:
        try:
            samples = await apis.of_pods(target.namespace, target.selector, source["metric"])
        except UnusableMetricError as error:
            raise UnusableMetricError(f"unable to get metric {name}: {error}") from error
        replicas, average = by_average(target.seen, samples, _millis(source["target"]["averageValue"]))
    except UnusableMetricError as error:
        return Refusal("FailedGetPodsMetric", str(error), f"failed to get pods metric value: {error}")
    status = {"metric": source["metric"], "current": {"averageValue": _text(average)}}
    return Proposal(replicas, f"pods metric {name}", {"type": "Pods", "pods": status})


async def _object(apis: MetricsApis, source: Object, target: Target) -> Proposal | Refusal:
    metric, described, wanted = source["metric"], source["describedObject"], source["target"]
    name, kind = metric["name"], described["kind"]
    try:
        try:
            value = await apis.of_object(target.namespace, described, metric)
        except UnusableMetricError as error:
            # As Kubernetes' controller has it: the error stands where one would look for the name.
            where = f"{kind} on {target.namespace} {described['name']}/{error}"
            raise UnusableMetricError(f"unable to get metric {name}: {where}") from error
        replicas, current = _by_amount(value, wanted, target, "object")
    except UnusableMetricError as error:
        return Refusal("FailedGetObjectMetric", str(error), f"failed to get object metric value: {error}")
    said = f"{kind} metric {name}" if "value" in current else f"external metric {name}({go_text(metric.get('selector'))})"
    return Proposal(replicas, said, {"type": "Object", "object": {"describedObject": described, "metric": metric, "current": current}})


async def _external(apis: MetricsApis, source: Object, target: Target) -> Proposal | Refusal:
    metric, selector = source["metric"], go_text(source["metric"].get("selector"))
    name = metric["name"]
    try:
        try:
            value = await apis.of_outside(target.namespace, metric)
        except UnusableMetricError as error:
            raise UnusableMetricError(f"unable to get external metric {target.namespace}/{name}/{selector}: {error}") from error
        replicas, current = _by_amount(value, source["target"], target, "external")
    except UnusableMetricError as error:
        whole = f"failed to get {name} external metric value: failed to get external metric {name}: {error}"
        return Refusal("FailedGetExternalMetric", str(error), whole)
    return Proposal(
        replicas, f"external metric {name}({selector})", {"type": "External", "external": {"metric": metric, "current": current}}
    )


def _by_amount(value: int, wanted: Object, target: Target, what: str) -> tuple[int, Object]:
    """The size by one amount, and that amount: as it is, or for each pod."""
    if _per_pod(wanted, what):
        replicas, each = by_value_per_pod(value, _millis(wanted["averageValue"]), target.counted, target.seen.tolerance)
        return replicas, {"averageValue": _text(each)}
    if wanted.get("value") is None:
        raise UnusableMetricError(f"invalid {what} metric source: neither a value target nor an average value target was set")
    return by_value(target.seen, value, _millis(wanted["value"])), {"value": _text(value)}


def _per_pod(wanted: Object, what: str) -> bool:
    """Whether a target is for each pod: an object's by its type, one outside by what is set."""
    if wanted.get("averageValue") is None:
        return False
    return what == "external" or wanted.get("type") == "AverageValue"


def _millis(value: Json) -> int:
    return quantity.of(value).millis()


def _text(millis: int) -> str:
    return str(Amount(Fraction(millis, 1000)))


def largest(proposals: Sequence[Proposal]) -> Proposal | None:
    """The one that calls for most; of equals, the first."""
    return max(proposals, key=lambda proposal: proposal.replicas, default=None)
