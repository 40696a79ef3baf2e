"""The product's own words for what the API calls by a domain name.

Everything that differs between a cluster that speaks ``svcapi.io`` and one that speaks Kubernetes' own names stands in one frozen
table with two instances. There is no global: whoever needs a name is given the dialect. No other file spells a suffix.
"""

from typing import Literal, NamedTuple

DialectName = Literal["svcapi", "kubernetes"]


class Dialect(NamedTuple):
    """The names one cluster uses. Fixed when the cluster is made and recorded in its store."""

    name: DialectName
    group_suffix: str
    """Suffix of the API groups that have one: ``storage.`` + this."""
    domain: str
    """Domain of labels, annotations, finalizers, signers, taints and secret types."""
    system_namespace: str
    public_namespace: str
    node_lease_namespace: str
    protobuf_media_type: str
    node_agent: str
    """What the agent of a node is called, in the names of labels."""
    signer_client: str
    signer_node_client: str
    signer_node_serving: str
    signer_legacy: str
    exec_info_variable: str
    webhook_config_field: str
    namespace_finalizer: str
    """Finalizer in a Namespace's ``spec.finalizers``; also the name of the API server's own Service."""
    root_ca_config_map: str
    api_access_volume: str
    """What the volumes are called, up to a suffix, by which pods have a token of their account."""
    api_server: str
    """What the API server calls itself, as the manager of the fields it sets."""
    administrator: str
    """The user that client configurations made for a cluster are for."""
    aggregator: str
    """What the part of it is called that knows the servers behind it, in the names of its types."""
    extension_prefix: str
    """Prefix of OpenAPI extensions, such as ``x-kubernetes-``."""

    @property
    def system_namespaces(self) -> tuple[str, ...]:
        """Namespaces that exist from the first start, ``default`` first."""
        return ("default", self.node_lease_namespace, self.public_namespace, self.system_namespace)

    @property
    def default_service(self) -> str:
        """Name of the Service in ``default`` that stands for the API server."""
        return self.namespace_finalizer

    @property
    def token_tracking_config_map(self) -> str:
        """The config map in the system's namespace that says since when the use of tokens in Secrets is noted."""
        return f"{self.api_server}-legacy-service-account-token-tracking"

    def group(self, base: str) -> str:
        """Full name of a suffixed API group: ``storage`` → ``storage.k8s.io``."""
        return f"{base}.{self.group_suffix}"

    def key(self, name: str, prefix: str = "") -> str:
        """A label, annotation or taint key: ``key("hostname")`` → ``kubernetes.io/hostname``.

        ``prefix`` goes before the domain: ``key("not-ready", "node")`` → ``node.kubernetes.io/not-ready``.
        """
        return f"{prefix}.{self.domain}/{name}" if prefix else f"{self.domain}/{name}"


SVCAPI = Dialect(
    name="svcapi",
    group_suffix="svcapi.io",
    domain="svcapi.io",
    system_namespace="svc-system",
    public_namespace="svc-public",
    node_lease_namespace="svc-node-lease",
    protobuf_media_type="application/vnd.svcapi.protobuf",
    node_agent="node-agent",
    signer_client="svcapi.io/apiserver-client",
    signer_node_client="svcapi.io/apiserver-client-node-agent",
    signer_node_serving="svcapi.io/node-agent-serving",
    signer_legacy="svcapi.io/legacy-unknown",
    exec_info_variable="SVC_EXEC_INFO",
    webhook_config_field="svcConfigFile",
    namespace_finalizer="svcapi",
    root_ca_config_map="svc-root-ca.crt",
    api_access_volume="svc-api-access",
    api_server="apiserver",
    administrator="svcsim-admin",
    aggregator="aggregator",
    extension_prefix="x-svcapi-",
)

KUBERNETES = Dialect(
    name="kubernetes",
    group_suffix="k8s.io",
    domain="kubernetes.io",
    system_namespace="kube-system",
    public_namespace="kube-public",
    node_lease_namespace="kube-node-lease",
    protobuf_media_type="application/vnd.kubernetes.protobuf",
    node_agent="kubelet",
    signer_client="kubernetes.io/kube-apiserver-client",
    signer_node_client="kubernetes.io/kube-apiserver-client-kubelet",
    signer_node_serving="kubernetes.io/kubelet-serving",
    signer_legacy="kubernetes.io/legacy-unknown",
    exec_info_variable="KUBERNETES_EXEC_INFO",
    webhook_config_field="kubeConfigFile",
    namespace_finalizer="kubernetes",
    root_ca_config_map="kube-root-ca.crt",
    api_access_volume="kube-api-access",
    api_server="kube-apiserver",
    administrator="kubernetes-admin",
    aggregator="kube-aggregator",
    extension_prefix="x-kubernetes-",
)

DIALECTS: dict[str, Dialect] = {SVCAPI.name: SVCAPI, KUBERNETES.name: KUBERNETES}


def plain_group(group: str) -> str:
    """A group without a dialect's suffix, whichever that is: ``storage.k8s.io`` → ``storage``."""
    for dialect in DIALECTS.values():
        group = group.removesuffix(f".{dialect.group_suffix}")
    return group
