"""What a cluster is made of: every list whose order matters, as one tuple each.

To add an admission plugin or a controller, add it here and nowhere else. Authenticators and authorizers stand in `access`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from svcsim.admission.always_pull_images import AlwaysPullImages
from svcsim.admission.certificates import CertificateApproval, CertificateSigning, CertificateSubjectRestriction, ClusterTrustBundleAttest
from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.admission.chain import selected
from svcsim.admission.default_ingress_class import DefaultIngressClass
from svcsim.admission.default_storage_class import DefaultStorageClass
from svcsim.admission.default_toleration_seconds import DefaultTolerationSeconds
from svcsim.admission.device_admin_access import DeviceAdminAccess
from svcsim.admission.event_rate_limit import EventRateLimit
from svcsim.admission.extended_resource_toleration import ExtendedResourceToleration
from svcsim.admission.image_policy_webhook import ImagePolicyWebhook
from svcsim.admission.limit_pod_hard_anti_affinity_topology import LimitPodHardAntiAffinityTopology
from svcsim.admission.limit_ranger import LimitRanger
from svcsim.admission.namespace_auto_provision import NamespaceAutoProvision
from svcsim.admission.namespace_exists import NamespaceExists
from svcsim.admission.namespace_lifecycle import NamespaceLifecycle
from svcsim.admission.node_restriction import NodeRestriction
from svcsim.admission.owner_references_permission_enforcement import OwnerReferencesPermissionEnforcement
from svcsim.admission.persistent_volume_claim_resize import PersistentVolumeClaimResize
from svcsim.admission.persistent_volume_label import Cloud, PersistentVolumeLabel
from svcsim.admission.plugin import Plugin
from svcsim.admission.pod_node_selector import PodNodeSelector
from svcsim.admission.pod_security.plugin import PodSecurity
from svcsim.admission.pod_security_policy.plugin import PodSecurityPolicy
from svcsim.admission.pod_toleration_restriction import PodTolerationRestriction
from svcsim.admission.policies.mutating import MutatingAdmissionPolicy
from svcsim.admission.policies.validating import ValidatingAdmissionPolicy
from svcsim.admission.priority import Priority
from svcsim.admission.rbac_escalation import RbacEscalation
from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.admission.resource_quota.plugin import ResourceQuota
from svcsim.admission.resource_quota.statuses import QuotaStatuses
from svcsim.admission.runtime_class import RuntimeClass
from svcsim.admission.security_context_deny import SecurityContextDeny
from svcsim.admission.service_account import ServiceAccount
from svcsim.admission.service_addresses import ServiceAddresses
from svcsim.admission.storage_object_in_use_protection import StorageObjectInUseProtection
from svcsim.admission.taint_nodes_by_condition import TaintNodesByCondition
from svcsim.admission.webhooks.mutating import MutatingAdmissionWebhook
from svcsim.admission.webhooks.validating import ValidatingAdmissionWebhook
from svcsim.auth.authorization import Authorizer
from svcsim.auth.rbac.bindings import Bindings
from svcsim.auth.reviews import Reviews
from svcsim.auth.token_requests import Find, TokenRequests
from svcsim.client.controller import ControllerContext
from svcsim.cluster.access import Access
from svcsim.cluster.admission_check import NEEDED
from svcsim.cluster.admission_config import OPTION, AdmissionConfig, read_admission_config
from svcsim.cluster.admission_parts import asking_webhooks, mutating_policies, param_rights, validating_policies
from svcsim.cluster.controller_choice import NODES, SCHEDULER
from svcsim.cluster.event_rate_limit_config import event_limits
from svcsim.cluster.evictions import Evictions
from svcsim.cluster.image_policy_config import image_policy
from svcsim.cluster.pod_node_selector_config import node_selectors
from svcsim.cluster.pod_security_config import pod_security_standards
from svcsim.cluster.pod_toleration_restriction_config import cluster_tolerations
from svcsim.cluster.resource_quota_config import limited_resources
from svcsim.cluster.service_accounts import AccountTokens
from svcsim.cluster.surroundings import Surroundings
from svcsim.controllers.annotation_checks import AnnotationChecks
from svcsim.controllers.api_server_leases import ApiServerLeases
from svcsim.controllers.api_services.availability import ApiServiceAvailability, Check
from svcsim.controllers.api_services.local import LocalApiServices, Served
from svcsim.controllers.attach_detach.controller import AttachDetach
from svcsim.controllers.attributes_class_protection import AttributesClassProtection
from svcsim.controllers.certificates.approving import CertificateApproving
from svcsim.controllers.certificates.cleaning import CertificateCleaning
from svcsim.controllers.certificates.signing import CertificateSigner
from svcsim.controllers.certificates.signing import Sign as SignCertificate
from svcsim.controllers.claim_protection import ClaimProtection
from svcsim.controllers.cluster_role_aggregation import ClusterRoleAggregation
from svcsim.controllers.cronjob.controller import CronJobController
from svcsim.controllers.custom_resource_cleanup import CustomResourceCleanup
from svcsim.controllers.custom_resources import CustomResourceController
from svcsim.controllers.daemonset.controller import DaemonSetController
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.disruption.controller import DisruptionController
from svcsim.controllers.disruption.stale import StaleDisruptionController
from svcsim.controllers.endpoints.controller import EndpointsController
from svcsim.controllers.endpoints.mirroring import EndpointSliceMirroring
from svcsim.controllers.ephemeral_volumes import EphemeralVolumes
from svcsim.controllers.garbage.controller import GarbageCollector
from svcsim.controllers.horizontal_pod_autoscaler.controller import HorizontalPodAutoscalers
from svcsim.controllers.ip_addresses import IpAddressController
from svcsim.controllers.job.controller import JobController
from svcsim.controllers.legacy_tokens.cleaner import LegacyTokenCleaner
from svcsim.controllers.legacy_tokens.tracking import LegacyTokenTracking
from svcsim.controllers.namespace import NamespaceController
from svcsim.controllers.node_ipam import NodeIpam
from svcsim.controllers.node_lifecycle.controller import Heard, NodeLifecycle
from svcsim.controllers.pod_gc import PodGarbage
from svcsim.controllers.policy_type_checking import PolicyTypeChecking
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.controllers.replicaset.kind import REPLICATION_CONTROLLER
from svcsim.controllers.resource_claims.controller import ResourceClaims
from svcsim.controllers.resource_quota import ResourceQuotaController
from svcsim.controllers.root_ca import RootCaController
from svcsim.controllers.service_account_tokens import ServiceAccountTokenController
from svcsim.controllers.service_account_tokens import Sign as SignToken
from svcsim.controllers.service_accounts import ServiceAccountController
from svcsim.controllers.service_cidrs import ServiceCidrController
from svcsim.controllers.simulated_disks.attaching import DiskAttacher
from svcsim.controllers.simulated_disks.modifying import DiskModifier
from svcsim.controllers.simulated_disks.provisioning import DiskProvisioner
from svcsim.controllers.simulated_disks.resizing import DiskResizer
from svcsim.controllers.statefulset.controller import StatefulSetController
from svcsim.controllers.taint_eviction import TaintEviction
from svcsim.controllers.ttl_after_finished import TtlAfterFinished
from svcsim.controllers.volume_binder.controller import VolumeBinder
from svcsim.controllers.volume_expansion import VolumeExpansion
from svcsim.controllers.volume_protection import VolumeProtection
from svcsim.dialect import Dialect
from svcsim.kinds.all import built_in_names
from svcsim.kinds.shared.pod_spec.scheduling import TOLERATION
from svcsim.meta.cidr_set import CidrSet
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.nodes.machines import node
from svcsim.registry.kind import Answers, WorkOut
from svcsim.schema.compile import compile_struct

logger = logging.getLogger(__name__)

NODE_IPAM = "node-ipam-controller"
_REMOVE = "Please remove this controller from your configuration files and scripts."


class Component(Protocol):
    """A part of the cluster that runs until it is cancelled."""

    async def run(self) -> None: ...


ControllerMaker: TypeAlias = Callable[[ControllerContext], Component]
ControllerMakers: TypeAlias = tuple[tuple[str, ControllerMaker], ...]


def _custom_resources(context: ControllerContext) -> Component:
    return CustomResourceController(context, built_in=partial(built_in_names, context.dialect))


def _custom_resource_cleanup(context: ControllerContext) -> Component:
    return CustomResourceCleanup(context, built_in=partial(built_in_names, context.dialect))


CONTROLLERS: ControllerMakers = (
    ("namespace-controller", NamespaceController),
    ("service-account-controller", ServiceAccountController),
    ("custom-resource-controller", _custom_resources),
    ("custom-resource-cleanup-controller", _custom_resource_cleanup),
    ("deployment-controller", DeploymentController),
    ("replicaset-controller", ReplicaSetController),
    ("replication-controller", partial(ReplicaSetController, kind=REPLICATION_CONTROLLER)),
    ("daemonset-controller", DaemonSetController),
    ("statefulset-controller", StatefulSetController),
    ("job-controller", JobController),
    ("endpoint-controller", EndpointsController),
    ("endpointslice-mirroring-controller", EndpointSliceMirroring),
    ("garbage-collector", GarbageCollector),
    ("taint-eviction-controller", TaintEviction),
    ("pod-garbage-collector", PodGarbage),
    ("disruption-controller", DisruptionController),
    ("stale-disruption-controller", StaleDisruptionController),
    ("apiserver-lease-controller", ApiServerLeases),
    ("clusterrole-aggregation-controller", ClusterRoleAggregation),
    ("ip-address-controller", IpAddressController),
    ("service-cidr-controller", ServiceCidrController),
    ("certificatesigningrequest-approving-controller", CertificateApproving),
    ("certificatesigningrequest-cleaner-controller", CertificateCleaning),
    ("pvc-protection-controller", ClaimProtection),
    ("pv-protection-controller", VolumeProtection),
    ("validatingadmissionpolicy-status-controller", PolicyTypeChecking),
    ("cronjob-controller", CronJobController),
    ("ttl-after-finished-controller", TtlAfterFinished),
    ("horizontal-pod-autoscaler", HorizontalPodAutoscalers),
    ("pv-binder-controller", VolumeBinder),
    ("disk-provisioner-controller", DiskProvisioner),
    ("ephemeral-volume-controller", EphemeralVolumes),
    ("attachdetach-controller", AttachDetach),
    ("disk-attacher-controller", DiskAttacher),
    ("expand-controller", VolumeExpansion),
    ("disk-resizer-controller", DiskResizer),
    ("disk-modifier-controller", DiskModifier),
    ("annotation-check-controller", AnnotationChecks),
    ("resource-claim-controller", ResourceClaims),
    ("legacy-token-tracking-controller", LegacyTokenTracking),
    ("legacy-serviceaccount-token-cleaner-controller", LegacyTokenCleaner),
    ("volumeattributesclass-protection-controller", AttributesClassProtection),
)
"""The controllers that need nothing but their context, in the order they are started."""


CONTROLLER_NAMES = (
    *(name for name, _ in CONTROLLERS),
    "service-account-token-controller",
    "certificatesigningrequest-signing-controller",
    "root-ca-publisher",
    "apiservice-registration-controller",
    "apiservice-availability-controller",
    "node-controller",
    NODE_IPAM,
    "bootstrapsigner",
    "tokencleaner",
    "resourcequota-controller",
    SCHEDULER,
    NODES,
)
"""Whatever `--controllers` may name in one cluster or another, for who wants to know before there is one."""


class Aggregated(NamedTuple):
    """What the controllers of APIServices are given: what the server serves itself, and how others are asked."""

    served: Served
    on_change: Callable[[Callable[[], None]], None]
    check: Check


class Signing(NamedTuple):
    """What controllers are given that sign: never a key."""

    token: SignToken
    certificate: SignCertificate | None
    """None in a cluster without a CA."""


def controllers(ca_pem: str, signing: Signing, aggregation: Aggregated | None) -> ControllerMakers:
    """All controllers, in the order they are started. A cluster without a CA has none to hand out, one may be without APIServices."""
    publisher: ControllerMakers = (("root-ca-publisher", partial(RootCaController, ca_pem=ca_pem)),)
    tokens = partial(ServiceAccountTokenController, ca_pem=ca_pem, sign=signing.token)
    signer: ControllerMakers = ()
    if signing.certificate is not None:
        signer = (("certificatesigningrequest-signing-controller", partial(CertificateSigner, sign=signing.certificate)),)
    return (
        *CONTROLLERS,
        ("service-account-token-controller", tokens),
        *signer,
        *(publisher if ca_pem else ()),
        *(_of_api_services(aggregation) if aggregation is not None else ()),
    )


def of_quotas(ledger: QuotaLedger) -> ControllerMakers:
    """What tells of quotas how much of them is taken."""
    return (("resourcequota-controller", partial(ResourceQuotaController, used=ledger.used, on_change=ledger.on_change)),)


def of_nodes(ranges: Sequence[CidrSet], heard: Heard) -> ControllerMakers:
    """What watches over nodes, and what gives them their networks, in a cluster in which they get any."""
    ipam: ControllerMakers = ((NODE_IPAM, partial(NodeIpam, ranges=ranges)),) if ranges else ()
    return (("node-controller", partial(NodeLifecycle, heard=heard)), *ipam)


def of_bootstrap_tokens(dialect: Dialect) -> ControllerMakers:
    """What looks after bootstrap tokens, in a cluster that takes such."""
    from svcsim.controllers.bootstrap.signer import BootstrapSigner  # noqa: PLC0415 - most clusters take none
    from svcsim.controllers.bootstrap.token_cleaner import TokenCleaner, of_tokens  # noqa: PLC0415

    signer = partial(BootstrapSigner, secrets_selector=of_tokens(dialect))
    return (("bootstrapsigner", signer), ("tokencleaner", TokenCleaner))


def _of_api_services(given: Aggregated) -> ControllerMakers:
    return (
        ("apiservice-registration-controller", partial(LocalApiServices, served=given.served, on_change=given.on_change)),
        ("apiservice-availability-controller", partial(ApiServiceAvailability, check=given.check)),
    )


def _service_addresses(given: Surroundings) -> Plugin:
    chance, spec = given.chance.fork("service addresses"), given.spec
    return ServiceAddresses(given.listers, given.dialect, chance, spec.service_cluster_ip_range, spec.service_node_port_range)


def _service_account(given: Surroundings) -> Plugin:
    return ServiceAccount(given.listers, given.dialect, given.behind)


def _authorizer(given: Surroundings) -> Authorizer:
    assert given.authorizer is not None, "admission is put together after access"
    return given.authorizer


def _mutating_webhooks(given: Surroundings) -> Plugin:
    known_to = _admission_config(given).webhook_credentials(MutatingAdmissionWebhook.name, given.dialect)
    return MutatingAdmissionWebhook(*asking_webhooks(given, "mutating", _authorizer(given), known_to))


def _validating_webhooks(given: Surroundings) -> Plugin:
    known_to = _admission_config(given).webhook_credentials(ValidatingAdmissionWebhook.name, given.dialect)
    return ValidatingAdmissionWebhook(*asking_webhooks(given, "validating", _authorizer(given), known_to))


def _image_policy(given: Surroundings) -> Plugin:
    return ImagePolicyWebhook(image_policy(_admission_config(given), given.outbound, given.dialect), given.clock, given.dialect)


def _pod_security(given: Surroundings) -> Plugin:
    standards = pod_security_standards(_admission_config(given), given.dialect)
    return PodSecurity(given.listers, given.store, given.dialect, standards)


def _pod_toleration_restriction(given: Surroundings) -> Plugin:
    tolerations = cluster_tolerations(_admission_config(given), given.dialect)
    return PodTolerationRestriction(given.listers, given.dialect, tolerations, compile_struct(TOLERATION))


def _resource_quota(given: Surroundings) -> Plugin:
    limited = limited_resources(_admission_config(given), given.dialect)
    return ResourceQuota(given.listers, given.dialect, given.quotas, QuotaStatuses(given.quotas, given.patch_status), limited)


def _admission_config(given: Surroundings) -> AdmissionConfig:
    assert given.admission_config is not None, "it is read before the plugins are made"
    return given.admission_config


ADMISSION_PLUGINS: tuple[tuple[str, Callable[[Surroundings], Plugin]], ...] = (
    (NamespaceAutoProvision.name, lambda given: NamespaceAutoProvision(given.listers, given.make_namespace, given.behind)),
    (NamespaceLifecycle.name, lambda given: NamespaceLifecycle(given.listers, given.dialect)),
    (NamespaceExists.name, lambda given: NamespaceExists(given.listers)),
    (SecurityContextDeny.name, lambda _: SecurityContextDeny()),
    (LimitPodHardAntiAffinityTopology.name, lambda given: LimitPodHardAntiAffinityTopology(given.dialect)),
    (LimitRanger.name, lambda given: LimitRanger(given.listers, given.dialect)),
    (ServiceAccount.name, _service_account),
    (TaintNodesByCondition.name, lambda given: TaintNodesByCondition(given.dialect)),
    (NodeRestriction.name, lambda given: NodeRestriction(given.store, given.dialect, _authorizer(given))),
    (AlwaysPullImages.name, lambda _: AlwaysPullImages()),
    (PodSecurity.name, _pod_security),
    (PodSecurityPolicy.name, lambda given: PodSecurityPolicy(given.listers, _authorizer(given), given.dialect)),
    (PodNodeSelector.name, lambda given: PodNodeSelector(given.listers, given.dialect, node_selectors(_admission_config(given)))),
    (ImagePolicyWebhook.name, _image_policy),
    (Priority.name, lambda given: Priority(given.listers, given.dialect)),
    (DefaultTolerationSeconds.name, lambda given: DefaultTolerationSeconds(given.dialect)),
    (PodTolerationRestriction.name, _pod_toleration_restriction),
    (EventRateLimit.name, lambda given: EventRateLimit(event_limits(_admission_config(given), given.dialect), given.clock)),
    (ExtendedResourceToleration.name, lambda given: ExtendedResourceToleration(given.dialect)),
    (PersistentVolumeLabel.name, lambda given: PersistentVolumeLabel(given.dialect, Cloud(node.REGION, node.ZONES))),
    (DefaultStorageClass.name, lambda given: DefaultStorageClass(given.listers, given.dialect)),
    (StorageObjectInUseProtection.name, lambda given: StorageObjectInUseProtection(given.dialect)),
    (
        OwnerReferencesPermissionEnforcement.name,
        lambda given: OwnerReferencesPermissionEnforcement(_authorizer(given), given.scheme),
    ),
    (PersistentVolumeClaimResize.name, lambda given: PersistentVolumeClaimResize(given.listers, given.dialect)),
    (RuntimeClass.name, lambda given: RuntimeClass(given.listers, given.dialect)),
    (CertificateApproval.name, lambda given: CertificateApproval(_authorizer(given))),
    (CertificateSigning.name, lambda given: CertificateSigning(_authorizer(given))),
    (ClusterTrustBundleAttest.name, lambda given: ClusterTrustBundleAttest(_authorizer(given))),
    (CertificateSubjectRestriction.name, lambda given: CertificateSubjectRestriction(given.dialect)),
    (DefaultIngressClass.name, lambda given: DefaultIngressClass(given.listers, given.dialect)),
    (MutatingAdmissionPolicy.name, lambda given: mutating_policies(given, _authorizer(given))),
    (MutatingAdmissionWebhook.name, _mutating_webhooks),
    (ValidatingAdmissionPolicy.name, lambda given: validating_policies(given, _authorizer(given))),
    (ValidatingAdmissionWebhook.name, _validating_webhooks),
    (ResourceQuota.name, _resource_quota),
)
"""All admission plugins, in the order they are asked."""
PLUGIN_NAMES = tuple(name for name, _ in ADMISSION_PLUGINS)
"""For who wants to know before there is a cluster."""
OFF_BY_DEFAULT = (
    NamespaceAutoProvision.name,
    NamespaceExists.name,
    SecurityContextDeny.name,
    LimitPodHardAntiAffinityTopology.name,
    AlwaysPullImages.name,
    PodSecurityPolicy.name,
    PodNodeSelector.name,
    ImagePolicyWebhook.name,
    PodTolerationRestriction.name,
    EventRateLimit.name,
    ExtendedResourceToleration.name,
    PersistentVolumeLabel.name,
    OwnerReferencesPermissionEnforcement.name,
)
"""Those that are on where that is asked for alone."""
_ON_THEIR_WAY_OUT = (PodSecurityPolicy.name, PersistentVolumeLabel.name)
"""Those whose users are told to do without."""


def admission_chain(given: Surroundings) -> AdmissionChain:
    """The plugins that are asked: all but those that are off, and then what nobody can switch off. Raises `UnknownPluginError`."""
    spec = given.spec.admission
    config = read_admission_config(spec.config_file, given.dialect)
    given = given._replace(admission_config=config)
    chosen = selected(tuple(make(given) for _, make in ADMISSION_PLUGINS), enable=spec.enable, disable=spec.disable, off=OFF_BY_DEFAULT)
    for plugin in chosen:
        if plugin.name in NEEDED and plugin.name not in config.plugins:
            raise ConfigurationError(f"{plugin.name} is on, and no file given by {OPTION} says {NEEDED[plugin.name]}")
        if plugin.name in _ON_THEIR_WAY_OUT:
            logger.warning("%s admission controller is deprecated. %s", plugin.name, _REMOVE)
    return AdmissionChain((*chosen, *_always(given)), given.admission_counted)


def _always(given: Surroundings) -> tuple[Plugin, ...]:
    """What is asked like a plugin, and always: in Kubernetes each is a part of what stores the objects."""
    return (
        _service_addresses(given),
        RbacEscalation(_authorizer(given), Bindings(given.listers, given.dialect)),
        param_rights(given, _authorizer(given)),
        DeviceAdminAccess(given.listers, given.dialect),
    )


def answers(
    access: Access,
    find: Find,
    worked_out: Mapping[str, WorkOut],
    evictions: Evictions,
    account_tokens: AccountTokens,
) -> Answers:
    """Who answers what kinds leave to the composition root: reviews, requests for tokens, objects that are worked out, evictions."""
    return Answers(
        Reviews(access.tokens, access.authorizer, access.audiences).answers(),
        {"serviceaccounts/token": TokenRequests(find, access.audiences, account_tokens.signer, account_tokens.lifetimes).answer},
        worked_out,
        {"pods/eviction": evictions.permit},
    )
