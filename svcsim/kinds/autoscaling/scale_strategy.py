"""What a Scale shows of an object, and what it makes of it."""

from svcsim.kinds.groups import AUTOSCALING_V1
from svcsim.kinds.shared.checks import NOT_NEGATIVE
from svcsim.meta import errors
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import get_path, metadata_of, name_of
from svcsim.meta.types import GroupKind, Object
from svcsim.registry.kind import Context

_SHOWN_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def view(obj: Object, context: Context) -> Object:
    return _scale(obj, get_path(obj, "spec.selector") or {})


def view_by_labels(obj: Object, context: Context) -> Object:
    """The scale of an object whose selector is plain labels."""
    return _scale(obj, {"matchLabels": get_path(obj, "spec.selector") or {}})


def _scale(obj: Object, selector: Object) -> Object:
    return scale_of(obj, get_path(obj, "spec.replicas", 0), get_path(obj, "status.replicas") or 0, str(from_object(selector)))


def scale_of(obj: Object, wanted: int, counted: int, selector: str) -> Object:
    """The Scale of an object, from its desired and its current number of replicas. As in Kubernetes, no desired ones aren't told of."""
    metadata = metadata_of(obj)
    return {
        "kind": "Scale",
        "apiVersion": f"{AUTOSCALING_V1.base}/{AUTOSCALING_V1.version}",
        "metadata": {name: metadata[name] for name in _SHOWN_METADATA if name in metadata},
        "spec": {"replicas": wanted} if wanted else {},
        "status": {"replicas": counted, "selector": selector},
    }


def wanted_replicas(stored: Object, sent: Object) -> int:
    """How many a Scale wants. Raises 422."""
    replicas: int = (sent.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        finding = errors.invalid_value("spec.replicas", replicas, NOT_NEGATIVE)
        raise errors.invalid(GroupKind(AUTOSCALING_V1.base, "Scale"), name_of(stored), [finding])
    return replicas


def merge(stored: Object, sent: Object, context: Context) -> Object:
    return {**stored, "spec": {**stored["spec"], "replicas": wanted_replicas(stored, sent)}}


def applied(sent: Object) -> Object:
    spec = sent.get("spec") or {}
    return {"spec": {"replicas": spec["replicas"]}} if spec.get("replicas") is not None else {}
