"""The spec of a pod, and the template it stands in."""

from svcsim.kinds.shared.pod_spec.containers import CONTAINERS, EPHEMERAL_CONTAINERS
from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS
from svcsim.kinds.shared.pod_spec.scheduling import AFFINITY, TOLERATION, TOPOLOGY_SPREAD_CONSTRAINT, each_place_once
from svcsim.kinds.shared.pod_spec.security import POD_SECURITY_CONTEXT
from svcsim.kinds.shared.pod_spec.spec_rules import pod_spec_rules
from svcsim.kinds.shared.pod_spec.volumes import VOLUME
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE, RESOURCE_LIST, STRINGS
from svcsim.meta.types import Object
from svcsim.schema.common import OBJECT_META
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct

HOST_ALIAS = Struct(
    "HostAlias",
    Field(1, "ip", Str(), "The address", required=True),
    Field(2, "hostnames", STRINGS, "Its names"),
    doc="A line of the pod's hosts file",
)
POD_DNS_CONFIG_OPTION = Struct(
    "PodDNSConfigOption",
    Field(1, "name", Str(), "Name of the option"),
    Field(2, "value", Str(), "Its value, if it has one"),
    doc="An option of the resolver",
)
POD_DNS_CONFIG = Struct(
    "PodDNSConfig",
    Field(1, "nameservers", STRINGS, "Addresses of name servers"),
    Field(2, "searches", STRINGS, "Domains that names are looked up in"),
    Field(3, "options", List(POD_DNS_CONFIG_OPTION, kind="atomic"), "Options of the resolver"),
    doc="The resolver's settings, beside what dnsPolicy gives",
)
POD_READINESS_GATE = Struct(
    "PodReadinessGate",
    Field(1, "conditionType", Str(), "Type of a condition of the pod", required=True),
    doc="A condition that must be true before the pod is ready",
)
POD_OS = Struct(
    "PodOS",
    Field(1, "name", Str(), "linux or windows", required=True),
    doc="The operating system the pod is made for",
)
POD_SCHEDULING_GATE = Struct(
    "PodSchedulingGate",
    Field(1, "name", Str(), "Name of the gate", required=True),
    doc="Keeps a pod from being scheduled until it is taken away",
)
POD_RESOURCE_CLAIM = Struct(
    "PodResourceClaim",
    Field(1, "name", Str(), "Name that containers refer to", required=True),
    Field(3, "resourceClaimName", Str(), "An existing ResourceClaim"),
    Field(4, "resourceClaimTemplateName", Str(), "A template a ResourceClaim is made of for the pod"),
    doc="A device claim the pod may use",
)
POD_SCHEDULING_GROUP = Struct(
    "PodSchedulingGroup",
    Field(1, "podGroupName", Str(), "Name of the PodGroup"),
    doc="Pods that are scheduled together",
)


def _fill_pod_spec(spec: Object) -> None:
    """The two names of the service account say the same."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


POD_SPEC = Struct(
    "PodSpec",
    Field(1, "volumes", List(VOLUME, kind="map", keys=("name",), merge_key="name"), "Volumes of the pod", patch="merge,retainKeys"),
    Field(2, "containers", CONTAINERS, "Containers of the pod; at least one", required=True),
    Field(3, "restartPolicy", Str(), "Always, OnFailure or Never", default="Always"),
    Field(4, "terminationGracePeriodSeconds", Int(bits=64), "Seconds from the request to stop to the kill", default=30),
    Field(5, "activeDeadlineSeconds", Int(bits=64), "Seconds on the node after which the pod is ended"),
    Field(6, "dnsPolicy", Str(), "ClusterFirst, ClusterFirstWithHostNet, Default or None", default="ClusterFirst"),
    Field(7, "nodeSelector", Map(Str(), atomic=True), "Labels a node must have"),
    Field(8, "serviceAccountName", Str(), "The service account the pod runs as"),
    Field(9, "serviceAccount", Str(), "Old name of serviceAccountName"),
    Field(10, "nodeName", Str(), "The node the pod is on; empty until it is scheduled"),
    Field(11, "hostNetwork", Bool(), "Whether it uses the node's network", presence=False),
    Field(12, "hostPID", Bool(), "Whether it sees the node's processes", presence=False),
    Field(13, "hostIPC", Bool(), "Whether it uses the node's IPC namespace", presence=False),
    Field(14, "securityContext", POD_SECURITY_CONTEXT, "What its processes may do", default={}),
    Field(
        15,
        "imagePullSecrets",
        List(LOCAL_OBJECT_REFERENCE, kind="map", keys=("name",), merge_key="name", unique=False),
        "Secrets for pulling images",
    ),
    Field(16, "hostname", Str(), "Host name of the pod; its own name if unset"),
    Field(17, "subdomain", Str(), "Makes the full name hostname.subdomain.namespace.svc.domain"),
    Field(18, "affinity", AFFINITY, "What attracts and repels it"),
    Field(19, "schedulerName", Str(), "The scheduler that places it", default="default-scheduler"),
    Field(20, "initContainers", CONTAINERS, "Containers that run one after another before the others"),
    Field(21, "automountServiceAccountToken", Bool(), "Whether a token of the service account is mounted"),
    Field(22, "tolerations", List(TOLERATION, kind="atomic"), "Taints it bears"),
    Field(23, "hostAliases", List(HOST_ALIAS, kind="map", keys=("ip",), merge_key="ip", unique=False), "More lines of its hosts file"),
    Field(24, "priorityClassName", Str(), "Class of its priority"),
    Field(25, "priority", Int(), "Its priority; follows from the class"),
    Field(26, "dnsConfig", POD_DNS_CONFIG, "The resolver's settings"),
    Field(27, "shareProcessNamespace", Bool(), "Whether its containers see each other's processes"),
    Field(28, "readinessGates", List(POD_READINESS_GATE, kind="atomic"), "More conditions of its readiness"),
    Field(29, "runtimeClassName", Str(), "The RuntimeClass it runs with"),
    Field(30, "enableServiceLinks", Bool(), "Whether services appear as environment variables; true if unset"),
    Field(31, "preemptionPolicy", Str(), "PreemptLowerPriority or Never"),
    Field(32, "overhead", RESOURCE_LIST, "What running it costs beside its containers; follows from the RuntimeClass"),
    Field(
        33,
        "topologySpreadConstraints",
        List(TOPOLOGY_SPREAD_CONSTRAINT, kind="map", keys=("topologyKey", "whenUnsatisfiable"), merge_key="topologyKey", unique=False),
        "How its like are spread",
        rules=(each_place_once,),
    ),
    Field(34, "ephemeralContainers", EPHEMERAL_CONTAINERS, "Containers added while it runs, through the sub-resource of that name"),
    Field(35, "setHostnameAsFQDN", Bool(), "Whether its host name is the full one"),
    Field(36, "os", POD_OS, "The operating system it is made for"),
    Field(37, "hostUsers", Bool(), "Whether it uses the node's user namespace; true if unset"),
    Field(
        38,
        "schedulingGates",
        List(POD_SCHEDULING_GATE, kind="map", keys=("name",), merge_key="name", unique=False),
        "What keeps it from being scheduled",
    ),
    Field(
        39,
        "resourceClaims",
        List(POD_RESOURCE_CLAIM, kind="map", keys=("name",), merge_key="name"),
        "Device claims it may use",
        patch="merge,retainKeys",
    ),
    Field(40, "resources", RESOURCE_REQUIREMENTS, "What all its containers together need"),
    Field(41, "hostnameOverride", Str(), "Host name of the pod, whatever else is set"),
    Field(43, "schedulingGroup", POD_SCHEDULING_GROUP, "Pods it is scheduled together with"),
    fill=_fill_pod_spec,
    rules=(pod_spec_rules,),
    doc="What a pod is to be",
)

POD_TEMPLATE_SPEC = Struct(
    "PodTemplateSpec",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the pods"),
    Field(2, "spec", POD_SPEC, "What the pods are to be"),
    doc="What pods are made from",
)
