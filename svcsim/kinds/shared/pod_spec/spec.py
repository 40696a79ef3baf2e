"""The spec of a pod, and the template it stands in."""

from svcsim.kinds.shared.pod_spec.claim_rules import claim_rules
from svcsim.kinds.shared.pod_spec.containers import CONTAINERS, EPHEMERAL_CONTAINERS
from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS, overhead_rules
from svcsim.kinds.shared.pod_spec.scheduling import AFFINITY, TOLERATION, TOPOLOGY_SPREAD_CONSTRAINT, each_topology_once
from svcsim.kinds.shared.pod_spec.security import POD_SECURITY_CONTEXT
from svcsim.kinds.shared.pod_spec.spec_rules import pod_spec_rules
from svcsim.kinds.shared.pod_spec.template_rules import template_metadata_rules, template_pod_rules
from svcsim.kinds.shared.pod_spec.volumes import VOLUME
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE
from svcsim.kinds.shared.types import RESOURCE_LIST, STRINGS, map_list
from svcsim.kinds.shared.words import DNS_POLICY, PREEMPTION_POLICY, RESTART_POLICY
from svcsim.meta.types import Object
from svcsim.schema.common import OBJECT_META
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct

HOST_ALIAS = Struct(
    "HostAlias",
    Field(1, "ip", Str(), "IP address", required=True),
    Field(2, "hostnames", STRINGS, "Host names of the address"),
    doc="An entry in the hosts file of a pod",
)
POD_DNS_CONFIG_OPTION = Struct(
    "PodDNSConfigOption",
    Field(1, "name", Str(), "Name of the option"),
    Field(2, "value", Str(), "Value of the option, if it has one", presence=True),
    doc="An option of the DNS resolver",
)
POD_DNS_CONFIG = Struct(
    "PodDNSConfig",
    Field(1, "nameservers", STRINGS, "IP addresses of DNS servers"),
    Field(2, "searches", STRINGS, "DNS search domains"),
    Field(3, "options", List(POD_DNS_CONFIG_OPTION, list_type="atomic"), "Options of the DNS resolver"),
    doc="DNS settings of a pod, merged with those that dnsPolicy gives",
)
POD_READINESS_GATE = Struct(
    "PodReadinessGate",
    Field(1, "conditionType", Str(), "Type of the condition", required=True),
    doc="A condition that must be true for the pod to be ready",
)
POD_OS = Struct(
    "PodOS",
    Field(1, "name", Str(), "Name of the operating system: linux or windows", required=True),
    doc="Operating system that a pod needs",
)
POD_SCHEDULING_GATE = Struct(
    "PodSchedulingGate",
    Field(1, "name", Str(), "Name of the gate", required=True),
    doc="Prevents a pod from being scheduled until the gate is removed",
)
POD_RESOURCE_CLAIM = Struct(
    "PodResourceClaim",
    Field(1, "name", Str(), "Name of the entry, to which containers refer", required=True),
    Field(3, "resourceClaimName", Str(), "Name of an existing ResourceClaim", presence=True),
    Field(
        4,
        "resourceClaimTemplateName",
        Str(),
        "Name of a ResourceClaimTemplate from which a ResourceClaim is created for the pod",
        presence=True,
    ),
    rules=(claim_rules,),
    doc="A device claim that containers of the pod can use",
)
POD_SCHEDULING_GROUP = Struct(
    "PodSchedulingGroup",
    Field(1, "podGroupName", Str(), "Name of the PodGroup", presence=True),
    doc="Group of pods that are scheduled together",
)


def _fill_pod_spec(spec: Object) -> None:
    """The two fields for the service account are filled in from each other; there always is a security context."""
    spec.setdefault("securityContext", {})
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


POD_SPEC = Struct(
    "PodSpec",
    Field(1, "volumes", map_list(VOLUME, "name", unique=True), "Volumes that containers of the pod can mount", patch="merge,retainKeys"),
    Field(2, "containers", CONTAINERS, "Containers of the pod; at least one", required=True),
    Field(3, "restartPolicy", RESTART_POLICY, "When containers are restarted", default="Always"),
    Field(4, "terminationGracePeriodSeconds", Int(bits=64), "Seconds that containers get to stop before they are killed", default=30),
    Field(5, "activeDeadlineSeconds", Int(bits=64), "Seconds after the start on a node after which the pod is ended"),
    Field(
        6,
        "dnsPolicy",
        DNS_POLICY,
        "Source of the DNS settings",
        default="ClusterFirst",
    ),
    Field(7, "nodeSelector", Map(Str(), atomic=True), "Labels that the node must have"),
    Field(8, "serviceAccountName", Str(), "Name of the ServiceAccount as which the pod runs"),
    Field(9, "serviceAccount", Str(), "Deprecated name of serviceAccountName"),
    Field(10, "nodeName", Str(), "Name of the node on which the pod runs; empty until the pod is scheduled"),
    Field(11, "hostNetwork", Bool(), "Whether the pod uses the network of the node", presence=False),
    Field(12, "hostPID", Bool(), "Whether the pod uses the process namespace of the node", presence=False),
    Field(13, "hostIPC", Bool(), "Whether the pod uses the IPC namespace of the node", presence=False),
    Field(14, "securityContext", POD_SECURITY_CONTEXT, "Privileges and identity of the processes of all containers"),
    Field(
        15,
        "imagePullSecrets",
        map_list(LOCAL_OBJECT_REFERENCE, "name"),
        "Secrets with registry credentials for pulling images",
    ),
    Field(16, "hostname", Str(), "Host name of the pod; the name of the pod if unset"),
    Field(17, "subdomain", Str(), "Subdomain; the full host name becomes hostname.subdomain.namespace.svc.domain"),
    Field(18, "affinity", AFFINITY, "Rules about the nodes and other pods near which the pod is scheduled"),
    Field(19, "schedulerName", Str(), "Name of the scheduler that assigns the pod to a node", default="default-scheduler"),
    Field(20, "initContainers", CONTAINERS, "Containers that run one after another before the other containers start"),
    Field(21, "automountServiceAccountToken", Bool(), "Whether a token of the service account is mounted into the containers"),
    Field(22, "tolerations", List(TOLERATION, list_type="atomic"), "Taints of nodes that the pod tolerates"),
    Field(23, "hostAliases", map_list(HOST_ALIAS, "ip"), "Additional entries for the hosts file of the pod"),
    Field(24, "priorityClassName", Str(), "Name of the PriorityClass of the pod"),
    Field(25, "priority", Int(), "Priority of the pod, which follows from its PriorityClass"),
    Field(26, "dnsConfig", POD_DNS_CONFIG, "DNS settings of the pod"),
    Field(27, "shareProcessNamespace", Bool(), "Whether containers of the pod share one process namespace"),
    Field(
        28,
        "readinessGates",
        List(POD_READINESS_GATE, list_type="atomic"),
        "Additional conditions that must be true for the pod to be ready",
    ),
    Field(29, "runtimeClassName", Str(), "Name of the RuntimeClass with which the pod runs", presence=True),
    Field(30, "enableServiceLinks", Bool(), "Whether services are described in environment variables; true if unset"),
    Field(
        31,
        "preemptionPolicy",
        PREEMPTION_POLICY,
        "Whether the pod preempts pods of lower priority",
        presence=True,
    ),
    Field(
        32,
        "overhead",
        RESOURCE_LIST,
        "Resources used by the pod besides those of its containers, which follow from its RuntimeClass",
        rules=(overhead_rules,),
    ),
    Field(
        33,
        "topologySpreadConstraints",
        map_list(TOPOLOGY_SPREAD_CONSTRAINT, "topologyKey", "whenUnsatisfiable"),
        "How pods like this one are spread over domains, such as zones or nodes",
        rules=(each_topology_once,),
    ),
    Field(
        34,
        "ephemeralContainers",
        EPHEMERAL_CONTAINERS,
        "Containers added for debugging while the pod runs, with the subresource of the same name",
    ),
    Field(35, "setHostnameAsFQDN", Bool(), "Whether the host name of the pod is its fully qualified name"),
    Field(36, "os", POD_OS, "Operating system that the pod needs"),
    Field(37, "hostUsers", Bool(), "Whether the pod uses the user namespace of the node; true if unset"),
    Field(
        38,
        "schedulingGates",
        map_list(POD_SCHEDULING_GATE, "name"),
        "Gates that prevent the pod from being scheduled until they are removed",
    ),
    Field(
        39,
        "resourceClaims",
        map_list(POD_RESOURCE_CLAIM, "name", unique=True),
        "Device claims that containers of the pod can use",
        patch="merge,retainKeys",
    ),
    Field(40, "resources", RESOURCE_REQUIREMENTS, "Requested and maximum amounts of resources for all containers together"),
    Field(41, "hostnameOverride", Str(), "Host name of the pod, which takes precedence over hostname and subdomain", presence=True),
    Field(43, "schedulingGroup", POD_SCHEDULING_GROUP, "Group of pods with which the pod is scheduled together"),
    fill=_fill_pod_spec,
    rules=(pod_spec_rules,),
    alike=True,
    doc="Desired state of a pod",
)

POD_TEMPLATE_SPEC = Struct(
    "PodTemplateSpec",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the pods"),
    Field(2, "spec", POD_SPEC, "Desired state of the pods", default={}),
    rules=(template_metadata_rules, template_pod_rules),
    doc="Template from which pods are created",
)
