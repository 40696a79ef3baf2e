"""ReplicationController: a number of identical pods; what ReplicaSets were before they were."""

from svcsim.kinds.autoscaling.scale import SCALE_BY_LABELS
from svcsim.kinds.core.replication_controller_defaults import fill
from svcsim.kinds.core.replication_controller_rules import replication_controller_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, containers_of, labels_at, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.workload import REPLICA_COUNTS, REPLICAS, min_ready_seconds, name_of_pods
from svcsim.registry.kind import Column, Kind, Orphans, Selectable, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Int, Map, Str, Struct

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
    Field(1, "replicas", Int(), "Number of pods that belong to the replication controller", required=True),
    Field(2, "fullyLabeledReplicas", Int(), "Number of pods that have all labels of the template", presence=False),
    Field(4, "readyReplicas", Int(), "Number of pods that are ready", presence=False),
    Field(5, "availableReplicas", Int(), "Number of pods that have been ready for at least minReadySeconds", presence=False),
    Field(3, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(6, "conditions", conditions("ReplicationControllerCondition", "ReplicaFailure"), "Current conditions"),
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
        Column("Desired", number_at("spec.replicas"), "integer", doc="Desired number of pods"),
        Column("Current", number_at("status.replicas"), "integer", doc="Current number of pods"),
        Column("Ready", number_at("status.readyReplicas"), "integer", doc="Number of pods that are ready"),
        AGE,
        *containers_of("spec.template"),
        Column("Selector", labels_at("spec.selector"), priority=1, doc="Labels of the pods that belong to it"),
    ),
    selectable=(Selectable("status.replicas", "0"),),
    status=Status(subresource=status_subresource(update_rules=(REPLICA_COUNTS,))),
    subresources=(SCALE_BY_LABELS,),
    strategy=Strategy(warnings=(name_of_pods, warnings_of("spec.template.spec"))),
    orphans=Orphans(),
)
