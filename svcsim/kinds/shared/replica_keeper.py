"""What keeps a number of identical pods by itself: a ReplicaSet, and the ReplicationController it took the place of."""

from svcsim.kinds.shared.columns import AGE, containers_of, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.workload import status_counts
from svcsim.registry.kind import Column, Selectable, Status, status_subresource
from svcsim.schema.types import Field, Int

TEMPLATE_WARNINGS = warnings_of("spec.template.spec")
SELECTABLE = (Selectable("status.replicas", "0"),)
COLUMNS = (
    Column("Desired", number_at("spec.replicas"), "integer", doc="Desired number of pods"),
    Column("Current", number_at("status.replicas"), "integer", doc="Current number of pods"),
    Column("Ready", number_at("status.readyReplicas"), "integer", doc="Number of pods that are ready"),
    AGE,
    *containers_of("spec.template"),
)
_COUNTS = status_counts(
    *("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"),
    parts=("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    of_ready="readyReplicas",
)
STATUS = Status(subresource=status_subresource(update_rules=(_COUNTS,)))


def count_fields(keeper: str) -> tuple[Field, ...]:
    """The counts of pods in the status of a keeper, which the docs call so."""
    return (
        Field(1, "replicas", Int(), f"Number of pods that belong to the {keeper}", required=True),
        Field(2, "fullyLabeledReplicas", Int(), "Number of pods that have all labels of the template", presence=False),
        Field(4, "readyReplicas", Int(), "Number of pods that are ready", presence=False),
        Field(5, "availableReplicas", Int(), "Number of pods that have been ready for at least minReadySeconds", presence=False),
    )


def state_fields(condition: str) -> tuple[Field, ...]:
    """What stands behind the counts; ``condition`` is the name of the type of its conditions."""
    return (
        Field(3, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
        Field(6, "conditions", conditions(condition, "ReplicaFailure"), "Current conditions"),
    )
