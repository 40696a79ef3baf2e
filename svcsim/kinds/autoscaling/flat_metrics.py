"""How the annotations of a v1 autoscaler spell metrics: flat, as they were spelled before v2.

Where that spelling can't say all of a metric (a target of an unusual type), v2's own is used: a reader tells them apart by it.
"""

from svcsim.meta.objects import get_path, set_path
from svcsim.meta.types import Json, Object

_Pairs = tuple[tuple[str, str], ...]
"""Names in the flat spelling, and where v2 has them."""

_RESOURCE: _Pairs = (
    ("name", "name"),
    ("targetAverageUtilization", "target.averageUtilization"),
    ("targetAverageValue", "target.averageValue"),
)
_RESOURCE_SEEN: _Pairs = (
    ("name", "name"),
    ("currentAverageUtilization", "current.averageUtilization"),
    ("currentAverageValue", "current.averageValue"),
)
_CONTAINER: _Pairs = (("container", "container"),)
_WANTED: dict[str, _Pairs] = {
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
_SEEN: dict[str, _Pairs] = {
    "resource": _RESOURCE_SEEN,
    "containerResource": _RESOURCE_SEEN + _CONTAINER,
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


def flat(metric: Object, *, seen: bool = False) -> Object:
    """A metric of v2 (``seen``: the status of one) in the flat spelling, if that says all of it."""
    table = _SEEN if seen else _WANTED
    spelled: Object = {}
    for name, source in metric.items():
        spelled[name] = _flattened(source, table[name]) if name in table else source
    return spelled if unflattened(spelled, seen=seen) == metric else metric


def _flattened(source: Object, pairs: _Pairs) -> Object:
    found = ((short, get_path(source, path)) for short, path in pairs)
    return {short: value for short, value in found if value is not None}


def unflattened(spelled: Json, *, seen: bool = False) -> Json:
    """A metric as v2 spells it, from either spelling. What is no metric at all stays as it is; the schema will refuse it."""
    if not isinstance(spelled, dict):
        return spelled
    table = _SEEN if seen else _WANTED
    return {
        name: _deepened(source, table[name], seen=seen) if name in table and isinstance(source, dict) else source
        for name, source in spelled.items()
    }


def _deepened(source: Object, pairs: _Pairs, *, seen: bool) -> Object:
    wanted = source.get("target")
    if "current" in source if seen else isinstance(wanted, dict) and "type" in wanted:
        return source  # v2's spelling already
    deep: Object = {}
    for short, path in pairs:
        if source.get(short) is not None:
            set_path(deep, path, source[short])
    if seen:
        deep.setdefault("current", {})
    else:
        _name_target(deep.setdefault("target", {}))
    return deep


def _name_target(target: Object) -> None:
    """The flat spelling has no type: it follows from what is told."""
    if "averageValue" in target and target.get("value") in ("0", 0):
        del target["value"]  # that is how it says that there is none
    named = (("Utilization", "averageUtilization"), ("AverageValue", "averageValue"))
    target["type"] = next((kind for kind, name in named if name in target), "Value")
