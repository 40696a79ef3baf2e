"""Describing any object: which describer writes which kind."""

from collections.abc import Callable

from svcsim.dialect import plain_group
from svcsim.meta.objects import gvk_of
from svcsim.meta.types import Object
from svcsim.printing.describe.access import describe_binding, describe_role
from svcsim.printing.describe.autoscalers import describe_autoscaler
from svcsim.printing.describe.certificates import describe_signing_request
from svcsim.printing.describe.config import describe_config_map, describe_namespace, describe_secret, describe_service_account
from svcsim.printing.describe.generic import describe_generic
from svcsim.printing.describe.jobs import describe_cron_job, describe_job
from svcsim.printing.describe.networking import (
    describe_ingress,
    describe_ingress_class,
    describe_ip_address,
    describe_network_policy,
    describe_service_cidr,
)
from svcsim.printing.describe.nodes import describe_node
from svcsim.printing.describe.pods import describe_pod
from svcsim.printing.describe.policy import (
    describe_disruption_budget,
    describe_limit_range,
    describe_priority_class,
    describe_quota,
)
from svcsim.printing.describe.reader import Reader
from svcsim.printing.describe.services import describe_endpoint_slice, describe_endpoints, describe_service
from svcsim.printing.describe.sets import describe_daemon_set, describe_stateful_set
from svcsim.printing.describe.storage import describe_claim, describe_volume
from svcsim.printing.describe.storage_classes import describe_csi_node, describe_storage_class, describe_volume_attributes_class
from svcsim.printing.describe.workloads import describe_deployment, describe_replica_set, describe_replication_controller
from svcsim.printing.describe.writer import DescribeContext, Describer, Writer
from svcsim.printing.tabs import Sink

DESCRIBERS: dict[tuple[str, str], Describer] = {
    ("", "ConfigMap"): describe_config_map,
    ("", "Endpoints"): describe_endpoints,
    ("", "LimitRange"): describe_limit_range,
    ("", "Namespace"): describe_namespace,
    ("", "Node"): describe_node,
    ("", "PersistentVolume"): describe_volume,
    ("", "PersistentVolumeClaim"): describe_claim,
    ("", "Pod"): describe_pod,
    ("", "ReplicationController"): describe_replication_controller,
    ("", "ResourceQuota"): describe_quota,
    ("", "Secret"): describe_secret,
    ("", "Service"): describe_service,
    ("", "ServiceAccount"): describe_service_account,
    ("apps", "DaemonSet"): describe_daemon_set,
    ("apps", "Deployment"): describe_deployment,
    ("apps", "ReplicaSet"): describe_replica_set,
    ("apps", "StatefulSet"): describe_stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): describe_autoscaler,
    ("certificates", "CertificateSigningRequest"): describe_signing_request,
    ("batch", "CronJob"): describe_cron_job,
    ("batch", "Job"): describe_job,
    ("discovery", "EndpointSlice"): describe_endpoint_slice,
    ("storage", "CSINode"): describe_csi_node,
    ("storage", "StorageClass"): describe_storage_class,
    ("storage", "VolumeAttributesClass"): describe_volume_attributes_class,
    ("networking", "Ingress"): describe_ingress,
    ("networking", "IngressClass"): describe_ingress_class,
    ("networking", "IPAddress"): describe_ip_address,
    ("networking", "NetworkPolicy"): describe_network_policy,
    ("policy", "PodDisruptionBudget"): describe_disruption_budget,
    ("scheduling", "PriorityClass"): describe_priority_class,
    ("rbac.authorization", "ClusterRole"): describe_role,
    ("rbac.authorization", "ClusterRoleBinding"): describe_binding,
    ("rbac.authorization", "Role"): describe_role,
    ("rbac.authorization", "RoleBinding"): describe_binding,
    ("networking", "ServiceCIDR"): describe_service_cidr,
}
"""By group and kind, groups without the dialect's suffix. All other kinds are described generically."""


def describe(obj: Object, out: Sink, reader: Reader, now: Callable[[], float], *, show_events: bool = True) -> None:
    """Write down what there is to say of an object, with ages by that time. Raises `StatusError` and `ConnectionError`."""
    gvk, writer = gvk_of(obj), Writer(out)
    describer = DESCRIBERS.get((plain_group(gvk.group), gvk.kind), describe_generic)
    describer(obj, DescribeContext(writer, reader, now, show_events))
    writer.flush()
