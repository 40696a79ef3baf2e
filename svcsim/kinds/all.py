"""All kinds, in the order in which discovery lists them: the core group first, and of a group the preferred version."""

from svcsim.dialect import KUBERNETES, Dialect
from svcsim.kinds.admissionregistration.mutating_admission_policy import MUTATING_ADMISSION_POLICY
from svcsim.kinds.admissionregistration.mutating_admission_policy_binding import MUTATING_ADMISSION_POLICY_BINDING
from svcsim.kinds.admissionregistration.mutating_webhook_configuration import MUTATING_WEBHOOK_CONFIGURATION
from svcsim.kinds.admissionregistration.validating_admission_policy import VALIDATING_ADMISSION_POLICY
from svcsim.kinds.admissionregistration.validating_admission_policy_binding import VALIDATING_ADMISSION_POLICY_BINDING
from svcsim.kinds.admissionregistration.validating_webhook_configuration import VALIDATING_WEBHOOK_CONFIGURATION
from svcsim.kinds.apiextensions.custom_resource_definition import (
    CUSTOM_RESOURCE_DEFINITION,
    custom_resource_definition,
)
from svcsim.kinds.apiregistration.api_service import API_SERVICE
from svcsim.kinds.apps.controller_revision import CONTROLLER_REVISION
from svcsim.kinds.apps.daemon_set import DAEMON_SET
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.apps.stateful_set import STATEFUL_SET
from svcsim.kinds.authentication.self_subject_review import SELF_SUBJECT_REVIEW
from svcsim.kinds.authentication.token_review import TOKEN_REVIEW
from svcsim.kinds.authorization.local_subject_access_review import LOCAL_SUBJECT_ACCESS_REVIEW
from svcsim.kinds.authorization.self_subject_access_review import SELF_SUBJECT_ACCESS_REVIEW
from svcsim.kinds.authorization.self_subject_rules_review import SELF_SUBJECT_RULES_REVIEW
from svcsim.kinds.authorization.subject_access_review import SUBJECT_ACCESS_REVIEW
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v1 import HPA_V1
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import HPA_V2
from svcsim.kinds.batch.cron_job import CRON_JOB
from svcsim.kinds.batch.job import JOB
from svcsim.kinds.certificates.certificate_signing_request import CERTIFICATE_SIGNING_REQUEST
from svcsim.kinds.coordination.lease import LEASE
from svcsim.kinds.core.config_map import CONFIG_MAP
from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.event import EVENT
from svcsim.kinds.core.limit_range import LIMIT_RANGE
from svcsim.kinds.core.namespace import NAMESPACE
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.persistent_volume import PERSISTENT_VOLUME
from svcsim.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from svcsim.kinds.core.pod import POD
from svcsim.kinds.core.pod_template import POD_TEMPLATE
from svcsim.kinds.core.replication_controller import REPLICATION_CONTROLLER
from svcsim.kinds.core.resource_quota import RESOURCE_QUOTA
from svcsim.kinds.core.secret import SECRET
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.core.service_account import SERVICE_ACCOUNT
from svcsim.kinds.discovery.endpoint_slice import ENDPOINT_SLICE
from svcsim.kinds.events.event import EVENTS_EVENT
from svcsim.kinds.flowcontrol.flow_schema import FLOW_SCHEMA
from svcsim.kinds.flowcontrol.priority_level_configuration import PRIORITY_LEVEL_CONFIGURATION
from svcsim.kinds.networking.ingress import INGRESS
from svcsim.kinds.networking.ingress_class import INGRESS_CLASS
from svcsim.kinds.networking.ip_address import IP_ADDRESS
from svcsim.kinds.networking.network_policy import NETWORK_POLICY
from svcsim.kinds.networking.service_cidr import SERVICE_CIDR
from svcsim.kinds.node.runtime_class import RUNTIME_CLASS
from svcsim.kinds.policy.pod_disruption_budget import POD_DISRUPTION_BUDGET
from svcsim.kinds.policy.pod_security_policy import POD_SECURITY_POLICY
from svcsim.kinds.rbac.cluster_role import CLUSTER_ROLE
from svcsim.kinds.rbac.cluster_role_binding import CLUSTER_ROLE_BINDING
from svcsim.kinds.rbac.role import ROLE
from svcsim.kinds.rbac.role_binding import ROLE_BINDING
from svcsim.kinds.resource.device_class import DEVICE_CLASS
from svcsim.kinds.resource.resource_claim import RESOURCE_CLAIM
from svcsim.kinds.resource.resource_claim_template import RESOURCE_CLAIM_TEMPLATE
from svcsim.kinds.resource.resource_slice import RESOURCE_SLICE
from svcsim.kinds.scheduling.priority_class import PRIORITY_CLASS
from svcsim.kinds.storage.csi_driver import CSI_DRIVER
from svcsim.kinds.storage.csi_node import CSI_NODE
from svcsim.kinds.storage.csi_storage_capacity import CSI_STORAGE_CAPACITY
from svcsim.kinds.storage.storage_class import STORAGE_CLASS
from svcsim.kinds.storage.volume_attachment import VOLUME_ATTACHMENT
from svcsim.kinds.storage.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS
from svcsim.registry.kind import Kind

KINDS: tuple[Kind, ...] = (
    CONFIG_MAP,
    ENDPOINTS,
    EVENT,
    LIMIT_RANGE,
    NAMESPACE,
    NODE,
    PERSISTENT_VOLUME_CLAIM,
    PERSISTENT_VOLUME,
    POD,
    POD_TEMPLATE,
    REPLICATION_CONTROLLER,
    RESOURCE_QUOTA,
    SECRET,
    SERVICE_ACCOUNT,
    SERVICE,
    API_SERVICE,
    CONTROLLER_REVISION,
    DAEMON_SET,
    DEPLOYMENT,
    REPLICA_SET,
    STATEFUL_SET,
    EVENTS_EVENT,
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_RULES_REVIEW,
    SUBJECT_ACCESS_REVIEW,
    HPA_V2,
    HPA_V1,
    CRON_JOB,
    JOB,
    CERTIFICATE_SIGNING_REQUEST,
    INGRESS_CLASS,
    INGRESS,
    IP_ADDRESS,
    NETWORK_POLICY,
    SERVICE_CIDR,
    POD_DISRUPTION_BUDGET,
    POD_SECURITY_POLICY,
    CLUSTER_ROLE_BINDING,
    CLUSTER_ROLE,
    ROLE_BINDING,
    ROLE,
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
    VOLUME_ATTRIBUTES_CLASS,
    MUTATING_ADMISSION_POLICY,
    MUTATING_ADMISSION_POLICY_BINDING,
    MUTATING_WEBHOOK_CONFIGURATION,
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    VALIDATING_WEBHOOK_CONFIGURATION,
    CUSTOM_RESOURCE_DEFINITION,
    PRIORITY_CLASS,
    LEASE,
    RUNTIME_CLASS,
    ENDPOINT_SLICE,
    FLOW_SCHEMA,
    PRIORITY_LEVEL_CONFIGURATION,
    DEVICE_CLASS,
    RESOURCE_CLAIM,
    RESOURCE_CLAIM_TEMPLATE,
    RESOURCE_SLICE,
)


def kinds_of(dialect: Dialect) -> tuple[Kind, ...]:
    """All kinds in that dialect: schemas of custom resources are written in its words."""
    if dialect is KUBERNETES:
        return KINDS
    ours = custom_resource_definition(dialect.extension_prefix)
    return tuple(ours if kind is CUSTOM_RESOURCE_DEFINITION else kind for kind in KINDS)
