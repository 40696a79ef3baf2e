"""Which describer writes which kind."""

from svcsim.cli.verbs.describe.config import describe_config_map, describe_namespace, describe_secret, describe_service_account
from svcsim.cli.verbs.describe.nodes import describe_node
from svcsim.cli.verbs.describe.pods import describe_pod
from svcsim.cli.verbs.describe.services import describe_endpoints, describe_service
from svcsim.cli.verbs.describe.workloads import describe_deployment, describe_replica_set
from svcsim.cli.verbs.describe.writer import Describer

DESCRIBERS: dict[tuple[str, str], Describer] = {
    ("", "ConfigMap"): describe_config_map,
    ("", "Endpoints"): describe_endpoints,
    ("", "Namespace"): describe_namespace,
    ("", "Node"): describe_node,
    ("", "Pod"): describe_pod,
    ("", "Secret"): describe_secret,
    ("", "Service"): describe_service,
    ("", "ServiceAccount"): describe_service_account,
    ("apps", "Deployment"): describe_deployment,
    ("apps", "ReplicaSet"): describe_replica_set,
}
"""By group and kind. Only groups whose name is the same in both dialects can be listed; all other kinds are described generically."""
