"""HorizontalPodAutoscaler in autoscaling/v1: one target, the CPU's; what v2 knows beside that is kept in annotations."""

from svcsim.kinds.autoscaling.annotations import BEHAVIOR as KEPT_BEHAVIOR
from svcsim.kinds.autoscaling.annotations import CONDITIONS as KEPT_CONDITIONS
from svcsim.kinds.autoscaling.annotations import CURRENT_METRICS, KEPT, METRICS, annotation, with_annotations, without_kept
from svcsim.kinds.autoscaling.behavior import BEHAVIOR
from svcsim.kinds.autoscaling.flat_metrics import flat, unflattened
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import CONDITIONS, HPA_V2
from svcsim.kinds.autoscaling.metrics import METRIC_SPEC, METRIC_STATUS, REFERENCE_V1
from svcsim.kinds.groups import AUTOSCALING_V1
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import bad_request
from svcsim.meta.objects import annotations_of, get_path, metadata_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Context, Conversion, Kind
from svcsim.schema.compile import compile_struct
from svcsim.schema.types import Field, Int, List, Struct, Time

_SPEC = Struct(
    "HorizontalPodAutoscalerSpec",
    Field(1, "scaleTargetRef", REFERENCE_V1, "What is scaled", required=True, default={}),
    Field(2, "minReplicas", Int(), "How many pods there are to be at least", default=1),
    Field(3, "maxReplicas", Int(), "How many pods there are to be at most", required=True),
    Field(4, "targetCPUUtilizationPercentage", Int(), "What pods are to use of the CPU they request, on average, in percent"),
    doc="What to scale, within which bounds",
)
_STATUS = Struct(
    "HorizontalPodAutoscalerStatus",
    Field(1, "observedGeneration", Int(bits=64), "The generation this status was set for"),
    Field(2, "lastScaleTime", Time(), "When the number of pods was last changed"),
    Field(3, "currentReplicas", Int(), "How many pods there are", required=True),
    Field(4, "desiredReplicas", Int(), "How many pods there should be, as last found", required=True),
    Field(5, "currentCPUUtilizationPercentage", Int(), "What pods use of the CPU they request, on average, in percent"),
    doc="How an autoscaler is",
)
_SHARED_SPEC = ("scaleTargetRef", "minReplicas", "maxReplicas")
_SHARED_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_KEPT = Struct(
    "Kept",
    Field(0, METRICS, List(METRIC_SPEC)),
    Field(0, KEPT_BEHAVIOR, BEHAVIOR),
    Field(0, CURRENT_METRICS, List(METRIC_STATUS)),
    Field(0, KEPT_CONDITIONS, CONDITIONS),
)
"""What the annotations hold, so that nothing gets into fields from there that could not be in them."""


# --- from v2 ---


def _from_v2(obj: Object, context: Context) -> Object:
    kept: Object = {}
    shown = {**obj, "metadata": without_kept(metadata_of(obj), context)}
    if "spec" in obj:
        shown["spec"] = _show_spec(obj["spec"], kept)
    if "status" in obj:
        shown["status"] = _show_status(obj["status"], kept)
    if kept:
        told = {annotation(name, context): encode(kept[name]).decode() for name in KEPT if name in kept}
        shown["metadata"] = with_annotations(shown["metadata"], {**annotations_of(shown), **told})
    return shown


def _show_spec(spec: Object, kept: Object) -> Object:
    shown = {name: spec[name] for name in _SHARED_SPEC if name in spec}
    metrics = spec.get("metrics") or []
    percents = [metric["resource"]["target"]["averageUtilization"] for metric in metrics if _is_cpu(metric)]
    if percents:
        shown["targetCPUUtilizationPercentage"] = percents[-1]
    others = [metric for metric in metrics if not _is_cpu(metric)]
    if _with_cpu(others, shown.get("targetCPUUtilizationPercentage")) != metrics:
        others = metrics  # the CPU's place among them, or what else is told of it, is kept with them
    if others:
        kept[METRICS] = [flat(metric) for metric in others]
    if "behavior" in spec:
        kept[KEPT_BEHAVIOR] = spec["behavior"]
    return shown


def _show_status(status: Object, kept: Object) -> Object:
    shown = {name: status[name] for name in _SHARED_STATUS if name in status}
    if "desiredReplicas" in shown:
        shown.setdefault("currentReplicas", 0)
    seen = status.get("currentMetrics") or []
    percents = [get_path(metric, "resource.current.averageUtilization") for metric in seen if get_path(metric, "resource.name") == "cpu"]
    percents = [percent for percent in percents if percent is not None]
    if percents:
        shown["currentCPUUtilizationPercentage"] = percents[-1]
    if seen and seen != [_cpu_seen(percent) for percent in percents]:
        kept[CURRENT_METRICS] = [flat(metric, seen=True) for metric in seen]
    if status.get("conditions"):
        kept[KEPT_CONDITIONS] = status["conditions"]
    return shown


# --- into v2 ---


def _to_v2(obj: Object, context: Context) -> Object:
    kept = _read_kept(obj, context)
    stored = {**obj, "metadata": without_kept(metadata_of(obj), context)}
    if "spec" in obj or METRICS in kept or KEPT_BEHAVIOR in kept:
        stored["spec"] = _store_spec(obj.get("spec") or {}, kept)
    if "status" in obj or CURRENT_METRICS in kept or KEPT_CONDITIONS in kept:
        stored["status"] = _store_status(obj.get("status") or {}, kept)
    return stored


def _read_kept(obj: Object, context: Context) -> Object:
    """What the annotations hold. Raises 400 for what can't be read."""
    annotations = annotations_of(obj)
    found = {name: _read(annotations[key]) for name in KEPT if (key := annotation(name, context)) in annotations}
    if not found:
        return found
    for name in (METRICS, CURRENT_METRICS):
        if isinstance(found.get(name), list):
            found[name] = [unflattened(metric, seen=name == CURRENT_METRICS) for metric in found[name]]
    kept, _ = compile_struct(_KEPT).decode(found)
    return kept


def _read(text: Json) -> Json:
    if not isinstance(text, str):
        raise bad_request("json: cannot unmarshal an annotation into Go value of type string")
    return decode_json(text.encode())


def _store_spec(spec: Object, kept: Object) -> Object:
    stored = {name: spec[name] for name in _SHARED_SPEC if name in spec}
    metrics = _with_cpu(kept.get(METRICS) or [], spec.get("targetCPUUtilizationPercentage"))
    if metrics:
        stored["metrics"] = metrics
    if KEPT_BEHAVIOR in kept:
        stored["behavior"] = kept[KEPT_BEHAVIOR]
    return stored


def _store_status(status: Object, kept: Object) -> Object:
    stored = {name: status[name] for name in _SHARED_STATUS if name in status}
    if not stored.get("currentReplicas"):
        stored.pop("currentReplicas", None)
    percent = status.get("currentCPUUtilizationPercentage")
    seen = kept.get(CURRENT_METRICS) or ([] if percent is None else [_cpu_seen(percent)])
    if seen:
        stored["currentMetrics"] = seen
    if kept.get(KEPT_CONDITIONS):
        stored["conditions"] = kept[KEPT_CONDITIONS]
    return stored


# --- the CPU among the metrics ---


def _is_cpu(metric: Object) -> bool:
    """Whether it is what v1 has a field for."""
    return (
        metric.get("type") == "Resource"
        and get_path(metric, "resource.name") == "cpu"
        and get_path(metric, "resource.target.averageUtilization") is not None
    )


def _with_cpu(metrics: list[Object], percent: int | None) -> list[Object]:
    """Metrics with the CPU's target at ``percent``: in its place if it has one among them, else first. None takes it away."""
    place = next((index for index in reversed(range(len(metrics))) if _is_cpu(metrics[index])), None)
    if place is None:
        target = {"type": "Utilization", "averageUtilization": percent}
        return metrics if percent is None else [{"type": "Resource", "resource": {"name": "cpu", "target": target}}, *metrics]
    before, metric, after = metrics[:place], metrics[place], metrics[place + 1 :]
    if percent is None:
        return [*before, *after]
    source = metric["resource"]
    changed = {**metric, "resource": {**source, "target": {**source["target"], "averageUtilization": percent}}}
    return [*before, changed, *after]


def _cpu_seen(percent: int) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}


HPA_V1 = Kind(
    HPA_V2.name,
    AUTOSCALING_V1,
    HPA_V2.plural,
    Struct(
        "HorizontalPodAutoscaler",
        Field(2, "spec", _SPEC, "What to scale, and how", required=True, default={}),
        Field(3, "status", _STATUS, "How the autoscaler is", default={}),
        doc=HPA_V2.doc,
    ),
    short=HPA_V2.short,
    singular=HPA_V2.singular,
    categories=HPA_V2.categories,
    subresources=(STATUS,),
    conversion=Conversion(HPA_V2, to_stored=_to_v2, from_stored=_from_v2),
    doc=HPA_V2.doc,
)
