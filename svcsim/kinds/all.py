"""All kinds, in the order in which discovery lists them: the core group first, and of a group the preferred version."""

from svcsim.dialect import KUBERNETES, Dialect
from svcsim.kinds.apiextensions.custom_resource_definition import CUSTOM_RESOURCE_DEFINITION, CUSTOM_RESOURCE_DEFINITION_SVCAPI
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v1 import HPA_V1
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import HPA_V2
from svcsim.kinds.coordination.lease import LEASE
from svcsim.kinds.core.config_map import CONFIG_MAP
from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.event import EVENT
from svcsim.kinds.core.namespace import NAMESPACE
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.persistent_volume import PERSISTENT_VOLUME
from svcsim.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from svcsim.kinds.core.pod import POD
from svcsim.kinds.core.pod_template import POD_TEMPLATE
from svcsim.kinds.core.secret import SECRET
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.core.service_account import SERVICE_ACCOUNT
from svcsim.kinds.discovery.endpoint_slice import ENDPOINT_SLICE
from svcsim.kinds.events.event import EVENTS_EVENT
from svcsim.registry.kind import Kind

KINDS: tuple[Kind, ...] = (
    CONFIG_MAP,
    ENDPOINTS,
    EVENT,
    NAMESPACE,
    NODE,
    PERSISTENT_VOLUME_CLAIM,
    PERSISTENT_VOLUME,
    POD,
    POD_TEMPLATE,
    SECRET,
    SERVICE_ACCOUNT,
    SERVICE,
    DEPLOYMENT,
    REPLICA_SET,
    EVENTS_EVENT,
    HPA_V2,
    HPA_V1,
    LEASE,
    ENDPOINT_SLICE,
    CUSTOM_RESOURCE_DEFINITION,
)


def kinds_of(dialect: Dialect) -> tuple[Kind, ...]:
    """All kinds in that dialect: schemas of custom resources are written in its words."""
    if dialect is KUBERNETES:
        return KINDS
    return tuple(CUSTOM_RESOURCE_DEFINITION_SVCAPI if kind is CUSTOM_RESOURCE_DEFINITION else kind for kind in KINDS)
