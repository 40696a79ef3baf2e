"""HorizontalPodAutoscaler in autoscaling/v2: the version in which it is stored."""

from svcsim.kinds.autoscaling.behavior import BEHAVIOR
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_columns import min_pods, reference, targets
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_defaults import complete, fill_spec, first_status
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_rules import replica_rules
from svcsim.kinds.autoscaling.metrics import METRIC_SPEC, METRIC_STATUS, REFERENCE
from svcsim.kinds.groups import AUTOSCALING_V2
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Field, Int, List, Struct, Time

_SPEC = Struct(
    "HorizontalPodAutoscalerSpec",
    Field(1, "scaleTargetRef", REFERENCE, "The workload to scale", required=True, default={}),
    Field(2, "minReplicas", Int(), "Smallest number of pods", default=1),
    Field(3, "maxReplicas", Int(), "Largest number of pods", required=True),
    Field(4, "metrics", List(METRIC_SPEC, list_type="atomic"), "Metrics to scale by; the one that calls for the most pods decides"),
    Field(5, "behavior", BEHAVIOR, "Limits for how fast to scale up and down"),
    fill=fill_spec,
    rules=(replica_rules,),
    doc="Workload to scale, within which bounds, by which metrics",
)
CONDITIONS = conditions("HorizontalPodAutoscalerCondition", "AbleToScale, ScalingActive or ScalingLimited")
_STATUS = Struct(
    "HorizontalPodAutoscalerStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on"),
    Field(2, "lastScaleTime", Time(), "When the number of pods was last changed by the autoscaler"),
    Field(3, "currentReplicas", Int(), "Current number of pods", presence=False, rules=(not_negative,)),
    Field(4, "desiredReplicas", Int(), "Number of pods that was last calculated", required=True, rules=(not_negative,)),
    Field(5, "currentMetrics", List(METRIC_STATUS, list_type="atomic"), "Current values of the metrics"),
    Field(6, "conditions", CONDITIONS, "Current conditions of the autoscaler", patch="merge"),
    doc="Current state of an autoscaler",
)


HPA_V2 = Kind(
    AUTOSCALING_V2,
    "horizontalpodautoscalers",
    Struct(
        "HorizontalPodAutoscaler",
        Field(2, "spec", _SPEC, "Desired behavior of the autoscaler", required=True, default={}),
        Field(3, "status", _STATUS, "Current state of the autoscaler", default={}),
        doc="Scales a workload automatically, so that metrics such as CPU use stay near their targets",
    ),
    short=("hpa",),
    categories=("all",),
    columns=(
        Column("Reference", reference, doc="The workload that is scaled"),
        Column("Targets", targets, doc="Current values and targets of the metrics"),
        Column("MinPods", min_pods, doc="Smallest number of pods"),
        Column("MaxPods", number_at("spec.maxReplicas"), doc="Largest number of pods"),
        Column("Replicas", number_at("status.currentReplicas"), doc="Current number of pods"),
        AGE,
    ),
    status=Status(initial=first_status),
    strategy=Strategy(fill=complete),
    generation=False,
)
