"""Scale: the size of an object, which scalable kinds serve as a subresource."""

from svcsim.kinds.groups import AUTOSCALING_V1
from svcsim.kinds.shared.checks import NOT_NEGATIVE
from svcsim.meta import errors
from svcsim.meta.objects import get_path, metadata_of, name_of
from svcsim.meta.selectors import from_object
from svcsim.meta.types import GroupKind, Object
from svcsim.registry.kind import Context, Subresource
from svcsim.schema.types import Field, Int, Str, Struct

_SPEC = Struct("ScaleSpec", Field(1, "replicas", Int(), "Desired number of replicas", presence=False), doc="Desired size of a workload")
_STATUS = Struct(
    "ScaleStatus",
    Field(1, "replicas", Int(), "Current number of replicas", required=True),
    Field(2, "selector", Str(), "Label selector of the replicas, as a string"),
    doc="Current size of a workload",
)
SCALE_BODY = Struct(
    "Scale",
    Field(2, "spec", _SPEC, "Desired size", default={}),
    Field(3, "status", _STATUS, "Current size", default={}),
    doc="Desired and current size of a workload that can be scaled",
)
_SHOWN_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def _view(obj: Object, context: Context) -> Object:
    metadata = metadata_of(obj)
    return {
        "kind": "Scale",
        "apiVersion": f"{AUTOSCALING_V1.base}/{AUTOSCALING_V1.version}",
        "metadata": {name: metadata[name] for name in _SHOWN_METADATA if name in metadata},
        "spec": {"replicas": get_path(obj, "spec.replicas", 0)},
        "status": {
            "replicas": get_path(obj, "status.replicas") or 0,
            "selector": str(from_object(get_path(obj, "spec.selector") or {})),
        },
    }


def _merge(stored: Object, sent: Object, context: Context) -> Object:
    replicas = (sent.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        finding = errors.invalid_value("spec.replicas", replicas, NOT_NEGATIVE)
        raise errors.invalid(GroupKind(AUTOSCALING_V1.base, "Scale"), name_of(stored), [finding])
    stored["spec"]["replicas"] = replicas
    return stored


def _applied(sent: Object) -> Object:
    spec = sent.get("spec") or {}
    return {"spec": {"replicas": spec["replicas"]}} if "replicas" in spec else {}


SCALE = Subresource("scale", kind="Scale", group=AUTOSCALING_V1, body=SCALE_BODY, view=_view, merge=_merge, applied=_applied)
"""The size of an object with ``spec.replicas`` and ``spec.selector``, and nothing else of it."""
