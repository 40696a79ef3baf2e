"""HorizontalPodAutoscaler in autoscaling/v2: the version in which it is stored."""

from collections.abc import Iterator

from svcsim.kinds.autoscaling.annotations import without_kept
from svcsim.kinds.autoscaling.behavior import BEHAVIOR
from svcsim.kinds.autoscaling.metrics import METRIC_SPEC, METRIC_STATUS, REFERENCE, SOURCES
from svcsim.kinds.groups import AUTOSCALING_V2
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, NONE, UNKNOWN
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.objects import copy_json, get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Column, Context, Kind, Strategy
from svcsim.schema.types import Field, Int, List, Str, Struct, Time

_SHOWN = 2
"""Metrics that a table shows before it says how many more there are."""
_DEFAULT_METRIC: Object = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}


def _replicas(spec: Json, path: str) -> Iterator[FieldError]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        yield invalid_value(f"{path}.minReplicas", least, "must be greater than or equal to 1")
    if most < 1:
        yield invalid_value(f"{path}.maxReplicas", most, "must be greater than 0")
    if least is not None and most < least:
        yield invalid_value(f"{path}.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def _fill_spec(spec: Object) -> None:
    if not spec.get("metrics"):
        spec["metrics"] = [copy_json(_DEFAULT_METRIC)]


_SPEC = Struct(
    "HorizontalPodAutoscalerSpec",
    Field(1, "scaleTargetRef", REFERENCE, "What is scaled", required=True, default={}),
    Field(2, "minReplicas", Int(), "How many pods there are to be at least", default=1),
    Field(3, "maxReplicas", Int(), "How many pods there are to be at most", required=True),
    Field(4, "metrics", List(METRIC_SPEC, kind="atomic"), "What is measured; the metric that asks for most pods counts"),
    Field(5, "behavior", BEHAVIOR, "How fast to scale up and down"),
    fill=_fill_spec,
    rules=(_replicas,),
    doc="What to scale, by which metrics, within which bounds",
)
_CONDITION = Struct(
    "HorizontalPodAutoscalerCondition",
    Field(1, "type", Str(), "AbleToScale, ScalingActive or ScalingLimited", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(3, "lastTransitionTime", Time(), "When the status last changed"),
    Field(4, "reason", Str(), "Why, in one CamelCase word"),
    Field(5, "message", Str(), "Why, in a sentence"),
    doc="One aspect of an autoscaler's state",
)
CONDITIONS = List(_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False)
_STATUS = Struct(
    "HorizontalPodAutoscalerStatus",
    Field(1, "observedGeneration", Int(bits=64), "The generation this status was set for"),
    Field(2, "lastScaleTime", Time(), "When the number of pods was last changed"),
    Field(3, "currentReplicas", Int(), "How many pods there are", presence=False, rules=(not_negative,)),
    Field(4, "desiredReplicas", Int(), "How many pods there should be, as last found", required=True, rules=(not_negative,)),
    Field(5, "currentMetrics", List(METRIC_STATUS, kind="atomic"), "What was last seen of the metrics"),
    Field(6, "conditions", CONDITIONS, "Aspects of its state", patch="merge"),
    doc="How an autoscaler is",
)


# --- what a table shows ---


def _target_cell(metric: Object, seen: Object) -> str:
    """One metric: what it is at, and what it is to be kept at."""
    field = SOURCES.get(metric.get("type") or "")
    if field is None or field not in metric:
        return "<unknown type>"
    source, target = metric[field], metric[field].get("target") or {}
    current = get_path(seen, f"{field}.current") or {}
    if field in ("resource", "containerResource"):
        if "averageValue" in target:
            return f"{source.get('name')}: {current.get('averageValue', UNKNOWN)}/{target['averageValue']}"
        return f"{source.get('name')}: {_percent(current, UNKNOWN)}/{_percent(target, '<auto>')}"
    if field == "pods" or "averageValue" not in target:
        name = "averageValue" if field == "pods" else "value"
        return f"{current.get(name, UNKNOWN)}/{target.get(name, UNKNOWN)}"
    return f"{current.get('averageValue', UNKNOWN)}/{target['averageValue']} (avg)"


def _percent(amounts: Object, missing: str) -> str:
    value = amounts.get("averageUtilization")
    return missing if value is None else f"{value}%"


def _targets(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    metrics, seen = get_path(obj, "spec.metrics") or [], get_path(obj, "status.currentMetrics") or []
    if not metrics:
        return NONE
    shown = ", ".join(_target_cell(metric, seen[index] if index < len(seen) else {}) for index, metric in enumerate(metrics[:_SHOWN]))
    return f"{shown} + {len(metrics) - _SHOWN} more..." if len(metrics) > _SHOWN else shown


def _reference(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    target = get_path(obj, "spec.scaleTargetRef") or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _least(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    least = get_path(obj, "spec.minReplicas")
    return "<unset>" if least is None else str(least)


def _most(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return get_path(obj, "spec.maxReplicas") or 0


def _current(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return get_path(obj, "status.currentReplicas") or 0


# --- the kind ---


def _clean(obj: Object, context: Context) -> None:
    """What v1 keeps in annotations stands in fields here; an annotation that says otherwise would only mislead."""
    obj["metadata"] = without_kept(obj.get("metadata") or {}, context)


def _no_status(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj["status"] = {"desiredReplicas": 0}


HPA_V2 = Kind(
    "HorizontalPodAutoscaler",
    AUTOSCALING_V2,
    "horizontalpodautoscalers",
    Struct(
        "HorizontalPodAutoscaler",
        Field(2, "spec", _SPEC, "What to scale, and how", required=True, default={}),
        Field(3, "status", _STATUS, "How the autoscaler is", default={}),
        doc="Keeps the size of something that can be scaled in step with what is measured",
    ),
    short=("hpa",),
    singular="horizontalpodautoscaler",
    categories=("all",),
    columns=(
        Column("Reference", _reference, doc="What is scaled"),
        Column("Targets", _targets, doc="What the metrics are at, of what they are to be kept at"),
        Column("MinPods", _least, doc="How many pods there are to be at least"),
        Column("MaxPods", _most, doc="How many pods there are to be at most"),
        Column("Replicas", _current, doc="How many pods there are"),
        AGE,
    ),
    subresources=(STATUS,),
    strategy=Strategy(fill=_clean, create=_no_status),
    doc="Keeps the size of something that can be scaled in step with what is measured",
)
