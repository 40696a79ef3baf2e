"""Service: one address in front of a set of pods. Its rules stand in `service_rules`."""

from svcsim.kinds.core.service_columns import cluster_ip, external_ip, ports
from svcsim.kinds.core.service_defaults import fill_ingress, fill_port, fill_spec
from svcsim.kinds.core.service_rules import balancer_rules, service_changes, service_spec_rules, service_status_changes
from svcsim.kinds.core.service_strategy import drop_what_the_type_had
from svcsim.kinds.core.service_warnings import service_warnings
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import labels
from svcsim.kinds.shared.columns import AGE, labels_at, text_at
from svcsim.kinds.shared.conditions import CONDITIONS
from svcsim.kinds.shared.proxy import proxy
from svcsim.kinds.shared.types import STRINGS, map_list
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import IP_FAMILY_LIST, IP_FAMILY_POLICY, PROTOCOL, SERVICE_TYPE, SESSION_AFFINITY, TRAFFIC_POLICY
from svcsim.meta.names import dns_1035_label
from svcsim.registry.kind import Column, Kind, Selectable, Status, Strategy, status_subresource
from svcsim.schema.types import Bool, Field, Int, IntOrString, List, Map, Str, Struct

_PORT_FIELDS = (
    Field(1, "name", Str(), "Name of the port, a DNS label; required if there are several ports"),
    Field(2, "protocol", PROTOCOL, "Protocol of the port", default="TCP"),
    Field(3, "port", Int(), "Port on which the service is reached", required=True),
    Field(4, "targetPort", IntOrString(), "Number or name of the port on the pods; the same as port if unset"),
    Field(
        5, "nodePort", Int(), "Port on every node through which the service is reached, for types NodePort and LoadBalancer", presence=False
    ),
    Field(6, "appProtocol", Str(), "Application protocol spoken on the port", presence=True),
)


_PORT = Struct("ServicePort", *_PORT_FIELDS, fill=fill_port, doc="A port of a service")
_SESSION_AFFINITY_CONFIG = Struct(
    "SessionAffinityConfig",
    Field(
        1,
        "clientIP",
        Struct(
            "ClientIPConfig",
            Field(1, "timeoutSeconds", Int(), "Seconds for which a client stays with its pod, at most one day"),
            doc="Session affinity by client address",
        ),
        "Session affinity by client address",
    ),
    doc="Settings for session affinity",
)
_SPEC = Struct(
    "ServiceSpec",
    Field(1, "ports", map_list(_PORT, "port", "protocol"), "Ports of the service"),
    Field(
        2,
        "selector",
        Map(Str(), atomic=True),
        "Labels of the pods behind the service; if empty, endpoints have to be managed by other means",
        rules=(labels,),
    ),
    Field(3, "clusterIP", Str(), "IP address inside the cluster; None makes the service headless"),
    Field(18, "clusterIPs", STRINGS, "All IP addresses inside the cluster, clusterIP first"),
    Field(4, "type", SERVICE_TYPE, "Type of the service", default="ClusterIP"),
    Field(5, "externalIPs", STRINGS, "IP addresses outside the cluster from which traffic reaches the service"),
    Field(7, "sessionAffinity", SESSION_AFFINITY, "ClientIP to send each client to the same pod every time, or None", default="None"),
    Field(8, "loadBalancerIP", Str(), "Requested IP address of the load balancer (deprecated)"),
    Field(9, "loadBalancerSourceRanges", STRINGS, "Networks from which the load balancer accepts traffic"),
    Field(10, "externalName", Str(), "DNS name for which the service is an alias, for type ExternalName"),
    Field(
        11,
        "externalTrafficPolicy",
        TRAFFIC_POLICY,
        "Where traffic from outside the cluster is routed: Cluster for all endpoints, Local for those on the receiving node",
    ),
    Field(12, "healthCheckNodePort", Int(), "Port on which nodes report whether they have endpoints of the service", presence=False),
    Field(13, "publishNotReadyAddresses", Bool(), "Whether pods that are not ready are endpoints as well", presence=False),
    Field(14, "sessionAffinityConfig", _SESSION_AFFINITY_CONFIG, "Settings for session affinity"),
    Field(19, "ipFamilies", IP_FAMILY_LIST, "IP families of the service: IPv4, IPv6 or both"),
    Field(
        17,
        "ipFamilyPolicy",
        IP_FAMILY_POLICY,
        "Whether the service has one IP family or two",
        presence=True,
    ),
    Field(20, "allocateLoadBalancerNodePorts", Bool(), "Whether node ports are allocated for a load balancer; true if unset"),
    Field(21, "loadBalancerClass", Str(), "Name of the load-balancer implementation to use", presence=True),
    Field(
        22,
        "internalTrafficPolicy",
        TRAFFIC_POLICY,
        "Where traffic from inside the cluster is routed: Cluster for all endpoints, Local for those on the same node",
        presence=True,
    ),
    Field(23, "trafficDistribution", Str(), "Preference for near endpoints: PreferSameZone, PreferSameNode or PreferClose", presence=True),
    fill=fill_spec,
    rules=(service_spec_rules,),
    doc="Desired state of a service",
)
LOAD_BALANCER_PORT_FIELDS = (
    Field(1, "port", Int(), "Port number", required=True),
    Field(2, "protocol", PROTOCOL, "Protocol of the port", required=True, default=""),
    Field(3, "error", Str(), "Problem with the port, as one word", presence=True),
)
_PORT_STATUS = Struct("PortStatus", *LOAD_BALANCER_PORT_FIELDS, doc="State of a port of a load balancer")


LOAD_BALANCER_INGRESS = Struct(
    "LoadBalancerIngress",
    Field(1, "ip", Str(), "IP address"),
    Field(2, "hostname", Str(), "DNS name"),
    Field(
        3,
        "ipMode",
        Str(),
        "How traffic is delivered: VIP keeps the destination address of packets, Proxy replaces it",
        presence=True,
    ),
    Field(4, "ports", List(_PORT_STATUS, list_type="atomic"), "State of the ports"),
    fill=fill_ingress,
    rules=(balancer_rules,),
    doc="An address on which a load balancer accepts traffic",
)
LOAD_BALANCER_STATUS = Struct(
    "LoadBalancerStatus",
    Field(1, "ingress", List(LOAD_BALANCER_INGRESS, list_type="atomic"), "Addresses on which the load balancer accepts traffic"),
    doc="Current state of a load balancer",
)
_STATUS = Struct(
    "ServiceStatus",
    Field(1, "loadBalancer", LOAD_BALANCER_STATUS, "Current state of the load balancer", default={}),
    Field(2, "conditions", CONDITIONS, "Current conditions of the service"),
    doc="Current state of a service",
)


SERVICE = Kind(
    CORE_V1,
    "services",
    Struct(
        "Service",
        Field(2, "spec", _SPEC, "Desired state of the service", default={}),
        Field(3, "status", _STATUS, "Current state of the service", default={}),
        doc="Makes a set of pods reachable under one address",
    ),
    short=("svc",),
    categories=("all",),
    name_rule=dns_1035_label,
    columns=(
        Column("Type", text_at("spec.type"), doc="Type of the service"),
        Column("Cluster-IP", cluster_ip, doc="IP address inside the cluster"),
        Column("External-IP", external_ip, doc="Addresses under which the service is reached from outside the cluster"),
        Column("Port(s)", ports, doc="Ports of the service, and the node ports that lead to them"),
        AGE,
        Column("Selector", labels_at("spec.selector"), priority=1, doc="Labels of the pods behind the service"),
    ),
    selectable=(Selectable("spec.clusterIP"), Selectable("spec.type")),
    status=Status(subresource=status_subresource(update_rules=(service_changes, service_status_changes))),
    subresources=(proxy("ServiceProxyOptions"),),
    strategy=Strategy(
        warnings=(service_warnings,),
        update_warnings=(of_every_update(service_warnings),),
        update=drop_what_the_type_had,
        update_rules=(service_changes,),
    ),
    generation=False,
    update_creates=True,
    deletes_to_object=True,
)
