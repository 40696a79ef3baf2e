"""What a HorizontalPodAutoscaler measures: five kinds of sources, each as it is wanted and as it was last seen."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import named
from svcsim.meta import quantity
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, path_segment
from svcsim.meta.types import Json
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, Quantity, Rule, Str, Struct

SOURCES = {"ContainerResource": "containerResource", "External": "external", "Object": "object", "Pods": "pods", "Resource": "resource"}
"""The types of metrics, and the field each is told in."""
_TARGET_TYPES = ("Utilization", "Value", "AverageValue")


# --- rules ---


def _told(name: str, detail: str) -> Rule:
    """A field that must be there, in words of its own."""

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


def _some_target(names: tuple[str, ...], told: str, detail: str) -> Rule:
    """One of these targets at least; what is missing is told of the field ``told``."""

    def check(source: Json, path: str) -> Iterator[FieldError]:
        target = source.get("target") or {}
        if all(target.get(name) is None for name in names):
            yield required(f"{path}.target.{told}", detail)

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


# --- what all of them are made of ---


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
    Field(2, "selector", LABEL_SELECTOR, "Narrows the metric to those with these labels"),
    rules=(_told("name", "must specify a metric name"),),
    doc="Which metric is meant",
)
_TARGET = Struct(
    "MetricTarget",
    Field(1, "type", Str(), "How it is told: Utilization, Value or AverageValue", required=True, default=""),
    Field(2, "value", Quantity(), "The value of the metric", rules=(_positive_amount,)),
    Field(3, "averageValue", Quantity(), "The value of the metric, shared among all pods", rules=(_positive_amount,)),
    Field(4, "averageUtilization", Int(), "The average of all pods, in percent of what they request", rules=(_above_zero,)),
    rules=(_target_type,),
    doc="What a metric is to be kept at",
)
_CURRENT = Struct(
    "MetricValueStatus",
    Field(1, "value", Quantity(), "The value of the metric"),
    Field(2, "averageValue", Quantity(), "The value of the metric, shared among all pods"),
    Field(3, "averageUtilization", Int(), "The average of all pods, in percent of what they request"),
    doc="What a metric is at",
)
_WANTED_AT = "What it is to be kept at"
_SEEN_AT = "What it is at"
_RESOURCE_NAME = Field(1, "name", Str(), "Name of the resource: cpu, memory", required=True, default="")
_CONTAINER = Field(3, "container", Str(), "Name of the container", required=True, default="", rules=(named(dns_label),))


def _metric(number: int) -> Field:
    return Field(number, "metric", _METRIC, "Which metric", required=True, default={})


def _described(number: int) -> Field:
    return Field(number, "describedObject", REFERENCE, "The object it is a metric of", required=True, default={})


def _wanted(number: int = 2) -> Field:
    return Field(number, "target", _TARGET, _WANTED_AT, required=True, default={})


def _seen(number: int = 2) -> Field:
    return Field(number, "current", _CURRENT, _SEEN_AT, required=True, default={})


# --- metrics as they are wanted ---

_OBJECT = Struct(
    "ObjectMetricSource",
    _described(1),
    _wanted(),
    _metric(3),
    rules=(_some_target(("value", "averageValue"), "averageValue", "must set either a target value or averageValue"),),
    doc="A metric of one object, such as the requests an ingress gets",
)
_PODS = Struct(
    "PodsMetricSource",
    _metric(1),
    _wanted(),
    rules=(_some_target(("averageValue",), "averageValue", "must specify a positive target averageValue"),),
    doc="A metric of each pod, averaged",
)
_RESOURCE = Struct(
    "ResourceMetricSource",
    _RESOURCE_NAME,
    _wanted(),
    rules=(_told("name", "must specify a resource name"), *_OF_RESOURCES),
    doc="What pods use of a resource",
)
_EXTERNAL = Struct(
    "ExternalMetricSource",
    _metric(1),
    _wanted(),
    rules=(
        _some_target(("value", "averageValue"), "averageValue", "must set either a target value for metric or a per-pod target"),
        _not_both("averageValue", "value", "may not set both a target value for metric and a per-pod target"),
    ),
    doc="A metric that has nothing to do with the cluster's objects",
)
_CONTAINER_RESOURCE = Struct(
    "ContainerResourceMetricSource",
    _RESOURCE_NAME,
    _wanted(),
    _CONTAINER,
    rules=(_told("name", "must specify a resource name"), _told("container", "must specify a container"), *_OF_RESOURCES),
    doc="What one container of each pod uses of a resource",
)
METRIC_SPEC = Struct(
    "MetricSpec",
    Field(1, "type", Str(), f"Which of the fields below it is told in: {', '.join(SOURCES)}", required=True, default=""),
    Field(2, "object", _OBJECT, "A metric of one object"),
    Field(3, "pods", _PODS, "A metric of each pod"),
    Field(4, "resource", _RESOURCE, "What pods use of a resource"),
    Field(7, "containerResource", _CONTAINER_RESOURCE, "What one container of each pod uses of a resource"),
    Field(5, "external", _EXTERNAL, "A metric from outside the cluster"),
    rules=(_one_source,),
    doc="One thing that is measured, and what it is to be kept at",
)

# --- metrics as they were seen ---

METRIC_STATUS = Struct(
    "MetricStatus",
    Field(1, "type", Str(), "Which of the fields below it is told in", required=True, default=""),
    Field(
        2,
        "object",
        Struct("ObjectMetricStatus", _metric(1), _seen(), _described(3), doc="A metric of one object, as last seen"),
        "A metric of one object",
    ),
    Field(3, "pods", Struct("PodsMetricStatus", _metric(1), _seen(), doc="A metric of each pod, as last seen"), "A metric of each pod"),
    Field(
        4,
        "resource",
        Struct("ResourceMetricStatus", _RESOURCE_NAME, _seen(), doc="What pods use of a resource, as last seen"),
        "What pods use of a resource",
    ),
    Field(
        7,
        "containerResource",
        Struct("ContainerResourceMetricStatus", _RESOURCE_NAME, _seen(), _CONTAINER, doc="What a container uses, as last seen"),
        "What one container of each pod uses of a resource",
    ),
    Field(
        5,
        "external",
        Struct("ExternalMetricStatus", _metric(1), _seen(), doc="A metric from outside the cluster, as last seen"),
        "A metric from outside the cluster",
    ),
    doc="What was last seen of one thing that is measured",
)
