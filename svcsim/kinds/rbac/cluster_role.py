"""ClusterRole: what may be done in all namespaces, with cluster-wide objects and on paths."""

from svcsim.kinds.groups import RBAC_V1
from svcsim.kinds.rbac.cluster_role_rules import some_selector
from svcsim.kinds.rbac.columns import CREATED_AT
from svcsim.kinds.rbac.policy_rule import POLICY_RULES, cluster_wide_rule
from svcsim.kinds.shared.checks import each
from svcsim.kinds.shared.defaults import null_if_empty
from svcsim.meta.names import path_segment
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, List, Struct

_AGGREGATION_RULE = Struct(
    "AggregationRule",
    Field(1, "clusterRoleSelectors", List(LABEL_SELECTOR, list_type="atomic"), "Roles that match any of these give their rules"),
    rules=(some_selector,),
    doc="From which other roles a role takes its rules",
)
CLUSTER_ROLE = Kind(
    RBAC_V1,
    "clusterroles",
    Struct(
        "ClusterRole",
        Field(2, "rules", POLICY_RULES, "What is allowed", rules=(each(cluster_wide_rule),)),
        Field(3, "aggregationRule", _AGGREGATION_RULE, "From which other roles the rules are gathered"),
        doc="Rules about what may be done, which bindings give to users in one namespace or in the whole cluster",
    ),
    namespaced=False,
    name_rule=path_segment,
    columns=(CREATED_AT,),
    strategy=Strategy(fill=null_if_empty("rules")),
    update_creates=True,
)
