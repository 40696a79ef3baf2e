"""Which nodes a pod can go to at all, and why not to the others.

All filters stand in one tuple, in the order they are asked; the first that says no gives the reason that people read in the pod's
condition. Those that look at the node alone come first, for what they say is remembered. A pod that names its node never comes here, so
none asks for the name.
"""

from svcsim.scheduler.devices.filters import DYNAMIC_RESOURCES
from svcsim.scheduler.fit import NODE_RESOURCES_FIT
from svcsim.scheduler.node_rules import NODE_AFFINITY_FILTER, NODE_PORTS, NODE_UNSCHEDULABLE, TAINT_TOLERATION
from svcsim.scheduler.pod_affinity import INTER_POD_AFFINITY
from svcsim.scheduler.rules import Filter
from svcsim.scheduler.spreading import POD_TOPOLOGY_SPREAD
from svcsim.scheduler.volumes.filters import NODE_VOLUME_LIMITS, VOLUME_BINDING, VOLUME_RESTRICTIONS, VOLUME_ZONE

FILTERS: tuple[Filter, ...] = (
    NODE_UNSCHEDULABLE,
    TAINT_TOLERATION,
    NODE_AFFINITY_FILTER,
    NODE_PORTS,
    NODE_RESOURCES_FIT,
    VOLUME_RESTRICTIONS,
    NODE_VOLUME_LIMITS,
    VOLUME_BINDING,
    VOLUME_ZONE,
    POD_TOPOLOGY_SPREAD,
    INTER_POD_AFFINITY,
    DYNAMIC_RESOURCES,
)
