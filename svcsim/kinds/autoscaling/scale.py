"""Scale: the size of an object, which scalable kinds serve as a subresource."""

from dataclasses import replace

from svcsim.kinds.autoscaling.scale_strategy import applied, merge, view, view_by_labels
from svcsim.kinds.groups import AUTOSCALING_V1
from svcsim.kinds.shared.columns import AGE, number_at
from svcsim.registry.kind import Column, Subresource
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


_COLUMNS = (
    Column("Desired", number_at("spec.replicas"), "integer", doc="Desired number of replicas"),
    Column("Available", number_at("status.replicas"), "integer", doc="Current number of replicas"),
    AGE,
)

SCALE = Subresource("scale", kind="Scale", group=AUTOSCALING_V1, body=SCALE_BODY, view=view, merge=merge, applied=applied, columns=_COLUMNS)
"""The size of an object with ``spec.replicas`` and ``spec.selector``, and nothing else of it."""
SCALE_BY_LABELS = replace(SCALE, view=view_by_labels)
"""The size of an object whose ``spec.selector`` is plain labels."""
