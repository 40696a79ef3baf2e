"""What a table shows of an autoscaler: its metrics, with their current values and targets."""

from svcsim.kinds.autoscaling.metrics import SOURCES
from svcsim.kinds.shared.columns import NONE, UNKNOWN, UNSET, first_few
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_SHOWN = 2
"""Metrics that a table shows before it says how many more there are."""


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


def targets(obj: Object, context: Context) -> Json:
    metrics, current = get_path(obj, "spec.metrics") or [], get_path(obj, "status.currentMetrics") or []
    texts = [_target_text(metric, current[index] if index < len(current) else {}) for index, metric in enumerate(metrics)]
    return first_few(texts, _SHOWN, ", ") or NONE


def reference(obj: Object, context: Context) -> Json:
    target = get_path(obj, "spec.scaleTargetRef") or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def min_pods(obj: Object, context: Context) -> Json:
    minimum = get_path(obj, "spec.minReplicas")
    return UNSET if minimum is None else str(minimum)
