"""PriorityLevelConfiguration: how many requests of a level are served at a time, and what becomes of more."""

from svcsim.kinds.flowcontrol.conditions import condition_rules, flow_conditions
from svcsim.kinds.flowcontrol.priority_level_configuration_rules import priority_level_rules
from svcsim.kinds.groups import FLOWCONTROL_V1
from svcsim.kinds.shared.columns import AGE, NONE, text_at
from svcsim.kinds.shared.words import LIMIT_RESPONSE, PRIORITY_LEVEL_TYPE
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Int, Struct

_QUEUING = Struct(
    "QueuingConfiguration",
    Field(1, "queues", Int(), "Number of queues", default=64),
    Field(2, "handSize", Int(), "Number of queues among which each flow has the shortest", default=8),
    Field(3, "queueLengthLimit", Int(), "Number of requests that may wait in a queue", default=50),
    doc="How requests wait",
)
_LIMIT_RESPONSE = Struct(
    "LimitResponse",
    Field(1, "type", LIMIT_RESPONSE, "Queue to let them wait, Reject to refuse them", required=True, presence=True, default=""),
    Field(2, "queuing", _QUEUING, "How they wait, for type Queue"),
    doc="What becomes of requests that can't be served at once",
)
_LIMITED = Struct(
    "LimitedPriorityLevelConfiguration",
    Field(1, "nominalConcurrencyShares", Int(), "Share of the server that the level has, relative to others", default=30),
    Field(2, "limitResponse", _LIMIT_RESPONSE, "What becomes of requests that can't be served at once", default={}),
    Field(3, "lendablePercent", Int(), "How much of its share the level lends to others, in percent", default=0),
    Field(4, "borrowingLimitPercent", Int(), "How much the level borrows at most, in percent of its share; without limit if unset"),
    doc="Limits of a priority level",
)
_EXEMPT = Struct(
    "ExemptPriorityLevelConfiguration",
    Field(1, "nominalConcurrencyShares", Int(), "Share of the server that the level has, relative to others", default=0),
    Field(2, "lendablePercent", Int(), "How much of its share the level lends to others, in percent", default=0),
    doc="What a priority level without limits leaves to others",
)
_SPEC = Struct(
    "PriorityLevelConfigurationSpec",
    Field(1, "type", PRIORITY_LEVEL_TYPE, "Whether requests of the level are limited", required=True, presence=True, default=""),
    Field(2, "limited", _LIMITED, "The limits, for type Limited"),
    Field(3, "exempt", _EXEMPT, "What is left to others, for type Exempt"),
    doc="Desired state of a priority level",
)
_STATUS = Struct(
    "PriorityLevelConfigurationStatus",
    Field(1, "conditions", flow_conditions("PriorityLevelConfigurationCondition", "any"), "Current conditions of the priority level"),
    doc="Current state of a priority level",
)
PRIORITY_LEVEL_CONFIGURATION = Kind(
    FLOWCONTROL_V1,
    "prioritylevelconfigurations",
    Struct(
        "PriorityLevelConfiguration",
        Field(2, "spec", _SPEC, "Desired state of the priority level", default={}),
        Field(3, "status", _STATUS, "Current state of the priority level", default={}),
        doc="Says how many requests of a level are served at a time",
    ),
    namespaced=False,
    columns=(
        Column("Type", text_at("spec.type"), doc="Whether requests of the level are limited"),
        Column("NominalConcurrencyShares", text_at("spec.limited.nominalConcurrencyShares", NONE), doc="Share of the server"),
        Column("Queues", text_at("spec.limited.limitResponse.queuing.queues", NONE), doc="Number of queues"),
        Column("HandSize", text_at("spec.limited.limitResponse.queuing.handSize", NONE), doc="Number of queues for each flow"),
        Column("QueueLengthLimit", text_at("spec.limited.limitResponse.queuing.queueLengthLimit", NONE), doc="Requests in a queue"),
        AGE,
    ),
    status=Status(subresource=status_subresource(update_rules=())),
    strategy=Strategy(rules=(priority_level_rules, condition_rules)),
    unconditional_update=False,
)
