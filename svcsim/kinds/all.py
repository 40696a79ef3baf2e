"""All kinds, in the order in which discovery lists them: the core group first, and of a group the preferred version.

They stand here by their names alone. What a kind is takes some milliseconds to put together, which a cluster spends when the kind is first
asked for: a start would be twice as long if it had to wait for all of them.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from svcsim.dialect import KUBERNETES, Dialect
from svcsim.kinds import groups
from svcsim.meta.types import GroupVersion
from svcsim.registry.kind import Kind
from svcsim.registry.kind_entry import KindEntry


def _at(where: str) -> Callable[[], Kind]:
    """Gives the kind that stands at ``module:NAME``, below this package."""
    return partial(_load, where)


def _load(where: str) -> Kind:
    module, _, name = where.partition(":")
    kind = getattr(import_module(f"{__package__}.{module}"), name)
    assert isinstance(kind, Kind)
    return kind


def _load_custom_resource_definition(extension_prefix: str) -> Kind:
    from svcsim.kinds.apiextensions.custom_resource_definition import custom_resource_definition  # noqa: PLC0415 - as all others

    return custom_resource_definition(extension_prefix)


_EVENT = KindEntry(groups.CORE_V1, "events", "Event", _at("core.event:EVENT"))
_MUTATING_POLICIES = KindEntry(
    groups.ADMISSION_REGISTRATION_V1,
    "mutatingadmissionpolicies",
    "MutatingAdmissionPolicy",
    _at("admissionregistration.mutating_admission_policy:MUTATING_ADMISSION_POLICY"),
    namespaced=False,
)
_MUTATING_BINDINGS = KindEntry(
    groups.ADMISSION_REGISTRATION_V1,
    "mutatingadmissionpolicybindings",
    "MutatingAdmissionPolicyBinding",
    _at("admissionregistration.mutating_admission_policy_binding:MUTATING_ADMISSION_POLICY_BINDING"),
    namespaced=False,
)
_MUTATING_WEBHOOKS = KindEntry(
    groups.ADMISSION_REGISTRATION_V1,
    "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration",
    _at("admissionregistration.mutating_webhook_configuration:MUTATING_WEBHOOK_CONFIGURATION"),
    namespaced=False,
)
_VALIDATING_WEBHOOKS = KindEntry(
    groups.ADMISSION_REGISTRATION_V1,
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    _at("admissionregistration.validating_webhook_configuration:VALIDATING_WEBHOOK_CONFIGURATION"),
    namespaced=False,
)
_HPA = KindEntry(
    groups.AUTOSCALING_V2, "horizontalpodautoscalers", "HorizontalPodAutoscaler", _at("autoscaling.horizontal_pod_autoscaler_v2:HPA_V2")
)
_IP_ADDRESS = KindEntry(groups.NETWORKING_V1, "ipaddresses", "IPAddress", _at("networking.ip_address:IP_ADDRESS"), namespaced=False)
_SERVICE_CIDR = KindEntry(
    groups.NETWORKING_V1, "servicecidrs", "ServiceCIDR", _at("networking.service_cidr:SERVICE_CIDR"), namespaced=False
)
_VOLUME_ATTRIBUTES_CLASS = KindEntry(
    groups.STORAGE_V1,
    "volumeattributesclasses",
    "VolumeAttributesClass",
    _at("storage.volume_attributes_class:VOLUME_ATTRIBUTES_CLASS"),
    namespaced=False,
)
_CUSTOM_RESOURCE_DEFINITION = KindEntry(
    groups.APIEXTENSIONS_V1,
    "customresourcedefinitions",
    "CustomResourceDefinition",
    _at("apiextensions.custom_resource_definition:CUSTOM_RESOURCE_DEFINITION"),
    namespaced=False,
)

CATALOGUE: tuple[KindEntry, ...] = (
    KindEntry(groups.CORE_V1, "bindings", "Binding", _at("core.binding:BINDING")),
    KindEntry(groups.CORE_V1, "componentstatuses", "ComponentStatus", _at("core.component_status:COMPONENT_STATUS"), namespaced=False),
    KindEntry(groups.CORE_V1, "configmaps", "ConfigMap", _at("core.config_map:CONFIG_MAP")),
    KindEntry(groups.CORE_V1, "endpoints", "Endpoints", _at("core.endpoints:ENDPOINTS")),
    _EVENT,
    KindEntry(groups.CORE_V1, "limitranges", "LimitRange", _at("core.limit_range:LIMIT_RANGE")),
    KindEntry(groups.CORE_V1, "namespaces", "Namespace", _at("core.namespace:NAMESPACE"), namespaced=False),
    KindEntry(groups.CORE_V1, "nodes", "Node", _at("core.node:NODE"), namespaced=False),
    KindEntry(
        groups.CORE_V1, "persistentvolumeclaims", "PersistentVolumeClaim", _at("core.persistent_volume_claim:PERSISTENT_VOLUME_CLAIM")
    ),
    KindEntry(groups.CORE_V1, "persistentvolumes", "PersistentVolume", _at("core.persistent_volume:PERSISTENT_VOLUME"), namespaced=False),
    KindEntry(groups.CORE_V1, "pods", "Pod", _at("core.pod:POD")),
    KindEntry(groups.CORE_V1, "podtemplates", "PodTemplate", _at("core.pod_template:POD_TEMPLATE")),
    KindEntry(groups.CORE_V1, "replicationcontrollers", "ReplicationController", _at("core.replication_controller:REPLICATION_CONTROLLER")),
    KindEntry(groups.CORE_V1, "resourcequotas", "ResourceQuota", _at("core.resource_quota:RESOURCE_QUOTA")),
    KindEntry(groups.CORE_V1, "secrets", "Secret", _at("core.secret:SECRET")),
    KindEntry(groups.CORE_V1, "serviceaccounts", "ServiceAccount", _at("core.service_account:SERVICE_ACCOUNT")),
    KindEntry(groups.CORE_V1, "services", "Service", _at("core.service:SERVICE")),
    KindEntry(groups.APIREGISTRATION_V1, "apiservices", "APIService", _at("apiregistration.api_service:API_SERVICE"), namespaced=False),
    KindEntry(groups.APPS_V1, "controllerrevisions", "ControllerRevision", _at("apps.controller_revision:CONTROLLER_REVISION")),
    KindEntry(groups.APPS_V1, "daemonsets", "DaemonSet", _at("apps.daemon_set:DAEMON_SET")),
    KindEntry(groups.APPS_V1, "deployments", "Deployment", _at("apps.deployment:DEPLOYMENT")),
    KindEntry(groups.APPS_V1, "replicasets", "ReplicaSet", _at("apps.replica_set:REPLICA_SET")),
    KindEntry(groups.APPS_V1, "statefulsets", "StatefulSet", _at("apps.stateful_set:STATEFUL_SET")),
    KindEntry(groups.EVENTS_V1, "events", "Event", _at("events.event:EVENTS_EVENT"), stored_as=_EVENT),
    KindEntry(
        groups.AUTHENTICATION_V1,
        "selfsubjectreviews",
        "SelfSubjectReview",
        _at("authentication.self_subject_review:SELF_SUBJECT_REVIEW"),
        namespaced=False,
    ),
    KindEntry(groups.AUTHENTICATION_V1, "tokenreviews", "TokenReview", _at("authentication.token_review:TOKEN_REVIEW"), namespaced=False),
    KindEntry(
        groups.AUTHORIZATION_V1,
        "localsubjectaccessreviews",
        "LocalSubjectAccessReview",
        _at("authorization.local_subject_access_review:LOCAL_SUBJECT_ACCESS_REVIEW"),
    ),
    KindEntry(
        groups.AUTHORIZATION_V1,
        "selfsubjectaccessreviews",
        "SelfSubjectAccessReview",
        _at("authorization.self_subject_access_review:SELF_SUBJECT_ACCESS_REVIEW"),
        namespaced=False,
    ),
    KindEntry(
        groups.AUTHORIZATION_V1,
        "selfsubjectrulesreviews",
        "SelfSubjectRulesReview",
        _at("authorization.self_subject_rules_review:SELF_SUBJECT_RULES_REVIEW"),
        namespaced=False,
    ),
    KindEntry(
        groups.AUTHORIZATION_V1,
        "subjectaccessreviews",
        "SubjectAccessReview",
        _at("authorization.subject_access_review:SUBJECT_ACCESS_REVIEW"),
        namespaced=False,
    ),
    _HPA,
    KindEntry(
        groups.AUTOSCALING_V1,
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        _at("autoscaling.horizontal_pod_autoscaler_v1:HPA_V1"),
        stored_as=_HPA,
    ),
    KindEntry(groups.BATCH_V1, "cronjobs", "CronJob", _at("batch.cron_job:CRON_JOB")),
    KindEntry(groups.BATCH_V1, "jobs", "Job", _at("batch.job:JOB")),
    KindEntry(
        groups.CERTIFICATES_V1,
        "certificatesigningrequests",
        "CertificateSigningRequest",
        _at("certificates.certificate_signing_request:CERTIFICATE_SIGNING_REQUEST"),
        namespaced=False,
    ),
    KindEntry(
        groups.CERTIFICATES_V1BETA1,
        "clustertrustbundles",
        "ClusterTrustBundle",
        _at("certificates.cluster_trust_bundle:CLUSTER_TRUST_BUNDLE"),
        namespaced=False,
    ),
    KindEntry(groups.METRICS_V1BETA1, "nodes", "NodeMetrics", _at("metrics.node_metrics:NODE_METRICS"), namespaced=False, served=True),
    KindEntry(groups.METRICS_V1BETA1, "pods", "PodMetrics", _at("metrics.pod_metrics:POD_METRICS"), served=True),
    KindEntry(groups.NETWORKING_V1, "ingressclasses", "IngressClass", _at("networking.ingress_class:INGRESS_CLASS"), namespaced=False),
    KindEntry(groups.NETWORKING_V1, "ingresses", "Ingress", _at("networking.ingress:INGRESS")),
    _IP_ADDRESS,
    KindEntry(groups.NETWORKING_V1, "networkpolicies", "NetworkPolicy", _at("networking.network_policy:NETWORK_POLICY")),
    _SERVICE_CIDR,
    KindEntry(
        groups.NETWORKING_V1BETA1,
        "ipaddresses",
        "IPAddress",
        _at("networking.ip_address_v1beta1:IP_ADDRESS_V1BETA1"),
        namespaced=False,
        stored_as=_IP_ADDRESS,
    ),
    KindEntry(
        groups.NETWORKING_V1BETA1,
        "servicecidrs",
        "ServiceCIDR",
        _at("networking.service_cidr_v1beta1:SERVICE_CIDR_V1BETA1"),
        namespaced=False,
        stored_as=_SERVICE_CIDR,
    ),
    KindEntry(groups.POLICY_V1, "poddisruptionbudgets", "PodDisruptionBudget", _at("policy.pod_disruption_budget:POD_DISRUPTION_BUDGET")),
    KindEntry(
        groups.POLICY_V1BETA1,
        "podsecuritypolicies",
        "PodSecurityPolicy",
        _at("policy.pod_security_policy:POD_SECURITY_POLICY"),
        namespaced=False,
        served=True,
    ),
    KindEntry(
        groups.RBAC_V1, "clusterrolebindings", "ClusterRoleBinding", _at("rbac.cluster_role_binding:CLUSTER_ROLE_BINDING"), namespaced=False
    ),
    KindEntry(groups.RBAC_V1, "clusterroles", "ClusterRole", _at("rbac.cluster_role:CLUSTER_ROLE"), namespaced=False),
    KindEntry(groups.RBAC_V1, "rolebindings", "RoleBinding", _at("rbac.role_binding:ROLE_BINDING")),
    KindEntry(groups.RBAC_V1, "roles", "Role", _at("rbac.role:ROLE")),
    KindEntry(groups.STORAGE_V1, "csidrivers", "CSIDriver", _at("storage.csi_driver:CSI_DRIVER"), namespaced=False),
    KindEntry(groups.STORAGE_V1, "csinodes", "CSINode", _at("storage.csi_node:CSI_NODE"), namespaced=False),
    KindEntry(groups.STORAGE_V1, "csistoragecapacities", "CSIStorageCapacity", _at("storage.csi_storage_capacity:CSI_STORAGE_CAPACITY")),
    KindEntry(groups.STORAGE_V1, "storageclasses", "StorageClass", _at("storage.storage_class:STORAGE_CLASS"), namespaced=False),
    KindEntry(
        groups.STORAGE_V1, "volumeattachments", "VolumeAttachment", _at("storage.volume_attachment:VOLUME_ATTACHMENT"), namespaced=False
    ),
    _VOLUME_ATTRIBUTES_CLASS,
    KindEntry(
        groups.STORAGE_V1BETA1,
        "volumeattributesclasses",
        "VolumeAttributesClass",
        _at("storage.volume_attributes_class_v1beta1:VOLUME_ATTRIBUTES_CLASS_V1BETA1"),
        namespaced=False,
        stored_as=_VOLUME_ATTRIBUTES_CLASS,
    ),
    _MUTATING_POLICIES,
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1BETA1,
        "mutatingadmissionpolicies",
        "MutatingAdmissionPolicy",
        _at("admissionregistration.mutating_admission_policy_v1beta1:MUTATING_ADMISSION_POLICY_V1BETA1"),
        namespaced=False,
        stored_as=_MUTATING_POLICIES,
        served=True,
    ),
    _MUTATING_BINDINGS,
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1BETA1,
        "mutatingadmissionpolicybindings",
        "MutatingAdmissionPolicyBinding",
        _at("admissionregistration.mutating_admission_policy_binding_v1beta1:MUTATING_ADMISSION_POLICY_BINDING_V1BETA1"),
        namespaced=False,
        stored_as=_MUTATING_BINDINGS,
        served=True,
    ),
    _MUTATING_WEBHOOKS,
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1BETA1,
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        _at("admissionregistration.webhook_configurations_v1beta1:MUTATING_WEBHOOK_CONFIGURATION_V1BETA1"),
        namespaced=False,
        stored_as=_MUTATING_WEBHOOKS,
        served=True,
    ),
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1,
        "validatingadmissionpolicies",
        "ValidatingAdmissionPolicy",
        _at("admissionregistration.validating_admission_policy:VALIDATING_ADMISSION_POLICY"),
        namespaced=False,
    ),
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1,
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
        _at("admissionregistration.validating_admission_policy_binding:VALIDATING_ADMISSION_POLICY_BINDING"),
        namespaced=False,
    ),
    _VALIDATING_WEBHOOKS,
    KindEntry(
        groups.ADMISSION_REGISTRATION_V1BETA1,
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        _at("admissionregistration.webhook_configurations_v1beta1:VALIDATING_WEBHOOK_CONFIGURATION_V1BETA1"),
        namespaced=False,
        stored_as=_VALIDATING_WEBHOOKS,
        served=True,
    ),
    _CUSTOM_RESOURCE_DEFINITION,
    KindEntry(groups.SCHEDULING_V1, "priorityclasses", "PriorityClass", _at("scheduling.priority_class:PRIORITY_CLASS"), namespaced=False),
    KindEntry(groups.COORDINATION_V1, "leases", "Lease", _at("coordination.lease:LEASE")),
    KindEntry(groups.NODE_V1, "runtimeclasses", "RuntimeClass", _at("node.runtime_class:RUNTIME_CLASS"), namespaced=False),
    KindEntry(groups.DISCOVERY_V1, "endpointslices", "EndpointSlice", _at("discovery.endpoint_slice:ENDPOINT_SLICE")),
    KindEntry(groups.FLOWCONTROL_V1, "flowschemas", "FlowSchema", _at("flowcontrol.flow_schema:FLOW_SCHEMA"), namespaced=False),
    KindEntry(
        groups.FLOWCONTROL_V1,
        "prioritylevelconfigurations",
        "PriorityLevelConfiguration",
        _at("flowcontrol.priority_level_configuration:PRIORITY_LEVEL_CONFIGURATION"),
        namespaced=False,
    ),
    KindEntry(groups.RESOURCE_V1, "deviceclasses", "DeviceClass", _at("resource.device_class:DEVICE_CLASS"), namespaced=False),
    KindEntry(groups.RESOURCE_V1, "resourceclaims", "ResourceClaim", _at("resource.resource_claim:RESOURCE_CLAIM")),
    KindEntry(
        groups.RESOURCE_V1,
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        _at("resource.resource_claim_template:RESOURCE_CLAIM_TEMPLATE"),
    ),
    KindEntry(groups.RESOURCE_V1, "resourceslices", "ResourceSlice", _at("resource.resource_slice:RESOURCE_SLICE"), namespaced=False),
)


def of_others(dialect: Dialect) -> tuple[tuple[GroupVersion, str], ...]:
    """What this server asks others for, and serves nowhere: ``--runtime-config`` may name it all the same, as for kube-apiserver."""
    return ((GroupVersion(dialect.group("imagepolicy"), "v1alpha1"), "imagereviews"),)


def kinds_of(dialect: Dialect) -> tuple[KindEntry, ...]:
    """All kinds in that dialect: schemas of custom resources are written in its words."""
    if dialect is KUBERNETES:
        return CATALOGUE
    ours = _CUSTOM_RESOURCE_DEFINITION._replace(load=partial(_load_custom_resource_definition, dialect.extension_prefix))
    return tuple(ours if entry is _CUSTOM_RESOURCE_DEFINITION else entry for entry in CATALOGUE)


def built_in_names(dialect: Dialect, group: str) -> list[dict[str, str]]:
    """The names of a group's kinds that need no definition, served or not: those are theirs, and so is what is stored under them."""
    return [
        {"plural": entry.plural, "singular": entry.name.lower(), "kind": entry.name, "listKind": f"{entry.name}List"}
        for entry in kinds_of(dialect)
        if entry.group.name(dialect) == group
    ]
