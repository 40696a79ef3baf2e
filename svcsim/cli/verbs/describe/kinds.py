"""Which describer writes which kind."""

from svcsim.cli.verbs.describe.config import describe_config_map, describe_namespace, describe_secret, describe_service_account
from svcsim.cli.verbs.describe.nodes import describe_node
from svcsim.cli.verbs.describe.pods import describe_pod
from svcsim.cli.verbs.describe.services import describe_endpoint_slice, describe_endpoints, describe_service
from svcsim.cli.verbs.describe.storage import describe_claim, describe_volume
from svcsim.cli.verbs.describe.workloads import describe_deployment, describe_replica_set
from svcsim.cli.verbs.describe.writer import Describer

DESCRIBERS: dict[tuple[str, str], Describer] = {
    ("", "ConfigMap"): describe_config_map,
    ("", "Endpoints"): describe_endpoints,
    ("", "Namespace"): describe_namespace,
    ("", "Node"): describe_node,
    ("", "PersistentVolume"): describe_volume,
    ("", "PersistentVolumeClaim"): describe_claim,
    ("", "Pod"): describe_pod,
    ("", "Secret"): describe_secret,
    ("", "Service"): describe_service,
    ("", "ServiceAccount"): describe_service_account,
    ("apps", "Deployment"): describe_deployment,
    ("apps", "ReplicaSet"): describe_replica_set,
    ("discovery", "EndpointSlice"): describe_endpoint_slice,
}
"""By group and kind, groups without the dialect's suffix. All other kinds are described generically."""
