"""What a HorizontalPodAutoscaler measures: five types of metrics, each with a target in the spec and a current value in the status."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import named
from svcsim.meta import quantity
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, path_segment
from svcsim.meta.types import Json
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, Quantity, Rule, Str, Struct

SOURCES = {"ContainerResource": "containerResource", "External": "external", "Object": "object", "Pods": "pods", "Resource": "resource"}
"""The types of metrics, and the field of each."""
_TARGET_TYPES = ("Utilization", "Value", "AverageValue")


# --- rules ---


def _needed(name: str, detail: str) -> Rule:
    """A field that must be set, with a detail of its own."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        if not value.get(name):
            yield required(f"{path}.{name}", detail)

    return check


def _one_source(metric: Json, path: str) -> Iterator[FieldError]:
    kind, there = metric.get("type") or "", [name for name in SOURCES.values() if name in metric]
    if not kind:
        yield required(f"{path}.type", "must specify a metric source type")
    if kind not in SOURCES:
        yield unsupported(f"{path}.type", kind, tuple(SOURCES))
    elif SOURCES[kind] not in there:
        yield required(f"{path}.{SOURCES[kind]}", "must populate information for the given metric source")
    if len(there) != 1:
        wanted = SOURCES.get(kind)
        yield from (forbidden_field(f"{path}.{name}", "must populate the given metric source only") for name in there if name != wanted)


def _target_type(target: Json, path: str) -> Iterator[FieldError]:
    kind = target.get("type") or ""
    if not kind:
        yield required(f"{path}.type", "must specify a metric target type")
    if kind not in _TARGET_TYPES:
        yield invalid_value(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")


def _positive_amount(value: Json, path: str) -> Iterator[FieldError]:
    if quantity.parse(value).number <= 0:
        yield invalid_value(path, value, "must be positive")


def _above_zero(value: Json, path: str) -> Iterator[FieldError]:
    if value < 1:
        yield invalid_value(path, value, "must be greater than 0")


def _some_target(names: tuple[str, ...], blamed: str, detail: str) -> Rule:
    """At least one of these targets must be set; the finding names the field ``blamed``."""

    def check(source: Json, path: str) -> Iterator[FieldError]:
        target = source.get("target") or {}
        if all(target.get(name) is None for name in names):
            yield required(f"{path}.target.{blamed}", detail)

    return check


def _not_both(first: str, second: str, detail: str) -> Rule:
    def check(source: Json, path: str) -> Iterator[FieldError]:
        target = source.get("target") or {}
        if target.get(first) is not None and target.get(second) is not None:
            yield forbidden_field(f"{path}.target.{second}", detail)

    return check


_OF_RESOURCES: tuple[Rule, ...] = (
    _some_target(
        ("averageUtilization", "averageValue"), "averageUtilization", "must set either a target raw value or a target utilization"
    ),
    _not_both("averageUtilization", "averageValue", "may not set both a target raw value and a target utilization"),
)


def _api_version(reference: Json, path: str) -> Iterator[FieldError]:
    version = reference.get("apiVersion") or ""
    if version.count("/") > 1:
        yield invalid_value(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")


# --- parts ---


def _reference(*, atomic: bool) -> Struct:
    return Struct(
        "CrossVersionObjectReference",
        Field(1, "kind", Str(), "Kind of the object", required=True, rules=(named(path_segment),)),
        Field(2, "name", Str(), "Name of the object", required=True, rules=(named(path_segment),)),
        Field(3, "apiVersion", Str(), "API group and version of the object"),
        atomic=atomic,
        rules=(_api_version,),
        doc="Points to an object in the same namespace, in any version of its API",
    )


REFERENCE, REFERENCE_V1 = _reference(atomic=False), _reference(atomic=True)

_METRIC = Struct(
    "MetricIdentifier",
    Field(1, "name", Str(), "Name of the metric", required=True, default="", rules=(named(path_segment),)),
    Field(2, "selector", LABEL_SELECTOR, "Label selector that narrows the metric down"),
    rules=(_needed("name", "must specify a metric name"),),
    doc="Identifies a metric by name and labels",
)
_TARGET = Struct(
    "MetricTarget",
    Field(1, "type", Str(), "Type of the target: Utilization, Value or AverageValue", required=True, default=""),
    Field(2, "value", Quantity(), "Target value of the metric", rules=(_positive_amount,)),
    Field(3, "averageValue", Quantity(), "Target value of the metric divided by the number of pods", rules=(_positive_amount,)),
    Field(4, "averageUtilization", Int(), "Target average over all pods, as a percentage of the amount they request", rules=(_above_zero,)),
    rules=(_target_type,),
    doc="Target value of a metric",
)
_CURRENT = Struct(
    "MetricValueStatus",
    Field(1, "value", Quantity(), "Current value of the metric"),
    Field(2, "averageValue", Quantity(), "Current value of the metric divided by the number of pods"),
    Field(3, "averageUtilization", Int(), "Current average over all pods, as a percentage of the amount they request"),
    doc="Current value of a metric",
)
_RESOURCE_NAME = Field(1, "name", Str(), "Name of the resource, such as cpu or memory", required=True, default="")
_CONTAINER = Field(3, "container", Str(), "Name of the container", required=True, default="", rules=(named(dns_label),))


def _metric(number: int) -> Field:
    return Field(number, "metric", _METRIC, "The metric", required=True, default={})


def _described(number: int) -> Field:
    return Field(number, "describedObject", REFERENCE, "The object that the metric describes", required=True, default={})


def _target(number: int = 2) -> Field:
    return Field(number, "target", _TARGET, "Target value of the metric", required=True, default={})


def _current(number: int = 2) -> Field:
    return Field(number, "current", _CURRENT, "Current value of the metric", required=True, default={})


# --- metrics with their targets ---

_OBJECT = Struct(
    "ObjectMetricSource",
    _described(1),
    _target(),
    _metric(3),
    rules=(_some_target(("value", "averageValue"), "averageValue", "must set either a target value or averageValue"),),
    doc="A metric that describes one object, such as the requests per second of an ingress, and its target",
)
_PODS = Struct(
    "PodsMetricSource",
    _metric(1),
    _target(),
    rules=(_some_target(("averageValue",), "averageValue", "must specify a positive target averageValue"),),
    doc="A metric that each pod has, averaged over the pods, and its target",
)
_RESOURCE = Struct(
    "ResourceMetricSource",
    _RESOURCE_NAME,
    _target(),
    rules=(_needed("name", "must specify a resource name"), *_OF_RESOURCES),
    doc="Use of a resource, such as cpu, by the pods, and its target",
)
_EXTERNAL = Struct(
    "ExternalMetricSource",
    _metric(1),
    _target(),
    rules=(
        _some_target(("value", "averageValue"), "averageValue", "must set either a target value for metric or a per-pod target"),
        _not_both("averageValue", "value", "may not set both a target value for metric and a per-pod target"),
    ),
    doc="A metric from outside the cluster, and its target",
)
_CONTAINER_RESOURCE = Struct(
    "ContainerResourceMetricSource",
    _RESOURCE_NAME,
    _target(),
    _CONTAINER,
    rules=(_needed("name", "must specify a resource name"), _needed("container", "must specify a container"), *_OF_RESOURCES),
    doc="Use of a resource by one container of each pod, and its target",
)
METRIC_SPEC = Struct(
    "MetricSpec",
    Field(1, "type", Str(), f"Type of the metric, and thereby the field that is set: {', '.join(SOURCES)}", required=True, default=""),
    Field(2, "object", _OBJECT, "A metric that describes one object"),
    Field(3, "pods", _PODS, "A metric that each pod has"),
    Field(4, "resource", _RESOURCE, "Use of a resource by the pods"),
    Field(7, "containerResource", _CONTAINER_RESOURCE, "Use of a resource by one container of each pod"),
    Field(5, "external", _EXTERNAL, "A metric from outside the cluster"),
    rules=(_one_source,),
    doc="One metric, and its target",
)

# --- metrics with their current values ---

METRIC_STATUS = Struct(
    "MetricStatus",
    Field(1, "type", Str(), "Type of the metric, and thereby the field that is set", required=True, default=""),
    Field(
        2,
        "object",
        Struct("ObjectMetricStatus", _metric(1), _current(), _described(3), doc="Current value of a metric that describes one object"),
        "A metric that describes one object",
    ),
    Field(
        3,
        "pods",
        Struct("PodsMetricStatus", _metric(1), _current(), doc="Current value of a metric that each pod has"),
        "A metric that each pod has",
    ),
    Field(
        4,
        "resource",
        Struct("ResourceMetricStatus", _RESOURCE_NAME, _current(), doc="Current use of a resource by the pods"),
        "Use of a resource by the pods",
    ),
    Field(
        7,
        "containerResource",
        Struct(
            "ContainerResourceMetricStatus",
            _RESOURCE_NAME,
            _current(),
            _CONTAINER,
            doc="Current use of a resource by one container of each pod",
        ),
        "Use of a resource by one container of each pod",
    ),
    Field(
        5,
        "external",
        Struct("ExternalMetricStatus", _metric(1), _current(), doc="Current value of a metric from outside the cluster"),
        "A metric from outside the cluster",
    ),
    doc="Current value of one metric",
)
