"""Metrics in the annotations of a v1 autoscaler: flat, in the form they had in the versions before v2.

Where that form can't express all of a metric (a target of an unusual type), the form of v2 is used: a reader can tell them apart.
"""

from svcsim.meta.objects import get_path, set_path
from svcsim.meta.types import Json, Object

_Pairs = tuple[tuple[str, str], ...]
"""Names in the flat form, and their paths in v2."""

_RESOURCE: _Pairs = (
    ("name", "name"),
    ("targetAverageUtilization", "target.averageUtilization"),
    ("targetAverageValue", "target.averageValue"),
)
_RESOURCE_STATUS: _Pairs = (
    ("name", "name"),
    ("currentAverageUtilization", "current.averageUtilization"),
    ("currentAverageValue", "current.averageValue"),
)
_CONTAINER: _Pairs = (("container", "container"),)
_SPEC: dict[str, _Pairs] = {
    "resource": _RESOURCE,
    "containerResource": _RESOURCE + _CONTAINER,
    "pods": (("metricName", "metric.name"), ("targetAverageValue", "target.averageValue"), ("selector", "metric.selector")),
    "object": (
        ("target", "describedObject"),
        ("metricName", "metric.name"),
        ("targetValue", "target.value"),
        ("selector", "metric.selector"),
        ("averageValue", "target.averageValue"),
    ),
    "external": (
        ("metricName", "metric.name"),
        ("metricSelector", "metric.selector"),
        ("targetValue", "target.value"),
        ("targetAverageValue", "target.averageValue"),
    ),
}
_STATUS: dict[str, _Pairs] = {
    "resource": _RESOURCE_STATUS,
    "containerResource": _RESOURCE_STATUS + _CONTAINER,
    "pods": (("metricName", "metric.name"), ("currentAverageValue", "current.averageValue"), ("selector", "metric.selector")),
    "object": (
        ("target", "describedObject"),
        ("metricName", "metric.name"),
        ("currentValue", "current.value"),
        ("selector", "metric.selector"),
        ("averageValue", "current.averageValue"),
    ),
    "external": (
        ("metricName", "metric.name"),
        ("metricSelector", "metric.selector"),
        ("currentValue", "current.value"),
        ("currentAverageValue", "current.averageValue"),
    ),
}


def flatten(metric: Object, *, status: bool = False) -> Object:
    """A metric of v2 (with ``status``, the status of one) in the flat form, if that expresses all of it."""
    table = _STATUS if status else _SPEC
    flattened: Object = {}
    for name, source in metric.items():
        flattened[name] = _flatten_source(source, table[name]) if name in table else source
    return flattened if unflatten(flattened, status=status) == metric else metric


def _flatten_source(source: Object, pairs: _Pairs) -> Object:
    found = ((short, get_path(source, path)) for short, path in pairs)
    return {short: value for short, value in found if value is not None}


def unflatten(metric: Json, *, status: bool = False) -> Json:
    """A metric in the form of v2, from either form. What is no metric at all stays as it is; the schema will refuse it."""
    if not isinstance(metric, dict):
        return metric
    table = _STATUS if status else _SPEC
    return {
        name: _unflatten_source(source, table[name], status=status) if name in table and isinstance(source, dict) else source
        for name, source in metric.items()
    }


def _unflatten_source(source: Object, pairs: _Pairs, *, status: bool) -> Object:
    wanted = source.get("target")
    if "current" in source if status else isinstance(wanted, dict) and "type" in wanted:
        return source  # the form of v2 already
    deep: Object = {}
    for short, path in pairs:
        if source.get(short) is not None:
            set_path(deep, path, source[short])
    if status:
        deep.setdefault("current", {})
    else:
        _set_target_type(deep.setdefault("target", {}))
    return deep


def _set_target_type(target: Object) -> None:
    """The flat form has no type of target: it follows from the fields that are set."""
    if "averageValue" in target and target.get("value") in ("0", 0):
        del target["value"]  # in the flat form that means that there is none
    named = (("Utilization", "averageUtilization"), ("AverageValue", "averageValue"))
    target["type"] = next((kind for kind, name in named if name in target), "Value")
