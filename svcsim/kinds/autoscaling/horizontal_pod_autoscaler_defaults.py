"""What an autoscaler scales by unless it says, and what of v1 it has no use for."""

from svcsim.kinds.autoscaling.annotations import without_carried
from svcsim.kinds.shared.defaults import null_if_empty
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_DEFAULT_METRIC: Object = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}


def fill_spec(spec: Object) -> None:
    if not spec.get("metrics"):
        spec["metrics"] = [copy_json(_DEFAULT_METRIC)]


_null_metrics = null_if_empty("status.currentMetrics")


def complete(obj: Object, context: Context) -> None:
    """What v1 carries in annotations stands in fields here; an annotation that says otherwise would only mislead."""
    obj["metadata"] = without_carried(obj.get("metadata") or {}, context)
    _null_metrics(obj, context)


def first_status(_obj: Object, _context: Context) -> Object:
    """Nothing has been calculated or measured yet."""
    return {"desiredReplicas": 0, "currentMetrics": None}
