"""ReplicationController: a number of identical pods; what ReplicaSets were before they were."""

from svcsim.kinds.autoscaling.scale import SCALE_BY_LABELS
from svcsim.kinds.core.replication_controller_defaults import fill
from svcsim.kinds.core.replication_controller_rules import replication_controller_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import labels_at
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.replica_keeper import COLUMNS, SELECTABLE, STATUS, TEMPLATE_WARNINGS, count_fields, state_fields
from svcsim.kinds.shared.update_warnings import of_new_generations
from svcsim.kinds.shared.workload import REPLICAS, min_ready_seconds, name_of_pods
from svcsim.registry.kind import Column, Kind, Orphans, Strategy
from svcsim.schema.types import Field, Map, Str, Struct

_SPEC = Struct(
    "ReplicationControllerSpec",
    REPLICAS,
    min_ready_seconds(4),
    Field(2, "selector", Map(Str(), atomic=True), "Labels of the pods that belong to it; those of the template if unset"),
    Field(3, "template", POD_TEMPLATE_SPEC, "Template from which the pods are created"),
    rules=(replication_controller_rules,),
    doc="Desired state of a replication controller",
)
_STATUS = Struct(
    "ReplicationControllerStatus",
    *count_fields("replication controller"),
    *state_fields("ReplicationControllerCondition"),
    doc="Current state of a replication controller",
)
REPLICATION_CONTROLLER = Kind(
    CORE_V1,
    "replicationcontrollers",
    Struct(
        "ReplicationController",
        Field(2, "spec", _SPEC, "Desired state of the replication controller", default={}),
        Field(3, "status", _STATUS, "Current state of the replication controller", default={}),
        fill=fill,
        doc="Keeps a number of identical pods running; Deployments and their ReplicaSets are the newer way",
    ),
    short=("rc",),
    categories=("all",),
    columns=(
        *COLUMNS,
        Column("Selector", labels_at("spec.selector"), priority=1, doc="Labels of the pods that belong to it"),
    ),
    selectable=SELECTABLE,
    status=STATUS,
    subresources=(SCALE_BY_LABELS,),
    strategy=Strategy(warnings=(name_of_pods, TEMPLATE_WARNINGS), update_warnings=(of_new_generations(TEMPLATE_WARNINGS),)),
    orphans=Orphans(),
)
