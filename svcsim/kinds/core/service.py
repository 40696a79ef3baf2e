"""Service: one address in front of many pods. Its rules stand in `service_rules`."""

from svcsim.kinds.core.service_rules import externally_reachable, service_changes, service_spec_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import labels, one_of
from svcsim.kinds.shared.columns import AGE, NONE, UNKNOWN, joined, labels_text, text_at
from svcsim.kinds.shared.references import CONDITIONS, STRINGS
from svcsim.meta.names import dns_1035_label
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Column, Context, Kind, Selectable, Strategy
from svcsim.schema.types import Bool, Field, Int, IntOrString, List, Map, Str, Struct

_PORT_FIELDS = (
    Field(1, "name", Str(), "Name of the port, a DNS label; required if there are several"),
    Field(2, "protocol", Str(), "TCP, UDP or SCTP", default="TCP"),
    Field(3, "port", Int(), "The port of the service", required=True),
    Field(4, "targetPort", IntOrString(), "Number or name of the pods' port; the same as port if unset"),
    Field(5, "nodePort", Int(), "The port on every node, for types NodePort and LoadBalancer", presence=False),
    Field(6, "appProtocol", Str(), "The protocol spoken on it"),
)


def _fill_port(port: Object) -> None:
    if port.get("targetPort") in (None, 0, ""):
        port["targetPort"] = port.get("port", 0)


def _fill_spec(spec: Object) -> None:
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        client.setdefault("timeoutSeconds", 10800)
    if externally_reachable(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] in ("ClusterIP", "NodePort", "LoadBalancer"):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


_PORT = Struct("ServicePort", *_PORT_FIELDS, fill=_fill_port, doc="A port of a service")
_SESSION_AFFINITY_CONFIG = Struct(
    "SessionAffinityConfig",
    Field(
        1,
        "clientIP",
        Struct("ClientIPConfig", Field(1, "timeoutSeconds", Int(), "Seconds it lasts, up to a day"), doc="Affinity by client address"),
        "By client address",
    ),
    doc="How clients are kept with their pod",
)
_SPEC = Struct(
    "ServiceSpec",
    Field(1, "ports", List(_PORT, kind="map", keys=("port", "protocol"), merge_key="port", unique=False), "Its ports"),
    Field(2, "selector", Map(Str(), atomic=True), "Labels of the pods behind it; empty if its endpoints are kept by hand", rules=(labels,)),
    Field(3, "clusterIP", Str(), "Its address in the cluster; None for a headless service"),
    Field(18, "clusterIPs", STRINGS, "All its addresses in the cluster, clusterIP first"),
    Field(4, "type", Str(), "ClusterIP, NodePort, LoadBalancer or ExternalName", default="ClusterIP"),
    Field(5, "externalIPs", STRINGS, "Addresses outside the cluster that lead to it"),
    Field(7, "sessionAffinity", Str(), "ClientIP or None: whether clients keep to one pod", default="None"),
    Field(8, "loadBalancerIP", Str(), "Wished address of the load balancer (deprecated)"),
    Field(9, "loadBalancerSourceRanges", STRINGS, "Networks that may use the load balancer"),
    Field(10, "externalName", Str(), "The name it stands for, for type ExternalName"),
    Field(11, "externalTrafficPolicy", Str(), "Cluster or Local: where traffic from outside goes"),
    Field(12, "healthCheckNodePort", Int(), "Port on which nodes say whether they have pods of it", presence=False),
    Field(13, "publishNotReadyAddresses", Bool(), "Whether pods count that aren't ready", presence=False),
    Field(14, "sessionAffinityConfig", _SESSION_AFFINITY_CONFIG, "How clients are kept with their pod"),
    Field(19, "ipFamilies", STRINGS, "IPv4, IPv6 or both"),
    Field(17, "ipFamilyPolicy", Str(), "SingleStack, PreferDualStack or RequireDualStack"),
    Field(20, "allocateLoadBalancerNodePorts", Bool(), "Whether a load balancer gets node ports; true if unset"),
    Field(21, "loadBalancerClass", Str(), "Which implementation makes the load balancer"),
    Field(22, "internalTrafficPolicy", Str(), "Cluster or Local: where traffic from inside goes"),
    Field(23, "trafficDistribution", Str(), "PreferSameZone, PreferSameNode or PreferClose: a wish where traffic goes"),
    fill=_fill_spec,
    rules=(service_spec_rules,),
    doc="What a service is to be",
)
_PORT_STATUS = Struct(
    "PortStatus",
    Field(1, "port", Int(), "The port", required=True),
    Field(2, "protocol", Str(), "TCP, UDP or SCTP", required=True, default=""),
    Field(3, "error", Str(), "What is wrong with it"),
    doc="How a load balancer's port is",
)


def _fill_ingress(ingress: Object) -> None:
    if ingress.get("ip"):
        ingress.setdefault("ipMode", "VIP")


LOAD_BALANCER_INGRESS = Struct(
    "LoadBalancerIngress",
    Field(1, "ip", Str(), "Its address"),
    Field(2, "hostname", Str(), "Its name"),
    Field(3, "ipMode", Str(), "VIP or Proxy: what packets look like when they arrive", rules=(one_of("Proxy", "VIP"),)),
    Field(4, "ports", List(_PORT_STATUS, kind="atomic"), "Its ports"),
    fill=_fill_ingress,
    doc="Where a load balancer takes traffic in",
)
LOAD_BALANCER_STATUS = Struct(
    "LoadBalancerStatus",
    Field(1, "ingress", List(LOAD_BALANCER_INGRESS, kind="atomic"), "Where it takes traffic in"),
    doc="How a load balancer is",
)
_STATUS = Struct(
    "ServiceStatus",
    Field(1, "loadBalancer", LOAD_BALANCER_STATUS, "How its load balancer is", default={}),
    Field(2, "conditions", CONDITIONS, "Aspects of its state"),
    doc="How a service is",
)


def _create(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj["status"] = {"loadBalancer": {}}


def _cluster_ip(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    addresses = get_path(obj, "spec.clusterIPs") or ()
    return addresses[0] if addresses else get_path(obj, "spec.clusterIP") or NONE


def _external_ip(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    spec = obj.get("spec") or {}
    external = spec.get("externalIPs") or []
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return joined(external)
        case "LoadBalancer":
            ingress = get_path(obj, "status.loadBalancer.ingress") or ()
            balancers = sorted({item.get("ip") or item.get("hostname") or "" for item in ingress} - {""})
            return joined([*balancers, *external], "<pending>")
        case "ExternalName":
            return spec.get("externalName") or ""
    return UNKNOWN


def _ports(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    def text(port: Object) -> str:
        node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
        return f"{port.get('port')}{node_port}/{port.get('protocol')}"

    return joined(text(port) for port in get_path(obj, "spec.ports") or ())


def _selector(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return labels_text(get_path(obj, "spec.selector"))


SERVICE = Kind(
    "Service",
    CORE_V1,
    "services",
    Struct(
        "Service",
        Field(2, "spec", _SPEC, "What the service is to be", default={}),
        Field(3, "status", _STATUS, "How the service is", default={}),
        doc="One address in front of many pods",
    ),
    short=("svc",),
    singular="service",
    categories=("all",),
    name_rule=dns_1035_label,
    columns=(
        Column("Type", text_at("spec.type"), doc="ClusterIP, NodePort, LoadBalancer or ExternalName"),
        Column("Cluster-IP", _cluster_ip, doc="Its address in the cluster"),
        Column("External-IP", _external_ip, doc="Addresses that lead to it from outside"),
        Column("Port(s)", _ports, doc="Its ports, and their ports on the nodes"),
        AGE,
        Column("Selector", _selector, priority=1, doc="Labels of the pods behind it"),
    ),
    selectable=(Selectable("spec.clusterIP"), Selectable("spec.type")),
    subresources=(STATUS,),
    strategy=Strategy(create=_create, update_rules=(service_changes,)),
    update_creates=True,
    deletes_to_object=True,
    doc="One address in front of many pods",
)
