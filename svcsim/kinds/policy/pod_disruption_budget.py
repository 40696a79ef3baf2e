"""PodDisruptionBudget: how many pods of a set may be unavailable at a time through voluntary disruptions."""

from svcsim.kinds.groups import POLICY_V1
from svcsim.kinds.policy.pod_disruption_budget_rules import bounds_rules, status_rules
from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.columns import AGE, number_at, text_at
from svcsim.kinds.shared.conditions import CONDITIONS
from svcsim.kinds.shared.words import UNHEALTHY_POD_EVICTION_POLICY
from svcsim.registry.kind import Column, Kind, Status, status_subresource
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, IntOrString, Map, Struct, Time

_SPEC = Struct(
    "PodDisruptionBudgetSpec",
    Field(1, "minAvailable", IntOrString(), "How many pods must stay, as a number or a percentage of all"),
    Field(2, "selector", LABEL_SELECTOR, "Label selector of the pods; {} selects all, none if unset", patch="replace"),
    Field(3, "maxUnavailable", IntOrString(), "How many pods may be away, as a number or a percentage; not beside minAvailable"),
    Field(
        4,
        "unhealthyPodEvictionPolicy",
        UNHEALTHY_POD_EVICTION_POLICY,
        "When pods that run and aren't ready may be evicted: always, or while enough are healthy; the latter if unset",
        rules=(one_of(*UNHEALTHY_POD_EVICTION_POLICY.values),),
        presence=True,
    ),
    rules=(bounds_rules,),
    doc="Desired state of a disruption budget",
)
_STATUS = Struct(
    "PodDisruptionBudgetStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(2, "disruptedPods", Map(Time()), "Pods whose eviction was granted and hasn't been seen yet, and when it was"),
    Field(3, "disruptionsAllowed", Int(), "Number of pods that may be evicted now", default=0),
    Field(4, "currentHealthy", Int(), "Number of healthy pods", default=0),
    Field(5, "desiredHealthy", Int(), "Least number of healthy pods", default=0),
    Field(6, "expectedPods", Int(), "Number of pods that count", default=0),
    Field(7, "conditions", CONDITIONS, "Current conditions of the disruption budget"),
    doc="Current state of a disruption budget",
)
POD_DISRUPTION_BUDGET = Kind(
    POLICY_V1,
    "poddisruptionbudgets",
    Struct(
        "PodDisruptionBudget",
        Field(2, "spec", _SPEC, "Desired state of the disruption budget", default={}),
        Field(3, "status", _STATUS, "Current state of the disruption budget", default={}),
        doc="A bound on how many pods of a set are evicted at a time",
    ),
    short=("pdb",),
    columns=(
        Column("Min Available", text_at("spec.minAvailable", "N/A"), doc="How many pods must stay"),
        Column("Max Unavailable", text_at("spec.maxUnavailable", "N/A"), doc="How many pods may be away"),
        Column("Allowed Disruptions", number_at("status.disruptionsAllowed"), "integer", doc="Number of pods that may be evicted now"),
        AGE,
    ),
    status=Status(subresource=status_subresource(update_rules=(status_rules,))),
    unconditional_update=False,
)
