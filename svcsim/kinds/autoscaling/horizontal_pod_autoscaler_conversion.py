"""How a HorizontalPodAutoscaler of autoscaling/v1 comes from one of v2 and goes back into it, losing nothing.

v1 has a field for the CPU utilization only; what else v2 has is carried in annotations.
"""

from svcsim.kinds.autoscaling import annotations
from svcsim.kinds.autoscaling.annotations import CARRIED, CURRENT_METRICS, METRICS, annotation, with_annotations, without_carried
from svcsim.kinds.autoscaling.behavior import BEHAVIOR
from svcsim.kinds.autoscaling.flat_metrics import flatten, unflatten
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import CONDITIONS
from svcsim.kinds.autoscaling.metrics import METRIC_SPEC, METRIC_STATUS
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.first_use import at_first_use
from svcsim.meta.objects import annotations_of, get_path, metadata_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.compile import compile_struct
from svcsim.schema.types import Field, List, Struct

_SHARED_SPEC = ("scaleTargetRef", "minReplicas", "maxReplicas")
_SHARED_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_CARRIED = Struct(
    "Carried",
    Field(0, METRICS, List(METRIC_SPEC)),
    Field(0, annotations.BEHAVIOR, BEHAVIOR),
    Field(0, CURRENT_METRICS, List(METRIC_STATUS)),
    Field(0, annotations.CONDITIONS, CONDITIONS),
)
"""What the annotations carry, so that nothing gets from there into fields that could not stand in them."""
_carried = at_first_use(lambda: compile_struct(_CARRIED))


# --- from v2 ---


def from_v2(obj: Object, context: Context) -> Object:
    """An autoscaler of v2 as v1 shows it."""
    carried: Object = {}
    shown = {**obj, "metadata": without_carried(metadata_of(obj), context)}
    if "spec" in obj:
        shown["spec"] = _show_spec(obj["spec"], carried)
    if "status" in obj:
        shown["status"] = _show_status(obj["status"], carried)
    if carried:
        texts = {annotation(name, context): encode(carried[name]).decode() for name in CARRIED if name in carried}
        shown["metadata"] = with_annotations(shown["metadata"], {**annotations_of(shown), **texts})
    return shown


def _show_spec(spec: Object, carried: Object) -> Object:
    shown = {name: spec[name] for name in _SHARED_SPEC if name in spec}
    metrics = spec.get("metrics") or []
    percents = [metric["resource"]["target"]["averageUtilization"] for metric in metrics if _is_cpu(metric)]
    if percents:
        shown["targetCPUUtilizationPercentage"] = percents[-1]
    others = [metric for metric in metrics if not _is_cpu(metric)]
    if _with_cpu(others, shown.get("targetCPUUtilizationPercentage")) != metrics:
        others = metrics  # the position of the CPU metric, or more of it than v1 has, is carried with the others
    if others:
        carried[METRICS] = [flatten(metric) for metric in others]
    if "behavior" in spec:
        carried[annotations.BEHAVIOR] = spec["behavior"]
    return shown


def _show_status(status: Object, carried: Object) -> Object:
    shown = {name: status[name] for name in _SHARED_STATUS if name in status}
    if "desiredReplicas" in shown:
        shown.setdefault("currentReplicas", 0)
    current = status.get("currentMetrics") or []
    percents = [get_path(metric, "resource.current.averageUtilization") for metric in current if get_path(metric, "resource.name") == "cpu"]
    percents = [percent for percent in percents if percent is not None]
    if percents:
        shown["currentCPUUtilizationPercentage"] = percents[-1]
    if current and current != [_cpu_status(percent) for percent in percents[-1:]]:
        carried[CURRENT_METRICS] = [flatten(metric, status=True) for metric in current]
    if status.get("conditions"):
        carried[annotations.CONDITIONS] = status["conditions"]
    return shown


# --- into v2 ---


def to_v2(obj: Object, context: Context) -> Object:
    """An autoscaler of v1 in v2, in which it is stored."""
    carried = _read_carried(obj, context)
    stored = {**obj, "metadata": without_carried(metadata_of(obj), context)}
    if "spec" in obj or METRICS in carried or annotations.BEHAVIOR in carried:
        stored["spec"] = _store_spec(obj.get("spec") or {}, carried)
    if "status" in obj or CURRENT_METRICS in carried or annotations.CONDITIONS in carried:
        stored["status"] = _store_status(obj.get("status") or {}, carried)
    return stored


def _read_carried(obj: Object, context: Context) -> Object:
    """What the annotations hold."""
    annotations = annotations_of(obj)
    carried: Object = {}
    for name in CARRIED:
        text = annotations.get(annotation(name, context))
        if text is not None:
            carried |= _read(name, text)
    return carried


def _read(name: str, text: str) -> Object:
    """What one annotation holds, under its name. One that can't be read holds nothing: anybody may write what they like into it."""
    try:
        found = decode_json(text.encode())
        if isinstance(found, list) and name in (METRICS, CURRENT_METRICS):
            found = [unflatten(metric, status=name == CURRENT_METRICS) for metric in found]
        return _carried().decode({name: found})[0]
    except StatusError:
        return {}


def _store_spec(spec: Object, carried: Object) -> Object:
    stored = {name: spec[name] for name in _SHARED_SPEC if name in spec}
    metrics = _with_cpu(carried.get(METRICS) or [], spec.get("targetCPUUtilizationPercentage"))
    if metrics:
        stored["metrics"] = metrics
    if annotations.BEHAVIOR in carried:
        stored["behavior"] = carried[annotations.BEHAVIOR]
    return stored


def _store_status(status: Object, carried: Object) -> Object:
    stored = {name: status[name] for name in _SHARED_STATUS if name in status}
    if not stored.get("currentReplicas"):
        stored.pop("currentReplicas", None)
    percent = status.get("currentCPUUtilizationPercentage")
    current = carried.get(CURRENT_METRICS) or ([] if percent is None else [_cpu_status(percent)])
    if current:
        stored["currentMetrics"] = current
    if carried.get(annotations.CONDITIONS):
        stored["conditions"] = carried[annotations.CONDITIONS]
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


def _cpu_status(percent: int) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}
