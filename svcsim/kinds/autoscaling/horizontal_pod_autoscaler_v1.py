"""HorizontalPodAutoscaler in autoscaling/v1, which has the CPU utilization only. See `horizontal_pod_autoscaler_conversion`."""

from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_conversion import from_v2, to_v2
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import HPA_V2
from svcsim.kinds.autoscaling.metrics import REFERENCE_V1
from svcsim.kinds.groups import AUTOSCALING_V1
from svcsim.registry.kind import Conversion, Kind, Status
from svcsim.schema.types import Field, Int, Struct, Time

_SPEC = Struct(
    "HorizontalPodAutoscalerSpec",
    Field(1, "scaleTargetRef", REFERENCE_V1, "The workload to scale", required=True, default={}),
    Field(2, "minReplicas", Int(), "Smallest number of pods", default=1),
    Field(3, "maxReplicas", Int(), "Largest number of pods", required=True),
    Field(4, "targetCPUUtilizationPercentage", Int(), "Target average CPU use over all pods, as a percentage of the CPU they request"),
    doc="Workload to scale, within which bounds, at which CPU utilization",
)
_STATUS = Struct(
    "HorizontalPodAutoscalerStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on"),
    Field(2, "lastScaleTime", Time(), "When the number of pods was last changed by the autoscaler"),
    Field(3, "currentReplicas", Int(), "Current number of pods", required=True),
    Field(4, "desiredReplicas", Int(), "Number of pods that was last calculated", required=True),
    Field(5, "currentCPUUtilizationPercentage", Int(), "Current average CPU use over all pods, as a percentage of the CPU they request"),
    doc="Current state of an autoscaler",
)
HPA_V1 = Kind(
    AUTOSCALING_V1,
    HPA_V2.plural,
    Struct(
        "HorizontalPodAutoscaler",
        Field(2, "spec", _SPEC, "Desired behavior of the autoscaler", required=True, default={}),
        Field(3, "status", _STATUS, "Current state of the autoscaler", default={}),
        doc=HPA_V2.schema.doc,
    ),
    short=HPA_V2.short,
    categories=HPA_V2.categories,
    status=Status(),
    generation=False,
    conversion=Conversion(HPA_V2, to_stored=to_v2, from_stored=from_v2),
)
