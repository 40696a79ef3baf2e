"""FlowSchema: which requests are of which priority level, and which of them take turns with each other."""

from svcsim.kinds.flowcontrol.conditions import condition_rules, flow_conditions
from svcsim.kinds.flowcontrol.flow_schema_columns import missing_level
from svcsim.kinds.flowcontrol.flow_schema_rules import flow_schema_rules
from svcsim.kinds.groups import FLOWCONTROL_V1
from svcsim.kinds.shared.columns import AGE, NONE, number_at, text_at
from svcsim.kinds.shared.words import FLOW_DISTINGUISHER, FLOW_SUBJECT_KIND
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_STRING_SET = List(Str(), list_type="set", unique=False)
_NAME = Field(1, "name", Str(), "Name; * for all", required=True, presence=True, default="")
_SUBJECT = Struct(
    "Subject",
    Field(1, "kind", FLOW_SUBJECT_KIND, "Kind of the subject", required=True, presence=True, default=""),
    Field(2, "user", Struct("UserSubject", _NAME, doc="A user"), "The user, if it is one"),
    Field(3, "group", Struct("GroupSubject", _NAME, doc="A group"), "The group, if it is one"),
    Field(
        4,
        "serviceAccount",
        Struct(
            "ServiceAccountSubject",
            Field(1, "namespace", Str(), "Namespace of the account", required=True, presence=True, default=""),
            Field(2, "name", Str(), "Name of the account; * for all in the namespace", required=True, presence=True, default=""),
            doc="A service account",
        ),
        "The service account, if it is one",
    ),
    doc="Somebody who sends requests",
)
_RESOURCE_RULE = Struct(
    "ResourcePolicyRule",
    Field(1, "verbs", _STRING_SET, "Verbs; * for all", required=True, presence=True),
    Field(2, "apiGroups", _STRING_SET, "API groups; * for all", required=True, presence=True),
    Field(3, "resources", _STRING_SET, "Resources, as type or type/subresource; * for all", required=True, presence=True),
    Field(4, "clusterScope", Bool(), "Whether requests that name no namespace match", presence=False),
    Field(5, "namespaces", _STRING_SET, "Namespaces; * for all"),
    doc="Matches requests for resources",
)
_PATH_RULE = Struct(
    "NonResourcePolicyRule",
    Field(1, "verbs", _STRING_SET, "Verbs; * for all", required=True, presence=True),
    Field(6, "nonResourceURLs", _STRING_SET, "Paths, which may end in /*; * for all", required=True, presence=True),
    doc="Matches requests for other paths",
)
_RULES = Struct(
    "PolicyRulesWithSubjects",
    Field(1, "subjects", List(_SUBJECT, list_type="atomic"), "Who sends the requests", required=True, presence=True),
    Field(2, "resourceRules", List(_RESOURCE_RULE, list_type="atomic"), "Matching requests for resources"),
    Field(3, "nonResourceRules", List(_PATH_RULE, list_type="atomic"), "Matching requests for other paths"),
    doc="Matches requests of certain subjects",
)
_SPEC = Struct(
    "FlowSchemaSpec",
    Field(
        1,
        "priorityLevelConfiguration",
        Struct("PriorityLevelConfigurationReference", _NAME, doc="Refers to a priority level"),
        "Priority level of matching requests",
        required=True,
        default={},
    ),
    Field(
        2,
        "matchingPrecedence",
        Int(),
        "Which schema counts for a request that several match: that of the lowest number, from 1 to 10000",
        default=1000,
        presence=False,
    ),
    Field(
        3,
        "distinguisherMethod",
        Struct(
            "FlowDistinguisherMethod",
            Field(1, "type", FLOW_DISTINGUISHER, "By whom or for what requests are sent", required=True, presence=True, default=""),
            doc="How requests are told apart",
        ),
        "How matching requests are divided into flows; all are of one if unset",
    ),
    Field(4, "rules", List(_RULES, list_type="atomic"), "Requests that match; none if empty"),
    doc="Desired state of a flow schema",
)
_STATUS = Struct(
    "FlowSchemaStatus",
    Field(1, "conditions", flow_conditions("FlowSchemaCondition", "Dangling"), "Current conditions of the flow schema"),
    doc="Current state of a flow schema",
)
FLOW_SCHEMA = Kind(
    FLOWCONTROL_V1,
    "flowschemas",
    Struct(
        "FlowSchema",
        Field(2, "spec", _SPEC, "Desired state of the flow schema", default={}),
        Field(3, "status", _STATUS, "Current state of the flow schema", default={}),
        doc="Says which requests are of which priority level",
    ),
    namespaced=False,
    columns=(
        Column("PriorityLevel", text_at("spec.priorityLevelConfiguration.name"), doc="Priority level of matching requests"),
        Column("MatchingPrecedence", number_at("spec.matchingPrecedence"), "integer", doc="Of schemas that match, the lowest counts"),
        Column("DistinguisherMethod", text_at("spec.distinguisherMethod.type", NONE), doc="How matching requests are divided into flows"),
        AGE,
        Column("MissingPL", missing_level, doc="Whether there is no such priority level"),
    ),
    status=Status(subresource=status_subresource(update_rules=())),
    strategy=Strategy(rules=(flow_schema_rules, condition_rules)),
    unconditional_update=False,
)
