"""ResourceQuota: what all objects of a namespace together may take."""

from svcsim.kinds.core.resource_quota_columns import limits, requests
from svcsim.kinds.core.resource_quota_rules import resource_quota_changes, resource_quota_rules, status_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.types import RESOURCE_LIST, STRINGS
from svcsim.kinds.shared.words import QUOTA_SCOPE, QUOTA_SCOPE_LIST, SCOPE_OPERATOR
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, List, Struct

_REQUIREMENT = Struct(
    "ScopedResourceSelectorRequirement",
    Field(1, "scopeName", QUOTA_SCOPE, "The scope", required=True, presence=True, default=""),
    Field(2, "operator", SCOPE_OPERATOR, "How the scope relates to the values", required=True, presence=True, default=""),
    Field(3, "values", STRINGS, "Values for In and NotIn; empty for Exists and DoesNotExist"),
    doc="A condition on a scope",
)
_SELECTOR = Struct(
    "ScopeSelector",
    Field(1, "matchExpressions", List(_REQUIREMENT, list_type="atomic"), "Conditions, all of which must hold"),
    atomic=True,
    doc="Selects objects by scopes and their values",
)
_SPEC = Struct(
    "ResourceQuotaSpec",
    Field(1, "hard", RESOURCE_LIST, "Largest amount of each resource"),
    Field(2, "scopes", QUOTA_SCOPE_LIST, "Scopes of the objects that count; all objects if empty; cannot be changed"),
    Field(3, "scopeSelector", _SELECTOR, "Conditions on the scopes of the objects that count"),
    doc="The amounts that objects may take, and which objects",
)
_STATUS = Struct(
    "ResourceQuotaStatus",
    Field(1, "hard", RESOURCE_LIST, "Amounts that are enforced"),
    Field(2, "used", RESOURCE_LIST, "Amounts that are taken now"),
    doc="Enforced and taken amounts",
)
RESOURCE_QUOTA = Kind(
    CORE_V1,
    "resourcequotas",
    Struct(
        "ResourceQuota",
        Field(2, "spec", _SPEC, "The amounts that objects may take", default={}),
        Field(3, "status", _STATUS, "The amounts that objects take", default={}),
        doc="A bound on what all objects in a namespace take together",
    ),
    short=("quota",),
    columns=(
        Column("Request", requests, doc="Amounts that are requested, and how much may be"),
        Column("Limit", limits, doc="Amounts that are allowed by limits, and how much may be"),
        AGE,
    ),
    status=Status(subresource=status_subresource(update_rules=(status_rules,))),
    strategy=Strategy(rules=(resource_quota_rules,), update_rules=(resource_quota_changes,)),
    generation=False,
    deletes_to_object=True,
)
