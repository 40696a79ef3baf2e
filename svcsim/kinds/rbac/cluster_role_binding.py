"""ClusterRoleBinding: who may do in the whole cluster what a ClusterRole allows."""

from svcsim.kinds.groups import RBAC_V1
from svcsim.kinds.rbac.binding import ROLE_REF, SUBJECTS
from svcsim.kinds.rbac.binding_defaults import fill
from svcsim.kinds.rbac.binding_rules import binding_changes, cluster_role_binding_rules
from svcsim.kinds.rbac.columns import BINDING_COLUMNS
from svcsim.meta.names import path_segment
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Struct

CLUSTER_ROLE_BINDING = Kind(
    RBAC_V1,
    "clusterrolebindings",
    Struct("ClusterRoleBinding", SUBJECTS, ROLE_REF, doc="Gives what a ClusterRole allows, in all namespaces and cluster-wide"),
    namespaced=False,
    name_rule=path_segment,
    columns=BINDING_COLUMNS,
    strategy=Strategy(fill=fill, rules=(cluster_role_binding_rules,), update_rules=(binding_changes,)),
    update_creates=True,
)
