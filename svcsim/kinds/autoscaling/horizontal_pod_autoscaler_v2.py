"""HorizontalPodAutoscaler in autoscaling/v2: the version in which it is stored."""

from collections.abc import Iterator

from svcsim.kinds.autoscaling.annotations import without_carried
from svcsim.kinds.autoscaling.behavior import BEHAVIOR
from svcsim.kinds.autoscaling.metrics import METRIC_SPEC, METRIC_STATUS, REFERENCE, SOURCES
from svcsim.kinds.groups import AUTOSCALING_V2
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, NONE, UNKNOWN, UNSET, first_few, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.objects import copy_json, get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Status, Strategy
from svcsim.schema.types import Field, Int, List, Struct, Time

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
    Field(1, "scaleTargetRef", REFERENCE, "The workload to scale", required=True, default={}),
    Field(2, "minReplicas", Int(), "Smallest number of pods", default=1),
    Field(3, "maxReplicas", Int(), "Largest number of pods", required=True),
    Field(4, "metrics", List(METRIC_SPEC, list_type="atomic"), "Metrics to scale by; the one that calls for the most pods decides"),
    Field(5, "behavior", BEHAVIOR, "Limits for how fast to scale up and down"),
    fill=_fill_spec,
    rules=(_replicas,),
    doc="Workload to scale, within which bounds, by which metrics",
)
CONDITIONS = conditions("HorizontalPodAutoscalerCondition", "AbleToScale, ScalingActive or ScalingLimited")
_STATUS = Struct(
    "HorizontalPodAutoscalerStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on"),
    Field(2, "lastScaleTime", Time(), "When the number of pods was last changed by the autoscaler"),
    Field(3, "currentReplicas", Int(), "Current number of pods", presence=False, rules=(not_negative,)),
    Field(4, "desiredReplicas", Int(), "Number of pods that was last calculated", required=True, rules=(not_negative,)),
    Field(5, "currentMetrics", List(METRIC_STATUS, list_type="atomic"), "Current values of the metrics"),
    Field(6, "conditions", CONDITIONS, "Current conditions of the autoscaler", patch="merge"),
    doc="Current state of an autoscaler",
)


# --- what a table shows ---


def _target_text(metric: Object, status: Object) -> str:
    """One metric: its current value and its target."""
    field = SOURCES.get(metric.get("type") or "")
    if field is None or field not in metric:
        return "<unknown type>"
    source, target = metric[field], metric[field].get("target") or {}
    current = get_path(status, f"{field}.current") or {}
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


def _targets(obj: Object, context: Context) -> Json:
    metrics, current = get_path(obj, "spec.metrics") or [], get_path(obj, "status.currentMetrics") or []
    texts = [_target_text(metric, current[index] if index < len(current) else {}) for index, metric in enumerate(metrics)]
    return first_few(texts, _SHOWN, ", ") or NONE


def _reference(obj: Object, context: Context) -> Json:
    target = get_path(obj, "spec.scaleTargetRef") or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _min_pods(obj: Object, context: Context) -> Json:
    minimum = get_path(obj, "spec.minReplicas")
    return UNSET if minimum is None else str(minimum)


# --- the kind ---


def _drop_carried_annotations(obj: Object, context: Context) -> None:
    """What v1 carries in annotations stands in fields here; an annotation that says otherwise would only mislead."""
    obj["metadata"] = without_carried(obj.get("metadata") or {}, context)


HPA_V2 = Kind(
    AUTOSCALING_V2,
    "horizontalpodautoscalers",
    Struct(
        "HorizontalPodAutoscaler",
        Field(2, "spec", _SPEC, "Desired behavior of the autoscaler", required=True, default={}),
        Field(3, "status", _STATUS, "Current state of the autoscaler", default={}),
        doc="Scales a workload automatically, so that metrics such as CPU use stay near their targets",
    ),
    short=("hpa",),
    categories=("all",),
    columns=(
        Column("Reference", _reference, doc="The workload that is scaled"),
        Column("Targets", _targets, doc="Current values and targets of the metrics"),
        Column("MinPods", _min_pods, doc="Smallest number of pods"),
        Column("MaxPods", number_at("spec.maxReplicas"), doc="Largest number of pods"),
        Column("Replicas", number_at("status.currentReplicas"), doc="Current number of pods"),
        AGE,
    ),
    status=Status(),
    strategy=Strategy(fill=_drop_carried_annotations),
    generation=False,
)
