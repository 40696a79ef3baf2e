"""ReplicaSet: a number of identical pods."""

from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.replica_keeper import COLUMNS, SELECTABLE, STATUS, TEMPLATE_WARNINGS, count_fields, state_fields
from svcsim.kinds.shared.update_warnings import of_new_generations
from svcsim.kinds.shared.workload import (
    REPLICAS,
    SELECTOR_COLUMN,
    min_ready_seconds,
    name_of_pods,
    selector,
    selector_unchanged,
    template_rules,
)
from svcsim.registry.kind import Kind, Strategy
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
    *count_fields("replica set"),
    Field(7, "terminatingReplicas", Int(), "Number of pods that are being deleted"),
    *state_fields("ReplicaSetCondition"),
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
        *COLUMNS,
        SELECTOR_COLUMN,
    ),
    selectable=SELECTABLE,
    status=STATUS,
    subresources=(SCALE,),
    strategy=Strategy(
        warnings=(name_of_pods, TEMPLATE_WARNINGS),
        update_warnings=(of_new_generations(TEMPLATE_WARNINGS),),
        update_rules=(selector_unchanged,),
    ),
)
