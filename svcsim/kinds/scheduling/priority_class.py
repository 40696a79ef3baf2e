"""PriorityClass: a name for a priority of pods."""

from svcsim.kinds.groups import SCHEDULING_V1
from svcsim.kinds.scheduling.priority_class_rules import priority_class_changes, priority_class_rules
from svcsim.kinds.scheduling.priority_class_strategy import create, undeletable
from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.columns import AGE, number_at, text_at, truth_at
from svcsim.kinds.shared.words import PREEMPTION_POLICY
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bool, Field, Int, Str, Struct

PRIORITY_CLASS = Kind(
    SCHEDULING_V1,
    "priorityclasses",
    Struct(
        "PriorityClass",
        Field(2, "value", Int(), "Priority of pods of this class; cannot be changed", default=0),
        Field(3, "globalDefault", Bool(), "Whether pods that name no class are of this one", presence=False),
        Field(4, "description", Str(), "When the class is to be used"),
        Field(
            5,
            "preemptionPolicy",
            PREEMPTION_POLICY,
            "Whether pods of this class drive out others of lower priority; cannot be changed",
            default="PreemptLowerPriority",
            rules=(one_of("PreemptLowerPriority", "Never"),),
            presence=True,
        ),
        doc="A name for a priority of pods",
    ),
    short=("pc",),
    namespaced=False,
    columns=(
        Column("Value", number_at("value"), "integer", doc="Priority of pods of this class"),
        Column("Global-Default", truth_at("globalDefault"), "boolean", doc="Whether pods that name no class are of this one"),
        AGE,
        Column("PreemptionPolicy", text_at("preemptionPolicy"), doc="Whether pods of this class drive out others of lower priority"),
    ),
    strategy=Strategy(create=create, create_rules=(priority_class_rules,), update_rules=(priority_class_changes,), undeletable=undeletable),
)
