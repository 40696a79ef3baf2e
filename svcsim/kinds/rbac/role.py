"""Role: what may be done with the objects of one namespace."""

from svcsim.kinds.groups import RBAC_V1
from svcsim.kinds.rbac.columns import CREATED_AT
from svcsim.kinds.rbac.policy_rule import POLICY_RULES, namespaced_rule
from svcsim.kinds.shared.checks import each
from svcsim.kinds.shared.defaults import null_if_empty
from svcsim.meta.names import path_segment
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, Struct

ROLE = Kind(
    RBAC_V1,
    "roles",
    Struct(
        "Role",
        Field(2, "rules", POLICY_RULES, "What is allowed", rules=(each(namespaced_rule),)),
        doc="Rules about what may be done in one namespace, which a RoleBinding gives to users",
    ),
    name_rule=path_segment,
    columns=(CREATED_AT,),
    strategy=Strategy(fill=null_if_empty("rules")),
    update_creates=True,
)
