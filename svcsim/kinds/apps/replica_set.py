"""ReplicaSet: a number of identical pods."""

from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.columns import AGE, containers_of, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.workload import (
    REPLICA_COUNTS,
    REPLICAS,
    SELECTOR_COLUMN,
    min_ready_seconds,
    name_of_pods,
    selector,
    selector_unchanged,
    template_rules,
)
from svcsim.registry.kind import Column, Kind, Selectable, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Int, Struct

_SPEC = Struct(
    "ReplicaSetSpec",
    REPLICAS,
    min_ready_seconds(4),
    selector(2),
    Field(3, "template", POD_TEMPLATE_SPEC, "Template from which the pods are created", default={}),
    rules=(template_rules("deployment", "ReplicaSet"),),
    doc="Desired state of a replica set",
)
_STATUS = Struct(
    "ReplicaSetStatus",
    Field(1, "replicas", Int(), "Number of pods that belong to the replica set", required=True),
    Field(2, "fullyLabeledReplicas", Int(), "Number of pods that have all labels of the template", presence=False),
    Field(4, "readyReplicas", Int(), "Number of pods that are ready", presence=False),
    Field(5, "availableReplicas", Int(), "Number of pods that have been ready for at least minReadySeconds", presence=False),
    Field(7, "terminatingReplicas", Int(), "Number of pods that are being deleted"),
    Field(3, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(6, "conditions", conditions("ReplicaSetCondition", "ReplicaFailure"), "Current conditions of the replica set"),
    doc="Current state of a replica set",
)
REPLICA_SET = Kind(
    APPS_V1,
    "replicasets",
    Struct(
        "ReplicaSet",
        Field(2, "spec", _SPEC, "Desired state of the replica set", default={}),
        Field(3, "status", _STATUS, "Current state of the replica set", default={}),
        doc="Keeps a number of identical pods running",
    ),
    short=("rs",),
    categories=("all",),
    columns=(
        Column("Desired", number_at("spec.replicas"), "integer", doc="Desired number of pods"),
        Column("Current", number_at("status.replicas"), "integer", doc="Current number of pods"),
        Column("Ready", number_at("status.readyReplicas"), "integer", doc="Number of pods that are ready"),
        AGE,
        *containers_of("spec.template"),
        SELECTOR_COLUMN,
    ),
    selectable=(Selectable("status.replicas", "0"),),
    status=Status(subresource=status_subresource(update_rules=(REPLICA_COUNTS,))),
    subresources=(SCALE,),
    strategy=Strategy(warnings=(name_of_pods, warnings_of("spec.template.spec")), update_rules=(selector_unchanged,)),
)
